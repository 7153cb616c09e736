import { findCondition } from '../../api/conditions.ts'
import type { Condition, ConditionStatus } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { Job } from '../../api/objects/workloads.ts'
import { formatTime, parseTime } from '../../api/time.ts'
import { judgeFailure, successMessage } from './failure-policy.ts'
import { type Intervals, totalOf } from './index-intervals.ts'
import { isPodFailed, isSuspended } from './job-pod.ts'

/** The end of a Job whose pods must still be counted and deleted. */
export interface Ending {
  readonly kind: 'success' | 'failure'
  readonly reason: string
  readonly message: string
  /** Reports whether an earlier pass has written it into the status. */
  readonly isTold: boolean
}

/** The pods that have succeeded and failed so far, which decide how the Job ends. */
export interface Score {
  readonly failed: number
  readonly succeededIndexes?: Intervals
  readonly failedIndexes?: Intervals
  readonly startTime: string | undefined
}

/** A JobCondition has a probe time in addition to the transition time. */
export function jobCondition(
  type: string,
  status: ConditionStatus,
  text: { reason: string; message: string },
  now: number,
): Condition {
  const time = formatTime(now)
  return { type, status, lastProbeTime: time, lastTransitionTime: time, ...text } as Condition
}

/**
 * An equal condition is kept; a condition that was never true is not added as False (v1.36, job
 * ensureJobConditionStatus).
 */
export function withJobCondition(conditions: readonly Condition[], added: Condition): readonly Condition[] {
  const present = findCondition(conditions, added.type)
  if (present === undefined) return added.status === 'False' ? conditions : [...conditions, added]
  if (present.status === added.status && present.reason === added.reason && present.message === added.message) {
    return conditions
  }
  return conditions.map((other) => (other === present ? added : other))
}

/** The end of the Job; undefined if the Job continues. Failures are checked before successes (v1.36, syncJob). */
export function decideEnding(job: Job, pods: readonly Pod[], score: Score, now: number): Ending | undefined {
  return toldEnding(job) ?? failure(job, pods, score, now) ?? indexEnding(job, score)
}

function toldEnding(job: Job): Ending | undefined {
  for (const [type, kind] of [
    ['SuccessCriteriaMet', 'success'],
    ['FailureTarget', 'failure'],
  ] as const) {
    const condition = findCondition(job.status?.conditions, type)
    if (condition?.status === 'True') {
      return { kind, reason: condition.reason ?? '', message: condition.message ?? '', isTold: true }
    }
  }
  return undefined
}

function fails(reason: string, message: string): Ending {
  return { kind: 'failure', reason, message, isTold: false }
}

function failure(job: Job, pods: readonly Pod[], { failed, startTime }: Score, now: number): Ending | undefined {
  for (const pod of pods) {
    const message = isPodFailed(job, pod) ? judgeFailure(job, pod).failJob : undefined
    if (message !== undefined) return fails('PodFailurePolicy', message)
  }
  const backoffLimit = job.spec?.backoffLimit ?? 6
  if (failed > backoffLimit || isPastRestarts(job, pods, backoffLimit)) {
    return fails('BackoffLimitExceeded', 'Job has reached the specified backoff limit')
  }
  const deadlineAt = activeDeadlineAt(job, startTime)
  if (deadlineAt !== undefined && deadlineAt <= now) {
    return fails('DeadlineExceeded', 'Job was active longer than specified deadline')
  }
  return undefined
}

/** Restarts of containers count if the kubelet restarts them. */
function isPastRestarts(job: Job, pods: readonly Pod[], backoffLimit: number): boolean {
  if (job.spec?.template.spec.restartPolicy !== 'OnFailure') return false
  let restarts = 0
  for (const { status } of pods) {
    if (status?.phase !== 'Running' && status?.phase !== 'Pending') continue
    for (const { restartCount } of [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]) {
      restarts += restartCount
    }
  }
  return backoffLimit === 0 ? restarts > 0 : restarts >= backoffLimit
}

export function activeDeadlineAt(job: Job, startTime: string | undefined): number | undefined {
  const seconds = job.spec?.activeDeadlineSeconds
  const startedAt = parseTime(startTime)
  return seconds === undefined || startedAt === undefined || isSuspended(job)
    ? undefined
    : startedAt + Number(seconds) * 1000
}

function indexEnding(job: Job, { succeededIndexes, failedIndexes }: Score): Ending | undefined {
  if (succeededIndexes === undefined) return undefined
  const completions = job.spec?.completions ?? 0
  if (failedIndexes !== undefined) {
    const count = totalOf(failedIndexes)
    const most = job.spec?.maxFailedIndexes
    if (most !== undefined && count > most) {
      return fails('MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes')
    }
    if (count > 0 && count + totalOf(succeededIndexes) >= completions) {
      return fails('FailedIndexes', 'Job has failed indexes')
    }
  }
  const message = successMessage(job, succeededIndexes, completions)
  return message === undefined ? undefined : { kind: 'success', reason: 'SuccessPolicy', message, isTold: false }
}

export const completed: Ending = {
  kind: 'success',
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
  isTold: false,
}

export function isFinished(job: Job): boolean {
  return (job.status?.conditions ?? []).some(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  )
}
