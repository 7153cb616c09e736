import type { Pod } from '../../api/objects/pod.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import type { Comparator } from '../../base/indexed-heap.ts'
import type { ObjectReader, PodParser, Profile } from '../contract/contract.ts'
import type { GroupHierarchies } from '../contract/groups.ts'
import type { HintTable } from './hint-table.ts'
import type { PodNominator } from './nominator.ts'
import type { QueueMetrics } from './queue-metrics.ts'
import type { QueuedEntry } from './queued-pod.ts'
import type { QueueMode } from './requeue-policy.ts'

export interface QueueOptions {
  readonly hints: HintTable
  /** The profiles with their PreEnqueue plugins, by schedulerName. */
  readonly profiles: ReadonlyMap<string, Pick<Profile, 'preEnqueue'>>
  readonly parser: PodParser
  readonly nominator: PodNominator
  /** The objects that hints and PreEnqueue plugins can read. */
  readonly objects: ObjectReader
  readonly compare?: Comparator<QueuedEntry>
  readonly initialBackoffMs?: number
  readonly maxBackoffMs?: number
  /** The time after which an unschedulable pod is retried without an event. */
  readonly maxUnschedulableMs?: number
  /** Overrides the mode: pods in backoff are popped when the active queue is empty. */
  readonly popFromBackoff?: boolean
  readonly mode?: QueueMode
  /** Default: the default release. */
  readonly release?: KubernetesRelease
  /** v1.36: pods of pod groups are retried after their backoff and after any change (gate GenericWorkload). */
  readonly hasGroups?: boolean
  /** From v1.37 on: the pods of a hierarchy of pod groups are one entry of the queue (gate GenericWorkload). */
  readonly hierarchies?: GroupHierarchies
  readonly metrics?: QueueMetrics
}

/** The reason why an attempt failed. Without plugins, it is an error and not a rejection. */
export interface Rejection {
  /** The current pod. */
  readonly pod: Pod
  readonly unschedulablePlugins: readonly string[]
  readonly pendingPlugins: readonly string[]
}

/** The result of the cycle of a group. */
export type GroupResult = 'scheduled' | 'unschedulable' | 'error'
