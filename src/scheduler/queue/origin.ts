/** The origin of an entry that is added to a queue. */
export interface Origin {
  readonly skipsPreEnqueue: boolean
  readonly wasPooled: boolean
  /** The intended queue of an entry that is queued again. */
  readonly meant?: 'active' | 'backoff' | 'unschedulable'
}

export const asNew: Origin = { skipsPreEnqueue: false, wasPooled: false }

/** The intended queue of each verdict. */
export const meant = { immediately: 'active', afterBackoff: 'backoff', skip: 'unschedulable' } as const
