import type { Call, Outcome } from '../../api/call.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { editDistance } from '../../base/edit-distance.ts'
import type { ClusterEvent } from './cluster-event.ts'
import type { ClusterState, ObjectReader } from './cluster-state.ts'
import type { NodeState } from './node-state.ts'
import type { ParsedPod } from './parsed-pod.ts'
import type { Diagnosis, GroupPostFilter, PostFilterContext, PostFilterResult } from './post-filter.ts'
import type { PluginStatus } from './status.ts'

export type { ClusterEvent, EventResource } from './cluster-event.ts'
export { ActionType, assignedPod, targetPod } from './cluster-event.ts'
export type { ClusterState, Nominator, ObjectReader } from './cluster-state.ts'
export type { NodeState, TrialNode } from './node-state.ts'
export type {
  AffinityTerm,
  HostPort,
  ParsedPod,
  PodParser,
  PodShape,
  ResourceAmounts,
  WeightedAffinityTerm,
} from './parsed-pod.ts'
export { isAssigned, onNode } from './parsed-pod.ts'
export type {
  Diagnosis,
  GroupMember,
  GroupPostFilter,
  GroupPostFilterContext,
  NodeMemory,
  Nominating,
  PostFilterContext,
  PostFilterResult,
  Preemption,
  ReviewCandidates,
  Trial,
  UnitOfPod,
  VictimGroups,
  VictimMember,
  Victims,
} from './post-filter.ts'
export { clearNomination, keepNomination } from './post-filter.ts'
export type {
  CycleInput,
  CycleResult,
  CycleStates,
  Explanation,
  NodeScores,
  ScheduleHalves,
  Scheduling,
} from './scheduling.ts'
export type { PluginStatus, StatusCode } from './status.ts'
export { failure, isRejected, messageOf, ok, pending, skip, unresolvable, unschedulable } from './status.ts'

/** The answer of PreFilter: the state for Filter, and the nodes to evaluate. */
export interface PreFiltered<F> {
  readonly state: F
  /** Node names; absent: all nodes. */
  readonly nodes?: ReadonlySet<string>
}

export interface WakeRule {
  readonly on: ClusterEvent
  /** Reports whether the change may make this rejected pod schedulable. Absent: it may. */
  readonly hint?: (pod: Pod, change: WakeChange, objects: ObjectReader) => boolean
  /**
   * Set if the hint is true only for pods that wait for the changed object. The hint is not evaluated for other pods.
   */
  readonly awaits?: AwaitedObjects
}

/** The objects that rejected pods wait for, by name. */
export interface AwaitedObjects {
  ofPod(pod: Pod): readonly string[]
  /**
   * The name of the object that pods wait for and that the change concerns; undefined: the change may concern all pods.
   */
  ofChange(change: WakeChange): string | undefined
}

/** `before` is absent for an addition, `after` for a deletion. */
export interface WakeChange<T extends KubeObject = KubeObject> {
  readonly before?: T
  readonly after?: T
}

/** A queued pod as QueueSort plugins see it. */
export interface SortedPod {
  readonly parsed: ParsedPod
  /** The time at which the pod was last added to the queue, in milliseconds since the epoch. */
  readonly queuedAt: number
}

/** The input of PreBind, which is called when binding starts and again after each change or outcome until it is done. */
export interface PreBindTurn {
  readonly objects: ObjectReader
  readonly now: number
  /** Outcomes of the calls that earlier turns returned, in order. Each outcome is passed once. */
  readonly outcomes: readonly { readonly call: Call; readonly outcome: Outcome }[]
}

export type PreBindProgress = { readonly notes?: readonly PreBindNote[] } & (
  | { readonly kind: 'done' }
  | { readonly kind: 'waiting'; readonly calls?: readonly Call[]; readonly deadlineAt?: number }
  | { readonly kind: 'failed'; readonly status: PluginStatus }
)

/** A note of PreBind besides its progress: a Normal event of the pod, or a value for a metric. */
export type PreBindNote =
  | { readonly kind: 'event'; readonly reason: string; readonly action: string; readonly message: string }
  | { readonly kind: 'claimCreated'; readonly succeeded: boolean }
  | {
      readonly kind: 'bindingConditions'
      readonly status: 'success' | 'failure' | 'timeout' | 'error'
      readonly durationMs: number
      /** The driver of each device, and of each device with binding conditions. */
      readonly drivers: readonly string[]
      readonly conditionalDrivers: readonly string[]
    }

export type PermitAnswer =
  | PluginStatus
  | { readonly code: 'Wait'; readonly reasons: readonly string[]; readonly timeoutMs: number }

/**
 * Properties of a node: `taints` includes spec.unschedulable, `name` includes all labels, `labels` lists label keys.
 */
export type NodeFacts = 'taints' | 'declaredFeatures' | 'name' | { readonly labels: readonly string[] }

/**
 * A plugin is a value. `F` is the state that PreFilter creates for this plugin and pod, `S` the state that PreScore
 * creates. Both are inferred, and other plugins cannot read them. The state is the last argument, so plugins without
 * state can omit it.
 */
