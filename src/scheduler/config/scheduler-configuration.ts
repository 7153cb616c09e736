import { semanticEqual } from '../../api/equality.ts'
import { parseGoDurationMs } from '../../api/go-duration.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { defaultRelease } from '../../api/releases/release-of.ts'
import { isExtendedResource } from '../../api/resource-names.ts'
import { defaultPlugins } from '../plugins/default-plugins.ts'
import { ConfigDecoding } from './decoder.ts'
import { duplicate, invalid, labelNameProblems, required } from './field-problem.ts'
import { type ArgsRule, argsRulesOf } from './plugin-args.ts'
import type { PluginSets } from './plugin-sets.ts'
import { mergePlugins } from './plugin-sets.ts'
import type { RawConfiguration, RawExtender, RawProfile } from './schema.ts'
import { configuration as configurationSchema, extensionPoints, pluginArgs } from './schema.ts'

/** A validated and defaulted KubeSchedulerConfiguration. */
export interface SchedulerConfiguration {
  readonly profiles: readonly ProfileConfiguration[]
  /** 0: the scheduler decides. */
  readonly percentageOfNodesToScore: number
  readonly podInitialBackoffSeconds: number
  readonly podMaxBackoffSeconds: number
  readonly extenders: readonly ExtenderConfiguration[]
  readonly leaderElection: NonNullable<RawConfiguration['leaderElection']>
  readonly clientConnection: NonNullable<RawConfiguration['clientConnection']>
}

export interface ProfileConfiguration {
  readonly schedulerName: string
  readonly percentageOfNodesToScore?: number
  readonly plugins: PluginSets
  /** By plugin, defaulted. */
  readonly args: Readonly<Record<string, unknown>>
}

export interface ExtenderConfiguration {
  readonly urlPrefix: string
  readonly filterVerb: string
  readonly preemptVerb: string
  readonly prioritizeVerb: string
  readonly bindVerb: string
  readonly weight: number
  readonly enableHTTPS: boolean
  readonly tlsConfig?: Readonly<Record<string, unknown>>
  readonly httpTimeoutMs: number
  readonly nodeCacheCapable: boolean
  readonly managedResources: readonly { readonly name: string; readonly ignoredByScheduler: boolean }[]
  readonly ignorable: boolean
}

export type ConfigurationResult =
  | { readonly ok: true; readonly value: SchedulerConfiguration }
  | { readonly ok: false; readonly message: string; readonly problems: readonly string[] }

const apiVersion = 'kubescheduler.config.k8s.io/v1'
const configurationKind = 'KubeSchedulerConfiguration'
/** Removed plugins, which are rejected by name (v1.36, invalidPluginsByVersion). */
const removedPlugins = ['AzureDiskLimits', 'CinderLimits', 'EBSLimits', 'GCEPDLimits']

/** Reads the value of a configuration file. Unknown fields are errors with their paths. */
export function readSchedulerConfiguration(
  value: unknown,
  release: KubernetesRelease = defaultRelease,
): ConfigurationResult {
  const decoding = new ConfigDecoding()
  const raw = configurationSchema(value, '', decoding) ?? {}
  if (raw.apiVersion !== apiVersion || raw.kind !== configurationKind) {
    const got = `${raw.apiVersion ?? ''}, Kind=${raw.kind ?? ''}`
    return failed([`no kind is registered for ${got}: expected ${apiVersion}, Kind=${configurationKind}`])
  }
  const named = (raw.profiles ?? []).length === 0 ? [{}] : (raw.profiles ?? [])
  const rules = argsRulesOf(release)
  const context: ProfileContext = { decoding, rules, release, only: named.length === 1 }
  const profiles = named.map((profile, i) => readProfile(profile, `profiles[${i}]`, context))
  if (decoding.unknownFields.length > 0) {
    return failed([...decoding.unknownFields.map((one) => `strict decoding error: ${one}`), ...decoding.problems])
  }
  const extenders = (raw.extenders ?? []).map((extender, i) => readExtender(extender, `extenders[${i}]`, decoding))
  const read: SchedulerConfiguration = {
    profiles: profiles.map((profile) => ignoringResources(profile, extenders)),
    percentageOfNodesToScore: raw.percentageOfNodesToScore ?? 0,
    podInitialBackoffSeconds: raw.podInitialBackoffSeconds ?? 1,
    podMaxBackoffSeconds: raw.podMaxBackoffSeconds ?? 10,
    extenders,
    leaderElection: raw.leaderElection ?? {},
    clientConnection: raw.clientConnection ?? {},
  }
  const problems = [...decoding.problems, ...validate(read, raw, rules)]
  return problems.length > 0 ? failed(problems) : { ok: true, value: read }
}

