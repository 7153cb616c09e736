import type { PodState } from '../../api/pod-state.ts'
import type { TraceLine } from '../facts/fact.ts'

/**
 * The answer to a question, as data: what `-o json` prints, `berth diff` compares and every other output is made from. Times
 * are seconds since the beginning.
 */
export interface Forecast {
  readonly apiVersion: 'berth.dev/v1alpha1'
  readonly kind: 'Forecast'
  readonly berth: string
  readonly kubernetes: string
  readonly question: string
  readonly seed: string
  /** The instant of second 0. */
  readonly start: string
  /** How far it looks. */
  readonly seconds: number
  /** Somebody stopped it before that; it tells of the time up to `seconds`. */
  readonly interrupted: boolean
  readonly before: ClusterCount
  readonly after: ClusterCount
  readonly answer: Answer
  readonly notes: readonly Note[]
  readonly loops: readonly Loop[]
  readonly expectations: readonly ExpectationResult[]
  /** Every pod that anything happened to. */
  readonly pods: readonly PodEntry[]
  readonly nodes: readonly NodeEntry[]
  readonly budgets: readonly BudgetEntry[]
  /** Where nodes were drained: in which order, and what kept those that are not empty. */
  readonly drains?: DrainReport
  /** Where other seeds were tried. */
  readonly seeds?: SeedRange
  readonly series: Series
  readonly timeline: readonly TraceLine[]
}

export interface ClusterCount {
  readonly nodes: number
  readonly nodesReady: number
  readonly pods: Readonly<Record<PodState, number>>
  /** In thousandths of a core. */
  readonly cpu: Use
  /** In bytes. */
  readonly memory: Use
  /** How many more pods of the mean size, without tolerations, fit on nodes that take pods. */
  readonly room: number
  /** The share of such pods that would fit into what is free in all, but on no single node. */
  readonly fragmentation: number
}

/** Requests against what nodes have to give. */
export interface Use {
  readonly requested: number
  readonly allocatable: number
}

export interface Answer {
  /** The first five lines of the report. */
  readonly lines: readonly string[]
  readonly deleted: number
  /** Pods whose deletion had begun before; they are not among the deleted. */
  readonly deletedBefore: number
  readonly causes: Readonly<Record<string, number>>
  readonly firstDeletion?: number
  readonly lastDeletion?: number
  readonly replaced: number
  /** Deleted, and nobody makes another. */
  readonly lost: number
  readonly landed: readonly { readonly node: string; readonly pods: number }[]
  /** Pods without a node at the end that were not so before. */
  readonly pending: number
  readonly pendingBefore: number
  readonly budgetsBroken: readonly string[]
  /** Since when everything that should run does; absent: not within the time looked at. */
  readonly wellAgain?: number
}

export interface Note {
  readonly kind: 'missing' | 'assumed' | 'uncertain' | 'blocked'
  readonly text: string
}

export interface Loop {
  readonly kind: 'place-evict' | 'preemption' | 'unsettled'
  readonly text: string
  readonly times: number
  readonly since: number
}

export interface ExpectationResult {
  readonly path: string
  readonly kind: string
  readonly holds: boolean
  /** The first violation. */
  readonly violation?: { readonly seconds: number; readonly text: string }
}

export interface PodEntry {
  readonly pod: string
  readonly group?: string
  readonly owner?: string
  readonly priority: number
  readonly isNew: boolean
  readonly from?: string
  readonly created?: number
  readonly bound?: number
  readonly node?: string
  readonly started?: number
  readonly notReady?: number
  readonly readyAgain?: number
  readonly deleted?: number
  readonly cause?: string
  readonly gone?: number
  readonly ended?: string
  /** It waits at the end, and why. */
  readonly pending?: string
  /** The pod that took its place: the next one of its workload. */
  readonly replacement?: string
}

export interface NodeEntry {
  readonly node: string
  readonly zone?: string
  readonly isReady: boolean
  readonly isCordoned: boolean
  readonly taints: readonly string[]
  readonly podCIDR?: string
  readonly pods: number
  readonly cpu: Use
  readonly memory: Use
  readonly state: 'kept' | 'added' | 'removed'
  /** How it was at the beginning, where it was there. */
  readonly before?: { readonly isReady: boolean; readonly isCordoned: boolean; readonly taints: readonly string[] }
}

export interface BudgetEntry {
  readonly budget: string
  readonly from: number
  readonly until?: number
  readonly healthy: number
  readonly desired: number
  readonly before: boolean
}

export interface DrainReport {
  readonly drained: readonly { readonly node: string; readonly from: number; readonly until: number }[]
  readonly open: readonly string[]
  readonly blocked: readonly {
    readonly node: string
    readonly pod: string
    readonly since: number
    readonly why: string
  }[]
}

/** What is the same whatever lots are drawn, and what is not. */
export interface SeedRange {
  readonly runs: number
  /** From the least to the most. */
  readonly deleted: readonly [number, number]
  readonly pending: readonly [number, number]
  /** Absent: in some run not within the time looked at. */
  readonly wellAgain?: readonly [number, number]
  /** Kinds of facts that are the same in every run, out of how many. */
  readonly certain: number
  readonly facts: number
  /** Topics of which every fact is the same in every run, and those of which some are not. */
  readonly sure: readonly string[]
  readonly open: readonly string[]
  /** Those that are not, the most varied first. */
  readonly varying: readonly { readonly fact: string; readonly times: readonly [number, number] }[]
}

/** Columns of equal length; each row is an instant at which something changed. */
export interface Series {
  readonly seconds: readonly number[]
  readonly pending: readonly number[]
  readonly running: readonly number[]
  readonly notReady: readonly number[]
  readonly terminating: readonly number[]
  readonly disrupted: readonly number[]
  readonly nodesReady: readonly number[]
  readonly cpuMilli: readonly number[]
  readonly memoryBytes: readonly number[]
}
