// Written by `npm run generate -- v1.34.11`; do not edit. The notation is explained in src/api/schema/type-table.ts.

/** The types of v1.34.11, from the package networking/v1beta1 on. */
export const apiTypes = `
package networking/v1beta1 networking.k8s.io io.k8s.api.networking.v1beta1 off
HTTPIngressPath path:s 3pathType:*PathType 2backend:IngressBackend!
HTTPIngressRuleValue paths:[HTTPIngressPath]!
IPAddress ...TypeMeta metadata:meta.ObjectMeta spec:IPAddressSpec
IPAddressList ...TypeMeta metadata:meta.ListMeta items:[IPAddress]!
IPAddressSpec parentRef:*ParentReference?!
Ingress ...TypeMeta metadata:meta.ObjectMeta spec:IngressSpec status:IngressStatus
IngressBackend serviceName:s servicePort:is resource:*core.TypedLocalObjectReference
IngressClass ...TypeMeta metadata:meta.ObjectMeta spec:IngressClassSpec
IngressClassList ...TypeMeta metadata:meta.ListMeta items:[IngressClass]!
IngressClassParametersReference apiGroup(APIGroup):*s kind:s! name:s! scope:*s! namespace:*s
IngressClassSpec controller:s parameters:*IngressClassParametersReference
IngressList ...TypeMeta metadata:meta.ListMeta items:[Ingress]!
IngressLoadBalancerIngress ip(IP):s hostname:s 4ports:[IngressPortStatus]
IngressLoadBalancerStatus ingress:[IngressLoadBalancerIngress]
IngressPortStatus port:i! protocol:core.Protocol! error:*s
IngressRule host:s ...IngressRuleValue
IngressRuleValue http(HTTP):*HTTPIngressRuleValue
IngressSpec 4ingressClassName:*s 1backend:*IngressBackend tls(TLS):[IngressTLS] rules:[IngressRule]
IngressStatus loadBalancer:IngressLoadBalancerStatus
IngressTLS hosts:[s] secretName:s
ParentReference group:s resource:s?! namespace:s name:s?!
= s PathType
ServiceCIDR ...TypeMeta metadata:meta.ObjectMeta spec:ServiceCIDRSpec status:ServiceCIDRStatus
ServiceCIDRList ...TypeMeta metadata:meta.ListMeta items:[ServiceCIDR]!
ServiceCIDRSpec cidrs(CIDRs):[s]
ServiceCIDRStatus conditions:[meta.Condition]@type~
package node node.k8s.io io.k8s.api.node.v1
Overhead podFixed:core.ResourceList
RuntimeClass ...TypeMeta metadata:meta.ObjectMeta handler:s! overhead:*Overhead scheduling:*Scheduling
RuntimeClassList ...TypeMeta metadata:meta.ListMeta items:[RuntimeClass]!
Scheduling nodeSelector:{s}# tolerations:[core.Toleration]
package policy policy io.k8s.api.policy.v1
Eviction ...TypeMeta metadata:meta.ObjectMeta deleteOptions:*meta.DeleteOptions
PodDisruptionBudget ...TypeMeta metadata:meta.ObjectMeta spec:PodDisruptionBudgetSpec status:PodDisruptionBudgetStatus
PodDisruptionBudgetList ...TypeMeta metadata:meta.ListMeta items:[PodDisruptionBudget]!
PodDisruptionBudgetSpec minAvailable:*is selector:*meta.LabelSelector= maxUnavailable:*is
  unhealthyPodEvictionPolicy:*UnhealthyPodEvictionPolicyType
PodDisruptionBudgetStatus observedGeneration:l disruptedPods:{t} disruptionsAllowed:i! currentHealthy:i!
  desiredHealthy:i! expectedPods:i! conditions:[meta.Condition]@type~
= s UnhealthyPodEvictionPolicyType(AlwaysAllow|IfHealthyBudget)
package rbac rbac.authorization.k8s.io io.k8s.api.rbac.v1
AggregationRule clusterRoleSelectors:[meta.LabelSelector]
ClusterRole ...TypeMeta metadata:meta.ObjectMeta rules:[PolicyRule]!? aggregationRule:*AggregationRule
ClusterRoleBinding ...TypeMeta metadata:meta.ObjectMeta subjects:[Subject] roleRef:RoleRef!
ClusterRoleBindingList ...TypeMeta metadata:meta.ListMeta items:[ClusterRoleBinding]!
ClusterRoleList ...TypeMeta metadata:meta.ListMeta items:[ClusterRole]!
PolicyRule verbs:[s]! apiGroups(APIGroups):[s] resources:[s] resourceNames:[s] nonResourceURLs:[s]
Role ...TypeMeta metadata:meta.ObjectMeta rules:[PolicyRule]!?
RoleBinding ...TypeMeta metadata:meta.ObjectMeta subjects:[Subject] roleRef:RoleRef!
RoleBindingList ...TypeMeta metadata:meta.ListMeta items:[RoleBinding]!
RoleList ...TypeMeta metadata:meta.ListMeta items:[Role]!
RoleRef# apiGroup(APIGroup):s! kind:s! name:s!
Subject# kind:s! apiGroup(APIGroup):s name:s! namespace:s
package resource resource.k8s.io io.k8s.api.resource.v1
AllocatedDeviceStatus driver:s! pool:s! device:s! 7shareID:*s 4conditions:[meta.Condition]!?@type data:*j#
  networkData:*NetworkDeviceData
= s AllocationConfigSource DeviceAllocationMode DeviceTaintEffect(NoExecute|NoSchedule)
  DeviceTolerationOperator(Equal|Exists) FullyQualifiedName QualifiedName
AllocationResult devices:DeviceAllocationResult 3nodeSelector:*core.NodeSelector 5allocationTimestamp:*t
CELDeviceSelector expression:s!
CapacityRequestPolicy default:*q!? 3validValues:[q] validRange:*CapacityRequestPolicyRange
CapacityRequestPolicyRange min:*q?! max:*q step:*q
CapacityRequirements requests:{QualifiedName:q}
Counter value:q!
CounterSet name:s! counters:{Counter}?!
Device name:s! attributes:{QualifiedName:DeviceAttribute} capacity:{QualifiedName:DeviceCapacity}
  consumesCounters:[DeviceCounterConsumption] nodeName:*s nodeSelector:*core.NodeSelector allNodes:*b
  taints:[DeviceTaint] bindsToNode:*b bindingConditions:[s] bindingFailureConditions:[s] allowMultipleAllocations:*b
DeviceAllocationConfiguration source:AllocationConfigSource! requests:[s] ...DeviceConfiguration
DeviceAllocationResult results:[DeviceRequestAllocationResult] config:[DeviceAllocationConfiguration]
DeviceAttribute 2int(IntValue):*l bool(BoolValue):*b string(StringValue):*s version(VersionValue):*s
DeviceCapacity value:q! requestPolicy:*CapacityRequestPolicy
DeviceClaim requests:[DeviceRequest]!? constraints:[DeviceConstraint] config:[DeviceClaimConfiguration]
DeviceClaimConfiguration requests:[s] ...DeviceConfiguration
DeviceClass ...TypeMeta metadata:meta.ObjectMeta spec:DeviceClassSpec!
DeviceClassConfiguration ...DeviceConfiguration
DeviceClassList ...TypeMeta metadata:meta.ListMeta items:[DeviceClass]!
DeviceClassSpec selectors:[DeviceSelector] config:[DeviceClassConfiguration] 4extendedResourceName:*s
DeviceConfiguration opaque:*OpaqueDeviceConfiguration
DeviceConstraint requests:[s] matchAttribute:*FullyQualifiedName distinctAttribute:*FullyQualifiedName
DeviceCounterConsumption counterSet:s! counters:{Counter}?!
DeviceRequest name:s! exactly:*ExactDeviceRequest firstAvailable:[DeviceSubRequest]
DeviceRequestAllocationResult request:s! driver:s! pool:s! device:s! adminAccess:*b tolerations:[DeviceToleration]
  bindingConditions:[s] bindingFailureConditions:[s] shareID:*types.UID consumedCapacity:{QualifiedName:q}
DeviceSelector cel(CEL):*CELDeviceSelector
DeviceSubRequest name:s! deviceClassName:s! selectors:[DeviceSelector] allocationMode:DeviceAllocationMode count:l
  tolerations:[DeviceToleration] capacity:*CapacityRequirements
DeviceTaint key:s! value:s effect:DeviceTaintEffect! timeAdded:*t
DeviceToleration key:s operator:DeviceTolerationOperator value:s effect:DeviceTaintEffect tolerationSeconds:*l
ExactDeviceRequest deviceClassName:s! selectors:[DeviceSelector] allocationMode:DeviceAllocationMode count:l
  adminAccess:*b tolerations:[DeviceToleration] capacity:*CapacityRequirements
NetworkDeviceData interfaceName:s ips(IPs):[s] hardwareAddress:s
OpaqueDeviceConfiguration driver:s! parameters:j!#
ResourceClaim ...TypeMeta metadata:meta.ObjectMeta spec:ResourceClaimSpec! status:ResourceClaimStatus
ResourceClaimConsumerReference apiGroup(APIGroup):s 3resource:s! name:s! uid(UID):types.UID!
ResourceClaimList ...TypeMeta metadata:meta.ListMeta items:[ResourceClaim]!
ResourceClaimSpec devices:DeviceClaim
ResourceClaimStatus allocation:*AllocationResult reservedFor:[ResourceClaimConsumerReference]@uid~
  4devices:[AllocatedDeviceStatus]@driver,device,pool,shareID
ResourceClaimTemplate ...TypeMeta metadata:meta.ObjectMeta spec:ResourceClaimTemplateSpec!
ResourceClaimTemplateList ...TypeMeta metadata:meta.ListMeta items:[ResourceClaimTemplate]!
ResourceClaimTemplateSpec metadata:meta.ObjectMeta spec:ResourceClaimSpec!
ResourcePool name:s! generation:l! resourceSliceCount:l!
ResourceSlice ...TypeMeta metadata:meta.ObjectMeta spec:ResourceSliceSpec!
ResourceSliceList ...TypeMeta metadata:meta.ListMeta items:[ResourceSlice]!
ResourceSliceSpec driver:s! pool:ResourcePool! nodeName:*s nodeSelector:*core.NodeSelector allNodes:*b
  devices:[Device]!? perDeviceNodeSelection:*b sharedCounters:[CounterSet]
package resource/v1alpha3 resource.k8s.io io.k8s.api.resource.v1alpha3 off
CELDeviceSelector expression:s!
DeviceSelector cel(CEL):*CELDeviceSelector
DeviceTaint key:s! value:s effect:DeviceTaintEffect! timeAdded:*t
= s DeviceTaintEffect(NoExecute|NoSchedule)
DeviceTaintRule ...TypeMeta metadata:meta.ObjectMeta spec:DeviceTaintRuleSpec!
DeviceTaintRuleList ...TypeMeta metadata:meta.ListMeta items:[DeviceTaintRule]!
DeviceTaintRuleSpec deviceSelector:*DeviceTaintSelector taint:DeviceTaint?!
DeviceTaintSelector deviceClassName:*s driver:*s pool:*s device:*s selectors:[DeviceSelector]
package resource/v1beta1 resource.k8s.io io.k8s.api.resource.v1beta1 off
AllocatedDeviceStatus driver:s! pool:s! device:s! 7shareID:*s 4conditions:[meta.Condition]!?@type data:*j#
  networkData:*NetworkDeviceData
= s AllocationConfigSource DeviceAllocationMode DeviceTaintEffect(NoExecute|NoSchedule)
  DeviceTolerationOperator(Equal|Exists) FullyQualifiedName QualifiedName
AllocationResult devices:DeviceAllocationResult 3nodeSelector:*core.NodeSelector 5allocationTimestamp:*t
BasicDevice attributes:{QualifiedName:DeviceAttribute} capacity:{QualifiedName:DeviceCapacity}
  consumesCounters:[DeviceCounterConsumption] nodeName:*s nodeSelector:*core.NodeSelector allNodes:*b
  taints:[DeviceTaint] bindsToNode:*b bindingConditions:[s] bindingFailureConditions:[s] allowMultipleAllocations:*b
CELDeviceSelector expression:s!
CapacityRequestPolicy default:*q!? 3validValues:[q] validRange:*CapacityRequestPolicyRange
CapacityRequestPolicyRange min:*q?! max:*q step:*q
CapacityRequirements requests:{QualifiedName:q}
Counter value:q!
CounterSet name:s! counters:{Counter}?!
Device name:s! basic:*BasicDevice
DeviceAllocationConfiguration source:AllocationConfigSource! requests:[s] ...DeviceConfiguration
DeviceAllocationResult results:[DeviceRequestAllocationResult] config:[DeviceAllocationConfiguration]
DeviceAttribute 2int(IntValue):*l bool(BoolValue):*b string(StringValue):*s version(VersionValue):*s
DeviceCapacity value:q! requestPolicy:*CapacityRequestPolicy
DeviceClaim requests:[DeviceRequest]!? constraints:[DeviceConstraint] config:[DeviceClaimConfiguration]
DeviceClaimConfiguration requests:[s] ...DeviceConfiguration
DeviceClass ...TypeMeta metadata:meta.ObjectMeta spec:DeviceClassSpec!
DeviceClassConfiguration ...DeviceConfiguration
DeviceClassList ...TypeMeta metadata:meta.ListMeta items:[DeviceClass]!
DeviceClassSpec selectors:[DeviceSelector] config:[DeviceClassConfiguration] 4extendedResourceName:*s
DeviceConfiguration opaque:*OpaqueDeviceConfiguration
DeviceConstraint requests:[s] matchAttribute:*FullyQualifiedName distinctAttribute:*FullyQualifiedName
DeviceCounterConsumption counterSet:s! counters:{Counter}?!
DeviceRequest name:s! deviceClassName:s!? selectors:[DeviceSelector] allocationMode:DeviceAllocationMode count:l
  adminAccess:*b firstAvailable:[DeviceSubRequest] tolerations:[DeviceToleration] capacity:*CapacityRequirements
DeviceRequestAllocationResult request:s! driver:s! pool:s! device:s! adminAccess:*b tolerations:[DeviceToleration]
  bindingConditions:[s] bindingFailureConditions:[s] shareID:*types.UID consumedCapacity:{QualifiedName:q}
DeviceSelector cel(CEL):*CELDeviceSelector
DeviceSubRequest name:s! deviceClassName:s! selectors:[DeviceSelector] allocationMode:DeviceAllocationMode count:l
  7tolerations:[DeviceToleration] capacity:*CapacityRequirements
DeviceTaint key:s! value:s effect:DeviceTaintEffect! timeAdded:*t
DeviceToleration key:s operator:DeviceTolerationOperator value:s effect:DeviceTaintEffect tolerationSeconds:*l
NetworkDeviceData interfaceName:s ips(IPs):[s] hardwareAddress:s
OpaqueDeviceConfiguration driver:s! parameters:j!#
ResourceClaim ...TypeMeta metadata:meta.ObjectMeta spec:ResourceClaimSpec! status:ResourceClaimStatus
ResourceClaimConsumerReference apiGroup(APIGroup):s 3resource:s! name:s! uid(UID):types.UID!
ResourceClaimList ...TypeMeta metadata:meta.ListMeta items:[ResourceClaim]!
ResourceClaimSpec devices:DeviceClaim
ResourceClaimStatus allocation:*AllocationResult reservedFor:[ResourceClaimConsumerReference]@uid~
  4devices:[AllocatedDeviceStatus]@driver,device,pool,shareID
ResourceClaimTemplate ...TypeMeta metadata:meta.ObjectMeta spec:ResourceClaimTemplateSpec!
ResourceClaimTemplateList ...TypeMeta metadata:meta.ListMeta items:[ResourceClaimTemplate]!
ResourceClaimTemplateSpec metadata:meta.ObjectMeta spec:ResourceClaimSpec!
ResourcePool name:s! generation:l! resourceSliceCount:l!
ResourceSlice ...TypeMeta metadata:meta.ObjectMeta spec:ResourceSliceSpec!
ResourceSliceList ...TypeMeta metadata:meta.ListMeta items:[ResourceSlice]!
ResourceSliceSpec driver:s! pool:ResourcePool! nodeName:s nodeSelector:*core.NodeSelector allNodes:b devices:[Device]!?
  perDeviceNodeSelection:*b sharedCounters:[CounterSet]
package resource/v1beta2 resource.k8s.io io.k8s.api.resource.v1beta2 off
AllocatedDeviceStatus driver:s! pool:s! device:s! 7shareID:*s 4conditions:[meta.Condition]!?@type data:*j#
  networkData:*NetworkDeviceData
= s AllocationConfigSource DeviceAllocationMode DeviceTaintEffect(NoExecute|NoSchedule)
  DeviceTolerationOperator(Equal|Exists) FullyQualifiedName QualifiedName
AllocationResult devices:DeviceAllocationResult 3nodeSelector:*core.NodeSelector 5allocationTimestamp:*t
CELDeviceSelector expression:s!
CapacityRequestPolicy default:*q!? 3validValues:[q] validRange:*CapacityRequestPolicyRange
CapacityRequestPolicyRange min:*q?! max:*q step:*q
CapacityRequirements requests:{QualifiedName:q}
Counter value:q!
CounterSet name:s! counters:{Counter}?!
Device name:s! attributes:{QualifiedName:DeviceAttribute} capacity:{QualifiedName:DeviceCapacity}
  consumesCounters:[DeviceCounterConsumption] nodeName:*s nodeSelector:*core.NodeSelector allNodes:*b
  taints:[DeviceTaint] bindsToNode:*b bindingConditions:[s] bindingFailureConditions:[s] allowMultipleAllocations:*b
DeviceAllocationConfiguration source:AllocationConfigSource! requests:[s] ...DeviceConfiguration
DeviceAllocationResult results:[DeviceRequestAllocationResult] config:[DeviceAllocationConfiguration]
DeviceAttribute 2int(IntValue):*l bool(BoolValue):*b string(StringValue):*s version(VersionValue):*s
DeviceCapacity value:q! requestPolicy:*CapacityRequestPolicy
DeviceClaim requests:[DeviceRequest]!? constraints:[DeviceConstraint] config:[DeviceClaimConfiguration]
DeviceClaimConfiguration requests:[s] ...DeviceConfiguration
DeviceClass ...TypeMeta metadata:meta.ObjectMeta spec:DeviceClassSpec!
DeviceClassConfiguration ...DeviceConfiguration
DeviceClassList ...TypeMeta metadata:meta.ListMeta items:[DeviceClass]!
DeviceClassSpec selectors:[DeviceSelector] config:[DeviceClassConfiguration] 4extendedResourceName:*s
DeviceConfiguration opaque:*OpaqueDeviceConfiguration
DeviceConstraint requests:[s] matchAttribute:*FullyQualifiedName distinctAttribute:*FullyQualifiedName
DeviceCounterConsumption counterSet:s! counters:{Counter}?!
DeviceRequest name:s! exactly:*ExactDeviceRequest firstAvailable:[DeviceSubRequest]
DeviceRequestAllocationResult request:s! driver:s! pool:s! device:s! adminAccess:*b tolerations:[DeviceToleration]
  bindingConditions:[s] bindingFailureConditions:[s] shareID:*types.UID consumedCapacity:{QualifiedName:q}
DeviceSelector cel(CEL):*CELDeviceSelector
DeviceSubRequest name:s! deviceClassName:s! selectors:[DeviceSelector] allocationMode:DeviceAllocationMode count:l
  tolerations:[DeviceToleration] capacity:*CapacityRequirements
DeviceTaint key:s! value:s effect:DeviceTaintEffect! timeAdded:*t
DeviceToleration key:s operator:DeviceTolerationOperator value:s effect:DeviceTaintEffect tolerationSeconds:*l
ExactDeviceRequest deviceClassName:s! selectors:[DeviceSelector] allocationMode:DeviceAllocationMode count:l
  adminAccess:*b tolerations:[DeviceToleration] capacity:*CapacityRequirements
NetworkDeviceData interfaceName:s ips(IPs):[s] hardwareAddress:s
OpaqueDeviceConfiguration driver:s! parameters:j!#
ResourceClaim ...TypeMeta metadata:meta.ObjectMeta spec:ResourceClaimSpec! status:ResourceClaimStatus
ResourceClaimConsumerReference apiGroup(APIGroup):s 3resource:s! name:s! uid(UID):types.UID!
ResourceClaimList ...TypeMeta metadata:meta.ListMeta items:[ResourceClaim]!
ResourceClaimSpec devices:DeviceClaim
ResourceClaimStatus allocation:*AllocationResult reservedFor:[ResourceClaimConsumerReference]@uid~
  4devices:[AllocatedDeviceStatus]@driver,device,pool,shareID
ResourceClaimTemplate ...TypeMeta metadata:meta.ObjectMeta spec:ResourceClaimTemplateSpec!
ResourceClaimTemplateList ...TypeMeta metadata:meta.ListMeta items:[ResourceClaimTemplate]!
ResourceClaimTemplateSpec metadata:meta.ObjectMeta spec:ResourceClaimSpec!
ResourcePool name:s! generation:l! resourceSliceCount:l!
ResourceSlice ...TypeMeta metadata:meta.ObjectMeta spec:ResourceSliceSpec!
ResourceSliceList ...TypeMeta metadata:meta.ListMeta items:[ResourceSlice]!
ResourceSliceSpec driver:s! pool:ResourcePool! nodeName:*s nodeSelector:*core.NodeSelector allNodes:*b
  devices:[Device]!? perDeviceNodeSelection:*b sharedCounters:[CounterSet]
package scheduling scheduling.k8s.io io.k8s.api.scheduling.v1
PriorityClass ...TypeMeta metadata:meta.ObjectMeta value:i! globalDefault:b description:s
  preemptionPolicy:*core.PreemptionPolicy
PriorityClassList ...TypeMeta metadata:meta.ListMeta items:[PriorityClass]!
package storage storage.k8s.io io.k8s.api.storage.v1
CSIDriver ...TypeMeta metadata:meta.ObjectMeta spec:CSIDriverSpec!
CSIDriverList ...TypeMeta metadata:meta.ListMeta items:[CSIDriver]!
CSIDriverSpec attachRequired:*b podInfoOnMount:*b volumeLifecycleModes:[VolumeLifecycleMode]= storageCapacity:*b
  fsGroupPolicy(FSGroupPolicy):*FSGroupPolicy tokenRequests:[TokenRequest] requiresRepublish:*b
  seLinuxMount(SELinuxMount):*b nodeAllocatableUpdatePeriodSeconds:*l
CSINode ...TypeMeta metadata:meta.ObjectMeta spec:CSINodeSpec!
CSINodeDriver name:s! nodeID:s! topologyKeys:[s]!? allocatable:*VolumeNodeResources
CSINodeList ...TypeMeta metadata:meta.ListMeta items:[CSINode]!
CSINodeSpec drivers:[CSINodeDriver]!@name~
CSIStorageCapacity ...TypeMeta metadata:meta.ObjectMeta nodeTopology:*meta.LabelSelector storageClassName:s! capacity:*q
  maximumVolumeSize:*q
CSIStorageCapacityList ...TypeMeta metadata:meta.ListMeta items:[CSIStorageCapacity]!
= s FSGroupPolicy VolumeBindingMode(Immediate|WaitForFirstConsumer) VolumeLifecycleMode
StorageClass ...TypeMeta metadata:meta.ObjectMeta provisioner:s! parameters:{s}
  reclaimPolicy:*core.PersistentVolumeReclaimPolicy mountOptions:[s] allowVolumeExpansion:*b
  volumeBindingMode:*VolumeBindingMode allowedTopologies:[core.TopologySelectorTerm]
StorageClassList ...TypeMeta metadata:meta.ListMeta items:[StorageClass]!
TokenRequest audience:s! expirationSeconds:*l
VolumeAttachment ...TypeMeta metadata:meta.ObjectMeta spec:VolumeAttachmentSpec! status:VolumeAttachmentStatus
VolumeAttachmentList ...TypeMeta metadata:meta.ListMeta items:[VolumeAttachment]!
VolumeAttachmentSource persistentVolumeName:*s inlineVolumeSpec:*core.PersistentVolumeSpec
VolumeAttachmentSpec attacher:s! source:VolumeAttachmentSource! nodeName:s!
VolumeAttachmentStatus attached:b! attachmentMetadata:{s} attachError:*VolumeError detachError:*VolumeError
VolumeAttributesClass ...TypeMeta metadata:meta.ObjectMeta driverName:s! parameters:{s}
VolumeAttributesClassList ...TypeMeta metadata:meta.ListMeta items:[VolumeAttributesClass]!
VolumeError time:t message:s errorCode:*i
VolumeNodeResources count:*i
package storage/v1alpha1 storage.k8s.io io.k8s.api.storage.v1alpha1 off
CSIStorageCapacity ...TypeMeta metadata:meta.ObjectMeta nodeTopology:*meta.LabelSelector storageClassName:s! capacity:*q
  maximumVolumeSize:*q
CSIStorageCapacityList ...TypeMeta metadata:meta.ListMeta items:[CSIStorageCapacity]!
VolumeAttachment ...TypeMeta metadata:meta.ObjectMeta spec:VolumeAttachmentSpec! status:VolumeAttachmentStatus
VolumeAttachmentList ...TypeMeta metadata:meta.ListMeta items:[VolumeAttachment]!
VolumeAttachmentSource persistentVolumeName:*s inlineVolumeSpec:*core.PersistentVolumeSpec
VolumeAttachmentSpec attacher:s! source:VolumeAttachmentSource! nodeName:s!
VolumeAttachmentStatus attached:b! attachmentMetadata:{s} attachError:*VolumeError detachError:*VolumeError
VolumeAttributesClass ...TypeMeta metadata:meta.ObjectMeta driverName:s! parameters:{s}
VolumeAttributesClassList ...TypeMeta metadata:meta.ListMeta items:[VolumeAttributesClass]!
VolumeError time:t message:s errorCode:*i
package storage/v1beta1 storage.k8s.io io.k8s.api.storage.v1beta1 off
CSIDriver ...TypeMeta metadata:meta.ObjectMeta spec:CSIDriverSpec!
CSIDriverList ...TypeMeta metadata:meta.ListMeta items:[CSIDriver]!
CSIDriverSpec attachRequired:*b podInfoOnMount:*b volumeLifecycleModes:[VolumeLifecycleMode] storageCapacity:*b
  fsGroupPolicy(FSGroupPolicy):*FSGroupPolicy tokenRequests:[TokenRequest] requiresRepublish:*b
  seLinuxMount(SELinuxMount):*b nodeAllocatableUpdatePeriodSeconds:*l
CSINode ...TypeMeta metadata:meta.ObjectMeta spec:CSINodeSpec!
CSINodeDriver name:s! nodeID:s! topologyKeys:[s]!? allocatable:*VolumeNodeResources
CSINodeList ...TypeMeta metadata:meta.ListMeta items:[CSINode]!
CSINodeSpec drivers:[CSINodeDriver]!@name~
CSIStorageCapacity ...TypeMeta metadata:meta.ObjectMeta nodeTopology:*meta.LabelSelector storageClassName:s! capacity:*q
  maximumVolumeSize:*q
CSIStorageCapacityList ...TypeMeta metadata:meta.ListMeta items:[CSIStorageCapacity]!
= s FSGroupPolicy VolumeBindingMode VolumeLifecycleMode
StorageClass ...TypeMeta metadata:meta.ObjectMeta provisioner:s! parameters:{s}
  reclaimPolicy:*core.PersistentVolumeReclaimPolicy mountOptions:[s] allowVolumeExpansion:*b
  volumeBindingMode:*VolumeBindingMode allowedTopologies:[core.TopologySelectorTerm]
StorageClassList ...TypeMeta metadata:meta.ListMeta items:[StorageClass]!
TokenRequest audience:s! expirationSeconds:*l
VolumeAttachment ...TypeMeta metadata:meta.ObjectMeta spec:VolumeAttachmentSpec! status:VolumeAttachmentStatus
VolumeAttachmentList ...TypeMeta metadata:meta.ListMeta items:[VolumeAttachment]!
VolumeAttachmentSource persistentVolumeName:*s inlineVolumeSpec:*core.PersistentVolumeSpec
VolumeAttachmentSpec attacher:s! source:VolumeAttachmentSource! nodeName:s!
VolumeAttachmentStatus attached:b! attachmentMetadata:{s} attachError:*VolumeError detachError:*VolumeError
VolumeAttributesClass ...TypeMeta metadata:meta.ObjectMeta driverName:s! parameters:{s}
VolumeAttributesClassList ...TypeMeta metadata:meta.ListMeta items:[VolumeAttributesClass]!
VolumeError time:t message:s errorCode:*i
VolumeNodeResources count:*i
package storagemigration/v1alpha1 storagemigration.k8s.io io.k8s.api.storagemigration.v1alpha1 off
GroupVersionResource group:s version:s resource:s
MigrationCondition type:MigrationConditionType! status:core.ConditionStatus! lastUpdateTime:t reason:s message:s
= s MigrationConditionType
StorageVersionMigration ...TypeMeta metadata:meta.ObjectMeta spec:StorageVersionMigrationSpec
  status:StorageVersionMigrationStatus
StorageVersionMigrationList ...TypeMeta metadata:meta.ListMeta items:[StorageVersionMigration]!@type~
StorageVersionMigrationSpec resource:GroupVersionResource! continueToken:s
StorageVersionMigrationStatus conditions:[MigrationCondition]@type~ resourceVersion:s
package apiextensions apiextensions.k8s.io io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1
= s ConditionStatus ConversionStrategyType CustomResourceDefinitionConditionType
  FieldValueErrorReason(FieldValueDuplicate|FieldValueForbidden|FieldValueInvalid|FieldValueRequired) JSONSchemaURL
  ResourceScope
ConversionRequest uid(UID):types.UID! desiredAPIVersion:s! objects:[j]!
ConversionResponse uid(UID):types.UID! convertedObjects:[j]! result:meta.Status!
ConversionReview ...TypeMeta request:*ConversionRequest response:*ConversionResponse
CustomResourceColumnDefinition name:s! type:s! format:s description:s priority:i jsonPath(JSONPath):s!
CustomResourceConversion strategy:ConversionStrategyType! webhook:*WebhookConversion
CustomResourceDefinition ...TypeMeta metadata:meta.ObjectMeta spec:CustomResourceDefinitionSpec!
  status:CustomResourceDefinitionStatus
CustomResourceDefinitionCondition type:CustomResourceDefinitionConditionType! status:ConditionStatus!
  lastTransitionTime:t reason:s message:s
CustomResourceDefinitionList ...TypeMeta metadata:meta.ListMeta items:[CustomResourceDefinition]!
CustomResourceDefinitionNames plural:s! singular:s shortNames:[s] kind:s! listKind:s categories:[s]
CustomResourceDefinitionSpec group:s! 3names:CustomResourceDefinitionNames! scope:ResourceScope!
  7versions:[CustomResourceDefinitionVersion]! 9conversion:*CustomResourceConversion preserveUnknownFields:b
CustomResourceDefinitionStatus conditions:[CustomResourceDefinitionCondition]!?@type
  acceptedNames:CustomResourceDefinitionNames storedVersions:[s]!?
CustomResourceDefinitionVersion name:s! served:b! storage:b! 7deprecated:b deprecationWarning:*s
  4schema:*CustomResourceValidation subresources:*CustomResourceSubresources
  additionalPrinterColumns:[CustomResourceColumnDefinition] 9selectableFields:[SelectableField]
CustomResourceSubresourceScale specReplicasPath:s! statusReplicasPath:s! labelSelectorPath:*s
CustomResourceSubresourceStatus
CustomResourceSubresources status:*CustomResourceSubresourceStatus scale:*CustomResourceSubresourceScale
CustomResourceValidation openAPIV3Schema:*JSONSchemaProps
ExternalDocumentation description:s url(URL):s
= {JSONSchemaProps} JSONSchemaDefinitions
= {JSONSchemaPropsOrStringArray} JSONSchemaDependencies
JSONSchemaProps id(ID):s $schema(Schema):JSONSchemaURL $ref(Ref):*s description:s type:s format:s title:s default:*j
  maximum:*f exclusiveMaximum:b minimum:*f exclusiveMinimum:b maxLength:*l minLength:*l pattern:s maxItems:*l
  minItems:*l uniqueItems:b multipleOf:*f enum:[j] maxProperties:*l minProperties:*l required:[s]
  items:*JSONSchemaPropsOrArray allOf:[JSONSchemaProps] oneOf:[JSONSchemaProps] anyOf:[JSONSchemaProps]
  not:*JSONSchemaProps properties:{JSONSchemaProps} additionalProperties:*JSONSchemaPropsOrBool
  patternProperties:{JSONSchemaProps} dependencies:JSONSchemaDependencies additionalItems:*JSONSchemaPropsOrBool
  definitions:JSONSchemaDefinitions externalDocs:*ExternalDocumentation example:*j nullable:b
  x-kubernetes-preserve-unknown-fields(XPreserveUnknownFields):*b x-kubernetes-embedded-resource(XEmbeddedResource):b
  x-kubernetes-int-or-string(XIntOrString):b x-kubernetes-list-map-keys(XListMapKeys):[s]
  x-kubernetes-list-type(XListType):*s x-kubernetes-map-type(XMapType):*s
  x-kubernetes-validations(XValidations):ValidationRules@rule~
= |array:JSONSchemaProps JSONSchemaPropsOrArray
= |bool:JSONSchemaProps JSONSchemaPropsOrBool
= |strings:JSONSchemaProps JSONSchemaPropsOrStringArray
SelectableField jsonPath(JSONPath):s!
ServiceReference namespace:s! name:s! path:*s port:*i
ValidationRule rule:s! message:s messageExpression:s reason:*FieldValueErrorReason fieldPath:s optionalOldSelf:*b
= [ValidationRule] ValidationRules
WebhookClientConfig 3url(URL):*s 1service:*ServiceReference caBundle(CABundle):by
WebhookConversion 2clientConfig:*WebhookClientConfig conversionReviewVersions:[s]!
package apiregistration apiregistration.k8s.io io.k8s.kube-aggregator.pkg.apis.apiregistration.v1
APIService ...TypeMeta metadata:meta.ObjectMeta spec:APIServiceSpec status:APIServiceStatus
APIServiceCondition type:APIServiceConditionType! status:ConditionStatus! lastTransitionTime:t reason:s message:s
= s APIServiceConditionType ConditionStatus
APIServiceList ...TypeMeta metadata:meta.ListMeta items:[APIService]!
APIServiceSpec service:*ServiceReference group:s version:s insecureSkipTLSVerify:b caBundle(CABundle):by
  7groupPriorityMinimum:i! versionPriority:i!
APIServiceStatus conditions:[APIServiceCondition]@type~
ServiceReference namespace:s name:s port:*i
`
