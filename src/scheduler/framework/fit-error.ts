import { messageOf, type PluginStatus } from '../contract/status.ts'

export interface FitErrorInput {
  readonly totalNodes: number
  /** The status of a PreFilter plugin that rejected the pod for all nodes. */
  readonly preFilter?: PluginStatus
  /** The statuses of evaluated nodes, with the number of nodes. */
  readonly counted: Iterable<{ readonly status: PluginStatus; readonly nodes: number }>
  /** The status of nodes that were not evaluated. */
  readonly absent?: PluginStatus
  readonly postFilterMessage?: string
}

export const noNodesMessage = 'no nodes available to schedule pods'

/** The FailedScheduling message (v1.36, pkg/scheduler/framework, FitError.Error). */
export function fitErrorMessage(input: FitErrorInput): string {
  let message = `0/${input.totalNodes} nodes are available:`
  const preFilterMessage = input.preFilter === undefined ? '' : messageOf(input.preFilter)
  if (preFilterMessage !== '') message += ` ${preFilterMessage}.`
  else {
    const reasons = reasonHistogram(input)
    if (reasons !== '') message += ` ${reasons}.`
  }
  if (input.postFilterMessage !== undefined && input.postFilterMessage !== '') message += ` ${input.postFilterMessage}`
  return message
}

function reasonHistogram(input: FitErrorInput): string {
  const counts = new Map<string, number>()
  let counted = 0
  for (const { status, nodes } of input.counted) {
    counted += nodes
    for (const reason of status.reasons) counts.set(reason, (counts.get(reason) ?? 0) + nodes)
  }
  const absent = input.totalNodes - counted
  if (absent > 0) {
    for (const reason of input.absent?.reasons ?? []) counts.set(reason, (counts.get(reason) ?? 0) + absent)
  }
  // Sorted as text including the numbers, as upstream: "10 x" comes before "2 x".
  return [...counts]
    .map(([reason, n]) => `${n} ${reason}`)
    .sort(byCodeUnits)
    .join(', ')
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
