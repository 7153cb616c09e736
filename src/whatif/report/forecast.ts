import type { PodState } from '../../api/pod-state.ts'
import type {
  CostEntry,
  DeviceEntry,
  DrainReport,
  PodTimes,
  UpgradeEntry,
  WorkloadEntry,
} from '../../wire/forecast-entries.ts'
import type { TraceLine } from '../facts/fact.ts'

/**
 * The answer to a question. `-o json` prints it, `berth diff` compares two forecasts, and every other output is derived
 * from it. Times are seconds since the start.
 */
export interface Forecast {
  readonly apiVersion: 'berth.dev/v1alpha1'
  readonly kind: 'Forecast'
  readonly berth: string
  readonly kubernetes: string
  readonly question: string
  readonly seed: string
  /** The time of second 0. */
  readonly start: string
  /** The length of the forecast. */
  readonly seconds: number
  /** Set if Ctrl-C stopped the forecast, which then covers the time up to `seconds`. */
  readonly interrupted: boolean
  readonly verdict: Verdict
  /** The reason for the verdict, in one line. */
  readonly reason: string
  /** The effects of the steps. Effects that also occur without the steps do not count. */
  readonly caused: ImpactCounts
  /** The effects in the same time without the steps. */
  readonly baseline: ImpactCounts
  readonly before: ClusterCount
  readonly after: ClusterCount
  readonly answer: ForecastSummary
  readonly notes: readonly ForecastNote[]
  readonly loops: readonly Loop[]
  readonly expectations: readonly ExpectationResult[]
  /** The effects of the steps on each workload, the worst first. Workloads without effects are omitted. */
  readonly workloads: readonly WorkloadEntry[]
  /** Every pod with at least one fact. */
  readonly pods: readonly PodEntry[]
  readonly nodes: readonly NodeEntry[]
  /** Devices that the steps allocate or release. Absent: none. */
  readonly devices?: readonly DeviceEntry[]
  /** Absent: no prices are known. */
  readonly cost?: CostEntry
  readonly budgets: readonly BudgetEntry[]
  /** The order of drained nodes, and what blocks the others. Absent: nothing was drained. */
  readonly drains?: DrainReport
  /** Absent: nothing was upgraded. */
  readonly upgrade?: UpgradeEntry
  /** Absent: a single seed. */
  readonly seeds?: SeedRange
  readonly series: ForecastSeries
  readonly timeline: readonly TraceLine[]
}

/** From harmless to harmful; `judge` has the rules. */
export type Verdict = 'SAFE' | 'DEGRADED' | 'BLOCKED' | 'UNSAFE'

export interface ImpactCounts {
  readonly podsDeleted: number
  /** The number of pods that are pending at the end and were not pending at the start. */
  readonly podsPending: number
  /** Deleted pods whose replacement has a node. */
  readonly podsMoved: number
  /** Disruption budgets with fewer healthy pods than desired, at any time. */
  readonly workloadsBelowBudget: number
}

export interface ClusterCount {
  readonly nodes: number
  readonly nodesReady: number
  readonly pods: Readonly<Record<PodState, number>>
  /** In thousandths of a core. */
  readonly cpu: Use
  /** In bytes. */
  readonly memory: Use
  /** Number of additional pods of mean size, without tolerations, that fit on schedulable nodes. */
  readonly room: number
  /** The share of such pods that fits into the sum of the free resources of all nodes, but on no single node. */
  readonly fragmentation: number
}

/** Requested and allocatable resources. */
export interface Use {
  readonly requested: number
  readonly allocatable: number
}

/** The effects of the steps. Effects that also occur without the steps do not count. */
export interface ForecastSummary {
  /** At most five lines, of at most 110 characters. */
  readonly lines: readonly string[]
  readonly deleted: number
  /** Pods that were terminating at the start; not included in `deleted`. */
  readonly deletedBefore: number
  readonly causes: Readonly<Record<string, number>>
  readonly firstDeletion?: number
  readonly lastDeletion?: number
  readonly replaced: number
  /** Deleted pods without a replacement. */
  readonly lost: number
  readonly landed: readonly { readonly node: string; readonly pods: number }[]
  /**
   * The number of these pods that never started, because their node is not ready. A failed node gets pods until its
   * taint is written, which takes long if many nodes fail. Absent: none.
   */
  readonly unstarted?: number
  /** Pods that are pending at the end and were not pending at the start. */
  readonly pending: number
  readonly pendingBefore: number
  readonly budgetsBroken: readonly string[]
  /** The time since which all affected workloads have their pods; absent: not recovered within the forecast. */
  readonly wellAgain?: number
}

export interface ForecastNote {
  readonly kind: 'missing' | 'assumed' | 'uncertain' | 'blocked'
  readonly text: string
  /** The missing kind. */
  readonly about?: string
  /** Set if the missing kind could change this answer. */
  readonly matters?: true
}

export interface Loop {
  readonly kind: 'place-evict' | 'preemption' | 'unsettled'
  readonly text: string
  readonly times: number
  readonly since: number
}

export interface ExpectationResult {
  readonly path: string
  readonly kind: string
  readonly holds: boolean
  /** The first violation. */
  readonly violation?: { readonly seconds: number; readonly text: string }
}

export interface PodEntry extends PodTimes {
  readonly group?: string
  readonly owner?: string
  /** `Kind/name` of its workload; absent for a pod without a controller. */
  readonly workload?: string
  readonly priority: number
  readonly ended?: string
}

export interface NodeEntry {
  readonly node: string
  readonly zone?: string
  readonly isReady: boolean
  readonly isCordoned: boolean
  readonly taints: readonly string[]
  readonly podCIDR?: string
  readonly pods: number
  readonly cpu: Use
  readonly memory: Use
  readonly state: 'kept' | 'added' | 'removed'
  /** Set if the node is also removed without the steps, or also gets the same readiness, cordon and taints. */
  readonly changesAnyway?: true
  /** The state of the node at the start; absent: the node did not exist. */
  readonly before?: {
    readonly isReady: boolean
    readonly isCordoned: boolean
    readonly taints: readonly string[]
    readonly pods: number
    /** The requested CPU. */
    readonly cpuMilli: number
    readonly memoryBytes: number
  }
}

export interface BudgetEntry {
  readonly budget: string
  readonly from: number
  readonly until?: number
  readonly healthy: number
  readonly desired: number
  readonly before: boolean
}

/** The facts that are the same for every seed, and the facts that vary. */
export interface SeedRange {
  readonly runs: number
  /** Minimum and maximum. */
  readonly deleted: readonly [number, number]
  readonly pending: readonly [number, number]
  /** Absent: at least one run did not recover. */
  readonly wellAgain?: readonly [number, number]
  /** The number of facts that are the same in every run, and the number of all facts. */
  readonly certain: number
  readonly facts: number
  /** Topics whose facts are all the same in every run, and topics with facts that vary. */
  readonly sure: readonly string[]
  readonly open: readonly string[]
  /** Facts that vary, in descending order of their variation. */
  readonly varying: readonly { readonly fact: string; readonly times: readonly [number, number] }[]
}

/** Columns of equal length. Each row is a time at which something changed. */
export interface ForecastSeries {
  readonly seconds: readonly number[]
  readonly pending: readonly number[]
  readonly running: readonly number[]
  readonly notReady: readonly number[]
  readonly terminating: readonly number[]
  readonly disrupted: readonly number[]
  readonly nodesReady: readonly number[]
  readonly cpuMilli: readonly number[]
  readonly memoryBytes: readonly number[]
}
