/** A request with a body of this length is handled in steps. */
export const largeBodyBytes = 16 * 1024

/**
 * Large requests are handled one after the other, in steps between which other requests are answered. A request that
 * waits for its turn has not decoded its body, so only one decoded body is in memory.
 */
export class LargeRequests {
  private readonly nextTurn: () => Promise<void>
  private last: Promise<unknown> = Promise.resolve()
  private lastTurn: Promise<void> = Promise.resolve()

  /** `nextTurn` resolves after everything that arrived in the meantime was handled. */
  constructor(nextTurn: () => Promise<void>) {
    this.nextTurn = nextTurn
  }

  /** Runs the steps after all requests that were added before. */
  handle<T>(steps: () => Promise<T>): Promise<T> {
    const done = this.last.then(() => this.pause()).then(steps)
    this.last = done.catch(() => undefined)
    return done
  }

  /** Ends a step. Resolves in a turn in which no other step runs. */
  pause(): Promise<void> {
    this.lastTurn = this.lastTurn.then(this.nextTurn)
    return this.lastTurn
  }
}
