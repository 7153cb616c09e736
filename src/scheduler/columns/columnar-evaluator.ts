import type { CycleInput, CycleResult, CycleStates, Diagnosis, NodeState, ParsedPod } from '../contract/contract.ts'
import { isRejected } from '../contract/status.ts'
import { errorResult } from '../framework/cycle-outcome.ts'
import type { Evaluation, Evaluator, FeasibleNodes, NodeList } from '../framework/evaluator.ts'
import type { FilterRun } from '../framework/filter-run.ts'
import { FoundNodes } from '../framework/plain-evaluator.ts'
import { scoreNodes } from '../framework/score-run.ts'
import { ColumnarDiagnosis } from './columnar-diagnosis.ts'
import type { PlanClass } from './plan-class.ts'
import { type PlannedPod, Planner, type PlannerOptions } from './planner.ts'
import type { NodeTable } from './table/node-table.ts'

export interface ColumnarOptions extends PlannerOptions {}

/** Evaluates pods with plans: one evaluation per class of nodes, and one per changed row. */
export class ColumnarEvaluator implements Evaluator {
  private readonly planner: Planner

  constructor(options: ColumnarOptions) {
    this.planner = new Planner(options)
  }

  /** A key that is equal for pods that the filters accept on the same nodes; undefined if no such key is known. */
  filterKeyOf(pod: ParsedPod, input: CycleInput): string | undefined {
    return this.planner.filterKeyOf(pod, input)
  }

  /** Updates the plan of a pod that fits no node. The result is known from an equal pod. */
  follow(pod: ParsedPod, input: CycleInput): void {
    this.planner.follow(pod, input)
  }

  /**
   * Returns undefined when the plain evaluator must evaluate the pod: a plugin without columns decides about more than
   * single nodes, or a filter failed. A failure on one node ends the cycle only if that node is evaluated.
   */
  evaluate(pod: ParsedPod, input: CycleInput): ColumnarEvaluation | undefined {
    const planned = this.planner.planFor(pod, input)
    if (planned === undefined) return undefined
    const evaluation = new ColumnarEvaluation(planned, pod, input, this.planner)
    if (evaluation.run()) return evaluation
    evaluation.release()
    return undefined
  }
}

class ColumnarEvaluation implements Evaluation {
  readonly kind = 'evaluation'
  states: CycleStates = noStates
  private readonly planned: PlannedPod
  private readonly pod: ParsedPod
  private readonly input: CycleInput
  private readonly planner: Planner
  private readonly table: NodeTable
  private classes: readonly PlanClass[] = []

  constructor(planned: PlannedPod, pod: ParsedPod, input: CycleInput, planner: Planner) {
    this.planned = planned
    this.pod = pod
    this.input = input
    this.planner = planner
    this.table = planned.plan.table
  }

  /** Runs the filters. Returns false when the plain evaluator must evaluate the pod. */
  run(): boolean {
    const { plan, live } = this.planned
    this.classes = plan.rank()
    if (live !== undefined) {
      const { filters, preFilter } = this.planned.run()
      if (preFilter.kind !== 'passed' || preFilter.nodes !== undefined) return false
      if (!this.runLiveFilters(filters)) return false
      this.states = filters.states
      this.classes = plan.rank()
    }
    return !plan.hasError
  }

  get candidates(): number {
    return this.table.nodeCount
  }

  get diagnosis(): Diagnosis {
    return new ColumnarDiagnosis(this.planned.plan, this.planner.statuses)
  }

  get trials(): Evaluation['trials'] {
    const { plan, live } = this.planned
    const dependsOnOthers = plan.hasClassFilters || live !== undefined
    return {
      cluster: this.planner.cluster(this.input),
      tryOn: (node) => this.planned.run().filters.tryOn(node),
      preFilterRan: () => true,
      ...(dependsOnOthers ? {} : { memory: plan.memory }),
    }
  }

  tryNode(name: string): FeasibleNodes | undefined {
    const node = this.table.node(name)
    return node === undefined || this.planned.plan.statusOf(node.row) !== 0 ? undefined : new FoundNodes([node], 1)
  }

  search(startAt: number, wanted: number): FeasibleNodes | undefined {
    const { table, classes } = this
    if (classes.length === 0) return new FoundNodes([], table.nodeCount)
    if (wanted >= table.nodeCount) return new ClassNodes(classes, table)
    return this.planned.live === undefined ? this.sample(startAt, wanted) : undefined
  }

  best(feasible: FeasibleNodes): NodeList | CycleResult {
    if (feasible instanceof FoundNodes) return this.bestInSample(feasible)
    const { live } = this.planned
    return live !== undefined && live.profile.score.length > 0
      ? this.bestWithLiveScores()
      : bestOf(this.classes, this.table)
  }

