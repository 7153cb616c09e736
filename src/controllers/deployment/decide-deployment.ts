import type { Call, CreateCall } from '../../api/call.ts'
import { findCondition, isPodTerminal } from '../../api/conditions.ts'
import { createCall, deleteCall, updateCall, updateStatusCall, withStatus } from '../../api/object-calls.ts'
import type { Condition, LabelSelector } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { Deployment, ReplicaSet } from '../../api/objects/workloads.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { annotations } from '../../api/well-known.ts'
import type { EventNote } from '../event-note.ts'
import { decideRolling } from './decide-rolling.ts'
import { decideScale, isScalingEvent } from './decide-scale.ts'
import {
  condition,
  countedStatus,
  type DeploymentStatus,
  isComplete,
  pauseCondition,
  progressCheckAt,
  rolloutStatus,
  type StatusTime,
  sameStatus,
  withDeploymentCondition,
} from './decide-status.ts'
import { newReplicaSet, refreshedReplicaSet } from './new-replica-set.ts'
import {
  activeAmong,
  olderFirst,
  revisionOf,
  type SetsByTemplate,
  setsByTemplate,
  sumOf,
  wantedBy,
} from './replica-sets.ts'
import { type Planned, type Resize, resizeCalls, scaled } from './resizing.ts'
import { historyLimit, isRollingUpdate, progressDeadlineMs, replicasOf } from './rollout-limits.ts'

export interface DeploymentInput {
  readonly deployment: Deployment
  /** The ReplicaSets that the Deployment controls and selects. */
  readonly replicaSets: readonly ReplicaSet[]
  readonly podsOf: (replicaSet: ReplicaSet) => readonly Pod[]
  /** The ReplicaSet that the last sync created. Its progress starts in this sync. */
  readonly created?: string | undefined
  readonly now: number
  /** Default: the default release. */
  readonly release?: KubernetesRelease
  readonly reportsTerminating?: boolean
}

/**
 * The next actions. Each action changes an object that wakes the Deployment again, so one sync of upstream is several
 * decisions here.
 */
export interface DeploymentDecision {
  readonly planned: readonly Planned<Call>[]
  readonly notes?: readonly EventNote[]
  readonly checkAt?: number | undefined
  /** The status is up to date, and the next decision does not depend on it. */
  readonly isCounted?: boolean
}

const none: readonly never[] = []
const nothing: DeploymentDecision = { planned: none }

export function decideDeployment(input: DeploymentInput): DeploymentDecision {
  const { deployment, now } = input
  if (selectsEverything(deployment.spec?.selector)) return refuse(deployment)
  const byTemplate = setsByTemplate(deployment, input.replicaSets)
  if (deployment.metadata.deletionTimestamp !== undefined) {
    return planStatus(deployment, countedStatus(deployment, byTemplate, input))
  }
  const paused = pauseCondition(deployment, now)
  if (paused !== undefined) return withConditions(deployment, paused)
  const synced = syncNewSet(input, byTemplate)
  if (synced !== undefined) return synced
  if (deployment.spec?.paused === true || isScalingEvent(deployment, byTemplate)) return sync(input, byTemplate)
  return isRollingUpdate(deployment) ? roll(input, byTemplate) : recreate(input, byTemplate)
}

/** The selector matches all pods, so only a warning is recorded. */
function refuse(deployment: Deployment): DeploymentDecision {
  const message = 'This deployment is selecting all pods. A non-empty selector is required.'
  const notes: readonly EventNote[] = [{ type: 'Warning', reason: 'SelectingAll', message }]
  const generation = deployment.metadata.generation ?? 0
  if ((deployment.status?.observedGeneration ?? 0) >= generation) return { ...nothing, notes }
  return { ...planStatus(deployment, { ...deployment.status, observedGeneration: generation }), notes }
}

function selectsEverything(selector: LabelSelector | undefined): boolean {
  return (
    selector !== undefined &&
    Object.keys(selector.matchLabels ?? {}).length === 0 &&
    (selector.matchExpressions ?? []).length === 0
  )
}

