import { setImmediate } from 'node:timers/promises'
import type {
  ConsoleForecast,
  ForecastCount,
  ForecastNodeChange,
  ForecastPod,
  ForecastRequest,
} from '../api/console-wire.ts'
import type { ForecastWatch } from '../controlplane/console.ts'
import type { Settings } from '../controlplane/settings.ts'
import type { Store } from '../store/contract.ts'
import { buildForecast } from '../whatif/build-forecast.ts'
import type { ClusterCount, Forecast } from '../whatif/forecast.ts'
import type { Plan } from '../whatif/plan.ts'
import { plan, type Question, targetText } from '../whatif/question.ts'
import { Rehearsal } from '../whatif/rehearsal.ts'
import type { HollowSettings } from '../whatif/scenario.ts'
import type { NodeTarget, Step } from '../whatif/step.ts'
import { parseTaint } from '../whatif/taint-text.ts'

/** How the live cluster is run, so that its forecast is run in the same way. */
export interface ForecastSetup {
  readonly settings: Settings
  readonly hollow: HollowSettings
}

// Short enough that the live cluster goes on beside the forecast.
const INSTANTS_AT_ONCE = 50
const PODS_SHOWN = 20_000
const SAMPLES_SHOWN = 1_500

/** Plays what would follow on a fork of the store, which stays as it is. */
export async function forecastForConsole(
  store: Store,
  { settings, hollow }: ForecastSetup,
  request: ForecastRequest,
  now: number,
  { onProgress, isUnwanted }: ForecastWatch,
): Promise<ConsoleForecast> {
  const question = questionOf(request)
  const startMs = Math.floor(now / 1000) * 1000
  const asked: Plan = {
    title: question.title,
    settings,
    hollow,
    found: { store, takenAtMs: startMs },
    create: [],
    steps: question.steps,
    untilMs: request.seconds * 1000,
    expect: [],
  }
  await setImmediate()
  const rehearsal = new Rehearsal(asked)
  while (rehearsal.proceed(INSTANTS_AT_ONCE)) {
    if (isUnwanted()) throw new Error('the forecast was discarded')
    onProgress({ seconds: rehearsal.elapsedMs / 1000, facts: rehearsal.chronicle.facts.length })
    await setImmediate()
  }
  return shown(buildForecast(rehearsal), rehearsal, startMs)
}

function questionOf(request: ForecastRequest): Question {
  const nodes: NodeTarget = { kind: 'names', names: request.nodes }
  const step = stepOf(request, nodes)
  const how = request.taint === undefined ? '' : ` ${request.kind === 'taint' ? 'with' : 'of'} ${request.taint}`
  return { title: `${request.kind} ${targetText(nodes)}${how}`, steps: [plan(step)] }
}

function stepOf({ kind, taint }: ForecastRequest, nodes: NodeTarget): Step {
  switch (kind) {
    case 'taint':
    case 'untaint': {
      const parsed = parseTaint(taint ?? '')
      if (!parsed.ok) throw new Error(parsed.message)
      return kind === 'taint' ? { kind, nodes, taint: parsed.value } : { kind, nodes, taint: parsed.value }
    }
    case 'drain':
      return { kind, nodes, options: { oneByOne: nodes.kind === 'names' && nodes.names.length > 1 } }
    default:
      return { kind, nodes }
  }
}

function shown(forecast: Forecast, { chronicle }: Rehearsal, startMs: number): ConsoleForecast {
  const stories = new Map([...chronicle.stories.values()].map((story) => [story.key, story]))
  const pods = forecast.pods.slice(0, PODS_SHOWN).map(
    (entry): ForecastPod => ({
      ...entry,
      cpuMilli: stories.get(entry.pod)?.cpuMilli ?? 0,
      memoryBytes: stories.get(entry.pod)?.memoryBytes ?? 0,
    }),
  )
  const { drains } = forecast
  return {
    question: forecast.question,
    startMs,
    seconds: forecast.seconds,
    answer: forecast.answer.lines,
    deleted: forecast.answer.deleted,
    pending: forecast.answer.pending,
    before: countOf(forecast.before),
    after: countOf(forecast.after),
    notes: forecast.notes.map(({ text }) => text),
    loops: forecast.loops.map(({ text }) => text),
    pods,
    morePods: forecast.pods.length - pods.length,
    nodes: chronicle.facts.flatMap(({ about, what, key, atMs, detail }): readonly ForecastNodeChange[] =>
      about === 'Node' && nodeFacts.has(what)
        ? [{ at: atMs / 1000, node: key, what: what as ForecastNodeChange['what'], ...textOf(detail) }]
        : [],
    ),
    budgets: forecast.budgets.map(({ budget, from, until }) => ({
      budget,
      from,
      ...(until === undefined ? {} : { until }),
    })),
    ...(drains === undefined
      ? {}
      : { drains: { drained: drains.drained, open: drains.open, blocked: drains.blocked } }),
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

const textOf = (detail: unknown) => (typeof detail === 'string' ? { detail } : {})

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

/** A picture has only so many points. */
function thinned(series: Forecast['series']): ConsoleForecast['series'] {
  const step = Math.ceil(series.seconds.length / SAMPLES_SHOWN)
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