  /**
   * Ends the evaluation. If the nomination of the pod was left out of a row, the next pod of the plan evaluates that
   * row again.
   */
  release(): void {
    this.planner.release(this.planned, this.pod)
  }

  /** Runs plugins without columns on the remaining nodes, for this pod only. Returns false after an error. */
  private runLiveFilters(filters: FilterRun): boolean {
    const { plan, live } = this.planned
    if (live === undefined) return true
    const rejected: { readonly row: number; readonly status: number }[] = []
    let succeeded = true
    for (const one of plan.classes) {
      if (one.size === 0 || (one.status !== 0 && !live.beforeClasses)) continue
      one.rows.forEach((row) => {
        // All plugins already ran on nodes with nominated pods.
        if (plan.overridden.has(row)) return
        const status = filters.filterSome(this.table.rows[row] as NodeState, live.plugins)
        if (status.code === 'Success') return
        if (isRejected(status)) {
          rejected.push({ row, status: this.planner.statuses.idOf(status.plugin ?? '', status) })
        } else succeeded = false
      })
    }
    for (const { row, status } of rejected) plan.reject(row, status)
    return succeeded
  }

  private sample(startAt: number, wanted: number): FoundNodes {
    const nodes = this.table.nodes()
    const found: NodeState[] = []
    let evaluated = 0
    for (; evaluated < nodes.length && found.length < wanted; evaluated++) {
      const node = nodes[(startAt + evaluated) % nodes.length] as NodeState
      if (this.planned.plan.statusOf(node.row) === 0) found.push(node)
    }
    return new FoundNodes(found, evaluated)
  }

  /** The scores of a sample are normalized within the sample. */
  private bestInSample({ nodes }: FoundNodes): NodeList {
    return highest(nodes, this.planned.plan.scoreRows(nodes.map(({ row }) => row)))
  }

  /** Adds the scores of plugins without columns, which may change the order of all nodes. */
  private bestWithLiveScores(): NodeList | CycleResult {
    const { live } = this.planned
    const nodes: NodeState[] = []
    const totals: number[] = []
    for (const { rows, score } of this.classes) {
      rows.forEach((row, own) => {
        nodes.push(this.table.rows[row] as NodeState)
        totals.push(score + own)
      })
    }
    const profile = live?.profile
    if (profile === undefined) return highest(nodes, totals)
    const outcome = scoreNodes(profile, this.pod, nodes, this.planner.cluster(this.input))
    if (outcome.kind === 'error') return errorResult(outcome.message)
    const sums = outcome.scores.map(({ total }, i) => total + (totals[i] as number))
    return highest(nodes, sums)
  }
}

/** Plugins with columns have no PreFilter states for pods without live plugins. */
const noStates: CycleStates = { get: () => undefined }

/** All rows of feasible classes. */
class ClassNodes implements FeasibleNodes {
  readonly kind = 'nodes'
  readonly size: number
  readonly evaluated: number
  private readonly classes: readonly PlanClass[]
  private readonly table: NodeTable

  constructor(classes: readonly PlanClass[], table: NodeTable) {
    let size = 0
    for (let i = 0; i < classes.length; i++) size += (classes[i] as PlanClass).rows.size
    this.size = size
    this.evaluated = table.nodeCount
    this.classes = classes
    this.table = table
  }

  at(index: number): NodeState {
    const rows: number[] = []
    for (const one of this.classes) {
      one.rows.forEach((row) => {
        rows.push(row)
      })
    }
    return this.table.rows[rows[index] as number] as NodeState
  }
}

function highest(nodes: readonly NodeState[], scores: ArrayLike<number>): NodeList {
  let most = Number.NEGATIVE_INFINITY
  for (let i = 0; i < nodes.length; i++) most = Math.max(most, scores[i] as number)
  const best = nodes.filter((_, i) => scores[i] === most)
  return new FoundNodes(best, best.length)
}

/** The best rows of the classes with the highest total, without a list of all rows. */
function bestOf(classes: readonly PlanClass[], table: NodeTable): NodeList {
  let most = Number.NEGATIVE_INFINITY
  let size = 0
  for (const { rows, score } of classes) {
    const total = score + rows.top
    if (total > most) size = 0
    if (total < most) continue
    most = total
    size += rows.best.length
  }
  return {
    kind: 'nodes',
    size,
    at(index) {
      let left = index
      for (const { rows, score } of classes) {
        if (score + rows.top !== most) continue
        const row = rows.best[left]
        if (row !== undefined) return table.rows[row] as NodeState
        left -= rows.best.length
      }
      throw new Error('index out of range')
    },
  }
}
