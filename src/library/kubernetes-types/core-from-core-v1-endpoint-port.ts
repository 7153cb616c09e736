// Written by `npx vitest run test/library/kubernetes-types.test.ts -u`; do not edit.

import type { V1KeyToPath, V1Lifecycle, V1LinuxContainerUser, V1LocalObjectReference, V1NodeAffinity, V1ObjectFieldSelector, V1ObjectReference, V1PersistentVolumeClaimTemplate, V1PodAffinity, V1PodAntiAffinity } from './core-from-v1-grpcaction.ts'
import type { V1Probe, V1ResourceFieldSelector, V1ResourceRequirements, V1ResourceStatus, V1SecretEnvSource, V1SecretKeySelector, V1SecretReference, V1SecurityContext } from './core-from-v1-pod-certificate-projection.ts'
import type { V1VolumeDevice, V1VolumeMount, V1VolumeMountStatus } from './core-from-v1-session-affinity-config.ts'
import type { V1LabelSelector, V1ObjectMeta } from './meta.ts'

export interface CoreV1EndpointPort {
  readonly name?: string
  readonly port: number
  readonly protocol?: 'SCTP' | 'TCP' | 'UDP'
  readonly appProtocol?: string
}

export interface CoreV1Event {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly involvedObject: V1ObjectReference
  readonly reason?: string
  readonly message?: string
  readonly source?: V1EventSource
  readonly firstTimestamp?: string
  readonly lastTimestamp?: string
  readonly count?: number
  readonly type?: string
  readonly eventTime?: string
  readonly series?: CoreV1EventSeries
  readonly action?: string
  readonly related?: V1ObjectReference
  readonly reportingComponent?: string
  readonly reportingInstance?: string
}

export interface CoreV1EventSeries {
  readonly count?: number
  readonly lastObservedTime?: string
}

export interface CoreV1ResourceClaim {
  readonly name: string
  readonly request?: string
}

export interface V1AWSElasticBlockStoreVolumeSource {
  readonly volumeID: string
  readonly fsType?: string
  readonly partition?: number
  readonly readOnly?: boolean
}

export interface V1Affinity {
  readonly nodeAffinity?: V1NodeAffinity
  readonly podAffinity?: V1PodAffinity
  readonly podAntiAffinity?: V1PodAntiAffinity
}

export interface V1AppArmorProfile {
  readonly type: 'Localhost' | 'RuntimeDefault' | 'Unconfined'
  readonly localhostProfile?: string
}

export interface V1AttachedVolume {
  readonly name: string
  readonly devicePath: string
}

export interface V1AzureDiskVolumeSource {
  readonly diskName: string
  readonly diskURI: string
  readonly cachingMode?: 'None' | 'ReadOnly' | 'ReadWrite'
  readonly fsType?: string
  readonly readOnly?: boolean
  readonly kind?: 'Dedicated' | 'Managed' | 'Shared'
}

export interface V1AzureFilePersistentVolumeSource {
  readonly secretName: string
  readonly shareName: string
  readonly readOnly?: boolean
  readonly secretNamespace?: string
}

export interface V1AzureFileVolumeSource {
  readonly secretName: string
  readonly shareName: string
  readonly readOnly?: boolean
}

export interface V1CSIPersistentVolumeSource {
  readonly driver: string
  readonly volumeHandle: string
  readonly readOnly?: boolean
  readonly fsType?: string
  readonly volumeAttributes?: { readonly [key: string]: string }
  readonly controllerPublishSecretRef?: V1SecretReference
  readonly nodeStageSecretRef?: V1SecretReference
  readonly nodePublishSecretRef?: V1SecretReference
  readonly controllerExpandSecretRef?: V1SecretReference
  readonly nodeExpandSecretRef?: V1SecretReference
}

export interface V1CSIVolumeSource {
  readonly driver: string
  readonly readOnly?: boolean
  readonly fsType?: string
  readonly volumeAttributes?: { readonly [key: string]: string }
  readonly nodePublishSecretRef?: V1LocalObjectReference
}

export interface V1Capabilities {
  readonly add?: readonly string[]
  readonly drop?: readonly string[]
}

