// Shared by the questions of `berth whatif`: reading the cluster and running the forecast.
import { resolve } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { WrongField } from '../api/document-reader.ts'
import { parseGoDurationMs } from '../api/go-duration.ts'
import type { Pod } from '../api/objects/pod.ts'
import { type PackName, packNames, packs } from '../controllers/hollow-kubelet/packs.ts'
import type { Stage } from '../controllers/hollow-kubelet/stage.ts'
import { readSettings, type Settings } from '../controlplane/settings.ts'
import type { ForecastNote } from '../whatif/report/forecast.ts'
import type { Expectation } from '../whatif/scenario/expectation.ts'
import { readExpectations } from '../whatif/scenario/expectation.ts'
import type { ForecastPlan } from '../whatif/scenario/forecast-plan.ts'
import type { Question } from '../whatif/scenario/question.ts'
import { clusterFlags } from '../whatif/snapshot/assumed-flags.ts'
import type { ClusterInput, FoundVersion } from '../whatif/snapshot/found-cluster.ts'
import { schedulerFile } from '../whatif/snapshot/found-control-plane.ts'
import { learnStartups, startupNotes, withStartups } from '../whatif/snapshot/startup-times.ts'
import { readAutoscaler } from './autoscaler-input.ts'
import { clusterOptions, readCluster } from './cluster-input.ts'
import {
  type ArgumentSpec,
  type CommandContext,
  choice,
  defineCommand,
  type Example,
  type ExitCode,
  grouped,
  type OptionSpecs,
  type OptionValues,
  type Ports,
  repeated,
  text,
  wrongQuestion,
} from './command.ts'
import { schedulerConfigurationOf, schedulerOf } from './control-plane-options.ts'
import { answerPlan, outputOptions } from './forecast-command.ts'
import { releaseFlags, releaseOptions } from './release-options.ts'
import { readStages } from './stage-files.ts'
import { flagsOfManifest, schedulerFileOf } from './static-pod-flags.ts'
import { webhookOptions } from './webhook-options.ts'
import { answerSurvival } from './whatif-survival.ts'
import { parseDocuments } from './yaml.ts'

export function questionOptions() {
  return {
    ...grouped('Input options', clusterOptions()),
    ...grouped('Output options', outputOptions()),
    ...grouped('Webhook options', webhookOptions),
    ...grouped('Forecast options', {
      for: text({ summary: 'How much time to forecast', value: 'DURATION', shown: '1h' }),
      startup: text({
        summary:
          'YAML file with startup times, NAMESPACE/NAME: DURATION, or none for no delay (default: the startup times of the running pods of each workload)',
        value: 'FILE|none',
      }),
      ...releaseOptions,
      config: text({
        summary:
          'YAML file with flags of kube-controller-manager and kube-scheduler, or the manifest of their static pod',
        value: 'FILE',
      }),
      behavior: choice({
        summary: 'Behavior of Kubernetes, or with all fixes over upstream',
        choices: ['upstream', 'improved'],
        default: 'upstream',
      }),
      fix: repeated({ summary: 'Enable one fix over upstream behavior', value: 'ID' }),
      schedulerConfig: text({ summary: 'YAML file with the KubeSchedulerConfiguration', value: 'FILE' }),
      plugin: repeated({
        summary: 'Scheduler plugin in JavaScript or TypeScript',
        value: 'FILE',
      }),
      pack: choice({
        summary: 'Behavior of the simulated kubelets',
        choices: packNames,
        default: 'forecast' as PackName,
      }),
      stages: repeated({ summary: 'YAML file of kind Stage with additional kubelet behavior', value: 'FILE' }),
      expect: text({ summary: 'YAML file with expectations; exit code 1 if one is not met', value: 'FILE' }),
      autoscaler: text({
        summary: 'YAML file with the autoscaler and its node groups; it acts in the forecast',
        value: 'FILE',
      }),
    }),
  }
}

export type QuestionOptions = OptionValues<ReturnType<typeof questionOptions>>
export type QuestionContext<Specs extends OptionSpecs> = CommandContext<OptionValues<Specs> & QuestionOptions>

