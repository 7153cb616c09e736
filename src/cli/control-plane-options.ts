import { join, resolve } from 'node:path'
import { fixIds } from '../controllers/fixes.ts'
import { knownFlags, readSettings, type SchedulerSource, type Settings } from '../controlplane/settings.ts'
import { readSchedulerConfiguration } from '../scheduler/config/scheduler-configuration.ts'
import { clusterFlags } from '../whatif/snapshot/assumed-flags.ts'
import type { FoundVersion } from '../whatif/snapshot/found-cluster.ts'
import { choice, type Files, type OptionSpec, repeated, text, wrongQuestion } from './command.ts'
import { type ReleaseValues, releaseFlags, releaseOptions } from './release-options.ts'
import { flagsOfManifest } from './static-pod-flags.ts'
import { loadPlugins } from './user-plugins.ts'
import { parseDocuments } from './yaml.ts'

const camelCase = (name: string) => name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** Commands define their own options with these names. */
const notOptions: ReadonlySet<string> = new Set([
  'behavior',
  'fix',
  'kube-api-qps',
  'kube-api-burst',
  'kubernetes-version',
  'feature-gates',
])

/** The flags of kube-controller-manager and kube-scheduler as options, with the same names. */
const upstreamFlags: Readonly<Record<string, OptionSpec<string | undefined>>> = Object.fromEntries(
  Object.entries(knownFlags)
    .filter(([name]) => !notOptions.has(name))
    .map(([name, { help, ...usage }]) => [camelCase(name), text({ summary: help, value: 'TEXT', ...usage })]),
)

/** Options of all commands that use the scheduler. */
export const schedulerOptions = {
  ...releaseOptions,
  behavior: choice({
    summary: 'Behavior of Kubernetes, or with all fixes over upstream',
    choices: ['upstream', 'improved'],
    default: 'upstream',
  }),
  fix: repeated({ summary: `Enable one fix over upstream behavior: ${fixIds.join(', ')}`, value: 'ID' }),
  schedulerConfig: text({ summary: 'YAML file with the KubeSchedulerConfiguration', value: 'FILE' }),
  plugin: repeated({ summary: 'Scheduler plugin in JavaScript or TypeScript', value: 'FILE' }),
} as const

export interface SchedulerValues {
  readonly schedulerConfig: string | undefined
  readonly plugin: readonly string[]
}

/** Options of all commands that run controllers. */
export const controlPlaneOptions = {
  ...schedulerOptions,
  config: text({ summary: 'YAML file with these flags by name', value: 'FILE' }),
  ...upstreamFlags,
} as const

export interface ControlPlaneValues extends ReleaseValues {
  readonly behavior: 'upstream' | 'improved'
  readonly fix: readonly string[]
  readonly config: string | undefined
  readonly schedulerConfig: string | undefined
  readonly plugin: readonly string[]
  readonly [flag: string]: unknown
}

/** The settings from flags and a config file. Flags take precedence. */
export async function settingsOf(
  values: ControlPlaneValues,
  files: Files,
  cwd: string,
  /** Settings found in the cluster, for those that neither an option nor the config file sets. */
  assumed: FoundVersion = {},
): Promise<Settings> {
  const flags: Record<string, unknown> = {}
  if (values.config !== undefined) Object.assign(flags, await readConfig(values.config, files, cwd))
  for (const name of Object.keys(knownFlags)) {
    if (notOptions.has(name)) continue
    const value = values[camelCase(name)]
    if (value !== undefined) flags[name] = value
  }
  Object.assign(flags, releaseFlags(values))
  if (values.behavior !== 'upstream') flags['behavior'] = values.behavior
  if (values.fix.length > 0) flags['fix'] = values.fix
  const settings = readSettings(clusterFlags(assumed, flags), await schedulerOf(values, files, cwd))
  if (!settings.ok)
    throw wrongQuestion(values.config === undefined ? settings.message : `${values.config}: ${settings.message}`)
  return settings.value
}

export async function schedulerOf(values: SchedulerValues, files: Files, cwd: string): Promise<SchedulerSource> {
  const plugins = await loadPlugins(values.plugin, cwd)
  if (values.schedulerConfig === undefined) return { plugins }
  const path = resolve(cwd, values.schedulerConfig)
  if ((await files.kindOf(path)) === 'absent') throw wrongQuestion(`${values.schedulerConfig}: no such file`)
  const [document, ...more] = parseDocuments(await files.readText(path), values.schedulerConfig)
  if (more.length > 0) throw wrongQuestion(`${values.schedulerConfig}: must be a single document`)
  return { configurationOf: schedulerConfigurationOf(document?.value, values.schedulerConfig), plugins }
}

export function schedulerConfigurationOf(
  value: unknown,
  file: string,
): NonNullable<SchedulerSource['configurationOf']> {
  return (release) => {
    const read = readSchedulerConfiguration(value, release)
    if (!read.ok) throw wrongQuestion(`${file}: ${read.message}`)
    return read.value
  }
}

async function readConfig(file: string, files: Files, cwd: string): Promise<Readonly<Record<string, unknown>>> {
  const path = resolve(cwd, file)
  if ((await files.kindOf(path)) === 'absent') throw wrongQuestion(`${file}: no such file`)
  const [document, ...more] = parseDocuments(await files.readText(path), file)
  const flags = document?.value
  if (typeof flags !== 'object' || flags === null || Array.isArray(flags) || more.length > 0) {
    throw wrongQuestion(`${file}: must be a single YAML document with flags, for example node-monitor-period: 5s`)
  }
  return flagsOfManifest(flags) ?? (flags as Readonly<Record<string, unknown>>)
}

export const defaultDataDir = join('.berth', 'cluster')
