import type { ClusterModel } from './cluster.ts'
import { N } from './rows.ts'
import { spanText } from './words.ts'

export interface Growth {
  readonly nodesPerDay: number
  /** How long the free CIDRs last. */
  text(free: number): string
}

const dayMs = 86_400_000
/** Less time than this says nothing about a trend. */
const leastMs = 3_600_000

/** How fast the cluster grew, from when its nodes were created; undefined where that says nothing. */
export function growthOf(cluster: ClusterModel, nowMs: number): Growth | undefined {
  let oldest = Number.POSITIVE_INFINITY
  for (const { row } of cluster.nodes.values()) oldest = Math.min(oldest, row[N.createdMs])
  const age = nowMs - oldest
  if (!(age >= leastMs)) return undefined
  // Those that came at the very beginning are not growth.
  let later = 0
  for (const { row } of cluster.nodes.values()) if (row[N.createdMs] - oldest > age / 10) later++
  const nodesPerDay = later / (age / dayMs)
  return {
    nodesPerDay,
    text: (free) =>
      nodesPerDay === 0
        ? 'the cluster does not grow'
        : `at ${Math.round(nodesPerDay * 10) / 10} nodes per day they last ${spanText((free / nodesPerDay) * dayMs)}`,
  }
}
