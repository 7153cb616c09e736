import { compileNodeSelector, RequiredNodeAffinity } from '../../../api/node-selector.ts'
import type { Node, NodeSelector } from '../../../api/objects/node.ts'
import type { Pod } from '../../../api/objects/pod.ts'
import type { WakeChange, WakeRule } from '../../contract/contract.ts'
import { ActionType } from '../../contract/contract.ts'

/** The node selector of the configuration, which applies to every pod. */
function addedSelector(args: unknown): NodeSelector | undefined {
  const { addedAffinity } = (args ?? {}) as { readonly addedAffinity?: NodeAffinityLike }
  return addedAffinity?.requiredDuringSchedulingIgnoredDuringExecution
}

interface NodeAffinityLike {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector
}

export function nodeAffinityWake(args: unknown): readonly WakeRule[] {
  const added = addedSelector(args)
  const demanded = added === undefined ? undefined : compileNodeSelector(added)
  const hint = (pod: Pod, { before, after }: WakeChange<Node>): boolean => {
    if (after === undefined) return false
    if (demanded !== undefined && !demanded.matches(after.metadata.labels, after.metadata.name)) return false
    const own = new RequiredNodeAffinity(pod)
    // A term that cannot be parsed may match, so the pod is retried.
    const now = own.match(after.metadata.labels, after.metadata.name)
    if (!now.matched) return now.error !== undefined
    return before === undefined || !own.match(before.metadata.labels, before.metadata.name).matched
  }
  return [
    {
      on: { resource: 'Node', action: ActionType.Add | ActionType.UpdateNodeLabel },
      hint: (pod, change) => hint(pod, change as WakeChange<Node>),
    },
  ]
}
