/** The real time that a call may take. */
export interface Work {
  /**
   * To be called often. Yields to other work when that is due, and rejects with a ToolError when the call took too
   * long or was canceled. `progress` is what the client is told, if it asked.
   */
  pause(progress: Progress): Promise<void> | undefined
  /** Most of the time is over: what can stop early with a result should stop. */
  isLate(): boolean
}

/** Virtual time in milliseconds. */
export interface Progress {
  readonly done: number
  readonly total: number
}
