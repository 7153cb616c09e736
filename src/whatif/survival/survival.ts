import type { Node } from '../../api/objects/node.ts'
import type { Store } from '../../store/contract.ts'
import { findLoops } from '../facts/loops.ts'
import { type BaselineFacts, baselineFacts } from '../report/baseline-facts.ts'
import { judgeRun } from '../report/build-forecast.ts'
import type { ImpactCounts, Verdict } from '../report/forecast.ts'
import { causedBy, countsOf, impactOf } from '../report/impact.ts'
import { verdicts } from '../report/verdict.ts'
import { unansweredWebhooks } from '../report/webhook-notes.ts'
import { ForecastRun, heartbeatsOf } from '../run/forecast-run.ts'
import { baselineOf, type ForecastPlan } from '../scenario/forecast-plan.ts'
import { type FailureCase, plannedStep } from '../scenario/question.ts'
import { PartialClusters } from './partial-cluster.ts'

/** The effects of one failure on a cluster. */
export interface SurvivalRow {
  readonly failure: string
  readonly nodes: number
  readonly verdict: Verdict
  readonly reason: string
  readonly caused: ImpactCounts
  /** Disruption budgets with fewer healthy pods than desired. */
  readonly belowBudget: readonly string[]
  /** Pods that stay Terminating, because the kubelet of their node does not respond. */
  readonly stuck: number
  /** Seconds until every workload has the pods that the failure took from it; absent: not within the forecast. */
  readonly recovered?: number
  /** Webhooks that were not answered, so their failurePolicy decided. */
  readonly unanswered?: readonly string[]
  /** The failure that was run instead, because it has the same course. */
  readonly like?: string
}

export type SurvivalPlan = Omit<ForecastPlan, 'steps' | 'expect' | 'found'> & {
  readonly found: NonNullable<ForecastPlan['found']>
  /** Runs every failure on the whole cluster, even if it affects only a part. */
  readonly isWhole?: boolean
}

/** The failures of every value of a node label. */
export function casesByLabel(nodes: readonly Node[], key: string): readonly FailureCase[] {
  const byValue = new Map<string, string[]>()
  for (const { metadata } of nodes) {
    const value = metadata.labels?.[key]
    if (value !== undefined) byValue.set(value, [...(byValue.get(value) ?? []), metadata.name])
  }
  return [...byValue].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, names]) => ({ name, nodes: names }))
}

/** Runs failures, each on a fork of the same cluster. */
export class SurvivalRuns {
  private readonly plan: SurvivalPlan
  private readonly seed: string
  private quiet: BaselineFacts | undefined
  private partial: PartialClusters | undefined

  constructor(plan: SurvivalPlan, seed: string) {
    this.plan = plan
    this.seed = seed
  }

  play(failure: FailureCase): SurvivalRow {
    const [only = ''] = failure.nodes
    return this.playPart(failure, this.partialFor(failure)?.around(only))
  }

  /** Runs a failure on the whole cluster, while another thread runs the cluster without a failure. */
  async playBeside(baseline: Promise<BaselineFacts>, failure: FailureCase): Promise<SurvivalRow> {
    const played = this.runOn(failure, this.plan)
    this.quiet = await baseline
    return this.rowOf(failure, this.plan, played)
  }

  /** Reports whether a failure is run on the whole cluster. */
  isWhole({ nodes }: FailureCase): boolean {
    return this.plan.isWhole === true || nodes.length !== 1
  }

  /** A key that is equal for failures with the same harmless course. Undefined: unknown. */
  signatureOf(failure: FailureCase): string | undefined {
    const [only = ''] = failure.nodes
    return this.partialFor(failure)?.signatureOf(only)
  }

  private playPart(failure: FailureCase, part: Store | undefined): SurvivalRow {
    if (part !== undefined) {
      // Owners may be omitted from the part. Their dependents must not be garbage-collected.
      const without = [...(this.plan.without ?? []), 'garbagecollector']
      const row = this.playOn(failure, { ...this.plan, without, found: { ...this.plan.found, store: part } })
      // The whole cluster may place pods that the part cannot place, by preemption or on an omitted node.
      if (row.caused.podsPending === 0) return row
    }
    return this.playOn(failure, this.plan)
  }

  private partialFor(failure: FailureCase): PartialClusters | undefined {
    if (this.isWhole(failure)) return undefined
    this.partial ??= new PartialClusters(this.plan.found, heartbeatsOf(this.plan))
    return this.partial
  }

