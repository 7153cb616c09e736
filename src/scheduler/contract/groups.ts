import type { CompositePodGroup, PodGroup } from '../../api/objects/groups.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'

/** The pods of pod groups, as the GangScheduling plugin sees them. A group is named `namespace/name`. */
export interface GroupReader {
  /**
   * The number of known pods of the group, and the number of them that are assumed or bound; undefined if no pod is
   * known.
   */
  counts(group: string): { readonly all: number; readonly scheduled: number } | undefined
}

/**
 * The features of pod groups that feature gates enable (pkg/features). In v1.37, GenericWorkload alone enables the
 * first two.
 */
export interface GroupFeatures {
  /** GangScheduling: gangs wait until enough of their pods exist and fit. */
  readonly gangs: boolean
  /** WorkloadAwarePreemption: a group preempts as a whole. */
  readonly preempts: boolean
  /** A pod that preempts a pod of a group that is disrupted as a whole preempts all pods of the group (v1.37). */
  readonly leavesTogether: boolean
  /** TopologyAwareWorkloadScheduling: a group is placed in one topology domain. */
  readonly placesByTopology: boolean
  /** CompositePodGroup (v1.37): groups have parents, and a whole hierarchy is scheduled together. */
  readonly composes: boolean
}

/** A pod group, or a composite one with other groups as children. */
export type GroupNode =
  | { readonly kind: 'podgroup'; readonly id: string; readonly key: string; readonly object: PodGroup }
  | {
      readonly kind: 'compositepodgroup'
      /** `kind/namespace/name` */
      readonly id: string
      /** `namespace/name` */
      readonly key: string
      readonly object: CompositePodGroup
    }

/** The hierarchies of pod groups. A group whose ancestor does not exist has no root. */
export interface GroupHierarchies {
  rootOfPod(pod: Pod): GroupNode | undefined
  /** The root of a group by its id. */
  rootOf(id: string): GroupNode | undefined
  get(id: string): GroupNode | undefined
  /** The group with this id and its ancestors, as far as they exist. */
  lineageOf(id: string): readonly GroupNode[]
  /** The children that exist, in the order of their creation. */
  childrenOf(group: GroupNode): readonly GroupNode[]
}

/**
 * The number of levels of a hierarchy that preemption and topology constraints read (v1.37, WorkloadMaxTreeDepth). Pods
 * of a hierarchy that exceeds it by more than one level are not queued.
 */
export const deepestHierarchy = 4

export function groupId(kind: GroupNode['kind'], key: string): string {
  return `${kind}/${key}`
}

/** The number of pods, or of child groups of a composite group, that must be scheduled together. */
export function minCountOf(group: GroupNode): number {
  return group.kind === 'podgroup'
    ? (group.object.spec.schedulingPolicy?.gang?.minCount ?? 1)
    : (group.object.spec.schedulingPolicy?.gang?.minGroupCount ?? 1)
}

/** Undefined: pod groups are disabled, or the release does not have this kind of pod groups. */
export function groupFeaturesOf({ minor, gates }: KubernetesRelease): GroupFeatures | undefined {
  if (!gates.has('GenericWorkload') || minor === '1.34' || minor === '1.35') return undefined
  const is136 = minor === '1.36'
  return {
    gangs: !is136 || gates.has('GangScheduling'),
    preempts: !is136 || gates.has('WorkloadAwarePreemption'),
    leavesTogether: !is136,
    placesByTopology: gates.has('TopologyAwareWorkloadScheduling'),
    composes: !is136 && gates.has('CompositePodGroup'),
  }
}
