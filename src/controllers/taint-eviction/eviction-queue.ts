import type { Call } from '../../api/call.ts'
import { DeadlineQueue } from '../../base/deadline-queue.ts'
import type { Countdown, EvictionCause } from './decide-eviction.ts'

/**
 * The stage of an eviction. `counting`: the countdown runs. `deleting`: requests are under way and cannot be canceled. The others
 * exist only under fixes: `queued` for the rate, `retrying` after failures, `held` by a disruption budget.
 */
export type EvictionStage = 'counting' | 'queued' | 'deleting' | 'retrying' | 'held'

/**
 * The requests of one attempt: the pod is read, marked and deleted; or the eviction API, which respects budgets, evicts
 * it.
 */
export type EvictionRequest =
  | { readonly kind: 'read' | 'delete' | 'evict' }
  | { readonly kind: 'mark'; readonly call: Call }

/** One eviction, from the decision to the deletion. */
export interface PlannedEviction {
  readonly pod: string
  readonly node: string
  /** Absent: the pod is evicted immediately. */
  readonly countdown?: Countdown | undefined
  readonly cause: EvictionCause
  readonly createdAt: number
  /** The time at which the eviction is due. */
  readonly fireAt: number
  stage: EvictionStage
  /** The number of consecutive failed attempts. */
  failures: number
  /** Whether the event that announces the deletion has been recorded. */
  announced: boolean
}

/**
 * The evictions that wait, by pod, and their timers (v1.36, tainteviction TimedWorkerQueue). Each name has one entry.
 * The end of a deletion removes the entry of its name, even a newer entry, so a timer may exist longer than its entry.
 */
export class EvictionQueue {
  private readonly entries = new Map<string, PlannedEviction>()
  private readonly timers = new DeadlineQueue<PlannedEviction>()

  get size(): number {
    return this.entries.size
  }

  get(pod: string): PlannedEviction | undefined {
    return this.entries.get(pod)
  }

  add(eviction: PlannedEviction): void {
    this.entries.set(eviction.pod, eviction)
  }

  wakeAt(eviction: PlannedEviction, at: number): void {
    this.timers.set(eviction, at)
  }

  /** Cancels an eviction; a deletion in progress continues. Returns whether a countdown was canceled. */
  cancel(pod: string): boolean {
    const eviction = this.entries.get(pod)
    if (eviction === undefined) return false
    this.entries.delete(pod)
    if (eviction.stage !== 'deleting') {
      this.timers.delete(eviction)
      return true
    }
    return eviction.countdown !== undefined
  }

  finish(eviction: PlannedEviction): void {
    this.timers.delete(eviction)
    this.entries.delete(eviction.pod)
  }

  due(now: number): readonly PlannedEviction[] {
    return this.timers.popDue(now)
  }

  nextAt(): number | undefined {
    return this.timers.nextAt()
  }

  timerOf(eviction: PlannedEviction): number | undefined {
    return this.timers.get(eviction)
  }

  list(): readonly PlannedEviction[] {
    return [...this.entries.values()]
  }
}
