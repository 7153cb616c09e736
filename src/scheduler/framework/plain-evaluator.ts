import type {
  ClusterState,
  CycleInput,
  CycleResult,
  CycleStates,
  Explanation,
  NodeScores,
  NodeState,
  Nominator,
  ObjectReader,
  ParsedPod,
  PluginStatus,
  Profile,
} from '../contract/contract.ts'
import { isRejected, messageOf, unresolvable } from '../contract/status.ts'
import { errorResult, failureMessage } from './cycle-outcome.ts'
import type { Evaluation, Evaluator, FeasibleNodes, NodeList } from './evaluator.ts'
import { FilterRun } from './filter-run.ts'
import { PlainDiagnosis } from './plain-diagnosis.ts'
import { type ScoreOutcome, scoreNodes } from './score-run.ts'

export interface PlainOptions {
  readonly profile: Profile
  readonly cache: { cluster(objects: ObjectReader): ClusterState }
  readonly nominator: Nominator
}

/** Runs every plugin on every node: the definition of the answers. */
export class PlainEvaluator implements Evaluator {
  private readonly options: PlainOptions

  constructor(options: PlainOptions) {
    this.options = options
  }

  evaluate(pod: ParsedPod, input: CycleInput): PlainEvaluation | CycleResult {
    const evaluation = this.open(pod, input)
    return evaluation.preFilterError === undefined ? evaluation : errorResult(evaluation.preFilterError)
  }

  /** Returns the evaluation even when PreFilter failed, for explanations. */
  open(pod: ParsedPod, { objects, placement }: CycleInput): PlainEvaluation {
    const { profile, cache, nominator } = this.options
    return new PlainEvaluation(profile, pod, cache.cluster(objects), nominator, placement)
  }
}

export class PlainEvaluation implements Evaluation {
  readonly kind = 'evaluation'
  readonly diagnosis: PlainDiagnosis
  readonly preFilterError: string | undefined
  private readonly profile: Profile
  private readonly cluster: ClusterState
  private readonly run: FilterRun
  private readonly nodes: readonly NodeState[]
  private readonly placement: ReadonlySet<string> | undefined
  private readonly added = new Map<string, number>()
  private scored: { readonly feasible: FeasibleNodes; readonly outcome: ScoreOutcome } | undefined

  constructor(
    profile: Profile,
    pod: ParsedPod,
    cluster: ClusterState,
    nominator: Nominator,
    placement?: ReadonlySet<string>,
  ) {
    this.profile = profile
    this.cluster = cluster
    this.placement = placement
    this.run = new FilterRun(profile, pod, cluster, nominator)
    this.diagnosis = new PlainDiagnosis(placement?.size ?? cluster.nodes.length)
    const outcome = this.run.preFilter()
    this.preFilterError = outcome.kind === 'error' ? outcome.message : undefined
    if (outcome.kind === 'error') this.nodes = []
    else {
      for (const plugin of outcome.narrowedBy) this.diagnosis.unschedulablePlugins.add(plugin)
      this.nodes = outcome.kind === 'rejected' ? this.rejectAll(outcome.status) : this.narrow(outcome)
    }
  }

  get candidates(): number {
    return this.nodes.length
  }

  get states(): CycleStates {
    return this.run.states
  }

  get trials(): Evaluation['trials'] {
    const { cluster, run } = this
    return { cluster, tryOn: (node) => run.tryOn(node), preFilterRan: (plugin) => run.preFilterRan(plugin) }
  }

  tryNode(name: string): FeasibleNodes | undefined {
    const node = this.placement?.has(name) === false ? undefined : this.cluster.node(name)
    if (node === undefined || this.diagnosis.preFilter !== undefined) return undefined
    const feasible = this.filter([node], 0, 1)
    return typeof feasible === 'string' || feasible.length === 0 ? undefined : this.found(feasible)
  }

  search(startAt: number, wanted: number): FeasibleNodes | CycleResult {
    const feasible = this.filter(this.nodes, startAt, wanted)
    return typeof feasible === 'string' ? errorResult(feasible) : this.found(feasible)
  }

  best(feasible: FeasibleNodes): NodeList | CycleResult {
    const outcome = this.score(feasible)
    if (outcome.kind === 'error') return errorResult(outcome.message)
    let most = Number.NEGATIVE_INFINITY
    let best: NodeState[] = []
    outcome.scores.forEach(({ node, total }, i) => {
      const sum = total + (this.added.get(node) ?? 0)
      if (sum < most) return
      if (sum > most) best = []
      most = sum
      best.push(feasible.at(i))
    })
    return new FoundNodes(best, best.length)
  }

