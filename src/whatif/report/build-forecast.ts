import { extended } from '../../base/extended.ts'
import { version } from '../../base/version.ts'
import { traceOf } from '../facts/fact.ts'
import { findLoops } from '../facts/loops.ts'
import { Occupancy } from '../facts/occupancy.ts'
import { podEntries, type Replacements, replacementsIn, seconds } from '../facts/pod-entries.ts'
import type { RunRecorder } from '../facts/run-recorder.ts'
import type { ForecastRun } from '../run/forecast-run.ts'
import { answerLines } from './answer-lines.ts'
import { autoscalerNotes } from './autoscaler-notes.ts'
import { type BaselineFacts, baselineFacts } from './baseline-facts.ts'
import { comparedExpectations } from './compared-expectations.ts'
import { costReport } from './cost-entry.ts'
import { deviceReport } from './device-entries.ts'
import { drainReport } from './drain-entry.ts'
import type { BudgetEntry, Forecast, ForecastNote, ForecastSeries, Loop, NodeEntry } from './forecast.ts'
import { gateNotes } from './gate-notes.ts'
import { causedBy, countsOf, countsWithout, type Impact, impactOf, noImpact } from './impact.ts'
import { judgedNotes } from './missing-kinds.ts'
import { listed } from './phrases.ts'
import { summaryOf } from './summary.ts'
import { upgradeReport } from './upgrade-entry.ts'
import { type ForecastFacts, type Judgment, judge } from './verdict.ts'
import { webhookNotes } from './webhook-notes.ts'
import { workloadEntries } from './workload-entries.ts'

export interface ForecastExtras {
  readonly notes?: readonly ForecastNote[]
  readonly interrupted?: boolean
  /** A run of the same cluster and time without the steps. Absent: nothing happens without the steps. */
  readonly baseline?: ForecastRun
}

/** Builds the forecast from the recorded facts and the state of the cluster at the end. */
export function buildForecast(forecastRun: ForecastRun, extras: ForecastExtras = {}): Forecast {
  const { recorder } = forecastRun
  const { baseline } = extras
  recorder.settle()
  const replacements = replacementsIn([...recorder.stories.values()])
  const anyway = baseline === undefined ? undefined : baselineFacts(baseline)
  const caused = causedBy(impactOf(forecastRun, replacements), anyway?.impact ?? noImpact)
  const facts = factsOf(forecastRun, extras, { replacements, caused, anyway })
  const judgment = judge(facts)
  // Members are in the order in which they are printed: the verdict before the details.
  const { apiVersion, kind, berth, kubernetes, question, seed, start, seconds: length, interrupted, ...details } = facts
  return {
    ...{ apiVersion, kind, berth, kubernetes, question, seed, start, seconds: length, interrupted },
    ...judgment,
    expectations: comparedExpectations(forecastRun, { ...facts, ...facts.answer, caused, judgment, baseline }),
    ...details,
    answer: { lines: answerLines(facts), ...facts.answer },
  }
}

/** The verdict alone, for a search that runs many cases on one baseline. */
export function judgeRun(
  forecastRun: ForecastRun,
  {
    caused,
    loops,
    baseline,
  }: { readonly caused: Impact; readonly loops: readonly Loop[]; readonly baseline: BaselineFacts },
): { readonly judgment: Judgment } & Pick<ForecastFacts, 'workloads'> & Pick<ForecastFacts['answer'], 'wellAgain'> {
  forecastRun.recorder.settle()
  const workloads = workloadEntries(forecastRun, caused, baseline)
  const answer = summaryOf(forecastRun, caused, workloads)
  const judgment = judge({
    workloads,
    loops,
    answer,
    caused: countsOf(caused),
    seconds: seconds(forecastRun.elapsedMs),
    ...drainReport(forecastRun),
    ...upgradeReport(forecastRun),
  })
  return { judgment, workloads, ...(answer.wellAgain === undefined ? {} : { wellAgain: answer.wellAgain }) }
}

interface Impacts {
  readonly replacements: Replacements
  readonly caused: Impact
  /** Absent: nothing happens without the steps. */
  readonly anyway: BaselineFacts | undefined
}

