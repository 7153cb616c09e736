import type { ColumnarCache } from '../cache/scheduler-cache.ts'
import type { AnyPlugin, CycleInput, Nominator, ObjectReader, ParsedPod, Profile } from '../contract/contract.ts'
import { skip } from '../contract/status.ts'
import { FilterRun, type KnownStates, type PreFilterOutcome } from '../framework/filter-run.ts'
import { lacksPreScore } from '../framework/score-run.ts'
import { Plan, type RowOverride } from './plan.ts'
import type { ColumnSources, PluginColumn, PluginColumns } from './plugin-columns.ts'
import { StatusTable } from './status-table.ts'

/** Plans are as long as the table of nodes; this many rows of them are kept. */
const ROWS_KEPT = 1 << 21
const FEWEST_PLANS = 64
const MOST_PLANS = 2048
/** In smaller clusters a plan for each kind of pod costs next to nothing. */
const TURNS_FROM_NODES = 200
const MOST_TURNED_ROWS = 256

export interface PlannerOptions {
  /** From how many nodes on pods that differ in little share a plan. */
  readonly turnsFromNodes?: number
}

export interface PlannedPod {
  readonly plan: Plan
  /** The filters as they stand, for what the plan cannot judge: nodes as they are not, and plugins without columns. */
  readonly run: () => PreparedRun
  /** What plugins without columns have to say. */
  readonly live?: LivePlugins
}

export interface PreparedRun {
  readonly filters: FilterRun
  readonly preFilter: PreFilterOutcome
}

interface LivePlugins {
  readonly plugins: ReadonlySet<AnyPlugin>
  /** Their scores. */
  readonly profile: Profile
  /** Whether they are asked before the filters that are about classes, rather than after. */
  readonly beforeClasses: boolean
}

interface KeptPlan {
  readonly plan: Plan
  readonly columns: ReadonlyMap<string, PluginColumn>
  /** The profile without the plugins that have nothing to say. */
  readonly profile: Profile
  readonly live: LivePlugins | undefined
  /** Whether rows with nominated pods have to be judged for every pod anew. */
  readonly weighsNominated: boolean
  nominatorVersion: number
  usedAt: number
}

/** Keeps a plan for each kind of pod that is being scheduled. */
export class Planner {
  readonly statuses = new StatusTable()
  private readonly profile: Profile
  private readonly cache: ColumnarCache
  private readonly nominator: Nominator
  private readonly supported: boolean
  private readonly keyed: readonly NonNullable<PluginColumns['keyOf']>[]
  private readonly plans = new Map<string, KeptPlan>()
  private readonly sources: ColumnSources
  /** Rows with nominated pods that nobody has judged yet with those. */
  private readonly unjudged: number[] = []
  private objects: ObjectReader | undefined
  private uses = 0

  constructor(profile: Profile, cache: ColumnarCache, nominator: Nominator, options: PlannerOptions = {}) {
    const { turnsFromNodes = TURNS_FROM_NODES } = options
    this.profile = profile
    this.cache = cache
    this.nominator = nominator
    this.supported = Plan.fits(profile) && isWhole(profile)
    this.keyed = pluginsOf(profile).flatMap(({ columns }) => columns?.keyOf ?? [])
    const current = (): ObjectReader => this.objects as ObjectReader
    this.sources = {
      table: cache.table,
      statuses: this.statuses,
      versionOf: (resource) => cache.versionOf(resource),
      claimInUse: (claim) => cache.claimInUse(claim),
      volumeUsers: cache.volumeUsers,
      turnsOver: (rows) =>
        cache.nodeCount >= turnsFromNodes && rows <= MOST_TURNED_ROWS && rows * 8 <= Math.max(cache.nodeCount, 64),
      objects: {
        get: (resource, key) => current().get(resource, key),
        list: (resource, namespace) => current().list(resource, namespace),
      },
    }
  }

