/** Entries of a forecast. Times are seconds since the start; docs/reference/forecast.md describes the fields. */

/** One workload with the steps, without what happens to it anyway. */
export interface WorkloadEntry {
  /** Of the outermost controller, for example `Deployment`; `Pod` for a pod without a controller. */
  readonly kind: string
  readonly namespace: string
  readonly name: string
  /** Pods that its controller wants at the end. */
  readonly replicas: number
  readonly ready: { readonly before: number; readonly after: number }
  /** The fewest ready pods at any time, and since when. */
  readonly lowestReady: { readonly count: number; readonly at: number }
  /** Time with fewer ready pods than before. */
  readonly timeUnavailable: number
  /** Time without a ready pod. */
  readonly timeDown: number
  /** Since when it has all the pods that it wants; absent: it lacks some because of the steps. */
  readonly recovered?: number
  /** Time in which a disruption budget had fewer healthy pods than desired. */
  readonly timeBelowBudget: number
  /** The disruption budget that `timeBelowBudget` is about. */
  readonly budget?: string
  readonly deleted: number
  /** Deleted pods that the workload replaces. */
  readonly restarts: number
  /** Deleted pods whose replacement has a node. */
  readonly moved: number
  /** Deleted pods that are missed and not replaced. */
  readonly lost: number
  /** Additional pods that the workload creates, replacements included. */
  readonly created: number
  /** Pods that are still terminating at the end, although their grace period is over, and are not replaced. */
  readonly terminating: readonly { readonly pod: string; readonly node: string }[]
  /** Pods without a node at the end, by reason. */
  readonly pending: readonly { readonly reason: string; readonly count: number }[]
}

/** One pod, and when what happened to it. */
export interface PodTimes {
  readonly pod: string
  readonly isNew: boolean
  readonly from?: string
  readonly created?: number
  readonly bound?: number
  readonly node?: string
  readonly started?: number
  readonly notReady?: number
  readonly readyAgain?: number
  readonly deleted?: number
  readonly cause?: string
  readonly gone?: number
  /** Why the pod is pending at the end. */
  readonly pending?: string
  /** The next pod that its workload created. */
  readonly replacement?: string
}
