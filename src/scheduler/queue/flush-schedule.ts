import { backoffWindowMs } from './backoff-queue.ts'
import { lastTick, nextTick } from './ticks.ts'

/** The interval of flushes of the unschedulable pool (v1.36, PriorityQueue.Run). */
const poolFlushIntervalMs = 30_000

/**
 * The times at which upstream's background loops would flush backoff and the unschedulable pool. Both are evaluated at
 * the last tick of the loop, so the result does not depend on the time of the call.
 */
export class FlushSchedule {
  /** Backoff windows start at whole seconds. Otherwise flushes are relative to the start. */
  private readonly aligned: boolean
  private startedAt: number | undefined
  private backoffTick = 0
  private poolTick = 0

  constructor(aligned: boolean) {
    this.aligned = aligned
  }

  /** The ticks since the last call; undefined for a loop without a new tick. */
  advance(now: number): { readonly backoff: number | undefined; readonly pool: number | undefined } {
    if (this.startedAt === undefined) {
      this.startedAt = now
      this.backoffTick = lastTick(now, this.backoffPhase, backoffWindowMs)
      this.poolTick = now
    }
    const backoff = lastTick(now, this.backoffPhase, backoffWindowMs)
    const pool = lastTick(now, this.startedAt, poolFlushIntervalMs)
    const isNew = { backoff: backoff > this.backoffTick, pool: pool > this.poolTick }
    if (isNew.backoff) this.backoffTick = backoff
    if (isNew.pool) this.poolTick = pool
    return { backoff: isNew.backoff ? backoff : undefined, pool: isNew.pool ? pool : undefined }
  }

  /** The next tick that ends a backoff which completes at `completion`. */
  nextBackoffTick(completion: number): number {
    return nextTick(Math.max(completion, this.backoffTick + 1), this.backoffPhase, backoffWindowMs)
  }

  /** The next tick that flushes a pod which is due at `due`. */
  nextPoolTick(due: number, now: number): number {
    return nextTick(Math.max(due, this.poolTick + 1), this.startedAt ?? now, poolFlushIntervalMs)
  }

  /** The tick that flushes a pod which is due at `due`, even if it is in the past. */
  poolTickAt(due: number, since: number): number {
    return nextTick(due, this.startedAt ?? since, poolFlushIntervalMs)
  }

  private get backoffPhase(): number {
    return this.aligned ? 0 : (this.startedAt ?? 0)
  }
}
