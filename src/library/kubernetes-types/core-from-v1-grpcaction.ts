// Written by `npx vitest run test/library/kubernetes-types.test.ts -u`; do not edit.

import type { V1AWSElasticBlockStoreVolumeSource, V1AttachedVolume, V1AzureDiskVolumeSource, V1AzureFilePersistentVolumeSource, V1CSIPersistentVolumeSource, V1CephFSPersistentVolumeSource, V1CinderPersistentVolumeSource, V1ConfigMapNodeConfigSource, V1ContainerImage, V1DaemonEndpoint, V1ExecAction, V1FCVolumeSource, V1FlexPersistentVolumeSource, V1FlockerVolumeSource, V1GCEPersistentDiskVolumeSource } from './core-from-core-v1-endpoint-port.ts'
import type { V1PodSpec, V1PodStatus, V1PortStatus, V1PortworxVolumeSource, V1PreferredSchedulingTerm, V1QuobyteVolumeSource, V1RBDPersistentVolumeSource, V1ScaleIOPersistentVolumeSource, V1SecretReference } from './core-from-v1-pod-certificate-projection.ts'
import type { V1SleepAction, V1StorageOSPersistentVolumeSource, V1TCPSocketAction, V1Taint, V1TypedLocalObjectReference, V1TypedObjectReference, V1VolumeHealthStatus, V1VolumeNodeAffinity, V1VolumeResourceRequirements, V1VsphereVirtualDiskVolumeSource, V1WeightedPodAffinityTerm } from './core-from-v1-session-affinity-config.ts'
import type { V1LabelSelector, V1ObjectMeta } from './meta.ts'

export interface V1GRPCAction {
  readonly port: number
  readonly service?: string
  readonly mode?: 'Plaintext' | 'TLS'
}

export interface V1GitRepoVolumeSource {
  readonly repository: string
  readonly revision?: string
  readonly directory?: string
}

export interface V1GlusterfsPersistentVolumeSource {
  readonly endpoints: string
  readonly path: string
  readonly readOnly?: boolean
  readonly endpointsNamespace?: string
}

export interface V1GlusterfsVolumeSource {
  readonly endpoints: string
  readonly path: string
  readonly readOnly?: boolean
}

export interface V1HTTPGetAction {
  readonly path?: string
  readonly port: number | string
  readonly host?: string
  readonly scheme?: 'HTTP' | 'HTTPS'
  readonly httpHeaders?: readonly V1HTTPHeader[]
  readonly protocol?: 'HTTP1' | 'HTTP2'
}

export interface V1HTTPHeader {
  readonly name: string
  readonly value: string
}

export interface V1HostAlias {
  readonly ip: string
  readonly hostnames?: readonly string[]
}

export interface V1HostIP {
  readonly ip: string
}

export interface V1HostPathVolumeSource {
  readonly path: string
  readonly type?: '' | 'BlockDevice' | 'CharDevice' | 'Directory' | 'DirectoryOrCreate' | 'File' | 'FileOrCreate' | 'Socket'
}

export interface V1ISCSIPersistentVolumeSource {
  readonly targetPortal: string
  readonly iqn: string
  readonly lun: number
  readonly iscsiInterface?: string
  readonly fsType?: string
  readonly readOnly?: boolean
  readonly portals?: readonly string[]
  readonly chapAuthDiscovery?: boolean
  readonly chapAuthSession?: boolean
  readonly secretRef?: V1SecretReference
  readonly initiatorName?: string
}

export interface V1ISCSIVolumeSource {
  readonly targetPortal: string
  readonly iqn: string
  readonly lun: number
  readonly iscsiInterface?: string
  readonly fsType?: string
  readonly readOnly?: boolean
  readonly portals?: readonly string[]
  readonly chapAuthDiscovery?: boolean
  readonly chapAuthSession?: boolean
  readonly secretRef?: V1LocalObjectReference
  readonly initiatorName?: string
}

export interface V1ImageVolumeSource {
  readonly reference?: string
  readonly pullPolicy?: 'Always' | 'IfNotPresent' | 'Never'
}

export interface V1ImageVolumeStatus {
  readonly imageRef: string
}

export interface V1KeyToPath {
  readonly key: string
  readonly path: string
  readonly mode?: number
  readonly user?: number
}

