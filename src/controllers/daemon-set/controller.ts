import type { Call } from '../../api/call.ts'
import { semanticEqual } from '../../api/equality.ts'
import { labelMatcher } from '../../api/label-selector.ts'
import { createCall, deleteCall, updateStatusCall } from '../../api/object-calls.ts'
import { keyOf } from '../../api/object-key.ts'
import { referenceTo } from '../../api/object-reference.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { ControllerRevision, DaemonSet } from '../../api/objects/workloads.ts'
import { controllerOf } from '../../api/owner-references.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { defaultRelease } from '../../api/releases/release-of.ts'
import { type TolerationOptions, tolerationOptions } from '../../api/tolerations.ts'
import { labels } from '../../api/well-known.ts'
import { reachedAt } from '../../base/clock.ts'
import type { ChangeOf, Controller, EventRecord } from '../../runtime/controller.ts'
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
import {
  createdPod,
  deletedPod,
  type EventNote,
  failedCreate,
  failedDelete,
  isNamespaceTerminating,
} from '../event-note.ts'
import { decideRevision, oldestFirst, type RevisionParent } from '../history/revisions.ts'
import { Orphans } from '../orphans.ts'
import { availabilityOf } from '../pod-activity.ts'
import { afterBatch, batchOf, type SlowStart, startSlowly } from '../slow-start.ts'
import { daemonPod, daemonSetKind, eligibilityOf } from './daemon-pod.ts'
import { DaemonTally } from './daemon-tally.ts'
import { type DaemonDecision, type DaemonInput, decideDaemons, decideRolling, groupByNode } from './decide-daemons.ts'
import { countDaemons, type DaemonCounts, decideStatus } from './decide-status.ts'
import { FailedPodBackoff } from './failed-pod-backoff.ts'

export const daemonSetController = 'daemonset-controller'

// v1.36, daemon BurstReplicas.
const burst = 250

export interface DaemonSetOptions {
  readonly release?: KubernetesRelease
}

export function createDaemonSetController({ release = defaultRelease }: DaemonSetOptions = {}): Controller {
  const state = new DaemonSets(release)
  const tolerations = tolerationOptions(release)
  return createReconcilerController({
    name: daemonSetController,
    wakes: {
      'daemonsets.apps': (change) => state.setChanged(change),
      pods: (change, view) => state.podChanged(change, view),
      nodes: (change, view) => {
        state.tally.noteNode(change)
        return concernedByNode(change, view, tolerations)
      },
      'controllerrevisions.apps': (change) => state.revisionChanged(change),
    },
    reconcile: (key, context) => state.reconcile(key, context),
    onResults: (key, results, { view }) => state.takeResults(key, results, view),
  })
}

const ownersOf = controllerOfKind('DaemonSet')

/** The state of a set between the calls of one sync. */
interface DaemonPass {
  slowStart: SlowStart
  notes: EventNote[]
  hasFailed: boolean
  isBlocked: boolean
}

class DaemonSets {
  private readonly release: KubernetesRelease
  private readonly tolerations: TolerationOptions
  readonly tally = new DaemonTally()
  private readonly orphanRevisions = new Orphans<ControllerRevision>()
  private readonly orphans = new Orphans<Pod>()
  private readonly backoff = new FailedPodBackoff()
  private readonly passes = new Map<string, DaemonPass>()
  /** Sets for which the last complete look had nothing to do for revisions and claims. */
  private readonly settled = new Map<string, SettledSet>()
  /** The number of collisions of the name of a revision that the status does not show yet. */
  private readonly collisions = new Map<string, number>()

  constructor(release: KubernetesRelease) {
    this.release = release
    this.tolerations = tolerationOptions(release)
  }

  setChanged({ key, before, after }: ChangeOf<'daemonsets.apps'>): string {
    if (after === undefined) this.tally.forget(before?.metadata.uid ?? '')
    if (after === undefined) this.settled.delete(key)
    return key
  }

  revisionChanged(change: ChangeOf<'controllerrevisions.apps'>): readonly string[] {
    this.orphanRevisions.note(change)
    const owners = ownersOf(change)
    for (const key of owners) this.settled.delete(key)
    return owners
  }

