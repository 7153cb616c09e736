// A forecast in the form that the browser shows: in the console beside the current state, and in the HTML report.
import type { ConsoleForecast, ForecastCount, ForecastNodeChange, ForecastPod } from '../../wire/console-wire.ts'
import type { TraceLine } from '../facts/fact.ts'
import type { RunRecorder } from '../facts/run-recorder.ts'
import type { ClusterCount, Forecast } from './forecast.ts'

/** Requests by pod. A forecast does not contain them. */
export type PodRequests = ReadonlyMap<string, { readonly cpuMilli: number; readonly memoryBytes: number }>

export function podRequests({ stories }: RunRecorder): PodRequests {
  return new Map([...stories.values()].map(({ key, cpuMilli, memoryBytes }) => [key, { cpuMilli, memoryBytes }]))
}

const samplesShown = 1_500

export function shownForecast(
  forecast: Forecast,
  { requests, mostPods = Number.POSITIVE_INFINITY }: { readonly requests: PodRequests; readonly mostPods?: number },
): ConsoleForecast {
  const pods = forecast.pods.slice(0, mostPods).map(
    (entry): ForecastPod => ({
      ...entry,
      cpuMilli: requests.get(entry.pod)?.cpuMilli ?? 0,
      memoryBytes: requests.get(entry.pod)?.memoryBytes ?? 0,
    }),
  )
  const { drains, devices, upgrade, cost } = forecast
  return {
    question: forecast.question,
    startMs: Date.parse(forecast.start),
    seconds: forecast.seconds,
    verdict: forecast.verdict,
    reason: forecast.reason,
    caused: forecast.caused,
    baseline: forecast.baseline,
    workloads: forecast.workloads,
    answer: forecast.answer.lines,
    deleted: forecast.answer.deleted,
    pending: forecast.answer.pending,
    before: countOf(forecast.before),
    after: countOf(forecast.after),
    notes: forecast.notes.map(({ text }) => text),
    loops: forecast.loops.map(({ text }) => text),
    pods,
    morePods: forecast.pods.length - pods.length,
    nodes: forecast.timeline.flatMap(nodeChanges),
    budgets: forecast.budgets.map(({ budget, from, until }) => ({
      budget,
      from,
      ...(until === undefined ? {} : { until }),
    })),
    ...(drains === undefined ? {} : { drains }),
    ...(devices === undefined ? {} : { devices }),
    ...(upgrade === undefined ? {} : { upgrade }),
    ...(cost === undefined ? {} : { cost }),
    series: thinned(forecast.series),
  }
}

const nodeFacts: ReadonlySet<string> = new Set([
  'ready',
  'tainted',
  'untainted',
  'cordoned',
  'uncordoned',
  'deleted',
  'created',
])

function nodeChanges({ t, what, object, detail }: TraceLine): readonly ForecastNodeChange[] {
  if (!object.startsWith('node/') || !nodeFacts.has(what)) return []
  const text = typeof detail === 'string' ? { detail } : {}
  return [{ at: t, node: object.slice('node/'.length), what: what as ForecastNodeChange['what'], ...text }]
}

function countOf({ nodes, nodesReady, pods, cpu, memory }: ClusterCount): ForecastCount {
  return {
    nodes,
    nodesReady,
    pods,
    cpuMilli: cpu.requested,
    cpuAllocatableMilli: cpu.allocatable,
    memoryBytes: memory.requested,
    memoryAllocatableBytes: memory.allocatable,
  }
}

/** Drops samples: a chart shows at most samplesShown points. */
function thinned(series: Forecast['series']): ConsoleForecast['series'] {
  const step = Math.ceil(series.seconds.length / samplesShown)
  const some = (column: readonly number[]) => column.filter((_, at) => at % step === 0 || at === column.length - 1)
  return {
    seconds: some(series.seconds),
    pending: some(series.pending),
    running: some(series.running),
    notReady: some(series.notReady),
    terminating: some(series.terminating),
    nodesReady: some(series.nodesReady),
  }
}
