import type { Call } from '../../api/call.ts'
import { labelMatcher } from '../../api/label-selector.ts'
import { keyOf, objectKey } from '../../api/object-key.ts'
import { referenceTo } from '../../api/object-reference.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { Job } from '../../api/objects/workloads.ts'
import { controllerOf } from '../../api/owner-references.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { defaultRelease } from '../../api/releases/release-of.ts'
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
import { type Claimant, decideClaims } from '../claims.ts'
import type { EventNote } from '../event-note.ts'
import { Orphans } from '../orphans.ts'
import { PendingNotes } from '../pending-notes.ts'
import { type BackoffRecord, noFailures } from './backoff.ts'
import { isFinished } from './decide-ending.ts'
import { decideJob } from './decide-job.ts'
import { burst } from './decide-pods.ts'
import { isTracked, jobKind, trackingFinalizer, untrackCall } from './job-pod.ts'
import { decideSchedulingObjects, type SchedulingDecision, type SchedulingInput } from './scheduling-objects.ts'

export const jobController = 'job-controller'

// Changes of pods are batched for this long (v1.36, job syncJobBatchPeriod).
const batchMs = 1000
const manager = 'kubernetes.io/job-controller'
const jobPrefix = 'job:'
const podPrefix = 'pod:'

export function createJobController({
  release = defaultRelease,
}: {
  readonly release?: KubernetesRelease
} = {}): Controller {
  const state = new Jobs(release)
  return createReconcilerController({
    name: jobController,
    wakes: {
      'jobs.batch': (change, view) => state.jobChanged(change, view),
      pods: (change, view) => state.podChanged(change, view),
      ...(state.groups === undefined ? {} : schedulingWakes(state)),
    },
    reconcile(key, context) {
      if (key.startsWith(podPrefix)) return releasePod(key.slice(podPrefix.length), context)
      return state.reconcile(key, key.slice(jobPrefix.length), context)
    },
    onResults: (key, results) => state.takeResults(key, results),
  })
}

const ownersOf = controllerOfKind('Job')

/** Wakes a Job when its Workload or PodGroup changed. */
function schedulingWakes(state: Jobs) {
  const wake = (change: ChangeOf<'workloads.scheduling.k8s.io'> | ChangeOf<'podgroups.scheduling.k8s.io'>) =>
    ownersOf(change).map((key) => state.urgentKey(key))
  return { 'workloads.scheduling.k8s.io': wake, 'podgroups.scheduling.k8s.io': wake }
}

class Jobs {
  private readonly orphans = new Orphans<Pod>()
  private readonly plans = new PendingNotes()
  private readonly records = new Map<string, BackoffRecord>()
  private readonly newRecords = new Map<string, BackoffRecord>()
  private readonly batches = new Map<string, number>()
  /** Jobs that only changes of pods have woken, so the pass may wait for more changes. */
  private readonly gathering = new Set<string>()
  private readonly urgent = new Set<string>()
  private readonly gatheredAt = new Map<string, number>()
  /** The time at which the last pass requested the next one. */
  private readonly plannedAt = new Map<string, number>()
  private readonly forgetsStart: boolean
  /** The minor version that defines the Workloads and PodGroups of Jobs; undefined: Jobs have none. */
  readonly groups: SchedulingInput['minor'] | undefined

  constructor({ minor, gates }: KubernetesRelease) {
    this.forgetsStart = gates.has('MutableSchedulingDirectivesForSuspendedJobs')
    this.groups = gates.has('WorkloadWithJob') && (minor === '1.36' || minor === '1.37') ? minor : undefined
  }

  /** Records that the next pass does not wait for more changes of pods. */
  urgentKey(job: string): string {
    this.urgent.add(jobPrefix + job)
    return jobPrefix + job
  }

  jobChanged({ key, before, after }: ChangeOf<'jobs.batch'>, view: View): readonly string[] {
    const keys = [jobPrefix + key]
    this.urgent.add(jobPrefix + key)
    if (after === undefined || isFinished(after)) {
      // The pods of the Job are no longer counted.
      for (const pod of view.controlledBy('pods', (after ?? before)?.metadata.uid ?? '')) {
        if (isTracked(pod)) keys.push(podPrefix + keyOf(pod))
      }
    }
    return keys
  }

  podChanged(change: ChangeOf<'pods'>, view: View): readonly string[] {
    const keys = ownersOf(change).map((key) => jobPrefix + key)
    for (const key of keys) this.gathering.add(key)
    const { key, after } = change
    if (after !== undefined && isTracked(after) && !isCounted(after, view)) keys.push(podPrefix + key)
    const orphan = this.orphans.note(change)
    if (orphan !== undefined) {
      for (const job of view.list('jobs.batch', orphan.metadata.namespace)) {
        if (!labelMatcher(job.spec?.selector).matches(orphan.metadata.labels)) continue
        keys.push(jobPrefix + keyOf(job))
        this.gathering.add(jobPrefix + keyOf(job))
      }
    }
    return keys
  }

