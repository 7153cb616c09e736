/**
 * The rate limit for tainting the nodes of one zone: a token bucket that holds one token, so its state is the instant of the next
 * token (v1.36, client-go flowcontrol and nodelifecycle/scheduler RateLimitedTimedQueue).
 */
export class TaintLimiter {
  private rate: number
  private stopped = false
  private nextTokenAt = Number.NEGATIVE_INFINITY

  constructor(perSecond: number) {
    this.rate = perSecond
  }

  get perSecond(): number {
    return this.stopped ? 0 : this.rate
  }

  /** The time at which the next token is available; undefined: never. */
  get nextAt(): number | undefined {
    return this.stopped || this.nextTokenAt === Number.POSITIVE_INFINITY ? undefined : this.nextTokenAt
  }

  tryAccept(now: number): boolean {
    if (this.stopped || now < this.nextTokenAt) return false
    this.nextTokenAt = now + 1000 / this.rate
    return true
  }

  /**
   * Changes the rate. The new bucket starts full only if the old one had a token, so after a stop, evictions resume
   * only after the interval of one node.
   */
  swap(perSecond: number, now: number): void {
    // Upstream's limiter that never accepts reports a rate of 1, so a stopped zone cannot be set to a rate of exactly 1.
    const reported = this.stopped ? 1 : this.rate
    if (reported === perSecond) return
    if (perSecond <= 0) {
      this.stopped = true
      return
    }
    const hadToken = !this.stopped && now >= this.nextTokenAt
    this.stopped = false
    this.rate = perSecond
    this.nextTokenAt = hadToken ? Number.NEGATIVE_INFINITY : now + 1000 / perSecond
  }
}
