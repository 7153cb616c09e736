import type { Call, Outcome } from '../../api/call.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { KnownResource, ObjectOf, ResourceName } from '../../api/objects/resources.ts'
import type { Random } from '../../base/random.ts'
import type { PluginColumns } from '../columns/plugin-columns.ts'
import type { DryRuns } from '../preemption/dry-runs.ts'
import type { ClusterEvent } from './cluster-event.ts'
import type { NodeState } from './node-state.ts'
import type { ParsedPod } from './parsed-pod.ts'
import type { Status } from './status.ts'

export type { ClusterEvent, EventResource } from './cluster-event.ts'
export { ActionType } from './cluster-event.ts'
export type { NodeState } from './node-state.ts'
export type {
  AffinityTerm,
  HostPort,
  ParsedPod,
  PodParser,
  PodShape,
  ResourceAmounts,
  WeightedAffinityTerm,
} from './parsed-pod.ts'
export type { Code, Status } from './status.ts'
export { failure, isRejected, messageOf, ok, pending, skip, unresolvable, unschedulable } from './status.ts'

/** Objects other than nodes and pods, by key. The runtime's View is one. */
export interface ObjectReader {
  get<R extends KnownResource>(resource: R, key: string): ObjectOf<R> | undefined
  list<R extends KnownResource>(resource: R, namespace?: string): readonly ObjectOf<R>[]
}

/** The cluster as one scheduling cycle sees it. It does not move during the cycle. */
export interface ClusterState {
  /** In upstream's order: zones in turn, and within a zone as they were added. */
  readonly nodes: readonly NodeState[]
  node(name: string): NodeState | undefined
  readonly objects: ObjectReader
  /** The nodes that have an image, with its size in bytes. */
  image(name: string): ReadonlyMap<string, number> | undefined
  /** Whether any pod on any node uses the claim (`namespace/name`). */
  claimInUse(claim: string): boolean
}

// ── Plugins ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** What PreFilter may answer: its state for Filter, and the only nodes worth looking at. */
export interface PreFiltered<F> {
  readonly state: F
  /** Names; absent: all nodes. */
  readonly nodes?: ReadonlySet<string>
}

export interface WakeRule {
  readonly on: ClusterEvent
  /** Whether the change may help this pod that the plugin rejected. Absent: it may. */
  readonly hint?: (pod: Pod, change: WakeChange, objects: ObjectReader) => boolean
}

/** `before` is absent for an addition, `after` for a deletion. */
export interface WakeChange<T extends KubeObject = KubeObject> {
  readonly before?: T
  readonly after?: T
}

export interface QueuedPod {
  readonly parsed: ParsedPod
  /** When the pod was last put into the queue, in milliseconds since the epoch. */
  readonly queuedAt: number
}

/** Called at the beginning of binding and again whenever something changed or an outcome came back, until it is done. */
export interface PreBindTurn {
  readonly objects: ObjectReader
  readonly now: number
  /** Outcomes of the calls returned by earlier turns, in order; each is handed over once. */
  readonly outcomes: readonly { readonly call: Call; readonly outcome: Outcome }[]
}

export type PreBindProgress =
  | { readonly kind: 'done' }
  | { readonly kind: 'waiting'; readonly calls?: readonly Call[]; readonly deadlineAt?: number }
  | { readonly kind: 'failed'; readonly status: Status }

export type PermitAnswer =
  | Status
  | { readonly code: 'Wait'; readonly reasons: readonly string[]; readonly timeoutMs: number }

/**
 * A plugin is a value. `F` is the state PreFilter makes for this plugin and this pod, `S` the state PreScore makes;
 * both are inferred, and no other plugin can read them. State comes last, so that plugins without any read the same.
 */
