import type { Call } from '../../api/call.ts'
import { deepEqual } from '../../api/equality.ts'
import { labelMatcher } from '../../api/label-selector.ts'
import { keyOf, objectKey } from '../../api/object-key.ts'
import type { Deployment, ReplicaSet } from '../../api/objects/workloads.ts'
import { controllerOf, isControlledBy } from '../../api/owner-references.ts'
import { type ChangeOf, type Controller, type EventRecord, referenceTo } from '../../runtime/controller.ts'
import {
  type AfterResults,
  controllerOfKind,
  createReconcilerController,
  type KeyedResult,
  type ReconcileContext,
  type ReconcileResult,
} from '../../runtime/reconciler.ts'
import type { View } from '../../runtime/view.ts'
import { decideClaims } from '../claims.ts'
import { isNamespaceTerminating, type Note } from '../note.ts'
import { Orphans } from '../orphans.ts'
import {
  type DeploymentDecision,
  decideAfterFailedCreate,
  decideCounts,
  decideDeployment,
  isSameIntent,
} from './decide-deployment.ts'
import { isComplete } from './decide-status.ts'
import { type Footing, footingOf, standsOn } from './footing.ts'
import { deploymentKind } from './new-replica-set.ts'

export const DEPLOYMENT_CONTROLLER = 'deployment-controller'

/** What is remembered of a Deployment from its calls to their outcomes, and from those to the next decision. */
interface Memory {
  /** Told when the call has succeeded. */
  readonly notesOf: ReadonlyMap<Call, readonly Note[]>
  readonly notes: readonly Note[]
  readonly created?: string
  readonly failedCreate?: KeyedResult
}

const BLANK: Memory = { notesOf: new Map(), notes: [] }
const NOTHING: readonly never[] = []

export function createDeploymentController(): Controller {
  const state = new Deployments()
  return createReconcilerController({
    name: DEPLOYMENT_CONTROLLER,
    wakes: {
      'deployments.apps': (change) => (state.isOwnStatus(change) ? undefined : change.key),
      'replicasets.apps': (change, view) => state.replicaSetChanged(change, view),
      pods: (change, view) => recreatedBy(change, view),
    },
    reconcile: (key, context) => state.reconcile(key, context),
    onResults: (key, results, { view }) => state.takeResults(key, results, view),
  })
}

const ownersOf = controllerOfKind('Deployment')

class Deployments {
  private readonly orphans = new Orphans<ReplicaSet>()
  private readonly memories = new Map<string, Memory>()
  /** The statuses that were last sent and hold nothing but counts. */
  private readonly sent = new Map<string, Deployment['status']>()
  private readonly footings = new Map<string, Footing>()

  replicaSetChanged(change: ChangeOf<'replicasets.apps'>, view: View): readonly string[] {
    const owners = ownersOf(change)
    const orphan = this.orphans.note(change)
    if (orphan === undefined) return owners
    const keys = [...owners]
    for (const deployment of view.list('deployments.apps', orphan.metadata.namespace)) {
      const selector = labelMatcher(deployment.spec?.selector)
      if (!selector.everything && selector.matches(orphan.metadata.labels)) keys.push(keyOf(deployment))
    }
    return keys
  }

  /**
   * Whether nothing came of a change but the status that was sent, without a new condition: then the decision would be the
   * one that was made when it was sent. A rollout that is complete has old ReplicaSets to clean up.
   */
  isOwnStatus({ key, before, after }: ChangeOf<'deployments.apps'>): boolean {
    const sent = this.sent.get(key)
    if (sent === undefined || before === undefined) return false
    this.sent.delete(key)
    return (
      after !== undefined &&
      before.metadata.uid === after.metadata.uid &&
      before.spec === after.spec &&
      before.metadata.annotations === after.metadata.annotations &&
      before.metadata.deletionTimestamp === after.metadata.deletionTimestamp &&
      deepEqual(after.status, sent) &&
      deepEqual(after.status?.conditions, before.status?.conditions) &&
      !isComplete(after, after.status)
    )
  }

  reconcile(key: string, context: ReconcileContext): ReconcileResult | undefined {
    const { view } = context
    const memory = this.memories.get(key) ?? BLANK
    const deployment = view.get('deployments.apps', key)
    if (memory === BLANK && deployment !== undefined) {
      const only = this.standing(key, deployment, view)
      if (only !== undefined) return this.count(key, deployment, only, context)
    } else this.memories.delete(key)
    if (deployment?.spec === undefined) {
      this.sent.delete(key)
      this.footings.delete(key)
      return undefined
    }
    const claims = this.claims(deployment, view)
    if (claims.length > 0) {
      this.memories.set(key, memory)
      return { actions: claims.map((call) => context.call(call)) }
    }
    const decision = decide(deployment, memory, context)
    this.remember(key, decision, deployment, view)
    const notes = [...memory.notes, ...(decision.notes ?? [])]
    return {
      actions: decision.planned.map(({ call }) => context.call(call)),
      events: notes.map((note) => eventOf(deployment, note)),
      ...(decision.checkAt === undefined ? {} : { wakeAt: decision.checkAt }),
      // A creation that failed is tried again once the failure is written down.
      ...(memory.failedCreate === undefined ? {} : { retry: true }),
    }
  }

