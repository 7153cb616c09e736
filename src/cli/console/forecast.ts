import { setImmediate } from 'node:timers/promises'
import type { ForecastWatch } from '../../controlplane/console/console.ts'
import type { Settings } from '../../controlplane/settings.ts'
import type { Store } from '../../store/contract.ts'
import { buildForecast } from '../../whatif/report/build-forecast.ts'
import { podRequests, shownForecast } from '../../whatif/report/shown-forecast.ts'
import { ForecastRun } from '../../whatif/run/forecast-run.ts'
import { baselineOf, type ForecastPlan } from '../../whatif/scenario/forecast-plan.ts'
import { plannedStep, type Question, targetText } from '../../whatif/scenario/question.ts'
import type { HollowSettings } from '../../whatif/scenario/scenario.ts'
import type { NodeTarget, Step } from '../../whatif/scenario/step.ts'
import { parseTaint } from '../../whatif/scenario/taint-text.ts'
import type { ConsoleForecast, ConsoleForecastRequest } from '../../wire/console-wire.ts'

/** The configuration of the live cluster, which the forecast uses as well. */
export interface ForecastSetup {
  readonly settings: Settings
  readonly hollow: HollowSettings
}

// Small enough that the live cluster keeps running during a forecast.
const instantsAtOnce = 50
const podsShown = 20_000

/** Runs a forecast on a fork of the store. The store is not changed. */
export async function forecastForConsole(
  store: Store,
  { settings, hollow }: ForecastSetup,
  request: ConsoleForecastRequest,
  now: number,
  { onProgress, isUnwanted }: ForecastWatch,
): Promise<ConsoleForecast> {
  const question = questionOf(request)
  const startMs = Math.floor(now / 1000) * 1000
  const asked: ForecastPlan = {
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
  const finish = async (forecastRun: ForecastRun, show: boolean) => {
    while (forecastRun.proceed(instantsAtOnce)) {
      if (isUnwanted()) throw new Error('the forecast was discarded')
      const facts = forecastRun.recorder.facts.length
      if (show) onProgress({ seconds: forecastRun.elapsedMs / 1000, facts })
      await setImmediate()
    }
    return forecastRun
  }
  const forecastRun = await finish(ForecastRun.start(asked), true)
  const baseline = await finish(ForecastRun.start(baselineOf(asked)), false)
  const requests = podRequests(forecastRun.recorder)
  return shownForecast(buildForecast(forecastRun, { baseline }), { requests, mostPods: podsShown })
}

function questionOf(request: ConsoleForecastRequest): Question {
  const nodes: NodeTarget = { kind: 'names', names: request.nodes }
  const step = stepOf(request, nodes)
  const how = request.taint === undefined ? '' : ` ${request.kind === 'taint' ? 'with' : 'of'} ${request.taint}`
  return { title: `${request.kind} ${targetText(nodes)}${how}`, steps: [plannedStep(step)] }
}

function stepOf({ kind, taint }: ConsoleForecastRequest, nodes: NodeTarget): Step {
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