export interface Plugin<F = unknown, S = unknown> {
  readonly name: string
  /** Not ok: the pod stays out of the active queue until a wake rule of this plugin lets it try again. */
  readonly preEnqueue?: (pod: Pod, objects: ObjectReader) => Status
  /** Whether `a` is scheduled before `b`. Exactly one plugin of a profile has it. */
  readonly queueSort?: (a: QueuedPod, b: QueuedPod) => boolean
  /** `skip` leaves out this plugin's Filter for this pod; a rejection rejects the pod for all nodes. */
  readonly preFilter?: (pod: ParsedPod, cluster: ClusterState) => PreFiltered<F> | Status
  /** The error of Filter in a profile that has it without PreFilter; absent: it prepares by itself. */
  readonly withoutPreFilter?: string
  /** Run once per node, in the order of the profile; the first that is not ok rejects the node. */
  readonly filter?: (pod: ParsedPod, node: NodeState, state: F) => Status
  /** How a pod appearing on or leaving a node changes the PreFilter state: for nominated pods and preemption. */
  readonly preFilterAddPod?: (pod: ParsedPod, added: ParsedPod, node: NodeState, state: F) => void
  readonly preFilterRemovePod?: (pod: ParsedPod, removed: ParsedPod, node: NodeState, state: F) => void
  /** Needed with the two above: they change the copy only. */
  readonly cloneState?: (state: F) => F
  /** Run when no node is feasible; the first that is not unschedulable ends the round. */
  readonly postFilter?: (pod: ParsedPod, diagnosis: Diagnosis, cycle: PostFilterContext) => PostFilterResult
  readonly preScore?: (
    pod: ParsedPod,
    nodes: readonly NodeState[],
    cluster: ClusterState,
  ) => { readonly state: S } | Status
  /** The error of Score in a profile that has it without PreScore; absent: it prepares by itself. */
  readonly withoutPreScore?: string
  /** Any integer when there is `normalize`, else 0 to 100. */
  readonly score?: (pod: ParsedPod, node: NodeState, state: S) => number
  /** Changes the scores of all feasible nodes in place, to 0 … 100. `nodes[i]` is the node of `scores[i]`. */
  readonly normalize?: (scores: Float64Array, nodes: readonly NodeState[], pod: ParsedPod, state: S) => void
  /** After the pod is assumed on the node; not ok: everything reserved is unreserved in reverse order. */
  readonly reserve?: (pod: ParsedPod, node: string, state: F | undefined, cluster: ClusterState) => Status
  /** Must be harmless if `reserve` has not run. */
  readonly unreserve?: (pod: ParsedPod, node: string, state: F | undefined) => void
  readonly permit?: (pod: ParsedPod, node: string, state: F | undefined) => PermitAnswer
  /** Whether `preBind` will have work that takes time: then the node is nominated first. Absent: it will not. */
  readonly preBindPreFlight?: (pod: ParsedPod, node: string, state: F | undefined) => Status
  readonly preBind?: (pod: ParsedPod, node: string, state: F | undefined, turn: PreBindTurn) => PreBindProgress
  /** The call that binds; `binding`: the ordinary one, which the shell makes. `skip` leaves it to the next binder. */
  readonly bind?: (pod: ParsedPod, node: string) => Call | Status | 'binding'
  readonly postBind?: (pod: ParsedPod, node: string, state: F | undefined) => void
  /** Which changes may help a pod that this plugin rejected. Absent: any change may. */
  readonly wakeOn?: readonly WakeRule[]
  /**
   * How the plugin answers for all nodes at once. It must say what filter and score say, and is held to that by a
   * property test. A plugin without columns is asked about every node that the others leave, for every pod.
   */
  readonly columns?: PluginColumns
}

// biome-ignore lint/suspicious/noExplicitAny: the states of a plugin are known to that plugin only
export type AnyPlugin = Plugin<any, any>

export function definePlugin<F = undefined, S = undefined>(plugin: Plugin<F, S>): Plugin<F, S> {
  return plugin
}

/** Makes a plugin from the args of its pluginConfig entry, already validated and defaulted. */
export type PluginFactory = (args: unknown) => AnyPlugin

/** The enabled plugins of one schedulerName, per extension point in the order they run. */
export interface Profile {
  readonly schedulerName: string
  readonly preEnqueue: readonly AnyPlugin[]
  readonly queueSort: AnyPlugin
  readonly preFilter: readonly AnyPlugin[]
  readonly filter: readonly AnyPlugin[]
  readonly postFilter: readonly AnyPlugin[]
  readonly preScore: readonly AnyPlugin[]
  readonly score: readonly { readonly plugin: AnyPlugin; readonly weight: number }[]
  readonly reserve: readonly AnyPlugin[]
  readonly permit: readonly AnyPlugin[]
  readonly preBind: readonly AnyPlugin[]
  readonly bind: readonly AnyPlugin[]
  readonly postBind: readonly AnyPlugin[]
  /** 1 … 100; absent or 0: every feasible node is scored. */
  readonly percentageOfNodesToScore?: number
}

