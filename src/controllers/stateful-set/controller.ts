import type { Call } from '../../api/call.ts'
import { labelMatcher } from '../../api/label-selector.ts'
import { updateStatusCall } from '../../api/object-calls.ts'
import { keyOf, objectKey } from '../../api/object-key.ts'
import { referenceTo } from '../../api/object-reference.ts'
import type { Pod, PodTemplateSpec } from '../../api/objects/pod.ts'
import type { ControllerRevision, StatefulSet } from '../../api/objects/workloads.ts'
import { isControlledBy } from '../../api/owner-references.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { defaultRelease } from '../../api/releases/release-of.ts'
import { reachedAt } from '../../base/clock.ts'
import type { ChangeOf, Controller, EventRecord } from '../../runtime/controller.ts'
import {
  type AfterResults,
  controllerOfKind,
  createReconcilerController,
  itself,
  type KeyedResult,
  type ReconcileContext,
  type ReconcileResult,
} from '../../runtime/reconciler.ts'
import type { View } from '../../runtime/view.ts'
import { type Claimant, decideClaims } from '../claims.ts'
import type { EventNote } from '../event-note.ts'
import { decideRevision, oldestFirst, type RevisionParent, surplusRevisions, templateOf } from '../history/revisions.ts'
import { Orphans, withAdopters } from '../orphans.ts'
import { PendingNotes } from '../pending-notes.ts'
import { availabilityOf } from '../pod-activity.ts'
import { decideStatefulSet, type Revision, type StatefulSetRules, statefulSetRules } from './decide-stateful-set.ts'
import { decideStatus } from './decide-status.ts'
import { isMemberOf, revisionNameOf, statefulSetKind } from './identity.ts'

export const statefulSetController = 'statefulset-controller'

// v1.36, statefulset MaxBatchSize.
const maxBatch = 500

export interface StatefulSetOptions {
  readonly release?: KubernetesRelease
  /** Adds the defaults of the API to a template, as when an old revision is restored. */
  readonly defaultTemplate?: (template: PodTemplateSpec) => PodTemplateSpec
}

export function createStatefulSetController(options: StatefulSetOptions = {}): Controller {
  const state = new StatefulSets(options)
  return createReconcilerController({
    name: statefulSetController,
    wakes: {
      'statefulsets.apps': itself,
      pods: (change, view) => state.podChanged(change, view),
      'controllerrevisions.apps': (change) => {
        state.orphanRevisions.note(change)
        return undefined
      },
      persistentvolumeclaims: claimGone,
    },
    reconcile: (key, context) => state.reconcile(key, context),
    onResults: (key, results, { view }) => state.takeResults(key, results, view),
  })
}

const ownersOf = controllerOfKind('StatefulSet')

class StatefulSets {
  private readonly rules: StatefulSetRules
  /**
   * A revision with the same template in another serialization counts as equal (StatefulSetSemanticRevisionComparison).
   */
  private readonly restored: ((template: PodTemplateSpec) => PodTemplateSpec) | undefined
  readonly orphanRevisions = new Orphans<ControllerRevision>()
  private readonly orphans = new Orphans<Pod>()
  private readonly plans = new PendingNotes()
  private readonly batches = new Map<string, number>()
  /** By set: the number of collisions with revisions of other objects. */
  private readonly collisions = new Map<string, number>()

  constructor({ release = defaultRelease, defaultTemplate = (template) => template }: StatefulSetOptions) {
    this.rules = statefulSetRules(release)
    this.restored = release.gates.has('StatefulSetSemanticRevisionComparison') ? defaultTemplate : undefined
  }

  podChanged(change: ChangeOf<'pods'>, view: View): readonly string[] {
    const owners = ownersOf(change)
    const orphan = this.orphans.note(change)
    return orphan === undefined
      ? owners
      : withAdopters(owners, orphan, view.list('statefulsets.apps', orphan.metadata.namespace))
  }

  reconcile(key: string, context: ReconcileContext): ReconcileResult | undefined {
    const { view, wall } = context
    const set = view.get('statefulsets.apps', key)
    if (set?.spec === undefined) {
      this.forget(key)
      return undefined
    }
    const notes: EventNote[] = [...this.plans.takeNotes(key)]
    const act = (calls: readonly Call[], more: ReconcileResult = {}): ReconcileResult => ({
      actions: calls.map((call) => context.call(call)),
      events: notes.map((note) => eventOf(set, note)),
      ...more,
    })
    const claims = this.claims(set, view)
    if (claims.length > 0) return act(claims)
    const revisions = oldestFirst(this.revisionsOf(set, view))
    const decided = decideRevision(this.parentOf(set), revisions, this.restored)
    if (decided.kind === 'write') {
      if (set.metadata.deletionTimestamp !== undefined) return act([])
      return act(this.plans.remember(key, [{ call: decided.call }]))
    }
    const update = toRevision(decided.update, set)
    const currentRevision = revisions.find(({ metadata }) => metadata.name === set.status?.currentRevision)
    const current = currentRevision === undefined ? update : toRevision(currentRevision, set)
    const pods = this.podsOf(set, view)
    const decision = decideStatefulSet({
      set,
      pods,
      claimOf: (name) => view.get('persistentvolumeclaims', objectKey(set.metadata.namespace, name)),
      current,
      update,
      batch: this.batches.get(key) ?? 1,
      now: wall,
      rules: this.rules,
    })
    notes.push(...decision.notes)
    if (decision.isRefused) return act([], { retry: true })
    const status = decideStatus({
      set,
      pods,
      current: current.name,
      update: update.name,
      collisionCount: this.collisions.get(key) ?? set.status?.collisionCount ?? 0,
      leavingCurrent: decision.leavingCurrent,
      progress: decision.progress,
      now: wall,
      rules: this.rules,
    })
    const live = new Set([current.name, update.name, ...pods.map(revisionNameOf)])
    const calls = [
      ...this.plans.remember(key, decision.planned),
      ...surplusRevisions(revisions, (name) => live.has(name), set.spec.revisionHistoryLimit ?? 10),
      ...(status === undefined ? [] : [updateStatusCall('statefulsets.apps', { ...set, status } as StatefulSet)]),
    ]
    const minReadySeconds = set.spec.minReadySeconds ?? 0
    const nextAt = minReadySeconds === 0 ? undefined : availabilityOf(pods, minReadySeconds, wall).nextAt
    return act(calls, {
      ...(decision.retry ? { retry: true } : {}),
      ...(nextAt === undefined ? {} : { wakeAt: reachedAt(nextAt, context) }),
    })
  }

