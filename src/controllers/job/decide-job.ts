import { isPodReady } from '../../api/conditions.ts'
import { deepEqual } from '../../api/equality.ts'
import { createCall, deleteCall, updateStatusCall } from '../../api/object-calls.ts'
import type { Condition } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { Job } from '../../api/objects/workloads.ts'
import { formatTime } from '../../api/time.ts'
import type { EventNote } from '../event-note.ts'
import { createdPod, deletedPod, failedCreate, failedDelete } from '../event-note.ts'
import type { PlannedCall } from '../pending-notes.ts'
import { isPodActive, isPodTerminating } from '../pod-activity.ts'
import { withoutZeros } from '../without-zeros.ts'
import { type BackoffRecord, recordAfter } from './backoff.ts'
import {
  activeDeadlineAt,
  completed,
  decideEnding,
  type Ending,
  jobCondition,
  withJobCondition,
} from './decide-ending.ts'
import { decidePods, type PodsDecision } from './decide-pods.ts'
import { hasFailurePolicy, judgeFailure } from './failure-policy.ts'
import {
  type Intervals,
  includesIndex,
  intervalsText,
  parseIntervals,
  totalOf,
  withIndexes,
} from './index-intervals.ts'
import {
  allIndexFailures,
  completionIndex,
  finishedAt,
  indexFailures,
  isIndexed,
  isPodFailed,
  isSuspended,
  isTracked,
  jobPod,
  removalCalls,
  untrackCall,
} from './job-pod.ts'

type JobStatus = NonNullable<Job['status']>

// The maximum number of uids in the status (v1.36, job MaxUncountedPods).
const maxUncounted = 500

export interface JobInput {
  readonly job: Job
  readonly pods: readonly Pod[]
  readonly record: BackoffRecord
  /** The maximum number of pods to create at once. */
  readonly batch: number
  readonly now: number
  /** A suspended Job has no startTime (MutableSchedulingDirectivesForSuspendedJobs). */
  readonly forgetsStart: boolean
  /** The name of the PodGroup of its pods. */
  readonly podGroup?: string
}

export interface JobDecision {
  readonly planned: readonly PlannedCall[]
  readonly notes: readonly EventNote[]
  /** The record to keep after the status is written. */
  readonly record: BackoffRecord
  readonly wakeAt?: number
}

/**
 * One pass over a Job (v1.36, job syncJob). A finished pod needs three passes: its uid is written into the status, then
 * its finalizer is removed, then it is counted. Therefore it is counted exactly once, even if a request fails in
 * between.
 */
export function decideJob(input: JobInput): JobDecision {
  return new JobPass(input).decide()
}

class JobPass {
  private readonly input: JobInput
  private readonly job: Job
  private readonly status: JobStatus
  private readonly tracked: readonly Pod[]
  private readonly uncountedSucceeded: ReadonlySet<string>
  private readonly uncountedFailed: ReadonlySet<string>
  private readonly completions: number
  private conditions: readonly Condition[]
  private startTime: string | undefined
  private readonly notes: EventNote[] = []
  private readonly planned: PlannedCall[] = []

  constructor(input: JobInput) {
    const { job, pods, now } = input
    this.input = input
    this.job = job
    this.status = job.status ?? {}
    this.tracked = pods.filter(isTracked)
    this.uncountedSucceeded = new Set(this.status.uncountedTerminatedPods?.succeeded)
    this.uncountedFailed = new Set(this.status.uncountedTerminatedPods?.failed)
    this.completions = job.spec?.completions ?? Number.POSITIVE_INFINITY
    this.conditions = this.status.conditions ?? []
    this.startTime = this.status.startTime ?? (isSuspended(job) ? undefined : formatTime(now))
  }

