import type { Pod } from '../../../api/objects/pod.ts'
import type { KubernetesRelease } from '../../../api/releases/kubernetes-release.ts'
import { hostPortsOf } from '../../cache/pod-parser.ts'
import type { HostPort, WakeChange, WakeRule } from '../../contract/contract.ts'
import { ActionType, assignedPod } from '../../contract/contract.ts'

const everyAddress = '0.0.0.0'

function collide(a: HostPort, b: HostPort): boolean {
  if (a.port !== b.port || a.protocol !== b.protocol) return false
  return a.ip === b.ip || a.ip === everyAddress || b.ip === everyAddress
}

function frees(pod: Pod, { before }: WakeChange<Pod>): boolean {
  if (before === undefined || (!before.spec.nodeName && !before.status?.nominatedNodeName)) return false
  const freed = hostPortsOf(before)
  return freed.length > 0 && hostPortsOf(pod).some((wanted) => freed.some((port) => collide(wanted, port)))
}

export function nodePortsWake(release: KubernetesRelease): readonly WakeRule[] {
  return [
    {
      on: { resource: assignedPod(release), action: ActionType.Delete },
      hint: (pod, change) => frees(pod, change as WakeChange<Pod>),
    },
    { on: { resource: 'Node', action: ActionType.Add } },
  ]
}
