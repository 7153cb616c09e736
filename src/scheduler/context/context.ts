import type { Call, Outcome } from '../../api/call.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import type { GroupForest } from '../cache/group-forest.ts'
import type { GroupStates } from '../cache/group-states.ts'
import type { SchedulerCache } from '../cache/scheduler-cache.ts'
import type { ObjectReader, PreBindNote, Profile, Scheduling } from '../contract/contract.ts'
import type { GroupFeatures } from '../contract/groups.ts'
import type { PodNominator } from '../queue/nominator.ts'
import type { QueuedPod } from '../queue/queued-pod.ts'
import type { SchedulingQueue } from '../queue/scheduling-queue.ts'

/** An event of events.k8s.io about a pod. */
export interface PodEvent {
  readonly regarding: Pod
  /** The pod whose scheduler reports the event, if it is another pod. */
  readonly onBehalfOf?: Pod
  readonly related?: KubeObject
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly action: string
  readonly message: string
}

/** The effects of a step, as data that the driver executes. */
export interface Effects {
  /** @param settled Called in a later step with the outcome. */
  call(call: Call, settled: (outcome: Outcome) => void): void
  /** The default bind of a pod to a node. */
  bind(pod: Pod, node: string, settled: (outcome: Outcome) => void): void
  event(event: PodEvent): void
}

/** The notes of PreBind about devices, for metrics. */
export type DeviceNote = Exclude<PreBindNote, { readonly kind: 'event' }>

export interface AttemptMetrics {
  attempt(result: 'scheduled' | 'unschedulable' | 'error', profile: string, durationMs: number): void
  bound(pod: QueuedPod, now: number): void
  permitted(result: 'Success' | 'Unschedulable' | 'Error', waitedMs: number): void
  /** A pod tried to preempt others. */
  preemptionAttempt(result: PreemptionResult): void
  /** Victims were selected. */
  preempted(preemption: PreemptionCounts): void
  /** The requests of a preemption were answered. */
  preemptionEnded(preemptor: PreemptionCounts['preemptor'], result: 'success' | 'error', durationMs: number): void
  /** Claims that were created, and waits for binding conditions of devices. */
  devices(profile: string, note: DeviceNote): void
}

/** The code of a status of preemption. */
export type PreemptionResult = 'Success' | 'Unschedulable' | 'UnschedulableAndUnresolvable' | 'Error'

export interface PreemptionCounts {
  readonly preemptor: 'pod' | 'podgroup' | 'compositepodgroup'
  readonly victims: number
  /** The number of victims whose eviction violates a disruption budget. */
  readonly budgetViolations: number
  /**
   * The number of groups that are preempted as a whole, plus the number of other victims that belong to groups; not
   * counted for a preemptor that is a pod.
   */
  readonly disruptedGroups: number
  /** Reports whether some victims are not terminating yet. */
  readonly removesAny: boolean
}

/** The metrics of the cycles of pod groups. A cycle is part of a step, so it takes no time. */
export interface GroupCycleMetrics {
  attempt(result: 'scheduled' | 'unschedulable' | 'waiting_on_preemption' | 'error', profile: string): void
  /** A group tried to preempt pods. */
  preemptionAttempt(result: PreemptionResult): void
  /** The search for victims ended. */
  preemptionEvaluated(result: PreemptionResult): void
  placementsGenerated(profile: string, placements: number): void
  placementEvaluated(result: 'feasible' | 'infeasible', profile: string): void
}

/** A profile with its scheduling cycle. */
export interface ProfileRun {
  readonly profile: Profile
  readonly scheduling: Scheduling
}

/** The pod groups of the cluster and their pods. */
export interface KnownGroups {
  readonly states: GroupStates
  readonly forest: GroupForest
  readonly features: GroupFeatures
}

/** The state that the parts of the scheduler share. `now` changes only between steps. */
export interface SchedulerContext {
  readonly release: KubernetesRelease
  readonly now: number
  /** The wall clock at `now`, for timestamps in objects. */
  readonly wall: number
  readonly cache: SchedulerCache
  readonly queue: SchedulingQueue
  readonly nominator: PodNominator
  readonly objects: ObjectReader
  readonly effects: Effects
  readonly metrics: AttemptMetrics & { readonly groups: GroupCycleMetrics }
  /** Absent: the gate GenericWorkload is off. */
  readonly groups?: KnownGroups
  runOf(schedulerName: string): ProfileRun | undefined
}
