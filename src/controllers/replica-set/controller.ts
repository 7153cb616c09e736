import type { Call, Outcome } from '../../api/call.ts'
import { labelMatcher } from '../../api/label-selector.ts'
import { createCall, deleteCall, updateStatusCall, withStatus } from '../../api/object-calls.ts'
import { referenceTo } from '../../api/object-reference.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { ReplicaSet, ReplicationController } from '../../api/objects/workloads.ts'
import { controllerOf, controllerReference } from '../../api/owner-references.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { defaultRelease } from '../../api/releases/release-of.ts'
import { reachedAt } from '../../base/clock.ts'
import type { ChangeOf, Controller, EventRecord } from '../../runtime/controller.ts'
import {
  createReconcilerController,
  type KeyedResult,
  type ReconcileContext,
  type ReconcileResult,
} from '../../runtime/reconciler.ts'
import type { View } from '../../runtime/view.ts'
import { decideClaims } from '../claims.ts'
import {
  createdPod,
  deletedPod,
  type EventNote,
  failedCreate,
  failedDelete,
  isNamespaceTerminating,
} from '../event-note.ts'
import { Orphans, withAdopters } from '../orphans.ts'
import { takeOwnStatus } from '../own-status.ts'
import { type Availability, availabilityOf, isPodActive } from '../pod-activity.ts'
import { podFromTemplate } from '../pod-template.ts'
import { afterBatch, batchOf, type SlowStart, startSlowly } from '../slow-start.ts'
import { isUnchangedForOwner } from '../unchanged-pod.ts'
import { decideStatus } from './decide-status.ts'
import { podsToDelete } from './deletion-order.ts'
import { type PodCounts, PodTally } from './pod-tally.ts'

export const replicaSetController = 'replicaset-controller'
export const replicaSetKind = { apiVersion: 'apps/v1', kind: 'ReplicaSet' } as const

// v1.36, pkg/controller/replicaset BurstReplicas.
const burst = 500
const none: readonly never[] = []

/** The state of a set between the calls of one pass. */
interface SetPass {
  slowStart: SlowStart
  /** Notes that the next reconciliation records. */
  notes: EventNote[]
  /** The reason why the last calls failed. It is reported in the status, then the calls are retried. */
  failure?: string
  /** The namespace is terminating, so this pass creates nothing. */
  blocked?: boolean
}

/** ReplicaSets and ReplicationControllers differ only in their kind and in the form of their selector. */
interface Flavor {
  readonly resource: 'replicasets.apps' | 'replicationcontrollers'
  readonly kind: { readonly apiVersion: string; readonly kind: string }
  readonly sets: (view: View, namespace: string | undefined) => readonly ReplicaSet[]
}

const replicaSets: Flavor = {
  resource: 'replicasets.apps',
  kind: replicaSetKind,
  sets: (view, namespace) => view.list('replicasets.apps', namespace),
}

const replicationControllers: Flavor = {
  resource: 'replicationcontrollers',
  kind: { apiVersion: 'v1', kind: 'ReplicationController' },
  sets: (view, namespace) => view.list('replicationcontrollers', namespace).map(asReplicaSet),
}

const converted = new WeakMap<object, ReplicaSet['spec']>()

/** v1.36, pkg/controller/replication: a ReplicationController is handled as a ReplicaSet. */
function asReplicaSet(controller: ReplicationController): ReplicaSet {
  const { spec } = controller
  if (spec === undefined) return controller as ReplicaSet
  let known = converted.get(spec)
  if (known === undefined) {
    known = { ...spec, selector: { matchLabels: spec.selector ?? {} } }
    converted.set(spec, known)
  }
  return { ...controller, spec: known } as ReplicaSet
}

export interface ReplicaSetOptions {
  readonly release?: KubernetesRelease
}

export function createReplicaSetController(options: ReplicaSetOptions = {}): Controller {
  const state = new ReplicaSets(replicaSets, options)
  return createReconcilerController({
    name: replicaSetController,
    wakes: {
      'replicasets.apps': (change) => state.setChanged(change),
      pods: (change, view) => state.podChanged(change, view),
    },
    ignores: (change) => change.resource === 'pods' && isUnchangedForOwner(change),
    reconcile: (key, context) => state.reconcile(key, context),
    onResults: (key, results) => state.takeResults(key, results),
  })
}

export function createReplicationController(options: ReplicaSetOptions = {}): Controller {
  const state = new ReplicaSets(replicationControllers, options)
  return createReconcilerController({
    name: 'replication-controller',
    wakes: {
      replicationcontrollers: ({ key, before, after }) =>
        state.setChanged({
          resource: 'replicasets.apps',
          key,
          ...(before === undefined ? {} : { before: asReplicaSet(before) }),
          ...(after === undefined ? {} : { after: asReplicaSet(after) }),
        }),
      pods: (change, view) => state.podChanged(change, view),
    },
    ignores: (change) => change.resource === 'pods' && isUnchangedForOwner(change),
    reconcile: (key, context) => state.reconcile(key, context),
    onResults: (key, results) => state.takeResults(key, results),
  })
}

