import { nodeMetrics } from '../../api/node-usage.ts'
import { kwokNodeClasses, nodeClaims, nodeOverlays, nodePools } from '../../autoscalers/karpenter/names.ts'

/** One resource of a snapshot, and the effect of its absence on a forecast. */
export interface SnapshotResource {
  readonly resource: string
  readonly kind: string
  /** Absent: all namespaces. */
  readonly namespace?: string
  /** Absent: all objects. */
  readonly names?: readonly string[]
  /** The apiVersion of a custom resource. A cluster that does not serve it is complete without it. */
  readonly apiVersion?: string
  /** Set if its expressions and rules contain names of objects. Redacted snapshots omit it. */
  readonly isUnredactable?: true
  /** The effect of its absence; absent: none worth reporting. */
  readonly without?: string
}

/**
 * The dump command for everything that a forecast reads and v1.34 to v1.37 serve by default. It does not include
 * Karpenter.
 */
export const dumpCommand =
  'kubectl get nodes,pods,rs,deploy,sts,ds,job,cronjob,rc,controllerrevisions,hpa,pdb,pc,lease,ns,svc,pv,pvc,sc,csinode,csidriver,csistoragecapacity,volumeattachment,resourceclaim,resourceclaimtemplate,resourceslice,deviceclass,validatingwebhookconfigurations,mutatingwebhookconfigurations,validatingadmissionpolicies,validatingadmissionpolicybindings -A -o json'

/**
 * The dump command for the node groups of Cluster Autoscaler. The output is a second file in the folder of the other
 * dump.
 */
export const autoscalerDumpCommand = 'kubectl get configmap cluster-autoscaler-status -n kube-system -o json'

