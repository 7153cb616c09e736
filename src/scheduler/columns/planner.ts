import type {
  AnyPlugin,
  ClusterState,
  CycleInput,
  Nominator,
  ObjectReader,
  ParsedPod,
  Profile,
} from '../contract/contract.ts'
import { skip } from '../contract/status.ts'
import { FilterRun, type PreFilterOutcome, type PreparedStates } from '../framework/filter-run.ts'
import { lacksPreScore } from '../framework/score-run.ts'
import { Plan, type RowOverride } from './plan.ts'
import { type ColumnSources, columnsOf, type PluginColumn, type PluginColumns } from './plugin-columns.ts'
import { StatusTable } from './status-table.ts'

/** A plan has one entry per row of the node table. The limit is on the sum of the entries of all plans. */
const maxPlanRows = 1 << 21
const minPlans = 64
const maxPlans = 2048
/** In smaller clusters a plan for each kind of pod is cheap. */
const defaultSharePlansFromNodes = 200
const maxSharedRows = 256

/** The nodes and pods that plans read. The scheduler cache implements it. */
export interface NodeSource
  extends Pick<ColumnSources, 'table' | 'volumeUsers' | 'versionOf' | 'claimInUse' | 'devices'> {
  readonly nodeCount: number
  /** Increases with every change. */
  readonly version: number
  cluster(objects: ObjectReader): ClusterState
}

export interface PlannerOptions {
  readonly profile: Profile
  readonly cache: NodeSource
  readonly nominator: Nominator
  /** The number of nodes from which on pods that differ on few rows share a plan. */
  readonly sharePlansFromNodes?: number
}

/** A pod with its plan. */
export interface PlannedPod {
  readonly plan: Plan
  /** The plain filters, for trials and for plugins without columns. */
  readonly run: () => PreparedRun
  readonly live?: LivePlugins
}

export interface PreparedRun {
  readonly filters: FilterRun
  readonly preFilter: PreFilterOutcome
}

/** Plugins without columns. */
interface LivePlugins {
  readonly plugins: ReadonlySet<AnyPlugin>
  /** The profile reduced to their scores. */
  readonly profile: Profile
  /** Reports whether their filters run before the class filters (otherwise after them). */
  readonly beforeClasses: boolean
}

interface KeptPlan {
  readonly plan: Plan
  readonly columns: ReadonlyMap<string, PluginColumn>
  /** The profile without plugins that accept such pods on every node. */
  readonly profile: Profile
  readonly live: LivePlugins | undefined
  /** Rows with nominated pods must be evaluated again for every pod. */
  readonly dependsOnNominated: boolean
  nominatorVersion: number
  usedAt: number
  /** The version of the cluster that the plan was last brought up to. */
  clusterVersion: number
}

/** Keeps a plan for each kind of pod. */
export class Planner {
  readonly statuses = new StatusTable()
  private readonly profile: Profile
  private readonly cache: NodeSource
  private readonly nominator: Nominator
  private readonly supported: boolean
  private readonly plugins: readonly { readonly plugin: AnyPlugin; readonly columns: PluginColumns | undefined }[]
  private readonly keys: readonly NonNullable<PluginColumns['keyOf']>[]
  private readonly filterKeys: readonly NonNullable<PluginColumns['filterKeyOf']>[]
  private readonly plans = new Map<string, KeptPlan>()
  private readonly sources: ColumnSources
  /** Rows with nominated pods that could not be evaluated with these pods. */
  private readonly unevaluated: number[] = []
  private objects: ObjectReader | undefined
  private uses = 0

  constructor(options: PlannerOptions) {
    const { profile, cache, nominator, sharePlansFromNodes = defaultSharePlansFromNodes } = options
    this.profile = profile
    this.cache = cache
    this.nominator = nominator
    this.supported = Plan.supports(profile) && hasPreparation(profile)
    this.plugins = pluginsOf(profile).map((plugin) => ({ plugin, columns: columnsOf(plugin) }))
    this.keys = this.plugins.flatMap(({ columns }) => columns?.keyOf ?? [])
    const filtering = new Set([...profile.preFilter, ...profile.filter])
    this.filterKeys = this.plugins.flatMap(({ plugin, columns }) =>
      filtering.has(plugin) ? (columns?.filterKeyOf ?? columns?.keyOf ?? []) : [],
    )
    const current = (): ObjectReader => this.objects as ObjectReader
    this.sources = {
      table: cache.table,
      statuses: this.statuses,
      cluster: () => cache.cluster(current()),
      versionOf: (resource) => cache.versionOf(resource),
      claimInUse: (claim) => cache.claimInUse(claim),
      volumeUsers: cache.volumeUsers,
      devices: cache.devices,
      sharesPlan: (rows) =>
        cache.nodeCount >= sharePlansFromNodes && rows <= maxSharedRows && rows * 8 <= Math.max(cache.nodeCount, 64),
      objects: {
        get: (resource, key) => current().get(resource, key),
        list: (resource, namespace) => current().list(resource, namespace),
      },
    }
  }