function factsOf(
  forecastRun: ForecastRun,
  { notes = [], interrupted = false, baseline }: ForecastExtras,
  { replacements, caused, anyway }: Impacts,
): ForecastFacts {
  const { recorder, cluster, plan, seed, startMs, elapsedMs, before } = forecastRun
  const end = new Occupancy(cluster.store, recorder.tally)
  const loops = findLoops(recorder, elapsedMs)
  const size = before.meanSize() ?? end.meanSize()
  const workloads = workloadEntries(forecastRun, caused, anyway)
  const quiet = baseline && new Occupancy(baseline.cluster.store, baseline.recorder.tally)
  const nodes = nodeEntries(before, end, quiet)
  const counts = countsOf(caused)
  return {
    apiVersion: 'berth.dev/v1alpha1',
    kind: 'Forecast',
    berth: version,
    kubernetes: `v${plan.settings.release.minor}`,
    question: plan.title,
    seed,
    start: new Date(startMs).toISOString(),
    seconds: seconds(elapsedMs),
    interrupted,
    caused: counts,
    baseline: countsWithout(anyway?.impact, caused),
    before: before.count(size),
    after: end.count(size),
    answer: summaryOf(forecastRun, caused, workloads),
    notes: [
      ...judgedNotes(notes, { caused: counts, workloads, nodes }),
      ...addressNotes(forecastRun, end),
      ...autoscalerNotes(forecastRun),
      ...webhookNotes(forecastRun),
      ...gateNotes(forecastRun.assumedGates),
    ],
    loops: baseline === undefined ? loops : loopsNotIn(loops, findLoops(baseline.recorder, baseline.elapsedMs)),
    workloads,
    pods: podEntries([...recorder.stories.values()], replacements, cluster.store),
    nodes,
    ...deviceReport(forecastRun, baseline),
    ...costReport(forecastRun, end),
    budgets: budgetEntries(recorder),
    ...drainReport(forecastRun, baseline),
    ...upgradeReport(forecastRun),
    series: seriesOf(recorder),
    timeline: traceOf(recorder.facts, true),
  }
}

/** The loops of workloads that have no loop without the steps. */
export function loopsNotIn(loops: readonly Loop[], others: readonly Loop[]): readonly Loop[] {
  const known = new Set(others.map(({ kind, text }) => `${kind} ${text.split(' ')[0]}`))
  return loops.filter(({ kind, text }) => !known.has(`${kind} ${text.split(' ')[0]}`))
}

/** `quiet`: the occupancy at the end without the steps. */
function nodeEntries(before: Occupancy, after: Occupancy, quiet: Occupancy | undefined): readonly NodeEntry[] {
  const names = [...new Set([...before.rows.keys(), ...after.rows.keys()])].sort()
  return names.map((name) => {
    const state = !after.rows.has(name) ? 'removed' : before.rows.has(name) ? 'kept' : 'added'
    const now = (state === 'removed' ? before.entry(name, state) : after.entry(name, state)) as NodeEntry
    const then = before.condition(name)
    if (then === undefined) return now
    const isSame = quiet !== undefined && sameHealth(after.condition(name), quiet.condition(name))
    const changesAnyway = isSame && !sameHealth(then, after.condition(name))
    return extended(now, { ...(changesAnyway ? { changesAnyway } : {}), before: then })
  })
}

function sameHealth(a: NodeEntry['before'], b: NodeEntry['before']): boolean {
  if (a === undefined || b === undefined) return a === b
  return a.isReady === b.isReady && a.isCordoned === b.isCordoned && a.taints.join() === b.taints.join()
}

function budgetEntries({ breaches }: RunRecorder): readonly BudgetEntry[] {
  return breaches
    .filter(({ fromMs, untilMs, isOld }) => isOld || untilMs === undefined || untilMs > fromMs)
    .map(({ budget, fromMs, untilMs, healthy, desired, isOld }) => ({
      budget,
      from: seconds(fromMs),
      ...(untilMs === undefined ? {} : { until: seconds(untilMs) }),
      healthy,
      desired,
      before: isOld,
    }))
}

/** In clusters that allocate pod CIDRs, most networks cannot run pods on a node without one. */
function addressNotes({ plan, before }: ForecastRun, { rows }: Occupancy): readonly ForecastNote[] {
  const nodes = [...rows.values()].map(({ node }) => node)
  const without = nodes.filter(({ spec }) => (spec?.podCIDR ?? '') === '').map(({ metadata }) => metadata.name)
  if (without.length === 0 || without.length === nodes.length) return []
  const are = without.length === 1 ? 'has' : 'have'
  if (plan.settings.nodeIpam.allocateNodeCidrs ?? plan.found === undefined) {
    return [
      {
        kind: 'blocked',
        text: `${listed(without, 6)} ${are} no podCIDR: the cluster CIDR is exhausted; most networks cannot run pods on such a node`,
      },
    ]
  }
  if (without.every((name) => before.rows.has(name))) return []
  return [
    {
      kind: 'assumed',
      text: `${listed(without, 6)} ${are} no podCIDR: the CIDR allocator of this cluster is unknown; set allocate-node-cidrs and cluster-cidr in --config to allocate pod CIDRs`,
    },
  ]
}

function seriesOf({ samples }: RunRecorder): ForecastSeries {
  return {
    seconds: samples.map(({ atMs }) => seconds(atMs)),
    pending: samples.map(({ pods }) => pods.pending + pods.starting),
    running: samples.map(({ pods }) => pods.running),
    notReady: samples.map(({ pods }) => pods.notReady),
    terminating: samples.map(({ pods }) => pods.terminating),
    disrupted: samples.map(({ disrupted }) => disrupted),
    nodesReady: samples.map(({ nodesReady }) => nodesReady),
    cpuMilli: samples.map(({ cpuMilli }) => cpuMilli),
    memoryBytes: samples.map(({ memoryBytes }) => memoryBytes),
  }
}
