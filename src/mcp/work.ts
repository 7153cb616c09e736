/** The real time that a call may take. */
export interface Work {
  /**
   * Call it often. Yields to other work at regular intervals, and rejects with a ToolError when the call took too
   * long or was canceled. `progress` is sent to the client, if it requested progress.
   */
  pause(progress: Progress): Promise<void> | undefined
  /** Most of the time is used: code that can stop early with a result should stop. */
  isLate(): boolean
}

/** Virtual time in milliseconds. */
export interface Progress {
  readonly done: number
  readonly total: number
}
