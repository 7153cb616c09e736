import type { CronSchedule } from '../../api/cron-schedule.ts'
import type { CronJob } from '../../api/objects/workloads.ts'
import { parseTime } from '../../api/time.ts'

// Tolerated clock skew (v1.36, cronjob nextScheduleDelta).
const deltaMs = 100
const tooMany = 100

export type ScheduleTimes =
  | {
      readonly kind: 'times'
      readonly earliestAt: number
      readonly recentAt?: number
      readonly missed: 'none' | 'few' | 'many'
    }
  | { readonly kind: 'senseless'; readonly message: string }

/**
 * The latest time at which a Job should have been started, since the last started one (v1.36, mostRecentScheduleTime).
 */
export function scheduleTimes(
  cronJob: CronJob,
  schedule: CronSchedule,
  now: number,
  withDeadline: boolean,
): ScheduleTimes {
  const since = parseTime(cronJob.status?.lastScheduleTime) ?? parseTime(cronJob.metadata.creationTimestamp) ?? now
  const deadlineSeconds = withDeadline ? cronJob.spec?.startingDeadlineSeconds : undefined
  const earliestAt = deadlineSeconds === undefined ? since : Math.max(since, now - Number(deadlineSeconds) * 1000)
  const first = schedule.next(earliestAt)
  const second = first === undefined ? undefined : schedule.next(first)
  if (first === undefined || second === undefined) {
    return { kind: 'senseless', message: 'time difference between two schedules is less than 1 second' }
  }
  if (now < first) return { kind: 'times', earliestAt, missed: 'none' }
  if (now < second) return { kind: 'times', earliestAt, recentAt: first, missed: 'none' }
  const betweenSeconds = Math.round((second - first) / 1000)
  const missedCount = Math.floor(Math.floor((now - first) / 1000) / betweenSeconds) + 1
  // Schedules need not be regular: iterate from one interval before the estimated time.
  let recentAt: number | undefined
  let at = schedule.next(first + (missedCount - 2) * betweenSeconds * 1000)
  for (; at !== undefined && at <= now; at = schedule.next(at)) recentAt = at
  const missed = missedCount > tooMany ? 'many' : 'few'
  return { kind: 'times', earliestAt, missed, ...(recentAt === undefined ? {} : { recentAt }) }
}

/** The time of the next sync: shortly after the next scheduled time. */
export function nextLookAt(cronJob: CronJob, schedule: CronSchedule, now: number): number | undefined {
  const times = scheduleTimes(cronJob, schedule, now, false)
  const from = times.kind === 'senseless' ? now : (times.recentAt ?? (times.missed === 'none' ? times.earliestAt : now))
  const next = schedule.next(from)
  return next === undefined ? undefined : next + deltaMs
}