export interface Plugin<F = unknown, S = unknown> {
  readonly name: string
  /** Not ok: the pod stays out of the active queue until a wake rule of this plugin applies. */
  readonly preEnqueue?: (pod: Pod, objects: ObjectReader) => PluginStatus
  /** Reports whether `a` is scheduled before `b`. Exactly one plugin of a profile has it. */
  readonly queueSort?: (a: SortedPod, b: SortedPod) => boolean
  /** `skip` omits this plugin's Filter for this pod. A rejection rejects the pod for all nodes. */
  readonly preFilter?: (pod: ParsedPod, cluster: ClusterState) => PreFiltered<F> | PluginStatus
  /** The error of Filter in a profile that has Filter without PreFilter. Absent: PreFilter runs in any case. */
  readonly withoutPreFilter?: string
  /** Runs once per node in the order of the profile. The first status that is not ok rejects the node. */
  readonly filter?: (pod: ParsedPod, node: NodeState, state: F) => PluginStatus
  /** Update the PreFilter state for a pod that is added to or removed from a node (nominated pods, preemption). */
  readonly preFilterAddPod?: (pod: ParsedPod, added: ParsedPod, node: NodeState, state: F) => void
  readonly preFilterRemovePod?: (pod: ParsedPod, removed: ParsedPod, node: NodeState, state: F) => void
  /** Required with the two above, which change only the copy. */
  readonly cloneState?: (state: F) => F
  /** Runs when no node is feasible. The first result that is not unschedulable ends PostFilter. */
  readonly postFilter?: (pod: ParsedPod, diagnosis: Diagnosis, cycle: PostFilterContext) => PostFilterResult
  /** Set for plugins that act when a pod group does not fit. */
  readonly groupPostFilter?: GroupPostFilter
  readonly preScore?: (
    pod: ParsedPod,
    nodes: readonly NodeState[],
    cluster: ClusterState,
  ) => { readonly state: S } | PluginStatus
  /** The error of Score in a profile that has Score without PreScore. Absent: PreScore runs in any case. */
  readonly withoutPreScore?: string
  /** An integer; from 0 to 100 unless the plugin has `normalize`. */
  readonly score?: (pod: ParsedPod, node: NodeState, state: S) => number
  /** Scores the nodes that the pods of a group would get together, from 0 to 100. */
  readonly scorePlacement?: (pods: readonly ParsedPod[], nodes: readonly NodeState[]) => number
  /** Normalizes the scores of all feasible nodes in place to 0 … 100. `nodes[i]` is the node of `scores[i]`. */
  readonly normalize?: (scores: Float64Array, nodes: readonly NodeState[], pod: ParsedPod, state: S) => void
  /** Runs after the pod is assumed. Not ok: all reservations are undone in reverse order. */
  readonly reserve?: (pod: ParsedPod, node: string, state: F | undefined, cluster: ClusterState) => PluginStatus
  /** Must have no effect when `reserve` has not run. May return calls that undo writes; their outcomes are ignored. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most plugins return nothing
  readonly unreserve?: (pod: ParsedPod, node: string, state: F | undefined) => readonly Call[] | undefined | void
  readonly permit?: (pod: ParsedPod, node: string, state: F | undefined) => PermitAnswer
  /** `ok`: `preBind` takes time, so the node is nominated first. `skip`: `preBind` has nothing to do. */
  readonly preBindPreFlight?: (pod: ParsedPod, node: string, state: F | undefined) => PluginStatus
  readonly preBind?: (pod: ParsedPod, node: string, state: F | undefined, turn: PreBindTurn) => PreBindProgress
  /** Returns the call that binds the pod; `binding` for the default call. `skip` passes to the next Bind plugin. */
  readonly bind?: (pod: ParsedPod, node: string) => Call | PluginStatus | 'binding'
  readonly postBind?: (pod: ParsedPod, node: string, state: F | undefined) => void
  /** The changes that may make a rejected pod schedulable. Absent: all changes. */
  readonly wakeOn?: readonly WakeRule[]
  /**
   * Declares that Filter and Score depend only on the pod's spec and on these properties of the node. They then run
   * once for all nodes that have the same properties. PreFilter and PreScore must depend only on the pod's spec, and
   * Normalize only on the scores.
   */
  readonly reads?: NodeFacts | ((pod: ParsedPod) => NodeFacts)
}

// biome-ignore lint/suspicious/noExplicitAny: only the plugin knows the types of its states
export type AnyPlugin = Plugin<any, any>

const pluginMembers: Readonly<Record<keyof AnyPlugin, true>> = {
  name: true,
  preEnqueue: true,
  queueSort: true,
  preFilter: true,
  withoutPreFilter: true,
  filter: true,
  preFilterAddPod: true,
  preFilterRemovePod: true,
  cloneState: true,
  postFilter: true,
  groupPostFilter: true,
  preScore: true,
  withoutPreScore: true,
  score: true,
  scorePlacement: true,
  normalize: true,
  reserve: true,
  unreserve: true,
  permit: true,
  preBindPreFlight: true,
  preBind: true,
  bind: true,
  postBind: true,
  wakeOn: true,
  reads: true,
}

/** Throws if the plugin has no name or an unknown member: a misspelled extension point would never be called. */
export function definePlugin<F = undefined, S = undefined>(plugin: Plugin<F, S>): Plugin<F, S> {
  if (typeof plugin.name !== 'string' || plugin.name === '') throw new Error('definePlugin: name is missing')
  for (const member of Object.keys(plugin)) {
    if (Object.hasOwn(pluginMembers, member)) continue
    const similar = Object.keys(pluginMembers).filter((known) => editDistance(member, known) <= 2)
    const hint =
      similar.length > 0
        ? `did you mean ${similar.join(' or ')}?`
        : 'known members: '.concat(Object.keys(pluginMembers).join(', '))
    throw new Error(`plugin ${plugin.name}: unknown member ${JSON.stringify(member)}; ${hint}`)
  }
  return plugin
}

/**
 * Creates a plugin for a release from the args of its pluginConfig entry, which are validated and defaulted.
 */
export type PluginFactory = (args: unknown, release: KubernetesRelease) => AnyPlugin

/** The enabled plugins of one schedulerName by extension point, in the order in which they run. */
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