export interface V1CephFSPersistentVolumeSource {
  readonly monitors: readonly string[]
  readonly path?: string
  readonly user?: string
  readonly secretFile?: string
  readonly secretRef?: V1SecretReference
  readonly readOnly?: boolean
}

export interface V1CephFSVolumeSource {
  readonly monitors: readonly string[]
  readonly path?: string
  readonly user?: string
  readonly secretFile?: string
  readonly secretRef?: V1LocalObjectReference
  readonly readOnly?: boolean
}

export interface V1CinderPersistentVolumeSource {
  readonly volumeID: string
  readonly fsType?: string
  readonly readOnly?: boolean
  readonly secretRef?: V1SecretReference
}

export interface V1CinderVolumeSource {
  readonly volumeID: string
  readonly fsType?: string
  readonly readOnly?: boolean
  readonly secretRef?: V1LocalObjectReference
}

export interface V1ClientIPConfig {
  readonly timeoutSeconds?: number
}

export interface V1ClusterTrustBundleProjection {
  readonly name?: string
  readonly signerName?: string
  readonly labelSelector?: V1LabelSelector
  readonly optional?: boolean
  readonly path: string
  readonly user?: number
}

export interface V1ComponentCondition {
  readonly type: string
  readonly status: string
  readonly message?: string
  readonly error?: string
}

export interface V1ComponentStatus {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly conditions?: readonly V1ComponentCondition[]
}

export interface V1ConfigMap {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly immutable?: boolean
  readonly data?: { readonly [key: string]: string }
  readonly binaryData?: { readonly [key: string]: string }
}

export interface V1ConfigMapEnvSource {
  readonly name?: string
  readonly optional?: boolean
}

export interface V1ConfigMapKeySelector {
  readonly name?: string
  readonly key: string
  readonly optional?: boolean
}

export interface V1ConfigMapNodeConfigSource {
  readonly namespace: string
  readonly name: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly kubeletConfigKey: string
}

export interface V1ConfigMapProjection {
  readonly name?: string
  readonly items?: readonly V1KeyToPath[]
  readonly optional?: boolean
}

export interface V1ConfigMapVolumeSource {
  readonly name?: string
  readonly items?: readonly V1KeyToPath[]
  readonly defaultMode?: number
  readonly optional?: boolean
  readonly defaultUser?: number
}

export interface V1Container {
  readonly name: string
  readonly image?: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly workingDir?: string
  readonly ports?: readonly V1ContainerPort[]
  readonly envFrom?: readonly V1EnvFromSource[]
  readonly env?: readonly V1EnvVar[]
  readonly resources?: V1ResourceRequirements
  readonly resizePolicy?: readonly V1ContainerResizePolicy[]
  readonly restartPolicy?: string
  readonly restartPolicyRules?: readonly V1ContainerRestartRule[]
  readonly volumeMounts?: readonly V1VolumeMount[]
  readonly volumeDevices?: readonly V1VolumeDevice[]
  readonly livenessProbe?: V1Probe
  readonly readinessProbe?: V1Probe
  readonly startupProbe?: V1Probe
  readonly lifecycle?: V1Lifecycle
  readonly terminationMessagePath?: string
  readonly terminationMessagePolicy?: 'FallbackToLogsOnError' | 'File'
  readonly imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never'
  readonly securityContext?: V1SecurityContext
  readonly stdin?: boolean
  readonly stdinOnce?: boolean
  readonly tty?: boolean
}

export interface V1ContainerExtendedResourceRequest {
  readonly containerName: string
  readonly resourceName: string
  readonly requestName: string
}

export interface V1ContainerImage {
  readonly names?: readonly string[]
  readonly sizeBytes?: number
}

export interface V1ContainerPort {
  readonly name?: string
  readonly hostPort?: number
  readonly containerPort: number
  readonly protocol?: 'SCTP' | 'TCP' | 'UDP'
  readonly hostIP?: string
}

export interface V1ContainerResizePolicy {
  readonly resourceName: string
  readonly restartPolicy: string
}

