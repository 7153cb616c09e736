import type { Pod } from '../../api/objects/pod.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import type { Comparator } from '../../base/indexed-heap.ts'
import type { ObjectReader, PodParser, Profile } from '../contract/contract.ts'
import type { HintTable } from './hint-table.ts'
import type { PodNominator } from './nominator.ts'
import type { QueueMetrics } from './queue-metrics.ts'
import type { QueuedPod } from './queued-pod.ts'
import type { QueueMode } from './requeue-policy.ts'

export interface QueueOptions {
  readonly hints: HintTable
  /** The profiles with their PreEnqueue plugins, by schedulerName. */
  readonly profiles: ReadonlyMap<string, Pick<Profile, 'preEnqueue'>>
  readonly parser: PodParser
  readonly nominator: PodNominator
  /** The objects that hints and PreEnqueue plugins can read. */
  readonly objects: ObjectReader
  readonly compare?: Comparator<QueuedPod>
  readonly initialBackoffMs?: number
  readonly maxBackoffMs?: number
  /** The time after which an unschedulable pod is retried without an event. */
  readonly maxUnschedulableMs?: number
  /** Overrides the mode: pods in backoff are popped when the active queue is empty. */
  readonly popFromBackoff?: boolean
  readonly mode?: QueueMode
  /** Default: the default release. */
  readonly release?: KubernetesRelease
  /** Pods of pod groups are retried after their backoff, in v1.36 also after any change (gate GenericWorkload). */
  readonly hasGroups?: boolean
  readonly metrics?: QueueMetrics
}

/** Why an attempt failed. Without plugins it is an error and not a rejection. */
export interface Rejection {
  /** The current pod. */
  readonly pod: Pod
  readonly unschedulablePlugins: readonly string[]
  readonly pendingPlugins: readonly string[]
  /** The pod is one of a group, which determines how it is returned to the queue. */
  readonly group?: GroupResult
}

export type GroupResult = 'scheduled' | 'unschedulable' | 'error'
