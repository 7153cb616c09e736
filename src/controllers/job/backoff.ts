import type { Pod } from '../../api/objects/pod.ts'
import { finishedAt } from './job-pod.ts'

// v1.36, job DefaultJobPodFailureBackOff and MaxJobPodFailureBackOff.
const firstMs = 10_000
const longestMs = 600_000

/** The number of failed pods of a Job since the last success. Not stored: a new controller starts from zero. */
export interface BackoffRecord {
  readonly failures: number
  readonly lastFailureAt?: number
}

export const noFailures: BackoffRecord = { failures: 0 }

export function recordAfter(record: BackoffRecord, succeeded: readonly Pod[], failed: readonly Pod[]): BackoffRecord {
  if (succeeded.length === 0 && failed.length === 0) return record
  const failures = failed.map(finishedAt)
  if (succeeded.length === 0) {
    return { failures: record.failures + failures.length, lastFailureAt: Math.max(...failures) }
  }
  const lastSuccessAt = Math.max(...succeeded.map(finishedAt))
  const later = failures.filter((at) => at > lastSuccessAt)
  return later.length === 0 ? noFailures : { failures: later.length, lastFailureAt: Math.max(...later) }
}

/** The time from which the next pod may be created; undefined if no pod failed. */
export function nextTryAt({ failures, lastFailureAt }: BackoffRecord): number | undefined {
  if (failures === 0 || lastFailureAt === undefined) return undefined
  return lastFailureAt + Math.min(firstMs * 2 ** (failures - 1), longestMs)
}
