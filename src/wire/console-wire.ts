// The messages between the console's server and its browser code. Types and constants only; rows are arrays because a
// large cluster has tens of thousands of them.

import type { QueueEntry } from '../api/queue-entry.ts'
import type { RangeUsage } from '../api/range-usage.ts'
import type { AttentionItem, SmallTableName, SmallTables } from './console-tables.ts'
import type { CostEntry, DeviceEntry, DrainReport, PodTimes, UpgradeEntry, WorkloadEntry } from './forecast-entries.ts'

/** 0 Ready, 1 NotReady, 2 unknown (no heartbeat for too long), 3 no status reported yet. */
export type NodeHealthCode = 0 | 1 | 2 | 3

/** Bits of a node's flags. */
export interface NodeFlagBits {
  readonly cordoned: 1
  readonly memoryPressure: 2
  readonly diskPressure: 4
  readonly pidPressure: 8
  readonly hollow: 16
  /** The hollow kubelet of the node was silenced by a user. */
  readonly silenced: 32
  readonly deleting: 64
}

export type NodeRow = readonly [
  name: string,
  zone: string,
  cpuMilli: number,
  memoryBytes: number,
  maxPods: number,
  health: NodeHealthCode,
  flags: number,
  /** As `key=value:Effect`. */
  taints: readonly string[],
  /** The id of the label set. */
  labels: number,
  createdMs: number,
  /** Its pod CIDRs, separated by commas. */
  podCidrs: string,
  /** The version of the kubelet; absent if unknown. */
  kubelet?: string,
  /** Allocatable extended resources, such as GPUs; absent: none. */
  devices?: number,
]

/** 0 pending, 1 gated, 2 starting, 3 running, 4 not ready, 5 terminating, 6 succeeded, 7 failed. */
export type PodStateCode = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7

export type PodRow = readonly [
  /** `namespace/name`. */
  key: string,
  /** Empty: not bound. */
  node: string,
  state: PodStateCode,
  cpuMilli: number,
  memoryBytes: number,
  priority: number,
  createdMs: number,
  labels: number,
  /** `Kind/name` of its controller, or empty. */
  owner: string,
  /** The node for which the pod is nominated, or empty. */
  nominated: string,
  /** While terminating: when its grace period ends. Otherwise 0. */
  graceEndsMs: number,
  /** kubectl's STATUS; absent if it follows from the state. */
  status?: string,
  /** Absent: 0. */
  restarts?: number,
  /** Requested extended resources; absent: none. */
  devices?: number,
]

/** A Kubernetes Event that was recorded or counted. */
export type EventRow = readonly [
  atMs: number,
  type: 'Normal' | 'Warning',
  reason: string,
  /** `Pod` or `Node` or another kind. */
  kind: string,
  /** `namespace/name`, or `name`. */
  key: string,
  message: string,
  count: number,
  component: string,
]

/** A row that was added (no `before`), modified, or deleted (no `after`); absent values are null in JSON. */
export type Transition =
  | readonly [seq: number, atMs: number, table: 'n', key: string, before: NodeRow | null, after: NodeRow | null]
  | readonly [seq: number, atMs: number, table: 'p', key: string, before: PodRow | null, after: PodRow | null]

/** The response of `api/history`. */
export interface HistoryAnswer {
  readonly now: number
  /** The history is complete from this time on. */
  readonly completeSince: number
  readonly transitions: readonly Transition[]
  readonly events: readonly EventRow[]
}

/** `like`: the id of an earlier set. `labels` are added to that set and replace its values. */
export type LabelSet = readonly [id: number, labels: Readonly<Record<string, string>>, like?: number]

/**
 * Pods that share all cells of a row except three. These three follow for each pod: the rest of its key after the
 * common beginning, the index of its node among the sent nodes, and the difference of its creation time from that of
 * the row.
 */
export type PodsLike = readonly [of: PodRow, pods: readonly (string | number)[]]

/** The new and changed rows of a small table, and the keys of removed rows. */
export type TableLine = {
  readonly [Name in SmallTableName]: {
    readonly k: 'table'
    readonly table: Name
    readonly rows: readonly SmallTables[Name][]
    readonly gone: readonly string[]
  }
}[SmallTableName]

/** The cluster of berth itself, a cluster for which berth only runs controllers, or a file. */
export type ClusterKind = 'own' | 'remote' | 'snapshot'

