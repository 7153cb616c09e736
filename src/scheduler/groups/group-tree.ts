import type { Attempt } from '../attempt/attempt.ts'
import { groupKeyOf } from '../cache/group-states.ts'
import type { GroupHierarchies, GroupNode } from '../contract/groups.ts'
import { type GroupStatus, type PodOutcome, withReason } from './group-outcome.ts'

/** A group with its pods that are tried, or a composite group with its children. */
export interface GroupTree {
  readonly group: GroupNode
  /** In the order of their creation. */
  readonly children: readonly GroupTree[]
  readonly attempts: readonly Attempt[]
}

/** The result of a trial for one group of a hierarchy. */
export interface TreeResult {
  readonly tree: GroupTree
  readonly pods: readonly PodOutcome[]
  readonly status: GroupStatus
  /** At least one pod got a node in this trial. */
  readonly placesAny: boolean
}

/** By the id of the group. Groups that were not tried are missing. */
export type TreeResults = Map<string, TreeResult>

export function createGroupTree(root: GroupNode, forest: GroupHierarchies, attempts: readonly Attempt[]): GroupTree {
  const byGroup = new Map<string, Attempt[]>()
  for (const attempt of attempts) {
    const key = groupKeyOf(attempt.queued.parsed.pod) ?? ''
    const known = byGroup.get(key)
    if (known === undefined) byGroup.set(key, [attempt])
    else known.push(attempt)
  }
  const treeOf = (group: GroupNode): GroupTree => ({
    group,
    children: forest.childrenOf(group).map(treeOf),
    attempts: group.kind === 'podgroup' ? (byGroup.get(group.key) ?? []) : [],
  })
  return treeOf(root)
}

export function* leavesOf(tree: GroupTree): IterableIterator<GroupTree> {
  if (tree.group.kind === 'podgroup') yield tree
  for (const child of tree.children) yield* leavesOf(child)
}

/** The first group that is `levels` levels below the root of the tree; undefined if the tree is less deep. */
export function belowLevel(tree: GroupTree, levels: number): GroupTree | undefined {
  if (levels === 0) return tree
  for (const child of tree.children) {
    const found = belowLevel(child, levels - 1)
    if (found !== undefined) return found
  }
  return undefined
}

/** The fitting pod groups of a subtree whose ancestors in the subtree all fit. */
export function* fittingLeaves(tree: GroupTree, results: TreeResults): IterableIterator<TreeResult> {
  const result = results.get(tree.group.id)
  if (result?.status.kind !== 'success') return
  for (const child of tree.children) yield* fittingLeaves(child, results)
  if (tree.group.kind === 'podgroup') yield result
}

/**
 * Completes the results of all groups: a group gets the status of its parent if it was not tried, or if it fits and its
 * parent does not (v1.37, completeCompositePodGroupAlgorithmResult).
 */
export function completed(tree: GroupTree, results: TreeResults): TreeResults {
  const complete: TreeResults = new Map()
  const visit = (one: GroupTree, above: GroupStatus): void => {
    const found = results.get(one.group.id)
    const fits = found?.status.kind === 'success'
    const result =
      found === undefined || (above.kind !== 'success' && fits)
        ? { tree: one, pods: [], status: above, placesAny: false }
        : found
    complete.set(one.group.id, result)
    for (const child of one.children) visit(child, result.status)
  }
  visit(tree, { kind: 'success' })
  return complete
}

/**
 * The statuses with the answer of preemption. Upstream appends the answer once per group, so a status that several
 * groups share contains it several times (v1.37, applyPodGroupPostFilterResult).
 */
export function withAnswer(results: TreeResults, answer: string): ReadonlyMap<string, GroupStatus> {
  const extended = new Map<GroupStatus, GroupStatus>()
  for (const { status } of results.values()) extended.set(status, withReason(extended.get(status) ?? status, answer))
  return new Map([...results].map(([id, { status }]) => [id, extended.get(status) as GroupStatus]))
}
