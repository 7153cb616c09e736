import type {
  CycleInput,
  CycleResult,
  CycleStates,
  Diagnosis,
  NodeState,
  ParsedPod,
  PostFilterContext,
} from '../contract/contract.ts'

/** Nodes in a fixed order. */
export interface NodeList {
  readonly kind: 'nodes'
  readonly size: number
  at(index: number): NodeState
}

/** The feasible nodes that a search found. */
export interface FeasibleNodes extends NodeList {
  /** The number of nodes that the search evaluated. */
  readonly evaluated: number
}

/**
 * Runs the filters and scores of a profile. The cycle decides which nodes to evaluate and which node to select; an
 * evaluator only computes answers. The plain evaluator runs every plugin on every node. The columnar evaluator computes
 * the same answers from values that it keeps between pods.
 */
export interface Evaluator {
  /** Runs PreFilter. Returns a result when that ends the cycle, and undefined when it cannot evaluate the pod. */
  evaluate(pod: ParsedPod, input: CycleInput): Evaluation | CycleResult | undefined
}

/** The evaluation of one pod. It is valid until the cache changes. */
export interface Evaluation {
  readonly kind: 'evaluation'
  /** The number of nodes that PreFilter leaves. */
  readonly candidates: number
  readonly states: CycleStates
  /** The reasons why nodes are not feasible, as of the last search. */
  readonly diagnosis: Diagnosis
  readonly trials: Pick<PostFilterContext, 'cluster' | 'tryOn' | 'memory' | 'preFilterRan'>
  /** Runs the filters on one node; undefined when it does not exist or is not feasible. An error is a rejection. */
  tryNode(name: string): FeasibleNodes | undefined
  /**
   * Runs the filters from the candidate `startAt` on until `wanted` nodes are feasible. Returns the error that ended
   * the search, or undefined when the evaluator does not support this search.
   */
  search(startAt: number, wanted: number): FeasibleNodes | CycleResult | undefined
  /** The nodes with the highest total score, or the error of a score. */
  best(feasible: FeasibleNodes): NodeList | CycleResult
  /** Ends the evaluation. */
  release(): void
}
