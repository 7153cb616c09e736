import type { Node } from '../../api/objects/node.ts'
import type { NodeGroup, NodeGroups } from './node-group.ts'
import type { AutoscalerOptions } from './options.ts'
import { deletionCandidate, hasTaintKey, toBeDeletedTaint } from './taints.ts'

/** The handling of taints of an earlier autoscaler in the first loop. */
export interface StartCleanup {
  /** Taints of an autoscaler that has stopped. */
  readonly remove: readonly { readonly node: Node; readonly taint: string }[]
  /** Nodes that the autoscaler of the cluster is deleting. It does not stop when a forecast begins. */
  readonly goOn: readonly { readonly node: Node; readonly group: NodeGroup }[]
}

/** 1.36, core StaticAutoscaler cleanUpIfRequired. */
export function decideCleanup(nodes: readonly Node[], groups: NodeGroups, options: AutoscalerOptions): StartCleanup {
  const remove: StartCleanup['remove'][number][] = []
  const goOn: StartCleanup['goOn'][number][] = []
  for (const node of nodes) {
    const group = groups.of(node)
    if (group !== undefined && hasTaintKey(node, toBeDeletedTaint)) {
      if (group.foundTarget === undefined) remove.push({ node, taint: toBeDeletedTaint })
      else goOn.push({ node, group })
    }
    if (options['max-bulk-soft-taint-count'] === 0 && hasTaintKey(node, deletionCandidate))
      remove.push({ node, taint: deletionCandidate })
  }
  return { remove, goOn }
}
