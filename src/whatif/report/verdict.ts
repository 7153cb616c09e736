import type { ForecastRun } from '../run/forecast-run.ts'
import type { Loop, Verdict } from './forecast.ts'
import type { Impact } from './impact.ts'
import { counted, listed, span } from './phrases.ts'
import { forcedText, upgradeStop } from './upgrade-entry.ts'

export const verdicts = ['SAFE', 'DEGRADED', 'BLOCKED', 'UNSAFE'] as const satisfies readonly Verdict[]

export interface Judgment {
  readonly verdict: Verdict
  /** One line: why. */
  readonly reason: string
}

/**
 * The rules, the worst first. UNSAFE: the change takes a workload below its disruption budget, loses pods, leaves pods
 * stuck, starts a loop, or deletes pods in spite of their budgets. BLOCKED: a drain or an upgrade does not end. DEGRADED: pods that ran before have no node at the end, or the
 * cluster has not recovered. SAFE: none of these.
 */
export function judge(forecastRun: ForecastRun, caused: Impact, loops: readonly Loop[]): Judgment {
  const forced = forcedText(forecastRun)
  const harm = [...harmOf(caused, loops), ...(forced === undefined ? [] : [forced])]
  if (harm.length > 0) return { verdict: 'UNSAFE', reason: harm.join('; ') }
  const { open, blocked } = forecastRun.drains
  const stopped = upgradeStop(forecastRun)
  if (stopped !== undefined) return { verdict: 'BLOCKED', reason: stopped }
  if (open.length > 0) {
    const [first] = blocked
    const why = first === undefined ? '' : ` by ${first.pod}: ${first.why}`
    return {
      verdict: 'BLOCKED',
      reason: `${counted(open.length, 'drain is', 'drains are')} blocked (${listed(open, 3)})${why}`,
    }
  }
  if (caused.pending.length > 0) {
    return { verdict: 'DEGRADED', reason: `${counted(caused.pending.length, 'pod remains', 'pods remain')} pending` }
  }
  const { wellAgainMs } = forecastRun.recorder
  const isAffected = caused.deleted.length > 0
  if (wellAgainMs === undefined && isAffected) {
    return { verdict: 'DEGRADED', reason: `not recovered after ${span(forecastRun.elapsedMs)}` }
  }
  if (!isAffected) return { verdict: 'SAFE', reason: 'no pod is affected' }
  const moved = `${counted(caused.deleted.length, 'pod is', 'pods are')} deleted`
  return { verdict: 'SAFE', reason: `${moved}, all workloads recover by ${span(wellAgainMs ?? 0)}` }
}

function harmOf({ breaches, lost, stuck }: Impact, loops: readonly Loop[]): readonly string[] {
  const budgets = [...new Set(breaches.map(({ budget }) => budget))]
  return [
    ...(budgets.length === 0
      ? []
      : [
          `${counted(budgets.length, 'disruption budget is', 'disruption budgets are')} violated (${listed(budgets, 3)})`,
        ]),
    ...(lost.length === 0
      ? []
      : [
          `${counted(lost.length, 'pod is', 'pods are')} lost (${listed(
            lost.map(({ key }) => key),
            3,
          )})`,
        ]),
    ...(stuck.length === 0 ? [] : [stuckText(stuck.map(({ key }) => key))]),
    ...(loops.length === 0 ? [] : [`${counted(loops.length, 'loop')} detected`]),
  ]
}

function stuckText(pods: readonly string[]): string {
  const are = pods.length === 1 ? 'stays' : 'stay'
  return `${listed(pods, 3)} ${are} Terminating: add the taint node.kubernetes.io/out-of-service or delete the node`
}

/** Whether the verdict is as bad as `limit`, or worse. */
export function isAsBadAs(verdict: Verdict, limit: Verdict): boolean {
  return verdicts.indexOf(verdict) >= verdicts.indexOf(limit)
}