  podChanged(change: ChangeOf<'pods'>, view: View): readonly string[] {
    this.tally.notePod(change)
    const keys = [...ownersOf(change)]
    const orphan = this.orphans.note(change)
    if (orphan !== undefined) {
      for (const set of view.list('daemonsets.apps', orphan.metadata.namespace)) {
        if (labelMatcher(set.spec?.selector).matches(orphan.metadata.labels)) keys.push(keyOf(set))
      }
    }
    return keys
  }

  reconcile(key: string, context: ReconcileContext): ReconcileResult | undefined {
    const { view, now, wall } = context
    const daemonSet = this.withCollisions(key, view.get('daemonsets.apps', key))
    const pass = this.passes.get(key) ?? newPass()
    this.passes.delete(key)
    if (daemonSet?.spec === undefined || daemonSet.metadata.deletionTimestamp !== undefined) return undefined
    const notes = pass.notes
    const act = (calls: readonly Call[], more: ReconcileResult = {}): ReconcileResult => ({
      actions: calls.map((call) => context.call(call)),
      events: notes.map((note) => eventOf(daemonSet, note)),
      ...more,
    })
    const selector = labelMatcher(daemonSet.spec.selector)
    if (selector.everything) {
      notes.push(selectingAll)
      return act([])
    }
    const look = this.shortLook(key, daemonSet) ?? this.longLook(key, daemonSet, view)
    if (look.kind === 'calls') return act(look.calls)
    const input: DaemonInput = {
      ...look,
      daemonSet,
      now: wall,
      tolerations: this.tolerations,
      mayReplaceAt: (nodeName) => {
        const at = this.backoff.tryAt(backoffKey(daemonSet, nodeName), now)
        return at > now ? at : undefined
      },
    }
    const decision = this.decide(input)
    notes.push(...decision.notes)
    const calls = pass.hasFailed || pass.isBlocked ? [] : podCalls(input, decision, pass)
    // The state is needed while calls are in flight. Without calls, the sync has ended.
    if (calls.length > 0) this.passes.set(key, { ...pass, notes: [], hasFailed: false })
    const status = decideStatus(daemonSet, look.counts ?? countDaemons(input))
    const minReadySeconds = daemonSet.spec.minReadySeconds ?? 0
    const nextAt = minReadySeconds === 0 ? undefined : availabilityOf(look.pods, minReadySeconds, wall).nextAt
    const availableAt = nextAt === undefined ? Number.POSITIVE_INFINITY : reachedAt(nextAt, context)
    const wakeAt = Math.min(availableAt, decision.wakeAt ?? Number.POSITIVE_INFINITY)
    const isUsedUp = calls.length === 0 && decision.start.length > 0 && !pass.hasFailed && !pass.isBlocked
    return act(
      [
        ...calls,
        ...look.surplus,
        ...(status === undefined ? [] : [updateStatusCall('daemonsets.apps', { ...daemonSet, status } as DaemonSet)]),
      ],
      {
        ...(pass.hasFailed ? { retry: true } : {}),
        ...(isUsedUp ? { wakeAt: now } : wakeAt === Number.POSITIVE_INFINITY ? {} : { wakeAt }),
      },
    )
  }

  /** Examines only the nodes that have changed since the last look, if nothing else can have changed. */
  private shortLook(key: string, daemonSet: DaemonSet): DaemonLook | undefined {
    const before = this.settled.get(key)
    const { namespace } = daemonSet.metadata
    if (before === undefined || !before.standsFor(daemonSet) || this.collisions.has(key)) return undefined
    if (this.orphans.has(namespace) || this.orphanRevisions.has(namespace)) return undefined
    const { hash } = before
    const focus = this.tally.focus({ daemonSet, hash, tolerations: this.tolerations })
    return focus && { kind: 'state', ...focus, hash, pods: none, surplus: none }
  }

