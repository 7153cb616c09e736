import type { Comparator } from '../../base/indexed-heap.ts'
import { IndexedHeap } from '../../base/indexed-heap.ts'
import type { QueuedEntry } from './queued-pod.ts'

export interface BackoffOptions {
  readonly initialBackoffMs: number
  /** 0 disables backoff. */
  readonly maxBackoffMs: number
  /** Aligns expiry to whole seconds, and orders the pods of one second like the active queue. */
  readonly aligned: boolean
  readonly compare: Comparator<QueuedEntry>
}

/** The length of expiry windows. Whole windows are flushed at once (v1.36, backoff_queue.go). */
export const backoffWindowMs = 1_000

/**
 * How long a rejected pod must not be popped early. Upstream retries pods of groups of v1.36 repeatedly without a pause
 * while no other pod waits; the result is the same until something changes.
 */
export type BackoffHold = 'none' | 'untilChange' | 'untilExpiry'

const longPast = Number.NEGATIVE_INFINITY

/**
 * The maximum number of early pops of a pod within one instant. Without a limit, a pod or a group would be retried
 * forever while virtual time stands still, if it preempts pods that their controller re-creates immediately.
 */
const mostEarlyPops = 10

/**
 * Pods in backoff after a failed attempt. Pods that failed with an error are kept separately and never popped early,
 * because retries would add load to an API server that may be failing. Pods that reached the limit of early pops in
 * this instant are kept with them.
 */
export class BackoffQueue {
  private readonly options: BackoffOptions
  private readonly rejected: IndexedHeap<string, QueuedEntry>
  private readonly failed: IndexedHeap<string, QueuedEntry>
  private readonly held = new Map<string, QueuedEntry>()
  /** Early pops by pod, in the instant `earlyAt`. */
  private readonly earlyPops = new Map<string, number>()
  private earlyAt = longPast

  constructor(options: BackoffOptions) {
    this.options = options
    const byExpiry: Comparator<QueuedEntry> = (a, b) => compareInstants(this.expiryOf(a), this.expiryOf(b))
    const byExpiryThenSort: Comparator<QueuedEntry> = (a, b) => byExpiry(a, b) || options.compare(a, b)
    const byExpiryThenOrder: Comparator<QueuedEntry> = (a, b) => byExpiry(a, b) || a.order - b.order
    this.rejected = new IndexedHeap(options.aligned ? byExpiryThenSort : byExpiryThenOrder)
    this.failed = new IndexedHeap(byExpiryThenOrder)
  }

  get size(): number {
    return this.rejected.size + this.failed.size
  }

  /** The number of pods that can be popped early. */
  get poppable(): number {
    return this.rejected.size
  }

  get(key: string): QueuedEntry | undefined {
    return this.rejected.get(key) ?? this.failed.get(key)
  }

  add(pod: QueuedEntry, now: number, hold: BackoffHold = 'none'): void {
    const failed = pod.unschedulablePlugins.length === 0 && pod.pendingPlugins.length === 0
    const isExhausted = this.earlyAt === now && (this.earlyPops.get(pod.key) ?? 0) >= mostEarlyPops
    const isLater = failed || hold !== 'none' || isExhausted
    ;(isLater ? this.failed : this.rejected).push(pod.key, pod)
    if (hold === 'untilChange' && !failed && !isExhausted) this.held.set(pod.key, pod)
  }

  get holdsAny(): boolean {
    return this.held.size > 0
  }

  /** Allows early pops of held pods after a change. */
  releaseHeld(): void {
    if (this.held.size === 0) return
    for (const [key, pod] of this.held) {
      if (this.failed.remove(key) !== undefined) this.rejected.push(key, pod)
    }
    this.held.clear()
  }

  /** Restores the order after a change of the pod. */
  reorder(pod: QueuedEntry): void {
    const heap = this.rejected.has(pod.key) ? this.rejected : this.failed
    heap.update(pod.key, pod)
  }

  remove(key: string): QueuedEntry | undefined {
    this.held.delete(key)
    return this.rejected.remove(key) ?? this.failed.remove(key)
  }

  /** The pod with the earliest expiry, even if it has not expired; never a pod that failed with an error. */
  popEarly(now: number): QueuedEntry | undefined {
    const pod = this.rejected.pop()
    if (pod === undefined) return undefined
    if (this.earlyAt !== now) this.earlyPops.clear()
    this.earlyAt = now
    this.earlyPops.set(pod.key, (this.earlyPops.get(pod.key) ?? 0) + 1)
    return pod
  }

  popCompleted(now: number): QueuedEntry[] {
    const completed: QueuedEntry[] = []
    for (const heap of [this.rejected, this.failed]) {
      for (let first = heap.peek(); first !== undefined && !this.isBackingOff(first, now); first = heap.peek()) {
        heap.pop()
        this.held.delete(first.key)
        completed.push(first)
      }
    }
    return completed
  }

  /** A pod is still in backoff during the window in which its backoff ends. */
  isBackingOff(pod: QueuedEntry, now: number): boolean {
    return this.expiryOf(pod) >= this.align(now)
  }

  /** The expiry of the pod's backoff; negative infinity without backoff. */
  expiryOf(pod: QueuedEntry): number {
    const { maxBackoffMs } = this.options
    const count = pod.errorCount > 0 ? pod.errorCount : pod.unschedulableCount
    if (maxBackoffMs === 0 || count === 0) return longPast
    if (pod.backoffUntil === undefined) pod.backoffUntil = this.align(pod.queuedAt + this.durationOf(count))
    return pod.backoffUntil
  }

  /** The earliest time at which a flush finds a pod. Flushes happen on window boundaries. */
  nextCompletionAt(): number | undefined {
    let next: number | undefined
    for (const heap of [this.rejected, this.failed]) {
      const first = heap.peek()
      if (first === undefined) continue
      const expiry = this.expiryOf(first)
      // Without alignment, the backoff ends strictly after its expiry.
      const at = this.options.aligned ? expiry + backoffWindowMs : expiry + 1
      if (next === undefined || at < next) next = at
    }
    return next
  }

  *pods(): IterableIterator<QueuedEntry> {
    for (const [, pod] of this.rejected) yield pod
    for (const [, pod] of this.failed) yield pod
  }

  /** The pod failed with an error, so it is not popped early. */
  isFailed(key: string): boolean {
    return this.failed.has(key)
  }

  private durationOf(count: number): number {
    const { initialBackoffMs, maxBackoffMs } = this.options
    return Math.min(initialBackoffMs * 2 ** (count - 1), maxBackoffMs)
  }

  private align(ms: number): number {
    return this.options.aligned ? Math.floor(ms / backoffWindowMs) * backoffWindowMs : ms
  }
}

function compareInstants(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0
}
