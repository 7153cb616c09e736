/** One resource of a snapshot, and what a forecast cannot tell without it. */
export interface SnapshotResource {
  readonly resource: string
  readonly kind: string
  /** Where only some namespaces matter. */
  readonly namespace?: string
  /** What its absence means; absent: nothing that a reader must know. */
  readonly without?: string
}

/** What a snapshot holds, in the order in which it is read. Secrets, ConfigMaps and events are never asked for. */
export const snapshotResources: readonly SnapshotResource[] = [
  { resource: 'namespaces', kind: 'Namespace', without: 'namespace selectors of affinity terms match nothing' },
  { resource: 'nodes', kind: 'Node', without: 'there is nothing to forecast' },
  {
    resource: 'priorityclasses.scheduling.k8s.io',
    kind: 'PriorityClass',
    without: 'priorities are those that pods have; a class that no pod uses is not known',
  },
  {
    resource: 'leases.coordination.k8s.io',
    kind: 'Lease',
    namespace: 'kube-node-lease',
    without:
      'when a node was last heard of is assumed, so silence may be noticed up to one renewal interval earlier or later',
  },
  {
    resource: 'deployments.apps',
    kind: 'Deployment',
    without: 'rollouts and scaling of Deployments are not followed',
  },
  { resource: 'replicasets.apps', kind: 'ReplicaSet', without: 'deleted pods of ReplicaSets do not come back' },
  { resource: 'statefulsets.apps', kind: 'StatefulSet', without: 'deleted pods of StatefulSets do not come back' },
  { resource: 'daemonsets.apps', kind: 'DaemonSet', without: 'new nodes get no pods of DaemonSets' },
  { resource: 'jobs.batch', kind: 'Job', without: 'deleted pods of Jobs do not come back' },
  { resource: 'cronjobs.batch', kind: 'CronJob' },
  { resource: 'replicationcontrollers', kind: 'ReplicationController' },
  { resource: 'controllerrevisions.apps', kind: 'ControllerRevision' },
  {
    resource: 'poddisruptionbudgets.policy',
    kind: 'PodDisruptionBudget',
    without: 'no disruption budget holds anything up: drains and preemption may be slower in fact',
  },
  {
    resource: 'persistentvolumes',
    kind: 'PersistentVolume',
    without: 'pods with volumes are placed as if none bound them',
  },
  { resource: 'persistentvolumeclaims', kind: 'PersistentVolumeClaim', without: 'pods with claims stay pending' },
  { resource: 'storageclasses.storage.k8s.io', kind: 'StorageClass' },
  { resource: 'csinodes.storage.k8s.io', kind: 'CSINode', without: 'limits on volumes of a node are not known' },
  { resource: 'csidrivers.storage.k8s.io', kind: 'CSIDriver' },
  { resource: 'csistoragecapacities.storage.k8s.io', kind: 'CSIStorageCapacity' },
  { resource: 'volumeattachments.storage.k8s.io', kind: 'VolumeAttachment' },
  { resource: 'services', kind: 'Service' },
  { resource: 'pods', kind: 'Pod', without: 'there is nothing to forecast' },
]

export const snapshotApiVersion = 'berth.dev/v1alpha1'

/** The first line of a snapshot. */
export interface SnapshotHeader {
  readonly apiVersion: string
  readonly kind: 'Snapshot'
  readonly takenAt: string
  readonly berth: string
  readonly redacted: boolean
}

/** The last line: without it a snapshot is incomplete. */
export interface SnapshotEnd {
  readonly kind: 'SnapshotEnd'
  readonly counts: Readonly<Record<string, number>>
  /** Resources that could not be read, and why. */
  readonly missing: Readonly<Record<string, string>>
}
