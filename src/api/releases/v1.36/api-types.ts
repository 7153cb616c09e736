// Written by `npm run generate -- v1.36.4`; do not edit. The notation is explained in src/api/schema/type-table.ts.

/** The changes from v1.35: the types of v1.36.4. */
export const apiTypes = `
package meta meta.k8s.io io.k8s.apimachinery.pkg.apis.meta.v1 off
ListMeta selfLink:s resourceVersion:s continue:s remainingItemCount:*l shardInfo:*ShardInfo
ListOptions ...TypeMeta labelSelector:s fieldSelector:s watch:b 9allowWatchBookmarks:b 4resourceVersion:s
  10resourceVersionMatch:ResourceVersionMatch 5timeoutSeconds:*l 7limit:l continue:s 11sendInitialEvents:*b
  15shardSelector:s
ShardInfo selector:s!
package admission admission.k8s.io io.k8s.api.admission.v1 off
AdmissionRequest uid(UID):types.UID!? kind:meta.GroupVersionKind resource:meta.GroupVersionResource subResource:s
  13requestKind:*meta.GroupVersionKind requestResource:*meta.GroupVersionResource requestSubResource:s 5name:s
  namespace:s operation:Operation!? userInfo:authentication.UserInfo object:j# oldObject:j# dryRun:*b options:j#
AdmissionResponse uid(UID):types.UID!? allowed:b!? status(Result):*meta.Status patch:by patchType:*PatchType
  auditAnnotations:{s} warnings:[s]
package admissionregistration admissionregistration.k8s.io io.k8s.api.admissionregistration.v1
ApplyConfiguration expression:s
JSONPatch expression:s
MutatingAdmissionPolicy ...TypeMeta metadata:meta.ObjectMeta spec:MutatingAdmissionPolicySpec
MutatingAdmissionPolicyBinding ...TypeMeta metadata:meta.ObjectMeta spec:MutatingAdmissionPolicyBindingSpec
MutatingAdmissionPolicyBindingList ...TypeMeta metadata:meta.ListMeta items:[MutatingAdmissionPolicyBinding]!
MutatingAdmissionPolicyBindingSpec policyName:s paramRef:*ParamRef matchResources:*MatchResources
MutatingAdmissionPolicyList ...TypeMeta metadata:meta.ListMeta items:[MutatingAdmissionPolicy]!
MutatingAdmissionPolicySpec paramKind:*ParamKind matchConstraints:*MatchResources variables:[Variable]
  mutations:[Mutation] failurePolicy:*FailurePolicyType matchConditions:[MatchCondition]@name~
  reinvocationPolicy:ReinvocationPolicyType
Mutation 2patchType:PatchType! applyConfiguration:*ApplyConfiguration jsonPatch(JSONPatch):*JSONPatch
= s PatchType(ApplyConfiguration|JSONPatch)
ValidatingAdmissionPolicyBinding ...TypeMeta metadata:meta.ObjectMeta spec:ValidatingAdmissionPolicyBindingSpec?!
ValidatingAdmissionPolicyBindingSpec policyName:s?! paramRef:*ParamRef matchResources:*MatchResources
  validationActions:[ValidationAction]?!=
package admissionregistration/v1alpha1 admissionregistration.k8s.io io.k8s.api.admissionregistration.v1alpha1 off
ValidatingAdmissionPolicyBinding ...TypeMeta metadata:meta.ObjectMeta spec:ValidatingAdmissionPolicyBindingSpec?!
ValidatingAdmissionPolicyBindingSpec policyName:s?! paramRef:*ParamRef matchResources:*MatchResources
  validationActions:[ValidationAction]?!=
package admissionregistration/v1beta1 admissionregistration.k8s.io io.k8s.api.admissionregistration.v1beta1 off
ValidatingAdmissionPolicyBinding ...TypeMeta metadata:meta.ObjectMeta spec:ValidatingAdmissionPolicyBindingSpec?!
ValidatingAdmissionPolicyBindingSpec policyName:s?! paramRef:*ParamRef matchResources:*MatchResources
  validationActions:[ValidationAction]?!=
package apiserverinternal/v1alpha1 internal.apiserver.k8s.io io.k8s.api.apiserverinternal.v1alpha1 off
ServerStorageVersion apiServerID(APIServerID):s?! encodingVersion:s?! decodableVersions:[s]?!= servedVersions:[s]=
StorageVersion ...TypeMeta metadata:meta.ObjectMeta?! spec:StorageVersionSpec status:StorageVersionStatus
package authentication authentication.k8s.io io.k8s.api.authentication.v1
TokenRequest ...TypeMeta metadata:meta.ObjectMeta spec:TokenRequestSpec status:TokenRequestStatus
TokenRequestSpec audiences:[s]!? 4expirationSeconds:*l!? 3boundObjectRef:*BoundObjectReference!?
TokenRequestStatus token:s!? expirationTimestamp:t
TokenReviewSpec token:s?! audiences:[s]
package autoscaling autoscaling io.k8s.api.autoscaling.v1
HorizontalPodAutoscaler ...TypeMeta metadata:meta.ObjectMeta spec:HorizontalPodAutoscalerSpec?!
  status:HorizontalPodAutoscalerStatus
package autoscaling/v2 autoscaling io.k8s.api.autoscaling.v2
HorizontalPodAutoscaler ...TypeMeta metadata:meta.ObjectMeta spec:HorizontalPodAutoscalerSpec?!
  status:HorizontalPodAutoscalerStatus
package batch batch io.k8s.api.batch.v1
CronJob ...TypeMeta metadata:meta.ObjectMeta spec:CronJobSpec?! status:CronJobStatus
package certificates/v1beta1 certificates.k8s.io io.k8s.api.certificates.v1beta1 off
PodCertificateRequestSpec signerName:s! podName:s! podUID:types.UID! serviceAccountName:s! serviceAccountUID:types.UID!
  nodeName:types.NodeName! nodeUID:types.UID! maxExpirationSeconds:*i pkixPublicKey(PKIXPublicKey):by!?
  proofOfPossession:by!? 12stubPKCS10Request:by! 11unverifiedUserAnnotations:{s}
package coordination/v1alpha2 coordination.k8s.io io.k8s.api.coordination.v1alpha2 off
LeaseCandidate ...TypeMeta metadata:meta.ObjectMeta spec:LeaseCandidateSpec?!
package coordination/v1beta1 coordination.k8s.io io.k8s.api.coordination.v1beta1 off
LeaseCandidate ...TypeMeta metadata:meta.ObjectMeta spec:LeaseCandidateSpec?!
package core - io.k8s.api.core.v1
ImageVolumeStatus imageRef:s?!
NodeAllocatableResourceClaimStatus resourceClaimName:s! containers:[s]= resources:{ResourceName:q}!
PodSchedulingGroup podGroupName:*s
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
  resources:*ResourceRequirements hostnameOverride:*s 43schedulingGroup:*PodSchedulingGroup
PodStatus 17observedGeneration:l 1phase:PodPhase conditions:[PodCondition]@type~ message:s reason:s
  11nominatedNodeName:s 5hostIP:s 16hostIPs:[HostIP]~ip 6podIP:s 12podIPs:[PodIP]@ip~ 7startTime:*t
  10initContainerStatuses:[ContainerStatus] 8containerStatuses:[ContainerStatus] qosClass(QOSClass):PodQOSClass
  13ephemeralContainerStatuses:[ContainerStatus] resize:PodResizeStatus
  resourceClaimStatuses:[PodResourceClaimStatus]@name~+ 18extendedResourceClaimStatus:*PodExtendedResourceClaimStatus
  allocatedResources:ResourceList resources:*ResourceRequirements
  nodeAllocatableResourceClaimStatuses:[NodeAllocatableResourceClaimStatus]
ResourceHealth resourceID:ResourceID! health:ResourceHealthStatus 6message:*s
VolumeMountStatus name:s! mountPath:s! readOnly:b recursiveReadOnly:*RecursiveReadOnlyMode volumeStatus:*VolumeStatus
VolumeStatus image:*ImageVolumeStatus
-WorkloadReference
package discovery discovery.k8s.io io.k8s.api.discovery.v1
EndpointSlice ...TypeMeta metadata:meta.ObjectMeta 4addressType:AddressType! 2endpoints:[Endpoint]!?
  ports:[EndpointPort]!?
package imagepolicy/v1alpha1 imagepolicy.k8s.io io.k8s.api.imagepolicy.v1alpha1 off
ImageReview ...TypeMeta metadata:meta.ObjectMeta spec:ImageReviewSpec status:ImageReviewStatus
ImageReviewStatus allowed:b!? reason:s auditAnnotations:{s}
package networking networking.k8s.io io.k8s.api.networking.v1
IPAddress ...TypeMeta metadata:meta.ObjectMeta spec:IPAddressSpec?!
package networking/v1beta1 networking.k8s.io io.k8s.api.networking.v1beta1 off
IPAddress ...TypeMeta metadata:meta.ObjectMeta spec:IPAddressSpec?!
package policy policy io.k8s.api.policy.v1
PodDisruptionBudgetStatus observedGeneration:l disruptedPods:{t} disruptionsAllowed:i!? currentHealthy:i!?
  desiredHealthy:i!? expectedPods:i!? conditions:[meta.Condition]@type~
package rbac rbac.authorization.k8s.io io.k8s.api.rbac.v1
RoleRef# apiGroup(APIGroup):s!? kind:s! name:s!
package resource resource.k8s.io io.k8s.api.resource.v1
Device name:s! attributes:{QualifiedName:DeviceAttribute} capacity:{QualifiedName:DeviceCapacity}
  consumesCounters:[DeviceCounterConsumption] nodeName:*s nodeSelector:*core.NodeSelector allNodes:*b
  taints:[DeviceTaint] bindsToNode:*b bindingConditions:[s] bindingFailureConditions:[s] allowMultipleAllocations:*b
  nodeAllocatableResourceMappings:{core.ResourceName:NodeAllocatableResourceMapping}
DeviceAttribute 2int(IntValue):*l bool(BoolValue):*b string(StringValue):*s version(VersionValue):*s ints(IntValues):[l]
  bools(BoolValues):[b] strings(StringValues):[s] versions(VersionValues):[s]
NodeAllocatableResourceMapping capacityKey:*QualifiedName allocationMultiplier:*q
package resource/v1alpha3 resource.k8s.io io.k8s.api.resource.v1alpha3 off
PoolStatus driver:s?! poolName:s?! 9generation:l! 8resourceSliceCount:*i 4totalDevices:*i allocatedDevices:*i
  availableDevices:*i unavailableDevices:*i 3nodeName:*s 10validationError:*s
ResourcePoolStatusRequest ...TypeMeta metadata:meta.ObjectMeta?! spec:ResourcePoolStatusRequestSpec!
  status:*ResourcePoolStatusRequestStatus
ResourcePoolStatusRequestList ...TypeMeta metadata:meta.ListMeta items:[ResourcePoolStatusRequest]!
ResourcePoolStatusRequestSpec driver:s! poolName:*s limit:*i
ResourcePoolStatusRequestStatus 6poolCount:*i?! 2pools:[PoolStatus] conditions:[meta.Condition]@type~
package resource/v1beta1 resource.k8s.io io.k8s.api.resource.v1beta1 off
BasicDevice attributes:{QualifiedName:DeviceAttribute} capacity:{QualifiedName:DeviceCapacity}
  consumesCounters:[DeviceCounterConsumption] nodeName:*s nodeSelector:*core.NodeSelector allNodes:*b
  taints:[DeviceTaint] bindsToNode:*b bindingConditions:[s] bindingFailureConditions:[s] allowMultipleAllocations:*b
  nodeAllocatableResourceMappings:{core.ResourceName:NodeAllocatableResourceMapping}
DeviceAttribute 2int(IntValue):*l bool(BoolValue):*b string(StringValue):*s version(VersionValue):*s ints(IntValues):[l]
  bools(BoolValues):[b] strings(StringValues):[s] versions(VersionValues):[s]
NodeAllocatableResourceMapping capacityKey:*QualifiedName allocationMultiplier:*q
package resource/v1beta2 resource.k8s.io io.k8s.api.resource.v1beta2 off
Device name:s! attributes:{QualifiedName:DeviceAttribute} capacity:{QualifiedName:DeviceCapacity}
  consumesCounters:[DeviceCounterConsumption] nodeName:*s nodeSelector:*core.NodeSelector allNodes:*b
  taints:[DeviceTaint] bindsToNode:*b bindingConditions:[s] bindingFailureConditions:[s] allowMultipleAllocations:*b
  nodeAllocatableResourceMappings:{core.ResourceName:NodeAllocatableResourceMapping}
DeviceAttribute 2int(IntValue):*l bool(BoolValue):*b string(StringValue):*s version(VersionValue):*s ints(IntValues):[l]
  bools(BoolValues):[b] strings(StringValues):[s] versions(VersionValues):[s]
DeviceTaintRule ...TypeMeta metadata:meta.ObjectMeta spec:DeviceTaintRuleSpec! status:DeviceTaintRuleStatus
DeviceTaintRuleList ...TypeMeta metadata:meta.ListMeta items:[DeviceTaintRule]!
DeviceTaintRuleSpec deviceSelector:*DeviceTaintSelector taint:DeviceTaint?!
DeviceTaintRuleStatus conditions:[meta.Condition]@type~
DeviceTaintSelector 2driver:*s pool:*s device:*s
NodeAllocatableResourceMapping capacityKey:*QualifiedName allocationMultiplier:*q
package scheduling scheduling.k8s.io io.k8s.api.scheduling.v1
PriorityClass ...TypeMeta metadata:meta.ObjectMeta value:i!? globalDefault:b description:s
  preemptionPolicy:*core.PreemptionPolicy
package scheduling/v1alpha2 scheduling.k8s.io io.k8s.api.scheduling.v1alpha2 off
BasicSchedulingPolicy
= s DisruptionMode(Pod|PodGroup)
GangSchedulingPolicy minCount:i!
PodGroup ...TypeMeta metadata:meta.ObjectMeta spec:PodGroupSpec! status:PodGroupStatus
PodGroupList ...TypeMeta metadata:meta.ListMeta items:[PodGroup]!
PodGroupResourceClaim name:s! resourceClaimName:*s resourceClaimTemplateName:*s
PodGroupResourceClaimStatus name:s! resourceClaimName:*s
PodGroupSchedulingConstraints topology:[TopologyConstraint]
PodGroupSchedulingPolicy basic:*BasicSchedulingPolicy gang:*GangSchedulingPolicy
PodGroupSpec podGroupTemplateRef:*PodGroupTemplateReference!? schedulingPolicy:PodGroupSchedulingPolicy!
  schedulingConstraints:*PodGroupSchedulingConstraints resourceClaims:[PodGroupResourceClaim]@name~+
  disruptionMode:*DisruptionMode priorityClassName:s priority:*i
PodGroupStatus conditions:[meta.Condition]@type~ resourceClaimStatuses:[PodGroupResourceClaimStatus]@name~+
PodGroupTemplate name:s! schedulingPolicy:PodGroupSchedulingPolicy!
  schedulingConstraints:*PodGroupSchedulingConstraints!? resourceClaims:[PodGroupResourceClaim]@name~+
  disruptionMode:*DisruptionMode priorityClassName:s priority:*i
PodGroupTemplateReference workload:*WorkloadPodGroupTemplateReference!?
TopologyConstraint key:s!
TypedLocalObjectReference apiGroup(APIGroup):s kind:s! name:s!
Workload ...TypeMeta metadata:meta.ObjectMeta spec:WorkloadSpec!
WorkloadList ...TypeMeta metadata:meta.ListMeta items:[Workload]!
WorkloadPodGroupTemplateReference workloadName:s! podGroupTemplateName:s!
WorkloadSpec controllerRef:*TypedLocalObjectReference podGroupTemplates:[PodGroupTemplate]!@name
package storage storage.k8s.io io.k8s.api.storage.v1
CSIDriverSpec attachRequired:*b podInfoOnMount:*b volumeLifecycleModes:[VolumeLifecycleMode]= storageCapacity:*b
  fsGroupPolicy(FSGroupPolicy):*FSGroupPolicy tokenRequests:[TokenRequest] requiresRepublish:*b
  seLinuxMount(SELinuxMount):*b nodeAllocatableUpdatePeriodSeconds:*l serviceAccountTokenInSecrets:*b
  preventPodSchedulingIfMissing:*b
package storage/v1beta1 storage.k8s.io io.k8s.api.storage.v1beta1 off
CSIDriverSpec attachRequired:*b podInfoOnMount:*b volumeLifecycleModes:[VolumeLifecycleMode] storageCapacity:*b
  fsGroupPolicy(FSGroupPolicy):*FSGroupPolicy tokenRequests:[TokenRequest] requiresRepublish:*b
  seLinuxMount(SELinuxMount):*b nodeAllocatableUpdatePeriodSeconds:*l serviceAccountTokenInSecrets:*b
  preventPodSchedulingIfMissing:*b
-package scheduling/v1alpha1
`