/** Defines one question of `berth whatif`: its help, its options, and its steps. */
export function defineQuestion<const Specs extends OptionSpecs>(spec: {
  readonly name: string
  readonly summary: string
  readonly description?: string
  readonly args: readonly ArgumentSpec[]
  readonly options: Specs
  readonly examples: readonly Example[]
  /** Starts a thread that reads the cluster, too. */
  readonly startReader?: (context: QuestionContext<Specs>) => Worker | undefined
  readonly ask: (context: QuestionContext<Specs>, found: ClusterInput) => Question | Promise<Question>
}) {
  const { ask, startReader, ...rest } = spec
  const command = defineCommand({
    ...rest,
    options: { ...spec.options, ...questionOptions() },
    run: async (context): Promise<ExitCode> => {
      const known = context as unknown as QuestionContext<Specs>
      const reader = startReader?.(known)
      try {
        return await answerQuestion(known, ask, reader)
      } finally {
        await reader?.terminate()
      }
    },
  })
  // For the console, which creates a form from the arguments and the options of a question.
  return Object.assign(command, { question: { options: spec.options as OptionSpecs, ask: ask as AskQuestion } })
}

async function answerQuestion<Specs extends OptionSpecs>(
  known: QuestionContext<Specs>,
  ask: (context: QuestionContext<Specs>, found: ClusterInput) => Question | Promise<Question>,
  reader: Worker | undefined,
): Promise<ExitCode> {
  const found = await readCluster(known)
  const question = await ask(known, found)
  const told: ForecastNote[] = []
  const settings = await readConfig(known.options, known, found.kubernetes, (text) =>
    told.push({ kind: 'assumed', text }),
  )
  const expect = await readExpect(known.options.expect, known)
  const stages = await readStages(known.options.stages, known)
  const { notes: assumed, ...autoscaling } = await readAutoscaler(known.options.autoscaler, found, known)
  const startups = await readStartups(known.options, found, known)
  const times = new Map([...startups.times, ...(question.startups ?? [])])
  const chosen = { options: known.options, settings, expect, stages, startups: times }
  const plan = { ...planOf(question, found, chosen), ...autoscaling }
  const notes = [
    ...[...found.notes, ...schedulerNotes(found, known.options), ...told, ...(question.notes ?? [])],
    ...[...assumed, ...startups.notes],
  ]
  if (question.failures === undefined) return answerPlan(plan, { context: known, notes })
  const pluginFiles = known.options.plugin.map((file) => resolve(known.cwd, file))
  return answerSurvival({ plan, ...question.failures, pluginFiles, reader, notes }, known)
}

/** The steps of a question. `options` has only the options of the question. */
export type AskQuestion = (
  context: CommandContext<Readonly<Record<string, unknown>>>,
  found: ClusterInput,
) => Question | Promise<Question>

/** Startup times from the pods of the cluster, and from the file of --startup. */
export async function readStartups(
  { startup, pack }: Pick<QuestionOptions, 'startup' | 'pack'>,
  { cluster }: ClusterInput,
  ports: Pick<Ports, 'files' | 'cwd'>,
): Promise<{ readonly times: ReadonlyMap<string, number>; readonly notes: readonly ForecastNote[] }> {
  if (startup === 'none' || (startup === undefined && pack !== 'forecast')) return { times: new Map(), notes: [] }
  const learned = learnStartups(cluster.store.list('pods') as readonly Pod[])
  const times = new Map([...learned].map(([key, { medianMs }]) => [key, medianMs]))
  if (startup !== undefined) {
    for (const [key, given] of Object.entries(await readFlags(startup, ports))) {
      const read = parseGoDurationMs(String(given))
      if (!read.ok || read.value < 0) throw wrongQuestion(`${startup}: ${key}: must be a duration, for example 45s`)
      if (key !== '*' && !/^[^/]+\/[^/]+$/.test(key))
        throw wrongQuestion(`${startup}: ${key}: must be NAMESPACE/NAME of a workload, or * for all others`)
      times.set(key, read.value)
    }
  }
  return { times, notes: startupNotes(learned) }
}

const hourMs = 3_600_000
// Time in which the pods of manifests are scheduled before the first step.
const settleMs = 120_000

export function planOf(
  question: Question,
  found: ClusterInput,
  {
    options,
    settings,
    expect = [],
    stages = [],
    startups = new Map(),
  }: {
    readonly options: QuestionOptions
    readonly settings: Settings
    readonly expect?: readonly Expectation[]
    readonly stages?: readonly Stage[]
    /** By `namespace/name` of workloads. */
    readonly startups?: ReadonlyMap<string, number>
  },
): ForecastPlan {
  const lastMs = question.steps.at(-1)?.atMs ?? 0
  const isFound = found.cluster.store.count('nodes') > 0
  return {
    title: question.title,
    settings,
    hollow: { stages: [...stages, ...withStartups(packs[options.pack], startups)] },
    ...(isFound ? { found: found.cluster } : { settleMs: settleMs }),
    create: found.manifests,
    steps: question.steps,
    untilMs: Math.max(options.for === undefined ? (question.untilMs ?? hourMs) : horizon(options.for), lastMs),
    ...(question.afterUpgradeMs === undefined ? {} : { afterUpgradeMs: question.afterUpgradeMs }),
    expect,
    without: found.without,
  }
}

