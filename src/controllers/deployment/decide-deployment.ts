import type { Call, CreateCall } from '../../api/call.ts'
import { findCondition, isPodTerminal } from '../../api/conditions.ts'
import type { Condition, LabelSelector } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { Deployment, ReplicaSet } from '../../api/objects/workloads.ts'
import { annotations } from '../../api/well-known.ts'
import type { Note } from '../note.ts'
import { createCall, deleteCall, updateCall, updateStatusCall, withStatus } from '../object-calls.ts'
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
  sameStatus,
  withDeploymentCondition,
} from './decide-status.ts'
import { newReplicaSet, refreshedReplicaSet } from './new-replica-set.ts'
import {
  activeAmong,
  type Generations,
  generationsOf,
  olderFirst,
  revisionOf,
  sumOf,
  wantedBy,
} from './replica-sets.ts'
import { type Planned, type Resize, resizeCalls, scaled } from './resizing.ts'
import { historyLimit, isRollingUpdate, progressDeadlineMs, replicasOf } from './rollout-limits.ts'

export interface DeploymentInput {
  readonly deployment: Deployment
  /** Those it controls and selects. */
  readonly replicaSets: readonly ReplicaSet[]
  readonly podsOf: (replicaSet: ReplicaSet) => readonly Pod[]
  /** The ReplicaSet that the last pass created: its progress begins here. */
  readonly created?: string | undefined
  readonly now: number
}

/**
 * What to do now. Whatever is decided here changes an object that wakes the Deployment, and the next decision goes on
 * from there: one pass of upstream's sync is a few decisions of this.
 */
export interface DeploymentDecision {
  readonly planned: readonly Planned<Call>[]
  readonly notes?: readonly Note[]
  readonly checkAt?: number | undefined
  /** The status says how far the rollout is; there is nothing in it that the next decision would go on from. */
  readonly isCounted?: boolean
}

const NONE: readonly never[] = []
const NOTHING: DeploymentDecision = { planned: NONE }

export function decideDeployment(input: DeploymentInput): DeploymentDecision {
  const { deployment, now } = input
  if (selectsEverything(deployment.spec?.selector)) return refuse(deployment)
  const generations = generationsOf(deployment, input.replicaSets)
  if (deployment.metadata.deletionTimestamp !== undefined) {
    return planStatus(deployment, countedStatus(deployment, generations, now))
  }
  const paused = pauseCondition(deployment, now)
  if (paused !== undefined) return withConditions(deployment, paused)
  const synced = syncYoung(input, generations)
  if (synced !== undefined) return synced
  if (deployment.spec?.paused === true || isScalingEvent(deployment, generations)) return sync(input, generations)
  return isRollingUpdate(deployment) ? roll(input, generations) : recreate(input, generations)
}

/** Pods of everybody would be its own: nothing is done but to say so. */
function refuse(deployment: Deployment): DeploymentDecision {
  const message = 'This deployment is selecting all pods. A non-empty selector is required.'
  const notes: readonly Note[] = [{ type: 'Warning', reason: 'SelectingAll', message }]
  const generation = deployment.metadata.generation ?? 0
  if ((deployment.status?.observedGeneration ?? 0) >= generation) return { ...NOTHING, notes }
  return { ...planStatus(deployment, { ...deployment.status, observedGeneration: generation }), notes }
}

function selectsEverything(selector: LabelSelector | undefined): boolean {
  return (
    selector !== undefined &&
    Object.keys(selector.matchLabels ?? {}).length === 0 &&
    (selector.matchExpressions ?? []).length === 0
  )
}

/** The present ReplicaSet and the Deployment agree on annotations and revision before anything else happens. */
function syncYoung(
  { deployment, created, now }: DeploymentInput,
  generations: Generations,
): DeploymentDecision | undefined {
  const { young } = generations
  if (young === undefined) return undefined
  const refreshed = refreshedReplicaSet(deployment, young, generations)
  if (refreshed !== undefined) return plan(updateCall('replicasets.apps', refreshed))
  const revision = young.metadata.annotations?.[annotations.deploymentRevision] ?? ''
  const isRevised = deployment.metadata.annotations?.[annotations.deploymentRevision] === revision
  const progress = firstProgress(deployment, young, created, now)
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
  young: ReplicaSet,
  created: string | undefined,
  now: number,
): Condition | undefined {
  if (progressDeadlineMs(deployment) === undefined) return undefined
  const { name } = young.metadata
  const current = findCondition(deployment.status?.conditions, 'Progressing')
  if (created === name) {
    if (current?.status === 'True' && current.reason === 'NewReplicaSetCreated') return undefined
    return condition('Progressing', 'True', 'NewReplicaSetCreated', `Created new replica set "${name}"`, now)
  }
  if (current !== undefined) return undefined
  return condition('Progressing', 'True', 'FoundNewReplicaSet', `Found new replica set "${name}"`, now)
}

