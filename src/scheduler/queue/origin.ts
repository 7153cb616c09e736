/** Where an entry comes from that is added to a queue. */
export interface Origin {
  readonly skipsPreEnqueue: boolean
  readonly wasPooled: boolean
  /** The queue that was meant for an entry that is queued again. */
  readonly meant?: 'active' | 'backoff' | 'unschedulable'
}

export const asNew: Origin = { skipsPreEnqueue: false, wasPooled: false }

/** The queue that a verdict means. */
export const meant = { immediately: 'active', afterBackoff: 'backoff', skip: 'unschedulable' } as const