/** First, copies the annotations and the revision from the Deployment to the current ReplicaSet. */
function syncNewSet(
  { deployment, created, now }: DeploymentInput,
  byTemplate: SetsByTemplate,
): DeploymentDecision | undefined {
  const { newSet } = byTemplate
  if (newSet === undefined) return undefined
  const refreshed = refreshedReplicaSet(deployment, newSet, byTemplate)
  if (refreshed !== undefined) return plan(updateCall('replicasets.apps', refreshed))
  const revision = newSet.metadata.annotations?.[annotations.deploymentRevision] ?? ''
  const isRevised = deployment.metadata.annotations?.[annotations.deploymentRevision] === revision
  const progress = firstProgress(deployment, newSet, created, now)
  if (isRevised && progress === undefined) return undefined
  const revised = {
    ...deployment,
    metadata: {
      ...deployment.metadata,
      annotations: { ...deployment.metadata.annotations, [annotations.deploymentRevision]: revision },
    },
  }
  if (progress !== undefined) return withConditions(revised, progress)
  return plan(updateStatusCall('deployments.apps', revised))
}

function firstProgress(
  deployment: Deployment,
  newSet: ReplicaSet,
  created: string | undefined,
  now: number,
): Condition | undefined {
  if (progressDeadlineMs(deployment) === undefined) return undefined
  const { name } = newSet.metadata
  const current = findCondition(deployment.status?.conditions, 'Progressing')
  if (created === name) {
    if (current?.status === 'True' && current.reason === 'NewReplicaSetCreated') return undefined
    return condition('Progressing', 'True', 'NewReplicaSetCreated', `Created new replica set "${name}"`, now)
  }
  if (current !== undefined) return undefined
  return condition('Progressing', 'True', 'FoundNewReplicaSet', `Found new replica set "${name}"`, now)
}

/** Handles a change of scale or a pause. */
function sync(input: DeploymentInput, byTemplate: SetsByTemplate): DeploymentDecision {
  const { deployment } = input
  const planned = [
    ...resizeCalls(deployment, decideScale(deployment, byTemplate)),
    ...(deployment.spec?.paused === true ? cleanUp(deployment, byTemplate) : []),
  ]
  return planStatus(deployment, countedStatus(deployment, byTemplate, input), planned)
}

function roll(input: DeploymentInput, byTemplate: SetsByTemplate): DeploymentDecision {
  const { deployment } = input
  const { newSet } = byTemplate
  if (newSet === undefined) return create(input, byTemplate)
  const resizes = decideRolling(deployment, { ...byTemplate, newSet })
  return goOn(input, byTemplate, resizes)
}

function recreate(input: DeploymentInput, byTemplate: SetsByTemplate): DeploymentDecision {
  const { deployment } = input
  const { newSet, old } = byTemplate
  const down = activeAmong(old).map((replicaSet): Resize => ({ replicaSet, sizes: [0] }))
  if (down.length > 0) return goOn(input, byTemplate, down)
  if (oldPodsRun(input, byTemplate)) return rolloutStep(input, byTemplate, [])
  if (newSet === undefined) return create(input, byTemplate)
  return goOn(input, byTemplate, [{ replicaSet: newSet, sizes: [replicasOf(deployment)] }])
}

/** Terminating pods still run. */
function oldPodsRun({ podsOf }: DeploymentInput, { old }: SetsByTemplate): boolean {
  if (sumOf(old, ({ status }) => status?.replicas ?? 0) > 0) return true
  return old.some((replicaSet) => podsOf(replicaSet).some((pod) => !isPodTerminal(pod)))
}

function goOn(input: DeploymentInput, byTemplate: SetsByTemplate, resizes: readonly Resize[]): DeploymentDecision {
  const { deployment } = input
  const planned: readonly Planned<Call>[] = resizeCalls(deployment, resizes)
  if (planned.length > 0) return rolloutStep(input, byTemplate, planned)
  const isDone = isComplete(deployment, deployment.status)
  return rolloutStep(input, byTemplate, isDone ? cleanUp(deployment, byTemplate) : [])
}

