import { type WorkloadHistory, workloadKey } from '../facts/workload-watch.ts'
import type { ForecastRun } from '../run/forecast-run.ts'
import { type Impact, impactOf } from './impact.ts'

/**
 * The facts that a verdict compares a run with: the course of the run without the steps. Plain data, so that threads
 * can share it.
 */
export interface BaselineFacts {
  readonly impact: Impact
  /** The number of created pods, by the id of their workload. */
  readonly created: ReadonlyMap<string, number>
  /** See `budgetTimes`. */
  readonly budgets: ReadonlyMap<string, number>
  /** By `workloadKey`. */
  readonly workloads: ReadonlyMap<string, WorkloadHistory>
}

/** The facts of a run without steps. */
export function baselineFacts(baseline: ForecastRun): BaselineFacts {
  const { recorder, elapsedMs } = baseline
  recorder.settle()
  return {
    impact: impactOf(baseline),
    created: createdPods(baseline),
    budgets: budgetTimes(baseline),
    workloads: new Map(recorder.workloads.all(elapsedMs).map((history) => [workloadKey(history.workload), history])),
  }
}

/** The number of pods that the run creates, by the id of their workload. */
export function createdPods({ recorder }: ForecastRun): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { createdMs, workload } of recorder.stories.values())
    if (createdMs !== undefined) counts.set(workload.id, (counts.get(workload.id) ?? 0) + 1)
  return counts
}

/**
 * The time for which each disruption budget has fewer healthy pods than desired, except for periods that began before
 * the start.
 */
export function budgetTimes({ recorder, elapsedMs }: ForecastRun): ReadonlyMap<string, number> {
  const times = new Map<string, number>()
  for (const { budget, fromMs, untilMs = elapsedMs, isOld } of recorder.breaches)
    if (!isOld && untilMs > fromMs) times.set(budget, (times.get(budget) ?? 0) + untilMs - fromMs)
  return times
}
