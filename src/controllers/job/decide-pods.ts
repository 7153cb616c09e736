import type { Pod } from '../../api/objects/pod.ts'
import type { Job } from '../../api/objects/workloads.ts'
import { type BackoffRecord, nextTryAt } from './backoff.ts'
import { firstMissing, type Intervals, merged, withIndexes } from './index-intervals.ts'
import {
  allIndexFailures,
  completionIndex,
  finishedAt,
  isIndexed,
  isSuspended,
  removedFirst,
  replacesOnlyFailed,
} from './job-pod.ts'

// v1.36, job MaxPodCreateDeletePerSync.
export const burst = 500

export interface PodsInput {
  readonly job: Job
  readonly active: readonly Pod[]
  readonly terminating: readonly Pod[]
  readonly succeeded: number
  readonly succeededIndexes?: Intervals
  readonly failedIndexes?: Intervals
  /** By index: failed pods that are kept until their index has a new pod. */
  readonly replacedByIndex: ReadonlyMap<number, Pod>
  readonly record: BackoffRecord
  readonly now: number
}

export interface PodsDecision {
  readonly remove: readonly Pod[]
  /** One entry per pod to create; undefined if the Job is not indexed. */
  readonly create: readonly (number | undefined)[]
  readonly wakeAt?: number
}

const nothing: PodsDecision = { remove: [], create: [] }

/** Creates or deletes pods until the Job has the wanted number (v1.36, job manageJob). */
export function decidePods(input: PodsInput): PodsDecision {
  const { job, active, terminating } = input
  if (isSuspended(job)) return { ...nothing, remove: surplusPods(job, active, active.length) }
  const wanted = wantedActive(input)
  const remove = surplusPods(job, active, Math.max(0, active.length - wanted)).slice(0, burst)
  // Pods are not created and deleted at once, because a deletion may change the wanted number of pods.
  if (remove.length > 0) return { ...nothing, remove }
  const missing = wanted - active.length - (replacesOnlyFailed(job) ? terminating.length : 0)
  return missing > 0 ? decideCreation(input, Math.min(missing, burst)) : nothing
}

function wantedActive({ job, active, succeeded }: PodsInput): number {
  const { parallelism = 1, completions } = job.spec ?? {}
  // Without completions: after the first success, running pods may finish, and no new pod is created.
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism
  return Math.max(0, Math.min(completions - succeeded, parallelism))
}

function decideCreation(input: PodsInput, missing: number): PodsDecision {
  const { job, record, now } = input
  const hasOwnBackoff = job.spec?.backoffLimitPerIndex !== undefined
  const tryAt = hasOwnBackoff ? undefined : nextTryAt(record)
  if (tryAt !== undefined && tryAt > now) return { ...nothing, wakeAt: tryAt }
  if (!isIndexed(job)) return { ...nothing, create: new Array<undefined>(missing).fill(undefined) }
  const indexes = pendingIndexes(input, missing)
  return hasOwnBackoff ? dueIndexes(input, indexes) : { ...nothing, create: indexes }
}

function pendingIndexes({ job, active, terminating, succeededIndexes, failedIndexes }: PodsInput, count: number) {
  const taken = replacesOnlyFailed(job) ? [...active, ...terminating] : active
  const indexes = taken.flatMap((pod) => completionIndex(pod) ?? [])
  const settled = merged([...withIndexes(succeededIndexes ?? [], indexes), ...(failedIndexes ?? [])])
  return firstMissing(settled, count, job.spec?.completions ?? 0)
}

/** With a backoff limit per index: the indexes whose backoff has ended. */
function dueIndexes({ replacedByIndex, now }: PodsInput, indexes: readonly number[]): PodsDecision {
  let wakeAt = Number.POSITIVE_INFINITY
  const due = indexes.filter((index) => {
    const replaced = replacedByIndex.get(index)
    if (replaced === undefined) return true
    const at = nextTryAt({ failures: allIndexFailures(replaced) + 1, lastFailureAt: finishedAt(replaced) }) ?? now
    if (at > now) wakeAt = Math.min(wakeAt, at)
    return at <= now
  })
  return { ...nothing, create: due, ...(due.length > 0 || wakeAt === Number.POSITIVE_INFINITY ? {} : { wakeAt }) }
}

/** At least `count` pods. In an indexed Job, pods without a valid index come first. */
function surplusPods(job: Job, active: readonly Pod[], atLeast: number): readonly Pod[] {
  const misplaced = isIndexed(job) ? withoutPlace(active, job.spec?.completions ?? 0) : []
  if (misplaced.length >= atLeast) return misplaced
  const left = active.filter((pod) => !misplaced.includes(pod)).sort(removedFirst)
  return [...misplaced, ...left.slice(0, atLeast - misplaced.length)]
}

/** Pods without a valid index, and duplicates of an index. */
function withoutPlace(active: readonly Pod[], completions: number): readonly Pod[] {
  const kept = new Map<number, Pod>()
  const rest: Pod[] = []
  for (const pod of active) {
    const index = completionIndex(pod)
    if (index === undefined || index >= completions) {
      rest.push(pod)
      continue
    }
    const present = kept.get(index)
    if (present === undefined) kept.set(index, pod)
    else if (removedFirst(present, pod) < 0) {
      rest.push(present)
      kept.set(index, pod)
    } else rest.push(pod)
  }
  return rest
}
