import { setImmediate } from 'node:timers/promises'
import type { Pod } from '../../api/objects/pod.ts'
import { releaseOf } from '../../api/releases/release-of.ts'
import { packs } from '../../controllers/hollow-kubelet/packs.ts'
import type { ForecastWatch } from '../../controlplane/console/console.ts'
import { readSettings, type Settings } from '../../controlplane/settings.ts'
import type { WebhookSettings } from '../../controlplane/webhook-answers.ts'
import type { Store } from '../../store/contract.ts'
import { buildForecast } from '../../whatif/report/build-forecast.ts'
import type { Forecast, ForecastNote } from '../../whatif/report/forecast.ts'
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
import { schedulerConfigurationOf } from '../control-plane-options.ts'
import { parseDocuments } from '../yaml.ts'
import { askQuestions, commandText, scenarioText, usualSeconds } from './questions.ts'

/** The configuration of the live cluster, which the forecast uses as well. */
export interface ForecastSetup {
  readonly settings: Settings
  /** Stages of the user. Otherwise, the simulated kubelets behave as in `berth whatif`. */
  readonly stages: HollowSettings['stages']
  /** Autoscalers in addition to those found in the cluster. */
  readonly autoscaler?: AutoscalerFile
  /** How webhooks are answered. Default: they do not answer, and their failurePolicy applies. */
  readonly webhooks?: WebhookSettings
  /** Facts of a dump or a snapshot other than its objects. Absent for a live cluster. */
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
  const found = foundIn(store, setup, now)
  const question = await askQuestions(request, found)
  if (question.failures !== undefined) throw wrongQuestion('--each-… is another question: fail --each')
  const { settings, refused } = settingsFor(setup.settings, request)
  const { plan, notes } = planFor(question, found, { ...setup, settings }, request)
  const told = [...found.notes, ...refused, ...notes]
  const built = await playPlan(plan, told, { onProgress, isUnwanted })
  const forecast = shownForecast(built.forecast, { requests: podRequests(built.run.recorder), mostPods: podsShown })
  const command = commandText(request)
  const { flags } = settings
  const document = setup.autoscaler?.document
  const scenario = await scenarioText(question, { seconds: built.forecast.seconds, flags, autoscaling: document })
  return {
    forecast,
    ...(command === undefined ? {} : { command }),
    ...(scenario === undefined ? {} : { scenario }),
  }
}

/** The objects of a store as the cluster of a question. */
export function foundIn(store: Store, { file }: Pick<ForecastSetup, 'file'>, now: number): ClusterInput {
  return {
    kubernetes: {},
    cluster: { store, takenAtMs: Math.floor(now / 1000) * 1000 },
    usage: new Map(),
    manifests: [],
    notes: [],
    without: [],
    ...file,
  }
}

/** The plan of a forecast, with the settings of the setup, and notes on its assumptions. */
export function planFor(
  question: Question,
  { cluster, without }: ClusterInput,
  setup: ForecastSetup,
  request: ForecastRequest,
): { readonly plan: ForecastPlan; readonly notes: readonly ForecastNote[] } {
  // The same startup times as in `berth whatif`, so that both have the same answer.
  const learned = learnStartups(cluster.store.list('pods') as readonly Pod[])
  const medians = [...learned].map(([key, { medianMs }]) => [key, medianMs] as const)
  const startups = new Map([...medians, ...(question.startups ?? [])])
  const { notes: assumed, ...autoscaling } = autoscalersOf(setup.autoscaler, cluster)
  const plan: ForecastPlan = {
    title: question.title,
    ...autoscaling,
    ...(setup.webhooks === undefined ? {} : { webhooks: setup.webhooks }),
    settings: setup.settings,
    hollow: { stages: [...setup.stages, ...withStartups(packs.forecast, startups)] },
    found: cluster,
    create: [],
    steps: question.steps,
    untilMs: Math.max(lengthOf(request, question), question.steps.at(-1)?.atMs ?? 0),
    ...(question.afterUpgradeMs === undefined ? {} : { afterUpgradeMs: question.afterUpgradeMs }),
    expect: [],
    without,
  }
  return { plan, notes: [...(question.notes ?? []), ...assumed, ...startupNotes(learned)] }
}

/** Runs a plan and its baseline in small parts. */
export async function playPlan(
  plan: ForecastPlan,
  notes: readonly ForecastNote[],
  { onProgress, isUnwanted }: ForecastWatch,
): Promise<{ readonly forecast: Forecast; readonly run: ForecastRun }> {
  const finish = async (run: ForecastRun, show: boolean) => {
    while (run.proceed(instantsAtOnce)) {
      if (isUnwanted()) throw new Error('the forecast was discarded')
      if (show) onProgress({ seconds: run.elapsedMs / 1000, facts: run.recorder.facts.length })
      await setImmediate()
    }
    return run
  }
  await setImmediate()
  const run = await finish(ForecastRun.start(plan), true)
  const baseline = await finish(ForecastRun.start(baselineOf(plan, run.elapsedMs)), false)
  return { forecast: buildForecast(run, { notes, baseline }), run }
}

/** As in `berth whatif`, a question such as an upgrade has its own length, unless the request sets another length than the default. */
function lengthOf({ seconds }: ForecastRequest, { untilMs }: Question): number {
  return seconds === usualSeconds && untilMs !== undefined ? untilMs : seconds * 1000
}

/** The settings of the cluster with another release or other flags, and notes on gates that the other release rejects. */
export function settingsFor(
  settings: Settings,
  { release, flags }: Pick<ForecastRequest, 'release' | 'flags'>,
): { readonly settings: Settings; readonly refused: readonly ForecastNote[] } {
  if (release === undefined && flags === undefined) return { settings, refused: [] }
  const document = flags === undefined ? {} : flagsOf(flags)
  const isOfScheduler = document['kind'] !== undefined || document['apiVersion'] !== undefined
  const given = isOfScheduler ? {} : document
  const { configuration, plugins } = settings.scheduler
  const configurationOf = isOfScheduler
    ? schedulerConfigurationOf(document, 'flags')
    : sameConfiguration(configuration, settings)
      ? undefined
      : () => configuration
  const { flags: own, refused } = flagsUnder(settings.flags, release)
  const changed = readSettings(
    { ...own, ...given, ...(release === undefined ? {} : { 'kubernetes-version': release }) },
    { plugins, ...(configurationOf === undefined ? {} : { configurationOf }) },
  )
  if (!changed.ok) throw wrongQuestion(changed.message)
  return { settings: changed.value, refused }
}

/** The flags of the cluster for another release, which may not have its gates. */
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

/** Whether the scheduler has the default configuration of the release. */
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
