import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'

/**
 * Cluster events, with upstream's names and in its order (v1.37, kube-scheduler framework, ActionType). Releases that
 * lack an action never send it.
 */
export const ActionType = {
  Add: 1 << 0,
  Delete: 1 << 1,
  UpdateNodeAllocatable: 1 << 2,
  UpdateNodeLabel: 1 << 3,
  /** A change of the node's taints, or of spec.unschedulable to false. */
  UpdateNodeTaint: 1 << 4,
  UpdateNodeCondition: 1 << 5,
  UpdateNodeAnnotation: 1 << 6,
  UpdateNodeDeclaredFeature: 1 << 7,
  UpdatePodLabel: 1 << 8,
  UpdatePodScaleDown: 1 << 9,
  UpdatePodScaleUp: 1 << 10,
  UpdatePodToleration: 1 << 11,
  UpdatePodSchedulingGatesEliminated: 1 << 12,
  UpdatePodGeneratedResourceClaim: 1 << 13,
  All: (1 << 14) - 1,
  Update: ((1 << 14) - 1) & ~0b11,
} as const

export type EventResource =
  | 'Pod'
  | 'AssignedPod'
  /** A pending pod, up to v1.36. */
  | 'UnschedulablePod'
  /** A pending pod, from v1.37 on. */
  | 'UnscheduledPod'
  /** The pending pod that waits for the event itself, from v1.37 on. */
  | 'TargetPod'
  | 'Node'
  | 'PersistentVolume'
  | 'PersistentVolumeClaim'
  | 'storage.k8s.io/CSINode'
  | 'storage.k8s.io/CSIDriver'
  | 'storage.k8s.io/CSIStorageCapacity'
  | 'storage.k8s.io/StorageClass'
  | 'storage.k8s.io/VolumeAttachment'
  | 'scheduling.k8s.io/PodGroup'
  | 'scheduling.k8s.io/CompositePodGroup'
  | 'resource.k8s.io/ResourceClaim'
  | 'resource.k8s.io/ResourceSlice'
  | 'resource.k8s.io/DeviceClass'
  | '*'

/** The resource of changes of a pod on a node that a plugin registers for: `Pod` covers all pods up to v1.36. */
export function assignedPod({ changes }: KubernetesRelease): EventResource {
  return changes.has('TargetPodEvents') ? 'AssignedPod' : 'Pod'
}

/** The resource of changes of the rejected pod itself that a plugin registers for. */
export function targetPod({ changes }: KubernetesRelease): EventResource {
  return changes.has('TargetPodEvents') ? 'TargetPod' : 'Pod'
}

export interface ClusterEvent {
  readonly resource: EventResource
  /** One or several bits of ActionType. */
  readonly action: number
  /** The name of special events in logs and metrics: UnschedulableTimeout, ForceActivate. */
  readonly label?: string
}
