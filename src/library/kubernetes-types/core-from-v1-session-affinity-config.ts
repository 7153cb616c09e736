// Written by `npx vitest run test/library/kubernetes-types.test.ts -u`; do not edit.

import type { V1AWSElasticBlockStoreVolumeSource, V1AzureDiskVolumeSource, V1AzureFileVolumeSource, V1CSIVolumeSource, V1CephFSVolumeSource, V1CinderVolumeSource, V1ClientIPConfig, V1ClusterTrustBundleProjection, V1ConfigMapProjection, V1ConfigMapVolumeSource, V1DownwardAPIProjection, V1DownwardAPIVolumeSource, V1EmptyDirVolumeSource, V1EphemeralVolumeSource, V1FCVolumeSource, V1FlexVolumeSource, V1FlockerVolumeSource, V1GCEPersistentDiskVolumeSource } from './core-from-core-v1-endpoint-port.ts'
import type { V1GitRepoVolumeSource, V1GlusterfsVolumeSource, V1HostPathVolumeSource, V1ISCSIVolumeSource, V1ImageVolumeSource, V1ImageVolumeStatus, V1LocalObjectReference, V1NFSVolumeSource, V1NodeSelector, V1ObjectReference, V1PersistentVolumeClaimVolumeSource, V1PhotonPersistentDiskVolumeSource, V1PodAffinityTerm } from './core-from-v1-grpcaction.ts'
import type { V1PodCertificateProjection, V1PortworxVolumeSource, V1ProjectedVolumeSource, V1QuobyteVolumeSource, V1RBDVolumeSource, V1ScaleIOVolumeSource, V1SecretProjection, V1SecretVolumeSource, V1ServiceAccountTokenProjection } from './core-from-v1-pod-certificate-projection.ts'
import type { V1LabelSelector } from './meta.ts'

export interface V1SessionAffinityConfig {
  readonly clientIP?: V1ClientIPConfig
}

export interface V1SleepAction {
  readonly seconds: number
}

export interface V1StorageOSPersistentVolumeSource {
  readonly volumeName?: string
  readonly volumeNamespace?: string
  readonly fsType?: string
  readonly readOnly?: boolean
  readonly secretRef?: V1ObjectReference
}

export interface V1StorageOSVolumeSource {
  readonly volumeName?: string
  readonly volumeNamespace?: string
  readonly fsType?: string
  readonly readOnly?: boolean
  readonly secretRef?: V1LocalObjectReference
}

export interface V1Sysctl {
  readonly name: string
  readonly value: string
}

export interface V1TCPSocketAction {
  readonly port: number | string
  readonly host?: string
}

export interface V1Taint {
  readonly key: string
  readonly value?: string
  readonly effect: 'NoExecute' | 'NoSchedule' | 'PreferNoSchedule'
  readonly timeAdded?: string
}

export interface V1Toleration {
  readonly key?: string
  readonly operator?: 'Equal' | 'Exists' | 'Gt' | 'Lt'
  readonly value?: string
  readonly effect?: 'NoExecute' | 'NoSchedule' | 'PreferNoSchedule'
  readonly tolerationSeconds?: number
}

export interface V1TopologySelectorLabelRequirement {
  readonly key: string
  readonly values: readonly string[]
}

export interface V1TopologySelectorTerm {
  readonly matchLabelExpressions?: readonly V1TopologySelectorLabelRequirement[]
}

export interface V1TopologySpreadConstraint {
  readonly maxSkew: number
  readonly topologyKey: string
  readonly whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway'
  readonly labelSelector?: V1LabelSelector
  readonly minDomains?: number
  readonly nodeAffinityPolicy?: 'Honor' | 'Ignore'
  readonly nodeTaintsPolicy?: 'Honor' | 'Ignore'
  readonly matchLabelKeys?: readonly string[]
}

export interface V1TypedLocalObjectReference {
  readonly apiGroup?: string
  readonly kind: string
  readonly name: string
}

export interface V1TypedObjectReference {
  readonly apiGroup?: string
  readonly kind: string
  readonly name: string
  readonly namespace?: string
}

