import type { Pod } from '../../api/objects/pod.ts'
import type { ParsedPod } from '../contract/contract.ts'

export type QueuePlace = 'active' | 'backoff' | 'unschedulable' | 'inFlight'

/**
 * A pending pod with its queue state. Only the queue modifies it. Invariant: a pod is in exactly one of active,
 * backoff, unschedulable and in flight.
 */
export interface QueuedPod {
  readonly key: string
  readonly uid: string
  readonly profile: string
  parsed: ParsedPod
  place: QueuePlace
  /** When it was moved to its current place, and by which event. */
  placedAt: number
  placedBy: string
  /** When it was last added to the queue, by its creation or a failed attempt: the second sort key. */
  queuedAt: number
  /** The order of pods with equal `queuedAt`, which is common in virtual time. */
  order: number
  attempts: number
  firstAttemptAt: number | undefined
  /** The order of pods with equal `firstAttemptAt`. */
  firstAttemptOrder: number
  /** The number of rejected attempts, which determines the backoff. */
  unschedulableCount: number
  /** The number of failed attempts since the last rejection. If it is not zero, it determines the backoff instead. */
  errorCount: number
  /** The end of the backoff, computed on first use after an attempt. */
  backoffUntil: number | undefined
  unschedulablePlugins: readonly string[]
  /** Plugins that wait for an external event. Their wake-up skips the backoff. */
  pendingPlugins: readonly string[]
  /** The PreEnqueue plugin that gates the pod. */
  gatingPlugin: string | undefined
  /** When it was last flushed because it was unschedulable for too long. */
  flushedAt: number | undefined
  /** The pod was flushed since its last attempt. */
  wasFlushed: boolean
  /** What the pod waits for in the pool, by plugin and name. */
  awaited: readonly string[]
  /** A mark that prevents a second evaluation for the same event. */
  seen: number
}

/** Creates the state of a new pod. */
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
    firstAttemptOrder: 0,
    unschedulableCount: 0,
    errorCount: 0,
    backoffUntil: undefined,
    unschedulablePlugins: [],
    pendingPlugins: [],
    gatingPlugin: undefined,
    flushedAt: undefined,
    wasFlushed: false,
    awaited: [],
    seen: 0,
  }
}

export function rejectorsOf(pod: QueuedPod): readonly string[] {
  if (pod.pendingPlugins.length === 0) return pod.unschedulablePlugins
  return [...new Set([...pod.unschedulablePlugins, ...pod.pendingPlugins])]
}

/** The order of the active queue: priority, then queue time (v1.36, queuesort.PrioritySort). */
export function byPriority(a: QueuedPod, b: QueuedPod): number {
  return b.parsed.priority - a.parsed.priority || a.queuedAt - b.queuedAt || a.order - b.order
}

/** The order of a QueueSort plugin, with ties in order of arrival. */
export function byQueueSort(before: (a: QueuedPod, b: QueuedPod) => boolean): (a: QueuedPod, b: QueuedPod) => number {
  return (a, b) => (before(a, b) ? -1 : before(b, a) ? 1 : a.order - b.order)
}

export function keyOf(pod: Pod): string {
  return `${pod.metadata.namespace ?? ''}/${pod.metadata.name}`
}

export function uidOf(pod: Pod): string {
  return pod.metadata.uid ?? keyOf(pod)
}
