/** Entries of a forecast. Times are seconds since the start; docs/reference/forecast.md describes the fields. */

/** One workload with the steps, without the changes that also happen without the steps. */
export interface WorkloadEntry {
  /** The kind of the outermost controller, for example `Deployment`; `Pod` for a pod without a controller. */
  readonly kind: string
  readonly namespace: string
  readonly name: string
  /** Pods that its controller wants at the end. */
  readonly replicas: number
  readonly ready: { readonly before: number; readonly after: number }
  /** The minimum number of ready pods, and the time of the minimum. */
  readonly lowestReady: { readonly count: number; readonly at: number }
  /** Time with fewer ready pods than before. */
  readonly timeUnavailable: number
  /** Time without a ready pod. */
  readonly timeDown: number
  /** When it again has all desired pods; absent: it lacks pods because of the steps. */
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
  /** Deleted pods that the workload needs and does not replace. */
  readonly lost: number
  /** Additional pods that the workload creates, including replacements. */
  readonly created: number
  /** Pods that are still terminating at the end, although their grace period is over, and are not replaced. */
  readonly terminating: readonly { readonly pod: string; readonly node: string }[]
  /** Pods without a node at the end, by reason. */
  readonly pending: readonly { readonly reason: string; readonly count: number }[]
}

/** One pod, and the times of its events. */
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

/** The devices of one claim. */
export interface DeviceEntry {
  /** `namespace/name` of the ResourceClaim. */
  readonly claim: string
  /** Absent: the devices are not tied to a node, and no pod that uses them has one. */
  readonly node?: string
  /** The pods that use the claim, as `namespace/name`. */
  readonly pods: readonly string[]
  /** The devices of each request, as DRIVER/POOL/DEVICE. */
  readonly devices: readonly { readonly request: string; readonly device: string }[]
  /** Absent: allocated before the start. */
  readonly allocated?: number
  /** Absent: allocated at the end. */
  readonly released?: number
}

/** The cost of the nodes per hour, in the currency of the catalog. */
export interface CostEntry {
  readonly perHourBefore: number
  readonly perHourAfter: number
  /** The number of nodes whose price is not known. They are not included in the cost. */
  readonly nodesWithoutPrice: number
}

/** A pod that a drain cannot evict. */
export interface BlockedEntry {
  readonly node: string
  readonly pod: string
  /** The workload of the pod, as `KIND/NAME`. Absent: the pod itself. */
  readonly workload?: string
  readonly since: number
  readonly why: string
  /**
   * The disruption budget requires all pods, for any number of replicas: `minAvailable: 100%` or `maxUnavailable: 0`.
   */
  readonly never?: true
}

export interface DrainReport {
  readonly drained: readonly { readonly node: string; readonly from: number; readonly until: number }[]
  readonly open: readonly string[]
  readonly blocked: readonly BlockedEntry[]
  /** Nodes that were removed before their drain was done, with the pods that they still had. */
  readonly cut?: readonly { readonly node: string; readonly pods: readonly string[] }[]
}

/** The upgrade of nodes: `failed` by a drain timeout, `blocked` without one, `running` at the end of the forecast. */
export interface UpgradeEntry {
  readonly state: 'running' | 'done' | 'failed' | 'blocked'
  readonly nodes: number
  readonly upgraded: number
  /** Nodes whose drain timed out and that were skipped. */
  readonly skipped: readonly string[]
  /** Nodes whose pods were deleted despite their disruption budgets. */
  readonly forced: readonly string[]
  /** The pods of these nodes that their disruption budgets protected. */
  readonly overridden: readonly BlockedEntry[]
  readonly stoppedAt?: string
  readonly ended?: number
  /** The maximum number of nodes above the size of the pool. */
  readonly mostExtra: number
}
