/** Takes back a callback that has not run yet; afterwards it does nothing. */
export type Cancel = () => void

/** The only source of time. Instants are milliseconds since the Unix epoch. */
export interface Clock {
  now(): number
  /** Runs `fn` once when `now()` has reached `ms`; at the next opportunity when that is already past. */
  at(ms: number, fn: () => void): Cancel
}
