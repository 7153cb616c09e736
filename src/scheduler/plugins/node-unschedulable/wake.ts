import type { Node } from '../../../api/objects/node.ts'
import type { Pod } from '../../../api/objects/pod.ts'
import type { KubernetesRelease } from '../../../api/releases/kubernetes-release.ts'
import { isTolerated, type TolerationOptions, tolerationOptions } from '../../../api/tolerations.ts'
import { taintKeys } from '../../../api/well-known.ts'
import type { WakeChange, WakeRule } from '../../contract/contract.ts'
import { ActionType, targetPod } from '../../contract/contract.ts'

/** A schedulable node was added, or a node was uncordoned. */
function opens(_pod: Pod, { before, after }: WakeChange<Node>): boolean {
  if (after?.spec?.unschedulable === true) return false
  return before === undefined || before.spec?.unschedulable === true
}

function toleratesCordon(pod: Pod, { after }: WakeChange<Pod>, options: TolerationOptions): boolean {
  if (after === undefined || after.metadata.uid !== pod.metadata.uid) return false
  return isTolerated({ key: taintKeys.unschedulable, effect: 'NoSchedule' }, after.spec.tolerations, options)
}

export function nodeUnschedulableWake(release: KubernetesRelease): readonly WakeRule[] {
  const options = tolerationOptions(release)
  return [
    {
      on: { resource: 'Node', action: ActionType.Add | ActionType.UpdateNodeTaint },
      hint: (pod, change) => opens(pod, change as WakeChange<Node>),
    },
    {
      on: { resource: targetPod(release), action: ActionType.UpdatePodToleration },
      hint: (pod, change) => toleratesCordon(pod, change as WakeChange<Pod>, options),
    },
  ]
}
