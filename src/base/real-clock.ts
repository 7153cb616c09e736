import type { Cancel, Clock } from './clock.ts'

// setTimeout keeps its delay in a signed 32-bit integer; a longer one fires at once.
const MAX_TIMEOUT_MS = 2 ** 31 - 1

/** A port: the clock of the machine. */
export class RealClock implements Clock {
  now(): number {
    return Date.now()
  }

  at(ms: number, fn: () => void): Cancel {
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
