import type { AnyPlugin, ClusterEvent, Profile, WakeRule } from '../contract/contract.ts'
import { ActionType } from '../contract/contract.ts'
import { covers, labelOf } from './cluster-event.ts'
import { legacyRules } from './legacy/legacy-rules.ts'

export interface PluginHint {
  readonly plugin: string
  readonly hint: WakeRule['hint'] | undefined
}

export interface EventHints {
  readonly hints: readonly PluginHint[]
  /** Their plugins, each once. */
  readonly plugins: readonly string[]
}

/** The registration of a plugin that does not say what could help: everything could. */
const ANY_EVENT: readonly WakeRule[] = [{ on: { resource: '*', action: ActionType.All } }]

const NOTHING: EventHints = { hints: [], plugins: [] }

/** Who wants to hear of which event, by profile: only plugins that can reject a pod matter. */
export class HintTable {
  private readonly rules: ReadonlyMap<string, ReadonlyMap<string, readonly WakeRule[]>>
  private readonly byEvent = new Map<string, Map<string, EventHints>>()

  /** @param rules By profile, by plugin in the order of the profile. */
  constructor(rules: ReadonlyMap<string, ReadonlyMap<string, readonly WakeRule[]>>) {
    this.rules = rules
    for (const profile of rules.keys()) this.byEvent.set(profile, new Map())
  }

  profiles(): Iterable<string> {
    return this.rules.keys()
  }

  hasProfile(profile: string): boolean {
    return this.rules.has(profile)
  }

  hintsFor(profile: string, event: ClusterEvent): EventHints {
    const known = this.byEvent.get(profile)
    if (known === undefined) return NOTHING
    const label = labelOf(event)
    let hints = known.get(label)
    if (hints === undefined) {
      hints = this.collect(profile, event)
      known.set(label, hints)
    }
    return hints
  }

  registered(profile: string, plugin: string, event: ClusterEvent): boolean {
    return this.hintsFor(profile, event).plugins.includes(plugin)
  }

  rulesOf(profile: string, plugin: string): readonly WakeRule[] {
    return this.rules.get(profile)?.get(plugin) ?? []
  }

  private collect(profile: string, event: ClusterEvent): EventHints {
    const hints: PluginHint[] = []
    for (const [plugin, rules] of this.rules.get(profile) ?? []) {
      for (const rule of rules) if (covers(rule.on, event)) hints.push({ plugin, hint: rule.hint })
    }
    return hints.length === 0 ? NOTHING : { hints, plugins: [...new Set(hints.map((hint) => hint.plugin))] }
  }
}

/** What a node rejected by an extender is put down to. Extenders cannot say what would help. */
const EXTENDER = 'Extender'

export function hintTableOf(
  profiles: Iterable<Profile>,
  { legacy = false, extenders = false }: { readonly legacy?: boolean; readonly extenders?: boolean } = {},
): HintTable {
  const rules = new Map<string, ReadonlyMap<string, readonly WakeRule[]>>()
  for (const profile of profiles) {
    const byPlugin = new Map<string, readonly WakeRule[]>()
    for (const plugin of rejectingPlugins(profile)) {
      const own = plugin.wakeOn ?? ANY_EVENT
      byPlugin.set(plugin.name, legacy ? legacyRules(plugin.name, own) : withTaints(own))
    }
    if (extenders) byPlugin.set(EXTENDER, ANY_EVENT)
    rules.set(profile.schedulerName, byPlugin)
  }
  return new HintTable(rules)
}

function rejectingPlugins(profile: Profile): ReadonlySet<AnyPlugin> {
  return new Set([
    ...profile.preEnqueue,
    ...profile.preFilter,
    ...profile.filter,
    ...profile.reserve,
    ...profile.permit,
  ])
}

/**
 * Whoever waits for new nodes but does not listen to their taints is retried at every change of taints (v1.36,
 * buildQueueingHintMap): a remedy from the time before hints that upstream still applies to all plugins.
 */
function withTaints(rules: readonly WakeRule[]): readonly WakeRule[] {
  const ofNodes = rules.filter(({ on }) => on.resource === 'Node')
  const listensTo = (action: number): boolean => ofNodes.some(({ on }) => (on.action & action) !== 0)
  if (!listensTo(ActionType.Add) || listensTo(ActionType.UpdateNodeTaint)) return rules
  return [...rules, { on: { resource: 'Node', action: ActionType.UpdateNodeTaint } }]
}
