import type { ClusterModel } from './cluster.ts'
import { N } from './rows.ts'
import { spanText } from './words.ts'

export interface Growth {
  readonly nodesPerDay: number
  /** The time until the free CIDRs are used. */
  text(free: number): string
}

const dayMs = 86_400_000
/** A shorter period shows no trend. */
const leastMs = 3_600_000

/** The growth rate of the cluster, from the creation times of its nodes; undefined if the period is too short. */
export function growthOf(cluster: ClusterModel, nowMs: number): Growth | undefined {
  let oldest = Number.POSITIVE_INFINITY
  for (const { row } of cluster.nodes.values()) oldest = Math.min(oldest, row[N.createdMs])
  const age = nowMs - oldest
  if (!(age >= leastMs)) return undefined
  // Nodes that were created with the cluster do not count as growth.
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
