export interface SyncTimes {
  /** The interval between two checks of a node without failures. */
  readonly resyncMs: number
  readonly firstRetryMs: number
  readonly longestRetryMs: number
}

// v1.28, nodeipam: ipamResyncInterval, ipamInitialBackoff, ipamMaxBackoff.
export const upstreamTimes: SyncTimes = { resyncMs: 30_000, firstRetryMs: 250, longestRetryMs: 10_000 }

/** The time at which a node is checked again (v1.28, nodeipam/ipam, Timeout). */
export class SyncTimeout {
  private readonly times: SyncTimes
  private failures = 0
  private waitMs: number

  constructor(times: SyncTimes) {
    this.times = times
    this.waitMs = times.resyncMs
  }

  /** The wait after an attempt. */
  after(ok: boolean): number {
    const { resyncMs, firstRetryMs, longestRetryMs } = this.times
    this.failures = ok ? 0 : this.failures + 1
    if (ok) this.waitMs = resyncMs
    else this.waitMs = this.failures === 1 ? firstRetryMs : Math.min(this.waitMs * 2, longestRetryMs)
    return this.waitMs
  }

  get failed(): number {
    return this.failures
  }
}
