/** Resolves when all promises that can settle without the outside have settled: after the microtasks of this turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Resolves after a real time, for work that waits for the outside. */
export function realDelay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
