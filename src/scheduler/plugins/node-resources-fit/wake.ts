import type { Node } from '../../../api/objects/node.ts'
import type { Pod, ResourceList } from '../../../api/objects/pod.ts'
import { type StatusCounting, statusCountingOf } from '../../../api/pod-resources.ts'
import { intValue, milliValue } from '../../../api/quantity.ts'
import type { KubernetesRelease } from '../../../api/releases/kubernetes-release.ts'
import type { SchedulingRequests } from '../../../api/scheduling-requests.ts'
import { schedulingRequests } from '../../../api/scheduling-requests.ts'
import type { WakeChange, WakeRule } from '../../contract/contract.ts'
import { ActionType } from '../../contract/contract.ts'

/** The request of a pod for a resource and the allocatable amount of a node. */
interface ResourceOffer {
  readonly wanted: number
  readonly offered: number
}

function offersOf(requests: SchedulingRequests, allocatable: ResourceList | undefined): ResourceOffer[] {
  const offers: ResourceOffer[] = [
    { wanted: requests.cpuMilli, offered: milliValue(allocatable?.cpu) },
    { wanted: requests.memoryBytes, offered: intValue(allocatable?.memory) },
    { wanted: requests.ephemeralStorageBytes, offered: intValue(allocatable?.['ephemeral-storage']) },
  ]
  for (const [name, wanted] of requests.scalars) offers.push({ wanted, offered: intValue(allocatable?.[name]) })
  return offers
}

/** Reports whether the pod would fit on the node if it were empty. */
function fitsEmpty(requests: SchedulingRequests, allocatable: ResourceList | undefined): boolean {
  if (intValue(allocatable?.pods) < 1) return false
  return offersOf(requests, allocatable).every(({ wanted, offered }) => wanted === 0 || wanted <= offered)
}

function nodeHelps(pod: Pod, { before, after }: WakeChange<Node>, counting: StatusCounting): boolean {
  const requests = schedulingRequests(pod, counting)
  const offered = after?.status?.allocatable
  if (after === undefined || !fitsEmpty(requests, offered)) return false
  if (before === undefined) return true
  if (intValue(offered?.pods) > intValue(before.status?.allocatable?.pods)) return true
  const old = offersOf(requests, before.status?.allocatable)
  return offersOf(requests, offered).some(({ wanted, offered: now }, i) => wanted > 0 && now > (old[i]?.offered ?? 0))
}

function podHelps(pod: Pod, { before, after }: WakeChange<Pod>, counting: StatusCounting): boolean {
  if (after === undefined) return Boolean(before?.spec.nodeName) || Boolean(before?.status?.nominatedNodeName)
  if (after.metadata.uid === pod.metadata.uid) return true
  if (before === undefined || !after.spec.nodeName) return false
  const requestsOf = (one: Pod) => schedulingRequests(one, counting)
  return freesWanted(requestsOf(pod), requestsOf(before), requestsOf(after))
}

function freesWanted(wanted: SchedulingRequests, before: SchedulingRequests, after: SchedulingRequests): boolean {
  if (wanted.cpuMilli > 0 && before.cpuMilli > after.cpuMilli) return true
  if (wanted.memoryBytes > 0 && before.memoryBytes > after.memoryBytes) return true
  if (wanted.ephemeralStorageBytes > 0 && before.ephemeralStorageBytes > after.ephemeralStorageBytes) return true
  for (const [name, amount] of wanted.scalars) {
    if (amount > 0 && (before.scalars.get(name) ?? 0) > (after.scalars.get(name) ?? 0)) return true
  }
  return false
}

/** As in upstream, resources that the filter ignores count here. */
export function nodeResourcesFitWake(release: KubernetesRelease): readonly WakeRule[] {
  const { Delete, UpdatePodScaleDown } = ActionType
  const counting = statusCountingOf(release)
  const podHint: WakeRule['hint'] = (pod, change) => podHelps(pod, change as WakeChange<Pod>, counting)
  const podRules: readonly WakeRule[] = release.changes.has('TargetPodEvents')
    ? [
        { on: { resource: 'AssignedPod', action: Delete | UpdatePodScaleDown }, hint: podHint },
        { on: { resource: 'TargetPod', action: UpdatePodScaleDown }, hint: podHint },
      ]
    : [{ on: { resource: 'Pod', action: Delete | UpdatePodScaleDown }, hint: podHint }]
  return [
    ...podRules,
    {
      on: { resource: 'Node', action: ActionType.Add | ActionType.UpdateNodeAllocatable },
      hint: (pod, change) => nodeHelps(pod, change as WakeChange<Node>, counting),
    },
  ]
}
