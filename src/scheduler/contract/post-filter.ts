import type { Call } from '../../api/call.ts'
import type { PodGroup } from '../../api/objects/groups.ts'
import type { Random } from '../../base/random.ts'
import type { ClusterState, Nominator } from './cluster-state.ts'
import type { NodeState } from './node-state.ts'
import type { ParsedPod } from './parsed-pod.ts'
import type { PluginStatus } from './status.ts'

/** The reasons why no node fits. Statuses of single nodes are computed on request, and only until the cache changes. */
export interface Diagnosis {
  readonly totalNodes: number
  /** Plugins that returned Unschedulable or UnschedulableAndUnresolvable. */
  readonly unschedulablePlugins: ReadonlySet<string>
  readonly pendingPlugins: ReadonlySet<string>
  /** Set when a PreFilter plugin rejected the pod for all nodes. */
  readonly preFilter?: PluginStatus
  /** The nodes that PreFilter plugins left, when they narrowed the nodes. */
  readonly preFilterNodes?: ReadonlySet<string>
  /** The status of a node; for a node that was not evaluated, `absent`. */
  statusOf(node: string): PluginStatus
  /** Evaluated and rejected nodes, each with the status of the first plugin that rejected it. */
  rejected(): ReadonlyMap<string, PluginStatus>
  /** The number of nodes with each status. */
  histogram(): readonly { readonly status: PluginStatus; readonly nodes: number }[]
  /** The status of nodes that were not evaluated. */
  readonly absent: PluginStatus
}

export interface Victims {
  readonly node: string
  /** Most important first. */
  readonly pods: readonly ParsedPod[]
  readonly budgetViolations: number
}

/** The decision of preemption. The scheduler shell executes it. */
export interface Preemption {
  readonly victims: Victims
  /** Pods of lower priority that are nominated to the node. Their nominations must be cleared. */
  readonly displaced: readonly ParsedPod[]
}

/** `keep`: leave the nomination unchanged. `set`: nominate this node. `clear`: remove the nomination. */
export type Nominating =
  | { readonly kind: 'keep' }
  | { readonly kind: 'clear' }
  | { readonly kind: 'set'; readonly node: string }

export const keepNomination: Nominating = { kind: 'keep' }
export const clearNomination: Nominating = { kind: 'clear' }

export interface PostFilterResult {
  readonly status: PluginStatus
  readonly nominating: Nominating
  readonly preemption?: Preemption
  /** Set by the framework: the plugin whose result this is. */
  readonly plugin?: string
  /** Writes that may make the pod schedulable. Their outcomes are ignored. */
  readonly calls?: readonly Call[]
  /** Equal pods get the same result until the cluster changes, and no random choice was made for it. */
  readonly isRepeatable?: true
}

export interface PostFilterContext {
  readonly cluster: ClusterState
  readonly random: Random
  readonly nominator: Nominator
  /** Reports whether PreFilter of a plugin ran. The first plugin that rejects the pod for all nodes ends PreFilter. */
  preFilterRan(plugin: string): boolean
  /** Copies a node to try it with other pods. */
  tryOn(node: NodeState): Trial
  /** Set when an answer per node can be kept from pod to pod: no filter reads anything beyond the node. */
  readonly memory?: NodeMemory
  /** Absent: every pod is preempted individually. */
  readonly groups?: VictimGroups
  /** Extenders may review the candidates. A string is the error of an extender. */
  readonly reviewCandidates?: ReviewCandidates
}

/** A pod of a group that does not fit, with the observations of a plugin about it. */
export interface GroupMember<Seen = unknown> {
  readonly pod: ParsedPod
  readonly seen: Seen
}

export interface GroupPostFilterContext {
  readonly group: PodGroup
  /** Pods of the group that were assumed or bound before this cycle. */
  readonly hasScheduledPods: boolean
  readonly cluster: ClusterState
  readonly random: Random
}

/** The actions of a plugin for a pod group that does not fit (v1.37, PodGroupPostFilter). */
export interface GroupPostFilter {
  appliesTo(group: PodGroup, features: { readonly placesByTopology: boolean }): boolean
  /**
   * Reads a pod after its cycle, while the pods before it are assumed. `rejectedBy` is the plugin that rejected a node.
   * It is not called for a pod whose PreFilter ended before the plugin.
   */
  observe(pod: ParsedPod, rejectedBy: (node: string) => string | undefined, cluster: ClusterState): unknown
  conclude(
    members: readonly GroupMember[],
    context: GroupPostFilterContext,
  ): { readonly status: PluginStatus; readonly calls: readonly Call[] }
}

/** Returns the remaining candidates with their remaining victims, or an error message. */
export type ReviewCandidates = (candidates: readonly Victims[]) => readonly Victims[] | string

/** A pod that preemption may remove, and its node. Undefined: the node does not exist. */
export interface VictimMember {
  readonly pod: ParsedPod
  readonly node: NodeState | undefined
}

/** The unit of pods that a pod is preempted with. */
export interface UnitOfPod {
  readonly id: string
  /** The priority of the unit, which may differ from that of the pod. */
  readonly priority: number
  readonly kind: 'pod' | 'podgroup' | 'compositepodgroup'
}

/** The units of preemption: a single pod, or the pods of a group that is disrupted as a whole. */
export interface VictimGroups {
  unitOf(pod: ParsedPod): UnitOfPod
  /** All pods of the unit of a pod on a node, on all nodes. */
  membersOf(member: VictimMember): readonly VictimMember[]
}

/** A copy of a node for trials. */
export interface Trial {
  readonly node: NodeState
  /**
   * @param elsewhere The node of the pod, if it is a different node. Only values that plugins count over all nodes
   * change then.
   */
  remove(pod: ParsedPod, elsewhere?: NodeState): void
  add(pod: ParsedPod, elsewhere?: NodeState): void
  /** Runs the filters of the profile for the pod on this node, with nominated pods as in a real cycle. */
  check(): PluginStatus
}

/**
 * Lets a PostFilter plugin keep an answer per node for all pods that share an evaluation. The object is the same for
 * those pods, so a plugin can use it as the key of what it keeps.
 */
export interface NodeMemory {
  /** Increases with every change of a PodDisruptionBudget. */
  readonly budgetsVersion: number
  /** The rows of all nodes. */
  rows(): Iterable<number>
  /** The status of the filters for a row; `ok` when the node is feasible or deleted. */
  statusOf(row: number): PluginStatus
  /** The lowest priority of the pods on the node of a row; Infinity when it has no pods. */
  lowestPriority(row: number): number
  /** Returns one object for equal rejections. */
  intern(status: PluginStatus): PluginStatus
  /** Sets the listener for rows whose status, pods or nominated pods may have changed. */
  onChange(listener: (row: number) => void): void
}
