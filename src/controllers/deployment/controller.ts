import type { Call } from '../../api/call.ts'
import { deepEqual } from '../../api/equality.ts'
import { labelMatcher } from '../../api/label-selector.ts'
import { objectKey } from '../../api/object-key.ts'
import { referenceTo } from '../../api/object-reference.ts'
import type { Deployment, ReplicaSet } from '../../api/objects/workloads.ts'
import { controllerOf, isControlledBy } from '../../api/owner-references.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { defaultRelease } from '../../api/releases/release-of.ts'
import { reachedAt } from '../../base/clock.ts'
import type { ChangeOf, Controller, EventRecord } from '../../runtime/controller.ts'
import {
  type AfterResults,
  createReconcilerController,
  type KeyedResult,
  type ReconcileContext,
  type ReconcileResult,
} from '../../runtime/reconciler.ts'
import type { View } from '../../runtime/view.ts'
import { decideClaims } from '../claims.ts'
import { type EventNote, isNamespaceTerminating } from '../event-note.ts'
import { Orphans, withAdopters } from '../orphans.ts'
import { takeOwnStatus } from '../own-status.ts'
import { isCountOnlyChange } from './count-only.ts'
import {
  type DeploymentDecision,
  decideAfterFailedCreate,
  decideCounts,
  decideDeployment,
  isSameIntent,
} from './decide-deployment.ts'
import { isComplete } from './decide-status.ts'
import { deploymentKind } from './new-replica-set.ts'
import { type OwnedGroup, OwnedSets } from './owned-sets.ts'

export const deploymentController = 'deployment-controller'

/** The state of a Deployment from its calls to their outcomes, and from the outcomes to the next decision. */
interface DeploymentProgress {
  /** The notes of each call, recorded when the call has succeeded. */
  readonly notesOf: ReadonlyMap<Call, readonly EventNote[]>
  readonly notes: readonly EventNote[]
  readonly created?: string
  readonly failedCreate?: KeyedResult
}

interface DeploymentState {
  deployment: Deployment | undefined
  memory: DeploymentProgress
  /** The last status that was sent, if it differs only in counts. */
  sent: Deployment['status']
  /** Whether only counts can have changed since the last decision. */
  isCountOnly: boolean
}

const blank: DeploymentProgress = { notesOf: new Map(), notes: [] }
const nothing: readonly never[] = []

export interface DeploymentOptions {
  readonly release?: KubernetesRelease
}

export function createDeploymentController({ release = defaultRelease }: DeploymentOptions = {}): Controller {
  const state = new Deployments(release)
  return createReconcilerController({
    name: deploymentController,
    wakes: {
      'deployments.apps': (change) => state.deploymentChanged(change),
      'replicasets.apps': (change, view) => state.replicaSetChanged(change, view),
      pods: (change, view) => recreatedBy(change, view),
    },
    reconcile: (key, context) => state.reconcile(key, context),
    onResults: (key, results, { view }) => state.takeResults(key, results, view),
  })
}

class Deployments {
  private readonly orphans = new Orphans<ReplicaSet>()
  private readonly known = new Map<string, DeploymentState>()
  private readonly owned = new OwnedSets()
  readonly release: KubernetesRelease
  readonly reportsTerminating: boolean

  constructor(release: KubernetesRelease) {
    this.release = release
    this.reportsTerminating = release.gates.has('DeploymentReplicaSetTerminatingReplicas')
  }

  replicaSetChanged(change: ChangeOf<'replicasets.apps'>, view: View): string | readonly string[] | undefined {
    const owners = this.owned.note(change)
    const orphan = this.orphans.note(change)
    if (orphan === undefined) return owners
    const deployments = view.list('deployments.apps', orphan.metadata.namespace)
    const selective = deployments.filter(({ spec }) => !labelMatcher(spec?.selector).everything)
    return withAdopters(owners, orphan, selective)
  }