/** The resources of a snapshot, in reading order. Secrets, events and other ConfigMaps are never read. */
export const snapshotResources: readonly SnapshotResource[] = [
  { resource: 'namespaces', kind: 'Namespace', without: 'namespace selectors of affinity terms match nothing' },
  { resource: 'nodes', kind: 'Node', without: 'no forecast is possible' },
  {
    resource: 'priorityclasses.scheduling.k8s.io',
    kind: 'PriorityClass',
    without: 'priorities are taken from the pods; a class that no pod uses is unknown',
  },
  {
    resource: 'leases.coordination.k8s.io',
    kind: 'Lease',
    namespace: 'kube-node-lease',
    without:
      'the time of the last heartbeat is assumed, so a node may become NotReady up to one renewal interval earlier or later',
  },
  {
    resource: 'deployments.apps',
    kind: 'Deployment',
    without: 'rollouts and scaling of Deployments are not forecast',
  },
  { resource: 'replicasets.apps', kind: 'ReplicaSet', without: 'deleted pods of ReplicaSets are not replaced' },
  { resource: 'statefulsets.apps', kind: 'StatefulSet', without: 'deleted pods of StatefulSets are not replaced' },
  { resource: 'daemonsets.apps', kind: 'DaemonSet', without: 'new nodes get no pods of DaemonSets' },
  { resource: 'jobs.batch', kind: 'Job', without: 'deleted pods of Jobs are not replaced' },
  { resource: 'cronjobs.batch', kind: 'CronJob' },
  { resource: 'replicationcontrollers', kind: 'ReplicationController' },
  { resource: 'controllerrevisions.apps', kind: 'ControllerRevision' },
  {
    resource: 'poddisruptionbudgets.policy',
    kind: 'PodDisruptionBudget',
    without: 'no disruption budget blocks an eviction: real drains and preemptions may be slower',
  },
  {
    resource: 'persistentvolumes',
    kind: 'PersistentVolume',
    without: 'pods with volumes are placed without regard to their volumes',
  },
  { resource: 'persistentvolumeclaims', kind: 'PersistentVolumeClaim', without: 'pods with claims remain pending' },
  {
    resource: 'storageclasses.storage.k8s.io',
    kind: 'StorageClass',
    without: 'claims that wait for their pod are not bound',
  },
  { resource: 'csinodes.storage.k8s.io', kind: 'CSINode', without: 'volume limits of nodes are unknown' },
  { resource: 'csidrivers.storage.k8s.io', kind: 'CSIDriver' },
  { resource: 'csistoragecapacities.storage.k8s.io', kind: 'CSIStorageCapacity' },
  { resource: 'volumeattachments.storage.k8s.io', kind: 'VolumeAttachment' },
  {
    resource: 'resourceslices.resource.k8s.io',
    kind: 'ResourceSlice',
    without: 'no devices can be allocated to the claims of pods',
  },
  { resource: 'deviceclasses.resource.k8s.io', kind: 'DeviceClass', without: 'pods with device claims remain pending' },
  {
    resource: 'resourceclaims.resource.k8s.io',
    kind: 'ResourceClaim',
    without: 'pods with device claims remain pending, and all devices count as free',
  },
  {
    resource: 'resourceclaimtemplates.resource.k8s.io',
    kind: 'ResourceClaimTemplate',
    without: 'new pods get no claims from templates',
  },
  { resource: 'devicetaintrules.resource.k8s.io', kind: 'DeviceTaintRule', apiVersion: 'resource.k8s.io/v1' },
  { resource: 'workloads.scheduling.k8s.io', kind: 'Workload', apiVersion: 'scheduling.k8s.io/v1beta1' },
  { resource: 'podgroups.scheduling.k8s.io', kind: 'PodGroup', apiVersion: 'scheduling.k8s.io/v1beta1' },
  {
    resource: 'compositepodgroups.scheduling.k8s.io',
    kind: 'CompositePodGroup',
    apiVersion: 'scheduling.k8s.io/v1alpha3',
  },
  {
    resource: 'horizontalpodautoscalers.autoscaling',
    kind: 'HorizontalPodAutoscaler',
    without: 'workloads keep their number of replicas',
  },
  {
    resource: nodePools,
    kind: 'NodePool',
    apiVersion: 'karpenter.sh/v1',
    without: 'Karpenter neither adds nor removes nodes',
  },
  {
    resource: nodeClaims,
    kind: 'NodeClaim',
    apiVersion: 'karpenter.sh/v1',
    without: 'Karpenter does not know which nodes it created, and removes none of them',
  },
  {
    resource: nodeOverlays,
    kind: 'NodeOverlay',
    apiVersion: 'karpenter.sh/v1alpha1',
    without: 'prices and capacities of instance types are not adjusted',
  },
  { resource: kwokNodeClasses, kind: 'KWOKNodeClass', apiVersion: 'karpenter.kwok.sh/v1alpha1' },
  {
    resource: 'configmaps',
    kind: 'ConfigMap',
    namespace: 'kube-system',
    names: ['cluster-autoscaler-status', 'cluster-autoscaler-priority-expander'],
    without: 'the node groups of Cluster Autoscaler are unknown, so it neither adds nor removes nodes',
  },
  ...(
    [
      ['mutatingwebhookconfigurations', 'MutatingWebhookConfiguration'],
      ['validatingwebhookconfigurations', 'ValidatingWebhookConfiguration'],
      ['validatingadmissionpolicies', 'ValidatingAdmissionPolicy'],
      ['validatingadmissionpolicybindings', 'ValidatingAdmissionPolicyBinding'],
      ['mutatingadmissionpolicies', 'MutatingAdmissionPolicy'],
      ['mutatingadmissionpolicybindings', 'MutatingAdmissionPolicyBinding'],
    ] as const
  ).map(
    ([plural, kind]): SnapshotResource => ({
      resource: `${plural}.admissionregistration.k8s.io`,
      kind,
      apiVersion: 'admissionregistration.k8s.io/v1',
      isUnredactable: true,
    }),
  ),
  { resource: nodeMetrics, kind: 'NodeMetrics', apiVersion: 'metrics.k8s.io/v1beta1' },
  { resource: 'services', kind: 'Service' },
  { resource: 'pods', kind: 'Pod', without: 'no forecast is possible' },
]

export const snapshotApiVersion = 'berth.dev/v1alpha1'

/** The first line of a snapshot. */
export interface SnapshotHeader {
  readonly apiVersion: string
  readonly kind: 'Snapshot'
  readonly takenAt: string
  readonly berth: string
  readonly redacted: boolean
  /** The gitVersion of the API server. Absent: it could not be read, or an older berth took the snapshot. */
  readonly kubernetes?: string
}

/** The last line. A snapshot without it is incomplete. */
export interface SnapshotEnd {
  readonly kind: 'SnapshotEnd'
  readonly counts: Readonly<Record<string, number>>
  /** Resources that could not be read, and why. */
  readonly missing: Readonly<Record<string, string>>
}
