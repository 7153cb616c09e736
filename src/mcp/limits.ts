/** The limits of a client. A call that reaches a limit gets an error that names the limit. */
export interface McpLimits {
  readonly forks: number
  readonly snapshots: number
  /** The number of stored forecasts. The oldest is deleted first. */
  readonly forecasts: number
  /** The memory of the process above which requests to open, fork or forecast are rejected. */
  readonly memoryBytes: number
  /** Virtual time of one call. */
  readonly advanceMs: number
  /** Virtual time of a fork. */
  readonly forkMs: number
  /** Changes of a fork. */
  readonly steps: number
  /** Real time of one call. */
  readonly timeoutMs: number
  /** Bytes of one message of a client. */
  readonly messageBytes: number
  /** Bytes of one file. */
  readonly fileBytes: number
  /** The tokens of one answer: its text and its structured content each have this limit. */
  readonly answerTokens: number
}

export const defaultLimits: McpLimits = {
  forks: 16,
  snapshots: 4,
  forecasts: 32,
  memoryBytes: 3 * 2 ** 30,
  advanceMs: 24 * 3_600_000,
  forkMs: 30 * 24 * 3_600_000,
  steps: 1_000,
  timeoutMs: 120_000,
  messageBytes: 4 * 2 ** 20,
  fileBytes: 2 * 2 ** 30,
  answerTokens: 3_000,
}