  /** The plan for pods like this, up to date; undefined when the pod has to be evaluated node by node. */
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
        this.markUnjudged(kept)
        return plannedPod(kept, run)
      }
      this.plans.delete(key)
    }
    kept = this.open(pod)
    if (kept === undefined) return undefined
    if (this.plans.size >= this.plansKept()) this.dropOldest()
    this.plans.set(key, kept)
    kept.plan.fill(this.overrideOf(run), pod)
    this.markUnjudged(kept)
    return plannedPod(kept, run)
  }

  /** The pod's own nomination was left out of a row, which the next pod of the plan must not inherit. */
  release({ plan }: PlannedPod, pod: ParsedPod): void {
    const own = this.ownRow(pod)
    if (own !== undefined) plan.dirty.mark(own)
  }

  private open(pod: ParsedPod): KeptPlan | undefined {
    const columns = new Map<string, PluginColumn>()
    const asked = new Set<AnyPlugin>()
    for (const plugin of pluginsOf(this.profile)) {
      const column = plugin.columns === undefined ? 'live' : plugin.columns.open(pod, this.sources)
      if (column === 'plain') return undefined
      if (column === 'live') asked.add(plugin)
      else if (column !== undefined) columns.set(plugin.name, column)
    }
    const plan = new Plan(this.profile, this.sources, columns)
    const live = asked.size === 0 ? undefined : livePlugins(this.profile, asked, plan)
    if (live === 'plain') return undefined
    const speaks = (plugin: AnyPlugin): boolean => {
      const column = columns.get(plugin.name)
      return asked.has(plugin) || column?.filterRow !== undefined || column?.filterClass !== undefined
    }
    const { preFilter, filter } = this.profile
    return {
      plan,
      columns,
      profile: { ...this.profile, preFilter: preFilter.filter(speaks), filter: filter.filter(speaks) },
      live,
      // What nominated pods mean to filters that look beyond the node changes with the rest of the cluster.
      weighsNominated:
        plan.hasClassFilters || live !== undefined || [...columns.values()].some((one) => one.weighsNominated === true),
      nominatorVersion: this.nominator.version,
      usedAt: ++this.uses,
    }
  }

  private keyOf(pod: ParsedPod): string {
    let key = `${pod.shape.specId}:${pod.priority}`
    for (let i = 0; i < this.keyed.length; i++) key += `:${this.keyed[i]?.(pod, this.sources)}`
    return key
  }

  private runOf(pod: ParsedPod, input: CycleInput, key: string): () => PreparedRun {
    let run: PreparedRun | undefined
    return () => {
      if (run === undefined) {
        const { profile, columns } = this.plans.get(key) as KeptPlan
        const known: KnownStates = ({ name }) => {
          const read = columns.get(name)?.preFilterState
          if (read === undefined) return undefined
          const state = read(pod)
          return state === undefined ? skip : { state }
        }
        const filters = new FilterRun(profile, pod, this.cache.cluster(input.objects), this.nominator, known)
        run = { filters, preFilter: filters.preFilter() }
      }
      return run
    }
  }

  private overrideOf(runOf: () => PreparedRun): RowOverride | undefined {
    if (this.nominator.size === 0) return undefined
    return (row) => {
      const node = this.cache.table.rows[row]
      if (node === undefined || this.nominator.nominatedPodsFor(node.name).length === 0) return undefined
      const { filters, preFilter } = runOf()
      if (preFilter.kind !== 'passed') {
        this.unjudged.push(row)
        return undefined
      }
      if (filters.rivals(node.name).length === 0) return undefined
      const status = filters.filterWithNominated(node)
      return this.statuses.idOf(status.plugin ?? '', status)
    }
  }

  /** Rows that a pod refused by PreFilter could not judge are left to the next pod of the plan. */
  private markUnjudged({ plan }: KeptPlan): void {
    for (const row of this.unjudged) plan.dirty.mark(row)
    this.unjudged.length = 0
  }

  private markNominated(kept: KeptPlan, pod: ParsedPod): void {
    const { plan } = kept
    const own = this.ownRow(pod)
    if (own !== undefined) plan.dirty.mark(own)
    const { version } = this.nominator
    if (kept.weighsNominated) for (const row of plan.overridden) plan.dirty.mark(row)
    if (version === kept.nominatorVersion) return
    const changed = this.nominator.changedSince?.(kept.nominatorVersion)
    kept.nominatorVersion = version
    if (changed === undefined) for (const row of plan.overridden) plan.dirty.mark(row)
    for (const name of changed ?? this.nominator.nominatedNodes()) {
      const row = this.cache.table.node(name)
      if (row !== undefined) plan.dirty.mark(row.row)
    }
  }

  private ownRow(pod: ParsedPod): number | undefined {
    if (this.nominator.size === 0) return undefined
    const name = this.nominator.nodeOf(pod.uid)
    return name === undefined ? undefined : this.cache.table.node(name)?.row
  }

  private plansKept(): number {
    return Math.min(Math.max(Math.floor(ROWS_KEPT / this.cache.table.capacity), FEWEST_PLANS), MOST_PLANS)
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

/** Whether no filter or score is without the step before it, which columns take for granted. */
function isWhole(profile: Profile): boolean {
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
 * What plugins without columns do. The first filter that objects is the one a node is refused by, so they must
 * all come after the filters about rows, and on one side of those about classes.
 */
function livePlugins(profile: Profile, asked: ReadonlySet<AnyPlugin>, plan: Plan): LivePlugins | 'plain' {
  const positions = profile.filter.flatMap((plugin, i) => (asked.has(plugin) ? [i] : []))
  const first = positions[0] ?? Number.POSITIVE_INFINITY
  const last = positions[positions.length - 1] ?? Number.POSITIVE_INFINITY
  const span = plan.classFilterSpan
  const beforeClasses = span !== undefined && last < span.first
  const afterClasses = span === undefined || first > span.last
  if (first < plan.lastRowFilter || (!beforeClasses && !afterClasses)) return 'plain'
  return {
    plugins: asked,
    profile: {
      ...profile,
      preScore: profile.preScore.filter((plugin) => asked.has(plugin)),
      score: profile.score.filter(({ plugin }) => asked.has(plugin)),
    },
    beforeClasses,
  }
}
