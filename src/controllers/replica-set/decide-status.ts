import { deepEqual } from '../../api/equality.ts'
import type { Condition } from '../../api/objects/meta.ts'
import type { ReplicaSet } from '../../api/objects/workloads.ts'
import { formatTime } from '../../api/time.ts'
import { withoutZeros } from '../without-zeros.ts'
import type { PodCounts } from './pod-tally.ts'

type Status = NonNullable<ReplicaSet['status']>

export interface StatusInput {
  readonly counts: PodCounts
  readonly available: number
  /** Why pods could not be created or deleted. */
  readonly failure?: string | undefined
  readonly now: number
}

/** The status to write, or nothing if it is as it should be (v1.36, replicaset calculateStatus). */
export function decideStatus(replicaSet: ReplicaSet, input: StatusInput): Status | undefined {
  const { counts, available } = input
  const { observedGeneration: _, ...old } = replicaSet.status ?? { replicas: 0 }
  const conditions = decideConditions(replicaSet, input)
  const status = {
    replicas: counts.active,
    ...withoutZeros({
      fullyLabeledReplicas: counts.labeled,
      readyReplicas: counts.ready,
      availableReplicas: available,
    }),
    terminatingReplicas: counts.terminating,
    ...(conditions.length === 0 ? {} : { conditions }),
  }
  const generation = replicaSet.metadata.generation ?? 0
  const isNew = replicaSet.status === undefined || generation !== (replicaSet.status.observedGeneration ?? 0)
  if (!isNew && deepEqual(old, status)) return undefined
  return { ...status, ...withoutZeros({ observedGeneration: generation }) }
}

function decideConditions(replicaSet: ReplicaSet, { counts, failure, now }: StatusInput): readonly Condition[] {
  const conditions = replicaSet.status?.conditions ?? []
  const others = conditions.filter(({ type }) => type !== 'ReplicaFailure')
  if (failure === undefined) return others
  // A failure that is already told is not told again, whatever its text: it would be a write per retry.
  if (others.length < conditions.length) return conditions
  const difference = counts.active - (replicaSet.spec?.replicas ?? 1)
  const reason = difference < 0 ? 'FailedCreate' : difference > 0 ? 'FailedDelete' : ''
  return [
    ...others,
    { type: 'ReplicaFailure', status: 'True', lastTransitionTime: formatTime(now), reason, message: failure },
  ]
}
