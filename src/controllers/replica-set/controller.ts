import type { Call, Outcome } from '../../api/call.ts'
import { deepEqual } from '../../api/equality.ts'
import { labelMatcher } from '../../api/label-selector.ts'
import { keyOf, objectKey } from '../../api/object-key.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { ReplicaSet } from '../../api/objects/workloads.ts'
import { controllerOf, controllerReference } from '../../api/owner-references.ts'
import { type ChangeOf, type Controller, type EventRecord, referenceTo } from '../../runtime/controller.ts'
import {
  createReconcilerController,
  type KeyedResult,
  type ReconcileContext,
  type ReconcileResult,
} from '../../runtime/reconciler.ts'
import type { View } from '../../runtime/view.ts'
import { decideClaims } from '../claims.ts'
import { createdPod, deletedPod, failedCreate, failedDelete, isNamespaceTerminating, type Note } from '../note.ts'
import { deleteCall, updateStatusCall } from '../object-calls.ts'
import { Orphans } from '../orphans.ts'
import { availabilityOf, isPodActive } from '../pod-activity.ts'
import { createPodCall, podFromTemplate } from '../pod-template.ts'
import { afterBatch, batchOf, type SlowStart, startSlowly } from '../slow-start.ts'
import { decideStatus } from './decide-status.ts'
import { podsToDelete } from './deletion-order.ts'
import { PodTally } from './pod-tally.ts'

export const REPLICA_SET_CONTROLLER = 'replicaset-controller'
export const replicaSetKind = { apiVersion: 'apps/v1', kind: 'ReplicaSet' } as const

// v1.36, pkg/controller/replicaset BurstReplicas.
const BURST = 500
const NOBODY: readonly never[] = []

/** What is remembered of a set between the calls of one pass over it. */
interface Pass {
  slowStart: SlowStart
  /** Told with the next reconciliation. */
  notes: Note[]
  /** Why the last calls failed: told in the status, then tried again. */
  failure?: string
  /** The namespace is going: nothing can be created in this pass. */
  blocked?: boolean
}

export function createReplicaSetController(): Controller {
  const state = new ReplicaSets()
  return createReconcilerController({
    name: REPLICA_SET_CONTROLLER,
    wakes: {
      'replicasets.apps': (change) => (state.isOwnStatus(change) ? undefined : change.key),
      pods: (change, view) => state.podChanged(change, view),
    },
    reconcile: (key, context) => state.reconcile(key, context),
    onResults: (key, results) => state.takeResults(key, results),
  })
}

class ReplicaSets {
  private readonly tally = new PodTally()
  private readonly orphans = new Orphans<Pod>()
  private readonly passes = new Map<string, Pass>()
  private readonly uids = new Map<string, string>()
  /** The statuses that were last sent by passes that left nothing to do. */
  private readonly sent = new Map<string, ReplicaSet['status']>()

  podChanged(change: ChangeOf<'pods'>, view: View): readonly string[] {
    const concerned = this.tally.note(change)
    const orphan = this.orphans.note(change)
    if (concerned.length === 0 && orphan === undefined) return NOBODY
    const keys: string[] = []
    if (concerned.length > 0) {
      for (const pod of [change.before, change.after]) {
        const owner = pod === undefined ? undefined : controllerOf(pod)
        if (owner !== undefined && concerned.includes(owner.uid)) {
          keys.push(objectKey(pod?.metadata.namespace, owner.name))
        }
      }
    }
    if (orphan !== undefined) {
      for (const replicaSet of view.list('replicasets.apps', orphan.metadata.namespace)) {
        if (labelMatcher(replicaSet.spec?.selector).matches(orphan.metadata.labels)) keys.push(keyOf(replicaSet))
      }
    }
    return keys
  }

  /** Whether nothing came of a change but the status that was sent, so that another pass would find nothing to do. */
  isOwnStatus({ key, before, after }: ChangeOf<'replicasets.apps'>): boolean {
    const sent = this.sent.get(key)
    if (sent === undefined) return false
    this.sent.delete(key)
    return (
      before !== undefined &&
      after !== undefined &&
      before.metadata.uid === after.metadata.uid &&
      before.spec === after.spec &&
      before.metadata.deletionTimestamp === after.metadata.deletionTimestamp &&
      deepEqual(after.status, sent)
    )
  }

  reconcile(key: string, context: ReconcileContext): ReconcileResult | undefined {
    this.sent.delete(key)
    const replicaSet = context.view.get('replicasets.apps', key)
    this.forgetFormer(key, replicaSet)
    if (replicaSet?.spec === undefined) return undefined
    const known = this.passes.get(key)
    const pass: Pass = known ?? { slowStart: startSlowly(BURST), notes: [] }
    const events = pass.notes.length === 0 ? NOBODY : pass.notes.map((note) => eventOf(replicaSet, note))
    pass.notes = []
    const calls = this.decideClaims(replicaSet, context) ?? this.decidePods(replicaSet, pass, context)
    if (calls !== undefined) {
      if (known === undefined) this.passes.set(key, pass)
      return { actions: calls.map((call) => context.call(call)), events }
    }
    if (known !== undefined) this.passes.delete(key)
    const written = this.writeStatus(key, replicaSet, pass, context)
    return events.length === 0 ? written : { ...written, events }
  }