  deploymentChanged(change: ChangeOf<'deployments.apps'>): string | undefined {
    const { key, before, after } = change
    const known = this.known.get(key)
    if (known === undefined) {
      this.known.set(key, { deployment: after, memory: blank, sent: undefined, isCountOnly: false })
      return key
    }
    known.deployment = after
    if (before === undefined || after === undefined || !isCountOnlyChange(before, after)) known.isCountOnly = false
    return takeOwnStatus(known, change) && decidesTheSame(change) ? undefined : key
  }

  reconcile(key: string, context: ReconcileContext): ReconcileResult | undefined {
    const known = this.known.get(key)
    if (known === undefined) return undefined
    const { deployment, memory } = known
    const group = this.owned.of(deployment?.metadata.uid)
    if (memory === blank && deployment !== undefined && this.stands(known, deployment, group)) {
      return count(known, deployment, group?.sets[0] as ReplicaSet, context, this)
    }
    known.memory = blank
    if (deployment?.spec === undefined) {
      known.sent = undefined
      known.isCountOnly = false
      if (deployment === undefined) this.known.delete(key)
      return undefined
    }
    const sets = group?.sets ?? nothing
    const claims = this.claims(deployment, sets)
    if (claims.length > 0) {
      known.memory = memory
      return { actions: claims.map((call) => context.call(call)) }
    }
    const decision = decide(deployment, sets, memory, context, this)
    remember(known, decision, deployment, group)
    const notes = [...memory.notes, ...(decision.notes ?? [])]
    return {
      actions: decision.planned.map(({ call }) => context.call(call)),
      events: notes.map((note) => eventOf(deployment, note)),
      ...(decision.checkAt === undefined ? {} : { wakeAt: reachedAt(decision.checkAt, context) }),
      // A failed creation is retried after the failure is written to the status.
      ...(memory.failedCreate === undefined ? {} : { retry: true }),
    }
  }

  /** Reports whether only counts can have changed since the last decision about a Deployment and its ReplicaSet. */
  private stands({ isCountOnly }: DeploymentState, { metadata }: Deployment, group: OwnedGroup | undefined): boolean {
    if (!isCountOnly || group === undefined || group.hasChanged) return false
    return group.sets.length === 1 && !this.orphans.has(metadata.namespace)
  }

  takeResults(key: string, results: readonly KeyedResult[], view: View): AfterResults | undefined {
    const known = this.known.get(key)
    if (known === undefined || known.memory === blank) return undefined
    const { memory } = known
    const notes: EventNote[] = [...memory.notes]
    let next: DeploymentProgress = { ...memory, notesOf: new Map() }
    let after: AfterResults | undefined
    for (const result of results) {
      const { call, outcome } = result
      if (outcome.ok) notes.push(...(memory.notesOf.get(call) ?? []))
      if (call.verb !== 'create') continue
      if (outcome.ok) next = { ...next, created: call.object.metadata.name }
      else if (isNamespaceTerminating(outcome)) after = 'done'
      else if (isOwnDoing(key, result, view)) after = 'retry'
      else {
        next = { ...next, failedCreate: result }
        after = 'again'
      }
    }
    known.memory = { ...next, notes }
    return after ?? (notes.length > 0 ? 'again' : undefined)
  }

  private claims(deployment: Deployment, sets: readonly ReplicaSet[]): readonly Call[] {
    const { namespace } = deployment.metadata
    const owner = { owner: deployment, kind: deploymentKind, selector: labelMatcher(deployment.spec?.selector) }
    if (owner.selector.everything) return []
    return [
      ...decideClaims('replicasets.apps', owner, sets),
      ...decideClaims('replicasets.apps', owner, this.orphans.in(namespace)),
    ]
  }
}

/**
 * Reports whether a changed status does not affect the decision. A complete rollout has old ReplicaSets to clean up.
 */
function decidesTheSame({ before, after }: ChangeOf<'deployments.apps'>): boolean {
  return (
    after !== undefined &&
    before?.metadata.annotations === after.metadata.annotations &&
    deepEqual(after.status?.conditions, before?.status?.conditions) &&
    !isComplete(after, after.status)
  )
}

