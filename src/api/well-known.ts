/** Names with a meaning in Kubernetes (v1.36, k8s.io/api/core/v1 and the components that own them). */
export const labels = {
  hostname: 'kubernetes.io/hostname',
  os: 'kubernetes.io/os',
  arch: 'kubernetes.io/arch',
  zone: 'topology.kubernetes.io/zone',
  region: 'topology.kubernetes.io/region',
  betaZone: 'failure-domain.beta.kubernetes.io/zone',
  betaRegion: 'failure-domain.beta.kubernetes.io/region',
  betaOs: 'beta.kubernetes.io/os',
  betaArch: 'beta.kubernetes.io/arch',
  instanceType: 'node.kubernetes.io/instance-type',
  betaInstanceType: 'beta.kubernetes.io/instance-type',
  nodeRolePrefix: 'node-role.kubernetes.io/',
  nodeRole: 'kubernetes.io/role',
  excludeFromLoadBalancers: 'node.kubernetes.io/exclude-from-external-load-balancers',
  namespaceName: 'kubernetes.io/metadata.name',
  podTemplateHash: 'pod-template-hash',
  controllerRevisionHash: 'controller-revision-hash',
  statefulSetPodName: 'statefulset.kubernetes.io/pod-name',
  podIndex: 'apps.kubernetes.io/pod-index',
  jobName: 'batch.kubernetes.io/job-name',
  jobControllerUid: 'batch.kubernetes.io/controller-uid',
  jobCompletionIndex: 'batch.kubernetes.io/job-completion-index',
} as const

export const taintKeys = {
  notReady: 'node.kubernetes.io/not-ready',
  unreachable: 'node.kubernetes.io/unreachable',
  unschedulable: 'node.kubernetes.io/unschedulable',
  memoryPressure: 'node.kubernetes.io/memory-pressure',
  diskPressure: 'node.kubernetes.io/disk-pressure',
  pidPressure: 'node.kubernetes.io/pid-pressure',
  networkUnavailable: 'node.kubernetes.io/network-unavailable',
  outOfService: 'node.kubernetes.io/out-of-service',
  cloudUninitialized: 'node.cloudprovider.kubernetes.io/uninitialized',
  cloudShutdown: 'node.cloudprovider.kubernetes.io/shutdown',
} as const

export const annotations = {
  lastApplied: 'kubectl.kubernetes.io/last-applied-configuration',
  restartedAt: 'kubectl.kubernetes.io/restartedAt',
  mirrorPod: 'kubernetes.io/config.mirror',
  podDeletionCost: 'controller.kubernetes.io/pod-deletion-cost',
  deploymentRevision: 'deployment.kubernetes.io/revision',
  deploymentDesiredReplicas: 'deployment.kubernetes.io/desired-replicas',
  deploymentMaxReplicas: 'deployment.kubernetes.io/max-replicas',
  bindCompleted: 'pv.kubernetes.io/bind-completed',
  boundByController: 'pv.kubernetes.io/bound-by-controller',
  selectedNode: 'volume.kubernetes.io/selected-node',
  storageProvisioner: 'volume.kubernetes.io/storage-provisioner',
  betaStorageProvisioner: 'volume.beta.kubernetes.io/storage-provisioner',
  betaStorageClass: 'volume.beta.kubernetes.io/storage-class',
  provisionedBy: 'pv.kubernetes.io/provisioned-by',
  migratedTo: 'pv.kubernetes.io/migrated-to',
  defaultStorageClass: 'storageclass.kubernetes.io/is-default-class',
  migratedPlugins: 'storage.alpha.kubernetes.io/migrated-plugins',
  nodeTtl: 'node.alpha.kubernetes.io/ttl',
} as const

export const resourceNames = {
  cpu: 'cpu',
  memory: 'memory',
  ephemeralStorage: 'ephemeral-storage',
  pods: 'pods',
  hugePagesPrefix: 'hugepages-',
  attachableVolumesPrefix: 'attachable-volumes-',
  requestsPrefix: 'requests.',
  nativePrefix: 'kubernetes.io/',
} as const

export const priorityClasses = {
  systemNodeCritical: { name: 'system-node-critical', value: 2_000_001_000 },
  systemClusterCritical: { name: 'system-cluster-critical', value: 2_000_000_000 },
} as const

export const defaultSchedulerName = 'default-scheduler'
export const nodeLeaseNamespace = 'kube-node-lease'
