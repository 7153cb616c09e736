// Written by `npx vitest run test/library/kubernetes-types.test.ts -u`; do not edit.

import type { V1PersistentVolumeSpec } from './core-from-v1-grpcaction.ts'
import type { V1TopologySelectorTerm } from './core-from-v1-session-affinity-config.ts'
import type { V1LabelSelector, V1ObjectMeta } from './meta.ts'

export interface V1CSIDriver {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1CSIDriverSpec
}

export interface V1CSIDriverSpec {
  readonly attachRequired?: boolean
  readonly podInfoOnMount?: boolean
  readonly volumeLifecycleModes?: readonly string[]
  readonly storageCapacity?: boolean
  readonly fsGroupPolicy?: string
  readonly tokenRequests?: readonly V1TokenRequest[]
  readonly requiresRepublish?: boolean
  readonly seLinuxMount?: boolean
  readonly nodeAllocatableUpdatePeriodSeconds?: number
  readonly serviceAccountTokenInSecrets?: boolean
  readonly preventPodSchedulingIfMissing?: boolean
}

export interface V1CSINode {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1CSINodeSpec
  readonly status?: V1CSINodeStatus
}

export interface V1CSINodeDriver {
  readonly name: string
  readonly nodeID: string
  readonly topologyKeys?: readonly string[]
  readonly allocatable?: V1VolumeNodeResources
}

export interface V1CSINodeSpec {
  readonly drivers: readonly V1CSINodeDriver[]
}

export interface V1CSINodeStatus {
  readonly storageHealth?: readonly V1StorageHealth[]
}

export interface V1CSIStorageCapacity {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly nodeTopology?: V1LabelSelector
  readonly storageClassName: string
  readonly capacity?: string
  readonly maximumVolumeSize?: string
}

export interface V1StorageClass {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly provisioner: string
  readonly parameters?: { readonly [key: string]: string }
  readonly reclaimPolicy?: 'Delete' | 'Recycle' | 'Retain'
  readonly mountOptions?: readonly string[]
  readonly allowVolumeExpansion?: boolean
  readonly volumeBindingMode?: 'Immediate' | 'WaitForFirstConsumer'
  readonly allowedTopologies?: readonly V1TopologySelectorTerm[]
}

export interface V1StorageHealth {
  readonly name: string
  readonly healthConditions?: readonly V1StorageHealthCondition[]
}

export interface V1StorageHealthCondition {
  readonly status: 'StorageDegraded' | 'StorageUnreachable'
  readonly reason: string
  readonly message?: string
  readonly accessMode?: 'ReadOnlyMany' | 'ReadWriteMany' | 'ReadWriteOnce' | 'ReadWriteOncePod'
  readonly volumeMode?: 'Block' | 'Filesystem'
  readonly lastTransitionTime?: string
}

export interface V1TokenRequest {
  readonly audience: string
  readonly expirationSeconds?: number
}

export interface V1VolumeAttachment {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1VolumeAttachmentSpec
  readonly status?: V1VolumeAttachmentStatus
}

export interface V1VolumeAttachmentSource {
  readonly persistentVolumeName?: string
  readonly inlineVolumeSpec?: V1PersistentVolumeSpec
}

export interface V1VolumeAttachmentSpec {
  readonly attacher: string
  readonly source: V1VolumeAttachmentSource
  readonly nodeName: string
}

export interface V1VolumeAttachmentStatus {
  readonly attached: boolean
  readonly attachmentMetadata?: { readonly [key: string]: string }
  readonly attachError?: V1VolumeError
  readonly detachError?: V1VolumeError
}

export interface V1VolumeAttributesClass {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly driverName: string
  readonly parameters?: { readonly [key: string]: string }
}

export interface V1VolumeError {
  readonly time?: string
  readonly message?: string
  readonly errorCode?: number
}

export interface V1VolumeNodeResources {
  readonly count?: number
}
