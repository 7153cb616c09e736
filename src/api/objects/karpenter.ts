import type { Condition, KubeObject, StringMap } from './meta.ts'
import type { Taint } from './node.ts'
import type { ResourceList } from './pod.ts'

/** A requirement of a NodePool or NodeClaim: a node selector requirement with more operators and `minValues`. */
export interface ClaimRequirement {
  readonly key: string
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt' | 'Gte' | 'Lte'
  readonly values?: readonly string[]
  readonly minValues?: number
}

export interface NodeClassReference {
  readonly group: string
  readonly kind: string
  readonly name: string
}

export interface ClaimTemplateSpec {
  readonly taints?: readonly Taint[]
  readonly startupTaints?: readonly Taint[]
  readonly requirements?: readonly ClaimRequirement[]
  readonly nodeClassRef: NodeClassReference
  readonly terminationGracePeriod?: string
  /** A duration, or `Never`. */
  readonly expireAfter?: string
}

export type DisruptionReason = 'Underutilized' | 'Empty' | 'Drifted'

export interface DisruptionBudget {
  readonly reasons?: readonly DisruptionReason[]
  readonly nodes: string
  readonly schedule?: string
  readonly duration?: string
}

export interface NodePool extends KubeObject {
  readonly spec: {
    readonly template: {
      readonly metadata?: { readonly labels?: StringMap; readonly annotations?: StringMap }
      readonly spec: ClaimTemplateSpec
    }
    readonly disruption?: {
      /** A duration, or `Never`. */
      readonly consolidateAfter?: string
      readonly consolidationPolicy?: 'WhenEmpty' | 'WhenEmptyOrUnderutilized' | 'Balanced'
      readonly budgets?: readonly DisruptionBudget[]
    }
    readonly limits?: ResourceList
    readonly weight?: number
    /** If set, the pool is static and has this number of nodes. */
    readonly replicas?: number
  }
  readonly status?: {
    readonly conditions?: readonly Condition[]
    readonly resources?: ResourceList
    readonly nodes?: number
    readonly nodeClassObservedGeneration?: number
  }
}

export interface NodeClaim extends KubeObject {
  readonly spec: ClaimTemplateSpec & { readonly resources?: { readonly requests?: ResourceList } }
  readonly status?: {
    readonly nodeName?: string
    readonly providerID?: string
    readonly imageID?: string
    readonly capacity?: ResourceList
    readonly allocatable?: ResourceList
    readonly conditions?: readonly Condition[]
    readonly lastPodEventTime?: string
  }
}

export interface NodeOverlay extends KubeObject {
  readonly spec: {
    readonly requirements: readonly ClaimRequirement[]
    readonly priceAdjustment?: string
    readonly price?: string
    readonly capacity?: ResourceList
    readonly weight?: number
  }
}

export interface KwokNodeClass extends KubeObject {
  readonly spec?: { readonly nodeRegistrationDelay?: string }
  readonly status?: { readonly conditions?: readonly Condition[] }
}
