import { findCondition } from '../../api/conditions.ts'
import { deepEqual } from '../../api/equality.ts'
import type { Condition, ConditionStatus } from '../../api/objects/meta.ts'
import type { Deployment, ReplicaSet } from '../../api/objects/workloads.ts'
import { formatTime, parseTime } from '../../api/time.ts'
import { availableIn, type SetsByTemplate, wantedBy } from './replica-sets.ts'
import { maxUnavailable, progressDeadlineMs, replicasOf } from './rollout-limits.ts'

export type DeploymentStatus = NonNullable<Deployment['status']>

export function condition(
  type: string,
  status: ConditionStatus,
  reason: string,
  message: string,
  now: number,
): Condition {
  const time = formatTime(now)
  return { type, status, lastUpdateTime: time, lastTransitionTime: time, reason, message }
}

/** A condition with the same status and reason is kept, regardless of its message (v1.36, SetDeploymentCondition). */
export function withDeploymentCondition(
  conditions: readonly Condition[] | undefined,
  added: Condition,
): readonly Condition[] {
  const before = conditions ?? []
  const present = findCondition(before, added.type)
  if (present?.status === added.status && present.reason === added.reason) return before
  const lastTransitionTime = present?.status === added.status ? present.lastTransitionTime : added.lastTransitionTime
  const next = { ...added, ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }) }
  return [...without(before, added.type), next]
}

function without(conditions: readonly Condition[], type: string): readonly Condition[] {
  if (findCondition(conditions, type) === undefined) return conditions
  return conditions.filter((other) => other.type !== type)
}

/** The time of a status, and whether the status has the number of terminating pods. */
export interface StatusTime {
  readonly now: number
  /** DeploymentReplicaSetTerminatingReplicas. Default: true. */
  readonly reportsTerminating?: boolean
}

/** The counts, and whether enough pods are available (v1.36, deployment calculateStatus). */
export function countedStatus(
  deployment: Deployment,
  { newSet, all }: SetsByTemplate,
  { now, reportsTerminating = true }: StatusTime,
): DeploymentStatus {
  let replicas = 0
  let ready = 0
  let available = 0
  let wanted = 0
  for (const replicaSet of all) {
    replicas += replicaSet.status?.replicas ?? 0
    ready += replicaSet.status?.readyReplicas ?? 0
    available += availableIn(replicaSet)
    wanted += wantedBy(replicaSet)
  }
  const generation = deployment.metadata.generation ?? 0
  const updated = newSet?.status?.replicas ?? 0
  const unavailable = Math.max(0, wanted - available)
  const terminating = reportsTerminating ? terminatingIn(all) : undefined
  const collisionCount = deployment.status?.collisionCount
  const enough = available >= replicasOf(deployment) - maxUnavailable(deployment)
  // As in Go with `omitempty`, zero counters are omitted.
  const status: { -readonly [K in keyof DeploymentStatus]: DeploymentStatus[K] } = {}
  if (generation !== 0) status.observedGeneration = generation
  if (replicas !== 0) status.replicas = replicas
  if (updated !== 0) status.updatedReplicas = updated
  if (ready !== 0) status.readyReplicas = ready
  if (available !== 0) status.availableReplicas = available
  if (unavailable !== 0) status.unavailableReplicas = unavailable
  if (terminating !== undefined) status.terminatingReplicas = terminating
  if (collisionCount !== undefined) status.collisionCount = collisionCount
  status.conditions = withAvailability(deployment.status?.conditions, enough, now)
  return status
}

function withAvailability(
  conditions: readonly Condition[] | undefined,
  enough: boolean,
  now: number,
): readonly Condition[] {
  const status = enough ? 'True' : 'False'
  const reason = enough ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable'
  // The condition usually exists already, so no new one is allocated.
  const present = findCondition(conditions, 'Available')
  if (conditions !== undefined && present?.status === status && present.reason === reason) return conditions
  const message = enough ? 'Deployment has minimum availability.' : 'Deployment does not have minimum availability.'
  return withDeploymentCondition(conditions, condition('Available', status, reason, message, now))
}

/** Unknown if any controlled ReplicaSet does not report it. */
function terminatingIn(replicaSets: readonly ReplicaSet[]): number | undefined {
  let sum = 0
  for (const { status } of replicaSets) {
    if (status?.terminatingReplicas === undefined) {
      if ((status?.observedGeneration ?? 0) === 0) continue
      return undefined
    }
    sum += status.terminatingReplicas
  }
  return sum
}

