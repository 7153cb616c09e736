/** The last instant at or before `now` of those that are `interval` apart, one of them being `phase`. */
export function lastTick(now: number, phase: number, interval: number): number {
  return phase + Math.floor((now - phase) / interval) * interval
}

/** The first of them at or after `from`. */
export function nextTick(from: number, phase: number, interval: number): number {
  return phase + Math.ceil((from - phase) / interval) * interval
}
