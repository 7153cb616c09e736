import { findCondition, withCondition } from '../../api/conditions.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { StatefulSet } from '../../api/objects/workloads.ts'
import { formatTime } from '../../api/time.ts'
import { isPodAvailable } from '../pod-activity.ts'
import { withoutZeros } from '../without-zeros.ts'
import { isRunningAndReady, type StatefulSetRules } from './decide-stateful-set.ts'
import { replicasOf, revisionNameOf } from './identity.ts'

type StatefulSetStatus = NonNullable<StatefulSet['status']>

export interface StatefulSetStatusInput {
  readonly set: StatefulSet
  readonly pods: readonly Pod[]
  readonly current: string
  readonly update: string
  readonly collisionCount: number
  readonly leavingCurrent: number
  readonly progress?: string | undefined
  readonly now: number
  readonly rules: Pick<StatefulSetRules, 'completesOnDelete' | 'recreates'>
}

/** The status to write, or nothing if it is up to date. */
export function decideStatus(input: StatefulSetStatusInput): StatefulSetStatus | undefined {
  const { set } = input
  const status = completed(input, countedStatus(input))
  const old = set.status
  const isSame =
    old !== undefined &&
    (status.observedGeneration ?? 0) <= (old.observedGeneration ?? 0) &&
    counters.every((counter) => (status[counter] ?? 0) === (old[counter] ?? 0)) &&
    status.currentRevision === old.currentRevision &&
    status.updateRevision === old.updateRevision &&
    status.conditions === old.conditions
  return isSame ? undefined : status
}

const counters = ['replicas', 'readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'] as const

function countedStatus({
  set,
  pods,
  current,
  update,
  collisionCount,
  leavingCurrent,
  progress,
  now,
}: StatefulSetStatusInput): StatefulSetStatus {
  let readyReplicas = 0
  let availableReplicas = 0
  let currentReplicas = -leavingCurrent
  let updatedReplicas = 0
  for (const pod of pods) {
    if (isRunningAndReady(pod)) {
      readyReplicas++
      if (isPodAvailable(pod, set.spec?.minReadySeconds ?? 0, now)) availableReplicas++
    }
    if (pod.metadata.deletionTimestamp !== undefined) continue
    const revision = revisionNameOf(pod)
    if (revision === current) currentReplicas++
    if (revision === update) updatedReplicas++
  }
  const conditions =
    progress === undefined
      ? set.status?.conditions
      : withProgress(set.status?.conditions, 'True', 'RecreateInProgress', progress, now)
  return {
    replicas: pods.length,
    ...withoutZeros({
      observedGeneration: set.metadata.generation ?? 0,
      readyReplicas,
      currentReplicas: Math.max(0, currentReplicas),
      updatedReplicas,
    }),
    availableReplicas,
    currentRevision: current,
    updateRevision: update,
    collisionCount,
    ...(conditions === undefined ? {} : { conditions }),
  }
}

type Conditions = StatefulSetStatus['conditions']

function withProgress(
  conditions: Conditions,
  status: 'True' | 'False',
  reason: string,
  message: string,
  now: number,
): NonNullable<Conditions> {
  return withCondition(conditions, { type: 'Progressing', status, reason, message }, formatTime(now))
}

/** When every pod has the new revision and is ready, the new revision becomes the current one. */
function completed({ set, rules, now }: StatefulSetStatusInput, status: StatefulSetStatus): StatefulSetStatus {
  const { completesOnDelete, recreates } = rules
  const replicas = replicasOf(set)
  const isRolling = (set.spec?.updateStrategy?.type ?? 'RollingUpdate') === 'RollingUpdate'
  const isComplete = [status.updatedReplicas, status.readyReplicas, status.replicas].every((n) => (n ?? 0) === replicas)
  if (!(isRolling || completesOnDelete) || !isComplete) return status
  const { currentReplicas: _, ...rest } = status
  const isRecreated = recreates && set.spec?.updateStrategy?.type === 'Recreate'
  const { conditions } = status
  const recreated =
    isRecreated && findCondition(conditions, 'Progressing') !== undefined
      ? withProgress(conditions, 'False', 'RecreateCompleted', 'All pods recreated successfully', now)
      : undefined
  return {
    ...rest,
    ...(recreated === undefined ? {} : { conditions: recreated }),
    ...withoutZeros({ currentReplicas: status.updatedReplicas ?? 0 }),
    ...(status.updateRevision === undefined ? {} : { currentRevision: status.updateRevision }),
  }
}