export interface V1Lifecycle {
  readonly postStart?: V1LifecycleHandler
  readonly preStop?: V1LifecycleHandler
  readonly stopSignal?: 'SIGABRT' | 'SIGALRM' | 'SIGBUS' | 'SIGCHLD' | 'SIGCLD' | 'SIGCONT' | 'SIGFPE' | 'SIGHUP' | 'SIGILL' | 'SIGINT' | 'SIGIO' | 'SIGIOT' | 'SIGKILL' | 'SIGPIPE' | 'SIGPOLL' | 'SIGPROF' | 'SIGPWR' | 'SIGQUIT' | 'SIGRTMAX' | 'SIGRTMAX-1' | 'SIGRTMAX-10' | 'SIGRTMAX-11' | 'SIGRTMAX-12' | 'SIGRTMAX-13' | 'SIGRTMAX-14' | 'SIGRTMAX-2' | 'SIGRTMAX-3' | 'SIGRTMAX-4' | 'SIGRTMAX-5' | 'SIGRTMAX-6' | 'SIGRTMAX-7' | 'SIGRTMAX-8' | 'SIGRTMAX-9' | 'SIGRTMIN' | 'SIGRTMIN+1' | 'SIGRTMIN+10' | 'SIGRTMIN+11' | 'SIGRTMIN+12' | 'SIGRTMIN+13' | 'SIGRTMIN+14' | 'SIGRTMIN+15' | 'SIGRTMIN+2' | 'SIGRTMIN+3' | 'SIGRTMIN+4' | 'SIGRTMIN+5' | 'SIGRTMIN+6' | 'SIGRTMIN+7' | 'SIGRTMIN+8' | 'SIGRTMIN+9' | 'SIGSEGV' | 'SIGSTKFLT' | 'SIGSTOP' | 'SIGSYS' | 'SIGTERM' | 'SIGTRAP' | 'SIGTSTP' | 'SIGTTIN' | 'SIGTTOU' | 'SIGURG' | 'SIGUSR1' | 'SIGUSR2' | 'SIGVTALRM' | 'SIGWINCH' | 'SIGXCPU' | 'SIGXFSZ'
}

export interface V1LifecycleHandler {
  readonly exec?: V1ExecAction
  readonly httpGet?: V1HTTPGetAction
  readonly tcpSocket?: V1TCPSocketAction
  readonly sleep?: V1SleepAction
}

export interface V1LimitRange {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1LimitRangeSpec
}

export interface V1LimitRangeItem {
  readonly type: string
  readonly max?: { readonly [key: string]: string }
  readonly min?: { readonly [key: string]: string }
  readonly default?: { readonly [key: string]: string }
  readonly defaultRequest?: { readonly [key: string]: string }
  readonly maxLimitRequestRatio?: { readonly [key: string]: string }
}

export interface V1LimitRangeSpec {
  readonly limits: readonly V1LimitRangeItem[]
}

export interface V1LinuxContainerUser {
  readonly uid: number
  readonly gid: number
  readonly supplementalGroups?: readonly number[]
}

export interface V1LoadBalancerIngress {
  readonly ip?: string
  readonly hostname?: string
  readonly ipMode?: string
  readonly ports?: readonly V1PortStatus[]
}

export interface V1LoadBalancerStatus {
  readonly ingress?: readonly V1LoadBalancerIngress[]
}

export interface V1LocalObjectReference {
  readonly name?: string
}

export interface V1LocalVolumeSource {
  readonly path: string
  readonly fsType?: string
}

export interface V1ModifyVolumeStatus {
  readonly targetVolumeAttributesClassName?: string
  readonly status: 'InProgress' | 'Infeasible' | 'Pending'
}

export interface V1NFSVolumeSource {
  readonly server: string
  readonly path: string
  readonly readOnly?: boolean
}

export interface V1Namespace {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1NamespaceSpec
  readonly status?: V1NamespaceStatus
}

export interface V1NamespaceCondition {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

export interface V1NamespaceSpec {
  readonly finalizers?: readonly string[]
}

export interface V1NamespaceStatus {
  readonly phase?: 'Active' | 'Terminating'
  readonly conditions?: readonly V1NamespaceCondition[]
}

export interface V1Node {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1NodeSpec
  readonly status?: V1NodeStatus
}

export interface V1NodeAddress {
  readonly type: string
  readonly address: string
}

export interface V1NodeAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: V1NodeSelector
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly V1PreferredSchedulingTerm[]
}

export interface V1NodeAllocatableMappedResources {
  readonly name: string
  readonly quantity: string
}

export interface V1NodeAllocatableOverheadResources {
  readonly name: string
  readonly perPod?: string
  readonly perContainer?: string
}

export interface V1NodeAllocatableResourceClaimStatus {
  readonly resourceClaimName: string
  readonly containers?: readonly string[]
  readonly mapping?: readonly V1NodeAllocatableMappedResources[]
  readonly overhead?: readonly V1NodeAllocatableOverheadResources[]
}

