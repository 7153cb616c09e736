/** Cancels a callback that has not run yet; does nothing afterwards. */
export type Cancel = () => void

/**
 * The only source of time, in milliseconds since the Unix epoch. `now` is monotonic: timers, countdowns, leases and
 * backoffs use it. `wall` is the machine's clock, which an administrator or NTP may set at any time: it is for
 * timestamps that are written into objects, and for comparisons with timestamps that are read from objects.
 */
export interface Clock {
  now(): number
  wall(): number
  /** Runs `fn` once when `now()` has reached `ms`; as soon as possible if that is in the past. */
  at(ms: number, fn: () => void): Cancel
}

/** One instant on both clocks. */
export interface Instant {
  readonly now: number
  readonly wall: number
}

/** The value of `now` at which the wall clock shows `wallMs`, if it is not set before. */
export function reachedAt(wallMs: number, { now, wall }: Instant): number {
  return now === wall ? wallMs : now + (wallMs - wall)
}

/** The time on the wall clock when `now` is `ms`, if it is not set before. */
export function shownAt(ms: number, { now, wall }: Instant): number {
  return now === wall ? ms : wall + (ms - now)
}
