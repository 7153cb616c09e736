import type { NodeRow } from './cache/node-row.ts'
import type { ColumnarCache } from './cache/scheduler-cache.ts'
import { ColumnarDiagnosis } from './framework/columnar/columnar-diagnosis.ts'
import { type PlannedPod, Planner } from './framework/columnar/planner.ts'
import type { StatusTable } from './framework/columnar/status-table.ts'
import type {
  ClusterState,
  CycleInput,
  CycleResult,
  CycleStates,
  Diagnosis,
  Explanation,
  NodeScores,
  NodeState,
  Nominating,
  Nominator,
  ParsedPod,
  PostFilterContext,
  PostFilterResult,
  Preemption,
  Profile,
  ScheduleHalves,
  Scheduling,
} from './framework/contract.ts'
import { FilterRun } from './framework/filter-run.ts'
import { fitErrorMessage, NO_NODES_MESSAGE } from './framework/fit-error.ts'
import { PlainDiagnosis } from './framework/plain-diagnosis.ts'
import { scoreNodes } from './framework/score-run.ts'
import { isRejected, messageOf, type Status, unresolvable } from './framework/status.ts'
import { dryRunsOf } from './preemption/dry-runs.ts'

const MIN_FEASIBLE_NODES = 100
const KEEP: Nominating = { kind: 'keep' }
const CLEAR: Nominating = { kind: 'clear' }

export interface SchedulingOptions {
  readonly profile: Profile
  readonly cache: ColumnarCache
  readonly nominator: Nominator
}

/** Cycles by plan where that is possible, and node by node where it is not; the answers are the same. */
export function createScheduling(options: SchedulingOptions): Scheduling {
  const plain = createPlainScheduling(options)
  const { profile, cache, nominator } = options
  const planner = new Planner(profile, cache, nominator)
  return {
    schedule(pod, input) {
      const nodes = cache.nodeCount
      if (nodes === 0) return noNodes
      if (profile.score.length === 0 || feasibleNodesWanted(profile, nodes) < nodes) return plain.schedule(pod, input)
      const planned = planner.planFor(pod, input)
      if (planned === undefined) return plain.schedule(pod, input)
      const result = scheduleByPlan(planned, pod, input, { profile, cache, nominator, statuses: planner.statuses })
      planner.release(planned, pod)
      return result
    },
    begin: (pod, input) => plain.begin(pod, input),
    explain: (pod, input) => plain.explain(pod, input),
  }
}

export function createPlainScheduling(options: SchedulingOptions): Scheduling {
  return new PlainScheduling(options)
}

interface PlanContext extends SchedulingOptions {
  readonly statuses: StatusTable
}

/** One look at each class of nodes, and the best of the best class. */
function scheduleByPlan(planned: PlannedPod, pod: ParsedPod, input: CycleInput, context: PlanContext): CycleResult {
  const { plan } = planned
  const { table } = context.cache
  const feasible = plan.rank()
  const promised = table.node(pod.pod.status?.nominatedNodeName ?? '')
  if (promised !== undefined && plan.statusOf(promised.row) === 0) return placedOn(promised, 1, 1)
  if (feasible.length === 0) return giveUpByPlan(planned, pod, input, context)
  let nodes = 0
  let best = Number.NEGATIVE_INFINITY
  let equals = 0
  for (const { rows, score } of feasible) {
    nodes += rows.size
    const total = score + rows.top
    if (total > best) equals = 0
    if (total < best) continue
    best = total
    equals += rows.best.length
  }
  let pick = equals === 1 ? 0 : input.random.stream('tie-break').int(equals)
  for (const { rows, score } of feasible) {
    if (score + rows.top !== best) continue
    const row = rows.best[pick]
    if (row !== undefined) return placedOn(table.rows[row] as NodeRow, table.nodeCount, nodes)
    pick -= rows.best.length
  }
  throw new Error('no class has the best score')
}

function placedOn({ name }: NodeState, evaluated: number, feasible: number): CycleResult {
  return { kind: 'placed', node: name, evaluated, feasible, states: NO_STATES }
}

/** Plugins that keep states from PreFilter have none for pods that can be planned. */
const NO_STATES: CycleStates = { get: () => undefined }

function giveUpByPlan(planned: PlannedPod, pod: ParsedPod, input: CycleInput, context: PlanContext): CycleResult {
  const { profile, cache, nominator, statuses } = context
  const { plan } = planned
  const diagnosis = new ColumnarDiagnosis(plan, statuses)
  const budgetsVersion = cache.versionOf('poddisruptionbudgets.policy')
  const cluster = cache.cluster(input.objects)
  const postFilter: PostFilterContext = {
    cluster,
    nominator,
    random: input.random,
    tryOn: (node) => planned.run().tryOn(node),
    ...(plan.hasClassFilters ? {} : { dryRuns: { runs: dryRunsOf(plan, statuses), budgetsVersion } }),
  }
  return unschedulable(diagnosis, runPostFilters(profile, pod, diagnosis, postFilter))
}

/** The algorithm in the open: every plugin is asked about every node (v1.36, pkg/scheduler schedulePod). */
class PlainScheduling implements Scheduling {
  private readonly profile: Profile
  private readonly cache: ColumnarCache
  private readonly nominator: Nominator
  /** Where the next search starts, when not all nodes are looked at. */
  private startAt = 0

  constructor({ profile, cache, nominator }: SchedulingOptions) {
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
    const feasible = this.findFeasible(run, cluster, diagnosis)
    if (!Array.isArray(feasible)) return settled(feasible as CycleResult)
    return new PlainHalves(this.profile, run, cluster, diagnosis, feasible, this.nominator, input)
  }

