import type {
  AnyPlugin,
  ClusterState,
  NodeState,
  Nominator,
  ParsedPod,
  PreFiltered,
  Profile,
  Trial,
  TrialNode,
} from '../contract/contract.ts'
import { failure, from, isRejected, messageOf, ok, type PluginStatus, unresolvable } from '../contract/status.ts'

export type PreFilterOutcome =
  | {
      readonly kind: 'passed'
      /** The nodes to evaluate; absent: all. */
      readonly nodes?: ReadonlySet<string>
      /** The plugins that narrowed the nodes. */
      readonly narrowedBy: ReadonlySet<string>
    }
  | { readonly kind: 'rejected'; readonly status: PluginStatus; readonly narrowedBy: ReadonlySet<string> }
  | { readonly kind: 'error'; readonly message: string }

type StateMap = ReadonlyMap<AnyPlugin, unknown>

/** The answer of PreFilter of a plugin, where it is known without a call. */
export type PreparedStates = (plugin: AnyPlugin) => PreFiltered<unknown> | PluginStatus | undefined

/** The filters of a profile for one pod: PreFilter once, then Filter for any number of nodes or trials. */
export class FilterRun {
  readonly pod: ParsedPod
  private readonly profile: Profile
  private readonly cluster: ClusterState
  private readonly nominator: Nominator
  private readonly stateMap = new Map<AnyPlugin, unknown>()
  private readonly skipped = new Set<AnyPlugin>()
  private readonly ran = new Set<string>()
  /** The status for every node of filters whose preparation failed. */
  private readonly unprepared = new Map<AnyPlugin, PluginStatus>()
  private readonly known: PreparedStates | undefined
  private active: readonly AnyPlugin[]
  private some: readonly AnyPlugin[] | undefined

  constructor(profile: Profile, pod: ParsedPod, cluster: ClusterState, nominator: Nominator, known?: PreparedStates) {
    this.known = known
    this.profile = profile
    this.pod = pod
    this.cluster = cluster
    this.nominator = nominator
    this.active = profile.filter
  }

  get states(): StateMap {
    return this.stateMap
  }

  preFilterRan(plugin: string): boolean {
    return this.ran.has(plugin)
  }

  /** Runs PreFilter (v1.36, framework/runtime RunPreFilterPlugins). */
  preFilter(): PreFilterOutcome {
    const narrowedBy = new Set<string>()
    let nodes: ReadonlySet<string> | undefined
    let rejection: PluginStatus | undefined
    for (const plugin of this.profile.preFilter) {
      this.ran.add(plugin.name)
      const answer = this.known?.(plugin) ?? plugin.preFilter?.(this.pod, this.cluster) ?? ok
      if (isStatus(answer)) {
        if (answer.code === 'Success') continue
        if (answer.code === 'Skip') {
          this.skipped.add(plugin)
          continue
        }
        const status = from(plugin.name, answer)
        if (status.code === 'UnschedulableAndUnresolvable') return { kind: 'rejected', status, narrowedBy: new Set() }
        if (status.code !== 'Unschedulable') {
          return { kind: 'error', message: `running PreFilter plugin "${plugin.name}": ${messageOf(status)}` }
        }
        // Preemption may help and needs the states of all plugins.
        rejection = status
        continue
      }
      this.stateMap.set(plugin, answer.state)
      if (answer.nodes === undefined) continue
      narrowedBy.add(plugin.name)
      nodes = nodes === undefined ? answer.nodes : intersection(nodes, answer.nodes)
      if (nodes.size === 0) return { kind: 'rejected', status: nothingLeft(narrowedBy), narrowedBy }
    }
    this.prepareOthers()
    this.active = this.profile.filter.filter((plugin) => !this.skipped.has(plugin))
    if (rejection !== undefined) return { kind: 'rejected', status: rejection, narrowedBy }
    return nodes === undefined ? { kind: 'passed', narrowedBy } : { kind: 'passed', nodes, narrowedBy }
  }

  /** Prepares filters whose PreFilter is not in the profile. */
  private prepareOthers(): void {
    for (const plugin of this.profile.filter) {
      if (plugin.preFilter === undefined || this.profile.preFilter.includes(plugin)) continue
      const { withoutPreFilter } = plugin
      const answer =
        withoutPreFilter === undefined ? plugin.preFilter(this.pod, this.cluster) : failure(withoutPreFilter)
      if (!isStatus(answer)) this.stateMap.set(plugin, answer.state)
      else if (answer.code === 'Skip') this.skipped.add(plugin)
      else this.unprepared.set(plugin, answer)
    }
  }