  cluster({ objects }: CycleInput): ClusterState {
    return this.cache.cluster(objects)
  }

  /** The current plan for the pod; undefined when the plain evaluator must evaluate the pod. */
  planFor(pod: ParsedPod, input: CycleInput): PlannedPod | undefined {
    if (!this.supported) return undefined
    this.objects = input.objects
    const key = this.keyOf(pod)
    const run = this.runOf(pod, input, key)
    let kept = this.plans.get(key)
    if (kept !== undefined) {
      this.markNominated(kept, pod)
      if (kept.plan.sync(this.overrideOf(run), pod)) {
        kept.usedAt = ++this.uses
        kept.clusterVersion = this.cache.version
        this.markUnevaluated(kept)
        return plannedPod(kept, run)
      }
      this.plans.delete(key)
    }
    kept = this.open(pod)
    if (kept === undefined) return undefined
    if (this.plans.size >= this.planLimit()) this.dropOldest()
    this.plans.set(key, kept)
    kept.plan.fill(this.overrideOf(run), pod)
    this.markUnevaluated(kept)
    return plannedPod(kept, run)
  }

  /**
   * Brings the plan of a pod that fits no node up to date, as `planFor` does. Which of equal nodes is selected later depends
   * on the order in which their rows were evaluated.
   */
  follow(pod: ParsedPod, input: CycleInput): void {
    this.objects = input.objects
    const kept = this.plans.get(this.keyOf(pod))
    if (kept?.clusterVersion === this.cache.version) kept.usedAt = ++this.uses
    else this.planFor(pod, input)
  }

  /**
   * A key that is equal for pods that the filters accept on the same nodes; undefined when the filters read more than
   * nodes and their pods.
   */
  filterKeyOf(pod: ParsedPod, input: CycleInput): string | undefined {
    if (!this.supported || hasOwnClaims(pod)) return undefined
    this.objects = input.objects
    let key = `${pod.shape.specId}:${pod.priority}`
    for (let i = 0; i < this.filterKeys.length; i++) {
      const own = this.filterKeys[i]?.(pod, this.sources)
      if (own === undefined) return undefined
      key += `:${own}`
    }
    return key
  }

  /** The pod's nomination was left out of a row, so the next pod of the plan evaluates that row again. */
  release({ plan }: PlannedPod, pod: ParsedPod): void {
    const row = this.nominatedRow(pod)
    if (row !== undefined) plan.dirty.mark(row)
  }

  private open(pod: ParsedPod): KeptPlan | undefined {
    const columns = new Map<string, PluginColumn>()
    const livePlugins = new Set<AnyPlugin>()
    for (const { plugin, columns: factory } of this.plugins) {
      const column = factory === undefined ? 'live' : factory.open(pod, this.sources)
      if (column === 'plain') return undefined
      if (column === 'live') livePlugins.add(plugin)
      else if (column !== undefined) columns.set(plugin.name, column)
    }
    const plan = new Plan(this.profile, this.sources, columns)
    const live = livePlugins.size === 0 ? undefined : liveBeside(plan, this.profile, livePlugins)
    if (live === 'plain') return undefined
    const filters = (plugin: AnyPlugin): boolean => {
      const column = columns.get(plugin.name)
      return livePlugins.has(plugin) || column?.filterRow !== undefined || column?.filterClass !== undefined
    }
    const { preFilter, filter } = this.profile
    return {
      plan,
      columns,
      profile: { ...this.profile, preFilter: preFilter.filter(filters), filter: filter.filter(filters) },
      live,
      // The effect of nominated pods on filters that read beyond the node changes with the rest of the cluster.
      dependsOnNominated:
        plan.hasClassFilters ||
        live !== undefined ||
        [...columns.values()].some((column) => column.dependsOnNominated === true),
      nominatorVersion: this.nominator.version,
      usedAt: ++this.uses,
      clusterVersion: this.cache.version,
    }
  }

  private keyOf(pod: ParsedPod): string {
    let key = `${pod.shape.specId}:${pod.priority}`
    for (let i = 0; i < this.keys.length; i++) key += `:${this.keys[i]?.(pod, this.sources)}`
    return key
  }

  private runOf(pod: ParsedPod, input: CycleInput, key: string): () => PreparedRun {
    let run: PreparedRun | undefined
    return () => {
      if (run === undefined) {
        const { profile, columns } = this.plans.get(key) as KeptPlan
        const known: PreparedStates = ({ name }) => {
          const read = columns.get(name)?.preFilterState
          if (read === undefined) return undefined
          const state = read(pod)
          return state === undefined ? skip : { state }
        }
        const filters = new FilterRun(profile, pod, this.cluster(input), this.nominator, known)
        run = { filters, preFilter: filters.preFilter() }
      }
      return run
    }
  }

