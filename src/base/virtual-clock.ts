import { assert } from './assert.ts'
import type { Cancel, Clock } from './clock.ts'
import { DeadlineQueue } from './deadline-queue.ts'

/** A clock that stands still until it is advanced. Callbacks run by time, then in the order of registration. */
export class VirtualClock implements Clock {
  private nowMs: number
  private wallShiftMs = 0
  private nextId = 0
  private readonly deadlines = new DeadlineQueue<number>()
  private readonly callbacks = new Map<number, () => void>()

  constructor(startMs = 0) {
    this.nowMs = startMs
  }

  now(): number {
    return this.nowMs
  }

  /** The same as `now` until the clock of the machine is set. */
  wall(): number {
    return this.nowMs + this.wallShiftMs
  }

  /** Sets the clock of the machine forward or back. Deadlines do not move. */
  setWall(byMs: number): void {
    this.wallShiftMs += byMs
  }

  at(ms: number, fn: () => void): Cancel {
    const id = this.nextId++
    this.deadlines.set(id, ms)
    this.callbacks.set(id, fn)
    return () => {
      this.deadlines.delete(id)
      this.callbacks.delete(id)
    }
  }

  nextDeadline(): number | undefined {
    return this.deadlines.nextAt()
  }

  /**
   * Moves to `ms`, stopping at every deadline on the way; callbacks that are registered for a time up to `ms` run too.
   */
  advanceTo(ms: number): void {
    assert(ms >= this.nowMs, `virtual time cannot go back from ${this.nowMs} to ${ms}`)
    for (let next = this.deadlines.nextAt(); next !== undefined && next <= ms; next = this.deadlines.nextAt()) {
      this.nowMs = Math.max(this.nowMs, next)
      const id = this.deadlines.popOneDue(next) as number
      const fn = this.callbacks.get(id) as () => void
      this.callbacks.delete(id)
      fn()
    }
    this.nowMs = ms
  }
}
