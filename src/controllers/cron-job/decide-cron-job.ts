import type { DeleteCall } from '../../api/call.ts'
import { type CronSchedule, parseCronSchedule } from '../../api/cron-schedule.ts'
import { deepEqual } from '../../api/equality.ts'
import { createCall, deleteCall, updateStatusCall } from '../../api/object-calls.ts'
import { storedReference } from '../../api/object-reference.ts'
import type { ObjectReference } from '../../api/objects/meta.ts'
import type { CronJob, Job } from '../../api/objects/workloads.ts'
import { controllerReference } from '../../api/owner-references.ts'
import { formatTime, parseTime } from '../../api/time.ts'
import { findTimeZone, type TimeZone, utc, zonedText } from '../../api/time-zone.ts'
import type { Result } from '../../base/result.ts'
import type { EventNote } from '../event-note.ts'
import type { PlannedCall } from '../pending-notes.ts'
import { nextLookAt, scheduleTimes } from './schedule-times.ts'

export const cronJobKind = { apiVersion: 'batch/v1', kind: 'CronJob' } as const
const scheduledAnnotation = 'batch.kubernetes.io/cronjob-scheduled-timestamp'

/** A Job that was just created, and its scheduled time. */
export interface Started {
  readonly name: string
  readonly scheduledAt: number
}

export interface CronJobInput {
  readonly cronJob: CronJob
  /** The Jobs that the CronJob controls. Up to v1.36, this includes Jobs of another owner with the same name. */
  readonly jobs: readonly Job[]
  readonly started?: Started | undefined
  readonly now: number
}

export interface CronJobDecision {
  readonly planned: readonly PlannedCall[]
  readonly notes: readonly EventNote[]
  /** The Job that the planned call creates. */
  readonly starts?: Started
  readonly wakeAt?: number
}

/** One sync of a CronJob (v1.36, cronjob syncCronJob and cleanupFinishedJobs). */
export function decideCronJob(input: CronJobInput): CronJobDecision {
  const pass = new CronJobPass(input)
  return pass.decide()
}

/** The schedule in its time zone, with the warnings about it. */
export function scheduleOf(cronJob: CronJob): {
  readonly schedule: Result<CronSchedule>
  readonly notes: readonly EventNote[]
} {
  const text = cronJob.spec?.schedule ?? ''
  if (!text.includes('TZ')) return { schedule: parseCronSchedule(text, zoneOf(cronJob) ?? utc), notes: [] }
  const message =
    `CRON_TZ or TZ used in schedule ${JSON.stringify(text)} is not officially supported, see ` +
    'https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details'
  return { schedule: parseCronSchedule(text), notes: [warning('UnsupportedSchedule', message)] }
}

function zoneOf({ spec }: CronJob): TimeZone | undefined {
  return spec?.timeZone === undefined ? utc : findTimeZone(spec.timeZone)
}

class CronJobPass {
  private readonly input: CronJobInput
  private readonly cronJob: CronJob
  private readonly notes: EventNote[] = []
  private readonly planned: PlannedCall[] = []
  private active: readonly ObjectReference[]
  private lastScheduleTime: string | undefined
  private lastSuccessfulTime: string | undefined
  private starts: Started | undefined

  constructor(input: CronJobInput) {
    this.input = input
    this.cronJob = input.cronJob
    const { active = [], lastScheduleTime, lastSuccessfulTime } = input.cronJob.status ?? {}
    this.active = active
    this.lastScheduleTime = lastScheduleTime
    this.lastSuccessfulTime = lastSuccessfulTime
  }

  decide(): CronJobDecision {
    this.cleanUp()
    this.followJobs()
    const wakeAt = this.schedule()
    this.writeStatus()
    return {
      planned: this.planned,
      notes: this.notes,
      ...(this.starts === undefined ? {} : { starts: this.starts }),
      ...(wakeAt === undefined ? {} : { wakeAt }),
    }
  }

