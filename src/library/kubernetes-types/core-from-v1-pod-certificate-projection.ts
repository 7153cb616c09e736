// Written by `npx vitest run test/library/kubernetes-types.test.ts -u`; do not edit.

import type { CoreV1ResourceClaim, V1Affinity, V1AppArmorProfile, V1Capabilities, V1Container, V1ContainerExtendedResourceRequest, V1ContainerStatus, V1EphemeralContainer, V1EvictionResponder, V1ExecAction } from './core-from-core-v1-endpoint-port.ts'
import type { V1GRPCAction, V1HTTPGetAction, V1HostAlias, V1HostIP, V1KeyToPath, V1LoadBalancerStatus, V1LocalObjectReference, V1NodeAllocatableResourceClaimStatus, V1NodeSelectorTerm, V1ObjectReference } from './core-from-v1-grpcaction.ts'
import type { V1SessionAffinityConfig, V1Sysctl, V1TCPSocketAction, V1Toleration, V1TopologySpreadConstraint, V1Volume, V1VolumeHealthCondition, V1VolumeProjection, V1WindowsSecurityContextOptions } from './core-from-v1-session-affinity-config.ts'
import type { V1Condition, V1ObjectMeta } from './meta.ts'

export interface V1PodCertificateProjection {
  readonly signerName: string
  readonly keyType: string
  readonly maxExpirationSeconds?: number
  readonly credentialBundlePath?: string
  readonly keyPath?: string
  readonly certificateChainPath?: string
  readonly userAnnotations?: { readonly [key: string]: string }
  readonly user?: number
}

