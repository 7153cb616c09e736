export interface RateLimit {
  readonly perSecond: number
  readonly burst: number
}

// Sums of fractions must not miss a whole token because of a rounding error.
const epsilon = 1e-6

/** A token bucket that starts full (golang.org/x/time/rate). It reads no clock: callers pass the time. */
export class TokenBucket {
  private readonly limit: RateLimit
  private tokens: number
  private filledAt = Number.NEGATIVE_INFINITY

  constructor(limit: RateLimit) {
    this.limit = limit
    this.tokens = limit.burst
  }

  /** Adds the tokens of the time since the last call. Returns whether the bucket is full. */
  refill(now: number): boolean {
    const { perSecond, burst } = this.limit
    this.tokens = Math.min(burst, this.tokens + ((now - this.filledAt) * perSecond) / 1000)
    this.filledAt = now
    return this.tokens === burst
  }

  /** Takes a token if there is one. */
  take(): boolean {
    if (this.tokens < 1 - epsilon) return false
    this.tokens--
    return true
  }

  /** Takes a token even if the bucket does not have it yet, and returns the wait until it has. */
  reserve(): number {
    this.tokens--
    return this.tokens >= 0 ? 0 : (-this.tokens * 1000) / this.limit.perSecond
  }

  /** The time until there is a token. */
  waitMs(): number {
    // Waits for a whole token, not for one less epsilon, so that take() succeeds afterwards despite rounding errors.
    return Math.max(0, ((1 - this.tokens) * 1000) / this.limit.perSecond)
  }
}
