import type { Cancel, Clock } from './clock.ts'

// setTimeout keeps its delay in a signed 32-bit integer; a longer one fires immediately.
const maxTimeoutMs = 2 ** 31 - 1

/** The clocks of a machine. */
export interface TimeSource {
  /** Milliseconds since the epoch, by a clock that can be set. */
  wall(): number
  /** Milliseconds since an arbitrary time, by a clock that cannot be set. */
  monotonic(): number
}

const machine: TimeSource = { wall: () => Date.now(), monotonic: () => performance.now() }

/**
 * A port: the clock of the machine. `now` starts with the wall clock's time and continues with the monotonic clock, as
 * Go's time.Now does for durations: it stops while the machine is suspended.
 */
export class RealClock implements Clock {
  private readonly source: TimeSource
  private readonly originMs: number

  constructor(source: TimeSource = machine) {
    this.source = source
    this.originMs = source.wall() - source.monotonic()
  }

  now(): number {
    return Math.floor(this.originMs + this.source.monotonic())
  }

  wall(): number {
    return this.source.wall()
  }

  at(ms: number, fn: () => void): Cancel {
    if (ms <= this.now()) return soon(fn)
    let timer: ReturnType<typeof setTimeout>
    const arm = (): void => {
      const leftMs = Math.ceil(ms - this.now())
      // A timer may fire a fraction of a millisecond early, so the time is checked again.
      timer = setTimeout(() => (this.now() < ms ? arm() : fn()), Math.min(Math.max(leftMs, 0), maxTimeoutMs))
    }
    arm()
    return () => clearTimeout(timer)
  }
}

/** After pending timers and sockets; setTimeout would also wait for an idle millisecond. */
function soon(fn: () => void): Cancel {
  const immediate = setImmediate(fn)
  return () => clearImmediate(immediate)
}
