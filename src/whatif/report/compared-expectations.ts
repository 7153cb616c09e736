import type { WorkloadEntry } from '../../wire/forecast-entries.ts'
import { seconds } from '../facts/pod-entries.ts'
import type { ForecastRun } from '../run/forecast-run.ts'
import type { Expectation } from '../scenario/expectation.ts'
import type { ExpectationResult, Loop } from './forecast.ts'
import type { Impact } from './impact.ts'
import { counted, listed, span } from './phrases.ts'
import { isAsBadAs, type Judgment, verdicts } from './verdict.ts'
import { tooFewReady, unavailableTooLong } from './workload-expectations.ts'

export interface Comparison {
  readonly caused: Impact
  readonly workloads: readonly WorkloadEntry[]
  /** In seconds; absent: not recovered. */
  readonly wellAgain?: number
  readonly baseline: ForecastRun | undefined
  readonly judgment: Judgment
  /** The loops that the steps cause. */
  readonly loops: readonly Loop[]
}

/** The results of the expectations. Expectations about the change itself are judged by what the change causes. */
export function comparedExpectations(forecastRun: ForecastRun, comparison: Comparison): readonly ExpectationResult[] {
  const { expect } = forecastRun.plan
  return forecastRun.expectations().map((result, at) => {
    const expectation = expect[at] as Expectation
    const violation = violationOf(expectation, forecastRun, comparison)
    if (violation === undefined) {
      return isRelative(expectation, comparison) ? { path: result.path, kind: result.kind, holds: true } : result
    }
    const { atMs, text } = violation
    return { path: result.path, kind: result.kind, holds: false, violation: { seconds: seconds(atMs), text } }
  })
}

/** Reports whether the comparison alone decides, independent of the result of the run itself. */
function isRelative({ kind }: Expectation, { caused }: Comparison): boolean {
  if (kind === 'noPodDeleted') return caused.deleted.length === 0
  return kind === 'pdbNeverViolated' || kind === 'settlesWithin'
}

function violationOf(
  expectation: Expectation,
  forecastRun: ForecastRun,
  comparison: Comparison,
): { readonly atMs: number; readonly text: string } | undefined {
  const { elapsedMs, startMs, drains } = forecastRun
  const { caused, judgment, loops, wellAgain } = comparison
  switch (expectation.kind) {
    case 'minReady':
      return tooFewReady(expectation, forecastRun, comparison.baseline)
    case 'maxUnavailableTime':
      return unavailableTooLong(expectation, comparison.workloads)
    case 'pdbNeverViolated': {
      const { name, namespace } = expectation
      const breach = caused.breaches.find(({ budget }) => {
        const [space, own] = budget.split('/')
        return (name === undefined || name === own) && (namespace === undefined || namespace === space)
      })
      if (breach === undefined) return undefined
      const { budget, fromMs, healthy, desired } = breach
      return { atMs: fromMs, text: `${budget} has ${counted(healthy, 'healthy pod')}, ${desired} desired` }
    }
    case 'settlesWithin': {
      if (wellAgain !== undefined && wellAgain * 1000 <= expectation.withinMs) return undefined
      const text = wellAgain === undefined ? 'not recovered at the end' : `recovered only at ${span(wellAgain * 1000)}`
      return { atMs: Math.min(expectation.withinMs, elapsedMs), text }
    }
    case 'drainedWithin': {
      const late = drains.drained.filter(({ fromMs, untilMs }) => untilMs - fromMs > expectation.withinMs)
      const nodes = [...drains.open, ...late.map(({ node }) => node)]
      if (nodes.length === 0) return undefined
      const atMs = Math.min(elapsedMs, ...late.map(({ fromMs }) => fromMs - startMs + expectation.withinMs))
      return {
        atMs,
        text: `${listed(nodes, 3)} ${nodes.length === 1 ? 'is' : 'are'} not drained within ${span(expectation.withinMs)}`,
      }
    }
    case 'noNewPending':
      if (caused.pending.length === 0) return undefined
      return {
        atMs: elapsedMs,
        text: `${counted(caused.pending.length, 'pod is', 'pods are')} pending because of the change`,
      }
    case 'noLoop':
      return loops[0] === undefined ? undefined : { atMs: loops[0].since * 1000, text: loops[0].text }
    case 'verdict': {
      const next = verdicts[verdicts.indexOf(expectation.worst) + 1] ?? 'UNSAFE'
      if (!isAsBadAs(judgment.verdict, next)) return undefined
      return { atMs: elapsedMs, text: `the verdict is ${judgment.verdict}: ${judgment.reason}` }
    }
    default:
      return undefined
  }
}
