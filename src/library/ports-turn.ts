/** Resolves after the microtasks of this turn, when all promises have settled that need no I/O. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Resolves after a real time, for work that waits for I/O. */
export function realDelay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