  /** Finished Jobs beyond the limits, oldest first. */
  private cleanUp(): void {
    const { jobs } = this.input
    const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = this.cronJob.spec ?? {}
    const limits = [
      ['Complete', successfulJobsHistoryLimit],
      ['Failed', failedJobsHistoryLimit],
    ] as const
    for (const [condition, limit] of limits) {
      if (limit === undefined) continue
      const finished = jobs.filter((job) => finishedBy(job) === condition).sort(byStartTime)
      for (const job of finished.slice(0, Math.max(0, finished.length - limit))) this.delete(job)
    }
  }

  /** Updates the list of active Jobs with their outcomes. */
  private followJobs(): void {
    const { jobs, started } = this.input
    for (const job of jobs) {
      const { uid = '', name } = job.metadata
      const isListed = this.active.some((reference) => reference.uid === uid)
      const condition = finishedBy(job)
      if (started?.name === name) this.noteStarted(job, started, isListed || condition !== undefined)
      else if (condition === undefined && !isListed) {
        this.notes.push(warning('UnexpectedJob', `Saw a job that the controller did not create or forgot: ${name}`))
      }
      if (condition === undefined) continue
      if (isListed) {
        this.drop(uid)
        this.notes.push(normal('SawCompletedJob', `Saw completed job: ${name}, condition: ${condition}`))
      }
      const { completionTime } = job.status ?? {}
      const isLater = (parseTime(completionTime) ?? 0) > (parseTime(this.lastSuccessfulTime) ?? 0)
      if (condition === 'Complete' && completionTime !== undefined && isLater) this.lastSuccessfulTime = completionTime
    }
    for (const { uid = '', name } of this.active) {
      if (jobs.some((job) => job.metadata.uid === uid)) continue
      this.notes.push(normal('MissingJob', `Active job went missing: ${name}`))
      this.drop(uid)
    }
  }

  private noteStarted(job: Job, { scheduledAt }: Started, isListed: boolean): void {
    this.lastScheduleTime = formatTime(scheduledAt)
    if (isListed) return
    this.active = [...this.active, storedReference('batch/v1', 'Job', job.metadata)]
  }

  private schedule(): number | undefined {
    const { now } = this.input
    const { metadata, spec } = this.cronJob
    if (metadata.deletionTimestamp !== undefined) return undefined
    if (zoneOf(this.cronJob) === undefined) {
      const zone = spec?.timeZone ?? ''
      this.notes.push(
        warning('UnknownTimeZone', `invalid timeZone: ${JSON.stringify(zone)}: unknown time zone ${zone}`),
      )
      return undefined
    }
    if (spec?.suspend === true) return undefined
    const { schedule, notes } = scheduleOf(this.cronJob)
    this.notes.push(...notes)
    if (!schedule.ok) {
      const message = `unparseable schedule: ${JSON.stringify(spec?.schedule ?? '')} : ${schedule.message}`
      this.notes.push(warning('UnparseableSchedule', message))
      return undefined
    }
    const present = this.withTimes()
    const times = scheduleTimes(present, schedule.value, now, true)
    if (times.kind === 'senseless') {
      this.notes.push(warning('InvalidSchedule', `invalid schedule: ${spec?.schedule} : ${times.message}`))
      return undefined
    }
    if (times.recentAt !== undefined && times.recentAt <= now) {
      if (times.missed === 'many') this.notes.push(tooManyMissed)
      this.startFor(times.recentAt)
    }
    return nextLookAt(present, schedule.value, now)
  }

  /** The CronJob with its new status. */
  private withTimes(): CronJob {
    const { lastScheduleTime: _, ...status } = this.cronJob.status ?? {}
    const times = this.lastScheduleTime === undefined ? {} : { lastScheduleTime: this.lastScheduleTime }
    return { ...this.cronJob, status: { ...status, ...times } }
  }