  /** The ReplicaSet of a Deployment of which nothing but counts can have changed since it was last decided on. */
  private standing(key: string, deployment: Deployment, view: View): ReplicaSet | undefined {
    const footing = this.footings.get(key)
    if (footing === undefined || this.orphans.has(deployment.metadata.namespace)) return undefined
    const only = onlyOf(deployment, view)
    return only !== undefined && standsOn(footing, deployment, only) ? only : undefined
  }

  private count(key: string, deployment: Deployment, only: ReplicaSet, context: ReconcileContext): ReconcileResult {
    const { planned, checkAt } = decideCounts(deployment, only, context.now)
    const call = planned[0]?.call
    if (call?.verb === 'update') this.sent.set(key, (call.object as Deployment).status)
    else this.sent.delete(key)
    const actions = call === undefined ? NOTHING : [context.call(call)]
    return checkAt === undefined ? { actions } : { actions, wakeAt: checkAt }
  }

  private remember(key: string, { planned, isCounted }: DeploymentDecision, deployment: Deployment, view: View): void {
    // Of updates that nobody is told of there is nothing to remember.
    if (planned.some(({ call, notes }) => notes.length > 0 || call.verb !== 'update')) {
      this.memories.set(key, { notesOf: new Map(planned.map(({ call, notes }) => [call, notes])), notes: [] })
    }
    const only = isCounted === true && planned.length === 1 ? planned[0]?.call : undefined
    const isStatus = only?.verb === 'update' && only.subresource === 'status'
    if (isStatus) this.sent.set(key, (only.object as Deployment).status)
    else this.sent.delete(key)
    const replicaSet = isCounted === true && (planned.length === 0 || isStatus) ? onlyOf(deployment, view) : undefined
    if (replicaSet !== undefined && isSameIntent(deployment, replicaSet)) {
      this.footings.set(key, footingOf(deployment, replicaSet))
    } else this.footings.delete(key)
  }

  takeResults(key: string, results: readonly KeyedResult[], view: View): AfterResults | undefined {
    const memory = this.memories.get(key)
    if (memory === undefined) return undefined
    const notes: Note[] = [...memory.notes]
    let next: Memory = { ...memory, notesOf: new Map() }
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
    this.memories.set(key, { ...next, notes })
    return after ?? (notes.length > 0 ? 'again' : undefined)
  }

  private claims(deployment: Deployment, view: View): readonly Call[] {
    const { namespace, uid } = deployment.metadata
    const owner = { owner: deployment, kind: deploymentKind, selector: labelMatcher(deployment.spec?.selector) }
    if (owner.selector.everything) return []
    return [
      ...decideClaims('replicasets.apps', owner, view.controlledBy('replicasets.apps', uid ?? '')),
      ...decideClaims('replicasets.apps', owner, this.orphans.in(namespace)),
    ]
  }
}

function onlyOf(deployment: Deployment, view: View): ReplicaSet | undefined {
  const owned = view.controlledBy('replicasets.apps', deployment.metadata.uid ?? '')
  return owned.length === 1 ? owned[0] : undefined
}

function decide(deployment: Deployment, memory: Memory, { view, now }: ReconcileContext): DeploymentDecision {
  const { failedCreate, created } = memory
  if (failedCreate?.call.verb === 'create' && !failedCreate.outcome.ok) {
    return decideAfterFailedCreate(deployment, failedCreate.call, failedCreate.outcome.status, now)
  }
  const selector = labelMatcher(deployment.spec?.selector)
  return decideDeployment({
    deployment,
    replicaSets: view
      .controlledBy('replicasets.apps', deployment.metadata.uid ?? '')
      .filter(({ metadata }) => selector.matches(metadata.labels)),
    podsOf: (replicaSet) => view.controlledBy('pods', replicaSet.metadata.uid ?? ''),
    created,
    now,
  })
}

/** The ReplicaSet is there, is the Deployment's own, and has its template: it was created by an earlier try. */
function isOwnDoing(key: string, { call, outcome }: KeyedResult, view: View): boolean {
  if (call.verb !== 'create' || outcome.ok || outcome.status.reason !== 'AlreadyExists') return false
  const deployment = view.get('deployments.apps', key)
  const existing = view.get('replicasets.apps', objectKey(call.namespace, call.object.metadata.name))
  if (deployment === undefined || existing === undefined) return true
  return isControlledBy(existing, deployment) && isSameIntent(deployment, existing)
}

/** A Deployment that recreates waits for the last of its old pods to be gone. */
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

function eventOf(deployment: Deployment, note: Note): EventRecord {
  return { regarding: referenceTo(deployment, deploymentKind), api: 'core', ...note }
}