export interface V1PodCondition {
  readonly type: string
  readonly observedGeneration?: number
  readonly status: string
  readonly lastProbeTime?: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

export interface V1PodDNSConfig {
  readonly nameservers?: readonly string[]
  readonly searches?: readonly string[]
  readonly options?: readonly V1PodDNSConfigOption[]
}

export interface V1PodDNSConfigOption {
  readonly name?: string
  readonly value?: string
}

export interface V1PodExtendedResourceClaimStatus {
  readonly requestMappings: readonly V1ContainerExtendedResourceRequest[]
  readonly resourceClaimName: string
}

export interface V1PodIP {
  readonly ip: string
}

export interface V1PodOS {
  readonly name: string
}

export interface V1PodReadinessGate {
  readonly conditionType: string
}

export interface V1PodResourceClaim {
  readonly name: string
  readonly resourceClaimName?: string
  readonly resourceClaimTemplateName?: string
}

export interface V1PodResourceClaimStatus {
  readonly name: string
  readonly resourceClaimName?: string
}

export interface V1PodSchedulingGate {
  readonly name: string
}

export interface V1PodSchedulingGroup {
  readonly podGroupName?: string
}

export interface V1PodSecurityContext {
  readonly seLinuxOptions?: V1SELinuxOptions
  readonly windowsOptions?: V1WindowsSecurityContextOptions
  readonly runAsUser?: number
  readonly runAsGroup?: number
  readonly runAsNonRoot?: boolean
  readonly supplementalGroups?: readonly number[]
  readonly supplementalGroupsPolicy?: 'Merge' | 'Strict'
  readonly fsGroup?: number
  readonly sysctls?: readonly V1Sysctl[]
  readonly fsGroupChangePolicy?: 'Always' | 'OnRootMismatch'
  readonly seccompProfile?: V1SeccompProfile
  readonly appArmorProfile?: V1AppArmorProfile
  readonly seLinuxChangePolicy?: string
}

export interface V1PodSpec {
  readonly volumes?: readonly V1Volume[]
  readonly initContainers?: readonly V1Container[]
  readonly containers: readonly V1Container[]
  readonly ephemeralContainers?: readonly V1EphemeralContainer[]
  readonly restartPolicy?: 'Always' | 'Never' | 'OnFailure'
  readonly terminationGracePeriodSeconds?: number
  readonly activeDeadlineSeconds?: number
  readonly dnsPolicy?: 'ClusterFirst' | 'ClusterFirstWithHostNet' | 'Default' | 'None'
  readonly nodeSelector?: { readonly [key: string]: string }
  readonly serviceAccountName?: string
  readonly serviceAccount?: string
  readonly automountServiceAccountToken?: boolean
  readonly nodeName?: string
  readonly hostNetwork?: boolean
  readonly hostPID?: boolean
  readonly hostIPC?: boolean
  readonly shareProcessNamespace?: boolean
  readonly securityContext?: V1PodSecurityContext
  readonly imagePullSecrets?: readonly V1LocalObjectReference[]
  readonly hostname?: string
  readonly subdomain?: string
  readonly affinity?: V1Affinity
  readonly schedulerName?: string
  readonly tolerations?: readonly V1Toleration[]
  readonly hostAliases?: readonly V1HostAlias[]
  readonly priorityClassName?: string
  readonly priority?: number
  readonly dnsConfig?: V1PodDNSConfig
  readonly readinessGates?: readonly V1PodReadinessGate[]
  readonly runtimeClassName?: string
  readonly enableServiceLinks?: boolean
  readonly preemptionPolicy?: 'Never' | 'PreemptLowerPriority'
  readonly overhead?: { readonly [key: string]: string }
  readonly topologySpreadConstraints?: readonly V1TopologySpreadConstraint[]
  readonly setHostnameAsFQDN?: boolean
  readonly os?: V1PodOS
  readonly hostUsers?: boolean
  readonly schedulingGates?: readonly V1PodSchedulingGate[]
  readonly resourceClaims?: readonly V1PodResourceClaim[]
  readonly resources?: V1ResourceRequirements
  readonly hostnameOverride?: string
  readonly schedulingGroup?: V1PodSchedulingGroup
  readonly evictionResponders?: readonly V1EvictionResponder[]
}

export interface V1PodStatus {
  readonly observedGeneration?: number
  readonly phase?: 'Failed' | 'Pending' | 'Running' | 'Succeeded' | 'Unknown'
  readonly conditions?: readonly V1PodCondition[]
  readonly message?: string
  readonly reason?: string
  readonly nominatedNodeName?: string
  readonly hostIP?: string
  readonly hostIPs?: readonly V1HostIP[]
  readonly podIP?: string
  readonly podIPs?: readonly V1PodIP[]
  readonly startTime?: string
  readonly initContainerStatuses?: readonly V1ContainerStatus[]
  readonly containerStatuses?: readonly V1ContainerStatus[]
  readonly qosClass?: 'BestEffort' | 'Burstable' | 'Guaranteed'
  readonly ephemeralContainerStatuses?: readonly V1ContainerStatus[]
  readonly resize?: string
  readonly resourceClaimStatuses?: readonly V1PodResourceClaimStatus[]
  readonly extendedResourceClaimStatus?: V1PodExtendedResourceClaimStatus
  readonly allocatedResources?: { readonly [key: string]: string }
  readonly resources?: V1ResourceRequirements
  readonly nodeAllocatableResourceClaimStatuses?: readonly V1NodeAllocatableResourceClaimStatus[]
  readonly volumeHealth?: readonly V1PodVolumeHealth[]
}

export interface V1PodTemplate {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly template?: V1PodTemplateSpec
}

export interface V1PodTemplateSpec {
  readonly metadata?: V1ObjectMeta
  readonly spec?: V1PodSpec
}

export interface V1PodVolumeHealth {
  readonly name: string
  readonly healthConditions?: readonly V1VolumeHealthCondition[]
  readonly lastTransitionTime?: string
}

export interface V1PortStatus {
  readonly port: number
  readonly protocol: 'SCTP' | 'TCP' | 'UDP'
  readonly error?: string
}

export interface V1PortworxVolumeSource {
  readonly volumeID: string
  readonly fsType?: string
  readonly readOnly?: boolean
}

export interface V1PreferredSchedulingTerm {
  readonly weight: number
  readonly preference: V1NodeSelectorTerm
}

export interface V1Probe {
  readonly exec?: V1ExecAction
  readonly httpGet?: V1HTTPGetAction
  readonly tcpSocket?: V1TCPSocketAction
  readonly grpc?: V1GRPCAction
  readonly initialDelaySeconds?: number
  readonly timeoutSeconds?: number
  readonly periodSeconds?: number
  readonly successThreshold?: number
  readonly failureThreshold?: number
  readonly terminationGracePeriodSeconds?: number
}

export interface V1ProjectedVolumeSource {
  readonly sources?: readonly V1VolumeProjection[]
  readonly defaultMode?: number
  readonly defaultUser?: number
}

export interface V1QuobyteVolumeSource {
  readonly registry: string
  readonly volume: string
  readonly readOnly?: boolean
  readonly user?: string
  readonly group?: string
  readonly tenant?: string
}

export interface V1RBDPersistentVolumeSource {
  readonly monitors: readonly string[]
  readonly image: string
  readonly fsType?: string
  readonly pool?: string
  readonly user?: string
  readonly keyring?: string
  readonly secretRef?: V1SecretReference
  readonly readOnly?: boolean
}

export interface V1RBDVolumeSource {
  readonly monitors: readonly string[]
  readonly image: string
  readonly fsType?: string
  readonly pool?: string
  readonly user?: string
  readonly keyring?: string
  readonly secretRef?: V1LocalObjectReference
  readonly readOnly?: boolean
}

export interface V1ReplicationController {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1ReplicationControllerSpec
  readonly status?: V1ReplicationControllerStatus
}

export interface V1ReplicationControllerCondition {
  readonly type: string
  readonly status: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

export interface V1ReplicationControllerSpec {
  readonly replicas?: number
  readonly minReadySeconds?: number
  readonly selector?: { readonly [key: string]: string }
  readonly template?: V1PodTemplateSpec
}

export interface V1ReplicationControllerStatus {
  readonly replicas: number
  readonly fullyLabeledReplicas?: number
  readonly readyReplicas?: number
  readonly availableReplicas?: number
  readonly observedGeneration?: number
  readonly conditions?: readonly V1ReplicationControllerCondition[]
}

export interface V1ResourceFieldSelector {
  readonly containerName?: string
  readonly resource: string
  readonly divisor?: string
}

export interface V1ResourceHealth {
  readonly resourceID: string
  readonly health?: string
  readonly message?: string
}

export interface V1ResourceQuota {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1ResourceQuotaSpec
  readonly status?: V1ResourceQuotaStatus
}

export interface V1ResourceQuotaSpec {
  readonly hard?: { readonly [key: string]: string }
  readonly scopes?: readonly ('BestEffort' | 'CrossNamespacePodAffinity' | 'NotBestEffort' | 'NotTerminating' | 'PriorityClass' | 'Terminating' | 'VolumeAttributesClass')[]
  readonly scopeSelector?: V1ScopeSelector
}

export interface V1ResourceQuotaStatus {
  readonly hard?: { readonly [key: string]: string }
  readonly used?: { readonly [key: string]: string }
}

export interface V1ResourceRequirements {
  readonly limits?: { readonly [key: string]: string }
  readonly requests?: { readonly [key: string]: string }
  readonly claims?: readonly CoreV1ResourceClaim[]
}

export interface V1ResourceStatus {
  readonly name: string
  readonly resources?: readonly V1ResourceHealth[]
}

export interface V1SELinuxOptions {
  readonly user?: string
  readonly role?: string
  readonly type?: string
  readonly level?: string
}

export interface V1ScaleIOPersistentVolumeSource {
  readonly gateway: string
  readonly system: string
  readonly secretRef: V1SecretReference
  readonly sslEnabled?: boolean
  readonly protectionDomain?: string
  readonly storagePool?: string
  readonly storageMode?: string
  readonly volumeName?: string
  readonly fsType?: string
  readonly readOnly?: boolean
}

export interface V1ScaleIOVolumeSource {
  readonly gateway: string
  readonly system: string
  readonly secretRef: V1LocalObjectReference
  readonly sslEnabled?: boolean
  readonly protectionDomain?: string
  readonly storagePool?: string
  readonly storageMode?: string
  readonly volumeName?: string
  readonly fsType?: string
  readonly readOnly?: boolean
}

export interface V1ScopeSelector {
  readonly matchExpressions?: readonly V1ScopedResourceSelectorRequirement[]
}

export interface V1ScopedResourceSelectorRequirement {
  readonly scopeName: 'BestEffort' | 'CrossNamespacePodAffinity' | 'NotBestEffort' | 'NotTerminating' | 'PriorityClass' | 'Terminating' | 'VolumeAttributesClass'
  readonly operator: 'DoesNotExist' | 'Exists' | 'In' | 'NotIn'
  readonly values?: readonly string[]
}

export interface V1SeccompProfile {
  readonly type: 'Localhost' | 'RuntimeDefault' | 'Unconfined'
  readonly localhostProfile?: string
}

export interface V1Secret {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly immutable?: boolean
  readonly data?: { readonly [key: string]: string }
  readonly stringData?: { readonly [key: string]: string }
  readonly type?: string
}

export interface V1SecretEnvSource {
  readonly name?: string
  readonly optional?: boolean
}

export interface V1SecretKeySelector {
  readonly name?: string
  readonly key: string
  readonly optional?: boolean
}

export interface V1SecretProjection {
  readonly name?: string
  readonly items?: readonly V1KeyToPath[]
  readonly optional?: boolean
}

export interface V1SecretReference {
  readonly name?: string
  readonly namespace?: string
}

export interface V1SecretVolumeSource {
  readonly secretName?: string
  readonly items?: readonly V1KeyToPath[]
  readonly defaultMode?: number
  readonly optional?: boolean
  readonly defaultUser?: number
}

export interface V1SecurityContext {
  readonly capabilities?: V1Capabilities
  readonly privileged?: boolean
  readonly seLinuxOptions?: V1SELinuxOptions
  readonly windowsOptions?: V1WindowsSecurityContextOptions
  readonly runAsUser?: number
  readonly runAsGroup?: number
  readonly runAsNonRoot?: boolean
  readonly readOnlyRootFilesystem?: boolean
  readonly allowPrivilegeEscalation?: boolean
  readonly procMount?: 'Default' | 'Unmasked'
  readonly seccompProfile?: V1SeccompProfile
  readonly appArmorProfile?: V1AppArmorProfile
}

export interface V1Service {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1ServiceSpec
  readonly status?: V1ServiceStatus
}

export interface V1ServiceAccount {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly secrets?: readonly V1ObjectReference[]
  readonly imagePullSecrets?: readonly V1LocalObjectReference[]
  readonly automountServiceAccountToken?: boolean
}

export interface V1ServiceAccountTokenProjection {
  readonly audience?: string
  readonly expirationSeconds?: number
  readonly path: string
  readonly user?: number
}

export interface V1ServicePort {
  readonly name?: string
  readonly protocol?: 'SCTP' | 'TCP' | 'UDP'
  readonly appProtocol?: string
  readonly port: number
  readonly targetPort?: number | string
  readonly nodePort?: number
}

export interface V1ServiceSpec {
  readonly ports?: readonly V1ServicePort[]
  readonly selector?: { readonly [key: string]: string }
  readonly clusterIP?: string
  readonly clusterIPs?: readonly string[]
  readonly type?: 'ClusterIP' | 'ExternalName' | 'LoadBalancer' | 'NodePort'
  readonly externalIPs?: readonly string[]
  readonly sessionAffinity?: 'ClientIP' | 'None'
  readonly loadBalancerIP?: string
  readonly loadBalancerSourceRanges?: readonly string[]
  readonly externalName?: string
  readonly externalTrafficPolicy?: 'Cluster' | 'Local'
  readonly healthCheckNodePort?: number
  readonly publishNotReadyAddresses?: boolean
  readonly sessionAffinityConfig?: V1SessionAffinityConfig
  readonly ipFamilies?: readonly ('' | 'IPv4' | 'IPv6')[]
  readonly ipFamilyPolicy?: 'PreferDualStack' | 'RequireDualStack' | 'SingleStack'
  readonly allocateLoadBalancerNodePorts?: boolean
  readonly loadBalancerClass?: string
  readonly internalTrafficPolicy?: 'Cluster' | 'Local'
  readonly trafficDistribution?: string
}

export interface V1ServiceStatus {
  readonly loadBalancer?: V1LoadBalancerStatus
  readonly conditions?: readonly V1Condition[]
}
