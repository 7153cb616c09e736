import { setImmediate } from 'node:timers/promises'
import type { Pod } from '../../api/objects/pod.ts'
import { releaseOf } from '../../api/releases/release-of.ts'
import { packs } from '../../controllers/hollow-kubelet/packs.ts'
import type { ForecastWatch } from '../../controlplane/console/console.ts'
import { readSettings, type Settings } from '../../controlplane/settings.ts'
import type { WebhookSettings } from '../../controlplane/webhook-answers.ts'
import type { Store } from '../../store/contract.ts'
import { buildForecast } from '../../whatif/report/build-forecast.ts'
import type { ForecastNote } from '../../whatif/report/forecast.ts'
import { podRequests, shownForecast } from '../../whatif/report/shown-forecast.ts'
import { ForecastRun } from '../../whatif/run/forecast-run.ts'
import { baselineOf, type ForecastPlan } from '../../whatif/scenario/forecast-plan.ts'
import type { Question } from '../../whatif/scenario/question.ts'
import type { HollowSettings } from '../../whatif/scenario/scenario.ts'
import type { ClusterInput } from '../../whatif/snapshot/found-cluster.ts'
import { acceptedGates } from '../../whatif/snapshot/found-control-plane.ts'
import { learnStartups, startupNotes, withStartups } from '../../whatif/snapshot/startup-times.ts'
import type { ForecastRequest, ForecastResult } from '../../wire/console-questions.ts'
import { type AutoscalerFile, autoscalersOf } from '../autoscaler-input.ts'
import { wrongQuestion } from '../command.ts'
import { parseDocuments } from '../yaml.ts'
import { askQuestions, commandText, scenarioText, usualSeconds } from './questions.ts'

/** The configuration of the live cluster, which the forecast uses as well. */
export interface ForecastSetup {
  readonly settings: Settings
  /** Stages of the user; the kubelets of a forecast otherwise behave as those of `berth whatif`. */
  readonly stages: HollowSettings['stages']
  /** Describes autoscalers besides those that the cluster itself shows. */
  readonly autoscaler?: AutoscalerFile
  /** How webhooks are answered. Default: they are not, and their failurePolicy decides. */
  readonly webhooks?: WebhookSettings
  /** What a file says about the cluster besides its objects. Absent for a live cluster. */
  readonly file?: Pick<ClusterInput, 'notes' | 'without'>
}

// Small enough that the live cluster keeps running during a forecast.
const instantsAtOnce = 50
export const podsShown = 20_000

/** Runs a forecast on a fork of the store. The store is not changed. */
export async function forecastForConsole(
  store: Store,
  setup: ForecastSetup,
  request: ForecastRequest,
  now: number,
  { onProgress, isUnwanted }: ForecastWatch,
): Promise<ForecastResult> {
  const startMs = Math.floor(now / 1000) * 1000
  const found: ClusterInput = {
    kubernetes: {},
    cluster: { store, takenAtMs: startMs },
    usage: new Map(),
    manifests: [],
    notes: [],
    without: [],
    ...setup.file,
  }
  const question = await askQuestions(request, found)
  if (question.failures !== undefined)
    throw wrongQuestion('--each-… is a table of many forecasts: use the command line')
  // The same startup times as in `berth whatif`, so that both have the same answer.
  const learned = learnStartups(store.list('pods') as readonly Pod[])
  const medians = [...learned].map(([key, { medianMs }]) => [key, medianMs] as const)
  const startups = new Map([...medians, ...(question.startups ?? [])])
  const { settings, refused } = settingsFor(setup.settings, request)
  const { notes: assumed, ...autoscaling } = autoscalersOf(setup.autoscaler, found.cluster)
  const asked: ForecastPlan = {
    title: question.title,
    ...autoscaling,
    ...(setup.webhooks === undefined ? {} : { webhooks: setup.webhooks }),
    settings,
    hollow: { stages: [...setup.stages, ...withStartups(packs.forecast, startups)] },
    found: found.cluster,
    create: [],
    steps: question.steps,
    untilMs: Math.max(lengthOf(request, question), question.steps.at(-1)?.atMs ?? 0),
    ...(question.afterUpgradeMs === undefined ? {} : { afterUpgradeMs: question.afterUpgradeMs }),
    expect: [],
    without: found.without,
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
  const baseline = await finish(ForecastRun.start(baselineOf(asked, forecastRun.elapsedMs)), false)
  const requests = podRequests(forecastRun.recorder)
  const notes = [...found.notes, ...refused, ...(question.notes ?? []), ...assumed, ...startupNotes(learned)]
  const built = buildForecast(forecastRun, { notes, baseline })
  const forecast = shownForecast(built, { requests, mostPods: podsShown })
  const command = commandText(request)
  const { flags } = settings
  const document = setup.autoscaler?.document
  const scenario = await scenarioText(question, { seconds: built.seconds, flags, autoscaling: document })
  return {
    forecast,
    ...(command === undefined ? {} : { command }),
    ...(scenario === undefined ? {} : { scenario }),
  }
}

/** As in `berth whatif`: a question such as an upgrade has its own length, unless the request has another one than usual. */
function lengthOf({ seconds }: ForecastRequest, { untilMs }: Question): number {
  return seconds === usualSeconds && untilMs !== undefined ? untilMs : seconds * 1000
}

/** The settings of the cluster, with another release or other flags, and notes on gates that the other release refuses. */
function settingsFor(
  settings: Settings,
  { release, flags }: ForecastRequest,
): { readonly settings: Settings; readonly refused: readonly ForecastNote[] } {
  if (release === undefined && flags === undefined) return { settings, refused: [] }
  const given = flags === undefined ? {} : flagsOf(flags)
  const { configuration, plugins } = settings.scheduler
  const isUsual = sameConfiguration(configuration, settings)
  const { flags: own, refused } = flagsUnder(settings.flags, release)
  const changed = readSettings(
    { ...own, ...given, ...(release === undefined ? {} : { 'kubernetes-version': release }) },
    { plugins, ...(isUsual ? {} : { configurationOf: () => configuration }) },
  )
  if (!changed.ok) throw wrongQuestion(changed.message)
  return { settings: changed.value, refused }
}

/** The flags of the cluster under another release, which may not know its gates. */
function flagsUnder(flags: Settings['flags'], release: string | undefined) {
  const gates = flags['feature-gates']
  const chosen = release === undefined ? undefined : releaseOf(release)
  if (typeof gates !== 'string' || chosen?.ok !== true) return { flags, refused: [] }
  const { text, refused } = acceptedGates(gates, chosen.value)
  return {
    flags: { ...flags, 'feature-gates': text },
    refused: refused.map(
      (why): ForecastNote => ({ kind: 'assumed', text: `${why} in v${chosen.value.version}: the gate is ignored` }),
    ),
  }
}

/** Whether the scheduler has the configuration that follows from the release. */
function sameConfiguration(configuration: Settings['scheduler']['configuration'], { flags }: Settings): boolean {
  const usual = readSettings(flags)
  return usual.ok && JSON.stringify(usual.value.scheduler.configuration) === JSON.stringify(configuration)
}

function flagsOf(text: string): Readonly<Record<string, unknown>> {
  const value = parseDocuments(text, 'flags')[0]?.value
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrongQuestion('flags: must be lines such as node-eviction-rate: 0.5')
  return value as Readonly<Record<string, unknown>>
}
