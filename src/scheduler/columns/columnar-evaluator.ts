import type {
  CycleInput,
  CycleResult,
  CycleStates,
  NodeState,
  ParsedPod,
  PostFilterContext,
  Profile,
} from '../contract/contract.ts'
import { isRejected } from '../contract/status.ts'
import { errorResult, runPostFilters, unschedulableResult } from '../framework/cycle-outcome.ts'
import type { FilterRun } from '../framework/filter-run.ts'
import { feasibleNodesWanted, type SchedulingOptions, type SearchPosition } from '../framework/plain-evaluator.ts'
import { scoreNodes } from '../framework/score-run.ts'
import { dryRunsOf } from '../preemption/dry-runs.ts'
import { ColumnarDiagnosis } from './columnar-diagnosis.ts'
import type { Plan, PlanClass } from './plan.ts'
import type { PlannedPod } from './planner.ts'
import type { StatusTable } from './status-table.ts'
import type { NodeRow } from './table/node-row.ts'

export interface PlanContext extends SchedulingOptions {
  readonly statuses: StatusTable
  readonly position: SearchPosition
}

/**
 * One look at each class of nodes, and the best of the best class. Undefined when a plugin without columns wants to
 * settle more than a node, or one ran into an error: then the pod has to be evaluated node by node. An error on one node
 * ends the cycle, unless the pod finds its place before that node is looked at.
 */
export function scheduleByPlan(
  planned: PlannedPod,
  pod: ParsedPod,
  input: CycleInput,
  context: PlanContext,
): CycleResult | undefined {
  const { plan, live } = planned
  let feasible = plan.rank()
  let states = NO_STATES
  if (live !== undefined) {
    const { filters, preFilter } = planned.run()
    if (preFilter.kind !== 'passed' || preFilter.nodes !== undefined) return undefined
    if (rejectLive(planned, filters, context.statuses) === 'error') return undefined
    states = filters.states
    feasible = plan.rank()
  }
  if (plan.hasError) return undefined
  const promised = context.cache.table.node(pod.pod.status?.nominatedNodeName ?? '')
  if (promised !== undefined && plan.statusOf(promised.row) === 0) return placedOn(promised, 1, 1, states)
  if (feasible.length === 0) return giveUp(planned, pod, input, context)
  const { nodeCount } = context.cache
  const wanted = feasibleNodesWanted(context.profile, nodeCount)
  if (wanted < nodeCount) return live === undefined ? placeInSample(plan, wanted, input, context) : undefined
  if (live !== undefined && live.profile.score.length > 0) {
    return placeByScores(live.profile, pod, feasible, input, context, states)
  }
  return placeBest(feasible, input, context, states)
}

/** Plugins that keep states from PreFilter have none for pods about which they have nothing to say. */
const NO_STATES: CycleStates = { get: () => undefined }

function placedOn({ name }: NodeState, evaluated: number, feasible: number, states: CycleStates): CycleResult {
  return { kind: 'placed', node: name, evaluated, feasible, states }
}

/** Asks plugins without columns about every node that is left. What they say holds for this pod only. */
function rejectLive({ plan, live }: PlannedPod, filters: FilterRun, statuses: StatusTable): 'done' | 'error' {
  if (live === undefined) return 'done'
  const { table } = plan
  const rejected: { readonly row: number; readonly status: number }[] = []
  let outcome: 'done' | 'error' = 'done'
  for (const one of plan.classes) {
    if (one.size === 0 || (one.status !== 0 && !live.beforeClasses)) continue
    one.rows.forEach((row) => {
      // Nodes with nominated pods were judged by all plugins already.
      if (plan.overridden.has(row)) return
      const status = filters.filterSome(table.rows[row] as NodeRow, live.plugins)
      if (status.code === 'Success') return
      if (isRejected(status)) rejected.push({ row, status: statuses.idOf(status.plugin ?? '', status) })
      else outcome = 'error'
    })
  }
  for (const { row, status } of rejected) plan.reject(row, status)
  return outcome
}

function placeBest(
  feasible: readonly PlanClass[],
  { random }: CycleInput,
  { cache: { table } }: PlanContext,
  states: CycleStates,
): CycleResult {
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
  let pick = equals === 1 ? 0 : random.stream('tie-break').int(equals)
  for (const { rows, score } of feasible) {
    if (score + rows.top !== best) continue
    const row = rows.best[pick]
    if (row !== undefined) return placedOn(table.rows[row] as NodeRow, table.nodeCount, nodes, states)
    pick -= rows.best.length
  }
  throw new Error('no class has the best score')
}

/** The best of the first feasible nodes from where the last search ended, scored among themselves. */
function placeInSample(plan: Plan, wanted: number, { random }: CycleInput, context: PlanContext): CycleResult {
  const { position } = context
  const nodes = context.cache.table.nodes()
  const found: NodeRow[] = []
  let looked = 0
  for (; looked < nodes.length && found.length < wanted; looked++) {
    const node = nodes[(position.startAt + looked) % nodes.length] as NodeRow
    if (plan.statusOf(node.row) === 0) found.push(node)
  }
  position.startAt = (position.startAt + looked) % nodes.length
  const scores = plan.scoreRows(found.map(({ row }) => row))
  const best = scores.reduce((most, score) => Math.max(most, score), Number.NEGATIVE_INFINITY)
  const highest = found.filter((_, i) => scores[i] === best)
  return placedOn(random.stream('tie-break').pick(highest), looked, found.length, NO_STATES)
}

/** With the scores of plugins without columns on top, which may put any node first. */
function placeByScores(
  profile: Profile,
  pod: ParsedPod,
  feasible: readonly PlanClass[],
  { objects, random }: CycleInput,
  { cache }: PlanContext,
  states: CycleStates,
): CycleResult {
  const { table } = cache
  const nodes: NodeRow[] = []
  const totals: number[] = []
  for (const { rows, score } of feasible) {
    rows.forEach((row, own) => {
      nodes.push(table.rows[row] as NodeRow)
      totals.push(score + own)
    })
  }
  const [only] = nodes
  if (nodes.length === 1 && only !== undefined) return placedOn(only, table.nodeCount, 1, states)
  const outcome = scoreNodes(profile, pod, nodes, cache.cluster(objects))
  if (outcome.kind === 'error') return errorResult(outcome.message)
  const sums = outcome.scores.map(({ total }, i) => total + (totals[i] as number))
  const best = sums.reduce((most, sum) => Math.max(most, sum), Number.NEGATIVE_INFINITY)
  const highest = nodes.filter((_, i) => sums[i] === best)
  return placedOn(random.stream('tie-break').pick(highest), table.nodeCount, nodes.length, states)
}

function giveUp(planned: PlannedPod, pod: ParsedPod, input: CycleInput, context: PlanContext): CycleResult {
  const { profile, cache, nominator, statuses } = context
  const { plan, live } = planned
  const diagnosis = new ColumnarDiagnosis(plan, statuses)
  const budgetsVersion = cache.versionOf('poddisruptionbudgets.policy')
  const hangsOnMore = plan.hasClassFilters || live !== undefined
  const postFilter: PostFilterContext = {
    cluster: cache.cluster(input.objects),
    nominator,
    random: input.random,
    tryOn: (node) => planned.run().filters.tryOn(node),
    ...(hangsOnMore ? {} : { dryRuns: { runs: dryRunsOf(plan, statuses), budgetsVersion } }),
  }
  return unschedulableResult(diagnosis, runPostFilters(profile, pod, diagnosis, postFilter))
}