  private longLook(key: string, daemonSet: DaemonSet, view: View): DaemonLook {
    const { uid = '' } = daemonSet.metadata
    this.settled.delete(key)
    const claims = this.claims(daemonSet, view)
    if (claims.length > 0) return { kind: 'calls', calls: claims }
    const revisions = oldestFirst(view.controlledBy('controllerrevisions.apps', uid))
    const decided = decideRevision(parentOf(daemonSet, this.release), revisions)
    if (decided.kind === 'write') return { kind: 'calls', calls: [decided.call] }
    const selector = labelMatcher(daemonSet.spec?.selector)
    const pods = view.controlledBy('pods', uid).filter(({ metadata }) => selector.matches(metadata.labels))
    const hash = decided.update.metadata.labels?.[labels.controllerRevisionHash] ?? ''
    const surplus = surplusHistory(daemonSet, revisions, decided.update, pods)
    if (surplus.length === 0) this.settled.set(key, settledSet(daemonSet, hash))
    return { kind: 'state', nodes: view.list('nodes'), podsByNode: groupByNode(pods), hash, pods, surplus }
  }

  takeResults(key: string, results: readonly KeyedResult[], view: View): AfterResults | undefined {
    const written = results.find(({ call }) => call.resource === 'controllerrevisions.apps' && call.verb === 'create')
    if (written !== undefined && !written.outcome.ok) {
      if (written.outcome.status.reason !== 'AlreadyExists') return 'retry'
      // The name is taken by another template, or by a former set of the same name.
      const known = this.collisions.get(key) ?? view.get('daemonsets.apps', key)?.status?.collisionCount ?? 0
      this.collisions.set(key, known + 1)
      return 'again'
    }
    const pass = this.passes.get(key)
    if (pass === undefined) return undefined
    let created = 0
    let isTold = false
    for (const { call, outcome } of results) {
      if (call.resource !== 'pods' || (call.verb !== 'create' && call.verb !== 'delete')) continue
      isTold = true
      if (call.verb === 'create') created++
      const why = outcome.ok ? '' : (outcome.status.message ?? '')
      if (outcome.ok) {
        const name = outcome.kind === 'object' ? outcome.object.metadata.name : ''
        pass.notes.push(call.verb === 'create' ? createdPod(name) : deletedPod(call.name))
      } else if (isNamespaceTerminating(outcome)) pass.isBlocked = true
      else if (call.verb === 'create' || outcome.status.reason !== 'NotFound') {
        pass.hasFailed = true
        pass.notes.push(call.verb === 'create' ? failedCreate(why) : failedDelete(why))
      }
    }
    pass.slowStart = afterBatch(pass.slowStart, created)
    return isTold ? 'again' : undefined
  }

  private withCollisions(key: string, daemonSet: DaemonSet | undefined): DaemonSet | undefined {
    const collisionCount = this.collisions.get(key)
    if (daemonSet === undefined || collisionCount === daemonSet.status?.collisionCount) this.collisions.delete(key)
    if (daemonSet === undefined || collisionCount === undefined) return daemonSet
    return { ...daemonSet, status: { ...(daemonSet.status ?? noDaemons), collisionCount } }
  }

  /** A rolling update starts when every node has its daemon pod. */
  private decide(input: DaemonInput): DaemonDecision {
    const decision = decideDaemons(input)
    if (decision.start.length > 0 || decision.stop.length > 0) return decision
    return {
      ...decideRolling(input),
      notes: decision.notes,
      ...(decision.wakeAt === undefined ? {} : { wakeAt: decision.wakeAt }),
    }
  }

  private claims(daemonSet: DaemonSet, view: View): readonly Call[] {
    const { uid = '', namespace } = daemonSet.metadata
    const claimant = { owner: daemonSet, kind: daemonSetKind, selector: labelMatcher(daemonSet.spec?.selector) }
    return [
      ...decideClaims('pods', claimant, view.controlledBy('pods', uid)),
      ...decideClaims('pods', claimant, this.orphans.in(namespace)),
      ...decideClaims('controllerrevisions.apps', claimant, this.orphanRevisions.in(namespace)),
    ]
  }
}

/** The input of a decision about a set, or the calls that must precede the decision. */
type DaemonLook =
  | { readonly kind: 'calls'; readonly calls: readonly Call[] }
  | ({
      readonly kind: 'state'
      readonly pods: readonly Pod[]
      readonly surplus: readonly Call[]
      /** Absent: the counts must be computed. */
      readonly counts?: DaemonCounts
    } & Pick<DaemonInput, 'nodes' | 'podsByNode' | 'hash'>)

