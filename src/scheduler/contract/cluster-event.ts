/** Cluster events, with upstream's names and bits (v1.36, kube-scheduler framework, ActionType). */
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
  UpdatePodToleration: 1 << 10,
  UpdatePodSchedulingGatesEliminated: 1 << 11,
  UpdatePodGeneratedResourceClaim: 1 << 12,
  All: (1 << 13) - 1,
  Update: ((1 << 13) - 1) & ~0b11,
} as const

export type EventResource =
  | 'Pod'
  | 'AssignedPod'
  | 'UnschedulablePod'
  | 'Node'
  | 'PersistentVolume'
  | 'PersistentVolumeClaim'
  | 'storage.k8s.io/CSINode'
  | 'storage.k8s.io/CSIDriver'
  | 'storage.k8s.io/CSIStorageCapacity'
  | 'storage.k8s.io/StorageClass'
  | 'storage.k8s.io/VolumeAttachment'
  | '*'

export interface ClusterEvent {
  readonly resource: EventResource
  /** One or several bits of ActionType. */
  readonly action: number
  /** The name of special events in logs and metrics: UnschedulableTimeout, ForceActivate. */
  readonly label?: string
}
