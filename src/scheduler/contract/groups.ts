import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'

/** The pods of pod groups, as the GangScheduling plugin sees them. A group is named `namespace/name`. */
export interface GroupReader {
  /** The number of pods that the scheduler knows, and of those that are assumed or bound; undefined: no pod is known. */
  counts(group: string): { readonly all: number; readonly scheduled: number } | undefined
}

/** What the gates of pod groups turn on (pkg/features). In v1.37, GenericWorkload alone turns on the first two. */
export interface GroupFeatures {
  /** GangScheduling: gangs wait until enough of their pods exist and fit. */
  readonly gangs: boolean
  /** WorkloadAwarePreemption: a group preempts as a whole. */
  readonly preempts: boolean
  /** TopologyAwareWorkloadScheduling: a group is placed in one topology domain. */
  readonly placesByTopology: boolean
}

/** Undefined: pod groups are off, or the release has none of this kind. */
export function groupFeaturesOf({ minor, gates }: KubernetesRelease): GroupFeatures | undefined {
  if (!gates.has('GenericWorkload') || minor === '1.34' || minor === '1.35') return undefined
  const is136 = minor === '1.36'
  return {
    gangs: !is136 || gates.has('GangScheduling'),
    preempts: !is136 || gates.has('WorkloadAwarePreemption'),
    placesByTopology: gates.has('TopologyAwareWorkloadScheduling'),
  }
}
