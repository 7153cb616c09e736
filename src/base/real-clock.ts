import type { Cancel, Clock } from './clock.ts'

// setTimeout keeps its delay in a signed 32-bit integer; a longer one fires at once.
const MAX_TIMEOUT_MS = 2 ** 31 - 1

/** A port: the clock of the machine. */
export class RealClock implements Clock {
  now(): number {
    return Date.now()
  }

  at(ms: number, fn: () => void): Cancel {
    if (ms <= Date.now()) return soon(fn)
    let timer: ReturnType<typeof setTimeout>
    const arm = (): void => {
      const leftMs = ms - Date.now()
      // Timers may fire a fraction of a millisecond early by the wall clock, so the instant is checked again.
      timer = setTimeout(() => (Date.now() < ms ? arm() : fn()), Math.min(Math.max(leftMs, 0), MAX_TIMEOUT_MS))
    }
    arm()
    return () => clearTimeout(timer)
  }
}

/**
 * A port: a clock that neither jumps nor goes back when somebody sets the machine's. It begins with the machine's time,
 * and goes on by what really passes; for deadlines that others rely on, as those of a lease.
 */
export class SteadyClock implements Clock {
  private readonly originMs = Date.now() - performance.now()

  now(): number {
    return this.originMs + performance.now()
  }

  at(ms: number, fn: () => void): Cancel {
    if (ms <= this.now()) return soon(fn)
    let timer: ReturnType<typeof setTimeout>
    const arm = (): void => {
      const leftMs = Math.ceil(ms - this.now())
      timer = setTimeout(() => (this.now() < ms ? arm() : fn()), Math.min(Math.max(leftMs, 0), MAX_TIMEOUT_MS))
    }
    arm()
    return () => clearTimeout(timer)
  }
}

/** After the timers and sockets that wait; a timer would also wait for a millisecond in which nothing may be left to do. */
function soon(fn: () => void): Cancel {
  const immediate = setImmediate(fn)
  return () => clearImmediate(immediate)
}
