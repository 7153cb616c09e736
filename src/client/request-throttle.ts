import type { Cancel, Clock } from '../base/clock.ts'
import { type RateLimit, TokenBucket } from '../base/token-bucket.ts'

export interface RequestThrottleOptions extends RateLimit {
  readonly clock: Clock
}

const urgencies = ['high', 'normal', 'low'] as const

export type Urgency = (typeof urgencies)[number]

// One of this number of requests is taken from the lowest waiting urgency, so that no urgency starves.
const fairShare = 32

/** The rate limit of a client. Callers wait for their turn: urgent ones first, otherwise in order of arrival. */
export class RequestThrottle {
  private readonly clock: Clock
  private readonly bucket: TokenBucket
  private readonly waiting: Record<Urgency, (() => void)[]> = { high: [], normal: [], low: [] }
  private timer: Cancel | undefined
  private sinceFair = 0
  private closed = false

  constructor({ clock, perSecond, burst }: RequestThrottleOptions) {
    this.clock = clock
    this.bucket = new TokenBucket({ perSecond, burst })
  }

  /** Undefined: the request may be sent now. */
  take(urgency: Urgency): Promise<void> | undefined {
    if (this.closed) return undefined
    this.bucket.refill(this.clock.now())
    if (this.timer === undefined && this.bucket.take()) return undefined
    return new Promise((resolve) => {
      this.waiting[urgency].push(resolve)
      this.arm()
    })
  }

  /** Ends all waits. */
  close(): void {
    this.closed = true
    this.timer?.()
    this.timer = undefined
    for (const urgency of urgencies) for (const go of this.waiting[urgency].splice(0)) go()
  }

  private arm(): void {
    if (this.timer !== undefined) return
    this.timer = this.clock.at(this.clock.now() + this.bucket.waitMs(), () => {
      this.timer = undefined
      this.bucket.refill(this.clock.now())
      while (this.hasWaiting() && this.bucket.take()) this.next()?.()
      if (this.hasWaiting()) this.arm()
    })
  }

  private hasWaiting(): boolean {
    return urgencies.some((urgency) => this.waiting[urgency].length > 0)
  }

  private next(): (() => void) | undefined {
    const { high, normal, low } = this.waiting
    if (++this.sinceFair < fairShare) return high.shift() ?? normal.shift() ?? low.shift()
    this.sinceFair = 0
    return low.shift() ?? normal.shift() ?? high.shift()
  }
}
