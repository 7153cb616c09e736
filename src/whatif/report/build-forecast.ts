import { extended } from '../../base/extended.ts'
import { version } from '../../base/version.ts'
import { traceOf } from '../facts/fact.ts'
import { findLoops } from '../facts/loops.ts'
import { Occupancy } from '../facts/occupancy.ts'
import { podEntries, replacementsIn, seconds } from '../facts/pod-entries.ts'
import type { RunRecorder } from '../facts/run-recorder.ts'
import type { ForecastRun } from '../run/forecast-run.ts'
import { answerOf } from './answer.ts'
import { comparedExpectations } from './compared-expectations.ts'
import type { BudgetEntry, Forecast, ForecastSeries, Loop, NodeEntry, Note } from './forecast.ts'
import { causedBy, countsOf, impactOf, noImpact } from './impact.ts'
import { listed } from './phrases.ts'
import { upgradeReport } from './upgrade-entry.ts'
import { judge } from './verdict.ts'
import { workloadEntries } from './workload-entries.ts'

export interface ForecastExtras {
  readonly notes?: readonly Note[]
  readonly interrupted?: boolean
  /** A run of the same cluster and time without the steps. Absent: nothing else happens. */
  readonly baseline?: ForecastRun
}

/** Builds the forecast from the recorded facts and the state of the cluster at the end. */
export function buildForecast(
  forecastRun: ForecastRun,
  { notes = [], interrupted = false, baseline }: ForecastExtras = {},
): Forecast {
  const { recorder, cluster, plan, seed, startMs, elapsedMs } = forecastRun
  recorder.settle()
  baseline?.recorder.settle()
  const end = new Occupancy(cluster.store, recorder.tally)
  const loops = findLoops(recorder, elapsedMs)
  const stories = [...recorder.stories.values()]
  const replacements = replacementsIn(stories)
  const impact = impactOf(forecastRun, replacements)
  const anyway = baseline === undefined ? noImpact : impactOf(baseline)
  const caused = causedBy(impact, anyway)
  const newLoops = baseline === undefined ? loops : loopsNotIn(loops, findLoops(baseline.recorder, baseline.elapsedMs))
  const judgment = judge(forecastRun, caused, newLoops)
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
    ...judgment,
    caused: countsOf(caused),
    baseline: countsOf(anyway),
    before: forecastRun.before.count(),
    after: end.count(),
    answer: answerOf(forecastRun, { stories, replacements, loops, impact, caused }),
    notes: [...notes, ...addressNotes(forecastRun, end)],
    loops,
    expectations: comparedExpectations(forecastRun, { caused, judgment, loops: newLoops }),
    workloads: workloadEntries(forecastRun, caused, baseline),
    pods: podEntries(stories, replacements, cluster.store),
    nodes: nodeEntries(forecastRun.before, end),
    budgets: budgetEntries(recorder),
    ...drainReport(forecastRun),
    ...upgradeReport(forecastRun),
    series: seriesOf(recorder),
    timeline: traceOf(recorder.facts),
  }
}

/** Loops of workloads that do not loop without the steps. */
export function loopsNotIn(loops: readonly Loop[], others: readonly Loop[]): readonly Loop[] {
  const known = new Set(others.map(({ kind, text }) => `${kind} ${text.split(' ')[0]}`))
  return loops.filter(({ kind, text }) => !known.has(`${kind} ${text.split(' ')[0]}`))
}

function nodeEntries(before: Occupancy, after: Occupancy): readonly NodeEntry[] {
  const names = [...new Set([...before.rows.keys(), ...after.rows.keys()])].sort()
  return names.map((name) => {
    const state = !after.rows.has(name) ? 'removed' : before.rows.has(name) ? 'kept' : 'added'
    const now = (state === 'removed' ? before.entry(name, state) : after.entry(name, state)) as NodeEntry
    const then = before.condition(name)
    return then === undefined ? now : extended(now, { before: then })
  })
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

/** Where pod CIDRs are allocated, most networks cannot run pods on a node without one. */
function addressNotes({ plan, before }: ForecastRun, { rows }: Occupancy): readonly Note[] {
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

function drainReport({ drains, startMs }: ForecastRun): Pick<Forecast, 'drains'> {
  const { drained, open, blocked, cut } = drains
  if (drained.length === 0 && open.length === 0 && cut === undefined) return {}
  const at = (ms: number) => seconds(ms - startMs)
  return {
    drains: {
      drained: drained.map(({ node, fromMs, untilMs }) => ({ node, from: at(fromMs), until: at(untilMs) })),
      open,
      blocked: blocked.map(({ node, pod, sinceMs, why }) => ({ node, pod, since: at(sinceMs), why })),
      ...(cut === undefined ? {} : { cut }),
    },
  }
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
