import type { Pod, PodDisruptionBudget } from '../../api/objects/pod.ts'
import type { BlockedEntry } from '../../wire/forecast-entries.ts'
import { seconds } from '../facts/pod-entries.ts'
import type { ForecastRun } from '../run/forecast-run.ts'
import type { BlockedPod } from '../run/pod-evictor.ts'
import { budgetsThatBlock } from './blocking-budgets.ts'
import type { Forecast } from './forecast.ts'

/** Drains that began before the forecast and do not end without the change either are omitted. */
export function drainReport(forecastRun: ForecastRun, baseline?: ForecastRun): Pick<Forecast, 'drains'> {
  const { drains, startMs } = forecastRun
  const { cut } = drains
  const anyway = new Set(baseline?.drains.open)
  const drained = drains.drained.filter(({ untilMs }) => untilMs >= startMs)
  const open = drains.open.filter((node) => !anyway.has(node))
  const blocked = drains.blocked.filter(({ node }) => !anyway.has(node))
  if (drained.length === 0 && open.length === 0 && cut === undefined) return {}
  const at = (ms: number) => seconds(ms - startMs)
  return {
    drains: {
      drained: drained.map(({ node, fromMs, untilMs }) => ({ node, from: at(fromMs), until: at(untilMs) })),
      open,
      blocked: blocked.map((each) => blockedEntry(forecastRun, each)),
      ...(cut === undefined ? {} : { cut }),
    },
  }
}

/** A pod that a drain cannot evict, with the facts that the advice needs. */
export function blockedEntry(
  { cluster, recorder, startMs }: ForecastRun,
  { node, pod, sinceMs, why }: BlockedPod,
): BlockedEntry {
  const object = cluster.store.get('pods', pod) as Pod | undefined
  const workload = object === undefined ? undefined : recorder.workloads.finder.of(object)
  const [blocking] = budgetsThatBlock([{ node, pod, why, since: 0 }])
  const budget = blocking && (cluster.store.get('poddisruptionbudgets.policy', blocking.budget) as PodDisruptionBudget)
  return {
    node,
    pod,
    ...(workload === undefined || workload.kind === 'Pod' ? {} : { workload: `${workload.kind}/${workload.name}` }),
    since: seconds(sinceMs - startMs),
    why,
    ...(budget !== undefined && neverAllows(budget) ? { never: true } : {}),
  }
}

/** Additional pods do not help, because the budget desires all of them. */
function neverAllows({ spec: { minAvailable, maxUnavailable } = {} }: PodDisruptionBudget): boolean {
  const isPercent = (value: string | number | undefined) => typeof value === 'string' && value.endsWith('%')
  if (maxUnavailable !== undefined) return Number.parseInt(String(maxUnavailable), 10) === 0
  return isPercent(minAvailable) && Number.parseInt(String(minAvailable), 10) >= 100
}
