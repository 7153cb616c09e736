/** What a client may use. Every limit has an answer that says it was reached. */
export interface McpLimits {
  readonly forks: number
  readonly snapshots: number
  /** Forecasts that are kept; the oldest is forgotten first. */
  readonly forecasts: number
  /** Memory of the process above which nothing is opened, forked or forecast. */
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
  /** Tokens of one answer: of its text, and again of its structured content. */
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
