// The notation is explained in parse-types.ts.

/** The rest of core/v1 (v1.36). */
export const coreTypes = `
= s ComponentConditionType ConditionStatus Protocol LimitType FinalizerName NamespaceConditionType NamespacePhase
  TaintEffect UniqueVolumeName NodeAddressType NodeConditionType NodePhase PersistentVolumeAccessMode
  PersistentVolumeMode ClaimResourceStatus PersistentVolumeClaimModifyVolumeStatus
  PersistentVolumeClaimConditionType PersistentVolumeClaimPhase PersistentVolumeReclaimPolicy
  AzureDataDiskCachingMode AzureDataDiskKind HostPathType NodeSelectorOperator PersistentVolumePhase ResourceName
  ResourceResizeRestartPolicy ContainerRestartPolicy ContainerRestartRuleAction
  ContainerRestartRuleOnExitCodesOperator URIScheme Signal PullPolicy AppArmorProfileType Capability ProcMountType
  SeccompProfileType TerminationMessagePolicy MountPropagationMode RecursiveReadOnlyMode DNSPolicy OSName
  PodConditionType PodFSGroupChangePolicy PodSELinuxChangePolicy SupplementalGroupsPolicy PreemptionPolicy
  RestartPolicy TolerationOperator NodeInclusionPolicy UnsatisfiableConstraintAction StorageMedium
  ResourceHealthStatus ResourceID PodPhase PodQOSClass PodResizeStatus ReplicationControllerConditionType
  ResourceQuotaScope ScopeSelectorOperator SecretType IPFamily IPFamilyPolicy ServiceAffinity
  ServiceExternalTrafficPolicy ServiceInternalTrafficPolicy ServiceType LoadBalancerIPMode
= {q} ResourceList
ComponentStatus ...TypeMeta metadata:meta.ObjectMeta conditions:[ComponentCondition]@type~
ComponentCondition type:ComponentConditionType! status:ConditionStatus! message:s error:s
ConfigMap ...TypeMeta metadata:meta.ObjectMeta immutable:*b data:{s} binaryData:{by}
Endpoints ...TypeMeta metadata:meta.ObjectMeta subsets:[EndpointSubset]
EndpointSubset addresses:[EndpointAddress] notReadyAddresses:[EndpointAddress] ports:[EndpointPort]
EndpointAddress# ip:s! hostname:s nodeName:*s targetRef:*ObjectReference
EndpointPort# name:s port:i! protocol:Protocol appProtocol:*s
Event ...TypeMeta metadata:meta.ObjectMeta! involvedObject:ObjectReference! reason:s message:s source:EventSource
  firstTimestamp:t lastTimestamp:t count:i type:s eventTime:mt series:*EventSeries action:s related:*ObjectReference
  reportingComponent:s! reportingInstance:s!
EventSeries count:i lastObservedTime:mt
EventSource component:s host:s
LimitRange ...TypeMeta metadata:meta.ObjectMeta spec:LimitRangeSpec
LimitRangeSpec limits:[LimitRangeItem]!
LimitRangeItem type:LimitType! max:ResourceList min:ResourceList default:ResourceList defaultRequest:ResourceList
  maxLimitRequestRatio:ResourceList
Namespace ...TypeMeta metadata:meta.ObjectMeta spec:NamespaceSpec status:NamespaceStatus
NamespaceSpec finalizers:[FinalizerName]
NamespaceStatus phase:NamespacePhase conditions:[NamespaceCondition]@type~
NamespaceCondition type:NamespaceConditionType! status:ConditionStatus! lastTransitionTime:t reason:s message:s
Node ...TypeMeta metadata:meta.ObjectMeta spec:NodeSpec status:NodeStatus
NodeSpec podCIDR:s podCIDRs:[s]=~ providerID:s unschedulable:b taints:[Taint] configSource:*NodeConfigSource
  externalID:s
NodeConfigSource configMap:*ConfigMapNodeConfigSource
ConfigMapNodeConfigSource namespace:s! name:s! uid:types.UID resourceVersion:s kubeletConfigKey:s!
Taint key:s! value:s effect:TaintEffect! timeAdded:*t
NodeStatus capacity:ResourceList allocatable:ResourceList phase:NodePhase conditions:[NodeCondition]@type~
  addresses:[NodeAddress]@type~ daemonEndpoints:NodeDaemonEndpoints nodeInfo:NodeSystemInfo images:[ContainerImage]
  volumesInUse:[UniqueVolumeName] volumesAttached:[AttachedVolume] config:*NodeConfigStatus
  runtimeHandlers:[NodeRuntimeHandler] features:*NodeFeatures declaredFeatures:[s]
AttachedVolume name:UniqueVolumeName! devicePath:s!
ContainerImage names:[s]! sizeBytes:l
NodeAddress type:NodeAddressType! address:s!
NodeCondition type:NodeConditionType! status:ConditionStatus! lastHeartbeatTime:t lastTransitionTime:t reason:s
  message:s
NodeConfigStatus assigned:*NodeConfigSource active:*NodeConfigSource lastKnownGood:*NodeConfigSource error:s
NodeDaemonEndpoints kubeletEndpoint:DaemonEndpoint
DaemonEndpoint Port:i!
NodeFeatures supplementalGroupsPolicy:*b
NodeRuntimeHandler name:s! features:*NodeRuntimeHandlerFeatures
NodeRuntimeHandlerFeatures recursiveReadOnlyMounts:*b userNamespaces:*b
NodeSystemInfo machineID:s! systemUUID:s! bootID:s! kernelVersion:s! osImage:s! containerRuntimeVersion:s!
  kubeletVersion:s! kubeProxyVersion:s! operatingSystem:s! architecture:s! swap:*NodeSwapStatus
NodeSwapStatus capacity:*l
ReplicationController ...TypeMeta metadata:meta.ObjectMeta spec:ReplicationControllerSpec
  status:ReplicationControllerStatus
ReplicationControllerSpec replicas:*i minReadySeconds:i selector:{s}# template:*PodTemplateSpec
ReplicationControllerStatus replicas:i! fullyLabeledReplicas:i readyReplicas:i availableReplicas:i
  observedGeneration:l conditions:[ReplicationControllerCondition]@type~
ReplicationControllerCondition type:ReplicationControllerConditionType! status:ConditionStatus! lastTransitionTime:t
  reason:s message:s
ResourceQuota ...TypeMeta metadata:meta.ObjectMeta spec:ResourceQuotaSpec status:ResourceQuotaStatus
ResourceQuotaSpec hard:ResourceList scopes:[ResourceQuotaScope] scopeSelector:*ScopeSelector
ScopeSelector# matchExpressions:[ScopedResourceSelectorRequirement]
ScopedResourceSelectorRequirement scopeName:ResourceQuotaScope! operator:ScopeSelectorOperator! values:[s]
ResourceQuotaStatus hard:ResourceList used:ResourceList
Secret ...TypeMeta metadata:meta.ObjectMeta immutable:*b data:{by} stringData:{s} type:SecretType
ServiceAccount ...TypeMeta metadata:meta.ObjectMeta secrets:[ObjectReference]@name~
  imagePullSecrets:[LocalObjectReference] automountServiceAccountToken:*b
Service ...TypeMeta metadata:meta.ObjectMeta spec:ServiceSpec status:ServiceStatus
ServiceSpec ports:[ServicePort]@port,protocol~port selector:{s}# clusterIP:s clusterIPs:[s] type:ServiceType
  externalIPs:[s] sessionAffinity:ServiceAffinity loadBalancerIP:s loadBalancerSourceRanges:[s] externalName:s
  externalTrafficPolicy:ServiceExternalTrafficPolicy healthCheckNodePort:i publishNotReadyAddresses:b
  sessionAffinityConfig:*SessionAffinityConfig ipFamilies:[IPFamily] ipFamilyPolicy:*IPFamilyPolicy
  allocateLoadBalancerNodePorts:*b loadBalancerClass:*s internalTrafficPolicy:*ServiceInternalTrafficPolicy
  trafficDistribution:*s
ServicePort name:s protocol:Protocol appProtocol:*s port:i! targetPort:is nodePort:i
SessionAffinityConfig clientIP:*ClientIPConfig
ClientIPConfig timeoutSeconds:*i
ServiceStatus loadBalancer:LoadBalancerStatus conditions:[meta.Condition]@type~
LoadBalancerStatus ingress:[LoadBalancerIngress]
LoadBalancerIngress ip:s hostname:s ipMode:*LoadBalancerIPMode ports:[PortStatus]
PortStatus port:i! protocol:Protocol! error:*s
TopologySelectorTerm# matchLabelExpressions:[TopologySelectorLabelRequirement]
TopologySelectorLabelRequirement key:s! values:[s]!
`
