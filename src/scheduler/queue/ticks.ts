/** The last tick at or before `now`. Ticks are `interval` apart, and `phase` is one of them. */
export function lastTick(now: number, phase: number, interval: number): number {
  return phase + Math.floor((now - phase) / interval) * interval
}

/** The first tick at or after `from`. */
export function nextTick(from: number, phase: number, interval: number): number {
  return phase + Math.ceil((from - phase) / interval) * interval
}
