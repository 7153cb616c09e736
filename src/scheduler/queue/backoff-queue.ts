import type { Comparator } from '../../base/indexed-heap.ts'
import { IndexedHeap } from '../../base/indexed-heap.ts'
import type { QueuedPod } from './queued-pod.ts'

export interface BackoffOptions {
  readonly initialBackoffMs: number
  /** 0 turns backoff off. */
  readonly maxBackoffMs: number
  /** Align expiry to whole seconds and order the pods of one second as the active queue would. */
  readonly aligned: boolean
  readonly compare: Comparator<QueuedPod>
}

/** Expiry is counted in windows of this length, and whole windows are flushed at once (v1.36, backoff_queue.go). */
export const backoffWindowMs = 1_000

const longPast = Number.NEGATIVE_INFINITY

/**
 * Pods that wait out the price of a wasted cycle. Pods that failed with an error wait apart: an early retry would
 * burden an API server that is already in trouble, so they are never popped before their time.
 */
export class BackoffQueue {
  private readonly options: BackoffOptions
  private readonly rejected: IndexedHeap<string, QueuedPod>
  private readonly failed: IndexedHeap<string, QueuedPod>

  constructor(options: BackoffOptions) {
    this.options = options
    const byExpiry: Comparator<QueuedPod> = (a, b) => compareInstants(this.expiryOf(a), this.expiryOf(b))
    const byExpiryThenSort: Comparator<QueuedPod> = (a, b) => byExpiry(a, b) || options.compare(a, b)
    const byExpiryThenOrder: Comparator<QueuedPod> = (a, b) => byExpiry(a, b) || a.order - b.order
    this.rejected = new IndexedHeap(options.aligned ? byExpiryThenSort : byExpiryThenOrder)
    this.failed = new IndexedHeap(byExpiryThenOrder)
  }

  get size(): number {
    return this.rejected.size + this.failed.size
  }

  /** Pods that may be popped before their time. */
  get poppable(): number {
    return this.rejected.size
  }

  get(key: string): QueuedPod | undefined {
    return this.rejected.get(key) ?? this.failed.get(key)
  }

  add(pod: QueuedPod): void {
    const failed = pod.unschedulablePlugins.length === 0 && pod.pendingPlugins.length === 0
    ;(failed ? this.failed : this.rejected).push(pod.key, pod)
  }

  /** Restores the order after a change of the pod. */
  reorder(pod: QueuedPod): void {
    const heap = this.rejected.has(pod.key) ? this.rejected : this.failed
    heap.update(pod.key, pod)
  }

  remove(key: string): QueuedPod | undefined {
    return this.rejected.remove(key) ?? this.failed.remove(key)
  }

  /** The pod whose backoff ends first, whether or not it has ended; never one that failed with an error. */
  popEarly(): QueuedPod | undefined {
    return this.rejected.pop()
  }

  popCompleted(now: number): QueuedPod[] {
    const completed: QueuedPod[] = []
    for (const heap of [this.rejected, this.failed]) {
      for (let first = heap.peek(); first !== undefined && !this.isBackingOff(first, now); first = heap.peek()) {
        heap.pop()
        completed.push(first)
      }
    }
    return completed
  }

  /** In the window in which its backoff ends a pod still counts as backing off. */
  isBackingOff(pod: QueuedPod, now: number): boolean {
    return this.expiryOf(pod) >= this.align(now)
  }

  /** When the pod's backoff ends; long past when it has none. */
  expiryOf(pod: QueuedPod): number {
    const { maxBackoffMs } = this.options
    const count = pod.errorCount > 0 ? pod.errorCount : pod.unschedulableCount
    if (maxBackoffMs === 0 || count === 0) return longPast
    if (pod.backoffUntil === undefined) pod.backoffUntil = this.align(pod.queuedAt + this.durationOf(count))
    return pod.backoffUntil
  }

  /** The first instant at which a flush would find a pod, given that flushes happen on window boundaries. */
  nextCompletionAt(): number | undefined {
    let next: number | undefined
    for (const heap of [this.rejected, this.failed]) {
      const first = heap.peek()
      if (first === undefined) continue
      const expiry = this.expiryOf(first)
      // Unaligned, the backoff has ended once its end is strictly past.
      const at = this.options.aligned ? expiry + backoffWindowMs : expiry + 1
      if (next === undefined || at < next) next = at
    }
    return next
  }

  *pods(): IterableIterator<QueuedPod> {
    for (const [, pod] of this.rejected) yield pod
    for (const [, pod] of this.failed) yield pod
  }

  /** It failed with an error, so it will not be popped early. */
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