/** The state of a set between reconciliations. */
interface SetState {
  replicaSet: ReplicaSet | undefined
  /** The uid of the set that was last reconciled under this key. */
  uid: string | undefined
  pass: SetPass | undefined
  /** The last status that was sent by a pass with no other work. */
  sent: ReplicaSet['status']
}

class ReplicaSets {
  private readonly flavor: Flavor
  private readonly tally: PodTally
  private readonly orphans = new Orphans<Pod>()
  private readonly known = new Map<string, SetState>()
  private readonly reportsTerminating: boolean

  constructor(flavor: Flavor, { release = defaultRelease }: ReplicaSetOptions) {
    this.reportsTerminating = release.gates.has('DeploymentReplicaSetTerminatingReplicas')
    this.flavor = flavor
    this.tally = new PodTally(flavor.kind.kind)
  }

  podChanged(change: ChangeOf<'pods'>, view: View): string | readonly string[] | undefined {
    const concerned = this.tally.note(change)
    const orphan = this.orphans.note(change)
    if (orphan === undefined) return concerned
    return withAdopters(concerned, orphan, this.flavor.sets(view, orphan.metadata.namespace))
  }

  setChanged(change: ChangeOf<'replicasets.apps'>): string | undefined {
    const { key, after } = change
    const known = this.known.get(key)
    if (known === undefined) {
      this.known.set(key, { replicaSet: after, uid: undefined, pass: undefined, sent: undefined })
      if (after !== undefined) this.tally.expect(key, after)
      return key
    }
    known.replicaSet = after
    return takeOwnStatus(known, change) ? undefined : key
  }

  reconcile(key: string, context: ReconcileContext): ReconcileResult | undefined {
    const known = this.known.get(key)
    if (known === undefined) return undefined
    known.sent = undefined
    this.forgetFormer(key, known)
    const { replicaSet } = known
    if (replicaSet?.spec === undefined) return undefined
    const pass: SetPass = known.pass ?? { slowStart: startSlowly(burst), notes: [] }
    const events = pass.notes.length === 0 ? none : pass.notes.map((note) => eventOf(replicaSet, this.flavor, note))
    pass.notes = []
    const counts = this.tally.counts(key, replicaSet, () => podsOf(replicaSet, context.view))
    const calls =
      this.decideClaims(replicaSet, counts, context.view) ?? decidePods(replicaSet, this.flavor, counts, pass, context)
    if (calls !== undefined) {
      known.pass = pass
      return { actions: calls.map((call) => context.call(call)), events }
    }
    known.pass = undefined
    const written = writeStatus(known, replicaSet, this.flavor, counts, pass, context, this.reportsTerminating)
    return events.length === 0 ? written : { events, ...written }
  }

  takeResults(key: string, results: readonly KeyedResult[]): 'again' | undefined {
    const pass = this.known.get(key)?.pass
    if (pass === undefined || results.every(({ call }) => call.verb === 'patch')) return undefined
    for (const { call, outcome } of results) this.takeResult(pass, call, outcome)
    if (results[0]?.call.verb === 'create') pass.slowStart = afterBatch(pass.slowStart, results.length)
    return 'again'
  }

  private takeResult(pass: SetPass, call: Call, outcome: Outcome): void {
    if (call.verb === 'create') {
      if (outcome.ok) pass.notes.push(createdPod(outcome.kind === 'object' ? outcome.object.metadata.name : ''))
      else if (isNamespaceTerminating(outcome)) pass.blocked = true
      else {
        const why = outcome.status.message ?? ''
        pass.notes.push(failedCreate(why))
        pass.failure ??= why
      }
    } else if (call.verb === 'delete') {
      if (outcome.ok) pass.notes.push(deletedPod(call.name))
      else if (outcome.status.reason !== 'NotFound') {
        const why = outcome.status.message ?? ''
        pass.notes.push(failedDelete(why))
        pass.failure ??= `unable to delete pods: ${why}`
      }
    }
  }

  private decideClaims(replicaSet: ReplicaSet, { strays }: PodCounts, view: View): readonly Call[] | undefined {
    if (strays === 0 && !this.orphans.has(replicaSet.metadata.namespace)) return undefined
    const owner = { owner: replicaSet, kind: this.flavor.kind, selector: labelMatcher(replicaSet.spec?.selector) }
    const calls = [
      ...decideClaims('pods', owner, strays > 0 ? podsOf(replicaSet, view).filter(isPodActive) : none),
      ...decideClaims('pods', owner, this.activeOrphans(replicaSet)),
    ]
    return calls.length === 0 ? undefined : calls
  }

  private *activeOrphans({ metadata }: ReplicaSet): Iterable<Pod> {
    for (const pod of this.orphans.in(metadata.namespace)) if (isPodActive(pod)) yield pod
  }