/** The decision if only the counts of the single ReplicaSet have changed since the last one. */
export function decideCounts(deployment: Deployment, only: ReplicaSet, time: StatusTime): DeploymentDecision {
  return rolloutStep({ deployment, ...time }, { newSet: only, old: none, all: [only] }, none)
}

function rolloutStep(
  time: Pick<DeploymentInput, 'deployment' | 'now' | 'reportsTerminating'>,
  byTemplate: SetsByTemplate,
  planned: readonly Planned<Call>[],
): DeploymentDecision {
  const { deployment, now } = time
  const status = rolloutStatus(deployment, byTemplate, time)
  const checkAt = progressCheckAt(deployment, status, now)
  return { planned: planStatus(deployment, status, planned).planned, checkAt, isCounted: true }
}

function create({ deployment, release }: DeploymentInput, byTemplate: SetsByTemplate): DeploymentDecision {
  const replicaSet = newReplicaSet(deployment, byTemplate, release)
  const size = wantedBy(replicaSet)
  const notes = size > 0 ? [scaled(replicaSet.metadata.name, 0, size)] : []
  return { planned: [{ call: createCall('replicasets.apps', replicaSet), notes }] }
}

/**
 * Deletes old ReplicaSets beyond the limit, lowest revision first. A ReplicaSet that may still have pods is kept and
 * counts.
 */
function cleanUp(deployment: Deployment, { old }: SetsByTemplate): readonly Planned<Call>[] {
  const limit = historyLimit(deployment)
  if (limit === undefined) return []
  const alive = old.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  return [...alive]
    .sort((a, b) => byRevision(a, b) || olderFirst(a, b))
    .slice(0, Math.max(0, alive.length - limit))
    .filter(isEmpty)
    .map((replicaSet) => ({ call: deleteCall('replicasets.apps', replicaSet), notes: [] }))
}

function isEmpty({ spec, status, metadata }: ReplicaSet): boolean {
  const isObserved = (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0)
  return (status?.replicas ?? 0) === 0 && (spec?.replicas ?? 1) === 0 && isObserved
}

/** The reaction to a failed creation: another name, or a reported failure. */
export function decideAfterFailedCreate(
  deployment: Deployment,
  call: CreateCall,
  failure: { readonly reason?: string; readonly message?: string },
  now: number,
): DeploymentDecision {
  if (failure.reason === 'AlreadyExists') {
    const collisionCount = (deployment.status?.collisionCount ?? 0) + 1
    return planStatus(deployment, { ...deployment.status, collisionCount })
  }
  const message = `Failed to create new replica set "${call.object.metadata.name}": ${failure.message ?? ''}`
  const notes: readonly EventNote[] = [{ type: 'Warning', reason: 'ReplicaSetCreateError', message }]
  if (progressDeadlineMs(deployment) === undefined) return { ...nothing, notes }
  const failed = condition('Progressing', 'False', 'ReplicaSetCreateError', message, now)
  return { ...withConditions(deployment, failed), notes }
}

function plan(call: Call): DeploymentDecision {
  return { planned: [{ call, notes: [] }] }
}

function withConditions(deployment: Deployment, added: Condition): DeploymentDecision {
  const conditions = withDeploymentCondition(deployment.status?.conditions, added)
  return plan(
    updateStatusCall('deployments.apps', { ...deployment, status: { ...deployment.status, conditions } } as Deployment),
  )
}

function planStatus(
  deployment: Deployment,
  status: DeploymentStatus,
  planned: readonly Planned<Call>[] = [],
): DeploymentDecision {
  if (sameStatus(deployment.status, status)) return { planned }
  const call = updateStatusCall('deployments.apps', withStatus(deployment, status))
  return { planned: planned.length === 0 ? [{ call, notes: none }] : [...planned, { call, notes: none }] }
}

export function isSameIntent(deployment: Deployment, replicaSet: ReplicaSet): boolean {
  return setsByTemplate(deployment, [replicaSet]).newSet !== undefined
}

function byRevision(a: ReplicaSet, b: ReplicaSet): number {
  const [first, second] = [revisionOf(a) ?? 0n, revisionOf(b) ?? 0n]
  return first < second ? -1 : first > second ? 1 : 0
}