  reconcile(key: string, jobKey: string, context: ReconcileContext): ReconcileResult | undefined {
    const { view, now, wall } = context
    const job = view.get('jobs.batch', jobKey)
    if (job?.spec === undefined || isFinished(job)) {
      const notes = this.plans.takeNotes(key)
      this.forget(key)
      return job === undefined ? undefined : { events: notes.map((note) => eventOf(job, note)) }
    }
    if ((job.spec.managedBy ?? manager) !== manager) return undefined
    const waitsUntil = this.gather(key, now)
    if (waitsUntil !== undefined) return { wakeAt: waitsUntil }
    const claims = this.claims(job, view)
    if (claims.length > 0) return { actions: claims.map((call) => context.call(call)) }
    const selector = labelMatcher(job.spec.selector)
    const pods = view
      .controlledBy('pods', job.metadata.uid ?? '')
      .filter(({ metadata }) => selector.matches(metadata.labels))
    const scheduling = this.scheduling(job, pods, view)
    if (scheduling?.kind === 'refused') return { retry: true }
    if (scheduling?.kind === 'calls') {
      const due = this.plans.takeNotes(key)
      return {
        actions: this.plans.remember(key, scheduling.planned).map((call) => context.call(call)),
        events: due.map((note) => eventOf(job, note)),
      }
    }
    const decision = decideJob({
      job,
      pods,
      ...(scheduling?.group === undefined ? {} : { podGroup: scheduling.group.metadata.name }),
      record: this.records.get(key) ?? noFailures,
      batch: this.batches.get(key) ?? 1,
      now: wall,
      forgetsStart: this.forgetsStart,
    })
    const notes = [...this.plans.takeNotes(key), ...decision.notes]
    this.newRecords.set(key, decision.record)
    const wakeAt = decision.wakeAt === undefined ? undefined : reachedAt(decision.wakeAt, context)
    if (wakeAt === undefined) this.plannedAt.delete(key)
    else this.plannedAt.set(key, wakeAt)
    return {
      actions: this.plans.remember(key, decision.planned).map((call) => context.call(call)),
      events: notes.map((note) => eventOf(job, note)),
      ...(wakeAt === undefined ? {} : { wakeAt }),
    }
  }

  takeResults(key: string, results: readonly KeyedResult[]): AfterResults | undefined {
    if (!key.startsWith(jobPrefix)) return undefined
    const creations = results.filter(({ call }) => call.verb === 'create' && call.resource === 'pods')
    this.plans.settle(key, results)
    for (const { call, outcome } of results) {
      const record = this.newRecords.get(key)
      if (call.resource === 'jobs.batch' && outcome.ok && record !== undefined) this.records.set(key, record)
    }
    const hasFailed = results.some(({ call, outcome }) => !outcome.ok && !isGone(call, outcome.status.reason))
    if (creations.some(({ outcome }) => !outcome.ok)) this.batches.delete(key)
    else if (creations.length > 0) this.batches.set(key, Math.min(burst, (this.batches.get(key) ?? 1) * 2))
    else this.batches.delete(key)
    if (hasFailed) return 'retry'
    if (results.length === 0) return undefined
    this.urgent.add(key)
    return 'again'
  }

  private scheduling(job: Job, pods: readonly Pod[], view: View): SchedulingDecision | undefined {
    if (this.groups === undefined) return undefined
    const { namespace } = job.metadata
    return decideSchedulingObjects({
      job,
      pods,
      workloads: view.list('workloads.scheduling.k8s.io', namespace),
      podGroups: view.list('podgroups.scheduling.k8s.io', namespace),
      minor: this.groups,
    })
  }

  /** The time until which changes of pods are batched; undefined if the pass is due now. */
  private gather(key: string, now: number): number | undefined {
    const isUrgent = this.urgent.delete(key)
    const isGathering = this.gathering.delete(key)
    const begun = this.gatheredAt.get(key)
    if (isUrgent || (!isGathering && begun === undefined) || (begun !== undefined && begun <= now)) {
      this.gatheredAt.delete(key)
      return undefined
    }
    const planned = this.plannedAt.get(key) ?? Number.POSITIVE_INFINITY
    if (planned <= now) return undefined
    const until = begun ?? now + batchMs
    this.gatheredAt.set(key, until)
    return Math.min(until, planned)
  }

  private claims(job: Job, view: View): readonly Call[] {
    const claimant: Claimant = {
      owner: job,
      kind: jobKind,
      selector: labelMatcher(job.spec?.selector),
      finalizer: trackingFinalizer,
    }
    return [
      ...decideClaims('pods', claimant, view.controlledBy('pods', job.metadata.uid ?? '')),
      ...decideClaims('pods', claimant, this.orphans.in(job.metadata.namespace)),
    ]
  }

  private forget(key: string): void {
    this.plans.forget(key)
    for (const memory of [this.records, this.newRecords, this.batches, this.gatheredAt, this.plannedAt])
      memory.delete(key)
    this.urgent.delete(key)
    this.gathering.delete(key)
  }
}

function isGone(call: Call, reason: string | undefined): boolean {
  return (call.verb === 'delete' || call.verb === 'patch') && reason === 'NotFound'
}

/** Reports whether an unfinished Job will count the pod. */
function isCounted(pod: Pod, view: View): boolean {
  const owner = controllerOf(pod)
  if (owner === undefined) return false
  if (owner.kind !== jobKind.kind || owner.apiVersion !== jobKind.apiVersion) return true
  const job = view.get('jobs.batch', objectKey(pod.metadata.namespace, owner.name))
  return job !== undefined && job.metadata.uid === owner.uid && !isFinished(job)
}

/** Releases a pod whose Job was deleted or has finished (v1.36, job syncOrphanPod). */
function releasePod(key: string, context: ReconcileContext): ReconcileResult | undefined {
  const pod = context.view.get('pods', key)
  if (pod === undefined || !isTracked(pod) || isCounted(pod, context.view)) return undefined
  return { actions: [context.call(untrackCall(pod))] }
}

function eventOf(job: Job, note: EventNote): EventRecord {
  return { regarding: referenceTo(job, jobKind), api: 'core', ...note }
}
