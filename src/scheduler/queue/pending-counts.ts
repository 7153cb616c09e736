import { entityOf, type QueuedEntry, sizeOf } from './queued-pod.ts'

/** The number of pods by place, as in `scheduler_pending_pods`. */
export interface PendingCounts {
  readonly active: number
  readonly backoff: number
  readonly unschedulable: number
  readonly gated: number
  /** Pods of hierarchies in which a group is missing, where groups are entries of the queue. */
  readonly incomplete?: number
}

/** The number of entries by place and kind, as in `scheduler_queued_entities`. */
export type EntryCounts = Readonly<
  Record<'active' | 'backoff' | 'unschedulable' | 'gated', { readonly pod: number; readonly podgroup: number }>
>

export function countEntries(
  active: Iterable<readonly [string, QueuedEntry]>,
  backoff: Iterable<QueuedEntry>,
  pool: Iterable<QueuedEntry>,
): EntryCounts {
  const none = () => ({ pod: 0, podgroup: 0 })
  const counts = { active: none(), backoff: none(), unschedulable: none(), gated: none() }
  const count = (place: keyof EntryCounts, entry: QueuedEntry): void => {
    const entity = entityOf(entry)
    if (entity !== undefined) counts[place][entity]++
  }
  for (const [, entry] of active) count('active', entry)
  for (const entry of backoff) count('backoff', entry)
  for (const entry of pool) count(entry.gatingPlugin === undefined ? 'unschedulable' : 'gated', entry)
  return counts
}

/** Counts the pods of all entries, including the pods of groups. */
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
