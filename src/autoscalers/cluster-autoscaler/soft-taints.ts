import type { Node } from '../../api/objects/node.ts'
import { deletionCandidate, hasTaintKey, toBeDeletedTaint } from './taints.ts'

export type SoftTaintChange = 'add' | 'remove'

export interface SoftTaintInput {
  readonly unneeded: ReadonlySet<string>
  /** Reports whether the node is in a group. */
  readonly isOwn: (node: Node) => boolean
  /** The maximum number of nodes that are changed in one loop. */
  readonly most: number
}

/**
 * The nodes to mark, so that the scheduler avoids them, and the nodes to unmark, which come first (1.36, actuation
 * UpdateSoftDeletionTaints). Nodes whose deletion starts in this loop are also marked.
 */
export function softTaintChanges(
  nodes: readonly Node[],
  { unneeded, isOwn, most }: SoftTaintInput,
): ReadonlyMap<string, SoftTaintChange> {
  const changes = new Map<string, SoftTaintChange>()
  const own = nodes.filter((node) => isOwn(node) && !hasTaintKey(node, toBeDeletedTaint))
  for (const change of ['remove', 'add'] as const) {
    for (const node of own) {
      const { name } = node.metadata
      const isWrong =
        unneeded.has(name) === (change === 'add') && hasTaintKey(node, deletionCandidate) !== (change === 'add')
      if (isWrong && changes.size < most) changes.set(name, change)
    }
  }
  return changes
}
