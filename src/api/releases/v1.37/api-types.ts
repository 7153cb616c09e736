// Written by `npm run generate -- v1.37.1`; do not edit. The notation is explained in src/api/schema/type-table.ts.

/** The changes from v1.36: the types of v1.37.1. */
export const apiTypes = `
package apidiscovery/v2 apidiscovery.k8s.io io.k8s.api.apidiscovery.v2 off
APIGroupDiscoveryList ...TypeMeta metadata:meta.ListMeta items:[APIGroupDiscovery]!?
APIResourceDiscovery resource:s!? responseKind:*meta.GroupVersionKind scope:ResourceScope!? singularResource:s!?
  verbs:[s]!?= shortNames:[s]= categories:[s]= subresources:[APISubresourceDiscovery]@subresource
APISubresourceDiscovery subresource:s!? responseKind:*meta.GroupVersionKind
  acceptedTypes:[meta.GroupVersionKind]@group,version,kind verbs:[s]!?=
APIVersionDiscovery version:s!? resources:[APIResourceDiscovery]@resource freshness:DiscoveryFreshness
package apps apps io.k8s.api.apps.v1
ControllerRevision ...TypeMeta metadata:meta.ObjectMeta data:j!# revision:l!?
DaemonSet ...TypeMeta metadata:meta.ObjectMeta spec:DaemonSetSpec?! status:DaemonSetStatus
DaemonSetCondition type:DaemonSetConditionType!? status:core.ConditionStatus!? lastTransitionTime:t reason:s message:s
Deployment ...TypeMeta metadata:meta.ObjectMeta spec:DeploymentSpec?! status:DeploymentStatus
DeploymentCondition type:DeploymentConditionType!? status:core.ConditionStatus!? 6lastUpdateTime:t lastTransitionTime:t
  4reason:s message:s
ReplicaSet ...TypeMeta metadata:meta.ObjectMeta spec:ReplicaSetSpec?! status:ReplicaSetStatus
ReplicaSetCondition type:ReplicaSetConditionType!? status:core.ConditionStatus!? lastTransitionTime:t reason:s message:s
StatefulSet ...TypeMeta metadata:meta.ObjectMeta spec:StatefulSetSpec?! status:StatefulSetStatus
StatefulSetCondition type:StatefulSetConditionType!? status:core.ConditionStatus!? lastTransitionTime:t reason:s
  message:s
= s StatefulSetUpdateStrategyType(OnDelete|Recreate|RollingUpdate)
package authentication authentication.k8s.io io.k8s.api.authentication.v1
= [s] AttestationValue
TokenRequestSpec audiences:[s]!? 4expirationSeconds:*l!? 3boundObjectRef:*BoundObjectReference!?
  5attestations:{AttestationValue}
package autoscaling autoscaling io.k8s.api.autoscaling.v1
HorizontalPodAutoscalerCondition type:HorizontalPodAutoscalerConditionType! status:core.ConditionStatus!
  lastTransitionTime:t reason:s message:s observedGeneration:*l
package autoscaling/v2 autoscaling io.k8s.api.autoscaling.v2
HorizontalPodAutoscalerCondition type:HorizontalPodAutoscalerConditionType! status:core.ConditionStatus!
  lastTransitionTime:t reason:s message:s observedGeneration:*l
package batch batch io.k8s.api.batch.v1
JobSchedulingConfiguration schedulingPolicy:*scheduling/v1alpha3.WorkloadPodGroupSchedulingPolicy
  schedulingConstraints:*scheduling/v1alpha3.WorkloadPodGroupSchedulingConstraints
  disruptionMode:*scheduling/v1alpha3.WorkloadPodGroupDisruptionMode
  resourceClaims:[scheduling/v1alpha3.WorkloadPodGroupResourceClaim]@name~
JobSpec parallelism:*i completions:*i activeDeadlineSeconds:*l 11podFailurePolicy:*PodFailurePolicy
  16successPolicy:*SuccessPolicy 7backoffLimit:*i 12backoffLimitPerIndex:*i maxFailedIndexes:*i
  4selector:*meta.LabelSelector manualSelector:*b template:core.PodTemplateSpec!
  8ttlSecondsAfterFinished(TTLSecondsAfterFinished):*i completionMode:*CompletionMode suspend:*b
  14podReplacementPolicy:*PodReplacementPolicy managedBy:*s 17scheduling:*JobSchedulingConfiguration
package certificates certificates.k8s.io io.k8s.api.certificates.v1
ClusterTrustBundle ...TypeMeta metadata:meta.ObjectMeta spec:ClusterTrustBundleSpec!
ClusterTrustBundleList ...TypeMeta metadata:meta.ListMeta items:[ClusterTrustBundle]!
ClusterTrustBundleSpec signerName:s trustBundle:s!
PodCertificateRequest ...TypeMeta metadata:meta.ObjectMeta spec:PodCertificateRequestSpec!
  status:PodCertificateRequestStatus
PodCertificateRequestList ...TypeMeta metadata:meta.ListMeta items:[PodCertificateRequest]!
PodCertificateRequestSpec signerName:s! podName:s! podUID:types.UID! serviceAccountName:s! serviceAccountUID:types.UID!
  nodeName:types.NodeName! nodeUID:types.UID! maxExpirationSeconds:*i 12stubPKCS10Request:by!
  11unverifiedUserAnnotations:{s}
PodCertificateRequestStatus conditions:[meta.Condition]@type~ certificateChain:s 4notBefore:*t beginRefreshAt:*t
  notAfter:*t
package core - io.k8s.api.core.v1
= s BindMountOption GRPCProbeMode(Plaintext|TLS) HTTPProtocol(HTTP1|HTTP2)
  VolumeHealthStatusType(DataLoss|Degraded|Inaccessible)
ClusterTrustBundleProjection name:*s signerName:*s labelSelector:*meta.LabelSelector 5optional:*b 4path:s! 6user:*l
ConfigMapVolumeSource ...LocalObjectReference items:[KeyToPath] defaultMode:*i optional:*b defaultUser:*l
DownwardAPIVolumeFile path:s! fieldRef:*ObjectFieldSelector resourceFieldRef:*ResourceFieldSelector mode:*i user:*l
DownwardAPIVolumeSource items:[DownwardAPIVolumeFile] defaultMode:*i defaultUser:*l
EmptyDirVolumeSource medium:StorageMedium sizeLimit:*q mode:*i
EvictionResponder# name:s! priority:*i!
GRPCAction port:i! service:*s!? mode:*GRPCProbeMode
HTTPGetAction path:s port:is! host:s scheme:URIScheme httpHeaders(HTTPHeaders):[HTTPHeader] protocol:*HTTPProtocol
KeyToPath key:s! path:s! mode:*i user:*l
NodeAllocatableMappedResources name:ResourceName! quantity:*q!
NodeAllocatableOverheadResources name:ResourceName! perPod:*q perContainer:*q
NodeAllocatableResourceClaimStatus resourceClaimName:s! containers:[s]= 4mapping:[NodeAllocatableMappedResources]@name~
  overhead:[NodeAllocatableOverheadResources]@name~
NodePodPreemptionPolicy disableResizePreemption:[s]=
NodeSpec podCIDR:s 7podCIDRs:[s]=~ 3providerID:s unschedulable:b taints:[Taint] configSource:*NodeConfigSource
  2externalID(DoNotUseExternalID):s 8podPreemptionPolicy:*NodePodPreemptionPolicy
NodeSystemInfo machineID:s! systemUUID:s! bootID:s! kernelVersion:s! osImage(OSImage):s! containerRuntimeVersion:s!
  kubeletVersion:s! kubeProxyVersion:s! operatingSystem:s! architecture:s! swap:*NodeSwapStatus
  runningInUserNamespace:*b
PersistentVolumeClaimStatus phase:PersistentVolumeClaimPhase accessModes:[PersistentVolumeAccessMode]
  capacity:ResourceList conditions:[PersistentVolumeClaimCondition]@type~ allocatedResources:ResourceList
  7allocatedResourceStatuses:{ResourceName:ClaimResourceStatus}^ currentVolumeAttributesClassName:*s
  modifyVolumeStatus:*ModifyVolumeStatus healthStatus:*VolumeHealthStatus
PodCertificateProjection signerName:s?! keyType:s?! maxExpirationSeconds:*i credentialBundlePath:s keyPath:s
  certificateChainPath:s userAnnotations:{s} user:*l
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
  evictionResponders:[EvictionResponder]@name~
PodStatus 17observedGeneration:l 1phase:PodPhase conditions:[PodCondition]@type~ message:s reason:s
  11nominatedNodeName:s 5hostIP:s 16hostIPs:[HostIP]~ip 6podIP:s 12podIPs:[PodIP]@ip~ 7startTime:*t
  10initContainerStatuses:[ContainerStatus] 8containerStatuses:[ContainerStatus] qosClass(QOSClass):PodQOSClass
  13ephemeralContainerStatuses:[ContainerStatus] resize:PodResizeStatus
  resourceClaimStatuses:[PodResourceClaimStatus]@name~+ 18extendedResourceClaimStatus:*PodExtendedResourceClaimStatus
  allocatedResources:ResourceList resources:*ResourceRequirements
  nodeAllocatableResourceClaimStatuses:[NodeAllocatableResourceClaimStatus]@resourceClaimName~
  volumeHealth:[PodVolumeHealth]@name
PodVolumeHealth name:s! healthConditions:[VolumeHealthCondition]@status,reason~status lastTransitionTime:t
ProjectedVolumeSource sources:[VolumeProjection]!? defaultMode:*i defaultUser:*l
SecretVolumeSource secretName:s items:[KeyToPath] defaultMode:*i optional:*b defaultUser:*l
ServiceAccountTokenProjection audience:s expirationSeconds:*l path:s! user:*l
VolumeHealthCondition status:VolumeHealthStatusType! reason:s! message:s
VolumeHealthStatus healthConditions:[VolumeHealthCondition]@status,reason~status lastTransitionTime:t
VolumeMount name:s! readOnly:b 7recursiveReadOnly:*RecursiveReadOnlyMode 3mountPath:s! subPath:s
  mountPropagation:*MountPropagationMode subPathExpr:s 8bindMountOptions:[s]=
-PodStatusResult
package flowcontrol flowcontrol.apiserver.k8s.io io.k8s.api.flowcontrol.v1
FlowSchema ...TypeMeta metadata:meta.ObjectMeta spec:FlowSchemaSpec?! status:FlowSchemaStatus
FlowSchemaCondition type:FlowSchemaConditionType?! status:ConditionStatus lastTransitionTime:t reason:s message:s
LimitedPriorityLevelConfiguration nominalConcurrencyShares:*i!? limitResponse:LimitResponse?! lendablePercent:*i
  borrowingLimitPercent:*i
PriorityLevelConfiguration ...TypeMeta metadata:meta.ObjectMeta spec:PriorityLevelConfigurationSpec?!
  status:PriorityLevelConfigurationStatus
PriorityLevelConfigurationCondition type:PriorityLevelConfigurationConditionType?! status:ConditionStatus
  lastTransitionTime:t reason:s message:s
package lifecycle/v1alpha1 lifecycle.k8s.io io.k8s.api.lifecycle.v1alpha1 off
Eviction ...TypeMeta metadata:meta.ObjectMeta spec:EvictionSpec! status:EvictionStatus
= s EvictionConditionReason EvictionConditionType EvictionParticipantRole EvictionRequestIntent(Eviction|Withdrawn)
  RequesterIntent(Eviction|Withdrawn) ResponderStateType(Active|Canceled|Completed|Inactive|Interrupted)
EvictionList ...TypeMeta metadata:meta.ListMeta items:[Eviction]!
EvictionPodReference name:s! uid(UID):types.UID!
EvictionRequest ...TypeMeta metadata:meta.ObjectMeta spec:EvictionRequestSpec! status:EvictionRequestStatus
EvictionRequestList ...TypeMeta metadata:meta.ListMeta items:[EvictionRequest]!
EvictionRequestPodReference name:s! uid(UID):types.UID!
EvictionRequestSpec target:EvictionRequestTarget! requester:s! intent:EvictionRequestIntent!
EvictionRequestStatus conditions:[meta.Condition]@type~ observedGeneration:*l
EvictionRequestTarget pod:*EvictionRequestPodReference
EvictionSpec target:EvictionTarget!
EvictionStatus conditions:[meta.Condition]@type~ observedGeneration:*l requesters:[Requester]@name~
  targetResponders:[TargetResponder]@name~ responders:[ResponderStatus]@name~
EvictionTarget pod:*EvictionPodReference
Requester# name:s! intent:RequesterIntent!
ResponderStatus name:s! startTime:*t heartbeatTime:*t expectedCompletionTime:*t completionTime:*t message:*s
TargetResponder# name:s! priority:*i! state:ResponderStateType!
package resource resource.k8s.io io.k8s.api.resource.v1
Device name:s! attributes:{QualifiedName:DeviceAttribute} capacity:{QualifiedName:DeviceCapacity}
  consumesCounters:[DeviceCounterConsumption] nodeName:*s nodeSelector:*core.NodeSelector allNodes:*b
  taints:[DeviceTaint] bindsToNode:*b bindingConditions:[s] bindingFailureConditions:[s] allowMultipleAllocations:*b
  14nodeAllocatableResources:{core.ResourceName:NodeAllocatableResource}
DeviceClass ...TypeMeta metadata:meta.ObjectMeta spec:DeviceClassSpec
DeviceCounterConsumption counterSet:s! counters:{Counter}?! compatibilityGroups:[s]
DeviceDerivedAttribute name:FullyQualifiedName! expression:s!
DeviceRequestAllocationResult request:s! driver:s! pool:s! device:s! adminAccess:*b tolerations:[DeviceToleration]
  bindingConditions:[s] bindingFailureConditions:[s] shareID:*types.UID consumedCapacity:{QualifiedName:q}
  skipNodeOperations:[SkipNodeOperation]=
DeviceSubRequest name:s! deviceClassName:s! selectors:[DeviceSelector] allocationMode:DeviceAllocationMode count:l
  tolerations:[DeviceToleration] capacity:*CapacityRequirements derivedAttributes:[DeviceDerivedAttribute]
DeviceTaintRule ...TypeMeta metadata:meta.ObjectMeta spec:DeviceTaintRuleSpec! status:DeviceTaintRuleStatus
DeviceTaintRuleList ...TypeMeta metadata:meta.ListMeta items:[DeviceTaintRule]!
DeviceTaintRuleSpec deviceSelector:*DeviceTaintSelector taint:DeviceTaint?!
DeviceTaintRuleStatus conditions:[meta.Condition]@type~
DeviceTaintSelector 2driver:*s pool:*s device:*s
ExactDeviceRequest deviceClassName:s! selectors:[DeviceSelector] allocationMode:DeviceAllocationMode count:l
  adminAccess:*b tolerations:[DeviceToleration] capacity:*CapacityRequirements
  derivedAttributes:[DeviceDerivedAttribute]
NodeAllocatableMapping capacityKey:*QualifiedName capacityMultiplier:*q deviceMultiplier:*q
NodeAllocatableOverhead perPod:*q perContainer:*q
NodeAllocatableResource 3mapping:*NodeAllocatableMapping overhead:*NodeAllocatableOverhead
ResourceClaim ...TypeMeta metadata:meta.ObjectMeta spec:ResourceClaimSpec status:ResourceClaimStatus
ResourceClaimTemplate ...TypeMeta metadata:meta.ObjectMeta spec:ResourceClaimTemplateSpec
ResourceClaimTemplateSpec metadata:meta.ObjectMeta spec:ResourceClaimSpec
ResourceSliceSpec driver:s! pool:ResourcePool! nodeName:*s nodeSelector:*core.NodeSelector allNodes:*b devices:[Device]
  perDeviceNodeSelection:*b sharedCounters:[CounterSet] partitionTypeAttribute:*FullyQualifiedName
  skipNodeOperations:[SkipNodeOperation]=
= s SkipNodeOperation(*|NodePrepareResources|NodeUnprepareResources)
-NodeAllocatableResourceMapping
package resource/v1alpha3 resource.k8s.io io.k8s.api.resource.v1alpha3 off
PartitionTypeStatus 4attribute:s?! 1type:s?! total:*i?! allocatable:*i?!
PoolStatus driver:s?! poolName:s?! 9generation:l! 8resourceSliceCount:*i 4totalDevices:*i allocatedDevices:*i
  availableDevices:*i unavailableDevices:*i 3nodeName:*s 10validationError:*s partitionSummary:[PartitionTypeStatus]
  13shareableSummary:*ShareableSummaryStatus
ResourcePoolStatusRequestSpec driver:s! poolName:*s limit:*i defaultPartitionTypeAttribute:*s
ShareableCapacityStatus name:s?! total:*q?! consumed:*q?! available:*q?!
ShareableSummaryStatus fullyAvailableDevices:*i?! partiallyAvailableDevices:*i?! capacity:[ShareableCapacityStatus]
package resource/v1beta1 resource.k8s.io io.k8s.api.resource.v1beta1 off
BasicDevice attributes:{QualifiedName:DeviceAttribute} capacity:{QualifiedName:DeviceCapacity}
  consumesCounters:[DeviceCounterConsumption] nodeName:*s nodeSelector:*core.NodeSelector allNodes:*b
  taints:[DeviceTaint] bindsToNode:*b bindingConditions:[s] bindingFailureConditions:[s] allowMultipleAllocations:*b
  14nodeAllocatableResources:{core.ResourceName:NodeAllocatableResource}
DeviceClass ...TypeMeta metadata:meta.ObjectMeta spec:DeviceClassSpec
DeviceCounterConsumption counterSet:s! counters:{Counter}?! compatibilityGroups:[s]
DeviceDerivedAttribute name:FullyQualifiedName! expression:s!
DeviceRequest name:s! deviceClassName:s!? selectors:[DeviceSelector] allocationMode:DeviceAllocationMode count:l
  adminAccess:*b firstAvailable:[DeviceSubRequest] tolerations:[DeviceToleration] capacity:*CapacityRequirements
  derivedAttributes:[DeviceDerivedAttribute]
DeviceRequestAllocationResult request:s! driver:s! pool:s! device:s! adminAccess:*b tolerations:[DeviceToleration]
  bindingConditions:[s] bindingFailureConditions:[s] shareID:*types.UID consumedCapacity:{QualifiedName:q}
  skipNodeOperations:[SkipNodeOperation]=
DeviceSubRequest name:s! deviceClassName:s! selectors:[DeviceSelector] allocationMode:DeviceAllocationMode count:l
  7tolerations:[DeviceToleration] capacity:*CapacityRequirements derivedAttributes:[DeviceDerivedAttribute]
NodeAllocatableMapping capacityKey:*QualifiedName capacityMultiplier:*q deviceMultiplier:*q
NodeAllocatableOverhead perPod:*q perContainer:*q
NodeAllocatableResource 3mapping:*NodeAllocatableMapping overhead:*NodeAllocatableOverhead
ResourceClaim ...TypeMeta metadata:meta.ObjectMeta spec:ResourceClaimSpec status:ResourceClaimStatus
ResourceClaimTemplate ...TypeMeta metadata:meta.ObjectMeta spec:ResourceClaimTemplateSpec
ResourceClaimTemplateSpec metadata:meta.ObjectMeta spec:ResourceClaimSpec
ResourceSliceSpec driver:s! pool:ResourcePool! nodeName:s nodeSelector:*core.NodeSelector allNodes:b devices:[Device]
  perDeviceNodeSelection:*b sharedCounters:[CounterSet] partitionTypeAttribute:*FullyQualifiedName
  skipNodeOperations:[SkipNodeOperation]=
= s SkipNodeOperation(*|NodePrepareResources|NodeUnprepareResources)
-NodeAllocatableResourceMapping
package resource/v1beta2 resource.k8s.io io.k8s.api.resource.v1beta2 off
Device name:s! attributes:{QualifiedName:DeviceAttribute} capacity:{QualifiedName:DeviceCapacity}
  consumesCounters:[DeviceCounterConsumption] nodeName:*s nodeSelector:*core.NodeSelector allNodes:*b
  taints:[DeviceTaint] bindsToNode:*b bindingConditions:[s] bindingFailureConditions:[s] allowMultipleAllocations:*b
  14nodeAllocatableResources:{core.ResourceName:NodeAllocatableResource}
DeviceClass ...TypeMeta metadata:meta.ObjectMeta spec:DeviceClassSpec
DeviceCounterConsumption counterSet:s! counters:{Counter}?! compatibilityGroups:[s]
DeviceDerivedAttribute name:FullyQualifiedName! expression:s!
DeviceRequestAllocationResult request:s! driver:s! pool:s! device:s! adminAccess:*b tolerations:[DeviceToleration]
  bindingConditions:[s] bindingFailureConditions:[s] shareID:*types.UID consumedCapacity:{QualifiedName:q}
  skipNodeOperations:[SkipNodeOperation]=
DeviceSubRequest name:s! deviceClassName:s! selectors:[DeviceSelector] allocationMode:DeviceAllocationMode count:l
  tolerations:[DeviceToleration] capacity:*CapacityRequirements derivedAttributes:[DeviceDerivedAttribute]
ExactDeviceRequest deviceClassName:s! selectors:[DeviceSelector] allocationMode:DeviceAllocationMode count:l
  adminAccess:*b tolerations:[DeviceToleration] capacity:*CapacityRequirements
  derivedAttributes:[DeviceDerivedAttribute]
NodeAllocatableMapping capacityKey:*QualifiedName capacityMultiplier:*q deviceMultiplier:*q
NodeAllocatableOverhead perPod:*q perContainer:*q
NodeAllocatableResource 3mapping:*NodeAllocatableMapping overhead:*NodeAllocatableOverhead
ResourceClaim ...TypeMeta metadata:meta.ObjectMeta spec:ResourceClaimSpec status:ResourceClaimStatus
ResourceClaimTemplate ...TypeMeta metadata:meta.ObjectMeta spec:ResourceClaimTemplateSpec
ResourceClaimTemplateSpec metadata:meta.ObjectMeta spec:ResourceClaimSpec
ResourceSliceSpec driver:s! pool:ResourcePool! nodeName:*s nodeSelector:*core.NodeSelector allNodes:*b devices:[Device]
  perDeviceNodeSelection:*b sharedCounters:[CounterSet] partitionTypeAttribute:*FullyQualifiedName
  skipNodeOperations:[SkipNodeOperation]=
= s SkipNodeOperation(*|NodePrepareResources|NodeUnprepareResources)
-NodeAllocatableResourceMapping
package scheduling/v1alpha3 scheduling.k8s.io io.k8s.api.scheduling.v1alpha3 off
AllCompositeDisruptionMode
AllDisruptionMode
BasicSchedulingPolicy
CompositeBasicSchedulingPolicy
CompositeDisruptionMode single:*SingleCompositeDisruptionMode all:*AllCompositeDisruptionMode
CompositeGangSchedulingPolicy minGroupCount:i!
CompositePodGroup ...TypeMeta metadata:meta.ObjectMeta spec:CompositePodGroupSpec! status:CompositePodGroupStatus
CompositePodGroupList ...TypeMeta metadata:meta.ListMeta items:[CompositePodGroup]!
CompositePodGroupSchedulingConstraints topology:[TopologyConstraint]
CompositePodGroupSchedulingPolicy basic:*CompositeBasicSchedulingPolicy gang:*CompositeGangSchedulingPolicy
CompositePodGroupSpec parentCompositePodGroupName:*s workloadRef:*WorkloadReference!
  schedulingPolicy:CompositePodGroupSchedulingPolicy! schedulingConstraints:*CompositePodGroupSchedulingConstraints
  disruptionMode:*CompositeDisruptionMode priorityClassName:s priority:*i preemptionPolicy:*PreemptionPolicy
CompositePodGroupStatus conditions:[meta.Condition]@type~
CompositePodGroupTemplate name:s! schedulingPolicy:CompositePodGroupSchedulingPolicy!
  schedulingConstraints:*CompositePodGroupSchedulingConstraints disruptionMode:*CompositeDisruptionMode
  priorityClassName:s priority:*i preemptionPolicy:*PreemptionPolicy podGroupTemplates:[PodGroupTemplate]@name
  compositePodGroupTemplates:[CompositePodGroupTemplate]@name
DisruptionMode single:*SingleDisruptionMode all:*AllDisruptionMode
GangSchedulingPolicy minCount:i!
PodGroup ...TypeMeta metadata:meta.ObjectMeta spec:PodGroupSpec! status:PodGroupStatus
PodGroupList ...TypeMeta metadata:meta.ListMeta items:[PodGroup]!
PodGroupResourceClaim name:s! resourceClaimName:*s resourceClaimTemplateName:*s
PodGroupResourceClaimStatus name:s! resourceClaimName:*s
PodGroupSchedulingConstraints topology:[TopologyConstraint]
PodGroupSchedulingPolicy basic:*BasicSchedulingPolicy gang:*GangSchedulingPolicy
PodGroupSpec parentCompositePodGroupName:*s workloadRef:*WorkloadReference schedulingPolicy:PodGroupSchedulingPolicy!
  schedulingConstraints:*PodGroupSchedulingConstraints resourceClaims:[PodGroupResourceClaim]@name~+
  disruptionMode:*DisruptionMode priorityClassName:s priority:*i preemptionPolicy:*PreemptionPolicy
PodGroupStatus conditions:[meta.Condition]@type~ resourceClaimStatuses:[PodGroupResourceClaimStatus]@name~+
PodGroupTemplate name:s! schedulingPolicy:PodGroupSchedulingPolicy!
  schedulingConstraints:*PodGroupSchedulingConstraints!? resourceClaims:[PodGroupResourceClaim]@name~+
  disruptionMode:*DisruptionMode priorityClassName:s priority:*i preemptionPolicy:*PreemptionPolicy
= s PreemptionPolicy(Never|PreemptLowerPriority)
SingleCompositeDisruptionMode
SingleDisruptionMode
TopologyConstraint key:s!
TypedLocalObjectReference apiGroup(APIGroup):s kind:s! name:s!
Workload ...TypeMeta metadata:meta.ObjectMeta spec:WorkloadSpec!
WorkloadCompositePodGroupAllDisruptionMode
WorkloadCompositePodGroupBasicSchedulingPolicy
WorkloadCompositePodGroupDisruptionMode single:*WorkloadCompositePodGroupSingleDisruptionMode
  all:*WorkloadCompositePodGroupAllDisruptionMode
WorkloadCompositePodGroupGangSchedulingPolicy minGroupCount:*i
WorkloadCompositePodGroupSchedulingConstraints topology:[TopologyConstraint]
WorkloadCompositePodGroupSchedulingPolicy basic:*WorkloadCompositePodGroupBasicSchedulingPolicy
  gang:*WorkloadCompositePodGroupGangSchedulingPolicy
WorkloadCompositePodGroupSingleDisruptionMode
WorkloadList ...TypeMeta metadata:meta.ListMeta items:[Workload]!
WorkloadPodGroupAllDisruptionMode
WorkloadPodGroupBasicSchedulingPolicy
WorkloadPodGroupDisruptionMode single:*WorkloadPodGroupSingleDisruptionMode all:*WorkloadPodGroupAllDisruptionMode
WorkloadPodGroupGangSchedulingPolicy minCount:*i
WorkloadPodGroupResourceClaim name:s! resourceClaimName:*s resourceClaimTemplateName:*s
WorkloadPodGroupSchedulingConstraints topology:[TopologyConstraint]
WorkloadPodGroupSchedulingPolicy basic:*WorkloadPodGroupBasicSchedulingPolicy gang:*WorkloadPodGroupGangSchedulingPolicy
WorkloadPodGroupSingleDisruptionMode
WorkloadReference workloadName:s! templateName:s!
WorkloadSpec controllerRef:*TypedLocalObjectReference podGroupTemplates:[PodGroupTemplate]!?@name
  compositePodGroupTemplates:[CompositePodGroupTemplate]@name
package scheduling/v1beta1 scheduling.k8s.io io.k8s.api.scheduling.v1beta1 off
AllCompositeDisruptionMode
AllDisruptionMode
BasicSchedulingPolicy
CompositeBasicSchedulingPolicy
CompositeDisruptionMode single:*SingleCompositeDisruptionMode all:*AllCompositeDisruptionMode
CompositeGangSchedulingPolicy minGroupCount:i!
CompositePodGroupSchedulingConstraints topology:[TopologyConstraint]
CompositePodGroupSchedulingPolicy basic:*CompositeBasicSchedulingPolicy gang:*CompositeGangSchedulingPolicy
CompositePodGroupTemplate name:s! schedulingPolicy:CompositePodGroupSchedulingPolicy!
  schedulingConstraints:*CompositePodGroupSchedulingConstraints disruptionMode:*CompositeDisruptionMode
  priorityClassName:s priority:*i preemptionPolicy:*PreemptionPolicy podGroupTemplates:[PodGroupTemplate]@name
  compositePodGroupTemplates:[CompositePodGroupTemplate]@name
DisruptionMode single:*SingleDisruptionMode all:*AllDisruptionMode
GangSchedulingPolicy minCount:i!
PodGroup ...TypeMeta metadata:meta.ObjectMeta spec:PodGroupSpec! status:PodGroupStatus
PodGroupList ...TypeMeta metadata:meta.ListMeta items:[PodGroup]!
PodGroupResourceClaim name:s! resourceClaimName:*s resourceClaimTemplateName:*s
PodGroupResourceClaimStatus name:s! resourceClaimName:*s
PodGroupSchedulingConstraints topology:[TopologyConstraint]
PodGroupSchedulingPolicy basic:*BasicSchedulingPolicy gang:*GangSchedulingPolicy
PodGroupSpec parentCompositePodGroupName:*s workloadRef:*WorkloadReference schedulingPolicy:PodGroupSchedulingPolicy!
  schedulingConstraints:*PodGroupSchedulingConstraints resourceClaims:[PodGroupResourceClaim]@name~+
  disruptionMode:*DisruptionMode priorityClassName:s priority:*i preemptionPolicy:*PreemptionPolicy
PodGroupStatus conditions:[meta.Condition]@type~ resourceClaimStatuses:[PodGroupResourceClaimStatus]@name~+
PodGroupTemplate name:s! schedulingPolicy:PodGroupSchedulingPolicy!
  schedulingConstraints:*PodGroupSchedulingConstraints!? resourceClaims:[PodGroupResourceClaim]@name~+
  disruptionMode:*DisruptionMode priorityClassName:s priority:*i preemptionPolicy:*PreemptionPolicy
= s PreemptionPolicy(Never|PreemptLowerPriority)
PriorityClass ...TypeMeta metadata:meta.ObjectMeta value:i!? globalDefault:b description:s
  preemptionPolicy:*core.PreemptionPolicy
PriorityClassList ...TypeMeta metadata:meta.ListMeta items:[PriorityClass]!
SingleCompositeDisruptionMode
SingleDisruptionMode
TopologyConstraint key:s!
TypedLocalObjectReference apiGroup(APIGroup):s kind:s! name:s!
Workload ...TypeMeta metadata:meta.ObjectMeta spec:WorkloadSpec!
WorkloadList ...TypeMeta metadata:meta.ListMeta items:[Workload]!
WorkloadReference workloadName:s! templateName:s!
WorkloadSpec controllerRef:*TypedLocalObjectReference podGroupTemplates:[PodGroupTemplate]!?@name
  compositePodGroupTemplates:[CompositePodGroupTemplate]@name
package storage storage.k8s.io io.k8s.api.storage.v1
CSINode ...TypeMeta metadata:meta.ObjectMeta spec:CSINodeSpec! status:CSINodeStatus
CSINodeStatus storageHealth:[StorageHealth]@name~
StorageHealth name:s! healthConditions:[StorageHealthCondition]
StorageHealthCondition status:StorageHealthStatusType! reason:s! message:s accessMode:*core.PersistentVolumeAccessMode
  volumeMode:*core.PersistentVolumeMode lastTransitionTime:t
= s StorageHealthStatusType(StorageDegraded|StorageUnreachable)
package storagemigration storagemigration.k8s.io io.k8s.api.storagemigration.v1
= s MigrationConditionType
StorageVersionMigration ...TypeMeta metadata:meta.ObjectMeta spec:StorageVersionMigrationSpec
  status:StorageVersionMigrationStatus
StorageVersionMigrationList ...TypeMeta metadata:meta.ListMeta items:[StorageVersionMigration]!
StorageVersionMigrationSpec resource:meta.GroupResource!
StorageVersionMigrationStatus conditions:[meta.Condition]@type~ resourceVersion:s
-package certificates/v1alpha1
-package networking/v1beta1
-package storage/v1beta1
-package scheduling/v1alpha2
`
