import type { RandomStream } from '../base/random.ts'

export interface BackoffLimits {
  readonly firstMs: number
  readonly maxMs: number
  /** After this time without a failure, the delay starts again at `firstMs`. */
  readonly resetMs: number
  /** The delay is multiplied by a random factor between 1 and 1 + jitter. */
  readonly jitter: number
}

/** Exponential backoff with jitter. */
export class Backoff {
  private readonly limits: BackoffLimits
  private readonly random: RandomStream
  private failures = 0
  private lastAt = Number.NEGATIVE_INFINITY

  constructor(limits: BackoffLimits, random: RandomStream) {
    this.limits = limits
    this.random = random
  }

  nextDelayMs(now: number): number {
    const { firstMs, maxMs, resetMs, jitter } = this.limits
    if (now - this.lastAt > resetMs) this.failures = 0
    this.lastAt = now
    const waitMs = Math.min(firstMs * 2 ** this.failures, maxMs)
    this.failures++
    return waitMs * (1 + jitter * this.random.next())
  }
}