  /** Evaluates rows with nominated pods with the plain filters. */
  private overrideOf(runOf: () => PreparedRun): RowOverride | undefined {
    if (this.nominator.size === 0) return undefined
    return (row) => {
      const node = this.cache.table.rows[row]
      if (node === undefined || this.nominator.nominatedPodsFor(node.name).length === 0) return undefined
      const { filters, preFilter } = runOf()
      if (preFilter.kind !== 'passed') {
        this.unevaluated.push(row)
        return undefined
      }
      if (filters.rivals(node.name).length === 0) return undefined
      const status = filters.filterWithNominated(node)
      return this.statuses.idOf(status.plugin ?? '', status)
    }
  }

  /** When PreFilter rejected this pod, the next pod of the plan evaluates the rows. */
  private markUnevaluated({ plan }: KeptPlan): void {
    for (const row of this.unevaluated) plan.dirty.mark(row)
    this.unevaluated.length = 0
  }

  private markNominated(kept: KeptPlan, pod: ParsedPod): void {
    const { plan } = kept
    const own = this.nominatedRow(pod)
    if (own !== undefined) plan.dirty.mark(own)
    const { version } = this.nominator
    if (kept.dependsOnNominated) for (const row of plan.overridden) plan.dirty.mark(row)
    if (version === kept.nominatorVersion) return
    const changed = this.nominator.changedSince?.(kept.nominatorVersion)
    kept.nominatorVersion = version
    if (changed === undefined) for (const row of plan.overridden) plan.dirty.mark(row)
    for (const name of changed ?? this.nominator.nominatedNodes()) {
      const row = this.cache.table.node(name)
      if (row !== undefined) plan.dirty.mark(row.row)
    }
  }

  private nominatedRow(pod: ParsedPod): number | undefined {
    if (this.nominator.size === 0) return undefined
    const name = this.nominator.nodeOf(pod.uid)
    return name === undefined ? undefined : this.cache.table.node(name)?.row
  }

  private planLimit(): number {
    return Math.min(Math.max(Math.floor(maxPlanRows / this.cache.table.capacity), minPlans), maxPlans)
  }

  private dropOldest(): void {
    let oldest: string | undefined
    let usedAt = Number.POSITIVE_INFINITY
    for (const [key, kept] of this.plans) {
      if (kept.usedAt >= usedAt) continue
      oldest = key
      usedAt = kept.usedAt
    }
    if (oldest !== undefined) this.plans.delete(oldest)
  }
}

/** Claims change with assumed pods too, and those of generic ephemeral volumes have the name of the pod. */
function hasOwnClaims({ pod, shape }: ParsedPod): boolean {
  return shape.claims.length > 0 || (pod.spec.volumes?.some(({ ephemeral }) => ephemeral !== undefined) ?? false)
}

/** Reports whether every Filter has its PreFilter and every Score its PreScore, as columns assume. */
function hasPreparation(profile: Profile): boolean {
  const { filter, preFilter, score } = profile
  if (filter.some((plugin) => plugin.preFilter !== undefined && !preFilter.includes(plugin))) return false
  return !score.some(({ plugin }) => lacksPreScore(profile, plugin))
}

function pluginsOf({ preFilter, filter, preScore, score }: Profile): readonly AnyPlugin[] {
  return [...new Set([...preFilter, ...filter, ...preScore, ...score.map(({ plugin }) => plugin)])]
}

function plannedPod({ plan, live }: KeptPlan, run: () => PreparedRun): PlannedPod {
  return live === undefined ? { plan, run } : { plan, run, live }
}

/**
 * The plugins without columns beside a plan. A node is rejected with the status of the first filter that rejects it, so
 * these filters must run after all row filters, and either before or after all class filters.
 */
function liveBeside(plan: Plan, profile: Profile, plugins: ReadonlySet<AnyPlugin>): LivePlugins | 'plain' {
  const positions = profile.filter.flatMap((plugin, i) => (plugins.has(plugin) ? [i] : []))
  const first = positions[0] ?? Number.POSITIVE_INFINITY
  const last = positions[positions.length - 1] ?? Number.POSITIVE_INFINITY
  const span = plan.classFilterSpan
  const beforeClasses = span !== undefined && last < span.first
  const afterClasses = span === undefined || first > span.last
  if (first < plan.lastRowFilter || (!beforeClasses && !afterClasses)) return 'plain'
  return {
    plugins,
    profile: {
      ...profile,
      preScore: profile.preScore.filter((plugin) => plugins.has(plugin)),
      score: profile.score.filter(({ plugin }) => plugins.has(plugin)),
    },
    beforeClasses,
  }
}
