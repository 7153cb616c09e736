import type { Clock } from '../base/clock.ts'

export interface TokenBucketOptions {
  readonly clock: Clock
  readonly perSecond: number
  readonly burst: number
}

/** A client's own rate limit: callers wait for their turn, first come, first served. */
export class TokenBucket {
  private readonly options: TokenBucketOptions
  private tokens: number
  private filledAt: number

  constructor(options: TokenBucketOptions) {
    this.options = options
    this.tokens = options.burst
    this.filledAt = options.clock.now()
  }

  /** Resolves at once while there are tokens. Debt is allowed, so that every waiting caller has an instant of its own. */
  take(): Promise<void> | undefined {
    const { clock, perSecond, burst } = this.options
    const now = clock.now()
    this.tokens = Math.min(burst, this.tokens + ((now - this.filledAt) / 1000) * perSecond)
    this.filledAt = now
    this.tokens--
    if (this.tokens >= 0) return undefined
    const waitMs = (-this.tokens / perSecond) * 1000
    return new Promise((resolve) => {
      clock.at(now + waitMs, resolve)
    })
  }
}