  decide(): JobDecision {
    const { job, pods, record: before, now } = this.input
    const active = pods.filter(isPodActive)
    const terminating = pods.filter(isPodTerminating)
    const { succeeded: newSucceeded, failed: newFailed } = this.newlyFinished()
    const record = recordAfter(before, newSucceeded, newFailed)
    const failed =
      (this.status.failed ?? 0) +
      this.uncountedFailed.size +
      newFailed.filter((pod) => judgeFailure(job, pod).counts).length
    const succeededIndexes = isIndexed(job) ? this.succeededIndexes() : undefined
    const failedIndexes = this.failedIndexes()
    const succeeded =
      succeededIndexes === undefined
        ? (this.status.succeeded ?? 0) + this.uncountedSucceeded.size + newSucceeded.length
        : totalOf(succeededIndexes)
    const indexes = {
      ...(succeededIndexes === undefined ? {} : { succeededIndexes }),
      ...(failedIndexes === undefined ? {} : { failedIndexes }),
    }
    const replacedByIndex = this.replacedByIndex(active, succeededIndexes ?? [], failedIndexes)
    let ending = decideEnding(job, pods, { failed, startTime: this.startTime, ...indexes }, now)
    let wakeAt = activeDeadlineAt(job, this.startTime)
    let counts = { active: active.length, ready: active.filter(isPodReady).length, terminating: terminating.length }
    if (ending !== undefined) {
      this.planDeletions(active)
      counts = { active: 0, ready: 0, terminating: counts.terminating + active.length }
    } else {
      const isComplete = job.spec?.completions === undefined ? succeeded > 0 : succeeded >= this.completions
      const isGoing = job.metadata.deletionTimestamp !== undefined
      const decided: PodsDecision = isGoing
        ? { remove: [], create: [] }
        : decidePods({ job, active, terminating, succeeded, ...indexes, replacedByIndex, record, now })
      this.planPods(decided, replacedByIndex)
      if (isComplete && active.length === 0) ending = completed
      else if (!isGoing) this.tellSuspension()
      if (decided.wakeAt !== undefined) wakeAt = Math.min(wakeAt ?? decided.wakeAt, decided.wakeAt)
    }
    this.track(ending, counts, { ...indexes, replacedByIndex })
    return {
      planned: this.planned,
      notes: this.notes,
      record,
      ...(wakeAt === undefined || wakeAt <= now ? {} : { wakeAt }),
    }
  }

  private newlyFinished(): { readonly succeeded: readonly Pod[]; readonly failed: readonly Pod[] } {
    const valid = this.tracked.filter((pod) => this.hasPlace(pod))
    return {
      succeeded: valid.filter(
        (pod) => pod.status?.phase === 'Succeeded' && !this.uncountedSucceeded.has(pod.metadata.uid ?? ''),
      ),
      failed: valid.filter((pod) => isPodFailed(this.job, pod) && !this.uncountedFailed.has(pod.metadata.uid ?? '')),
    }
  }

  /** In an indexed Job, only pods with a valid index count. */
  private hasPlace(pod: Pod): boolean {
    if (!isIndexed(this.job)) return true
    const index = completionIndex(pod)
    return index !== undefined && index < this.completions
  }

  private succeededIndexes(): Intervals {
    const fresh = this.tracked
      .filter((pod) => pod.status?.phase === 'Succeeded' && this.hasPlace(pod))
      .map((pod) => completionIndex(pod) as number)
    return withIndexes(parseIntervals(this.status.completedIndexes, this.completions), fresh)
  }

  private failedIndexes(): Intervals | undefined {
    const limit = this.job.spec?.backoffLimitPerIndex
    if (limit === undefined || !isIndexed(this.job)) return undefined
    const fresh = this.tracked
      .filter((pod) => {
        if (!this.hasPlace(pod) || !isPodFailed(this.job, pod)) return false
        const { counts, failsIndex } = judgeFailure(this.job, pod)
        return failsIndex || (counts && indexFailures(pod) >= limit)
      })
      .map((pod) => completionIndex(pod) as number)
    return withIndexes(parseIntervals(this.status.failedIndexes, this.completions), fresh)
  }

