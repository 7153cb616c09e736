import type { ColumnarCache } from '../cache/scheduler-cache.ts'
import type {
  ClusterState,
  CycleInput,
  CycleResult,
  Explanation,
  NodeScores,
  NodeState,
  Nominator,
  ParsedPod,
  PostFilterContext,
  Profile,
  ScheduleHalves,
  Scheduling,
} from '../contract/contract.ts'
import { isRejected, messageOf, type Status, unresolvable } from '../contract/status.ts'
import { errorResult, failureMessage, noNodes, runPostFilters, unschedulableResult } from './cycle-outcome.ts'
import { FilterRun } from './filter-run.ts'
import { PlainDiagnosis } from './plain-diagnosis.ts'
import { scoreNodes } from './score-run.ts'

const MIN_FEASIBLE_NODES = 100

export interface SchedulingOptions {
  readonly profile: Profile
  readonly cache: ColumnarCache
  readonly nominator: Nominator
  /** From how many nodes on pods that differ in little share what is kept between pods. */
  readonly turnsFromNodes?: number
}

/** Where the next search starts, when not all nodes are looked at. */
export interface SearchPosition {
  startAt: number
}

export function createPlainScheduling(
  options: SchedulingOptions,
  position: SearchPosition = { startAt: 0 },
): Scheduling {
  return new PlainScheduling(options, position)
}

/** The algorithm in the open: every plugin is asked about every node (v1.36, pkg/scheduler schedulePod). */
class PlainScheduling implements Scheduling {
  private readonly profile: Profile
  private readonly cache: ColumnarCache
  private readonly nominator: Nominator
  private readonly position: SearchPosition

  constructor({ profile, cache, nominator }: SchedulingOptions, position: SearchPosition) {
    this.position = position
    this.profile = profile
    this.cache = cache
    this.nominator = nominator
  }

  schedule(pod: ParsedPod, input: CycleInput): CycleResult {
    return this.begin(pod, input).finish()
  }

  begin(pod: ParsedPod, input: CycleInput): ScheduleHalves {
    const cluster = this.cache.cluster(input.objects)
    if (cluster.nodes.length === 0) return settled(noNodes)
    const run = new FilterRun(this.profile, pod, cluster, this.nominator)
    const diagnosis = new PlainDiagnosis(cluster.nodes.length)
    const nodes = narrow(run, cluster, diagnosis)
    if (!isFound(nodes)) return settled(nodes)
    const search = (): Found => this.findFeasible(run, cluster, nodes, diagnosis, input)
    const promised = tryPromised(run, cluster, diagnosis)
    const feasible = promised ?? search()
    if (!isFound(feasible)) return settled(feasible)
    const widen = promised === undefined ? undefined : search
    return new PlainHalves(this.profile, run, cluster, diagnosis, feasible, widen, this.nominator, input)
  }

  explain(pod: ParsedPod, input: CycleInput): Explanation {
    const cluster = this.cache.cluster(input.objects)
    const run = new FilterRun(this.profile, pod, cluster, this.nominator)
    const diagnosis = new PlainDiagnosis(cluster.nodes.length)
    const narrowed = narrow(run, cluster, diagnosis)
    // What is said of the node that the pod is nominated to is said even if it is none of those that are left.
    tryPromised(run, cluster, diagnosis)
    // An error ends a cycle, but here every node is to be told of.
    const nodes = (isFound(narrowed) ? narrowed : []).filter((node) => {
      const status = run.filterWithNominated(node)
      if (status.code !== 'Success') diagnosis.set(node.name, status)
      return status.code === 'Success'
    })
    const outcome = nodes.length === 0 ? undefined : scoreNodes(this.profile, pod, nodes, cluster)
    return {
      feasible: nodes.map(({ name }) => name),
      rejected: diagnosis.rejected(),
      scores: outcome?.kind === 'scored' ? outcome.scores : [],
      ...(diagnosis.preFilter === undefined ? {} : { preFilter: diagnosis.preFilter }),
      ...(diagnosis.preFilterNodes === undefined ? {} : { preFilterNodes: diagnosis.preFilterNodes }),
      ...(nodes.length > 0 ? {} : { message: failureMessage(diagnosis) }),
    }
  }