// ── Results ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Why no node would do. Per-node answers are computed when asked for, and only until the cache changes again. */
export interface Diagnosis {
  readonly totalNodes: number
  /** Plugins that said Unschedulable or UnschedulableAndUnresolvable. */
  readonly unschedulablePlugins: ReadonlySet<string>
  readonly pendingPlugins: ReadonlySet<string>
  /** Set when a PreFilter plugin rejected the pod for all nodes. */
  readonly preFilter?: Status
  /** Nodes left by PreFilter, when it narrowed them. */
  readonly preFilterNodes?: ReadonlySet<string>
  /** The answer for one node; for nodes that were not looked at, what stands for all of them. */
  statusOf(node: string): Status
  /** Nodes that were looked at and rejected, with the first plugin that said no. */
  rejected(): ReadonlyMap<string, Status>
  /** How many nodes were rejected with each status. */
  histogram(): readonly { readonly status: Status; readonly nodes: number }[]
  /** What stands for the nodes that were not looked at. */
  readonly absent: Status
}

export interface Victims {
  readonly node: string
  /** Most important first. */
  readonly pods: readonly ParsedPod[]
  readonly budgetViolations: number
}

/** What preemption decided; the shell carries it out. */
export interface Preemption {
  readonly victims: Victims
  /** Pods of lower priority nominated to the node: their nominations are to be cleared. */
  readonly displaced: readonly ParsedPod[]
}

/** `keep`: the pod's nomination stays as it is; `set`: nominate this node; `clear`: drop the nomination. */
export type Nominating =
  | { readonly kind: 'keep' }
  | { readonly kind: 'clear' }
  | { readonly kind: 'set'; readonly node: string }

export interface PostFilterResult {
  readonly status: Status
  readonly nominating: Nominating
  readonly preemption?: Preemption
}

export interface PostFilterContext {
  readonly cluster: ClusterState
  readonly random: Random
  readonly nominator: Nominator
  /** The node as it would be with other pods on it. */
  tryOn(node: NodeState): Trial
  /** What is known of preemption on each node already. Absent when that hangs on more than the node. */
  readonly dryRuns?: { readonly runs: DryRuns; readonly budgetsVersion: number }
  /** Extenders have a say in whom to evict. A text says why they could not be asked. */
  readonly reviewCandidates?: ReviewCandidates
}

/** The candidates that are left, with the victims that are left; or why there is no telling. */
export type ReviewCandidates = (candidates: readonly Victims[]) => readonly Victims[] | string

/** A copy of a node to try things out on. */
export interface Trial {
  readonly node: NodeState
  remove(pod: ParsedPod): void
  add(pod: ParsedPod): void
  /** What the profile's filters say of the pod on this node, nominated pods counted as in a real cycle. */
  check(): Status
}

export interface NodeScores {
  readonly node: string
  readonly total: number
  /** Weighted and normalised, by plugin; plugins that skipped are absent. */
  readonly plugins: Readonly<Record<string, number>>
}

export type CycleResult =
  | {
      readonly kind: 'placed'
      readonly node: string
      /** Nodes that were looked at, and how many of them would do. */
      readonly evaluated: number
      readonly feasible: number
      readonly states: CycleStates
    }
  | {
      readonly kind: 'unschedulable'
      /** What the FailedScheduling event and the PodScheduled condition say. */
      readonly message: string
      /** Absent when there is no node at all. */
      readonly diagnosis?: Diagnosis
      readonly unschedulablePlugins: ReadonlySet<string>
      readonly pendingPlugins: ReadonlySet<string>
      readonly nominating: Nominating
      readonly preemption?: Preemption
      /** The PostFilter's own words, without the reasons of the filters. */
      readonly postFilterMessage?: string
    }
  | { readonly kind: 'error'; readonly message: string; readonly nominating: Nominating }

/** PreFilter states by plugin, for Reserve, Permit, PreBind and PostBind of the placed pod. */
export interface CycleStates {
  get(plugin: AnyPlugin): unknown
}

// ── State the cycle reads ────────────────────────────────────────────────────────────────────────────────────────────

