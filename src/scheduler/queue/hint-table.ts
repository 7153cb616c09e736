import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { defaultRelease } from '../../api/releases/release-of.ts'
import type { AnyPlugin, AwaitedObjects, ClusterEvent, Profile, WakeRule } from '../contract/contract.ts'
import { ActionType } from '../contract/contract.ts'
import { covers, labelOf } from './cluster-event.ts'
import { createRequeuePolicy, type QueueMode } from './requeue-policy.ts'

type Hint = WakeRule['hint'] | undefined

export interface EventHints {
  /** The hints of each plugin that registers for the event. Absent hint: every change may help. */
  readonly hints: ReadonlyMap<string, readonly Hint[]>
  /** The plugins of the hints, each once. */
  readonly plugins: readonly string[]
  /** For plugins whose hints concern only pods that wait for the changed object. */
  readonly awaited: ReadonlyMap<string, AwaitedObjects>
}

/** The registration of a plugin without wake rules: all events. */
const anyEvent: readonly WakeRule[] = [{ on: { resource: '*', action: ActionType.All } }]

const noHints: EventHints = { hints: new Map(), plugins: [], awaited: new Map() }

/** The registered hints by event and profile. Only plugins that can reject a pod are included. */
export class HintTable {
  private readonly rules: ReadonlyMap<string, ReadonlyMap<string, readonly WakeRule[]>>
  private readonly byEvent = new Map<string, Map<string, EventHints>>()
  /** The last lookup is cached, because an event is looked up for every pod that it may concern. */
  private lastProfile = ''
  private lastEvent: ClusterEvent | undefined
  private lastHints = noHints

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
    if (event === this.lastEvent && profile === this.lastProfile) return this.lastHints
    const hints = this.lookUp(profile, event)
    this.lastProfile = profile
    this.lastEvent = event
    this.lastHints = hints
    return hints
  }

  private lookUp(profile: string, event: ClusterEvent): EventHints {
    const known = this.byEvent.get(profile)
    if (known === undefined) return noHints
    const label = labelOf(event)
    let hints = known.get(label)
    if (hints === undefined) {
      hints = this.collect(profile, event)
      known.set(label, hints)
    }
    return hints
  }

  registered(profile: string, plugin: string, event: ClusterEvent): boolean {
    return this.hintsFor(profile, event).hints.has(plugin)
  }

  rulesOf(profile: string, plugin: string): readonly WakeRule[] {
    return this.rules.get(profile)?.get(plugin) ?? []
  }

  /** The objects that pods wait for if the plugin rejected them. */
  awaitedBy(profile: string, plugin: string): AwaitedObjects | undefined {
    return this.rulesOf(profile, plugin).find(({ awaits }) => awaits !== undefined)?.awaits
  }

  private collect(profile: string, event: ClusterEvent): EventHints {
    const hints = new Map<string, readonly Hint[]>()
    const awaited = new Map<string, AwaitedObjects>()
    for (const [plugin, rules] of this.rules.get(profile) ?? []) {
      const covering = rules.filter((rule) => covers(rule.on, event))
      if (covering.length > 0) {
        hints.set(
          plugin,
          covering.map(({ hint }) => hint),
        )
      }
      const indexed = this.awaitedBy(profile, plugin)
      const isNarrow = covering.length > 0 && covering.every(({ awaits }) => awaits === indexed)
      if (indexed !== undefined && isNarrow) awaited.set(plugin, indexed)
    }
    return hints.size === 0 ? noHints : { hints, plugins: [...hints.keys()], awaited }
  }
}

/** The plugin name for rejections by extenders, which cannot register events. */
const extenderPlugin = 'Extender'

export interface HintTableOptions {
  readonly mode?: QueueMode
  readonly extenders?: boolean
  readonly release?: KubernetesRelease
}

export function hintTableOf(
  profiles: Iterable<Profile>,
  { mode = 'hints', extenders = false, release = defaultRelease }: HintTableOptions = {},
): HintTable {
  const policy = createRequeuePolicy(mode, release)
  const rules = new Map<string, ReadonlyMap<string, readonly WakeRule[]>>()
  for (const profile of profiles) {
    const byPlugin = new Map<string, readonly WakeRule[]>()
    for (const plugin of rejectingPlugins(profile)) {
      byPlugin.set(plugin.name, policy.wakeRules(plugin.name, plugin.wakeOn ?? anyEvent))
    }
    if (extenders) byPlugin.set(extenderPlugin, anyEvent)
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
