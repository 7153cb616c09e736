/** The position of a pending pod in the queue, the reason, and the events that can move it. */
export interface QueueEntry {
  readonly pod: string
  readonly uid: string
  readonly schedulerName: string
  readonly priority: number
  readonly place: 'active' | 'backoff' | 'unschedulable' | 'gated' | 'inFlight'
  /** Milliseconds since the epoch. */
  readonly since: number
  /** The event that moved the pod there. */
  readonly because: string
  readonly queuedAt: number
  readonly attempts: number
  readonly rejectedBy: readonly string[]
  readonly pendingPlugins: readonly string[]
  readonly gatedBy?: string
  /** The end of its backoff. */
  readonly backoffUntil?: number
  /** The events that may retry it, by the plugin that waits for them. */
  readonly wakesOn: Readonly<Record<string, readonly string[]>>
  /** When it is retried without an event. */
  readonly retriedAt?: number
}
