// The notation is explained in parse-types.ts.

/** resource.k8s.io/v1 (v1.36). */
export const deviceTypes = `
= s QualifiedName FullyQualifiedName DeviceTaintEffect DeviceAllocationMode DeviceTolerationOperator
  AllocationConfigSource
ResourceSlice ...TypeMeta metadata:meta.ObjectMeta spec:ResourceSliceSpec!
ResourceSliceSpec driver:s! pool:ResourcePool! nodeName:*s nodeSelector:*core.NodeSelector allNodes:*b
  devices:[Device] perDeviceNodeSelection:*b sharedCounters:[CounterSet]
CounterSet name:s! counters:{Counter}?!
ResourcePool name:s! generation:l! resourceSliceCount:l!
Device name:s! attributes:{DeviceAttribute} capacity:{DeviceCapacity} consumesCounters:[DeviceCounterConsumption]
  nodeName:*s nodeSelector:*core.NodeSelector allNodes:*b taints:[DeviceTaint] bindsToNode:*b bindingConditions:[s]
  bindingFailureConditions:[s] allowMultipleAllocations:*b
  nodeAllocatableResourceMappings:{NodeAllocatableResourceMapping}
NodeAllocatableResourceMapping capacityKey:*QualifiedName allocationMultiplier:*q
DeviceCounterConsumption counterSet:s! counters:{Counter}?!
DeviceCapacity value:q! requestPolicy:*CapacityRequestPolicy
Counter value:q!
CapacityRequestPolicy default:*q!? validValues:[q] validRange:*CapacityRequestPolicyRange
CapacityRequestPolicyRange min:*q?! max:*q step:*q
DeviceAttribute int:*l bool:*b string:*s version:*s ints:[l] bools:[b] strings:[s] versions:[s]
DeviceTaint key:s! value:s effect:DeviceTaintEffect! timeAdded:*t
ResourceClaim ...TypeMeta metadata:meta.ObjectMeta spec:ResourceClaimSpec! status:ResourceClaimStatus
ResourceClaimSpec devices:DeviceClaim
DeviceClaim requests:[DeviceRequest]!? constraints:[DeviceConstraint] config:[DeviceClaimConfiguration]
DeviceRequest name:s! exactly:*ExactDeviceRequest firstAvailable:[DeviceSubRequest]
ExactDeviceRequest deviceClassName:s! selectors:[DeviceSelector] allocationMode:DeviceAllocationMode count:l
  adminAccess:*b tolerations:[DeviceToleration] capacity:*CapacityRequirements
DeviceSubRequest name:s! deviceClassName:s! selectors:[DeviceSelector] allocationMode:DeviceAllocationMode count:l
  tolerations:[DeviceToleration] capacity:*CapacityRequirements
CapacityRequirements requests:{q}
DeviceSelector cel:*CELDeviceSelector
CELDeviceSelector expression:s!
DeviceConstraint requests:[s] matchAttribute:*FullyQualifiedName distinctAttribute:*FullyQualifiedName
DeviceClaimConfiguration requests:[s] ...DeviceConfiguration
DeviceConfiguration opaque:*OpaqueDeviceConfiguration
OpaqueDeviceConfiguration driver:s! parameters:j!#
DeviceToleration key:s operator:DeviceTolerationOperator value:s effect:DeviceTaintEffect tolerationSeconds:*l
ResourceClaimStatus allocation:*AllocationResult reservedFor:[ResourceClaimConsumerReference]@uid~uid
  devices:[AllocatedDeviceStatus]@driver,device,pool,shareID
ResourceClaimConsumerReference apiGroup:s resource:s! name:s! uid:types.UID!
AllocationResult devices:DeviceAllocationResult nodeSelector:*core.NodeSelector allocationTimestamp:*t
DeviceAllocationResult results:[DeviceRequestAllocationResult] config:[DeviceAllocationConfiguration]
DeviceRequestAllocationResult request:s! driver:s! pool:s! device:s! adminAccess:*b tolerations:[DeviceToleration]
  bindingConditions:[s] bindingFailureConditions:[s] shareID:*types.UID consumedCapacity:{q}
DeviceAllocationConfiguration source:AllocationConfigSource! requests:[s] ...DeviceConfiguration
DeviceClass ...TypeMeta metadata:meta.ObjectMeta spec:DeviceClassSpec!
DeviceClassSpec selectors:[DeviceSelector] config:[DeviceClassConfiguration] extendedResourceName:*s
DeviceClassConfiguration ...DeviceConfiguration
ResourceClaimTemplate ...TypeMeta metadata:meta.ObjectMeta spec:ResourceClaimTemplateSpec!
ResourceClaimTemplateSpec metadata:meta.ObjectMeta spec:ResourceClaimSpec!
AllocatedDeviceStatus driver:s! pool:s! device:s! shareID:*s conditions:[meta.Condition]!?@type data:*j#
  networkData:*NetworkDeviceData
NetworkDeviceData interfaceName:s ips:[s] hardwareAddress:s
`
