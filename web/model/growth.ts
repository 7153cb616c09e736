import type { Cluster } from './cluster.ts'
import { N } from './rows.ts'
import { spanText } from './words.ts'

export interface Growth {
  readonly nodesPerDay: number
  /** How long the free CIDRs last. */
  text(free: number): string
}

const DAY_MS = 86_400_000
/** Less time than this says nothing about a trend. */
const LEAST_MS = 3_600_000

/** How fast the cluster grew, from when its nodes were created; undefined where that says nothing. */
export function growthOf(cluster: Cluster, nowMs: number): Growth | undefined {
  let oldest = Number.POSITIVE_INFINITY
  for (const { row } of cluster.nodes.values()) oldest = Math.min(oldest, row[N.createdMs])
  const age = nowMs - oldest
  if (!(age >= LEAST_MS)) return undefined
  // Those that came at the very beginning are not growth.
  let later = 0
  for (const { row } of cluster.nodes.values()) if (row[N.createdMs] - oldest > age / 10) later++
  const nodesPerDay = later / (age / DAY_MS)
  return {
    nodesPerDay,
    text: (free) =>
      nodesPerDay === 0
        ? 'the cluster does not grow'
        : `at ${Math.round(nodesPerDay * 10) / 10} nodes per day they last ${spanText((free / nodesPerDay) * DAY_MS)}`,
  }
}
