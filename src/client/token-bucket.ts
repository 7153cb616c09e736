import type { Cancel, Clock } from '../base/clock.ts'

export interface TokenBucketOptions {
  readonly clock: Clock
  readonly perSecond: number
  readonly burst: number
}

const urgencies = ['high', 'normal', 'low'] as const

export type Urgency = (typeof urgencies)[number]

// However much more urgent work there is, one in so many is of the least urgent, so that nothing starves.
const fairShare = 32
// Sums of fractions fall short of the whole by less than this.
const epsilon = 1e-6

/** A client's own rate limit: callers wait for their turn, the urgent ones first, else first come, first served. */
export class TokenBucket {
  private readonly options: TokenBucketOptions
  private readonly waiting: Record<Urgency, (() => void)[]> = { high: [], normal: [], low: [] }
  private tokens: number
  private filledAt: number
  private timer: Cancel | undefined
  private sinceFair = 0
  private closed = false

  constructor(options: TokenBucketOptions) {
    this.options = options
    this.tokens = options.burst
    this.filledAt = options.clock.now()
  }

  /** Undefined: now. */
  take(urgency: Urgency): Promise<void> | undefined {
    if (this.closed) return undefined
    this.refill()
    if (this.timer === undefined && this.tokens >= 1 - epsilon) {
      this.tokens--
      return undefined
    }
    return new Promise((resolve) => {
      this.waiting[urgency].push(resolve)
      this.arm()
    })
  }

  /** Nobody waits any longer. */
  close(): void {
    this.closed = true
    this.timer?.()
    this.timer = undefined
    for (const urgency of urgencies) for (const go of this.waiting[urgency].splice(0)) go()
  }

  private refill(): void {
    const { clock, perSecond, burst } = this.options
    const now = clock.now()
    this.tokens = Math.min(burst, this.tokens + ((now - this.filledAt) / 1000) * perSecond)
    this.filledAt = now
  }

  private arm(): void {
    if (this.timer !== undefined) return
    const { clock, perSecond } = this.options
    const waitMs = Math.max(0, ((1 - this.tokens) / perSecond) * 1000)
    this.timer = clock.at(clock.now() + waitMs, () => {
      this.timer = undefined
      this.refill()
      while (this.tokens >= 1 - epsilon) {
        const go = this.next()
        if (go === undefined) return
        this.tokens--
        go()
      }
      if (urgencies.some((urgency) => this.waiting[urgency].length > 0)) this.arm()
    })
  }

  private next(): (() => void) | undefined {
    const { high, normal, low } = this.waiting
    if (++this.sinceFair < fairShare) return high.shift() ?? normal.shift() ?? low.shift()
    this.sinceFair = 0
    return low.shift() ?? normal.shift() ?? high.shift()
  }
}