  private startFor(scheduledAt: number): void {
    const { now, jobs } = this.input
    const { spec } = this.cronJob
    const deadlineSeconds = spec?.startingDeadlineSeconds
    if (deadlineSeconds !== undefined && scheduledAt + Number(deadlineSeconds) * 1000 < now) {
      this.notes.push(warning('MissSchedule', `Missed scheduled time to start a job: ${rfc1123(scheduledAt)}`))
      return
    }
    const name = `${this.cronJob.metadata.name}-${Math.floor(scheduledAt / 60_000)}`
    const isProcessed = this.lastScheduleTime === formatTime(scheduledAt)
    if (isProcessed || this.active.some((reference) => reference.name === name)) return
    if (spec?.concurrencyPolicy === 'Forbid' && this.active.length > 0) {
      const message = 'Not starting job because prior execution is running and concurrency policy is Forbid'
      this.notes.push(normal('JobAlreadyActive', message))
      return
    }
    if (spec?.concurrencyPolicy === 'Replace') {
      for (const { uid } of this.active) {
        const job = jobs.find((one) => one.metadata.uid === uid)
        if (job !== undefined) this.delete(job)
      }
    }
    this.starts = { name, scheduledAt }
    this.planned.push({
      call: createCall('jobs.batch', this.jobFor(name, scheduledAt)),
      onSuccess: (created) => normal('SuccessfulCreate', `Created job ${created}`),
      onFailure: (why) => warning('FailedCreate', `Error creating job: ${why}`),
    })
  }

  private jobFor(name: string, scheduledAt: number): Job {
    const { metadata, spec } = this.cronJob
    const template = spec?.jobTemplate ?? { spec: { template: { spec: { containers: [] } } } }
    const { labels, annotations } = template.metadata ?? {}
    return {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        name,
        ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
        ...(labels === undefined ? {} : { labels }),
        annotations: { ...annotations, [scheduledAnnotation]: zonedText(zoneOf(this.cronJob) ?? utc, scheduledAt) },
        ownerReferences: [controllerReference(this.cronJob, cronJobKind)],
      },
      spec: template.spec,
    }
  }

  private delete(job: Job): void {
    const { name, uid = '' } = job.metadata
    const call: DeleteCall = deleteCall('jobs.batch', job, { propagationPolicy: 'Background' })
    this.planned.push({
      call,
      onSuccess: normal('SuccessfulDelete', `Deleted job ${name}`),
      onFailure: (why) => warning('FailedDelete', `Deleted job: ${why}`),
    })
    this.drop(uid)
  }

  private drop(uid: string): void {
    this.active = this.active.filter((reference) => reference.uid !== uid)
  }

  private writeStatus(): void {
    const status = {
      ...(this.active.length === 0 ? {} : { active: this.active }),
      ...(this.lastScheduleTime === undefined ? {} : { lastScheduleTime: this.lastScheduleTime }),
      ...(this.lastSuccessfulTime === undefined ? {} : { lastSuccessfulTime: this.lastSuccessfulTime }),
    }
    if (deepEqual(status, this.cronJob.status ?? {})) return
    this.planned.push({ call: updateStatusCall('cronjobs.batch', { ...this.cronJob, status } as CronJob) })
  }
}

function finishedBy({ status }: Job): string | undefined {
  return status?.conditions?.find((c) => (c.type === 'Complete' || c.type === 'Failed') && c.status === 'True')?.type
}

/** Jobs that never started come last. */
function byStartTime(a: Job, b: Job): number {
  const [startA, startB] = [a.status?.startTime ?? '~', b.status?.startTime ?? '~']
  if (startA !== startB) return startA < startB ? -1 : 1
  return a.metadata.name < b.metadata.name ? -1 : 1
}

/** Go's time.RFC1123Z: `Thu, 01 Jan 2026 00:00:00 +0000`. */
function rfc1123(ms: number): string {
  return new Date(ms).toUTCString().replace('GMT', '+0000')
}

const normal = (reason: string, message: string): EventNote => ({ type: 'Normal', reason, message })
const warning = (reason: string, message: string): EventNote => ({ type: 'Warning', reason, message })

const tooManyMissed = warning(
  'TooManyMissedTimes',
  'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew',
)
