// The notation is explained in parse-types.ts.

/** Pods and what they are made of, except volumes (v1.36, core/v1). */
export const podTypes = `
Binding ...TypeMeta metadata:meta.ObjectMeta target:ObjectReference!
ObjectReference# kind:s namespace:s name:s uid:types.UID apiVersion:s resourceVersion:s fieldPath:s
NodeSelector# nodeSelectorTerms:[NodeSelectorTerm]!
NodeSelectorTerm# matchExpressions:[NodeSelectorRequirement] matchFields:[NodeSelectorRequirement]
NodeSelectorRequirement key:s! operator:NodeSelectorOperator! values:[s]
Pod ...TypeMeta metadata:meta.ObjectMeta spec:PodSpec status:PodStatus
PodSpec volumes:[Volume]@name~+ initContainers:[Container]@name~ containers:[Container]!@name~
  ephemeralContainers:[EphemeralContainer]@name~ restartPolicy:RestartPolicy terminationGracePeriodSeconds:*l
  activeDeadlineSeconds:*l dnsPolicy:DNSPolicy nodeSelector:{s}# serviceAccountName:s serviceAccount:s
  automountServiceAccountToken:*b nodeName:s hostNetwork:b hostPID:b hostIPC:b shareProcessNamespace:*b
  securityContext:*PodSecurityContext imagePullSecrets:[LocalObjectReference]@name~ hostname:s subdomain:s
  affinity:*Affinity schedulerName:s tolerations:[Toleration] hostAliases:[HostAlias]@ip~ priorityClassName:s
  priority:*i dnsConfig:*PodDNSConfig readinessGates:[PodReadinessGate] runtimeClassName:*s enableServiceLinks:*b
  preemptionPolicy:*PreemptionPolicy overhead:ResourceList
  topologySpreadConstraints:[TopologySpreadConstraint]@topologyKey,whenUnsatisfiable~topologyKey
  setHostnameAsFQDN:*b os:*PodOS hostUsers:*b schedulingGates:[PodSchedulingGate]@name~
  resourceClaims:[PodResourceClaim]@name~+ resources:*ResourceRequirements hostnameOverride:*s
  schedulingGroup:*PodSchedulingGroup
Affinity nodeAffinity:*NodeAffinity podAffinity:*PodAffinity podAntiAffinity:*PodAntiAffinity
NodeAffinity requiredDuringSchedulingIgnoredDuringExecution:*NodeSelector
  preferredDuringSchedulingIgnoredDuringExecution:[PreferredSchedulingTerm]
PreferredSchedulingTerm weight:i! preference:NodeSelectorTerm!
PodAffinity requiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm]
  preferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm]
PodAffinityTerm labelSelector:*meta.LabelSelector namespaces:[s] topologyKey:s!
  namespaceSelector:*meta.LabelSelector matchLabelKeys:[s] mismatchLabelKeys:[s]
WeightedPodAffinityTerm weight:i! podAffinityTerm:PodAffinityTerm!
PodAntiAffinity requiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm]
  preferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm]
Container name:s! image:s command:[s] args:[s] workingDir:s
  ports:[ContainerPort]@containerPort,protocol~containerPort envFrom:[EnvFromSource] env:[EnvVar]@name~
  resources:ResourceRequirements resizePolicy:[ContainerResizePolicy] restartPolicy:*ContainerRestartPolicy
  restartPolicyRules:[ContainerRestartRule] volumeMounts:[VolumeMount]@mountPath~
  volumeDevices:[VolumeDevice]@devicePath~ livenessProbe:*Probe readinessProbe:*Probe startupProbe:*Probe
  lifecycle:*Lifecycle terminationMessagePath:s terminationMessagePolicy:TerminationMessagePolicy
  imagePullPolicy:PullPolicy securityContext:*SecurityContext stdin:b stdinOnce:b tty:b
ContainerPort name:s hostPort:i containerPort:i! protocol:Protocol hostIP:s
ContainerResizePolicy resourceName:ResourceName! restartPolicy:ResourceResizeRestartPolicy!
ContainerRestartRule action:ContainerRestartRuleAction exitCodes:*ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes operator:ContainerRestartRuleOnExitCodesOperator values:[i]=
EnvFromSource prefix:s configMapRef:*ConfigMapEnvSource secretRef:*SecretEnvSource
ConfigMapEnvSource ...LocalObjectReference optional:*b
LocalObjectReference# name:s
SecretEnvSource ...LocalObjectReference optional:*b
EnvVar name:s! value:s valueFrom:*EnvVarSource
EnvVarSource fieldRef:*ObjectFieldSelector resourceFieldRef:*ResourceFieldSelector
  configMapKeyRef:*ConfigMapKeySelector secretKeyRef:*SecretKeySelector fileKeyRef:*FileKeySelector
ConfigMapKeySelector# ...LocalObjectReference key:s! optional:*b
FileKeySelector# volumeName:s! path:s! key:s! optional:*b
ObjectFieldSelector# apiVersion:s fieldPath:s!
ResourceFieldSelector# containerName:s resource:s! divisor:q
SecretKeySelector# ...LocalObjectReference key:s! optional:*b
Lifecycle postStart:*LifecycleHandler preStop:*LifecycleHandler stopSignal:*Signal
LifecycleHandler exec:*ExecAction httpGet:*HTTPGetAction tcpSocket:*TCPSocketAction sleep:*SleepAction
ExecAction command:[s]
HTTPGetAction path:s port:is! host:s scheme:URIScheme httpHeaders:[HTTPHeader]
HTTPHeader name:s! value:s!
SleepAction seconds:l!
TCPSocketAction port:is! host:s
Probe ...ProbeHandler initialDelaySeconds:i timeoutSeconds:i periodSeconds:i successThreshold:i failureThreshold:i
  terminationGracePeriodSeconds:*l
ProbeHandler exec:*ExecAction httpGet:*HTTPGetAction tcpSocket:*TCPSocketAction grpc:*GRPCAction
GRPCAction port:i! service:*s!
ResourceRequirements limits:ResourceList requests:ResourceList claims:[ResourceClaim]@name
ResourceClaim name:s! request:s
SecurityContext capabilities:*Capabilities privileged:*b seLinuxOptions:*SELinuxOptions
  windowsOptions:*WindowsSecurityContextOptions runAsUser:*l runAsGroup:*l runAsNonRoot:*b readOnlyRootFilesystem:*b
  allowPrivilegeEscalation:*b procMount:*ProcMountType seccompProfile:*SeccompProfile
  appArmorProfile:*AppArmorProfile
AppArmorProfile type:AppArmorProfileType! localhostProfile:*s
Capabilities add:[Capability] drop:[Capability]
SELinuxOptions user:s role:s type:s level:s
SeccompProfile type:SeccompProfileType! localhostProfile:*s
WindowsSecurityContextOptions gmsaCredentialSpecName:*s gmsaCredentialSpec:*s runAsUserName:*s hostProcess:*b
VolumeDevice name:s! devicePath:s!
VolumeMount name:s! readOnly:b recursiveReadOnly:*RecursiveReadOnlyMode mountPath:s! subPath:s
  mountPropagation:*MountPropagationMode subPathExpr:s
EphemeralContainer ...EphemeralContainerCommon targetContainerName:s
EphemeralContainerCommon name:s! image:s command:[s] args:[s] workingDir:s
  ports:[ContainerPort]@containerPort,protocol~containerPort envFrom:[EnvFromSource] env:[EnvVar]@name~
  resources:ResourceRequirements resizePolicy:[ContainerResizePolicy] restartPolicy:*ContainerRestartPolicy
  restartPolicyRules:[ContainerRestartRule] volumeMounts:[VolumeMount]@mountPath~
  volumeDevices:[VolumeDevice]@devicePath~ livenessProbe:*Probe readinessProbe:*Probe startupProbe:*Probe
  lifecycle:*Lifecycle terminationMessagePath:s terminationMessagePolicy:TerminationMessagePolicy
  imagePullPolicy:PullPolicy securityContext:*SecurityContext stdin:b stdinOnce:b tty:b
HostAlias ip:s! hostnames:[s]
PodDNSConfig nameservers:[s] searches:[s] options:[PodDNSConfigOption]
PodDNSConfigOption name:s value:*s
PodOS name:OSName!
PodReadinessGate conditionType:PodConditionType!
PodResourceClaim name:s! resourceClaimName:*s resourceClaimTemplateName:*s
PodSchedulingGate name:s!
PodSchedulingGroup podGroupName:*s
PodSecurityContext seLinuxOptions:*SELinuxOptions windowsOptions:*WindowsSecurityContextOptions runAsUser:*l
  runAsGroup:*l runAsNonRoot:*b supplementalGroups:[l] supplementalGroupsPolicy:*SupplementalGroupsPolicy fsGroup:*l
  sysctls:[Sysctl] fsGroupChangePolicy:*PodFSGroupChangePolicy seccompProfile:*SeccompProfile
  appArmorProfile:*AppArmorProfile seLinuxChangePolicy:*PodSELinuxChangePolicy
Sysctl name:s! value:s!
Toleration key:s operator:TolerationOperator value:s effect:TaintEffect tolerationSeconds:*l
TopologySpreadConstraint maxSkew:i! topologyKey:s! whenUnsatisfiable:UnsatisfiableConstraintAction!
  labelSelector:*meta.LabelSelector minDomains:*i nodeAffinityPolicy:*NodeInclusionPolicy
  nodeTaintsPolicy:*NodeInclusionPolicy matchLabelKeys:[s]
PodStatus observedGeneration:l phase:PodPhase conditions:[PodCondition]@type~ message:s reason:s nominatedNodeName:s
  hostIP:s hostIPs:[HostIP]~ip podIP:s podIPs:[PodIP]@ip~ startTime:*t initContainerStatuses:[ContainerStatus]
  containerStatuses:[ContainerStatus] qosClass:PodQOSClass ephemeralContainerStatuses:[ContainerStatus]
  resize:PodResizeStatus resourceClaimStatuses:[PodResourceClaimStatus]@name~+
  extendedResourceClaimStatus:*PodExtendedResourceClaimStatus allocatedResources:ResourceList
  resources:*ResourceRequirements nodeAllocatableResourceClaimStatuses:[NodeAllocatableResourceClaimStatus]
ContainerStatus name:s! state:ContainerState lastState:ContainerState ready:b! restartCount:i! image:s! imageID:s!
  containerID:s started:*b allocatedResources:ResourceList resources:*ResourceRequirements
  volumeMounts:[VolumeMountStatus]@mountPath~ user:*ContainerUser allocatedResourcesStatus:[ResourceStatus]@name~
  stopSignal:*Signal
ContainerState waiting:*ContainerStateWaiting running:*ContainerStateRunning terminated:*ContainerStateTerminated
ContainerStateRunning startedAt:t
ContainerStateTerminated exitCode:i! signal:i reason:s message:s startedAt:t finishedAt:t containerID:s
ContainerStateWaiting reason:s message:s
ContainerUser linux:*LinuxContainerUser
LinuxContainerUser uid:l! gid:l! supplementalGroups:[l]
ResourceStatus name:ResourceName! resources:[ResourceHealth]@resourceID
ResourceHealth resourceID:ResourceID! health:ResourceHealthStatus message:*s
VolumeMountStatus name:s! mountPath:s! readOnly:b recursiveReadOnly:*RecursiveReadOnlyMode
  volumeStatus:*VolumeStatus
VolumeStatus image:*ImageVolumeStatus
HostIP ip:s!
NodeAllocatableResourceClaimStatus resourceClaimName:s! containers:[s]= resources:{q}!
PodCondition type:PodConditionType! observedGeneration:l status:ConditionStatus! lastProbeTime:t
  lastTransitionTime:t reason:s message:s
PodExtendedResourceClaimStatus requestMappings:[ContainerExtendedResourceRequest]! resourceClaimName:s!
ContainerExtendedResourceRequest containerName:s! resourceName:s! requestName:s!
PodIP ip:s!
PodResourceClaimStatus name:s! resourceClaimName:*s
PodTemplate ...TypeMeta metadata:meta.ObjectMeta template:PodTemplateSpec
PodTemplateSpec metadata:meta.ObjectMeta spec:PodSpec
`