/** Where pods wait for room that is being made. Kept by the queue's side; read by the cycle. */
export interface Nominator {
  /** In the order they were nominated. */
  nominatedPodsFor(node: string): readonly ParsedPod[]
  /** Names of the nodes that have any, in no promised order but the same on every run. */
  nominatedNodes(): Iterable<string>
  /** Number of nominated pods. */
  readonly size: number
  /** The node a pod is nominated to. */
  nodeOf(uid: string): string | undefined
  /** Grows with every change. */
  readonly version: number
  /** Nodes whose nominations changed after that version; undefined when that is no longer known. */
  changedSince?(version: number): readonly string[] | undefined
}

/**
 * Nodes and the pods placed on them, in columns. Assumed pods count like bound ones. There is one thread and the
 * cycle runs to its end, so the snapshot is the cache itself: nothing may be changed between the halves of a cycle.
 */
export interface SchedulerCache {
  readonly parser: import('./parsed-pod.ts').PodParser
  addNode(node: Node): void
  updateNode(before: Node, after: Node): void
  /** Pods still counted on it keep a nameless row until they go, as upstream. */
  removeNode(node: Node): void
  /** A pod with spec.nodeName; confirms it if it was assumed. */
  addPod(pod: Pod): void
  updatePod(before: Pod, after: Pod): void
  removePod(pod: Pod): void
  /** Counts the pod on the node before the API server has heard of it. Throws if it is there already. */
  assumePod(pod: ParsedPod, node: string): ParsedPod
  /** Takes an assumed pod back. */
  forgetPod(pod: ParsedPod): void
  isAssumed(uid: string): boolean
  /** The pod as counted, whether assumed or bound. */
  getPod(uid: string): ParsedPod | undefined
  /** Must be told of every change of an object that is neither node nor pod (namespaces, services, claims, budgets…). */
  noteChange(resource: ResourceName, before: KubeObject | undefined, after: KubeObject | undefined): void
  readonly nodeCount: number
  readonly podCount: number
  hasNode(name: string): boolean
  /** The cluster for a cycle; `objects` answers for everything else. */
  cluster(objects: ObjectReader): ClusterState
  /** Grows with every change. */
  readonly version: number
}

/** What a cycle is handed besides the pod. */
export interface CycleInput {
  readonly objects: ObjectReader
  readonly random: Random
  readonly reviewCandidates?: ReviewCandidates
  /** Whether extenders filter or score: then more than one node is wanted of profiles without scores too. */
  readonly extended?: boolean
}

/** Runs cycles of one profile against one cache. Keeps what can be reused from pod to pod. */
export interface Scheduling {
  /** The whole cycle up to and including PostFilter. Changes nothing in cache or nominator. */
  schedule(pod: ParsedPod, input: CycleInput): CycleResult
  /** In halves, for extenders, which are asked between them. */
  begin(pod: ParsedPod, input: CycleInput): ScheduleHalves
  /** Every node with its first rejection or its scores, computed plainly: for explanations. */
  explain(pod: ParsedPod, input: CycleInput): Explanation
}

export interface ScheduleHalves {
  /** Names of the feasible nodes in the order they were found, or the result if filters alone settle it. */
  readonly filtered: readonly string[] | CycleResult
  /** What extenders refused, with their words; without any the node counts as one that nobody looked at. */
  refuse(node: string, status?: Status): void
  /**
   * Set when only the node that the pod is nominated to was looked at. Extenders having refused it, looks at all nodes,
   * that one included.
   */
  readonly widen?: () => readonly string[] | CycleResult
  /** Weighted totals of the nodes left; `undefined` when one node is left and needs no score. */
  score(): readonly NodeScores[] | undefined
  /** Adds what extenders gave, already scaled and weighted. */
  addScore(node: string, extender: string, score: number): void
  /** Selects the node, or runs PostFilter if none is left. */
  finish(): CycleResult
}

export interface Explanation {
  readonly feasible: readonly string[]
  /** Nodes with the first filter that objected, or that ran into an error, which ends a cycle. */
  readonly rejected: ReadonlyMap<string, Status>
  readonly scores: readonly NodeScores[]
  readonly preFilter?: Status
  readonly preFilterNodes?: ReadonlySet<string>
  /** The FailedScheduling message without PostFilter's part; absent when a node is feasible. */
  readonly message?: string
}