  /** The scores without those of extenders; empty after an error. */
  scoresOf(feasible: FeasibleNodes): readonly NodeScores[] {
    const outcome = this.score(feasible)
    return outcome.kind === 'error' ? [] : outcome.scores
  }

  /** Adds the score of an extender. */
  addScore(node: string, score: number): void {
    this.added.set(node, (this.added.get(node) ?? 0) + score)
  }

  /** Removes a node that an extender rejected. Without a status the node counts as not evaluated. */
  refuse(feasible: FeasibleNodes, name: string, status: PluginStatus | undefined): FeasibleNodes {
    if (status !== undefined) this.diagnosis.set(name, status)
    this.diagnosis.unschedulablePlugins.add('Extender')
    return new FoundNodes(
      nodesOf(feasible).filter((node) => node.name !== name),
      feasible.evaluated,
    )
  }

  /** Evaluates all nodes, even after an error, which would end a cycle. */
  explain(pod: ParsedPod): Explanation {
    const { diagnosis } = this
    const nodes = this.nodes.filter((node) => {
      const status = this.run.filterWithNominated(node)
      if (status.code !== 'Success') diagnosis.set(node.name, status)
      return status.code === 'Success'
    })
    const outcome = nodes.length === 0 ? undefined : scoreNodes(this.profile, pod, nodes, this.cluster)
    return {
      feasible: nodes.map(({ name }) => name),
      rejected: diagnosis.rejected(),
      scores: outcome?.kind === 'scored' ? outcome.scores : [],
      ...(diagnosis.preFilter === undefined ? {} : { preFilter: diagnosis.preFilter }),
      ...(diagnosis.preFilterNodes === undefined ? {} : { preFilterNodes: diagnosis.preFilterNodes }),
      ...(nodes.length > 0 ? {} : { message: failureMessage(diagnosis) }),
    }
  }

  release(): void {}

  private rejectAll(status: PluginStatus): readonly NodeState[] {
    this.diagnosis.preFilter = status
    this.diagnosis.absent = status
    this.diagnosis.blame(status)
    return []
  }

  private narrow(outcome: { readonly nodes?: ReadonlySet<string>; readonly narrowedBy: ReadonlySet<string> }) {
    const { nodes, narrowedBy } = outcome
    const { placement } = this
    const candidates =
      placement === undefined ? this.cluster.nodes : this.cluster.nodes.filter(({ name }) => placement.has(name))
    if (nodes === undefined) return candidates
    this.diagnosis.preFilterNodes = nodes
    this.diagnosis.absent = unresolvable(`node(s) didn't satisfy plugin(s) [${[...narrowedBy].sort().join(' ')}]`)
    return candidates.filter(({ name }) => nodes.has(name))
  }

  /** The feasible nodes, or the message of the error that ended the search. */
  private filter(nodes: readonly NodeState[], startAt: number, wanted: number): readonly NodeState[] | string {
    const feasible: NodeState[] = []
    for (let i = 0; i < nodes.length && feasible.length < wanted; i++) {
      const node = nodes[(startAt + i) % nodes.length] as NodeState
      const status = this.run.filterWithNominated(node)
      if (status.code === 'Success') feasible.push(node)
      else if (isRejected(status)) this.diagnosis.set(node.name, status)
      else return messageOf(status)
    }
    return feasible
  }

  private found(feasible: readonly NodeState[]): FeasibleNodes {
    return new FoundNodes(feasible, feasible.length + this.diagnosis.rejected().size)
  }

  private score(feasible: FeasibleNodes): ScoreOutcome {
    if (this.scored?.feasible !== feasible) {
      const outcome = scoreNodes(this.profile, this.run.pod, nodesOf(feasible), this.cluster)
      this.scored = { feasible, outcome }
    }
    return this.scored.outcome
  }
}

/** Nodes that are listed one by one. */
export class FoundNodes implements FeasibleNodes {
  readonly kind = 'nodes'
  readonly nodes: readonly NodeState[]
  readonly evaluated: number

  constructor(nodes: readonly NodeState[], evaluated: number) {
    this.nodes = nodes
    this.evaluated = evaluated
  }

  get size(): number {
    return this.nodes.length
  }

  at(index: number): NodeState {
    return this.nodes[index] as NodeState
  }
}

export function nodesOf(list: NodeList): readonly NodeState[] {
  return list instanceof FoundNodes ? list.nodes : Array.from({ length: list.size }, (_, i) => list.at(i))
}
