/** Takes back a callback that has not run yet; afterwards it does nothing. */
export type Cancel = () => void

/**
 * The only source of time. Instants are milliseconds since the Unix epoch.
 *
 * `now` never jumps: timers, countdowns, leases and backoffs use it. `wall` is what the machine's clock shows, which an
 * administrator or NTP may set at any moment: it is for timestamps that are written into objects, and for comparisons with
 * timestamps that are read from objects.
 */
export interface Clock {
  now(): number
  wall(): number
  /** Runs `fn` once when `now()` has reached `ms`; at the next opportunity when that is already past. */
  at(ms: number, fn: () => void): Cancel
}

/** One instant by both clocks. */
export interface Instant {
  readonly now: number
  readonly wall: number
}

/** The value of `now` at which the wall clock shows `wallMs`, if it is not set before. */
export function reachedAt(wallMs: number, { now, wall }: Instant): number {
  return now === wall ? wallMs : now + (wallMs - wall)
}

/** What the wall clock shows when `now` is `ms`, if it is not set before. */
export function shownAt(ms: number, { now, wall }: Instant): number {
  return now === wall ? ms : wall + (ms - now)
}