  /** The status of the first filter that rejects the node, or `ok`. */
  filter(node: NodeState, states: StateMap = this.stateMap): PluginStatus {
    return this.filterBy(this.active, node, states)
  }

  /** As `filter`, for some of the filters. */
  filterSome(node: NodeState, some: ReadonlySet<AnyPlugin>): PluginStatus {
    this.some ??= this.active.filter((plugin) => some.has(plugin))
    return this.filterBy(this.some, node, this.stateMap)
  }

  private filterBy(plugins: readonly AnyPlugin[], node: NodeState, states: StateMap): PluginStatus {
    for (const plugin of plugins) {
      const status = this.unprepared.get(plugin) ?? plugin.filter?.(this.pod, node, states.get(plugin)) ?? ok
      if (status.code === 'Success') continue
      if (isRejected(status)) return from(plugin.name, status)
      return from(plugin.name, failure(`running "${plugin.name}" filter plugin: ${messageOf(status)}`))
    }
    return ok
  }

  /**
   * A node must fit both with and without its nominated pods: they may never be placed, so their resources are not
   * available and the affinity they satisfy does not count (RunFilterPluginsWithNominatedPods).
   */
  filterWithNominated(node: NodeState, states: StateMap = this.stateMap): PluginStatus {
    const nominated = this.rivals(node.name)
    if (nominated.length > 0) {
      const crowded = this.imagine(node, states)
      for (const pod of nominated) crowded.add(pod)
      const status = this.filter(crowded.node, crowded.states)
      if (status.code !== 'Success') return status
    }
    return this.filter(node, states)
  }

  /** The pods nominated to the node that have precedence over this pod. */
  rivals(node: string): readonly ParsedPod[] {
    if (this.nominator.size === 0) return none
    const nominated = this.nominator.nominatedPodsFor(node)
    if (nominated.length === 0) return nominated
    return nominated.filter(({ priority, uid }) => priority >= this.pod.priority && uid !== this.pod.uid)
  }

  tryOn(node: NodeState): Trial {
    return this.imagine(node, this.stateMap)
  }

  private imagine(node: NodeState, states: StateMap): ImaginedNode {
    return new ImaginedNode(this, this.profile.preFilter, this.skipped, node, states)
  }
}

const none: readonly ParsedPod[] = []

class ImaginedNode implements Trial {
  readonly node: TrialNode
  readonly states: Map<AnyPlugin, unknown>
  private readonly run: FilterRun
  private readonly plugins: readonly AnyPlugin[]

  constructor(
    run: FilterRun,
    plugins: readonly AnyPlugin[],
    skipped: ReadonlySet<AnyPlugin>,
    node: NodeState,
    states: StateMap,
  ) {
    this.run = run
    this.node = node.copy()
    this.plugins = plugins.filter(
      (plugin) =>
        !skipped.has(plugin) && (plugin.preFilterAddPod !== undefined || plugin.preFilterRemovePod !== undefined),
    )
    this.states = new Map(states)
    for (const plugin of this.plugins) {
      const state = states.get(plugin)
      if (state !== undefined && plugin.cloneState !== undefined) this.states.set(plugin, plugin.cloneState(state))
    }
  }

  add(pod: ParsedPod, elsewhere?: NodeState): void {
    if (elsewhere === undefined) this.node.addPod(pod)
    for (const plugin of this.plugins) {
      plugin.preFilterAddPod?.(this.run.pod, pod, elsewhere ?? this.node, this.states.get(plugin))
    }
  }

  remove(pod: ParsedPod, elsewhere?: NodeState): void {
    if (elsewhere === undefined) this.node.removePod(pod)
    for (const plugin of this.plugins) {
      plugin.preFilterRemovePod?.(this.run.pod, pod, elsewhere ?? this.node, this.states.get(plugin))
    }
  }

  check(): PluginStatus {
    return this.run.filterWithNominated(this.node, this.states)
  }
}

function isStatus(answer: PreFiltered<unknown> | PluginStatus): answer is PluginStatus {
  return 'code' in answer
}

function intersection(a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...a].filter((name) => b.has(name)))
}

function nothingLeft(narrowedBy: ReadonlySet<string>): PluginStatus {
  const names = [...narrowedBy].sort()
  if (names.length === 1) return unresolvable(`node(s) didn't satisfy plugin ${names[0]}`)
  return unresolvable(`node(s) didn't satisfy plugin(s) [${names.join(' ')}] simultaneously`)
}
