import { DeadlineQueue } from '../base/deadline-queue.ts'
import { Fifo } from '../base/fifo.ts'
import type { QueueMeter } from './queue-metrics.ts'

/** How long a failed key waits before its next attempt. */
export interface RetryLimiter {
  /** Counts one more failure of the key. */
  delayMs(key: string, now: number): number
  /** The key succeeded or is abandoned: resets its failures. */
  forget(key: string): void
  failures(key: string): number
}

export interface RetryLimits {
  readonly baseMs?: number
  readonly maxMs?: number
  readonly perSecond?: number
  readonly burst?: number
}

/**
 * The maximum of an exponential delay per key and a token bucket over all keys, with upstream's defaults (v1.36,
 * client-go util/workqueue, DefaultTypedControllerRateLimiter).
 */
export function createRetryLimiter(limits: RetryLimits = {}): RetryLimiter {
  const { baseMs = 5, maxMs = 1_000_000, perSecond = 10, burst = 100 } = limits
  const failures = new Map<string, number>()
  let tokens = burst
  let filledAt = Number.NEGATIVE_INFINITY
  const bucketDelayMs = (now: number): number => {
    if (now > filledAt) {
      tokens = Math.min(burst, tokens + ((now - filledAt) * perSecond) / 1000)
      filledAt = now
    }
    // The token is reserved: the next key waits behind this one.
    tokens -= 1
    return tokens >= 0 ? 0 : (-tokens * 1000) / perSecond
  }
  return {
    delayMs(key, now) {
      const before = failures.get(key) ?? 0
      failures.set(key, before + 1)
      return Math.max(Math.min(baseMs * 2 ** before, maxMs), bucketDelayMs(now))
    },
    forget(key) {
      if (failures.size > 0) failures.delete(key)
    },
    failures: (key) => failures.get(key) ?? 0,
  }
}

/** `again`: added while being processed. */
type KeyState = 'ready' | 'processing' | 'again'

/**
 * Kubernetes' work queue without threads or timers. A key is in the queue at most once. A key that is being processed
 * is not returned again until it is done, and then again if it was added in the meantime.
 */
export class WorkQueue {
  private readonly limiter: RetryLimiter
  private readonly states = new Map<string, KeyState>()
  private readonly ready = new Fifo<string>()
  private processing = 0
  private readonly delayed = new DeadlineQueue<string>()
  private meter: QueueMeter | undefined
  /** Used for metrics only. */
  now = 0

  constructor(limiter: RetryLimiter = createRetryLimiter()) {
    this.limiter = limiter
  }

  /** Enables the metrics. */
  measure(meter: QueueMeter): void {
    this.meter = meter
  }

  /** Keys that can be taken now. */
  get size(): number {
    return this.ready.size
  }

  get inProcess(): number {
    return this.processing
  }

  add(key: string): void {
    const state = this.states.get(key)
    if (state === undefined) this.enqueue(key)
    else if (state === 'processing') this.states.set(key, 'again')
  }

  /** Adds the key when `advance` reaches that time; of several times for one key, the earliest applies. */
  addAt(key: string, atMs: number): void {
    const set = this.delayed.get(key)
    if (set === undefined || atMs < set) this.delayed.set(key, atMs)
  }

  /** Adds the key after its backoff delay. */
  addRateLimited(key: string, now: number): void {
    this.meter?.retried()
    this.addAt(key, now + this.limiter.delayMs(key, now))
  }

  forget(key: string): void {
    this.limiter.forget(key)
  }

  failures(key: string): number {
    return this.limiter.failures(key)
  }

  /** Moves the delayed keys that are due into the queue. */
  advance(now: number): void {
    this.now = now
    if ((this.delayed.nextAt() ?? Number.POSITIVE_INFINITY) > now) return
    for (const key of this.delayed.popDue(now)) this.add(key)
  }

  /** The time of the first delayed key. */
  nextAt(): number | undefined {
    return this.delayed.nextAt()
  }

  /** Returns the key that has waited longest, and marks it as being processed. */
  take(): string | undefined {
    const key = this.ready.shift()
    if (key === undefined) return undefined
    this.states.set(key, 'processing')
    this.processing++
    this.meter?.taken(key, this.now)
    return key
  }

  done(key: string): void {
    const state = this.states.get(key)
    if (state !== 'processing' && state !== 'again') return
    this.processing--
    this.meter?.done(key, this.now)
    if (state === 'again') this.enqueue(key)
    else this.states.delete(key)
  }

  private enqueue(key: string): void {
    this.states.set(key, 'ready')
    this.ready.push(key)
    this.meter?.added(key, this.now)
  }

  /** The delayed keys, for inspection. */
  *delays(): IterableIterator<readonly [string, number]> {
    yield* this.delayed.entries()
  }
}