  takeResults(key: string, results: readonly KeyedResult[], view: View): AfterResults | undefined {
    const hasNews = this.plans.settle(key, results)
    const creations = results.filter(({ call }) => call.verb === 'create' && call.resource === 'pods')
    if (creations.some(({ outcome }) => !outcome.ok)) this.batches.delete(key)
    else if (creations.length > 0) {
      this.batches.set(key, Math.min(maxBatch, (this.batches.get(key) ?? 1) * 2))
    }
    const wrote = results.find(({ call }) => call.resource === 'controllerrevisions.apps' && call.verb !== 'delete')
    if (wrote !== undefined) return this.takeRevision(key, wrote, view)
    const made = results.some(({ call, outcome }) => call.resource === 'persistentvolumeclaims' && outcome.ok)
    const hasFailed = results.some(({ call, outcome }) => !outcome.ok && !isGone(call, outcome.status.reason))
    return hasFailed ? 'retry' : hasNews || made ? 'again' : undefined
  }

  private takeRevision(key: string, { call, outcome }: KeyedResult, view: View): AfterResults {
    if (outcome.ok) return 'again'
    if (call.verb !== 'create' || outcome.status.reason !== 'AlreadyExists') return 'retry'
    const set = view.get('statefulsets.apps', key)
    const known = this.collisions.get(key) ?? set?.status?.collisionCount ?? 0
    this.collisions.set(key, known + 1)
    return 'again'
  }

  private claims(set: StatefulSet, view: View): readonly Call[] {
    const { uid = '', namespace } = set.metadata
    const claimant: Claimant = { owner: set, kind: statefulSetKind, selector: labelMatcher(set.spec?.selector) }
    const members = {
      ...claimant,
      accepts: (pod: { metadata: { name: string } }) => isMemberOf(set, pod.metadata.name),
    }
    return [
      ...decideClaims('pods', members, view.controlledBy('pods', uid)),
      ...decideClaims('pods', members, this.orphans.in(namespace)),
      ...decideClaims('controllerrevisions.apps', claimant, this.orphanRevisions.in(namespace)),
    ]
  }

  private podsOf(set: StatefulSet, view: View): readonly Pod[] {
    const selector = labelMatcher(set.spec?.selector)
    return view
      .controlledBy('pods', set.metadata.uid ?? '')
      .filter(({ metadata }) => isMemberOf(set, metadata.name) && selector.matches(metadata.labels))
  }

  private revisionsOf(set: StatefulSet, view: View): readonly ControllerRevision[] {
    return view
      .controlledBy('controllerrevisions.apps', set.metadata.uid ?? '')
      .filter((revision) => isControlledBy(revision, set))
  }

  private parentOf(set: StatefulSet): RevisionParent {
    const { annotations } = set.metadata
    return {
      object: set,
      kind: statefulSetKind,
      template: (set.spec as NonNullable<StatefulSet['spec']>).template,
      collisionCount: this.collisions.get(keyOf(set)) ?? set.status?.collisionCount ?? 0,
      ...(annotations === undefined ? {} : { annotations }),
    }
  }

  private forget(key: string): void {
    this.plans.forget(key)
    this.batches.delete(key)
    this.collisions.delete(key)
  }
}

function isGone(call: Call, reason: string | undefined): boolean {
  return call.verb === 'delete' && reason === 'NotFound'
}

function toRevision(revision: ControllerRevision, set: StatefulSet): Revision {
  const template = templateOf(revision) ?? (set.spec as NonNullable<StatefulSet['spec']>).template
  return { name: revision.metadata.name, template }
}

/** A set may wait for the deletion of a claim before it creates a pod. */
function claimGone({ before, after }: ChangeOf<'persistentvolumeclaims'>, view: View): readonly string[] {
  if (before === undefined || after !== undefined) return []
  const { name, namespace } = before.metadata
  return view
    .list('statefulsets.apps', namespace)
    .filter(({ metadata, spec }) =>
      (spec?.volumeClaimTemplates ?? []).some((claim) => name.startsWith(`${claim.metadata.name}-${metadata.name}-`)),
    )
    .map(keyOf)
}

function eventOf(set: StatefulSet, note: EventNote): EventRecord {
  return { regarding: referenceTo(set, statefulSetKind), api: 'core', ...note }
}