export interface V1ContainerRestartRule {
  readonly action: string
  readonly exitCodes?: V1ContainerRestartRuleOnExitCodes
}

export interface V1ContainerRestartRuleOnExitCodes {
  readonly operator: string
  readonly values?: readonly number[]
}

export interface V1ContainerState {
  readonly waiting?: V1ContainerStateWaiting
  readonly running?: V1ContainerStateRunning
  readonly terminated?: V1ContainerStateTerminated
}

export interface V1ContainerStateRunning {
  readonly startedAt?: string
}

export interface V1ContainerStateTerminated {
  readonly exitCode: number
  readonly signal?: number
  readonly reason?: string
  readonly message?: string
  readonly startedAt?: string
  readonly finishedAt?: string
  readonly containerID?: string
}

export interface V1ContainerStateWaiting {
  readonly reason?: string
  readonly message?: string
}

export interface V1ContainerStatus {
  readonly name: string
  readonly state?: V1ContainerState
  readonly lastState?: V1ContainerState
  readonly ready: boolean
  readonly restartCount: number
  readonly image: string
  readonly imageID: string
  readonly containerID?: string
  readonly started?: boolean
  readonly allocatedResources?: { readonly [key: string]: string }
  readonly resources?: V1ResourceRequirements
  readonly volumeMounts?: readonly V1VolumeMountStatus[]
  readonly user?: V1ContainerUser
  readonly allocatedResourcesStatus?: readonly V1ResourceStatus[]
  readonly stopSignal?: 'SIGABRT' | 'SIGALRM' | 'SIGBUS' | 'SIGCHLD' | 'SIGCLD' | 'SIGCONT' | 'SIGFPE' | 'SIGHUP' | 'SIGILL' | 'SIGINT' | 'SIGIO' | 'SIGIOT' | 'SIGKILL' | 'SIGPIPE' | 'SIGPOLL' | 'SIGPROF' | 'SIGPWR' | 'SIGQUIT' | 'SIGRTMAX' | 'SIGRTMAX-1' | 'SIGRTMAX-10' | 'SIGRTMAX-11' | 'SIGRTMAX-12' | 'SIGRTMAX-13' | 'SIGRTMAX-14' | 'SIGRTMAX-2' | 'SIGRTMAX-3' | 'SIGRTMAX-4' | 'SIGRTMAX-5' | 'SIGRTMAX-6' | 'SIGRTMAX-7' | 'SIGRTMAX-8' | 'SIGRTMAX-9' | 'SIGRTMIN' | 'SIGRTMIN+1' | 'SIGRTMIN+10' | 'SIGRTMIN+11' | 'SIGRTMIN+12' | 'SIGRTMIN+13' | 'SIGRTMIN+14' | 'SIGRTMIN+15' | 'SIGRTMIN+2' | 'SIGRTMIN+3' | 'SIGRTMIN+4' | 'SIGRTMIN+5' | 'SIGRTMIN+6' | 'SIGRTMIN+7' | 'SIGRTMIN+8' | 'SIGRTMIN+9' | 'SIGSEGV' | 'SIGSTKFLT' | 'SIGSTOP' | 'SIGSYS' | 'SIGTERM' | 'SIGTRAP' | 'SIGTSTP' | 'SIGTTIN' | 'SIGTTOU' | 'SIGURG' | 'SIGUSR1' | 'SIGUSR2' | 'SIGVTALRM' | 'SIGWINCH' | 'SIGXCPU' | 'SIGXFSZ'
}

export interface V1ContainerUser {
  readonly linux?: V1LinuxContainerUser
}

export interface V1DaemonEndpoint {
  readonly Port: number
}

export interface V1DownwardAPIProjection {
  readonly items?: readonly V1DownwardAPIVolumeFile[]
}

export interface V1DownwardAPIVolumeFile {
  readonly path: string
  readonly fieldRef?: V1ObjectFieldSelector
  readonly resourceFieldRef?: V1ResourceFieldSelector
  readonly mode?: number
  readonly user?: number
}