const none: readonly never[] = []

interface SettledSet {
  readonly hash: string
  readonly standsFor: (daemonSet: DaemonSet) => boolean
}

/** While daemon pods wait to become available, all of them must be examined. */
function settledSet({ spec, metadata }: DaemonSet, hash: string): SettledSet {
  const isTimed = (spec?.minReadySeconds ?? 0) > 0
  return {
    hash,
    standsFor: (now) =>
      !isTimed &&
      now.spec === spec &&
      now.metadata.uid === metadata.uid &&
      now.metadata.annotations === metadata.annotations,
  }
}

const noDaemons = { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 }

const newPass = (): DaemonPass => ({ slowStart: startSlowly(burst), notes: [], hasFailed: false, isBlocked: false })

function podCalls(
  { daemonSet, hash }: DaemonInput,
  { start, stop }: DaemonDecision,
  { slowStart }: DaemonPass,
): readonly Call[] {
  const creations = start
    .slice(0, batchOf(slowStart, start.length))
    .map((nodeName) => createCall('pods', daemonPod(daemonSet, hash, nodeName)))
  return [...creations, ...stop.slice(0, burst).map((pod) => deleteCall('pods', pod))]
}

function parentOf(daemonSet: DaemonSet, release: KubernetesRelease): RevisionParent {
  const { annotations } = daemonSet.metadata
  return {
    object: daemonSet,
    kind: daemonSetKind,
    template: (daemonSet.spec as NonNullable<DaemonSet['spec']>).template,
    collisionCount: daemonSet.status?.collisionCount,
    hashLabel: labels.controllerRevisionHash,
    release,
    ...(annotations === undefined ? {} : { annotations }),
  }
}

/** Revisions beyond the limit, oldest first, except those that a daemon pod still has. */
function surplusHistory(
  daemonSet: DaemonSet,
  revisions: readonly ControllerRevision[],
  current: ControllerRevision,
  pods: readonly Pod[],
): readonly Call[] {
  const old = revisions.filter((revision) => revision !== current)
  const surplus = old.length - (daemonSet.spec?.revisionHistoryLimit ?? 10)
  if (surplus <= 0) return []
  const live = new Set(pods.map(({ metadata }) => metadata.labels?.[labels.controllerRevisionHash]))
  return old
    .filter(({ metadata }) => !live.has(metadata.labels?.[labels.controllerRevisionHash]))
    .slice(0, surplus)
    .map((revision) => deleteCall('controllerrevisions.apps', revision))
}

/** Only labels and taints decide where daemon pods run (v1.36, daemon shouldIgnoreNodeUpdate and syncNodeUpdate). */
function concernedByNode(
  { key, before, after }: ChangeOf<'nodes'>,
  view: View,
  tolerations: TolerationOptions,
): readonly string[] {
  if (after === undefined) return []
  const isSame =
    before !== undefined &&
    semanticEqual(before.metadata.labels, after.metadata.labels) &&
    semanticEqual(before.spec?.taints, after.spec?.taints)
  if (isSame) return []
  const owners = new Set<string>()
  for (const pod of view.podsOn(key)) {
    const owner = controllerOf(pod)
    if (owner?.kind === 'DaemonSet') owners.add(owner.uid)
  }
  return view
    .list('daemonsets.apps')
    .filter((daemonSet) => {
      const { starts, stays } = eligibilityOf(daemonSet, after, tolerations)
      const isScheduled = owners.has(daemonSet.metadata.uid ?? '')
      if (!isScheduled) return starts
      return !stays || (daemonSet.status?.numberMisscheduled ?? 0) > 0
    })
    .map(keyOf)
}

function backoffKey({ metadata, status }: DaemonSet, nodeName: string): string {
  return `${metadata.uid}/${status?.observedGeneration ?? 0}/${nodeName}`
}

const selectingAll: EventNote = {
  type: 'Warning',
  reason: 'SelectingAll',
  message: 'This daemon set is selecting all pods. A non-empty selector is required.',
}

function eventOf(daemonSet: DaemonSet, note: EventNote): EventRecord {
  return { regarding: referenceTo(daemonSet, daemonSetKind), api: 'core', ...note }
}
