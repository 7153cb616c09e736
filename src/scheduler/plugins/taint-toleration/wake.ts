import type { Node } from '../../../api/objects/node.ts'
import type { Pod, TaintEffect } from '../../../api/objects/pod.ts'
import { findUntoleratedTaint } from '../../../api/tolerations.ts'
import type { WakeChange, WakeRule } from '../../contract/contract.ts'
import { ActionType } from '../../contract/contract.ts'

const keepsOut: readonly TaintEffect[] = ['NoSchedule', 'NoExecute']

function admits(pod: Pod, node: Node): boolean {
  return findUntoleratedTaint(node.spec?.taints, pod.spec.tolerations, keepsOut) === undefined
}

function opens(pod: Pod, { before, after }: WakeChange<Node>): boolean {
  return (before === undefined || !admits(pod, before)) && after !== undefined && admits(pod, after)
}

export const taintTolerationWake: readonly WakeRule[] = [
  {
    on: { resource: 'Node', action: ActionType.Add | ActionType.UpdateNodeTaint },
    hint: (pod, change) => opens(pod, change as WakeChange<Node>),
  },
  {
    on: { resource: 'Pod', action: ActionType.UpdatePodToleration },
    hint: (pod, { after }) => after?.metadata.uid === pod.metadata.uid,
  },
]
