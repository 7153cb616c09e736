export interface RateLimit {
  readonly perSecond: number
  readonly burst: number
}

// Sums of fractions must not fall short of a whole token by a rounding error.
const EPSILON = 1e-6

/** A token bucket that starts full (golang.org/x/time/rate). It reads no clock: callers pass the time. */
export class TokenBucket {
  private readonly limit: RateLimit
  private tokens: number
  private filledAt = Number.NEGATIVE_INFINITY

  constructor(limit: RateLimit) {
    this.limit = limit
    this.tokens = limit.burst
  }

  /** Adds the tokens of the time since the last call. True: the bucket is full. */
  refill(now: number): boolean {
    const { perSecond, burst } = this.limit
    this.tokens = Math.min(burst, this.tokens + ((now - this.filledAt) * perSecond) / 1000)
    this.filledAt = now
    return this.tokens === burst
  }

  /** Takes a token if there is one. */
  take(): boolean {
    if (this.tokens < 1 - EPSILON) return false
    this.tokens--
    return true
  }

  /** Takes a token in any case, also one that the bucket does not have yet. The result is the wait until it has it. */
  reserve(): number {
    this.tokens--
    return this.tokens >= 0 ? 0 : (-this.tokens * 1000) / this.limit.perSecond
  }

  /** How long it takes until there is a token. */
  waitMs(): number {
    // A whole token, not one less EPSILON: after this wait take() succeeds in spite of rounding errors.
    return Math.max(0, ((1 - this.tokens) * 1000) / this.limit.perSecond)
  }
}
