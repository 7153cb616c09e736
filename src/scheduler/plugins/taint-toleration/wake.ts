import type { Node } from '../../../api/objects/node.ts'
import type { Pod, TaintEffect } from '../../../api/objects/pod.ts'
import type { KubernetesRelease } from '../../../api/releases/kubernetes-release.ts'
import { findUntoleratedTaint, type TolerationOptions, tolerationOptions } from '../../../api/tolerations.ts'
import type { WakeChange, WakeRule } from '../../contract/contract.ts'
import { ActionType, targetPod } from '../../contract/contract.ts'

const keepsOut: readonly TaintEffect[] = ['NoSchedule', 'NoExecute']

function admits(pod: Pod, node: Node, options: TolerationOptions): boolean {
  return findUntoleratedTaint(node.spec?.taints, pod.spec.tolerations, keepsOut, options) === undefined
}

function opens(pod: Pod, { before, after }: WakeChange<Node>, options: TolerationOptions): boolean {
  return (before === undefined || !admits(pod, before, options)) && after !== undefined && admits(pod, after, options)
}

export function taintTolerationWake(release: KubernetesRelease): readonly WakeRule[] {
  const options = tolerationOptions(release)
  return [
    {
      on: { resource: 'Node', action: ActionType.Add | ActionType.UpdateNodeTaint },
      hint: (pod, change) => opens(pod, change as WakeChange<Node>, options),
    },
    {
      on: { resource: targetPod(release), action: ActionType.UpdatePodToleration },
      hint: (pod, { after }) => after?.metadata.uid === pod.metadata.uid,
    },
  ]
}
