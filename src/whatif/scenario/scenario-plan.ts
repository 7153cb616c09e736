import type { ForecastNote } from '../report/forecast.ts'
import { settledObjects } from '../run/settled-objects.ts'
import { findCluster } from '../snapshot/found-cluster.ts'
import { isObserved } from '../snapshot/observed-object.ts'
import { learnedStages } from '../snapshot/startup-times.ts'
import type { ForecastPlan } from './forecast-plan.ts'
import { type FoundAutoscalers, withFoundAutoscalers } from './found-autoscalers.ts'
import type { Scenario } from './scenario.ts'

/**
 * The plan of a scenario. Objects of a running cluster keep their state. Nodes of manifests exist, Ready and untainted,
 * before the start; all other manifests are created at the start, or settle before it.
 */
export function planOfScenario(scenario: Scenario): {
  readonly plan: ForecastPlan
  readonly notes: readonly ForecastNote[]
} {
  const { name, settings, hollow, autoscaling, load, cluster, steps, untilMs, expect } = scenario
  const plan: ForecastPlan = {
    title: name,
    settings,
    hollow,
    ...(autoscaling === undefined ? {} : { autoscaling }),
    ...(load === undefined ? {} : { load }),
    create: cluster,
    steps,
    untilMs,
    expect,
  }
  const isFound = cluster.some(isObserved)
  if (!isFound && scenario.settleMs === undefined) return { plan, notes: [] }
  const objects = isFound
    ? cluster
    : settledObjects({ ...plan, steps: [], expect: [], untilMs: scenario.settleMs ?? 0 }).objects
  const found = findCluster({ objects })
  const stages = scenario.learnsStartups ? learnedStages(hollow.stages, found.cluster.store) : hollow.stages
  // As in `berth whatif`: the autoscalers of a running cluster act.
  const scalers: FoundAutoscalers = isFound ? withFoundAutoscalers(autoscaling ?? {}, found.cluster) : { notes: [] }
  return {
    plan: {
      ...plan,
      ...(scalers.autoscaling === undefined ? {} : { autoscaling: scalers.autoscaling }),
      hollow: { ...hollow, stages },
      found: found.cluster,
      create: found.manifests,
      without: found.without,
    },
    notes: [...found.notes, ...scalers.notes],
  }
}
