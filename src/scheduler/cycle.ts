import type { Pod } from '../api/objects/pod.ts'
import { groupNameOf } from '../api/pod-claims.ts'
import { ColumnarEvaluator, type ColumnarOptions } from './columns/columnar-evaluator.ts'
import { HopelessPods } from './columns/hopeless-pods.ts'
import type {
  CycleInput,
  CycleResult,
  Explanation,
  NodeScores,
  ParsedPod,
  PluginStatus,
  PostFilterContext,
  Profile,
  ScheduleHalves,
  Scheduling,
} from './contract/contract.ts'
import { noNodes, runPostFilters, unschedulableResult } from './framework/cycle-outcome.ts'
import type { Evaluation, Evaluator, FeasibleNodes } from './framework/evaluator.ts'
import { nodesOf, type PlainEvaluation, PlainEvaluator } from './framework/plain-evaluator.ts'

// v1.36, pkg/scheduler: minFeasibleNodesToFind.
const minFeasibleNodes = 100

export interface SchedulingOptions extends ColumnarOptions {
  /** `plain`: the plain evaluator only. Default: the columnar evaluator, and the plain one where it cannot evaluate. */
  readonly evaluator?: 'columnar' | 'plain'
}

export function createScheduling(options: SchedulingOptions): Scheduling {
  return new SchedulingCycles(options)
}

/**
 * The scheduling cycle (v1.36, pkg/scheduler schedulePod): the filters leave the feasible nodes, the scores determine
 * the best of them, and when no node is feasible, PostFilter looks for pods to preempt.
 */
class SchedulingCycles implements Scheduling {
  private readonly options: SchedulingOptions
  private readonly plain: PlainEvaluator
  private readonly columnar: ColumnarEvaluator | undefined
  private readonly hopeless = new HopelessPods()
  /** The position at which the next search starts, if a search does not evaluate all nodes. */
  private startAt = 0

  constructor(options: SchedulingOptions) {
    this.options = options
    this.columnar = options.evaluator === 'plain' ? undefined : new ColumnarEvaluator(options)
    this.plain = new PlainEvaluator(options)
  }

  schedule(pod: ParsedPod, input: CycleInput): CycleResult {
    if (this.options.cache.nodeCount === 0) return noNodes
    const columnar = input.placement === undefined ? this.columnar : undefined
    const result = columnar === undefined ? undefined : this.runUnlessKnown(columnar, pod, input)
    return result ?? this.begin(pod, input).finish()
  }

  /** Runs the cycle, unless an equal pod has failed since the last change of the cluster. */
  private runUnlessKnown(columnar: ColumnarEvaluator, pod: ParsedPod, input: CycleInput): CycleResult | undefined {
    const { cache, nominator } = this.options
    if (nominator.size > 0 || !mayRepeat(pod.pod, input)) return this.runOn(columnar, pod, input)
    const version = { changes: cache.version, wallMs: cache.devices.wall }
    const known = this.hopeless.hasAny(version) ? this.hopeless.get(kindOf(columnar, pod, input), version) : undefined
    if (known !== undefined) {
      columnar.follow(pod, input)
      return known
    }
    const result = this.runOn(columnar, pod, input)
    // The key is computed only for pods that fail: most pods fit.
    if (result?.kind === 'unschedulable' && result.isRepeatable === true) {
      this.hopeless.set(kindOf(columnar, pod, input), version, result)
    }
    return result
  }

  begin(pod: ParsedPod, input: CycleInput): ScheduleHalves {
    if (this.options.cache.nodeCount === 0) return settled(noNodes)
    const evaluation = this.plain.evaluate(pod, input)
    if (evaluation.kind !== 'evaluation') return settled(evaluation)
    const search = (): FeasibleNodes | CycleResult =>
      this.findFeasible(evaluation, input) as FeasibleNodes | CycleResult
    const nominated = tryNominatedNode(evaluation, pod)
    const feasible = nominated ?? search()
    if (feasible.kind !== 'nodes') return settled(feasible)
    const finish = (left: FeasibleNodes): CycleResult => this.selectNode(evaluation, left, pod, input)
    return new PlainHalves(evaluation, feasible, nominated === undefined ? undefined : search, finish)
  }

  explain(pod: ParsedPod, input: CycleInput): Explanation {
    const evaluation = this.plain.open(pod, input)
    // The nominated node is part of the diagnosis even if PreFilter does not leave it.
    tryNominatedNode(evaluation, pod)
    return evaluation.explain(pod)
  }

  private runOn(evaluator: Evaluator, pod: ParsedPod, input: CycleInput): CycleResult | undefined {
    const evaluation = evaluator.evaluate(pod, input)
    if (evaluation === undefined || evaluation.kind !== 'evaluation') return evaluation
    const feasible = tryNominatedNode(evaluation, pod) ?? this.findFeasible(evaluation, input)
    const result = feasible?.kind === 'nodes' ? this.selectNode(evaluation, feasible, pod, input) : feasible
    evaluation.release()
    return result
  }