  explain(pod: ParsedPod, input: CycleInput): Explanation {
    const cluster = this.cache.cluster(input.objects)
    const run = new FilterRun(this.profile, pod, cluster, this.nominator)
    const diagnosis = new PlainDiagnosis(cluster.nodes.length)
    const narrowed = narrow(run, cluster, diagnosis)
    const feasible = Array.isArray(narrowed) ? pass(run, narrowed, 0, narrowed.length, diagnosis) : []
    const nodes = Array.isArray(feasible) ? feasible : []
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
    diagnosis: PlainDiagnosis,
  ): readonly NodeState[] | CycleResult {
    const nodes = narrow(run, cluster, diagnosis)
    if (!Array.isArray(nodes)) return nodes as CycleResult
    const promised = cluster.node(run.pod.pod.status?.nominatedNodeName ?? '')
    if (promised !== undefined && diagnosis.preFilter === undefined) {
      const feasible = pass(run, [promised], 0, 1, diagnosis)
      if (Array.isArray(feasible) && feasible.length > 0) return feasible
    }
    const wanted = this.profile.score.length === 0 ? 1 : feasibleNodesWanted(this.profile, nodes.length)
    const feasible = pass(run, nodes, this.startAt, wanted, diagnosis)
    if (!Array.isArray(feasible)) return feasible as CycleResult
    this.startAt = (this.startAt + feasible.length + diagnosis.rejected().size) % cluster.nodes.length
    return feasible
  }
}

/** What PreFilter leaves: the nodes worth looking at, none when it rejects the pod. */
function narrow(run: FilterRun, cluster: ClusterState, diagnosis: PlainDiagnosis): readonly NodeState[] | CycleResult {
  const outcome = run.preFilter()
  if (outcome.kind === 'error') return { kind: 'error', message: outcome.message, nominating: CLEAR }
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
): readonly NodeState[] | CycleResult {
  const feasible: NodeState[] = []
  for (let i = 0; i < nodes.length && feasible.length < wanted; i++) {
    const node = nodes[(startAt + i) % nodes.length] as NodeState
    const status = run.filterWithNominated(node)
    if (status.code === 'Success') feasible.push(node)
    else if (isRejected(status)) diagnosis.set(node.name, status)
    else return { kind: 'error', message: messageOf(status), nominating: CLEAR }
  }
  return feasible
}

/** How many feasible nodes end the search. Unset scores all: what sampling saves upstream is not spent here. */
export function feasibleNodesWanted({ percentageOfNodesToScore = 0 }: Profile, nodes: number): number {
  if (nodes < MIN_FEASIBLE_NODES || percentageOfNodesToScore === 0) return nodes
  return Math.max(Math.trunc((nodes * percentageOfNodesToScore) / 100), MIN_FEASIBLE_NODES)
}

/** From the feasible nodes to the one, or to what preemption says. */
class PlainHalves implements ScheduleHalves {
  private readonly profile: Profile
  private readonly run: FilterRun
  private readonly cluster: ClusterState
  private readonly diagnosis: PlainDiagnosis
  private readonly nominator: Nominator
  private readonly input: CycleInput
  private readonly found: number
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
  }

  get filtered(): readonly string[] {
    return this.left.map(({ name }) => name)
  }

  refuse(node: string, status: Status): void {
    this.left = this.left.filter(({ name }) => name !== node)
    this.diagnosis.set(node, status)
    this.diagnosis.unschedulablePlugins.add('Extender')
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
    if (this.failed !== undefined) return { kind: 'error', message: this.failed, nominating: CLEAR }
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
    return unschedulable(this.diagnosis, runPostFilters(this.profile, this.run.pod, this.diagnosis, context))
  }
}

/** The first plugin that makes room, or all their words together (RunPostFilterPlugins). */
export function runPostFilters(
  profile: Profile,
  pod: ParsedPod,
  diagnosis: Diagnosis,
  context: PostFilterContext,
): PostFilterResult | undefined {
  if (profile.postFilter.length === 0) return undefined
  const reasons: string[] = []
  let nominating = KEEP
  for (const plugin of profile.postFilter) {
    const result = plugin.postFilter?.(pod, diagnosis, context)
    if (result === undefined) continue
    if (result.status.code === 'Success' || result.status.code === 'UnschedulableAndUnresolvable') return result
    if (!isRejected(result.status)) return { status: result.status, nominating: KEEP }
    if (result.nominating.kind !== 'keep') nominating = result.nominating
    reasons.push(...result.status.reasons)
  }
  return { status: { code: 'Unschedulable', reasons }, nominating }
}

function unschedulable(diagnosis: Diagnosis, result: PostFilterResult | undefined): CycleResult {
  const postFilterMessage = result === undefined ? '' : messageOf(result.status)
  const preemption: Preemption | undefined = result?.preemption
  return {
    kind: 'unschedulable',
    message: failureMessage(diagnosis, postFilterMessage),
    diagnosis,
    unschedulablePlugins: diagnosis.unschedulablePlugins,
    pendingPlugins: diagnosis.pendingPlugins,
    nominating: result?.nominating ?? CLEAR,
    ...(preemption === undefined ? {} : { preemption }),
    ...(postFilterMessage === '' ? {} : { postFilterMessage }),
  }
}

function failureMessage(diagnosis: Diagnosis, postFilterMessage = ''): string {
  const { totalNodes, preFilter, absent } = diagnosis
  return fitErrorMessage({
    totalNodes,
    ...(preFilter === undefined ? {} : { preFilter }),
    counted: diagnosis.histogram(),
    absent,
    postFilterMessage,
  })
}

const noNodes: CycleResult = {
  kind: 'unschedulable',
  message: NO_NODES_MESSAGE,
  unschedulablePlugins: new Set(),
  pendingPlugins: new Set(),
  nominating: CLEAR,
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