export function isComplete(deployment: Deployment, status: DeploymentStatus | undefined): boolean {
  const replicas = replicasOf(deployment)
  return (
    (status?.updatedReplicas ?? 0) === replicas &&
    (status?.replicas ?? 0) === replicas &&
    (status?.availableReplicas ?? 0) === replicas &&
    (status?.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  )
}

/** The status during a rollout, with progress and failures (v1.36, syncRolloutStatus). */
export function rolloutStatus(deployment: Deployment, byTemplate: SetsByTemplate, time: StatusTime): DeploymentStatus {
  const { now } = time
  const status = countedStatus(deployment, byTemplate, time)
  const progressed = progressOf(deployment, status, byTemplate.newSet, now)
  const failure = replicaFailure(byTemplate)
  const conditions =
    failure === undefined ? without(progressed, 'ReplicaFailure') : withDeploymentCondition(progressed, failure)
  return conditions === status.conditions ? status : { ...status, conditions }
}

function progressOf(
  deployment: Deployment,
  status: DeploymentStatus,
  newSet: ReplicaSet | undefined,
  now: number,
): readonly Condition[] {
  const conditions = status.conditions ?? []
  if (progressDeadlineMs(deployment) === undefined) return without(conditions, 'Progressing')
  const current = findCondition(deployment.status?.conditions, 'Progressing')
  const isOver =
    (status.replicas ?? 0) === (status.updatedReplicas ?? 0) && current?.reason === 'NewReplicaSetAvailable'
  if (isOver) return conditions
  const subject =
    newSet === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${newSet.metadata.name}"`
  const progressing = (truth: ConditionStatus, reason: string, what: string): Condition =>
    condition('Progressing', truth, reason, `${subject} ${what}`, now)
  if (isComplete(deployment, status)) {
    const done = progressing('True', 'NewReplicaSetAvailable', 'has successfully progressed.')
    return withDeploymentCondition(conditions, done)
  }
  if (hasProgressed(deployment.status, status)) {
    // The time is updated with each step although the reason stays: the deadline counts from the last step.
    const next = progressing('True', 'ReplicaSetUpdated', 'is progressing.')
    const since = current?.status === 'True' ? current.lastTransitionTime : next.lastTransitionTime
    return [
      ...without(conditions, 'Progressing'),
      { ...next, ...(since === undefined ? {} : { lastTransitionTime: since }) },
    ]
  }
  if (hasTimedOut(deployment, current, now)) {
    const late = progressing('False', 'ProgressDeadlineExceeded', 'has timed out progressing.')
    return withDeploymentCondition(conditions, late)
  }
  return conditions
}

function hasProgressed(before: DeploymentStatus | undefined, after: DeploymentStatus): boolean {
  const grown = (count: 'updatedReplicas' | 'readyReplicas' | 'availableReplicas'): boolean =>
    (after[count] ?? 0) > (before?.[count] ?? 0)
  const oldBefore = (before?.replicas ?? 0) - (before?.updatedReplicas ?? 0)
  const oldAfter = (after.replicas ?? 0) - (after.updatedReplicas ?? 0)
  return grown('updatedReplicas') || oldAfter < oldBefore || grown('readyReplicas') || grown('availableReplicas')
}

function hasTimedOut(deployment: Deployment, current: Condition | undefined, now: number): boolean {
  if (current === undefined || current.reason === 'NewReplicaSetAvailable') return false
  if (current.reason === 'ProgressDeadlineExceeded') return true
  const deadlineMs = progressDeadlineMs(deployment) ?? Number.POSITIVE_INFINITY
  return (parseTime(current.lastUpdateTime) ?? 0) + deadlineMs < now
}

/** The time to check whether the rollout is stuck, if a deadline is set (v1.36, requeueStuckDeployment). */
export function progressCheckAt(deployment: Deployment, status: DeploymentStatus, now: number): number | undefined {
  const current = findCondition(deployment.status?.conditions, 'Progressing')
  const deadlineMs = progressDeadlineMs(deployment)
  if (deadlineMs === undefined || current === undefined) return undefined
  if (isComplete(deployment, status) || current.reason === 'ProgressDeadlineExceeded') return undefined
  const dueAt = (parseTime(current.lastUpdateTime) ?? 0) + deadlineMs
  if (dueAt - now >= 1000) return dueAt + 1000
  return dueAt < now ? undefined : dueAt + 1
}

/** The failure of the new ReplicaSet takes precedence over those of the others. */
function replicaFailure({ newSet, old }: SetsByTemplate): Condition | undefined {
  for (const replicaSet of newSet === undefined ? old : [newSet, ...old]) {
    const found = findCondition(replicaSet.status?.conditions, 'ReplicaFailure')
    if (found !== undefined) {
      return {
        ...found,
        ...(found.lastTransitionTime === undefined ? {} : { lastUpdateTime: found.lastTransitionTime }),
      }
    }
  }
  return undefined
}

/**
 * The condition that stops the deadline during a pause, if it is missing. A rollout that has exceeded its deadline
 * keeps that condition (v1.36, checkPausedConditions).
 */
export function pauseCondition(deployment: Deployment, now: number): Condition | undefined {
  if (progressDeadlineMs(deployment) === undefined) return undefined
  const current = findCondition(deployment.status?.conditions, 'Progressing')
  if (current?.reason === 'ProgressDeadlineExceeded') return undefined
  const isPaused = deployment.spec?.paused === true
  if (isPaused === (current?.reason === 'DeploymentPaused')) return undefined
  return isPaused
    ? condition('Progressing', 'Unknown', 'DeploymentPaused', 'Deployment is paused', now)
    : condition('Progressing', 'Unknown', 'DeploymentResumed', 'Deployment is resumed', now)
}

export function sameStatus(a: DeploymentStatus | undefined, b: DeploymentStatus): boolean {
  return deepEqual(a ?? {}, b)
}
