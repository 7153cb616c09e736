import { deepEqual } from '../../api/equality.ts'
import type { Condition } from '../../api/objects/meta.ts'
import type { ReplicaSet } from '../../api/objects/workloads.ts'
import { formatTime } from '../../api/time.ts'
import type { PodCounts } from './pod-tally.ts'

const none: readonly never[] = []

type ReplicaSetStatus = NonNullable<ReplicaSet['status']>

export interface ReplicaSetStatusInput {
  readonly counts: PodCounts
  readonly available: number
  /** DeploymentReplicaSetTerminatingReplicas. */
  readonly reportsTerminating: boolean
  /** The reason why pods could not be created or deleted. */
  readonly failure?: string | undefined
  readonly now: number
}

/** The status to write, or nothing if it is up to date (v1.36, replicaset calculateStatus). */
export function decideStatus(replicaSet: ReplicaSet, input: ReplicaSetStatusInput): ReplicaSetStatus | undefined {
  const { counts, available } = input
  const conditions = decideConditions(replicaSet, input)
  const status: { -readonly [K in keyof ReplicaSetStatus]: ReplicaSetStatus[K] } = { replicas: counts.active }
  if (counts.labeled !== 0) status.fullyLabeledReplicas = counts.labeled
  if (counts.ready !== 0) status.readyReplicas = counts.ready
  if (available !== 0) status.availableReplicas = available
  if (input.reportsTerminating) status.terminatingReplicas = counts.terminating
  if (conditions.length > 0) status.conditions = conditions
  const generation = replicaSet.metadata.generation ?? 0
  if (isWritten(replicaSet.status, status, generation)) return undefined
  if (generation !== 0) status.observedGeneration = generation
  return status
}

function isWritten(old: ReplicaSet['status'], status: ReplicaSetStatus, generation: number): boolean {
  if (old === undefined || generation !== (old.observedGeneration ?? 0)) return false
  // Compares the fields that usually differ first.
  if (old.replicas !== status.replicas || old.readyReplicas !== status.readyReplicas) return false
  const { observedGeneration: _, ...rest } = old
  return deepEqual(rest, status)
}

function decideConditions(
  replicaSet: ReplicaSet,
  { counts, failure, now }: ReplicaSetStatusInput,
): readonly Condition[] {
  const conditions = replicaSet.status?.conditions ?? none
  if (conditions.length === 0 && failure === undefined) return none
  const others = conditions.filter(({ type }) => type !== 'ReplicaFailure')
  if (failure === undefined) return others
  // A failure that is already reported is not reported again with another text. Otherwise each retry would write the
  // status.
  if (others.length < conditions.length) return conditions
  const difference = counts.active - (replicaSet.spec?.replicas ?? 1)
  const reason = difference < 0 ? 'FailedCreate' : difference > 0 ? 'FailedDelete' : ''
  return [
    ...others,
    { type: 'ReplicaFailure', status: 'True', lastTransitionTime: formatTime(now), reason, message: failure },
  ]
}