/** A change of scale, or a pause. */
function sync({ deployment, now }: DeploymentInput, generations: Generations): DeploymentDecision {
  const planned = [
    ...resizeCalls(deployment, decideScale(deployment, generations)),
    ...(deployment.spec?.paused === true ? cleanUp(deployment, generations) : []),
  ]
  return planStatus(deployment, countedStatus(deployment, generations, now), planned)
}

function roll(input: DeploymentInput, generations: Generations): DeploymentDecision {
  const { deployment } = input
  const { young } = generations
  if (young === undefined) return create(deployment, generations)
  const resizes = decideRolling(deployment, { ...generations, young })
  return goOn(input, generations, resizes)
}

function recreate(input: DeploymentInput, generations: Generations): DeploymentDecision {
  const { deployment } = input
  const { young, old } = generations
  const down = activeAmong(old).map((replicaSet): Resize => ({ replicaSet, sizes: [0] }))
  if (down.length > 0) return goOn(input, generations, down)
  if (oldPodsRun(input, generations)) return rolloutStep(input, generations, [])
  if (young === undefined) return create(deployment, generations)
  return goOn(input, generations, [{ replicaSet: young, sizes: [replicasOf(deployment)] }])
}

/** Pods that are on their way out run, too. */
function oldPodsRun({ podsOf }: DeploymentInput, { old }: Generations): boolean {
  if (sumOf(old, ({ status }) => status?.replicas ?? 0) > 0) return true
  return old.some((replicaSet) => podsOf(replicaSet).some((pod) => !isPodTerminal(pod)))
}

function goOn(input: DeploymentInput, generations: Generations, resizes: readonly Resize[]): DeploymentDecision {
  const { deployment } = input
  const planned: readonly Planned<Call>[] = resizeCalls(deployment, resizes)
  if (planned.length > 0) return rolloutStep(input, generations, planned)
  const isDone = isComplete(deployment, deployment.status)
  return rolloutStep(input, generations, isDone ? cleanUp(deployment, generations) : [])
}

/** The decision where nothing but the counts of the only ReplicaSet has changed since the last one (see Footing). */
export function decideCounts(deployment: Deployment, only: ReplicaSet, now: number): DeploymentDecision {
  return rolloutStep({ deployment, now }, { young: only, old: NONE, all: [only] }, NONE)
}

function rolloutStep(
  { deployment, now }: Pick<DeploymentInput, 'deployment' | 'now'>,
  generations: Generations,
  planned: readonly Planned<Call>[],
): DeploymentDecision {
  const status = rolloutStatus(deployment, generations, now)
  const checkAt = progressCheckAt(deployment, status, now)
  return { planned: planStatus(deployment, status, planned).planned, checkAt, isCounted: true }
}

function create(deployment: Deployment, generations: Generations): DeploymentDecision {
  const replicaSet = newReplicaSet(deployment, generations)
  const size = wantedBy(replicaSet)
  const notes = size > 0 ? [scaled(replicaSet.metadata.name, 0, size)] : []
  return { planned: [{ call: createCall('replicasets.apps', replicaSet), notes }] }
}

/** Old ReplicaSets beyond the limit, lowest revision first; one that may still have pods stays and counts. */
function cleanUp(deployment: Deployment, { old }: Generations): readonly Planned<Call>[] {
  const limit = historyLimit(deployment)
  if (limit === undefined) return []
  const alive = old.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  return [...alive]
    .sort((a, b) => (revisionOf(a) ?? 0) - (revisionOf(b) ?? 0) || olderFirst(a, b))
    .slice(0, Math.max(0, alive.length - limit))
    .filter(isEmpty)
    .map((replicaSet) => ({ call: deleteCall('replicasets.apps', replicaSet), notes: [] }))
}

function isEmpty({ spec, status, metadata }: ReplicaSet): boolean {
  const isObserved = (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0)
  return (status?.replicas ?? 0) === 0 && (spec?.replicas ?? 1) === 0 && isObserved
}

/** The outcome of a creation that failed: another of that name, or a failure to tell. */
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
  const notes: readonly Note[] = [{ type: 'Warning', reason: 'ReplicaSetCreateError', message }]
  if (progressDeadlineMs(deployment) === undefined) return { ...NOTHING, notes }
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
  return { planned: planned.length === 0 ? [{ call, notes: NONE }] : [...planned, { call, notes: NONE }] }
}

export function isSameIntent(deployment: Deployment, replicaSet: ReplicaSet): boolean {
  return generationsOf(deployment, [replicaSet]).young !== undefined
}