export interface V1NodeCondition {
  readonly type: string
  readonly status: string
  readonly lastHeartbeatTime?: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

export interface V1NodeConfigSource {
  readonly configMap?: V1ConfigMapNodeConfigSource
}

export interface V1NodeConfigStatus {
  readonly assigned?: V1NodeConfigSource
  readonly active?: V1NodeConfigSource
  readonly lastKnownGood?: V1NodeConfigSource
  readonly error?: string
}

export interface V1NodeDaemonEndpoints {
  readonly kubeletEndpoint?: V1DaemonEndpoint
}

export interface V1NodeFeatures {
  readonly supplementalGroupsPolicy?: boolean
}

export interface V1NodePodPreemptionPolicy {
  readonly disableResizePreemption?: readonly string[]
}

export interface V1NodeRuntimeHandler {
  readonly name?: string
  readonly features?: V1NodeRuntimeHandlerFeatures
}

export interface V1NodeRuntimeHandlerFeatures {
  readonly recursiveReadOnlyMounts?: boolean
  readonly userNamespaces?: boolean
}

export interface V1NodeSelector {
  readonly nodeSelectorTerms: readonly V1NodeSelectorTerm[]
}

export interface V1NodeSelectorRequirement {
  readonly key: string
  readonly operator: 'DoesNotExist' | 'Exists' | 'Gt' | 'In' | 'Lt' | 'NotIn'
  readonly values?: readonly string[]
}

export interface V1NodeSelectorTerm {
  readonly matchExpressions?: readonly V1NodeSelectorRequirement[]
  readonly matchFields?: readonly V1NodeSelectorRequirement[]
}

export interface V1NodeSpec {
  readonly podCIDR?: string
  readonly podCIDRs?: readonly string[]
  readonly providerID?: string
  readonly unschedulable?: boolean
  readonly taints?: readonly V1Taint[]
  readonly configSource?: V1NodeConfigSource
  readonly externalID?: string
  readonly podPreemptionPolicy?: V1NodePodPreemptionPolicy
}

export interface V1NodeStatus {
  readonly capacity?: { readonly [key: string]: string }
  readonly allocatable?: { readonly [key: string]: string }
  readonly phase?: 'Pending' | 'Running' | 'Terminated'
  readonly conditions?: readonly V1NodeCondition[]
  readonly addresses?: readonly V1NodeAddress[]
  readonly daemonEndpoints?: V1NodeDaemonEndpoints
  readonly nodeInfo?: V1NodeSystemInfo
  readonly images?: readonly V1ContainerImage[]
  readonly volumesInUse?: readonly string[]
  readonly volumesAttached?: readonly V1AttachedVolume[]
  readonly config?: V1NodeConfigStatus
  readonly runtimeHandlers?: readonly V1NodeRuntimeHandler[]
  readonly features?: V1NodeFeatures
  readonly declaredFeatures?: readonly string[]
}

export interface V1NodeSwapStatus {
  readonly capacity?: number
}

export interface V1NodeSystemInfo {
  readonly machineID: string
  readonly systemUUID: string
  readonly bootID: string
  readonly kernelVersion: string
  readonly osImage: string
  readonly containerRuntimeVersion: string
  readonly kubeletVersion: string
  readonly kubeProxyVersion: string
  readonly operatingSystem: string
  readonly architecture: string
  readonly swap?: V1NodeSwapStatus
  readonly runningInUserNamespace?: boolean
}

export interface V1ObjectFieldSelector {
  readonly apiVersion?: string
  readonly fieldPath: string
}

export interface V1ObjectReference {
  readonly kind?: string
  readonly namespace?: string
  readonly name?: string
  readonly uid?: string
  readonly apiVersion?: string
  readonly resourceVersion?: string
  readonly fieldPath?: string
}

export interface V1PersistentVolume {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1PersistentVolumeSpec
  readonly status?: V1PersistentVolumeStatus
}

export interface V1PersistentVolumeClaim {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1PersistentVolumeClaimSpec
  readonly status?: V1PersistentVolumeClaimStatus
}

export interface V1PersistentVolumeClaimCondition {
  readonly type: string
  readonly status: string
  readonly lastProbeTime?: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

export interface V1PersistentVolumeClaimSpec {
  readonly accessModes?: readonly ('ReadOnlyMany' | 'ReadWriteMany' | 'ReadWriteOnce' | 'ReadWriteOncePod')[]
  readonly selector?: V1LabelSelector
  readonly resources?: V1VolumeResourceRequirements
  readonly volumeName?: string
  readonly storageClassName?: string
  readonly volumeMode?: 'Block' | 'Filesystem'
  readonly dataSource?: V1TypedLocalObjectReference
  readonly dataSourceRef?: V1TypedObjectReference
  readonly volumeAttributesClassName?: string
}

export interface V1PersistentVolumeClaimStatus {
  readonly phase?: 'Bound' | 'Lost' | 'Pending'
  readonly accessModes?: readonly ('ReadOnlyMany' | 'ReadWriteMany' | 'ReadWriteOnce' | 'ReadWriteOncePod')[]
  readonly capacity?: { readonly [key: string]: string }
  readonly conditions?: readonly V1PersistentVolumeClaimCondition[]
  readonly allocatedResources?: { readonly [key: string]: string }
  readonly allocatedResourceStatuses?: { readonly [key: string]: 'ControllerResizeInProgress' | 'ControllerResizeInfeasible' | 'NodeResizeInProgress' | 'NodeResizeInfeasible' | 'NodeResizePending' }
  readonly currentVolumeAttributesClassName?: string
  readonly modifyVolumeStatus?: V1ModifyVolumeStatus
  readonly healthStatus?: V1VolumeHealthStatus
}

export interface V1PersistentVolumeClaimTemplate {
  readonly metadata?: V1ObjectMeta
  readonly spec: V1PersistentVolumeClaimSpec
}

export interface V1PersistentVolumeClaimVolumeSource {
  readonly claimName: string
  readonly readOnly?: boolean
}

export interface V1PersistentVolumeSpec {
  readonly capacity?: { readonly [key: string]: string }
  readonly gcePersistentDisk?: V1GCEPersistentDiskVolumeSource
  readonly awsElasticBlockStore?: V1AWSElasticBlockStoreVolumeSource
  readonly hostPath?: V1HostPathVolumeSource
  readonly glusterfs?: V1GlusterfsPersistentVolumeSource
  readonly nfs?: V1NFSVolumeSource
  readonly rbd?: V1RBDPersistentVolumeSource
  readonly iscsi?: V1ISCSIPersistentVolumeSource
  readonly cinder?: V1CinderPersistentVolumeSource
  readonly cephfs?: V1CephFSPersistentVolumeSource
  readonly fc?: V1FCVolumeSource
  readonly flocker?: V1FlockerVolumeSource
  readonly flexVolume?: V1FlexPersistentVolumeSource
  readonly azureFile?: V1AzureFilePersistentVolumeSource
  readonly vsphereVolume?: V1VsphereVirtualDiskVolumeSource
  readonly quobyte?: V1QuobyteVolumeSource
  readonly azureDisk?: V1AzureDiskVolumeSource
  readonly photonPersistentDisk?: V1PhotonPersistentDiskVolumeSource
  readonly portworxVolume?: V1PortworxVolumeSource
  readonly scaleIO?: V1ScaleIOPersistentVolumeSource
  readonly local?: V1LocalVolumeSource
  readonly storageos?: V1StorageOSPersistentVolumeSource
  readonly csi?: V1CSIPersistentVolumeSource
  readonly accessModes?: readonly ('ReadOnlyMany' | 'ReadWriteMany' | 'ReadWriteOnce' | 'ReadWriteOncePod')[]
  readonly claimRef?: V1ObjectReference
  readonly persistentVolumeReclaimPolicy?: 'Delete' | 'Recycle' | 'Retain'
  readonly storageClassName?: string
  readonly mountOptions?: readonly string[]
  readonly volumeMode?: 'Block' | 'Filesystem'
  readonly nodeAffinity?: V1VolumeNodeAffinity
  readonly volumeAttributesClassName?: string
}

export interface V1PersistentVolumeStatus {
  readonly phase?: 'Available' | 'Bound' | 'Failed' | 'Pending' | 'Released'
  readonly message?: string
  readonly reason?: string
  readonly lastPhaseTransitionTime?: string
}

export interface V1PhotonPersistentDiskVolumeSource {
  readonly pdID: string
  readonly fsType?: string
}

export interface V1Pod {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1PodSpec
  readonly status?: V1PodStatus
}

export interface V1PodAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly V1PodAffinityTerm[]
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly V1WeightedPodAffinityTerm[]
}

export interface V1PodAffinityTerm {
  readonly labelSelector?: V1LabelSelector
  readonly namespaces?: readonly string[]
  readonly topologyKey: string
  readonly namespaceSelector?: V1LabelSelector
  readonly matchLabelKeys?: readonly string[]
  readonly mismatchLabelKeys?: readonly string[]
}

export interface V1PodAntiAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly V1PodAffinityTerm[]
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly V1WeightedPodAffinityTerm[]
}