/** One line of the feed. At `ready`, all existing objects have been sent; deltas may arrive before that. */
export type FeedLine =
  | TableLine
  | { readonly k: 'attention'; readonly items: readonly AttentionItem[] }
  | {
      readonly k: 'hello'
      readonly now: number
      readonly berth: string
      readonly kubernetes: string
      readonly cluster: ClusterKind
      readonly server: string
      readonly can: Capabilities
      readonly caller: string
      readonly nodes: number
      readonly pods: number
      /** All changes up to this revision are included in the following lines. */
      readonly seq: number
    }
  | { readonly k: 'labels'; readonly sets: readonly LabelSet[] }
  | { readonly k: 'nodes'; readonly rows: readonly NodeRow[] }
  | { readonly k: 'pods'; readonly rows: readonly PodRow[]; readonly like: readonly PodsLike[] }
  | { readonly k: 'ready'; readonly now: number; readonly seq: number }
  | {
      readonly k: 'delta'
      readonly now: number
      readonly seq: number
      readonly labels?: readonly LabelSet[]
      readonly nodes?: readonly NodeRow[]
      readonly pods?: readonly PodRow[]
      readonly goneNodes?: readonly string[]
      readonly gonePods?: readonly string[]
      readonly events?: readonly EventRow[]
    }
  | { readonly k: 'tick'; readonly now: number }
  | ({ readonly k: 'summary'; readonly now: number } & Summary)

export interface Capabilities {
  readonly act: boolean
  readonly forecast: boolean
  readonly explain: boolean
  readonly events: boolean
}

/** Figures of the controllers. */
export interface Summary {
  readonly queue?: QueueCounts
  readonly evictions?: { readonly count: number; readonly nextAt?: number }
  readonly zones?: readonly ZoneSummary[]
  readonly cidrs?: readonly { readonly range: string; readonly used: number; readonly max: number }[]
  /** Controllers that crashed and were not restarted. */
  readonly crashed: readonly string[]
  readonly drains: readonly DrainState[]
}

export interface QueueCounts {
  readonly active: number
  readonly backoff: number
  readonly unschedulable: number
  readonly gated: number
  readonly inFlight: number
}

export interface ZoneSummary {
  readonly zone: string
  readonly state: string
  readonly size: number
  readonly unhealthy: number
  /** The number of nodes per second that may be tainted for eviction. */
  readonly perSecond: number
  readonly nextTaintAt?: number
  readonly waiting: number
}

export interface DrainState {
  readonly node: string
  readonly since: number
  readonly left: number
  readonly blocked: readonly { readonly pod: string; readonly why: string }[]
  readonly done: boolean
}

/** The response of `api/queue`. */
export interface QueueAnswer {
  readonly now: number
  readonly total: number
  readonly counts: QueueCounts
  readonly entries: readonly QueueItem[]
  readonly nominations: readonly { readonly pod: string; readonly node: string; readonly victims: readonly string[] }[]
  readonly bindings: readonly { readonly pod: string; readonly node: string; readonly waitsFor: readonly string[] }[]
}

export interface QueueItem extends Omit<QueueEntry, 'uid' | 'schedulerName'> {
  /** The message of its last attempt. */
  readonly message?: string
}

/** The response of `api/evictions`. */
export interface EvictionAnswer {
  readonly now: number
  readonly total: number
  readonly entries: readonly EvictionItem[]
  readonly zones: readonly ZoneSummary[]
  readonly silent: readonly SilentNode[]
}

export interface EvictionItem {
  readonly pod: string
  readonly node: string
  readonly stage: string
  readonly fireAt: number
  readonly createdAt: number
  readonly cause: string
  readonly taints: readonly string[]
  readonly tolerations: readonly string[]
  readonly failures: number
}

export interface SilentNode {
  readonly node: string
  readonly health: NodeHealthCode
  readonly lastSeen?: number
  /** When the node becomes Unknown if it remains silent. */
  readonly expiresAt?: number
}

/** The response of `api/cidrs`. */
export interface CidrAnswer {
  readonly now: number
  readonly allocator: string
  readonly ranges: readonly CidrRange[]
  readonly serviceRanges: readonly string[]
  readonly outOfRange: readonly { readonly node: string; readonly cidrs: readonly string[]; readonly why: string }[]
  readonly waiting: readonly string[]
}

export interface CidrRange extends RangeUsage {
  /** Blocks that are not free, in order: index, holders, and state. */
  readonly blocks: readonly CidrBlock[]
}

export type CidrBlock = readonly [
  place: number,
  cidr: string,
  kind: 'node' | 'reserved' | 'service' | 'leaked' | 'duplicate',
  holders: readonly string[],
]

