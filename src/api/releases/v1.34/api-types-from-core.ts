// Written by `npm run generate -- v1.34.11`; do not edit. The notation is explained in src/api/schema/type-table.ts.

/** The types of v1.34.11, from the package core on. */
export const apiTypes = `
package core - io.k8s.api.core.v1
AWSElasticBlockStoreVolumeSource volumeID:s! fsType(FSType):s partition:i readOnly:b
Affinity nodeAffinity:*NodeAffinity podAffinity:*PodAffinity podAntiAffinity:*PodAntiAffinity
AppArmorProfile type:AppArmorProfileType! localhostProfile:*s
= s AppArmorProfileType(Localhost|RuntimeDefault|Unconfined) AzureDataDiskCachingMode(None|ReadOnly|ReadWrite)
  AzureDataDiskKind(Dedicated|Managed|Shared) Capability
  ClaimResourceStatus(ControllerResizeInProgress|ControllerResizeInfeasible|NodeResizeInProgress|NodeResizeInfeasible|NodeResizePending)
  ComponentConditionType ConditionStatus ContainerRestartPolicy ContainerRestartRuleAction
  ContainerRestartRuleOnExitCodesOperator DNSPolicy(ClusterFirst|ClusterFirstWithHostNet|Default|None) FinalizerName
  HostPathType(|BlockDevice|CharDevice|Directory|DirectoryOrCreate|File|FileOrCreate|Socket) IPFamily(|IPv4|IPv6)
  IPFamilyPolicy(PreferDualStack|RequireDualStack|SingleStack) LimitType LoadBalancerIPMode
  MountPropagationMode(Bidirectional|HostToContainer|None) NamespaceConditionType NamespacePhase(Active|Terminating)
  NodeAddressType NodeConditionType NodeInclusionPolicy(Honor|Ignore) NodePhase(Pending|Running|Terminated)
  NodeSelectorOperator(DoesNotExist|Exists|Gt|In|Lt|NotIn) OSName
  PersistentVolumeAccessMode(ReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod)
  PersistentVolumeClaimConditionType PersistentVolumeClaimModifyVolumeStatus(InProgress|Infeasible|Pending)
  PersistentVolumeClaimPhase(Bound|Lost|Pending) PersistentVolumeMode(Block|Filesystem)
  PersistentVolumePhase(Available|Bound|Failed|Pending|Released) PersistentVolumeReclaimPolicy(Delete|Recycle|Retain)
  PodConditionType PodFSGroupChangePolicy(Always|OnRootMismatch) PodPhase(Failed|Pending|Running|Succeeded|Unknown)
  PodQOSClass(BestEffort|Burstable|Guaranteed) PodResizeStatus PodSELinuxChangePolicy
  PreemptionPolicy(Never|PreemptLowerPriority) ProcMountType(Default|Unmasked) Protocol(SCTP|TCP|UDP)
  PullPolicy(Always|IfNotPresent|Never) RecursiveReadOnlyMode ReplicationControllerConditionType ResourceHealthStatus
  ResourceID ResourceName
  ResourceQuotaScope(BestEffort|CrossNamespacePodAffinity|NotBestEffort|NotTerminating|PriorityClass|Terminating|VolumeAttributesClass)
  ResourceResizeRestartPolicy RestartPolicy(Always|Never|OnFailure) ScopeSelectorOperator(DoesNotExist|Exists|In|NotIn)
  SeccompProfileType(Localhost|RuntimeDefault|Unconfined) SecretType ServiceAffinity(ClientIP|None)
  ServiceExternalTrafficPolicy(Cluster|Local) ServiceInternalTrafficPolicy(Cluster|Local)
  ServiceType(ClusterIP|ExternalName|LoadBalancer|NodePort)
  Signal(SIGABRT|SIGALRM|SIGBUS|SIGCHLD|SIGCLD|SIGCONT|SIGFPE|SIGHUP|SIGILL|SIGINT|SIGIO|SIGIOT|SIGKILL|SIGPIPE|SIGPOLL|SIGPROF|SIGPWR|SIGQUIT|SIGRTMAX|SIGRTMAX-1|SIGRTMAX-10|SIGRTMAX-11|SIGRTMAX-12|SIGRTMAX-13|SIGRTMAX-14|SIGRTMAX-2|SIGRTMAX-3|SIGRTMAX-4|SIGRTMAX-5|SIGRTMAX-6|SIGRTMAX-7|SIGRTMAX-8|SIGRTMAX-9|SIGRTMIN|SIGRTMIN+1|SIGRTMIN+10|SIGRTMIN+11|SIGRTMIN+12|SIGRTMIN+13|SIGRTMIN+14|SIGRTMIN+15|SIGRTMIN+2|SIGRTMIN+3|SIGRTMIN+4|SIGRTMIN+5|SIGRTMIN+6|SIGRTMIN+7|SIGRTMIN+8|SIGRTMIN+9|SIGSEGV|SIGSTKFLT|SIGSTOP|SIGSYS|SIGTERM|SIGTRAP|SIGTSTP|SIGTTIN|SIGTTOU|SIGURG|SIGUSR1|SIGUSR2|SIGVTALRM|SIGWINCH|SIGXCPU|SIGXFSZ)
  StorageMedium SupplementalGroupsPolicy(Merge|Strict) TaintEffect(NoExecute|NoSchedule|PreferNoSchedule)
  TerminationMessagePolicy(FallbackToLogsOnError|File) TolerationOperator(Equal|Exists) URIScheme(HTTP|HTTPS)
  UniqueVolumeName UnsatisfiableConstraintAction(DoNotSchedule|ScheduleAnyway)
AttachedVolume name:UniqueVolumeName! devicePath:s!
AvoidPods preferAvoidPods:[PreferAvoidPodsEntry]
AzureDiskVolumeSource diskName:s! diskURI(DataDiskURI):s! cachingMode:*AzureDataDiskCachingMode fsType(FSType):*s
  readOnly:*b kind:*AzureDataDiskKind
AzureFilePersistentVolumeSource secretName:s! shareName:s! readOnly:b secretNamespace:*s!?
AzureFileVolumeSource secretName:s! shareName:s! readOnly:b
Binding ...TypeMeta metadata:meta.ObjectMeta target:ObjectReference!
CSIPersistentVolumeSource driver:s! volumeHandle:s! readOnly:b fsType(FSType):s volumeAttributes:{s}
  controllerPublishSecretRef:*SecretReference nodeStageSecretRef:*SecretReference nodePublishSecretRef:*SecretReference
  controllerExpandSecretRef:*SecretReference nodeExpandSecretRef:*SecretReference
CSIVolumeSource driver:s! readOnly:*b fsType(FSType):*s volumeAttributes:{s} nodePublishSecretRef:*LocalObjectReference
Capabilities add:[Capability] drop:[Capability]
CephFSPersistentVolumeSource monitors:[s]! path:s user:s secretFile:s secretRef:*SecretReference readOnly:b
CephFSVolumeSource monitors:[s]! path:s user:s secretFile:s secretRef:*LocalObjectReference readOnly:b
CinderPersistentVolumeSource volumeID:s! fsType(FSType):s readOnly:b secretRef:*SecretReference
CinderVolumeSource volumeID:s! fsType(FSType):s readOnly:b secretRef:*LocalObjectReference
ClientIPConfig timeoutSeconds:*i
ClusterTrustBundleProjection name:*s signerName:*s labelSelector:*meta.LabelSelector 5optional:*b 4path:s!
ComponentCondition type:ComponentConditionType! status:ConditionStatus! message:s error:s
ComponentStatus ...TypeMeta metadata:meta.ObjectMeta conditions:[ComponentCondition]@type~
ComponentStatusList ...TypeMeta metadata:meta.ListMeta items:[ComponentStatus]!
ConfigMap ...TypeMeta metadata:meta.ObjectMeta 4immutable:*b 2data:{s} binaryData:{by}
ConfigMapEnvSource ...LocalObjectReference optional:*b
ConfigMapKeySelector# ...LocalObjectReference key:s! optional:*b
ConfigMapList ...TypeMeta metadata:meta.ListMeta items:[ConfigMap]!
ConfigMapNodeConfigSource namespace:s! name:s! uid(UID):types.UID resourceVersion:s kubeletConfigKey:s!
ConfigMapProjection ...LocalObjectReference items:[KeyToPath] 4optional:*b
ConfigMapVolumeSource ...LocalObjectReference items:[KeyToPath] defaultMode:*i optional:*b
Container name:s! image:s command:[s] args:[s] workingDir:s ports:[ContainerPort]@containerPort,protocol~containerPort
  19envFrom:[EnvFromSource] 7env:[EnvVar]@name~ resources:ResourceRequirements 23resizePolicy:[ContainerResizePolicy]
  restartPolicy:*ContainerRestartPolicy restartPolicyRules:[ContainerRestartRule] 9volumeMounts:[VolumeMount]@mountPath~
  21volumeDevices:[VolumeDevice]@devicePath~ 10livenessProbe:*Probe readinessProbe:*Probe 22startupProbe:*Probe
  12lifecycle:*Lifecycle terminationMessagePath:s 20terminationMessagePolicy:TerminationMessagePolicy
  14imagePullPolicy:PullPolicy securityContext:*SecurityContext stdin:b stdinOnce:b tty(TTY):b
ContainerExtendedResourceRequest containerName:s! resourceName:s! requestName:s!
ContainerImage names:[s]!? sizeBytes:l
ContainerPort name:s hostPort:i containerPort:i! protocol:Protocol hostIP:s
ContainerResizePolicy resourceName:ResourceName! restartPolicy:ResourceResizeRestartPolicy!
ContainerRestartRule action:ContainerRestartRuleAction?! exitCodes:*ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes operator:ContainerRestartRuleOnExitCodesOperator?! values:[i]=
ContainerState waiting:*ContainerStateWaiting running:*ContainerStateRunning terminated:*ContainerStateTerminated
ContainerStateRunning startedAt:t
ContainerStateTerminated exitCode:i! signal:i reason:s message:s startedAt:t finishedAt:t containerID:s
ContainerStateWaiting reason:s message:s
ContainerStatus name:s! state:ContainerState lastState(LastTerminationState):ContainerState ready:b! restartCount:i!
  image:s! imageID:s! containerID:s started:*b allocatedResources:ResourceList resources:*ResourceRequirements
  volumeMounts:[VolumeMountStatus]@mountPath~ user:*ContainerUser allocatedResourcesStatus:[ResourceStatus]@name~
  stopSignal:*Signal
ContainerUser linux:*LinuxContainerUser
DaemonEndpoint Port:i!
DownwardAPIProjection items:[DownwardAPIVolumeFile]
DownwardAPIVolumeFile path:s! fieldRef:*ObjectFieldSelector resourceFieldRef:*ResourceFieldSelector mode:*i
DownwardAPIVolumeSource items:[DownwardAPIVolumeFile] defaultMode:*i
EmptyDirVolumeSource medium:StorageMedium sizeLimit:*q
EndpointAddress# ip(IP):s! 3hostname:s nodeName:*s 2targetRef:*ObjectReference
EndpointPort# name:s port:i! protocol:Protocol appProtocol:*s
EndpointSubset addresses:[EndpointAddress] notReadyAddresses:[EndpointAddress] ports:[EndpointPort]
Endpoints ...TypeMeta metadata:meta.ObjectMeta subsets:[EndpointSubset]
EndpointsList ...TypeMeta metadata:meta.ListMeta items:[Endpoints]!
EnvFromSource prefix:s configMapRef:*ConfigMapEnvSource secretRef:*SecretEnvSource
EnvVar name:s! value:s valueFrom:*EnvVarSource
EnvVarSource fieldRef:*ObjectFieldSelector resourceFieldRef:*ResourceFieldSelector configMapKeyRef:*ConfigMapKeySelector
  secretKeyRef:*SecretKeySelector fileKeyRef:*FileKeySelector
EphemeralContainer ...EphemeralContainerCommon targetContainerName:s
EphemeralContainerCommon name:s! image:s command:[s] args:[s] workingDir:s
  ports:[ContainerPort]@containerPort,protocol~containerPort 19envFrom:[EnvFromSource] 7env:[EnvVar]@name~
  resources:ResourceRequirements 23resizePolicy:[ContainerResizePolicy] restartPolicy:*ContainerRestartPolicy
  restartPolicyRules:[ContainerRestartRule] 9volumeMounts:[VolumeMount]@mountPath~
  21volumeDevices:[VolumeDevice]@devicePath~ 10livenessProbe:*Probe readinessProbe:*Probe 22startupProbe:*Probe
  12lifecycle:*Lifecycle terminationMessagePath:s 20terminationMessagePolicy:TerminationMessagePolicy
  14imagePullPolicy:PullPolicy securityContext:*SecurityContext stdin:b stdinOnce:b tty(TTY):b
EphemeralVolumeSource volumeClaimTemplate:*PersistentVolumeClaimTemplate
Event ...TypeMeta metadata:meta.ObjectMeta! involvedObject:ObjectReference! reason:s message:s source:EventSource
  firstTimestamp:t lastTimestamp:t count:i type:s eventTime:mt series:*EventSeries action:s related:*ObjectReference
  reportingComponent(ReportingController):s!? reportingInstance:s!?
EventList ...TypeMeta metadata:meta.ListMeta items:[Event]!
EventSeries count:i lastObservedTime:mt
EventSource component:s host:s
ExecAction command:[s]
FCVolumeSource targetWWNs:[s] lun:*i fsType(FSType):s readOnly:b wwids(WWIDs):[s]
FileKeySelector# volumeName:s! path:s! key:s! optional:*b
FlexPersistentVolumeSource driver:s! fsType(FSType):s secretRef:*SecretReference readOnly:b options:{s}
FlexVolumeSource driver:s! fsType(FSType):s secretRef:*LocalObjectReference readOnly:b options:{s}
FlockerVolumeSource datasetName:s datasetUUID:s
GCEPersistentDiskVolumeSource pdName(PDName):s! fsType(FSType):s partition:i readOnly:b
GRPCAction port:i! service:*s!?
GitRepoVolumeSource repository:s! revision:s directory:s
GlusterfsPersistentVolumeSource endpoints(EndpointsName):s! path:s! readOnly:b endpointsNamespace:*s
GlusterfsVolumeSource endpoints(EndpointsName):s! path:s! readOnly:b
HTTPGetAction path:s port:is! host:s scheme:URIScheme httpHeaders(HTTPHeaders):[HTTPHeader]
HTTPHeader name:s! value:s!
HostAlias ip(IP):s! hostnames:[s]
HostIP ip(IP):s!
HostPathVolumeSource path:s! type:*HostPathType
= IPFamilyPolicy IPFamilyPolicyType()
ISCSIPersistentVolumeSource targetPortal:s! iqn(IQN):s! lun:i! iscsiInterface(ISCSIInterface):s fsType(FSType):s
  readOnly:b portals:[s] chapAuthDiscovery(DiscoveryCHAPAuth):b 11chapAuthSession(SessionCHAPAuth):b
  10secretRef:*SecretReference 12initiatorName:*s
ISCSIVolumeSource targetPortal:s! iqn(IQN):s! lun:i! iscsiInterface(ISCSIInterface):s fsType(FSType):s readOnly:b
  portals:[s] chapAuthDiscovery(DiscoveryCHAPAuth):b 11chapAuthSession(SessionCHAPAuth):b
  10secretRef:*LocalObjectReference 12initiatorName:*s
ImageVolumeSource reference:s pullPolicy:PullPolicy
KeyToPath key:s! path:s! mode:*i
Lifecycle postStart:*LifecycleHandler preStop:*LifecycleHandler stopSignal:*Signal
LifecycleHandler exec:*ExecAction httpGet(HTTPGet):*HTTPGetAction tcpSocket(TCPSocket):*TCPSocketAction
  sleep:*SleepAction
LimitRange ...TypeMeta metadata:meta.ObjectMeta spec:LimitRangeSpec
LimitRangeItem type:LimitType! max:ResourceList min:ResourceList default:ResourceList defaultRequest:ResourceList
  maxLimitRequestRatio:ResourceList
LimitRangeList ...TypeMeta metadata:meta.ListMeta items:[LimitRange]!
LimitRangeSpec limits:[LimitRangeItem]!
LinuxContainerUser uid(UID):l! gid(GID):l! supplementalGroups:[l]
= meta.List List
LoadBalancerIngress ip(IP):s hostname:s ipMode(IPMode):*LoadBalancerIPMode ports:[PortStatus]
LoadBalancerStatus ingress:[LoadBalancerIngress]
LocalObjectReference# name:s
LocalVolumeSource path:s! fsType(FSType):*s
ModifyVolumeStatus targetVolumeAttributesClassName:s status:PersistentVolumeClaimModifyVolumeStatus!
NFSVolumeSource server:s! path:s! readOnly:b
Namespace ...TypeMeta metadata:meta.ObjectMeta spec:NamespaceSpec status:NamespaceStatus
NamespaceCondition type:NamespaceConditionType! status:ConditionStatus! 4lastTransitionTime:t reason:s message:s
NamespaceList ...TypeMeta metadata:meta.ListMeta items:[Namespace]!
NamespaceSpec finalizers:[FinalizerName]
NamespaceStatus phase:NamespacePhase conditions:[NamespaceCondition]@type~
Node ...TypeMeta metadata:meta.ObjectMeta spec:NodeSpec status:NodeStatus
NodeAddress type:NodeAddressType! address:s!
NodeAffinity requiredDuringSchedulingIgnoredDuringExecution:*NodeSelector
  preferredDuringSchedulingIgnoredDuringExecution:[PreferredSchedulingTerm]
NodeCondition type:NodeConditionType! status:ConditionStatus! lastHeartbeatTime:t lastTransitionTime:t reason:s
  message:s
NodeConfigSource 2configMap:*ConfigMapNodeConfigSource
NodeConfigStatus assigned:*NodeConfigSource active:*NodeConfigSource lastKnownGood:*NodeConfigSource error:s
NodeDaemonEndpoints kubeletEndpoint:DaemonEndpoint
NodeFeatures supplementalGroupsPolicy:*b
NodeList ...TypeMeta metadata:meta.ListMeta items:[Node]!
NodeProxyOptions ...TypeMeta path:s
NodeRuntimeHandler name:s!? features:*NodeRuntimeHandlerFeatures
NodeRuntimeHandlerFeatures recursiveReadOnlyMounts:*b userNamespaces:*b
NodeSelector# nodeSelectorTerms:[NodeSelectorTerm]!
NodeSelectorRequirement key:s! operator:NodeSelectorOperator! values:[s]
NodeSelectorTerm# matchExpressions:[NodeSelectorRequirement] matchFields:[NodeSelectorRequirement]
NodeSpec podCIDR:s 7podCIDRs:[s]=~ 3providerID:s unschedulable:b taints:[Taint] configSource:*NodeConfigSource
  2externalID(DoNotUseExternalID):s
NodeStatus capacity:ResourceList allocatable:ResourceList phase:NodePhase conditions:[NodeCondition]@type~
  addresses:[NodeAddress]@type~ daemonEndpoints:NodeDaemonEndpoints nodeInfo:NodeSystemInfo images:[ContainerImage]
  volumesInUse:[UniqueVolumeName] volumesAttached:[AttachedVolume] config:*NodeConfigStatus
  runtimeHandlers:[NodeRuntimeHandler] features:*NodeFeatures
NodeSwapStatus capacity:*l
NodeSystemInfo machineID:s! systemUUID:s! bootID:s! kernelVersion:s! osImage(OSImage):s! containerRuntimeVersion:s!
  kubeletVersion:s! kubeProxyVersion:s! operatingSystem:s! architecture:s! swap:*NodeSwapStatus
ObjectFieldSelector# apiVersion(APIVersion):s fieldPath:s!
ObjectReference# kind:s namespace:s name:s uid(UID):types.UID apiVersion(APIVersion):s resourceVersion:s fieldPath:s
PersistentVolume ...TypeMeta metadata:meta.ObjectMeta spec:PersistentVolumeSpec status:PersistentVolumeStatus
PersistentVolumeClaim ...TypeMeta metadata:meta.ObjectMeta spec:PersistentVolumeClaimSpec
  status:PersistentVolumeClaimStatus
PersistentVolumeClaimCondition type:PersistentVolumeClaimConditionType! status:ConditionStatus! lastProbeTime:t
  lastTransitionTime:t reason:s message:s
PersistentVolumeClaimList ...TypeMeta metadata:meta.ListMeta items:[PersistentVolumeClaim]!
PersistentVolumeClaimSpec accessModes:[PersistentVolumeAccessMode] 4selector:*meta.LabelSelector
  2resources:VolumeResourceRequirements volumeName:s 5storageClassName:*s volumeMode:*PersistentVolumeMode
  dataSource:*TypedLocalObjectReference dataSourceRef:*TypedObjectReference volumeAttributesClassName:*s
PersistentVolumeClaimStatus phase:PersistentVolumeClaimPhase accessModes:[PersistentVolumeAccessMode]
  capacity:ResourceList conditions:[PersistentVolumeClaimCondition]@type~ allocatedResources:ResourceList
  7allocatedResourceStatuses:{ResourceName:ClaimResourceStatus}^ currentVolumeAttributesClassName:*s
  modifyVolumeStatus:*ModifyVolumeStatus
PersistentVolumeClaimTemplate metadata:meta.ObjectMeta spec:PersistentVolumeClaimSpec!
PersistentVolumeClaimVolumeSource claimName:s! readOnly:b
PersistentVolumeList ...TypeMeta metadata:meta.ListMeta items:[PersistentVolume]!
PersistentVolumeSource gcePersistentDisk(GCEPersistentDisk):*GCEPersistentDiskVolumeSource
  awsElasticBlockStore(AWSElasticBlockStore):*AWSElasticBlockStoreVolumeSource hostPath:*HostPathVolumeSource
  glusterfs:*GlusterfsPersistentVolumeSource nfs(NFS):*NFSVolumeSource rbd(RBD):*RBDPersistentVolumeSource
  iscsi(ISCSI):*ISCSIPersistentVolumeSource cinder:*CinderPersistentVolumeSource
  cephfs(CephFS):*CephFSPersistentVolumeSource fc(FC):*FCVolumeSource flocker:*FlockerVolumeSource
  flexVolume:*FlexPersistentVolumeSource azureFile:*AzureFilePersistentVolumeSource
  vsphereVolume:*VsphereVirtualDiskVolumeSource quobyte:*QuobyteVolumeSource azureDisk:*AzureDiskVolumeSource
  photonPersistentDisk:*PhotonPersistentDiskVolumeSource portworxVolume:*PortworxVolumeSource
  scaleIO:*ScaleIOPersistentVolumeSource local:*LocalVolumeSource storageos(StorageOS):*StorageOSPersistentVolumeSource
  csi(CSI):*CSIPersistentVolumeSource
PersistentVolumeSpec capacity:ResourceList ...PersistentVolumeSource accessModes:[PersistentVolumeAccessMode]
  claimRef:*ObjectReference^ persistentVolumeReclaimPolicy:PersistentVolumeReclaimPolicy storageClassName:s
  mountOptions:[s] volumeMode:*PersistentVolumeMode nodeAffinity:*VolumeNodeAffinity volumeAttributesClassName:*s
PersistentVolumeStatus phase:PersistentVolumePhase message:s reason:s lastPhaseTransitionTime:*t
PhotonPersistentDiskVolumeSource pdID:s! fsType(FSType):s
Pod ...TypeMeta metadata:meta.ObjectMeta spec:PodSpec status:PodStatus
PodAffinity requiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm]
  preferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm]
PodAffinityTerm labelSelector:*meta.LabelSelector namespaces:[s] topologyKey:s! namespaceSelector:*meta.LabelSelector
  matchLabelKeys:[s] mismatchLabelKeys:[s]
PodAntiAffinity requiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm]
  preferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm]
PodAttachOptions ...TypeMeta stdin:b stdout:b stderr:b tty(TTY):b container:s
PodCertificateProjection signerName:s?! keyType:s?! maxExpirationSeconds:*i credentialBundlePath:s keyPath:s
  certificateChainPath:s
PodCondition type:PodConditionType! 7observedGeneration:l 2status:ConditionStatus! lastProbeTime:t lastTransitionTime:t
  reason:s message:s
PodDNSConfig nameservers:[s] searches:[s] options:[PodDNSConfigOption]
PodDNSConfigOption name:s value:*s
PodExecOptions ...TypeMeta stdin:b stdout:b stderr:b tty(TTY):b container:s command:[s]!
PodExtendedResourceClaimStatus requestMappings:[ContainerExtendedResourceRequest]! resourceClaimName:s!
PodIP ip(IP):s!
PodList ...TypeMeta metadata:meta.ListMeta items:[Pod]!
PodLogOptions ...TypeMeta container:s follow:b previous:b sinceSeconds:*l sinceTime:*t timestamps:b tailLines:*l
  limitBytes:*l insecureSkipTLSVerifyBackend:b stream:*s
PodOS name:OSName!
PodPortForwardOptions ...TypeMeta ports:[i]
PodProxyOptions ...TypeMeta path:s
PodReadinessGate conditionType:PodConditionType!
PodResourceClaim name:s! 3resourceClaimName:*s resourceClaimTemplateName:*s
PodResourceClaimStatus name:s! resourceClaimName:*s
PodSchedulingGate name:s!
PodSecurityContext seLinuxOptions(SELinuxOptions):*SELinuxOptions 8windowsOptions:*WindowsSecurityContextOptions
  2runAsUser:*l 6runAsGroup:*l 3runAsNonRoot:*b supplementalGroups:[l]
  12supplementalGroupsPolicy:*SupplementalGroupsPolicy 5fsGroup(FSGroup):*l 7sysctls:[Sysctl]
  9fsGroupChangePolicy(FSGroupChangePolicy):*PodFSGroupChangePolicy seccompProfile:*SeccompProfile
  appArmorProfile:*AppArmorProfile 13seLinuxChangePolicy(SELinuxChangePolicy):*PodSELinuxChangePolicy
PodSignature podController:*meta.OwnerReference
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
  resources:*ResourceRequirements hostnameOverride:*s
PodStatus 17observedGeneration:l 1phase:PodPhase conditions:[PodCondition]@type~ message:s reason:s
  11nominatedNodeName:s 5hostIP:s 16hostIPs:[HostIP]~ip 6podIP:s 12podIPs:[PodIP]@ip~ 7startTime:*t
  10initContainerStatuses:[ContainerStatus] 8containerStatuses:[ContainerStatus] qosClass(QOSClass):PodQOSClass
  13ephemeralContainerStatuses:[ContainerStatus] resize:PodResizeStatus
  resourceClaimStatuses:[PodResourceClaimStatus]@name~+ 18extendedResourceClaimStatus:*PodExtendedResourceClaimStatus
PodStatusResult ...TypeMeta metadata:meta.ObjectMeta status:PodStatus
PodTemplate ...TypeMeta metadata:meta.ObjectMeta template:PodTemplateSpec
PodTemplateList ...TypeMeta metadata:meta.ListMeta items:[PodTemplate]!
PodTemplateSpec metadata:meta.ObjectMeta spec:PodSpec
PortStatus port:i! protocol:Protocol! error:*s
PortworxVolumeSource volumeID:s! fsType(FSType):s readOnly:b
Preconditions uid(UID):*types.UID
PreferAvoidPodsEntry podSignature:PodSignature! evictionTime:t reason:s message:s
PreferredSchedulingTerm weight:i! preference:NodeSelectorTerm!
Probe ...ProbeHandler initialDelaySeconds:i timeoutSeconds:i periodSeconds:i successThreshold:i failureThreshold:i
  terminationGracePeriodSeconds:*l
ProbeHandler exec:*ExecAction httpGet(HTTPGet):*HTTPGetAction tcpSocket(TCPSocket):*TCPSocketAction
  grpc(GRPC):*GRPCAction
ProjectedVolumeSource sources:[VolumeProjection]!? defaultMode:*i
QuobyteVolumeSource registry:s! volume:s! readOnly:b user:s group:s tenant:s
RBDPersistentVolumeSource monitors(CephMonitors):[s]! image(RBDImage):s! fsType(FSType):s pool(RBDPool):s
  user(RadosUser):s keyring:s secretRef:*SecretReference readOnly:b
RBDVolumeSource monitors(CephMonitors):[s]! image(RBDImage):s! fsType(FSType):s pool(RBDPool):s user(RadosUser):s
  keyring:s secretRef:*LocalObjectReference readOnly:b
RangeAllocation ...TypeMeta metadata:meta.ObjectMeta range:s! data:by!
ReplicationController ...TypeMeta metadata:meta.ObjectMeta spec:ReplicationControllerSpec
  status:ReplicationControllerStatus
ReplicationControllerCondition type:ReplicationControllerConditionType! status:ConditionStatus! lastTransitionTime:t
  reason:s message:s
ReplicationControllerList ...TypeMeta metadata:meta.ListMeta items:[ReplicationController]!
ReplicationControllerSpec replicas:*i 4minReadySeconds:i 2selector:{s}# template:*PodTemplateSpec
ReplicationControllerStatus replicas:i! fullyLabeledReplicas:i 4readyReplicas:i availableReplicas:i
  3observedGeneration:l 6conditions:[ReplicationControllerCondition]@type~
ResourceClaim name:s! request:s
ResourceFieldSelector# containerName:s resource:s! divisor:q
ResourceHealth resourceID:ResourceID! health:ResourceHealthStatus
= {ResourceName:q} ResourceList
ResourceQuota ...TypeMeta metadata:meta.ObjectMeta spec:ResourceQuotaSpec status:ResourceQuotaStatus
ResourceQuotaList ...TypeMeta metadata:meta.ListMeta items:[ResourceQuota]!
ResourceQuotaSpec hard:ResourceList scopes:[ResourceQuotaScope] scopeSelector:*ScopeSelector
ResourceQuotaStatus hard:ResourceList used:ResourceList
ResourceRequirements limits:ResourceList requests:ResourceList claims:[ResourceClaim]@name
ResourceStatus name:ResourceName! resources:[ResourceHealth]@resourceID
SELinuxOptions user:s role:s type:s level:s
ScaleIOPersistentVolumeSource gateway:s! system:s! secretRef:*SecretReference! sslEnabled(SSLEnabled):b
  protectionDomain:s storagePool:s storageMode:s volumeName:s fsType(FSType):s readOnly:b
ScaleIOVolumeSource gateway:s! system:s! secretRef:*LocalObjectReference! sslEnabled(SSLEnabled):b protectionDomain:s
  storagePool:s storageMode:s volumeName:s fsType(FSType):s readOnly:b
ScopeSelector# matchExpressions:[ScopedResourceSelectorRequirement]
ScopedResourceSelectorRequirement scopeName:ResourceQuotaScope! operator:ScopeSelectorOperator! values:[s]
SeccompProfile type:SeccompProfileType! localhostProfile:*s
Secret ...TypeMeta metadata:meta.ObjectMeta 5immutable:*b 2data:{by} 4stringData:{s} 3type:SecretType
SecretEnvSource ...LocalObjectReference optional:*b
SecretKeySelector# ...LocalObjectReference key:s! optional:*b
SecretList ...TypeMeta metadata:meta.ListMeta items:[Secret]!
SecretProjection ...LocalObjectReference items:[KeyToPath] 4optional:*b
SecretReference# name:s namespace:s
SecretVolumeSource secretName:s items:[KeyToPath] defaultMode:*i optional:*b
SecurityContext capabilities:*Capabilities privileged:*b seLinuxOptions(SELinuxOptions):*SELinuxOptions
  10windowsOptions:*WindowsSecurityContextOptions 4runAsUser:*l 8runAsGroup:*l 5runAsNonRoot:*b
  readOnlyRootFilesystem:*b allowPrivilegeEscalation:*b 9procMount:*ProcMountType 11seccompProfile:*SeccompProfile
  appArmorProfile:*AppArmorProfile
SerializedReference ...TypeMeta reference:ObjectReference
Service ...TypeMeta metadata:meta.ObjectMeta spec:ServiceSpec status:ServiceStatus
ServiceAccount ...TypeMeta metadata:meta.ObjectMeta secrets:[ObjectReference]@name~
  imagePullSecrets:[LocalObjectReference] automountServiceAccountToken:*b
ServiceAccountList ...TypeMeta metadata:meta.ListMeta items:[ServiceAccount]!
ServiceAccountTokenProjection audience:s expirationSeconds:*l path:s!
= ServiceExternalTrafficPolicy ServiceExternalTrafficPolicyType()
= ServiceInternalTrafficPolicy ServiceInternalTrafficPolicyType()
ServiceList ...TypeMeta metadata:meta.ListMeta items:[Service]!
ServicePort name:s protocol:Protocol 6appProtocol:*s 3port:i! targetPort:is nodePort:i
ServiceProxyOptions ...TypeMeta path:s
ServiceSpec ports:[ServicePort]@port,protocol~port selector:{s}# clusterIP:s 18clusterIPs:[s] 4type:ServiceType
  externalIPs:[s] 7sessionAffinity:ServiceAffinity loadBalancerIP:s loadBalancerSourceRanges:[s] externalName:s
  externalTrafficPolicy:ServiceExternalTrafficPolicy healthCheckNodePort:i publishNotReadyAddresses:b
  sessionAffinityConfig:*SessionAffinityConfig 19ipFamilies(IPFamilies):[IPFamily]
  17ipFamilyPolicy(IPFamilyPolicy):*IPFamilyPolicy 20allocateLoadBalancerNodePorts:*b loadBalancerClass:*s
  internalTrafficPolicy:*ServiceInternalTrafficPolicy trafficDistribution:*s
ServiceStatus loadBalancer:LoadBalancerStatus conditions:[meta.Condition]@type~
SessionAffinityConfig clientIP:*ClientIPConfig
SleepAction seconds:l!
StorageOSPersistentVolumeSource volumeName:s volumeNamespace:s fsType(FSType):s readOnly:b secretRef:*ObjectReference
StorageOSVolumeSource volumeName:s volumeNamespace:s fsType(FSType):s readOnly:b secretRef:*LocalObjectReference
Sysctl name:s! value:s!
TCPSocketAction port:is! host:s
Taint key:s! value:s effect:TaintEffect! timeAdded:*t
Toleration key:s operator:TolerationOperator value:s effect:TaintEffect tolerationSeconds:*l
TopologySelectorLabelRequirement key:s! values:[s]!
TopologySelectorTerm# matchLabelExpressions:[TopologySelectorLabelRequirement]
TopologySpreadConstraint maxSkew:i! topologyKey:s! whenUnsatisfiable:UnsatisfiableConstraintAction!
  labelSelector:*meta.LabelSelector minDomains:*i nodeAffinityPolicy:*NodeInclusionPolicy
  nodeTaintsPolicy:*NodeInclusionPolicy matchLabelKeys:[s]
TypedLocalObjectReference# apiGroup(APIGroup):*s!? kind:s! name:s!
TypedObjectReference apiGroup(APIGroup):*s!? kind:s! name:s! namespace:*s
Volume name:s! ...VolumeSource
VolumeDevice name:s! devicePath:s!
VolumeMount name:s! readOnly:b 7recursiveReadOnly:*RecursiveReadOnlyMode 3mountPath:s! subPath:s
  mountPropagation:*MountPropagationMode subPathExpr:s
VolumeMountStatus name:s! mountPath:s! readOnly:b recursiveReadOnly:*RecursiveReadOnlyMode
VolumeNodeAffinity required:*NodeSelector
VolumeProjection secret:*SecretProjection downwardAPI:*DownwardAPIProjection configMap:*ConfigMapProjection
  serviceAccountToken:*ServiceAccountTokenProjection clusterTrustBundle:*ClusterTrustBundleProjection
  podCertificate:*PodCertificateProjection
VolumeResourceRequirements limits:ResourceList requests:ResourceList
VolumeSource hostPath:*HostPathVolumeSource emptyDir:*EmptyDirVolumeSource
  gcePersistentDisk(GCEPersistentDisk):*GCEPersistentDiskVolumeSource
  awsElasticBlockStore(AWSElasticBlockStore):*AWSElasticBlockStoreVolumeSource gitRepo:*GitRepoVolumeSource
  secret:*SecretVolumeSource nfs(NFS):*NFSVolumeSource iscsi(ISCSI):*ISCSIVolumeSource glusterfs:*GlusterfsVolumeSource
  persistentVolumeClaim:*PersistentVolumeClaimVolumeSource rbd(RBD):*RBDVolumeSource flexVolume:*FlexVolumeSource
  cinder:*CinderVolumeSource cephfs(CephFS):*CephFSVolumeSource flocker:*FlockerVolumeSource
  downwardAPI:*DownwardAPIVolumeSource fc(FC):*FCVolumeSource azureFile:*AzureFileVolumeSource
  configMap:*ConfigMapVolumeSource vsphereVolume:*VsphereVirtualDiskVolumeSource quobyte:*QuobyteVolumeSource
  azureDisk:*AzureDiskVolumeSource photonPersistentDisk:*PhotonPersistentDiskVolumeSource
  26projected:*ProjectedVolumeSource 24portworxVolume:*PortworxVolumeSource scaleIO:*ScaleIOVolumeSource
  27storageos(StorageOS):*StorageOSVolumeSource csi(CSI):*CSIVolumeSource ephemeral:*EphemeralVolumeSource
  image:*ImageVolumeSource
VsphereVirtualDiskVolumeSource volumePath:s! fsType(FSType):s storagePolicyName:s storagePolicyID:s
WeightedPodAffinityTerm weight:i! podAffinityTerm:PodAffinityTerm!
WindowsSecurityContextOptions gmsaCredentialSpecName(GMSACredentialSpecName):*s
  gmsaCredentialSpec(GMSACredentialSpec):*s runAsUserName:*s hostProcess:*b
package discovery discovery.k8s.io io.k8s.api.discovery.v1
= s AddressType(FQDN|IPv4|IPv6)
Endpoint addresses:[s]!= conditions:EndpointConditions hostname:*s targetRef:*core.ObjectReference
  deprecatedTopology:{s} nodeName:*s zone:*s hints:*EndpointHints
EndpointConditions ready:*b serving:*b terminating:*b
EndpointHints forZones:[ForZone] forNodes:[ForNode]
EndpointPort# name:*s protocol:*core.Protocol port:*i appProtocol:*s
EndpointSlice ...TypeMeta metadata:meta.ObjectMeta 4addressType:AddressType! 2endpoints:[Endpoint]!
  ports:[EndpointPort]!?
EndpointSliceList ...TypeMeta metadata:meta.ListMeta items:[EndpointSlice]!
ForNode name:s!
ForZone name:s!
package events events.k8s.io io.k8s.api.events.v1
Event ...TypeMeta metadata:meta.ObjectMeta eventTime:mt! series:*EventSeries reportingController:s reportingInstance:s
  action:s reason:s regarding:core.ObjectReference related:*core.ObjectReference note:s type:s
  deprecatedSource:core.EventSource deprecatedFirstTimestamp:t deprecatedLastTimestamp:t deprecatedCount:i
EventList ...TypeMeta metadata:meta.ListMeta items:[Event]!
EventSeries count:i! lastObservedTime:mt!
package flowcontrol flowcontrol.apiserver.k8s.io io.k8s.api.flowcontrol.v1
= s ConditionStatus FlowDistinguisherMethodType FlowSchemaConditionType LimitResponseType
  PriorityLevelConfigurationConditionType PriorityLevelEnablement SubjectKind
ExemptPriorityLevelConfiguration nominalConcurrencyShares:*i lendablePercent:*i
FlowDistinguisherMethod type:FlowDistinguisherMethodType!
FlowSchema ...TypeMeta metadata:meta.ObjectMeta spec:FlowSchemaSpec status:FlowSchemaStatus
FlowSchemaCondition type:FlowSchemaConditionType status:ConditionStatus lastTransitionTime:t reason:s message:s
FlowSchemaList ...TypeMeta metadata:meta.ListMeta items:[FlowSchema]!
FlowSchemaSpec priorityLevelConfiguration:PriorityLevelConfigurationReference! matchingPrecedence:i!?
  distinguisherMethod:*FlowDistinguisherMethod rules:[PolicyRulesWithSubjects]
FlowSchemaStatus conditions:[FlowSchemaCondition]@type~
GroupSubject name:s!
LimitResponse type:LimitResponseType! queuing:*QueuingConfiguration
LimitedPriorityLevelConfiguration nominalConcurrencyShares:*i!? limitResponse:LimitResponse lendablePercent:*i
  borrowingLimitPercent:*i
NonResourcePolicyRule verbs:[s]!= 6nonResourceURLs:[s]!=
PolicyRulesWithSubjects subjects:[Subject]! resourceRules:[ResourcePolicyRule] nonResourceRules:[NonResourcePolicyRule]
PriorityLevelConfiguration ...TypeMeta metadata:meta.ObjectMeta spec:PriorityLevelConfigurationSpec
  status:PriorityLevelConfigurationStatus
PriorityLevelConfigurationCondition type:PriorityLevelConfigurationConditionType status:ConditionStatus
  lastTransitionTime:t reason:s message:s
PriorityLevelConfigurationList ...TypeMeta metadata:meta.ListMeta items:[PriorityLevelConfiguration]!
PriorityLevelConfigurationReference name:s!
PriorityLevelConfigurationSpec type:PriorityLevelEnablement! limited:*LimitedPriorityLevelConfiguration
  exempt:*ExemptPriorityLevelConfiguration
PriorityLevelConfigurationStatus conditions:[PriorityLevelConfigurationCondition]@type~
QueuingConfiguration queues:i!? handSize:i!? queueLengthLimit:i!?
ResourcePolicyRule verbs:[s]!= apiGroups(APIGroups):[s]!= resources:[s]!= clusterScope:b namespaces:[s]!?=
ServiceAccountSubject namespace:s! name:s!
Subject kind:SubjectKind! user:*UserSubject group:*GroupSubject serviceAccount:*ServiceAccountSubject
UserSubject name:s!
package imagepolicy/v1alpha1 imagepolicy.k8s.io io.k8s.api.imagepolicy.v1alpha1 off
ImageReview ...TypeMeta metadata:meta.ObjectMeta spec:ImageReviewSpec! status:ImageReviewStatus
ImageReviewContainerSpec image:s
ImageReviewSpec containers:[ImageReviewContainerSpec] annotations:{s} namespace:s
ImageReviewStatus allowed:b! reason:s auditAnnotations:{s}
package networking networking.k8s.io io.k8s.api.networking.v1
HTTPIngressPath path:s 3pathType:*PathType! 2backend:IngressBackend!
HTTPIngressRuleValue paths:[HTTPIngressPath]!
IPAddress ...TypeMeta metadata:meta.ObjectMeta spec:IPAddressSpec
IPAddressList ...TypeMeta metadata:meta.ListMeta items:[IPAddress]!
IPAddressSpec parentRef:*ParentReference?!
IPBlock cidr(CIDR):s! except:[s]
Ingress ...TypeMeta metadata:meta.ObjectMeta spec:IngressSpec status:IngressStatus
IngressBackend 4service:*IngressServiceBackend 3resource:*core.TypedLocalObjectReference
IngressClass ...TypeMeta metadata:meta.ObjectMeta spec:IngressClassSpec
IngressClassList ...TypeMeta metadata:meta.ListMeta items:[IngressClass]!
IngressClassParametersReference apiGroup(APIGroup):*s kind:s! name:s! scope:*s!? namespace:*s
IngressClassSpec controller:s parameters:*IngressClassParametersReference
IngressList ...TypeMeta metadata:meta.ListMeta items:[Ingress]!
IngressLoadBalancerIngress ip(IP):s hostname:s 4ports:[IngressPortStatus]
IngressLoadBalancerStatus ingress:[IngressLoadBalancerIngress]
IngressPortStatus port:i! protocol:core.Protocol! error:*s
IngressRule host:s ...IngressRuleValue
IngressRuleValue http(HTTP):*HTTPIngressRuleValue
IngressServiceBackend name:s! port:ServiceBackendPort
IngressSpec 4ingressClassName:*s 1defaultBackend:*IngressBackend tls(TLS):[IngressTLS] rules:[IngressRule]
IngressStatus loadBalancer:IngressLoadBalancerStatus
IngressTLS hosts:[s] secretName:s
NetworkPolicy ...TypeMeta metadata:meta.ObjectMeta spec:NetworkPolicySpec
NetworkPolicyEgressRule ports:[NetworkPolicyPort] to:[NetworkPolicyPeer]
NetworkPolicyIngressRule ports:[NetworkPolicyPort] from:[NetworkPolicyPeer]
NetworkPolicyList ...TypeMeta metadata:meta.ListMeta items:[NetworkPolicy]!
NetworkPolicyPeer podSelector:*meta.LabelSelector namespaceSelector:*meta.LabelSelector ipBlock(IPBlock):*IPBlock
NetworkPolicyPort protocol:*core.Protocol port:*is endPort:*i
NetworkPolicySpec podSelector:meta.LabelSelector ingress:[NetworkPolicyIngressRule] egress:[NetworkPolicyEgressRule]
  policyTypes:[PolicyType]
ParentReference group:s resource:s?! namespace:s name:s?!
= s PathType(Exact|ImplementationSpecific|Prefix) PolicyType(Egress|Ingress)
ServiceBackendPort# name:s number:i
ServiceCIDR ...TypeMeta metadata:meta.ObjectMeta spec:ServiceCIDRSpec status:ServiceCIDRStatus
ServiceCIDRList ...TypeMeta metadata:meta.ListMeta items:[ServiceCIDR]!
ServiceCIDRSpec cidrs(CIDRs):[s]
ServiceCIDRStatus conditions:[meta.Condition]@type~
`