  /** The last failed pod of each index that will be retried. The new pod continues its failure count. */
  private replacedByIndex(
    active: readonly Pod[],
    succeeded: Intervals,
    failed: Intervals | undefined,
  ): ReadonlyMap<number, Pod> {
    const byIndex = new Map<number, Pod>()
    if (failed === undefined) return byIndex
    const running = new Set(active.map(completionIndex))
    for (const pod of this.tracked) {
      const index = completionIndex(pod)
      if (index === undefined || !this.hasPlace(pod) || !isPodFailed(this.job, pod)) continue
      if (includesIndex(succeeded, index) || includesIndex(failed, index) || running.has(index)) continue
      const last = byIndex.get(index)
      const isLater =
        last === undefined || (allIndexFailures(last) <= allIndexFailures(pod) && finishedAt(pod) >= finishedAt(last))
      if (isLater) byIndex.set(index, pod)
    }
    return byIndex
  }

  private planDeletions(pods: readonly Pod[]): void {
    for (const pod of pods) this.planned.push(planDeletion(pod))
  }

  private planPods({ remove, create }: PodsDecision, replacedByIndex: ReadonlyMap<number, Pod>): void {
    for (const pod of remove) {
      for (const call of removalCalls(pod)) {
        this.planned.push(call.verb === 'delete' ? planDeletion(pod) : { call })
      }
    }
    const plain = create.length > 0 && create[0] === undefined ? createCall('pods', this.newPod()) : undefined
    for (const index of create.slice(0, this.input.batch)) {
      const call =
        index === undefined
          ? { ...(plain as NonNullable<typeof plain>) }
          : createCall('pods', this.newPod(index, replacedByIndex.get(index)))
      this.planned.push({ call, onSuccess: createdPod, onFailure: failedCreate })
    }
  }

  private newPod(index?: number, replaced?: Pod): Pod {
    const pod = jobPod(this.job, index, replaced)
    const { podGroup } = this.input
    return podGroup === undefined ? pod : { ...pod, spec: { ...pod.spec, schedulingGroup: { podGroupName: podGroup } } }
  }

  private tellSuspension(): void {
    const { now, forgetsStart } = this.input
    const isPaused = isSuspended(this.job)
    const text = isPaused
      ? { reason: 'JobSuspended', message: 'Job suspended' }
      : { reason: 'JobResumed', message: 'Job resumed' }
    const conditions = withJobCondition(
      this.conditions,
      jobCondition('Suspended', isPaused ? 'True' : 'False', text, now),
    )
    if (conditions === this.conditions) return
    this.conditions = conditions
    // The deadline counts from the time at which the Job is resumed.
    if (!isPaused) this.startTime = formatTime(now)
    else if (forgetsStart) this.startTime = undefined
    this.notes.push({ type: 'Normal', reason: isPaused ? 'Suspended' : 'Resumed', message: text.message })
  }

  /** Counts finished pods, removes the finalizer of counted pods, and ends the Job when no pod is left. */
  private track(
    ending: Ending | undefined,
    counts: { readonly active: number; readonly ready: number; readonly terminating: number },
    known: {
      readonly succeededIndexes?: Intervals
      readonly failedIndexes?: Intervals
      readonly replacedByIndex: ReadonlyMap<number, Pod>
    },
  ): void {
    const held = new Set(this.tracked.map(({ metadata }) => metadata.uid ?? ''))
    const before = this.status.uncountedTerminatedPods ?? {}
    const succeeded = (before.succeeded ?? []).filter((uid) => held.has(uid))
    const failed = (before.failed ?? []).filter((uid) => held.has(uid))
    const counted = {
      succeeded: (this.status.succeeded ?? 0) + (before.succeeded?.length ?? 0) - succeeded.length,
      failed: (this.status.failed ?? 0) + (before.failed?.length ?? 0) - failed.length,
    }
    const done = this.tracked.filter((pod) => this.isDone(pod, ending, known.replacedByIndex)).slice(0, maxUncounted)
    for (const pod of done) this.noteFinished(pod, ending, succeeded, failed)
    const interim = this.withInterim(ending)
    const isOver =
      ending !== undefined && done.length === 0 && succeeded.length + failed.length === 0 && counts.terminating === 0
    const conditions = isOver && ending.isTold ? this.withFinal(interim, ending) : interim
    const { succeededIndexes, failedIndexes } = known
    const next: JobStatus = {
      ...withoutZeros({
        active: counts.active,
        succeeded: succeededIndexes === undefined ? counted.succeeded : totalOf(succeededIndexes),
        failed: counted.failed,
      }),
      ready: counts.ready,
      terminating: counts.terminating,
      uncountedTerminatedPods: {
        ...(succeeded.length === 0 ? {} : { succeeded }),
        ...(failed.length === 0 ? {} : { failed }),
      },
      ...(conditions.length === 0 ? {} : { conditions }),
      ...(this.startTime === undefined ? {} : { startTime: this.startTime }),
      ...(conditions !== interim && ending?.kind === 'success' ? { completionTime: formatTime(this.input.now) } : {}),
      ...(succeededIndexes === undefined || succeededIndexes.length === 0
        ? {}
        : { completedIndexes: intervalsText(succeededIndexes) }),
      ...(failedIndexes === undefined ? {} : { failedIndexes: intervalsText(failedIndexes) }),
    }
    if (!deepEqual(next, this.status)) this.planStatus(next, conditions === interim ? undefined : ending)
    // Only pods that the status already contains may be released.
    if (this.isWritten(next)) for (const pod of done) this.planned.push({ call: untrackCall(pod) })
  }

