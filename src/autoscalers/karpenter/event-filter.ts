import { lookupTable } from '../../base/lookup-table.ts'
import { TokenBucket } from '../../base/token-bucket.ts'

// v1.14, pkg/events: an event about the same subject is not published again for this time.
const minuteMs = 60_000
const usualMs = 2 * minuteMs
const timeouts = lookupTable<number>({
  FailedScheduling: 5 * minuteMs,
  Unconsolidatable: 15 * minuteMs,
  NodeRepairBlocked: 15 * minuteMs,
})
const nominationsPerSecond = 5
const nominationBurst = 10
const sweepMs = minuteMs

/** Decides which events are published. */
export class EventFilter {
  private readonly until = new Map<string, number>()
  private readonly nominations = new TokenBucket({ perSecond: nominationsPerSecond, burst: nominationBurst })
  private sweptAt = Number.NEGATIVE_INFINITY

  /** `about`: the subject of the event. The message is not part of it. */
  admits(reason: string, about: string, now: number): boolean {
    const key = `${reason} ${about}`
    if ((this.until.get(key) ?? now) > now) return false
    this.sweep(now)
    this.until.set(key, now + (timeouts[reason] ?? usualMs))
    if (reason !== 'Nominated') return true
    this.nominations.refill(now)
    return this.nominations.take()
  }

  private sweep(now: number): void {
    if (now - this.sweptAt < sweepMs) return
    this.sweptAt = now
    for (const [key, at] of this.until) if (at <= now) this.until.delete(key)
  }
}
