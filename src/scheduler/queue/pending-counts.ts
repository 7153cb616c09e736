import { type QueuedEntry, sizeOf } from './queued-pod.ts'

/** The number of pods by place, as in `scheduler_pending_pods`. */
export interface PendingCounts {
  readonly active: number
  readonly backoff: number
  readonly unschedulable: number
  readonly gated: number
  /** Pods of hierarchies in which a group is missing, where groups are entries of the queue. */
  readonly incomplete?: number
}

/** Counts the pods of entries, of which some are groups. */
export function countPending(
  active: Iterable<readonly [string, QueuedEntry]>,
  backoff: Iterable<QueuedEntry>,
  pool: Iterable<QueuedEntry>,
  incomplete: Iterable<unknown>,
): PendingCounts {
  const counts = { active: 0, backoff: 0, unschedulable: 0, gated: 0, incomplete: [...incomplete].length }
  for (const [, entry] of active) counts.active += sizeOf(entry)
  for (const entry of backoff) counts.backoff += sizeOf(entry)
  for (const entry of pool) counts[entry.gatingPlugin === undefined ? 'unschedulable' : 'gated'] += sizeOf(entry)
  return counts
}
