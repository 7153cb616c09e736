// Written by `npm run generate -- v1.35.8`; do not edit. The notation is explained in src/api/schema/type-table.ts.

/** The changes from v1.34: the types of v1.35.8. */
export const apiTypes = `
package admissionregistration/v1beta1 admissionregistration.k8s.io io.k8s.api.admissionregistration.v1beta1 off
= admissionregistration.ReinvocationPolicyType ReinvocationPolicyType(IfNeeded|Never)
= admissionregistration.ScopeType ScopeType(*|Cluster|Namespaced)
package batch batch io.k8s.api.batch.v1
PodFailurePolicyOnPodConditionsPattern type:core.PodConditionType! status:core.ConditionStatus!?
package certificates/v1alpha1 certificates.k8s.io io.k8s.api.certificates.v1alpha1 off
-PodCertificateRequest
-PodCertificateRequestList
-PodCertificateRequestSpec
-PodCertificateRequestStatus
package certificates/v1beta1 certificates.k8s.io io.k8s.api.certificates.v1beta1 off
PodCertificateRequest ...TypeMeta metadata:meta.ObjectMeta spec:PodCertificateRequestSpec!
  status:PodCertificateRequestStatus
PodCertificateRequestList ...TypeMeta metadata:meta.ListMeta items:[PodCertificateRequest]!
PodCertificateRequestSpec signerName:s! podName:s! podUID:types.UID! serviceAccountName:s! serviceAccountUID:types.UID!
  nodeName:types.NodeName! nodeUID:types.UID! maxExpirationSeconds:*i pkixPublicKey(PKIXPublicKey):by!
  proofOfPossession:by! unverifiedUserAnnotations:{s}
PodCertificateRequestStatus conditions:[meta.Condition]@type~ certificateChain:s 4notBefore:*t beginRefreshAt:*t
  notAfter:*t
package core - io.k8s.api.core.v1
NodeStatus capacity:ResourceList allocatable:ResourceList phase:NodePhase conditions:[NodeCondition]@type~
  addresses:[NodeAddress]@type~ daemonEndpoints:NodeDaemonEndpoints nodeInfo:NodeSystemInfo images:[ContainerImage]
  volumesInUse:[UniqueVolumeName] volumesAttached:[AttachedVolume] config:*NodeConfigStatus
  runtimeHandlers:[NodeRuntimeHandler] features:*NodeFeatures declaredFeatures:[s]
PodCertificateProjection signerName:s?! keyType:s?! maxExpirationSeconds:*i credentialBundlePath:s keyPath:s
  certificateChainPath:s userAnnotations:{s}
PodSpec volumes:[Volume]@name~+ 20initContainers:[Container]@name~ 2containers:[Container]!@name~
  34ephemeralContainers:[EphemeralContainer]@name~ 3restartPolicy:RestartPolicy terminationGracePeriodSeconds:*l
  activeDeadlineSeconds:*l dnsPolicy(DNSPolicy):DNSPolicy nodeSelector:{s}# serviceAccountName:s
  serviceAccount(DeprecatedServiceAccount):s 21automountServiceAccountToken:*b 10nodeName:s hostNetwork:b hostPID:b
  hostIPC:b 27shareProcessNamespace:*b 14securityContext:*PodSecurityContext
  imagePullSecrets:[LocalObjectReference]@name~ hostname:s subdomain:s affinity:*Affinity schedulerName:s
  22tolerations:[Toleration] hostAliases:[HostAlias]@ip~ priorityClassName:s priority:*i
  dnsConfig(DNSConfig):*PodDNSConfig 28readinessGates:[PodReadinessGate] runtimeClassName:*s enableServiceLinks:*b
  preemptionPolicy:*PreemptionPolicy overhead:ResourceList
  topologySpreadConstraints:[TopologySpreadConstraint]@topologyKey,whenUnsatisfiable~topologyKey 35setHostnameAsFQDN:*b
  os(OS):*PodOS hostUsers:*b schedulingGates:[PodSchedulingGate]@name~ resourceClaims:[PodResourceClaim]@name~+
  resources:*ResourceRequirements hostnameOverride:*s workloadRef:*WorkloadReference
PodStatus 17observedGeneration:l 1phase:PodPhase conditions:[PodCondition]@type~ message:s reason:s
  11nominatedNodeName:s 5hostIP:s 16hostIPs:[HostIP]~ip 6podIP:s 12podIPs:[PodIP]@ip~ 7startTime:*t
  10initContainerStatuses:[ContainerStatus] 8containerStatuses:[ContainerStatus] qosClass(QOSClass):PodQOSClass
  13ephemeralContainerStatuses:[ContainerStatus] resize:PodResizeStatus
  resourceClaimStatuses:[PodResourceClaimStatus]@name~+ 18extendedResourceClaimStatus:*PodExtendedResourceClaimStatus
  allocatedResources:ResourceList resources:*ResourceRequirements
= s TolerationOperator(Equal|Exists|Gt|Lt)
WorkloadReference name:s! podGroup:s! podGroupReplicaKey:s
package resource resource.k8s.io io.k8s.api.resource.v1
= s AllocationConfigSource(FromClaim|FromClass) DeviceAllocationMode(All|ExactCount)
  DeviceTaintEffect(NoExecute|NoSchedule|None)
ResourceSliceSpec driver:s! pool:ResourcePool! nodeName:*s nodeSelector:*core.NodeSelector allNodes:*b devices:[Device]
  perDeviceNodeSelection:*b sharedCounters:[CounterSet]
package resource/v1alpha3 resource.k8s.io io.k8s.api.resource.v1alpha3 off
= s DeviceTaintEffect(NoExecute|NoSchedule|None)
DeviceTaintRule ...TypeMeta metadata:meta.ObjectMeta spec:DeviceTaintRuleSpec! status:DeviceTaintRuleStatus
DeviceTaintRuleStatus conditions:[meta.Condition]@type~
DeviceTaintSelector 2driver:*s pool:*s device:*s
package resource/v1beta1 resource.k8s.io io.k8s.api.resource.v1beta1 off
= s AllocationConfigSource(FromClaim|FromClass) DeviceAllocationMode(All|ExactCount)
  DeviceTaintEffect(NoExecute|NoSchedule|None)
ResourceSliceSpec driver:s! pool:ResourcePool! nodeName:s nodeSelector:*core.NodeSelector allNodes:b devices:[Device]
  perDeviceNodeSelection:*b sharedCounters:[CounterSet]
package resource/v1beta2 resource.k8s.io io.k8s.api.resource.v1beta2 off
= s AllocationConfigSource(FromClaim|FromClass) DeviceAllocationMode(All|ExactCount)
  DeviceTaintEffect(NoExecute|NoSchedule|None)
ResourceSliceSpec driver:s! pool:ResourcePool! nodeName:*s nodeSelector:*core.NodeSelector allNodes:*b devices:[Device]
  perDeviceNodeSelection:*b sharedCounters:[CounterSet]
package scheduling/v1alpha1 scheduling.k8s.io io.k8s.api.scheduling.v1alpha1 off
BasicSchedulingPolicy
GangSchedulingPolicy minCount:i!
PodGroup name:s! 3policy:PodGroupPolicy!
PodGroupPolicy 2basic:*BasicSchedulingPolicy gang:*GangSchedulingPolicy
PriorityClass ...TypeMeta metadata:meta.ObjectMeta value:i! globalDefault:b description:s
  preemptionPolicy:*core.PreemptionPolicy
PriorityClassList ...TypeMeta metadata:meta.ListMeta items:[PriorityClass]!
TypedLocalObjectReference apiGroup(APIGroup):s kind:s! name:s!
Workload ...TypeMeta metadata:meta.ObjectMeta spec:WorkloadSpec!
WorkloadList ...TypeMeta metadata:meta.ListMeta items:[Workload]!
WorkloadSpec controllerRef:*TypedLocalObjectReference podGroups:[PodGroup]!@name
package storage storage.k8s.io io.k8s.api.storage.v1
CSIDriverSpec attachRequired:*b podInfoOnMount:*b volumeLifecycleModes:[VolumeLifecycleMode]= storageCapacity:*b
  fsGroupPolicy(FSGroupPolicy):*FSGroupPolicy tokenRequests:[TokenRequest] requiresRepublish:*b
  seLinuxMount(SELinuxMount):*b nodeAllocatableUpdatePeriodSeconds:*l serviceAccountTokenInSecrets:*b
package storage/v1beta1 storage.k8s.io io.k8s.api.storage.v1beta1 off
CSIDriverSpec attachRequired:*b podInfoOnMount:*b volumeLifecycleModes:[VolumeLifecycleMode] storageCapacity:*b
  fsGroupPolicy(FSGroupPolicy):*FSGroupPolicy tokenRequests:[TokenRequest] requiresRepublish:*b
  seLinuxMount(SELinuxMount):*b nodeAllocatableUpdatePeriodSeconds:*l serviceAccountTokenInSecrets:*b
package storagemigration/v1beta1 storagemigration.k8s.io io.k8s.api.storagemigration.v1beta1 off
= s MigrationConditionType
StorageVersionMigration ...TypeMeta metadata:meta.ObjectMeta spec:StorageVersionMigrationSpec
  status:StorageVersionMigrationStatus
StorageVersionMigrationList ...TypeMeta metadata:meta.ListMeta items:[StorageVersionMigration]!
StorageVersionMigrationSpec resource:meta.GroupResource!
StorageVersionMigrationStatus conditions:[meta.Condition]@type~ resourceVersion:s
package apiextensions apiextensions.k8s.io io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1
CustomResourceDefinitionCondition type:CustomResourceDefinitionConditionType! status:ConditionStatus!
  lastTransitionTime:t reason:s message:s observedGeneration:l
CustomResourceDefinitionStatus conditions:[CustomResourceDefinitionCondition]!?@type
  acceptedNames:CustomResourceDefinitionNames storedVersions:[s]!? observedGeneration:l
-package apidiscovery/v2beta1
-package storage/v1alpha1
-package storagemigration/v1alpha1
`