export interface V1Volume {
  readonly name: string
  readonly hostPath?: V1HostPathVolumeSource
  readonly emptyDir?: V1EmptyDirVolumeSource
  readonly gcePersistentDisk?: V1GCEPersistentDiskVolumeSource
  readonly awsElasticBlockStore?: V1AWSElasticBlockStoreVolumeSource
  readonly gitRepo?: V1GitRepoVolumeSource
  readonly secret?: V1SecretVolumeSource
  readonly nfs?: V1NFSVolumeSource
  readonly iscsi?: V1ISCSIVolumeSource
  readonly glusterfs?: V1GlusterfsVolumeSource
  readonly persistentVolumeClaim?: V1PersistentVolumeClaimVolumeSource
  readonly rbd?: V1RBDVolumeSource
  readonly flexVolume?: V1FlexVolumeSource
  readonly cinder?: V1CinderVolumeSource
  readonly cephfs?: V1CephFSVolumeSource
  readonly flocker?: V1FlockerVolumeSource
  readonly downwardAPI?: V1DownwardAPIVolumeSource
  readonly fc?: V1FCVolumeSource
  readonly azureFile?: V1AzureFileVolumeSource
  readonly configMap?: V1ConfigMapVolumeSource
  readonly vsphereVolume?: V1VsphereVirtualDiskVolumeSource
  readonly quobyte?: V1QuobyteVolumeSource
  readonly azureDisk?: V1AzureDiskVolumeSource
  readonly photonPersistentDisk?: V1PhotonPersistentDiskVolumeSource
  readonly projected?: V1ProjectedVolumeSource
  readonly portworxVolume?: V1PortworxVolumeSource
  readonly scaleIO?: V1ScaleIOVolumeSource
  readonly storageos?: V1StorageOSVolumeSource
  readonly csi?: V1CSIVolumeSource
  readonly ephemeral?: V1EphemeralVolumeSource
  readonly image?: V1ImageVolumeSource
}

export interface V1VolumeDevice {
  readonly name: string
  readonly devicePath: string
}

export interface V1VolumeHealthCondition {
  readonly status: 'DataLoss' | 'Degraded' | 'Inaccessible'
  readonly reason: string
  readonly message?: string
}

export interface V1VolumeHealthStatus {
  readonly healthConditions?: readonly V1VolumeHealthCondition[]
  readonly lastTransitionTime?: string
}

export interface V1VolumeMount {
  readonly name: string
  readonly readOnly?: boolean
  readonly recursiveReadOnly?: string
  readonly mountPath: string
  readonly subPath?: string
  readonly mountPropagation?: 'Bidirectional' | 'HostToContainer' | 'None'
  readonly subPathExpr?: string
  readonly bindMountOptions?: readonly string[]
}

export interface V1VolumeMountStatus {
  readonly name: string
  readonly mountPath: string
  readonly readOnly?: boolean
  readonly recursiveReadOnly?: string
  readonly volumeStatus?: V1VolumeStatus
}

export interface V1VolumeNodeAffinity {
  readonly required?: V1NodeSelector
}

export interface V1VolumeProjection {
  readonly secret?: V1SecretProjection
  readonly downwardAPI?: V1DownwardAPIProjection
  readonly configMap?: V1ConfigMapProjection
  readonly serviceAccountToken?: V1ServiceAccountTokenProjection
  readonly clusterTrustBundle?: V1ClusterTrustBundleProjection
  readonly podCertificate?: V1PodCertificateProjection
}

export interface V1VolumeResourceRequirements {
  readonly limits?: { readonly [key: string]: string }
  readonly requests?: { readonly [key: string]: string }
}

export interface V1VolumeStatus {
  readonly image?: V1ImageVolumeStatus
}

export interface V1VsphereVirtualDiskVolumeSource {
  readonly volumePath: string
  readonly fsType?: string
  readonly storagePolicyName?: string
  readonly storagePolicyID?: string
}

export interface V1WeightedPodAffinityTerm {
  readonly weight: number
  readonly podAffinityTerm: V1PodAffinityTerm
}

export interface V1WindowsSecurityContextOptions {
  readonly gmsaCredentialSpecName?: string
  readonly gmsaCredentialSpec?: string
  readonly runAsUserName?: string
  readonly hostProcess?: boolean
}
