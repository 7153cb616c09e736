import type { ExtensionPoint, RawPluginSet, RawPlugins } from './schema.ts'
import { extensionPoints } from './schema.ts'

export interface EnabledPlugin {
  readonly name: string
  readonly weight?: number
}

export interface PluginSet {
  readonly enabled: readonly EnabledPlugin[]
  readonly disabled: readonly string[]
}

export type PluginSets = Readonly<Record<ExtensionPoint | 'multiPoint', PluginSet>>

/** Merges the default plugins with the changes of a profile (v1.36, apis/config/v1 mergePlugins). */
export function mergePlugins(defaults: readonly EnabledPlugin[], custom: RawPlugins = {}): PluginSets {
  const sets = { multiPoint: mergeSet(defaults, custom.multiPoint) } as Record<ExtensionPoint | 'multiPoint', PluginSet>
  for (const point of extensionPoints) sets[point] = mergeSet([], custom[point])
  return sets
}

/** Reconfigured defaults keep their position; new plugins follow. */
function mergeSet(defaults: readonly EnabledPlugin[], custom: RawPluginSet = {}): PluginSet {
  const disabled = (custom.disabled ?? []).map(({ name = '' }) => name)
  const added = (custom.enabled ?? []).map(named)
  const kept = disabled.includes('*') ? [] : defaults.filter(({ name }) => !disabled.includes(name))
  const replacements = new Map(added.map((plugin) => [plugin.name, plugin]))
  const replaced = new Set<EnabledPlugin>()
  const enabled = kept.map((plugin) => {
    const replacement = replacements.get(plugin.name)
    if (replacement === undefined) return plugin
    replaced.add(replacement)
    return replacement
  })
  return { enabled: [...enabled, ...added.filter((plugin) => !replaced.has(plugin))], disabled }
}

function named({ name = '', weight }: { readonly name?: string; readonly weight?: number }): EnabledPlugin {
  return weight === undefined ? { name } : { name, weight }
}