  /** Searches the nodes from where the last search ended (findNodesThatFitPod). */
  private findFeasible(
    evaluation: Evaluation,
    { extended, placement }: CycleInput,
  ): FeasibleNodes | CycleResult | undefined {
    const wanted = feasibleNodesWanted(this.options.profile, evaluation.candidates, extended)
    const feasible = evaluation.search(this.startAt, wanted)
    if (feasible === undefined || feasible.kind !== 'nodes') return feasible
    this.startAt = (this.startAt + feasible.evaluated) % (placement?.size ?? this.options.cache.nodeCount)
    return feasible
  }

  /** Selects one of the nodes with the highest score at random (selectHost). A single feasible node needs no score. */
  private selectNode(evaluation: Evaluation, feasible: FeasibleNodes, pod: ParsedPod, input: CycleInput): CycleResult {
    if (feasible.size === 0) return this.runPostFilter(evaluation, pod, input)
    const best = feasible.size === 1 ? feasible : evaluation.best(feasible)
    if (best.kind !== 'nodes') return best
    const index = best.size === 1 ? 0 : input.random.stream('tie-break').int(best.size)
    const { evaluated, size } = feasible
    return { kind: 'placed', node: best.at(index).name, evaluated, feasible: size, states: evaluation.states }
  }

  private runPostFilter(evaluation: Evaluation, pod: ParsedPod, input: CycleInput): CycleResult {
    const { profile, nominator } = this.options
    const { random, reviewCandidates } = input
    const { diagnosis } = evaluation
    const { cluster, tryOn, preFilterRan, memory } = evaluation.trials
    // Members are assigned one by one. With a spread of the trials, V8 would create a hidden class for every context.
    const context: PostFilterContext = {
      cluster,
      random,
      nominator,
      preFilterRan,
      tryOn,
      ...(memory === undefined ? {} : { memory }),
      ...(reviewCandidates === undefined ? {} : { reviewCandidates }),
    }
    const result = input.skippedPostFilter ?? runPostFilters(profile, pod, diagnosis, context)
    return unschedulableResult(diagnosis, result, memory !== undefined)
  }
}

/** Reports whether equal pods get the same result from PostFilter: the pod has no nomination and no group. */
function mayRepeat(pod: Pod, { skippedPostFilter, reviewCandidates }: CycleInput): boolean {
  if (skippedPostFilter !== undefined || reviewCandidates !== undefined) return false
  return (pod.status?.nominatedNodeName ?? '') === '' && groupNameOf(pod) === undefined
}

/** A key that is equal for pods that fail for the same reasons; undefined if no such key is known. */
function kindOf(columnar: ColumnarEvaluator, pod: ParsedPod, input: CycleInput): string | undefined {
  const key = columnar.filterKeyOf(pod, input)
  return key === undefined ? undefined : `${key} ${pod.pod.spec.preemptionPolicy ?? ''}`
}

/** The nominated node is evaluated before all others. */
function tryNominatedNode(evaluation: Evaluation, { pod }: ParsedPod): FeasibleNodes | undefined {
  const name = pod.status?.nominatedNodeName ?? ''
  return name === '' ? undefined : evaluation.tryNode(name)
}

/**
 * The number of feasible nodes that ends a search (numFeasibleNodesToFind). Unlike upstream, all nodes are searched
 * unless `percentageOfNodesToScore` is set. Without scores and extenders one node is enough.
 */
export function feasibleNodesWanted(profile: Profile, nodes: number, extended = false): number {
  const { score, percentageOfNodesToScore = 0 } = profile
  if (score.length === 0 && !extended) return 1
  if (nodes < minFeasibleNodes || percentageOfNodesToScore === 0) return nodes
  return Math.max(Math.trunc((nodes * percentageOfNodesToScore) / 100), minFeasibleNodes)
}

/** A cycle between its filters and its scores, where extenders are called. */
class PlainHalves implements ScheduleHalves {
  readonly widen?: () => readonly string[] | CycleResult
  private readonly evaluation: PlainEvaluation
  private readonly select: (left: FeasibleNodes) => CycleResult
  private left: FeasibleNodes

  constructor(
    evaluation: PlainEvaluation,
    feasible: FeasibleNodes,
    search: (() => FeasibleNodes | CycleResult) | undefined,
    select: (left: FeasibleNodes) => CycleResult,
  ) {
    this.evaluation = evaluation
    this.select = select
    this.left = feasible
    if (search !== undefined) this.widen = () => this.searchAll(search)
  }

  get filtered(): readonly string[] {
    return nodesOf(this.left).map(({ name }) => name)
  }

  refuse(node: string, status?: PluginStatus): void {
    this.left = this.evaluation.refuse(this.left, node, status)
  }

  score(): readonly NodeScores[] | undefined {
    return this.left.size <= 1 ? undefined : this.evaluation.scoresOf(this.left)
  }

  addScore(node: string, _extender: string, score: number): void {
    this.evaluation.addScore(node, score)
  }

  finish(): CycleResult {
    return this.select(this.left)
  }

  private searchAll(search: () => FeasibleNodes | CycleResult): readonly string[] | CycleResult {
    const feasible = search()
    if (feasible.kind !== 'nodes') return feasible
    this.left = feasible
    return this.filtered
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