export type ConfigOptions = Pick<
  QuestionOptions,
  'config' | 'behavior' | 'fix' | 'schedulerConfig' | 'plugin' | 'kubernetesVersion' | 'featureGates'
>

/** Reads the settings from the options and the --config file, which has flags or is a KubeSchedulerConfiguration. */
export async function readConfig(
  { config, behavior, fix, schedulerConfig, plugin, ...release }: ConfigOptions,
  ports: Pick<Ports, 'files' | 'cwd'>,
  /** Settings found in the cluster, for those that neither an option nor the config file sets. */
  assumed: FoundVersion = {},
  note: (text: string) => void = () => {},
): Promise<Settings> {
  const document = config === undefined ? {} : await readFlags(config, ports)
  const file = schedulerConfig === undefined ? schedulerFileOf(document) : undefined
  if (file !== undefined) note(`${config} refers to the configuration ${file}, ${passIt}`)
  const given = flagsOfManifest(document) ?? document
  const isOfScheduler = given['kind'] !== undefined || given['apiVersion'] !== undefined
  if (config !== undefined && isOfScheduler && schedulerConfig !== undefined)
    throw wrongQuestion(`${config} and ${schedulerConfig} are both a KubeSchedulerConfiguration; pass only one`)
  const scheduler = await schedulerOf({ schedulerConfig, plugin }, ports.files, ports.cwd)
  const settings = readSettings(
    {
      ...clusterFlags(assumed, { ...(isOfScheduler ? {} : given), ...releaseFlags(release) }),
      ...(behavior === 'upstream' ? {} : { behavior }),
      ...(fix.length === 0 ? {} : { fix }),
    },
    config !== undefined && isOfScheduler
      ? { ...scheduler, configurationOf: schedulerConfigurationOf(given, config) }
      : scheduler,
  )
  if (!settings.ok) throw wrongQuestion(config === undefined ? settings.message : `${config}: ${settings.message}`)
  return settings.value
}

const passIt = 'a file on the node of kube-scheduler: pass it with --scheduler-config'

/** The configuration of kube-scheduler is a file on its node, and is not part of a dump or a snapshot. */
function schedulerNotes(
  { kubernetes: { components = [] } }: ClusterInput,
  { schedulerConfig, config }: Pick<ConfigOptions, 'schedulerConfig' | 'config'>,
): readonly ForecastNote[] {
  const file = schedulerFile(components)
  if (file === undefined || schedulerConfig !== undefined || config !== undefined) return []
  const text = `kube-scheduler has its own configuration, ${file}, ${passIt}`
  return [{ kind: 'assumed', text }]
}

export async function readFlags(
  file: string,
  ports: Pick<Ports, 'files' | 'cwd'>,
): Promise<Readonly<Record<string, unknown>>> {
  const value = await readDocument(file, ports)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrongQuestion(`${file}: must be an object with flags, for example node-eviction-rate: 0.5`)
  return value as Readonly<Record<string, unknown>>
}

async function readExpect(
  file: string | undefined,
  ports: Pick<Ports, 'files' | 'cwd'>,
): Promise<readonly Expectation[]> {
  if (file === undefined) return []
  const value = await readDocument(file, ports)
  try {
    const inner = (value as { readonly expect?: unknown } | undefined)?.expect
    return readExpectations(inner ?? value, 'expect')
  } catch (error) {
    if (error instanceof WrongField) throw wrongQuestion(`${file}: ${error.message}`)
    throw error
  }
}

export async function readDocument(file: string, ports: Pick<Ports, 'files' | 'cwd'>): Promise<unknown> {
  const documents = parseDocuments(await ports.files.readText(resolve(ports.cwd, file)), file)
  const [document] = documents
  if (document === undefined) throw wrongQuestion(`${file}: file is empty`)
  return document.value
}

function horizon(given: string): number {
  try {
    return duration(given)
  } catch (error) {
    throw wrongQuestion(`--for ${given}: ${(error as Error).message}`)
  }
}

export function duration(given: string): number {
  const read = parseGoDurationMs(given)
  if (!read.ok || read.value <= 0) throw new Error('must be a duration, for example 30s or 1h15m')
  return read.value
}