  takeResults(key: string, results: readonly KeyedResult[]): 'again' | undefined {
    const pass = this.passes.get(key)
    if (pass === undefined || results.every(({ call }) => call.verb === 'patch')) return undefined
    for (const { call, outcome } of results) this.takeResult(pass, call, outcome)
    if (results[0]?.call.verb === 'create') pass.slowStart = afterBatch(pass.slowStart, results.length)
    return 'again'
  }

  private takeResult(pass: Pass, call: Call, outcome: Outcome): void {
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

  private decideClaims(replicaSet: ReplicaSet, { view }: ReconcileContext): readonly Call[] | undefined {
    const hasStrays = this.countsOf(replicaSet, view).strays > 0
    if (!hasStrays && !this.orphans.has(replicaSet.metadata.namespace)) return undefined
    const owner = { owner: replicaSet, kind: replicaSetKind, selector: labelMatcher(replicaSet.spec?.selector) }
    const strays = hasStrays ? this.podsOf(replicaSet, view).filter(isPodActive) : []
    const calls = [
      ...decideClaims('pods', owner, strays),
      ...decideClaims('pods', owner, this.activeOrphans(replicaSet)),
    ]
    return calls.length === 0 ? undefined : calls
  }

  private *activeOrphans({ metadata }: ReplicaSet): Iterable<Pod> {
    for (const pod of this.orphans.in(metadata.namespace)) if (isPodActive(pod)) yield pod
  }

  /** The next calls towards the wanted number, if there are any to make in this pass. */
  private decidePods(replicaSet: ReplicaSet, pass: Pass, { view, now }: ReconcileContext): readonly Call[] | undefined {
    const { spec, metadata } = replicaSet
    if (pass.failure !== undefined || pass.blocked === true || metadata.deletionTimestamp !== undefined)
      return undefined
    const missing = (spec?.replicas ?? 1) - this.countsOf(replicaSet, view).active
    if (missing > 0) {
      const template = spec?.template
      const batch = batchOf(pass.slowStart, missing)
      if (template === undefined || batch === 0) return undefined
      const pod = podFromTemplate(template, replicaSet, controllerReference(replicaSet, replicaSetKind))
      return new Array<Call>(batch).fill(createPodCall(pod))
    }
    if (missing === 0) return undefined
    const selector = labelMatcher(spec?.selector)
    const pods = this.podsOf(replicaSet, view).filter(
      (pod) => isPodActive(pod) && selector.matches(pod.metadata.labels),
    )
    const count = Math.min(-missing, BURST)
    return podsToDelete(pods, relatedPods(replicaSet, view), count, now).map((pod) => deleteCall('pods', pod))
  }

  private writeStatus(key: string, replicaSet: ReplicaSet, pass: Pass, context: ReconcileContext): ReconcileResult {
    const { view, now } = context
    const counts = this.countsOf(replicaSet, view)
    const { available, nextAt } = this.availability(replicaSet, counts.ready, context)
    const status = decideStatus(replicaSet, { counts, available, failure: pass.failure, now })
    // A burst that is used up is followed by the next one, which the write of the status wakes.
    const goOn = status === undefined && pass.failure === undefined && pass.slowStart.left === 0
    const wakeAt = goOn ? now : nextAt
    const isSettled = pass.failure === undefined && pass.blocked !== true && pass.slowStart.left > 0
    if (status !== undefined && isSettled && counts.active === (replicaSet.spec?.replicas ?? 1)) {
      this.sent.set(key, status)
    }
    const actions =
      status === undefined
        ? NOBODY
        : [context.call(updateStatusCall('replicasets.apps', { ...replicaSet, status } as ReplicaSet))]
    if (pass.failure === undefined) return wakeAt === undefined ? { actions } : { actions, wakeAt }
    return wakeAt === undefined ? { actions, retry: true } : { actions, retry: true, wakeAt }
  }

  private availability(
    replicaSet: ReplicaSet,
    ready: number,
    { view, now }: ReconcileContext,
  ): { readonly available: number; readonly nextAt?: number | undefined } {
    const minReadySeconds = replicaSet.spec?.minReadySeconds ?? 0
    if (minReadySeconds === 0) return { available: ready }
    const selector = labelMatcher(replicaSet.spec?.selector)
    const pods = this.podsOf(replicaSet, view)
    const active = pods.filter((pod) => isPodActive(pod) && selector.matches(pod.metadata.labels))
    return availabilityOf(active, minReadySeconds, now)
  }

  private countsOf(replicaSet: ReplicaSet, view: View) {
    return this.tally.counts(replicaSet, () => this.podsOf(replicaSet, view))
  }

  private podsOf(replicaSet: ReplicaSet, view: View): readonly Pod[] {
    return view.controlledBy('pods', replicaSet.metadata.uid ?? '')
  }

  /** A set that is gone, or replaced by one of the same name, leaves nothing behind. */
  private forgetFormer(key: string, present: ReplicaSet | undefined): void {
    const former = this.uids.get(key)
    const uid = present?.metadata.uid
    if (former === uid) return
    if (former !== undefined) {
      this.tally.forget(former)
      this.passes.delete(key)
    }
    if (uid === undefined) this.uids.delete(key)
    else this.uids.set(key, uid)
  }
}

/** Pods that any ReplicaSet of the same owner selects; a set without an owner has none, not even its own. */
function relatedPods(replicaSet: ReplicaSet, view: View): Iterable<Pod> {
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

function eventOf(replicaSet: ReplicaSet, note: Note): EventRecord {
  return { regarding: referenceTo(replicaSet, replicaSetKind), api: 'core', ...note }
}
