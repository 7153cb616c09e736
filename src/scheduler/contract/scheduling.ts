import type { Call } from '../../api/call.ts'
import type { Random } from '../../base/random.ts'
import type { ObjectReader } from './cluster-state.ts'
import type { AnyPlugin } from './contract.ts'
import type { ParsedPod } from './parsed-pod.ts'
import type { Diagnosis, Nominating, PostFilterResult, Preemption, ReviewCandidates } from './post-filter.ts'
import type { PluginStatus } from './status.ts'

export interface NodeScores {
  readonly node: string
  readonly total: number
  /** Weighted and normalized scores by plugin. Skipped plugins are absent. */
  readonly plugins: Readonly<Record<string, number>>
}

export type CycleResult =
  | {
      readonly kind: 'placed'
      readonly node: string
      /** The number of evaluated nodes, and of feasible nodes among them. */
      readonly evaluated: number
      readonly feasible: number
      readonly states: CycleStates
    }
  | {
      readonly kind: 'unschedulable'
      /** The message of the FailedScheduling event and the PodScheduled condition. */
      readonly message: string
      /** Absent when the cluster has no nodes. */
      readonly diagnosis?: Diagnosis
      readonly unschedulablePlugins: ReadonlySet<string>
      readonly pendingPlugins: ReadonlySet<string>
      readonly nominating: Nominating
      readonly preemption?: Preemption
      /** The plugin that selected the victims. */
      readonly preemptedBy?: string
      /** Writes of PostFilter. */
      readonly calls?: readonly Call[]
      /** The message of PostFilter alone, without the reasons of the filters. */
      readonly postFilterMessage?: string
      /** Equal pods get the same result until the cluster changes. */
      readonly isRepeatable?: true
    }
  | { readonly kind: 'error'; readonly message: string; readonly nominating: Nominating }

/** PreFilter states by plugin, for Reserve, Permit, PreBind and PostBind of the placed pod. */
export interface CycleStates {
  get(plugin: AnyPlugin): unknown
}

/** The input of a cycle besides the pod. */
export interface CycleInput {
  readonly objects: ObjectReader
  readonly random: Random
  readonly reviewCandidates?: ReviewCandidates
  /** Set if extenders filter or score: a profile without scores then still needs more than one feasible node. */
  readonly extended?: boolean
  /** The only nodes that the cycle may select; plugins see all. Absent: all nodes. */
  readonly placement?: ReadonlySet<string>
  /** PostFilter does not run, and this is its result. */
  readonly skippedPostFilter?: PostFilterResult
}

/** Runs cycles of one profile on one cache, and reuses what it can from pod to pod. */
export interface Scheduling {
  /** Runs the whole cycle up to and including PostFilter. Changes neither the cache nor the nominator. */
  schedule(pod: ParsedPod, input: CycleInput): CycleResult
  /** Runs the cycle in two halves, for extenders, which are called between them. */
  begin(pod: ParsedPod, input: CycleInput): ScheduleHalves
  /** Computes the first rejection or the scores of every node with the plain evaluator, for explanations. */
  explain(pod: ParsedPod, input: CycleInput): Explanation
}

export interface ScheduleHalves {
  /** Names of the feasible nodes in the order of evaluation, or the result when the filters end the cycle. */
  readonly filtered: readonly string[] | CycleResult
  /** Removes a node that an extender rejected. Without a status the node counts as not evaluated. */
  refuse(node: string, status?: PluginStatus): void
  /**
   * Set when only the nominated node was evaluated. After extenders rejected it, evaluates all nodes, including that
   * one.
   */
  readonly widen?: () => readonly string[] | CycleResult
  /** The weighted totals of the remaining nodes; undefined when a single node remains and needs no score. */
  score(): readonly NodeScores[] | undefined
  /** Adds the score of an extender, already scaled and weighted. */
  addScore(node: string, extender: string, score: number): void
  /** Selects the node, or runs PostFilter when no node remains. */
  finish(): CycleResult
}

export interface Explanation {
  readonly feasible: readonly string[]
  /** Nodes with the first filter that rejected them or failed. A failure would end a real cycle. */
  readonly rejected: ReadonlyMap<string, PluginStatus>
  readonly scores: readonly NodeScores[]
  readonly preFilter?: PluginStatus
  readonly preFilterNodes?: ReadonlySet<string>
  /** The FailedScheduling message without the part of PostFilter; absent when a node is feasible. */
  readonly message?: string
}