function count(
  known: DeploymentState,
  deployment: Deployment,
  only: ReplicaSet,
  context: ReconcileContext,
  { reportsTerminating }: ReleaseRules,
): ReconcileResult {
  const { planned, checkAt } = decideCounts(deployment, only, { now: context.wall, reportsTerminating })
  const call = planned[0]?.call
  known.sent = call?.verb === 'update' ? (call.object as Deployment).status : undefined
  const actions = call === undefined ? nothing : [context.call(call)]
  return checkAt === undefined ? { actions } : { actions, wakeAt: reachedAt(checkAt, context) }
}

function remember(
  known: DeploymentState,
  { planned, isCounted }: DeploymentDecision,
  deployment: Deployment,
  group: OwnedGroup | undefined,
): void {
  // An update without an event needs no entry.
  if (planned.some(({ call, notes }) => notes.length > 0 || call.verb !== 'update')) {
    known.memory = { notesOf: new Map(planned.map(({ call, notes }) => [call, notes])), notes: [] }
  }
  const only = isCounted === true && planned.length === 1 ? planned[0]?.call : undefined
  const isStatus = only?.verb === 'update' && only.subresource === 'status'
  known.sent = isStatus ? (only.object as Deployment).status : undefined
  known.isCountOnly = false
  if (group === undefined || isCounted !== true || (planned.length > 0 && !isStatus)) return
  const [replicaSet] = group.sets
  if (group.sets.length !== 1 || replicaSet === undefined || !isSameIntent(deployment, replicaSet)) return
  known.isCountOnly = true
  group.hasChanged = false
}

/** The rules that differ between releases. */
interface ReleaseRules {
  readonly release: KubernetesRelease
  readonly reportsTerminating: boolean
}

function decide(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  memory: DeploymentProgress,
  { view, wall }: ReconcileContext,
  { release, reportsTerminating }: ReleaseRules,
): DeploymentDecision {
  const { failedCreate, created } = memory
  if (failedCreate?.call.verb === 'create' && !failedCreate.outcome.ok) {
    return decideAfterFailedCreate(deployment, failedCreate.call, failedCreate.outcome.status, wall)
  }
  const selector = labelMatcher(deployment.spec?.selector)
  return decideDeployment({
    deployment,
    replicaSets: sets.filter(({ metadata }) => selector.matches(metadata.labels)),
    podsOf: (replicaSet) => view.controlledBy('pods', replicaSet.metadata.uid ?? ''),
    created,
    now: wall,
    release,
    reportsTerminating,
  })
}

/**
 * Reports whether the ReplicaSet already exists because an earlier attempt created it: it belongs to the Deployment and
 * has its template.
 */
function isOwnDoing(key: string, { call, outcome }: KeyedResult, view: View): boolean {
  if (call.verb !== 'create' || outcome.ok || outcome.status.reason !== 'AlreadyExists') return false
  const deployment = view.get('deployments.apps', key)
  const existing = view.get('replicasets.apps', objectKey(call.namespace, call.object.metadata.name))
  if (deployment === undefined || existing === undefined) return true
  return isControlledBy(existing, deployment) && isSameIntent(deployment, existing)
}

/** A Deployment with the strategy Recreate waits until the last of its old pods is deleted. */
function recreatedBy({ before, after }: ChangeOf<'pods'>, view: View): string | undefined {
  if (before === undefined || after !== undefined) return undefined
  const owner = controllerOf(before)
  if (owner?.kind !== 'ReplicaSet') return undefined
  const { namespace } = before.metadata
  const replicaSet = view.get('replicasets.apps', objectKey(namespace, owner.name))
  const grandOwner = replicaSet?.metadata.uid === owner.uid ? controllerOf(replicaSet) : undefined
  if (grandOwner?.kind !== 'Deployment') return undefined
  const key = objectKey(namespace, grandOwner.name)
  return view.get('deployments.apps', key)?.spec?.strategy?.type === 'Recreate' ? key : undefined
}

function eventOf(deployment: Deployment, note: EventNote): EventRecord {
  return { regarding: referenceTo(deployment, deploymentKind), api: 'core', ...note }
}