  private playOn(failure: FailureCase, plan: SurvivalPlan): SurvivalRow {
    return this.rowOf(failure, plan, this.runOn(failure, plan))
  }

  private runOn(failure: FailureCase, plan: SurvivalPlan): ForecastRun {
    const step = plannedStep({ kind: 'fail', nodes: { kind: 'names', names: failure.nodes } })
    return ForecastRun.start({ ...plan, steps: [step], expect: [] }, { seed: this.seed }).finish()
  }

  private rowOf(failure: FailureCase, plan: SurvivalPlan, forecastRun: ForecastRun): SurvivalRow {
    const baseline = this.withoutFailure()
    const caused = causedBy(impactOf(forecastRun), baseline.impact)
    const loops = findLoops(forecastRun.recorder, forecastRun.elapsedMs)
    const unanswered = plan.webhooks?.unanswered === 'allow' ? [] : unansweredWebhooks(forecastRun)
    const { judgment, wellAgain } = judgeRun(forecastRun, { caused, loops, baseline })
    return {
      failure: failure.name,
      nodes: failure.nodes.length,
      ...judgment,
      caused: countsOf(caused),
      belowBudget: [...new Set(caused.breaches.map(({ budget }) => budget))].sort(),
      stuck: caused.stuck.length,
      ...(wellAgain === undefined ? {} : { recovered: wellAgain }),
      ...(unanswered.length === 0 ? {} : { unanswered }),
    }
  }

  /** The course without a failure. It is the same for all failures. */
  withoutFailure(): BaselineFacts {
    if (this.quiet === undefined) {
      const plan = baselineOf({ ...this.plan, steps: [], expect: [] })
      this.quiet = baselineFacts(ForecastRun.start(plan, { seed: this.seed }).finish())
    }
    return this.quiet
  }
}

/**
 * Runs one failure of each signature, and the others only if it does harm, because the row of a harmless failure names
 * no workload. `play` returns the rows of the given cases, undefined for cases that were not run.
 */
export async function likeFirst(
  runs: SurvivalRuns,
  cases: readonly FailureCase[],
  play: (cases: readonly FailureCase[]) => Promise<readonly (SurvivalRow | undefined)[]>,
): Promise<readonly SurvivalRow[]> {
  const firsts = new Map<string, FailureCase>()
  const likes = new Map<FailureCase, FailureCase>()
  for (const failure of cases) {
    const signature = runs.signatureOf(failure)
    const first = signature === undefined ? undefined : firsts.get(signature)
    if (first !== undefined) likes.set(failure, first)
    else if (signature !== undefined) firsts.set(signature, failure)
  }
  const rows = new Map<FailureCase, SurvivalRow>()
  const playEach = async (chosen: readonly FailureCase[]) => {
    for (const [at, row] of (await play(chosen)).entries())
      if (row !== undefined) rows.set(chosen[at] as FailureCase, row)
  }
  await playEach(cases.filter((failure) => !likes.has(failure)))
  const isHarmed = (failure: FailureCase | undefined) =>
    failure !== undefined && (rows.get(failure)?.verdict ?? 'SAFE') !== 'SAFE'
  await playEach(cases.filter((failure) => isHarmed(likes.get(failure))))
  return cases.flatMap((failure) => {
    const own = rows.get(failure)
    if (own !== undefined) return [own]
    const first = likes.get(failure)
    const like = first === undefined ? undefined : rows.get(first)
    return like === undefined || like.verdict !== 'SAFE' ? [] : [{ ...like, failure: failure.name, like: like.failure }]
  })
}

/** Sorts rows, the worst first. */
export function worstFirst(rows: readonly SurvivalRow[]): readonly SurvivalRow[] {
  const rank = ({ verdict, caused, belowBudget, stuck, recovered = Number.POSITIVE_INFINITY }: SurvivalRow) => [
    verdicts.indexOf(verdict),
    belowBudget.length,
    caused.podsPending,
    stuck,
    recovered,
  ]
  return rows.toSorted((a, b) => {
    const [left, right] = [rank(a), rank(b)]
    const at = left.findIndex((value, index) => value !== right[index])
    if (at >= 0) return (right[at] ?? 0) - (left[at] ?? 0)
    return a.failure < b.failure ? -1 : 1
  })
}