  /** The nodes that pass all filters, or the error that stopped the search (findNodesThatFitPod). */
  private findFeasible(
    run: FilterRun,
    cluster: ClusterState,
    nodes: readonly NodeState[],
    diagnosis: PlainDiagnosis,
    { extended }: CycleInput,
  ): Found {
    const wanted =
      extended === true ? nodesWanted(this.profile, nodes.length) : feasibleNodesWanted(this.profile, nodes.length)
    const feasible = pass(run, nodes, this.position.startAt, wanted, diagnosis)
    if (!isFound(feasible)) return feasible
    this.position.startAt = (this.position.startAt + feasible.length + diagnosis.rejected().size) % cluster.nodes.length
    return feasible
  }
}

/** Nodes, or the result that settles the cycle without any. */
type Found = readonly NodeState[] | CycleResult

function isFound(found: Found): found is readonly NodeState[] {
  return Array.isArray(found)
}

/** The node that the pod is nominated to is tried before all others; an error there means no more than a rejection. */
function tryPromised(
  run: FilterRun,
  cluster: ClusterState,
  diagnosis: PlainDiagnosis,
): readonly NodeState[] | undefined {
  const promised = cluster.node(run.pod.pod.status?.nominatedNodeName ?? '')
  if (promised === undefined || diagnosis.preFilter !== undefined) return undefined
  const feasible = pass(run, [promised], 0, 1, diagnosis)
  return isFound(feasible) && feasible.length > 0 ? feasible : undefined
}

/** What PreFilter leaves: the nodes worth looking at, none when it rejects the pod. */
function narrow(run: FilterRun, cluster: ClusterState, diagnosis: PlainDiagnosis): Found {
  const outcome = run.preFilter()
  if (outcome.kind === 'error') return errorResult(outcome.message)
  for (const plugin of outcome.narrowedBy) diagnosis.unschedulablePlugins.add(plugin)
  if (outcome.kind === 'rejected') {
    diagnosis.preFilter = outcome.status
    diagnosis.absent = outcome.status
    diagnosis.blame(outcome.status)
    return []
  }
  if (outcome.nodes === undefined) return cluster.nodes
  diagnosis.preFilterNodes = outcome.nodes
  diagnosis.absent = unresolvable(`node(s) didn't satisfy plugin(s) [${[...outcome.narrowedBy].sort().join(' ')}]`)
  return cluster.nodes.filter(({ name }) => outcome.nodes?.has(name))
}

function pass(
  run: FilterRun,
  nodes: readonly NodeState[],
  startAt: number,
  wanted: number,
  diagnosis: PlainDiagnosis,
): Found {
  const feasible: NodeState[] = []
  for (let i = 0; i < nodes.length && feasible.length < wanted; i++) {
    const node = nodes[(startAt + i) % nodes.length] as NodeState
    const status = run.filterWithNominated(node)
    if (status.code === 'Success') feasible.push(node)
    else if (isRejected(status)) diagnosis.set(node.name, status)
    else return errorResult(messageOf(status))
  }
  return feasible
}

/** How many feasible nodes end the search. Unset scores all: what sampling saves upstream is not spent here. */
export function feasibleNodesWanted(profile: Profile, nodes: number): number {
  return profile.score.length === 0 ? 1 : nodesWanted(profile, nodes)
}

function nodesWanted({ percentageOfNodesToScore = 0 }: Profile, nodes: number): number {
  if (nodes < MIN_FEASIBLE_NODES || percentageOfNodesToScore === 0) return nodes
  return Math.max(Math.trunc((nodes * percentageOfNodesToScore) / 100), MIN_FEASIBLE_NODES)
}

