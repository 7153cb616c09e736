import type {
  CertificateSigningRequest,
  ClusterRole,
  FlowSchema,
  PriorityLevelConfiguration,
  ValidatingAdmissionPolicy,
} from './access.ts'
import type { HorizontalPodAutoscaler } from './autoscaling.ts'
import type {
  ClusterCIDR,
  ConfigMap,
  CustomResourceDefinition,
  Event,
  Namespace,
  ResourceQuota,
  RuntimeClass,
  Service,
} from './cluster.ts'
import type { DeviceClass, DeviceTaintRule, ResourceClaim, ResourceClaimTemplate, ResourceSlice } from './devices.ts'
import type { EndpointSlice, Endpoints } from './endpoints.ts'
import type { CompositePodGroup, PodGroup, Workload } from './groups.ts'
import type { KwokNodeClass, NodeClaim, NodeOverlay, NodePool } from './karpenter.ts'
import type { KubeObject } from './meta.ts'
import type { Lease, Node } from './node.ts'
import type { Pod, PodDisruptionBudget, PriorityClass } from './pod.ts'
import type { Secret, ServiceAccount } from './service-account.ts'
import type { IPAddress, ServiceCIDR } from './service-addresses.ts'
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeAttachment,
} from './storage.ts'
import type {
  ControllerRevision,
  CronJob,
  DaemonSet,
  Deployment,
  Job,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
} from './workloads.ts'

/**
 * The kinds that berth reads, by resource name. A resource is named `plural` in the core group and `plural.group`
 * elsewhere, as in `kubectl`; the version is always the stored version.
 */
export interface ResourceTypes {
  pods: Pod
  nodes: Node
  namespaces: Namespace
  services: Service
  events: Event
  configmaps: ConfigMap
  secrets: Secret
  serviceaccounts: ServiceAccount
  endpoints: Endpoints
  'endpointslices.discovery.k8s.io': EndpointSlice
  resourcequotas: ResourceQuota
  persistentvolumes: PersistentVolume
  persistentvolumeclaims: PersistentVolumeClaim
  replicationcontrollers: ReplicationController
  'deployments.apps': Deployment
  'replicasets.apps': ReplicaSet
  'statefulsets.apps': StatefulSet
  'daemonsets.apps': DaemonSet
  'controllerrevisions.apps': ControllerRevision
  'jobs.batch': Job
  'cronjobs.batch': CronJob
  'poddisruptionbudgets.policy': PodDisruptionBudget
  'horizontalpodautoscalers.autoscaling': HorizontalPodAutoscaler
  'priorityclasses.scheduling.k8s.io': PriorityClass
  'workloads.scheduling.k8s.io': Workload
  'podgroups.scheduling.k8s.io': PodGroup
  'compositepodgroups.scheduling.k8s.io': CompositePodGroup
  'leases.coordination.k8s.io': Lease
  'storageclasses.storage.k8s.io': StorageClass
  'csinodes.storage.k8s.io': CSINode
  'volumeattributesclasses.storage.k8s.io': KubeObject
  'clusterroles.rbac.authorization.k8s.io': ClusterRole
  'certificatesigningrequests.certificates.k8s.io': CertificateSigningRequest
  'csidrivers.storage.k8s.io': CSIDriver
  'csistoragecapacities.storage.k8s.io': CSIStorageCapacity
  'volumeattachments.storage.k8s.io': VolumeAttachment
  'runtimeclasses.node.k8s.io': RuntimeClass
  'flowschemas.flowcontrol.apiserver.k8s.io': FlowSchema
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': PriorityLevelConfiguration
  'validatingadmissionpolicies.admissionregistration.k8s.io': ValidatingAdmissionPolicy
  'resourceclaims.resource.k8s.io': ResourceClaim
  'resourceclaimtemplates.resource.k8s.io': ResourceClaimTemplate
  'resourceslices.resource.k8s.io': ResourceSlice
  'deviceclasses.resource.k8s.io': DeviceClass
  'devicetaintrules.resource.k8s.io': DeviceTaintRule
  'customresourcedefinitions.apiextensions.k8s.io': CustomResourceDefinition
  'clustercidrs.networking.x-k8s.io': ClusterCIDR
  'servicecidrs.networking.k8s.io': ServiceCIDR
  'ipaddresses.networking.k8s.io': IPAddress
  'nodepools.karpenter.sh': NodePool
  'nodeclaims.karpenter.sh': NodeClaim
  'nodeoverlays.karpenter.sh': NodeOverlay
  'kwoknodeclasses.karpenter.kwok.sh': KwokNodeClass
}

export type KnownResource = keyof ResourceTypes

/** Any resource name, including custom resources. */
export type ResourceName = KnownResource | (string & {})

export type ObjectOf<R extends ResourceName> = R extends KnownResource ? ResourceTypes[R] : KubeObject
