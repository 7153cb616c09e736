import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { defaultRelease } from '../../api/releases/release-of.ts'
import type { Result } from '../../base/result.ts'
import { done, failed } from '../../base/result.ts'
import type { AnyPlugin, PluginFactory, Profile } from '../contract/contract.ts'
import { builtInPlugins } from '../plugins/default-plugins.ts'
import type { PluginSets } from './plugin-sets.ts'
import type { ProfileConfiguration, SchedulerConfiguration } from './scheduler-configuration.ts'
import type { ExtensionPoint } from './schema.ts'
import { extensionPoints } from './schema.ts'

export interface ProfileSources {
  /** Default: the default release. */
  readonly release?: KubernetesRelease
  /** Plugins besides the built-in ones, by name. */
  readonly plugins?: Readonly<Record<string, PluginFactory>>
  /** Plugins that are enabled at all their points in every profile, after all others (`--plugin`). */
  readonly enabled?: readonly string[]
  /** Args that are added to every profile, by plugin (`--fix`). */
  readonly fixes?: Readonly<Record<string, object>>
}

/** Creates the profiles of a configuration with their plugins (v1.36, framework/runtime NewFramework). */
export function createProfiles(
  configuration: SchedulerConfiguration,
  sources: ProfileSources = {},
): Result<readonly Profile[]> {
  const { release = defaultRelease } = sources
  const registry = new Map<string, PluginFactory>(builtInPlugins(release))
  for (const [name, create] of Object.entries(sources.plugins ?? {})) {
    if (registry.has(name)) return failed(`a plugin named ${name} already exists`)
    registry.set(name, create)
  }
  const profiles: Profile[] = []
  for (const given of configuration.profiles) {
    const profile = withEnabled(given, sources.enabled ?? [])
    const created = createProfile(profile, registry, configuration, { release, fixes: sources.fixes ?? {} })
    if (!created.ok) {
      return failed(`creating profile for scheduler name ${profile.schedulerName}: ${created.message}`)
    }
    const [first] = profiles
    if (first !== undefined && first.queueSort.name !== created.value.queueSort.name) {
      const names = `${JSON.stringify(created.value.queueSort.name)}, first: ${JSON.stringify(first.queueSort.name)}`
      return failed(`different queue sort plugins for profile ${JSON.stringify(profile.schedulerName)}: ${names}`)
    }
    profiles.push(created.value)
  }
  return done(profiles)
}

function withEnabled(profile: ProfileConfiguration, names: readonly string[]): ProfileConfiguration {
  const known = pluginNames(profile.plugins)
  const added = names.filter((name) => !known.has(name)).map((name) => ({ name }))
  if (added.length === 0) return profile
  const { multiPoint } = profile.plugins
  const enabled = [...multiPoint.enabled, ...added]
  return { ...profile, plugins: { ...profile.plugins, multiPoint: { ...multiPoint, enabled } } }
}

function createProfile(
  profile: ProfileConfiguration,
  registry: ReadonlyMap<string, PluginFactory>,
  { percentageOfNodesToScore }: SchedulerConfiguration,
  { release, fixes }: { readonly release: KubernetesRelease; readonly fixes: Readonly<Record<string, object>> },
): Result<Profile> {
  const made = new Map<string, AnyPlugin>()
  for (const name of pluginNames(profile.plugins)) {
    const create = registry.get(name)
    if (create === undefined) continue
    const args = profile.args[name]
    made.set(name, create(Object.hasOwn(fixes, name) ? { ...(args as object), ...fixes[name] } : args, release))
  }
  const points = {} as Record<ExtensionPoint, readonly AnyPlugin[]>
  for (const point of extensionPoints) {
    const plugins = pluginsAt(point, profile.plugins, made)
    if (!plugins.ok) return plugins
    points[point] = plugins.value
  }
  const name = JSON.stringify(profile.schedulerName)
  const [queueSort] = points.queueSort
  if (queueSort === undefined || points.queueSort.length !== 1) {
    const count = points.queueSort.length
    return failed(`only one queue sort plugin required for profile with scheduler name ${name}, but got ${count}`)
  }
  if (points.bind.length === 0)
    return failed(`at least one bind plugin is needed for profile with scheduler name ${name}`)
  const percentage = profile.percentageOfNodesToScore ?? percentageOfNodesToScore
  return done({
    ...points,
    schedulerName: profile.schedulerName,
    queueSort,
    score: points.score.map((plugin) => ({ plugin, weight: weightOf(plugin.name, profile.plugins) })),
    ...(percentage === 0 ? {} : { percentageOfNodesToScore: percentage }),
  })
}

function pluginNames(sets: PluginSets): ReadonlySet<string> {
  const points = [...extensionPoints, 'multiPoint'] as const
  return new Set(points.flatMap((point) => sets[point].enabled.map(({ name }) => name)))
}

/** The name of the Go interface of an extension point, such as `FilterPlugin`. */
function interfaceOf(point: ExtensionPoint): string {
  return `${point[0]?.toUpperCase()}${point.slice(1)}Plugin`
}

/**
 * First the plugins that are enabled both for this point and for all points, in the order of this point; then those for
 * all points; then those only for this point (expandMultiPointPlugins).
 */
function pluginsAt(
  point: ExtensionPoint,
  sets: PluginSets,
  made: ReadonlyMap<string, AnyPlugin>,
): Result<readonly AnyPlugin[]> {
  const own: AnyPlugin[] = []
  for (const { name } of sets[point].enabled) {
    const plugin = made.get(name)
    if (plugin === undefined) return failed(`${interfaceOf(point)} ${JSON.stringify(name)} does not exist`)
    if (plugin[point] === undefined)
      return failed(`plugin ${JSON.stringify(name)} does not extend ${interfaceOf(point)} plugin`)
    if (own.includes(plugin)) return failed(alreadyRegistered(name, point))
    own.push(plugin)
  }
  const { disabled } = sets[point]
  if (disabled.includes('*')) return done(own)
  const everywhere: AnyPlugin[] = []
  const overridden = new Set<AnyPlugin>()
  for (const { name } of sets.multiPoint.enabled) {
    const plugin = made.get(name)
    if (plugin === undefined) return failed(`${interfaceOf(point)} ${JSON.stringify(name)} does not exist`)
    if (plugin[point] === undefined || disabled.includes(name)) continue
    if (own.includes(plugin)) overridden.add(plugin)
    else if (everywhere.includes(plugin)) return failed(alreadyRegistered(name, point))
    else everywhere.push(plugin)
  }
  return done([
    ...own.filter((plugin) => overridden.has(plugin)),
    ...everywhere,
    ...own.filter((plugin) => !overridden.has(plugin)),
  ])
}

function alreadyRegistered(name: string, point: ExtensionPoint): string {
  return `plugin ${JSON.stringify(name)} already registered as ${JSON.stringify(interfaceOf(point))}`
}

/** The weight for the score point takes precedence over the weight for all points. 0 and absent count as 1. */
function weightOf(name: string, sets: PluginSets): number {
  const given = [...sets.score.enabled, ...sets.multiPoint.enabled].find((plugin) => plugin.name === name)
  return given?.weight || 1
}