export interface V1DownwardAPIVolumeSource {
  readonly items?: readonly V1DownwardAPIVolumeFile[]
  readonly defaultMode?: number
  readonly defaultUser?: number
}

export interface V1EmptyDirVolumeSource {
  readonly medium?: string
  readonly sizeLimit?: string
  readonly mode?: number
}

export interface V1EndpointAddress {
  readonly ip: string
  readonly hostname?: string
  readonly nodeName?: string
  readonly targetRef?: V1ObjectReference
}

export interface V1EndpointSubset {
  readonly addresses?: readonly V1EndpointAddress[]
  readonly notReadyAddresses?: readonly V1EndpointAddress[]
  readonly ports?: readonly CoreV1EndpointPort[]
}

export interface V1Endpoints {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly subsets?: readonly V1EndpointSubset[]
}

export interface V1EnvFromSource {
  readonly prefix?: string
  readonly configMapRef?: V1ConfigMapEnvSource
  readonly secretRef?: V1SecretEnvSource
}

export interface V1EnvVar {
  readonly name: string
  readonly value?: string
  readonly valueFrom?: V1EnvVarSource
}

export interface V1EnvVarSource {
  readonly fieldRef?: V1ObjectFieldSelector
  readonly resourceFieldRef?: V1ResourceFieldSelector
  readonly configMapKeyRef?: V1ConfigMapKeySelector
  readonly secretKeyRef?: V1SecretKeySelector
  readonly fileKeyRef?: V1FileKeySelector
}

export interface V1EphemeralContainer {
  readonly name: string
  readonly image?: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly workingDir?: string
  readonly ports?: readonly V1ContainerPort[]
  readonly envFrom?: readonly V1EnvFromSource[]
  readonly env?: readonly V1EnvVar[]
  readonly resources?: V1ResourceRequirements
  readonly resizePolicy?: readonly V1ContainerResizePolicy[]
  readonly restartPolicy?: string
  readonly restartPolicyRules?: readonly V1ContainerRestartRule[]
  readonly volumeMounts?: readonly V1VolumeMount[]
  readonly volumeDevices?: readonly V1VolumeDevice[]
  readonly livenessProbe?: V1Probe
  readonly readinessProbe?: V1Probe
  readonly startupProbe?: V1Probe
  readonly lifecycle?: V1Lifecycle
  readonly terminationMessagePath?: string
  readonly terminationMessagePolicy?: 'FallbackToLogsOnError' | 'File'
  readonly imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never'
  readonly securityContext?: V1SecurityContext
  readonly stdin?: boolean
  readonly stdinOnce?: boolean
  readonly tty?: boolean
  readonly targetContainerName?: string
}

export interface V1EphemeralVolumeSource {
  readonly volumeClaimTemplate?: V1PersistentVolumeClaimTemplate
}

export interface V1EventSource {
  readonly component?: string
  readonly host?: string
}

export interface V1EvictionResponder {
  readonly name: string
  readonly priority: number
}

export interface V1ExecAction {
  readonly command?: readonly string[]
}

export interface V1FCVolumeSource {
  readonly targetWWNs?: readonly string[]
  readonly lun?: number
  readonly fsType?: string
  readonly readOnly?: boolean
  readonly wwids?: readonly string[]
}

export interface V1FileKeySelector {
  readonly volumeName: string
  readonly path: string
  readonly key: string
  readonly optional?: boolean
}

export interface V1FlexPersistentVolumeSource {
  readonly driver: string
  readonly fsType?: string
  readonly secretRef?: V1SecretReference
  readonly readOnly?: boolean
  readonly options?: { readonly [key: string]: string }
}

export interface V1FlexVolumeSource {
  readonly driver: string
  readonly fsType?: string
  readonly secretRef?: V1LocalObjectReference
  readonly readOnly?: boolean
  readonly options?: { readonly [key: string]: string }
}

export interface V1FlockerVolumeSource {
  readonly datasetName?: string
  readonly datasetUUID?: string
}

export interface V1GCEPersistentDiskVolumeSource {
  readonly pdName: string
  readonly fsType?: string
  readonly partition?: number
  readonly readOnly?: boolean
}