/** The response of `api/pods/NAMESPACE/NAME`. */
export interface PodAnswer {
  readonly now: number
  readonly object: unknown
  readonly events: readonly EventRow[]
  readonly history: readonly Transition[]
  readonly queue?: QueueItem
  readonly eviction?: EvictionItem
}

/** The response of `api/nodes/NAME`. */
export interface NodeAnswer {
  readonly now: number
  readonly object: unknown
  readonly events: readonly EventRow[]
  readonly history: readonly Transition[]
  readonly evictions: readonly EvictionItem[]
  readonly lease?: { readonly renewedAt?: number; readonly durationSeconds?: number }
  readonly watched?: { readonly lastSeen?: number; readonly expiresAt?: number }
}

/** The response of `api/explain/NAMESPACE/NAME`: the scheduler's verdict on every node for this pod. */
export interface ConsoleExplanation {
  readonly pod: string
  readonly now: number
  readonly state: 'bound' | 'placeable' | 'pending' | 'gated' | 'finished'
  /** The current message of the scheduler about the pod, or the message that it would write. */
  readonly message: string
  /** Reasons that remain after any change of these nodes. */
  readonly never?: string
  /** Feasible nodes first, the best first. */
  readonly nodes: readonly ConsoleVerdict[]
  /** Score plugins in the order of their bars. */
  readonly plugins: readonly string[]
  /** Changes after which the pod can be placed, the smallest change first. */
  readonly repairs: readonly { readonly node: string; readonly changes: readonly string[] }[]
  readonly preemption?: { readonly node: string; readonly victims: readonly string[] }
  /** The events that may requeue it, by plugin. */
  readonly wakesOn: Readonly<Record<string, readonly string[]>>
}

export interface ConsoleVerdict {
  readonly node: string
  readonly feasible: boolean
  /** The first plugin that rejected it. */
  readonly plugin?: string
  readonly reasons?: readonly string[]
  /** Weighted, by plugin. */
  readonly scores?: Readonly<Record<string, number>>
  readonly total?: number
}

/** An action that can be forecast and then executed. */
export interface ConsoleAction {
  readonly kind: 'taint' | 'untaint' | 'cordon' | 'uncordon' | 'drain' | 'silence' | 'revive'
  readonly nodes: readonly string[]
  /** `key=value:Effect`. */
  readonly taint?: string
}

export interface ConsoleForecast {
  readonly question: string
  readonly startMs: number
  readonly seconds: number
  readonly verdict: 'SAFE' | 'DEGRADED' | 'BLOCKED' | 'UNSAFE'
  /** The reason, in one line. */
  readonly reason: string
  /** The effects of the change, and the events that also happen without it. */
  readonly caused: ForecastImpact
  readonly baseline: ForecastImpact
  /** The effects of the change on each workload, the worst first. */
  readonly workloads: readonly WorkloadEntry[]
  readonly answer: readonly string[]
  readonly deleted: number
  readonly pending: number
  readonly before: ForecastCount
  readonly after: ForecastCount
  readonly notes: readonly string[]
  readonly loops: readonly string[]
  /** Pods with any change, up to a limit; `morePods` counts the others. */
  readonly pods: readonly ForecastPod[]
  readonly morePods: number
  readonly nodes: readonly ForecastNodeChange[]
  readonly budgets: readonly { readonly budget: string; readonly from: number; readonly until?: number }[]
  readonly drains?: DrainReport
  /** Devices that the change allocates or releases. */
  readonly devices?: readonly DeviceEntry[]
  readonly upgrade?: UpgradeEntry
  readonly cost?: CostEntry
  readonly series: {
    readonly seconds: readonly number[]
    readonly pending: readonly number[]
    readonly running: readonly number[]
    readonly notReady: readonly number[]
    readonly terminating: readonly number[]
    readonly nodesReady: readonly number[]
  }
}

export interface ForecastImpact {
  readonly podsDeleted: number
  readonly podsPending: number
  readonly podsMoved: number
  readonly workloadsBelowBudget: number
}

export interface ForecastCount {
  readonly nodes: number
  readonly nodesReady: number
  readonly pods: Readonly<Record<string, number>>
  readonly cpuMilli: number
  readonly cpuAllocatableMilli: number
  readonly memoryBytes: number
  readonly memoryAllocatableBytes: number
}

export interface ForecastPod extends PodTimes {
  readonly cpuMilli: number
  readonly memoryBytes: number
}

export interface ForecastNodeChange {
  readonly at: number
  readonly node: string
  readonly what: 'ready' | 'tainted' | 'untainted' | 'cordoned' | 'uncordoned' | 'deleted' | 'created'
  readonly detail?: string
}