  private isDone(pod: Pod, ending: Ending | undefined, replacedByIndex: ReadonlyMap<number, Pod>): boolean {
    if (this.job.metadata.deletionTimestamp !== undefined || ending !== undefined) return true
    if (pod.status?.phase === 'Succeeded') return true
    if (!isPodFailed(this.job, pod)) return false
    const index = completionIndex(pod)
    return index === undefined || replacedByIndex.get(index)?.metadata.uid !== pod.metadata.uid
  }

  private noteFinished(pod: Pod, ending: Ending | undefined, succeeded: string[], failed: string[]): void {
    const uid = pod.metadata.uid ?? ''
    if (pod.status?.phase === 'Succeeded' && !failed.includes(uid)) {
      if (!isIndexed(this.job) && !succeeded.includes(uid)) succeeded.push(uid)
      return
    }
    // If the Job has failed, its unfinished pods count as failed. If it has succeeded, its unfinished pods do not.
    if (
      ending?.kind === 'success' ? pod.status?.phase !== 'Failed' : ending === undefined && !isPodFailed(this.job, pod)
    ) {
      return
    }
    if (failed.includes(uid) || !this.hasPlace(pod)) return
    if (!hasFailurePolicy(this.job) || judgeFailure(this.job, pod).counts) failed.push(uid)
  }

  private withInterim(ending: Ending | undefined): readonly Condition[] {
    if (ending === undefined || ending.isTold) return this.conditions
    const { kind, reason, message } = ending
    const type = kind === 'success' ? 'SuccessCriteriaMet' : 'FailureTarget'
    return [...this.conditions, jobCondition(type, 'True', { reason, message }, this.input.now)]
  }

  private withFinal(conditions: readonly Condition[], { kind, reason, message }: Ending): readonly Condition[] {
    const type = kind === 'success' ? 'Complete' : 'Failed'
    return withJobCondition(conditions, jobCondition(type, 'True', { reason, message }, this.input.now))
  }

  private isWritten(next: JobStatus): boolean {
    return (
      deepEqual(next.uncountedTerminatedPods ?? {}, this.status.uncountedTerminatedPods ?? {}) &&
      (next.completedIndexes ?? '') === (this.status.completedIndexes ?? '') &&
      next.failedIndexes === this.status.failedIndexes &&
      deepEqual(next.conditions ?? [], this.status.conditions ?? [])
    )
  }

  private planStatus(status: JobStatus, finished: Ending | undefined): void {
    const call = updateStatusCall('jobs.batch', { ...this.job, status } as Job)
    if (finished === undefined) this.planned.push({ call })
    else if (finished.kind === 'success') {
      this.planned.push({ call, onSuccess: { type: 'Normal', reason: 'Completed', message: 'Job completed' } })
    } else {
      const { reason, message } = finished
      this.planned.push({ call, onSuccess: { type: 'Warning', reason, message } })
    }
  }
}

function planDeletion(pod: Pod): PlannedCall {
  return { call: deleteCall('pods', pod), onSuccess: deletedPod(pod.metadata.name), onFailure: failedDelete }
}
