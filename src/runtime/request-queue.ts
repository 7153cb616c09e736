import { DeadlineQueue } from '../base/deadline-queue.ts'
import { Fifo } from '../base/fifo.ts'
import { TokenBucket } from '../base/token-bucket.ts'
import type { Action, RequestOrder } from './controller.ts'
import type { RequestLimits } from './request-limits.ts'

/** The requests of one controller that wait for the rate limit of its client, in virtual time. */
export interface RequestQueue {
  /**
   * Adds the actions of a step. Returns the actions to send at `now`, including actions of earlier steps. Events never
   * wait.
   */
  submit(actions: readonly Action[], now: number): readonly Action[]
  /** When the next request is sent. Infinity: no request waits. */
  readonly nextAt: number
}

export function createRequestQueue(limits: RequestLimits, order: RequestOrder = 'by-resource'): RequestQueue {
  return order === 'by-resource' ? new ResourceTurns(limits) : new ArrivalQueue(limits)
}

// The interval of a batch, by the time for which requests have been waiting.
const batchTable: readonly (readonly [waitingMs: number, batchMs: number])[] = [
  [300_000, 1000],
  [60_000, 500],
  [10_000, 250],
]
const shortestBatchMs = 100

/**
 * Requests that wait are sent together at the end of a short interval, because the cost of virtual time is per instant. The
 * interval grows with the time for which requests have been waiting: after minutes, a second makes no difference.
 */
export class RequestBatches {
  private readonly longestMs: number
  private waitingSince: number | undefined

  constructor({ perSecond, burst }: RequestLimits) {
    // In a longer interval more requests would accumulate than the burst allows.
    this.longestMs = (700 * burst) / perSecond
  }

  /** The bucket is full: no request waits. */
  reset(): void {
    this.waitingSince = undefined
  }

  /** The time at which a request is sent that the rate limit allows at `at`. */
  endOf(at: number, now: number): number {
    this.waitingSince ??= now
    const waitingMs = now - this.waitingSince
    const found = batchTable.find(([sinceMs, batchMs]) => waitingMs >= sinceMs && batchMs <= this.longestMs)
    const batchMs = found?.[1] ?? shortestBatchMs
    return Math.ceil(at / batchMs) * batchMs
  }
}

/**
 * First come, first served: a request gets its instant when it is made (client-go flowcontrol over
 * golang.org/x/time/rate). When many pods are due at once, the first request of each pod is sent before any second
 * request.
 */
class ArrivalQueue implements RequestQueue {
  private readonly bucket: TokenBucket
  private readonly batches: RequestBatches | undefined
  private readonly waiting = new DeadlineQueue<Action>()

  constructor(limits: RequestLimits) {
    this.bucket = new TokenBucket(limits)
    this.batches = limits.batched === true ? new RequestBatches(limits) : undefined
  }

  get nextAt(): number {
    return this.waiting.nextAt() ?? Number.POSITIVE_INFINITY
  }

  submit(actions: readonly Action[], now: number): readonly Action[] {
    const sent: Action[] = []
    for (const action of actions) {
      const at = action.kind === 'event' ? now : this.reserve(now)
      if (at <= now) sent.push(action)
      else this.waiting.set(action, at)
    }
    for (const action of this.waiting.popDue(now)) sent.push(action)
    return sent
  }

  private reserve(now: number): number {
    if (this.bucket.refill(now)) this.batches?.reset()
    const waitMs = this.bucket.reserve()
    if (waitMs === 0) return now
    return this.batches?.endOf(now + waitMs, now) ?? now + waitMs
  }
}

const noActions: readonly Action[] = []

/** The resources take turns, each with its own queue. Requests are sent in batches. */
class ResourceTurns implements RequestQueue {
  nextAt = Number.POSITIVE_INFINITY
  private readonly bucket: TokenBucket
  private readonly batches: RequestBatches
  private readonly queues = new Map<string, Fifo<Action>>()
  private waiting = 0

  constructor(limits: RequestLimits) {
    this.bucket = new TokenBucket(limits)
    this.batches = new RequestBatches(limits)
  }

  submit(actions: readonly Action[], now: number): readonly Action[] {
    if (actions.length === 0 && this.waiting === 0) return noActions
    const sent: Action[] = []
    for (const action of actions) {
      if (action.kind === 'event') sent.push(action)
      else this.enqueue(action)
    }
    if (this.waiting > 0) this.send(now, sent)
    this.nextAt = this.waiting === 0 ? Number.POSITIVE_INFINITY : this.nextBatchAt(now)
    return sent
  }

  private enqueue(action: Exclude<Action, { readonly kind: 'event' }>): void {
    const resource = action.kind === 'call' ? action.call.resource : action.resource
    let queue = this.queues.get(resource)
    if (queue === undefined) {
      queue = new Fifo()
      this.queues.set(resource, queue)
    }
    queue.push(action)
    this.waiting++
  }

  private send(now: number, sent: Action[]): void {
    if (this.bucket.refill(now)) this.batches.reset()
    while (this.waiting > 0) {
      for (const queue of this.queues.values()) {
        if (queue.size === 0) continue
        if (!this.bucket.take()) return
        this.waiting--
        sent.push(queue.shift() as Action)
      }
    }
  }

  private nextBatchAt(now: number): number {
    return this.batches.endOf(now + Math.max(1, Math.ceil(this.bucket.waitMs() - 1e-3)), now)
  }
}
