import type { KubeObject, LabelSelector, ObjectReference, StringMap } from './meta.ts'
import type { NodeSelector } from './node.ts'
import type { ResourceList } from './pod.ts'

export type AccessMode = 'ReadWriteOnce' | 'ReadOnlyMany' | 'ReadWriteMany' | 'ReadWriteOncePod'

export interface PersistentVolume extends KubeObject {
  readonly spec: {
    readonly capacity?: ResourceList
    readonly accessModes?: readonly AccessMode[]
    readonly claimRef?: ObjectReference
    readonly persistentVolumeReclaimPolicy?: 'Retain' | 'Recycle' | 'Delete'
    readonly storageClassName?: string
    readonly volumeMode?: 'Filesystem' | 'Block'
    readonly mountOptions?: readonly string[]
    readonly nodeAffinity?: { readonly required?: NodeSelector }
    readonly volumeAttributesClassName?: string
    readonly csi?: { readonly driver: string; readonly volumeHandle: string; readonly [key: string]: unknown }
    readonly gcePersistentDisk?: { readonly pdName: string; readonly readOnly?: boolean }
    readonly awsElasticBlockStore?: { readonly volumeID: string; readonly readOnly?: boolean }
    readonly azureDisk?: { readonly diskName?: string; readonly [key: string]: unknown }
    readonly local?: { readonly path: string }
    readonly hostPath?: { readonly path: string; readonly type?: string }
    readonly [source: string]: unknown
  }
  readonly status?: {
    readonly phase?: string
    readonly message?: string
    readonly reason?: string
    readonly lastPhaseTransitionTime?: string
  }
}

export interface PersistentVolumeClaimSpec {
  readonly accessModes?: readonly AccessMode[]
  readonly selector?: LabelSelector
  readonly resources?: { readonly requests?: ResourceList; readonly limits?: ResourceList }
  readonly volumeName?: string
  readonly storageClassName?: string
  readonly volumeMode?: 'Filesystem' | 'Block'
  readonly dataSource?: unknown
  readonly dataSourceRef?: unknown
  readonly volumeAttributesClassName?: string
}

export interface PersistentVolumeClaim extends KubeObject {
  readonly spec: PersistentVolumeClaimSpec
  readonly status?: {
    readonly phase?: 'Pending' | 'Bound' | 'Lost'
    readonly accessModes?: readonly AccessMode[]
    readonly capacity?: ResourceList
    readonly conditions?: readonly unknown[]
  }
}

export interface StorageClass extends KubeObject {
  readonly provisioner: string
  readonly parameters?: StringMap
  readonly reclaimPolicy?: 'Retain' | 'Delete'
  readonly volumeBindingMode?: 'Immediate' | 'WaitForFirstConsumer'
  readonly allowVolumeExpansion?: boolean
  readonly mountOptions?: readonly string[]
  readonly allowedTopologies?: readonly {
    readonly matchLabelExpressions?: readonly { readonly key: string; readonly values: readonly string[] }[]
  }[]
}

export interface CSINode extends KubeObject {
  readonly spec: {
    readonly drivers: readonly {
      readonly name: string
      readonly nodeID: string
      readonly topologyKeys?: readonly string[]
      readonly allocatable?: { readonly count?: number }
    }[]
  }
}

export interface CSIDriver extends KubeObject {
  readonly spec: {
    readonly storageCapacity?: boolean
    readonly attachRequired?: boolean
    readonly preventPodSchedulingIfMissing?: boolean
    readonly [key: string]: unknown
  }
}

export interface CSIStorageCapacity extends KubeObject {
  readonly storageClassName: string
  readonly nodeTopology?: LabelSelector
  readonly capacity?: string
  readonly maximumVolumeSize?: string
}

export interface VolumeAttachment extends KubeObject {
  readonly spec: {
    readonly attacher: string
    readonly nodeName: string
    readonly source: { readonly persistentVolumeName?: string; readonly inlineVolumeSpec?: unknown }
  }
  readonly status?: { readonly attached: boolean; readonly [key: string]: unknown }
}