  /** Removes the state of a set that was deleted, or replaced by one of the same name. */
  private forgetFormer(key: string, known: SetState): void {
    const uid = known.replicaSet?.metadata.uid
    if (known.uid !== uid) {
      if (known.uid !== undefined) {
        this.tally.forget(known.uid)
        known.pass = undefined
      }
      known.uid = uid
    }
    if (known.replicaSet === undefined) this.known.delete(key)
  }
}

/** The next calls toward the wanted number of pods, if this pass has any. */
function decidePods(
  replicaSet: ReplicaSet,
  flavor: Flavor,
  counts: PodCounts,
  pass: SetPass,
  { view, wall }: ReconcileContext,
): readonly Call[] | undefined {
  const { spec, metadata } = replicaSet
  if (pass.failure !== undefined || pass.blocked === true || metadata.deletionTimestamp !== undefined) return undefined
  const missing = (spec?.replicas ?? 1) - counts.active
  if (missing > 0) {
    const template = spec?.template
    const batch = batchOf(pass.slowStart, missing)
    if (template === undefined || batch === 0) return undefined
    const pod = podFromTemplate(template, replicaSet, controllerReference(replicaSet, flavor.kind))
    return new Array<Call>(batch).fill(createCall('pods', pod))
  }
  if (missing === 0) return undefined
  const count = Math.min(-missing, burst)
  return podsToDelete(replicasOf(replicaSet, view), relatedPods(replicaSet, flavor, view), count, wall).map((pod) =>
    deleteCall('pods', pod),
  )
}

function writeStatus(
  known: SetState,
  replicaSet: ReplicaSet,
  flavor: Flavor,
  counts: PodCounts,
  pass: SetPass,
  context: ReconcileContext,
  reportsTerminating: boolean,
): ReconcileResult {
  const { view, now, wall } = context
  const minReadySeconds = replicaSet.spec?.minReadySeconds ?? 0
  const { available, nextAt }: Availability =
    minReadySeconds === 0
      ? { available: counts.ready }
      : availabilityOf(replicasOf(replicaSet, view), minReadySeconds, wall)
  const status = decideStatus(replicaSet, {
    counts,
    available,
    reportsTerminating,
    failure: pass.failure,
    now: wall,
  })
  // When a burst is used up, the status write wakes the set for the next burst.
  const goOn = status === undefined && pass.failure === undefined && pass.slowStart.left === 0
  const wakeAt = goOn ? now : nextAt && reachedAt(nextAt, context)
  const isSettled = pass.failure === undefined && pass.blocked !== true && pass.slowStart.left > 0
  if (isSettled && counts.active === (replicaSet.spec?.replicas ?? 1)) known.sent = status
  const actions = status === undefined ? none : [context.call(statusCall(replicaSet, flavor, status))]
  if (pass.failure === undefined) return wakeAt === undefined ? { actions } : { actions, wakeAt }
  return wakeAt === undefined ? { actions, retry: true } : { actions, retry: true, wakeAt }
}

function statusCall(replicaSet: ReplicaSet, { resource, kind }: Flavor, status: ReplicaSet['status']): Call {
  if (resource === 'replicasets.apps') return updateStatusCall(resource, withStatus(replicaSet, status))
  const spec = { ...replicaSet.spec, selector: replicaSet.spec?.selector.matchLabels }
  return updateStatusCall(resource, { ...kind, metadata: replicaSet.metadata, spec, status } as KubeObject)
}

function podsOf({ metadata }: ReplicaSet, view: View): readonly Pod[] {
  return view.controlledBy('pods', metadata.uid ?? '')
}

/** The pods that count toward the wanted number. */
function replicasOf(replicaSet: ReplicaSet, view: View): readonly Pod[] {
  const selector = labelMatcher(replicaSet.spec?.selector)
  return podsOf(replicaSet, view).filter((pod) => isPodActive(pod) && selector.matches(pod.metadata.labels))
}

/** Pods that any ReplicaSet of the same owner selects. A set without an owner has no related pods, not even its own. */
function relatedPods(replicaSet: ReplicaSet, { resource }: Flavor, view: View): Iterable<Pod> {
  if (resource !== 'replicasets.apps') return []
  const owner = controllerOf(replicaSet)
  if (owner === undefined) return []
  const selectors = view
    .controlledBy('replicasets.apps', owner.uid)
    .filter(({ metadata }) => metadata.namespace === replicaSet.metadata.namespace)
    .map(({ spec }) => labelMatcher(spec?.selector))
  return view
    .list('pods', replicaSet.metadata.namespace)
    .filter(({ metadata }) => selectors.some((selector) => selector.matches(metadata.labels)))
}

function eventOf(replicaSet: ReplicaSet, { kind }: Flavor, note: EventNote): EventRecord {
  return { regarding: referenceTo(replicaSet, kind), api: 'core', ...note }
}
