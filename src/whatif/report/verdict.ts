import type { DrainReport, WorkloadEntry } from '../../wire/forecast-entries.ts'
import { budgetsThatBlock } from './blocking-budgets.ts'
import type { Forecast, ForecastSummary, Verdict } from './forecast.ts'
import { counted, span } from './phrases.ts'
import { forcedText, upgradeStop } from './upgrade-entry.ts'

export const verdicts = ['SAFE', 'DEGRADED', 'BLOCKED', 'UNSAFE'] as const satisfies readonly Verdict[]

/** A forecast without the parts that are derived from the others. */
export type ForecastFacts = Omit<Forecast, 'verdict' | 'reason' | 'answer' | 'expectations'> & {
  readonly answer: Omit<ForecastSummary, 'lines'>
}

/** The facts that a verdict depends on. */
export type JudgedFacts = Pick<
  ForecastFacts,
  'workloads' | 'answer' | 'loops' | 'caused' | 'drains' | 'upgrade' | 'seconds'
>

export interface Judgment {
  readonly verdict: Verdict
  /** The reason, in one line. */
  readonly reason: string
}

/**
 * The rules, the worst first. UNSAFE: the change takes a workload below its disruption budget, loses pods, leaves pods
 * stuck, starts a loop, or deletes pods despite their budgets. BLOCKED: a drain or an upgrade does not end. DEGRADED:
 * pods that ran before have no node at the end, or a workload has not recovered. SAFE: none of these.
 */
export function judge(facts: JudgedFacts): Judgment {
  const forced = forcedText(facts)
  const harm = [...harmOf(facts), ...(forced === undefined ? [] : [forced])]
  if (harm.length > 0) return { verdict: 'UNSAFE', reason: harm.join('; ') }
  const { caused, drains, workloads, answer, seconds } = facts
  const stopped = upgradeStop(facts)
  if (stopped !== undefined) return { verdict: 'BLOCKED', reason: stopped }
  if (drains !== undefined && drains.open.length > 0) return { verdict: 'BLOCKED', reason: blockedText(drains) }
  if (caused.podsPending > 0)
    return { verdict: 'DEGRADED', reason: `${counted(caused.podsPending, 'pod remains', 'pods remain')} pending` }
  if (answer.wellAgain === undefined) {
    const open = workloads.filter(isOpen)
    return { verdict: 'DEGRADED', reason: `${someOf(open)} not recovered after ${span(seconds * 1000)}` }
  }
  if (caused.podsDeleted === 0) return { verdict: 'SAFE', reason: safeText(facts) }
  const recovery =
    answer.wellAgain === 0 ? 'all workloads stay ready' : `all workloads recover by ${span(answer.wellAgain * 1000)}`
  return { verdict: 'SAFE', reason: `${counted(caused.podsDeleted, 'pod is', 'pods are')} deleted, ${recovery}` }
}

function safeText({ workloads, answer }: JudgedFacts): string {
  const created = workloads.reduce((sum, entry) => sum + entry.created, 0)
  if (created === 0) return 'no pod is affected'
  const when = (answer.wellAgain ?? 0) === 0 ? 'immediately' : `by ${span((answer.wellAgain ?? 0) * 1000)}`
  return `${counted(created, 'pod is', 'pods are')} created, all ready ${when}`
}

/**
 * Reports whether the workload lacks wanted pods at the end because of the change. Pods of a DaemonSet wait for their
 * nodes.
 */
export function isOpen({ kind, recovered }: WorkloadEntry): boolean {
  return recovered === undefined && kind !== 'DaemonSet'
}

/** `default/web is` or `3 workloads are` */
function someOf(entries: readonly WorkloadEntry[]): string {
  const [first] = entries
  return entries.length === 1 && first !== undefined ? `${nameOf(first)} is` : `${entries.length} workloads are`
}

export function nameOf({ namespace, name }: WorkloadEntry): string {
  return `${namespace}/${name}`
}

function harmOf({ workloads, answer, loops }: JudgedFacts): readonly string[] {
  const [budget, ...moreBudgets] = answer.budgetsBroken
  const below = workloads.find((entry) => entry.budget === budget)
  const time = below === undefined ? '' : ` for ${span(below.timeBelowBudget * 1000)}`
  const lost = workloads.filter((entry) => entry.lost > 0)
  const lostPods = lost.reduce((sum, entry) => sum + entry.lost, 0)
  const stuck = workloads.flatMap(({ terminating }) => terminating)
  return [
    ...(budget === undefined
      ? []
      : [
          moreBudgets.length === 0
            ? `the disruption budget ${budget} is violated${time}`
            : `${moreBudgets.length + 1} disruption budgets are violated`,
        ]),
    ...(lostPods === 0 ? [] : [lostText(lost, lostPods)]),
    ...(stuck.length === 0
      ? []
      : [stuck.length === 1 ? `${stuck[0]?.pod} stays Terminating` : `${stuck.length} pods stay Terminating`]),
    ...(loops.length === 0 ? [] : [`${counted(loops.length, 'loop')} detected`]),
  ]
}

function lostText([first]: readonly WorkloadEntry[], pods: number): string {
  if (pods > 1 || first === undefined) return `${pods} pods are lost`
  return first.kind === 'Pod' ? `${nameOf(first)} is lost` : `a pod of ${nameOf(first)} is lost`
}

function blockedText({ open, drained, blocked }: DrainReport): string {
  const budgets = budgetsThatBlock(blocked)
  const [budget] = budgets
  const many = `by ${budgets.length} disruption budgets`
  const why = budget === undefined ? '' : ` ${budgets.length > 1 ? many : `by the disruption budget ${budget.budget}`}`
  const [first] = open
  if (open.length === 1) return `the drain of ${first} is blocked${why}`
  return `${open.length} of ${open.length + drained.length} nodes are not drained: blocked${why}`
}

/** Reports whether the verdict is as bad as `limit`, or worse. */
export function isAsBadAs(verdict: Verdict, limit: Verdict): boolean {
  return verdicts.indexOf(verdict) >= verdicts.indexOf(limit)
}
