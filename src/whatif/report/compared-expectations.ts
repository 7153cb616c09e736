import { seconds } from '../facts/pod-entries.ts'
import type { ForecastRun } from '../run/forecast-run.ts'
import type { Expectation } from '../scenario/expectation.ts'
import type { ExpectationResult, Loop } from './forecast.ts'
import type { Impact } from './impact.ts'
import { counted, listed, span } from './phrases.ts'
import { isAsBadAs, type Judgment, verdicts } from './verdict.ts'

export interface Comparison {
  readonly caused: Impact
  readonly judgment: Judgment
  /** Those that the steps start. */
  readonly loops: readonly Loop[]
}

/** The results of the expectations; those about the change itself are judged by what it causes. */
export function comparedExpectations(forecastRun: ForecastRun, comparison: Comparison): readonly ExpectationResult[] {
  const { expect } = forecastRun.plan
  return forecastRun.expectations().map((result, at) => {
    const violation = violationOf(expect[at] as Expectation, forecastRun, comparison)
    if (violation === undefined) return result
    const { atMs, text } = violation
    return { path: result.path, kind: result.kind, holds: false, violation: { seconds: seconds(atMs), text } }
  })
}

function violationOf(
  expectation: Expectation,
  forecastRun: ForecastRun,
  { caused, judgment, loops }: Comparison,
): { readonly atMs: number; readonly text: string } | undefined {
  const { elapsedMs, startMs, drains } = forecastRun
  switch (expectation.kind) {
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
