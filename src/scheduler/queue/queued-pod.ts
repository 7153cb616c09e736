import type { Pod } from '../../api/objects/pod.ts'
import type { ParsedPod } from '../contract/contract.ts'

export type QueuePlace = 'active' | 'backoff' | 'unschedulable' | 'inFlight'

/**
 * A pending pod and what the queue knows about it. The queue owns it: everybody else reads.
 * Invariant: a pod is in exactly one of active, backoff, unschedulable and in flight.
 */
export interface QueuedPod {
  readonly key: string
  readonly uid: string
  readonly profile: string
  parsed: ParsedPod
  place: QueuePlace
  /** When it came to its present place, and what brought it there. */
  placedAt: number
  placedBy: string
  /** When it was last put into the queue, by its creation or by a failed attempt: the second sort key. */
  queuedAt: number
  /** Breaks ties of `queuedAt`, which virtual time makes common: first come, first served. */
  order: number
  attempts: number
  firstAttemptAt: number | undefined
  /** Attempts that ended with a rejection. They set the length of the backoff. */
  unschedulableCount: number
  /** Attempts since the last rejection that ended with an error. While there are any they set the backoff instead. */
  errorCount: number
  /** When the backoff ends; computed when first asked after an attempt. */
  backoffUntil: number | undefined
  unschedulablePlugins: readonly string[]
  /** Plugins that wait for something outside: their wake-up skips the backoff. */
  pendingPlugins: readonly string[]
  /** The PreEnqueue plugin that keeps it out of the queue. */
  gatingPlugin: string | undefined
  /** When it was last moved because it had been unschedulable for too long. */
  flushedAt: number | undefined
  /** It was flushed since its last attempt. */
  wasFlushed: boolean
  /** A mark that keeps a pod from being looked at twice for one event. */
  seen: number
}

/** A pod that has not been tried yet. */
export function createQueuedPod(parsed: ParsedPod, now: number, order: number): QueuedPod {
  return {
    key: parsed.key,
    uid: uidOf(parsed.pod),
    profile: parsed.pod.spec.schedulerName ?? '',
    parsed,
    place: 'active',
    placedAt: now,
    placedBy: '',
    queuedAt: now,
    order,
    attempts: 0,
    firstAttemptAt: undefined,
    unschedulableCount: 0,
    errorCount: 0,
    backoffUntil: undefined,
    unschedulablePlugins: [],
    pendingPlugins: [],
    gatingPlugin: undefined,
    flushedAt: undefined,
    wasFlushed: false,
    seen: 0,
  }
}

export function rejectorsOf(pod: QueuedPod): readonly string[] {
  if (pod.pendingPlugins.length === 0) return pod.unschedulablePlugins
  return [...new Set([...pod.unschedulablePlugins, ...pod.pendingPlugins])]
}

/** The order of the active queue: priority, then the time of the last queueing (v1.36, queuesort.PrioritySort). */
export function byPriority(a: QueuedPod, b: QueuedPod): number {
  return b.parsed.priority - a.parsed.priority || a.queuedAt - b.queuedAt || a.order - b.order
}

/** An order made from a QueueSort plugin, with ties first come, first served. */
export function byQueueSort(before: (a: QueuedPod, b: QueuedPod) => boolean): (a: QueuedPod, b: QueuedPod) => number {
  return (a, b) => (before(a, b) ? -1 : before(b, a) ? 1 : a.order - b.order)
}

export function keyOf(pod: Pod): string {
  return `${pod.metadata.namespace ?? ''}/${pod.metadata.name}`
}

export function uidOf(pod: Pod): string {
  return pod.metadata.uid ?? keyOf(pod)
}