function failed(problems: readonly string[]): ConfigurationResult {
  const message = problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`
  return { ok: false, message, problems }
}

interface ProfileContext {
  readonly decoding: ConfigDecoding
  readonly rules: ArgsRules
  readonly release: KubernetesRelease
  /** There is one profile. */
  readonly only: boolean
}

function readProfile(
  raw: RawProfile,
  path: string,
  { decoding, rules: argsRules, release, only }: ProfileContext,
): ProfileConfiguration {
  const defaults = defaultPlugins(release).map(({ name, weight }) => (weight === 0 ? { name } : { name, weight }))
  const args: Record<string, unknown> = {}
  for (const name of Object.keys(argsRules)) args[name] = argsRules[name]?.defaulted({})
  ;(raw.pluginConfig ?? []).forEach(({ name = '', args: given }, i) => {
    const decoder = Object.hasOwn(pluginArgs, name) ? pluginArgs[name] : undefined
    const at = `${path}.pluginConfig[${i}].args`
    const read = decoder === undefined ? given : (decoder(given, at, decoding) ?? {})
    const rule = Object.hasOwn(argsRules, name) ? argsRules[name] : undefined
    args[name] = rule === undefined ? read : rule.defaulted(read as Record<string, unknown>)
  })
  const { percentageOfNodesToScore } = raw
  return {
    schedulerName: raw.schedulerName ?? (only ? 'default-scheduler' : ''),
    ...(percentageOfNodesToScore === undefined ? {} : { percentageOfNodesToScore }),
    plugins: mergePlugins(defaults, raw.plugins),
    args,
  }
}

function readExtender(raw: RawExtender, path: string, decoding: ConfigDecoding): ExtenderConfiguration {
  const timeout = parseGoDurationMs(raw.httpTimeout ?? '0s')
  if (!timeout.ok) decoding.wrong(`${path}.httpTimeout`, raw.httpTimeout, timeout.message)
  const { tlsConfig } = raw
  return {
    urlPrefix: raw.urlPrefix ?? '',
    filterVerb: raw.filterVerb ?? '',
    preemptVerb: raw.preemptVerb ?? '',
    prioritizeVerb: raw.prioritizeVerb ?? '',
    bindVerb: raw.bindVerb ?? '',
    weight: raw.weight ?? 0,
    enableHTTPS: raw.enableHTTPS ?? false,
    ...(tlsConfig === undefined ? {} : { tlsConfig }),
    httpTimeoutMs: timeout.ok ? timeout.value : 0,
    nodeCacheCapable: raw.nodeCacheCapable ?? false,
    managedResources: (raw.managedResources ?? []).map(({ name = '', ignoredByScheduler = false }) => ({
      name,
      ignoredByScheduler,
    })),
    ignorable: raw.ignorable ?? false,
  }
}

/** NodeResourcesFit ignores resources that only an extender manages (v1.36, buildExtenders). */
function ignoringResources(
  profile: ProfileConfiguration,
  extenders: readonly ExtenderConfiguration[],
): ProfileConfiguration {
  const ignoredResources = extenders.flatMap(({ managedResources }) =>
    managedResources.filter(({ ignoredByScheduler }) => ignoredByScheduler).map(({ name }) => name),
  )
  if (ignoredResources.length === 0) return profile
  const fit = profile.args['NodeResourcesFit'] as object
  return { ...profile, args: { ...profile.args, NodeResourcesFit: { ...fit, ignoredResources } } }
}

type ArgsRules = Readonly<Record<string, ArgsRule>>

function validate(config: SchedulerConfiguration, raw: RawConfiguration, rules: ArgsRules): string[] {
  const { podInitialBackoffSeconds: initial, podMaxBackoffSeconds: max, leaderElection } = config
  const problems: string[] = []
  if (leaderElection.leaderElect === true && (leaderElection.resourceLock ?? 'leases') !== 'leases') {
    const lock = leaderElection.resourceLock
    problems.push(invalid('leaderElection.resourceLock', lock, 'resourceLock value must be "leases"'))
  }
  if ((raw.parallelism ?? 16) <= 0) {
    problems.push(invalid('parallelism', raw.parallelism, 'should be an integer value greater than zero'))
  }
  config.profiles.forEach((profile, i) => {
    problems.push(...profileProblems(profile, raw.profiles?.[i] ?? {}, `profiles[${i}]`, rules))
    const first = config.profiles.findIndex(({ schedulerName }) => schedulerName === profile.schedulerName)
    if (first < i) problems.push(duplicate(`profiles[${i}].schedulerName`, `profiles[${first}].schedulerName`))
  })
  problems.push(...queueSortProblems(config.profiles))
  problems.push(...percentageProblems('percentageOfNodesToScore', raw.percentageOfNodesToScore))
  if (initial <= 0) problems.push(invalid('podInitialBackoffSeconds', initial, 'must be greater than 0'))
  if (max < initial) {
    problems.push(invalid('podMaxBackoffSeconds', max, 'must be greater than or equal to PodInitialBackoffSeconds'))
  }
  return [...problems, ...extenderProblems(config.extenders)]
}

function percentageProblems(path: string, percentage: number | undefined): string[] {
  if (percentage === undefined || (percentage >= 0 && percentage <= 100)) return []
  return [invalid(path, percentage, 'not in valid range [0-100]')]
}

function profileProblems(profile: ProfileConfiguration, raw: RawProfile, path: string, argsRules: ArgsRules): string[] {
  const problems: string[] = []
  if (profile.schedulerName === '') problems.push(required(`${path}.schedulerName`, ''))
  problems.push(...percentageProblems(`${path}.percentageOfNodesToScore`, profile.percentageOfNodesToScore))
  const removed = `was invalid in version "${apiVersion}" (KubeSchedulerConfiguration is version "${apiVersion}")`
  for (const point of extensionPoints) {
    profile.plugins[point].enabled.forEach(({ name }, i) => {
      if (removedPlugins.includes(name)) {
        problems.push(invalid(`${path}.plugins.${point}.enabled[${i}]`, name, removed))
      }
    })
  }
  const seen = new Set<string>()
  ;(raw.pluginConfig ?? []).forEach(({ name = '' }, i) => {
    const at = `${path}.pluginConfig[${i}]`
    if (seen.has(name)) problems.push(duplicate(at, name))
    seen.add(name)
    if (removedPlugins.includes(name)) problems.push(invalid(at, name, removed))
    const rule = Object.hasOwn(argsRules, name) ? argsRules[name] : undefined
    if (rule !== undefined) problems.push(...rule.problems(profile.args[name] as never, `${at}.args`))
  })
  return problems
}

function queueSortProblems(profiles: readonly ProfileConfiguration[]): string[] {
  const problems: string[] = []
  const canon = profiles[0]?.plugins.queueSort
  const enabled = canon?.enabled.length ?? 0
  if (enabled > 1) {
    problems.push(
      invalid('profiles[0].plugins.queueSort.Enabled', enabled, 'only one queue sort plugin can be enabled'),
    )
  }
  profiles.slice(1).forEach(({ plugins }, i) => {
    if (semanticEqual(canon, plugins.queueSort)) return
    problems.push(
      invalid(`profiles[${i + 1}].plugins.queueSort`, plugins.queueSort, 'must be the same for all profiles'),
    )
  })
  return problems
}

function extenderProblems(extenders: readonly ExtenderConfiguration[]): string[] {
  const problems: string[] = []
  const managed = new Set<string>()
  extenders.forEach(({ prioritizeVerb, weight, managedResources }, i) => {
    const path = `extenders[${i}]`
    if (prioritizeVerb !== '' && weight <= 0) {
      problems.push(invalid(`${path}.weight`, weight, 'must have a positive weight applied to it'))
    }
    managedResources.forEach(({ name }, j) => {
      const at = `${path}.managedResources[${j}].name`
      const malformed = labelNameProblems(at, name)
      if (malformed.length > 0) problems.push(...malformed)
      else if (!isExtendedResource(name)) problems.push(invalid(at, name, 'is an invalid extended resource name'))
      if (managed.has(name)) problems.push(invalid(at, name, 'duplicate extender managed resource name'))
      managed.add(name)
    })
  })
  const binders = extenders.filter(({ bindVerb }) => bindVerb !== '').length
  if (binders > 1) {
    const found = `found ${binders} extenders implementing bind`
    problems.push(invalid('extenders', found, 'only one extender can implement bind'))
  }
  return problems
}