/** From the feasible nodes to the one, or to what preemption says. */
class PlainHalves implements ScheduleHalves {
  readonly widen?: () => readonly string[] | CycleResult
  private readonly profile: Profile
  private readonly run: FilterRun
  private readonly cluster: ClusterState
  private readonly diagnosis: PlainDiagnosis
  private readonly nominator: Nominator
  private readonly input: CycleInput
  private found: number
  private left: readonly NodeState[]
  private scores: readonly NodeScores[] | undefined
  private readonly added = new Map<string, { total: number; readonly plugins: Record<string, number> }>()
  private failed: string | undefined

  constructor(
    profile: Profile,
    run: FilterRun,
    cluster: ClusterState,
    diagnosis: PlainDiagnosis,
    feasible: readonly NodeState[],
    search: (() => Found) | undefined,
    nominator: Nominator,
    input: CycleInput,
  ) {
    this.profile = profile
    this.run = run
    this.cluster = cluster
    this.diagnosis = diagnosis
    this.nominator = nominator
    this.input = input
    this.left = feasible
    this.found = feasible.length
    if (search !== undefined) this.widen = () => this.searchAll(search)
  }

  get filtered(): readonly string[] {
    return this.left.map(({ name }) => name)
  }

  refuse(node: string, status?: Status): void {
    this.left = this.left.filter(({ name }) => name !== node)
    if (status !== undefined) this.diagnosis.set(node, status)
    this.diagnosis.unschedulablePlugins.add('Extender')
  }

  private searchAll(search: () => Found): readonly string[] | CycleResult {
    const feasible = search()
    if (!isFound(feasible)) return feasible
    this.left = feasible
    this.found = feasible.length
    return this.filtered
  }

  score(): readonly NodeScores[] | undefined {
    if (this.left.length <= 1) return undefined
    if (this.scores === undefined) {
      const outcome = scoreNodes(this.profile, this.run.pod, this.left, this.cluster)
      if (outcome.kind === 'error') this.failed = outcome.message
      this.scores = outcome.kind === 'error' ? [] : outcome.scores
    }
    return this.scores
  }

  addScore(node: string, extender: string, score: number): void {
    const sum = this.added.get(node) ?? { total: 0, plugins: {} }
    sum.total += score
    sum.plugins[extender] = (sum.plugins[extender] ?? 0) + score
    this.added.set(node, sum)
  }

  finish(): CycleResult {
    if (this.left.length === 0) return this.giveUp()
    const [only] = this.left
    if (this.left.length === 1) return this.placed((only as NodeState).name)
    const scores = this.score() ?? []
    if (this.failed !== undefined) return errorResult(this.failed)
    return this.placed(this.input.random.stream('tie-break').pick(this.highest(scores)))
  }

  private highest(scores: readonly NodeScores[]): readonly string[] {
    let most = Number.NEGATIVE_INFINITY
    let names: string[] = []
    for (const { node, total } of scores) {
      const sum = total + (this.added.get(node)?.total ?? 0)
      if (sum < most) continue
      if (sum > most) names = []
      most = sum
      names.push(node)
    }
    return names
  }

  private placed(node: string): CycleResult {
    const evaluated = this.found + this.diagnosis.rejected().size
    return { kind: 'placed', node, evaluated, feasible: this.left.length, states: this.run.states }
  }

  private giveUp(): CycleResult {
    const { cluster, nominator } = this
    const { random, reviewCandidates } = this.input
    const context: PostFilterContext = {
      cluster,
      nominator,
      random,
      tryOn: (node) => this.run.tryOn(node),
      ...(reviewCandidates === undefined ? {} : { reviewCandidates }),
    }
    return unschedulableResult(this.diagnosis, runPostFilters(this.profile, this.run.pod, this.diagnosis, context))
  }
}

function settled(result: CycleResult): ScheduleHalves {
  return {
    filtered: result,
    refuse: () => undefined,
    score: () => undefined,
    addScore: () => undefined,
    finish: () => result,
  }
}
