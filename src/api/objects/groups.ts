import type { DeviceCondition } from './devices.ts'
import type { KubeObject } from './meta.ts'

// Workload and PodGroup of scheduling.k8s.io: v1alpha2 in v1.36, v1alpha3 and v1beta1 in v1.37.

export interface Workload extends KubeObject {
  readonly spec: WorkloadSpec
}

export interface WorkloadSpec {
  readonly controllerRef?: { readonly apiGroup?: string; readonly kind: string; readonly name: string }
  readonly podGroupTemplates?: readonly PodGroupTemplate[]
}

export interface PodGroupTemplate extends PodGroupRules {
  readonly name: string
}

/** The common fields of a template and a PodGroup. */
export interface PodGroupRules {
  readonly schedulingPolicy?: PodGroupSchedulingPolicy
  readonly schedulingConstraints?: { readonly topology?: readonly { readonly key: string }[] }
  readonly resourceClaims?: readonly PodGroupResourceClaim[]
  readonly disruptionMode?: DisruptionMode
  readonly priorityClassName?: string
  readonly priority?: number
  /** v1.37. */
  readonly preemptionPolicy?: 'PreemptLowerPriority' | 'Never'
}

/** Exactly one of the fields is set. */
export interface PodGroupSchedulingPolicy {
  readonly basic?: object
  readonly gang?: { readonly minCount: number }
}

/** A string in v1.36, one of two objects in v1.37. */
export type DisruptionMode = 'Pod' | 'PodGroup' | { readonly single?: object; readonly all?: object }

/** Exactly one of `resourceClaimName` and `resourceClaimTemplateName` is set. */
export interface PodGroupResourceClaim {
  readonly name: string
  readonly resourceClaimName?: string
  readonly resourceClaimTemplateName?: string
}

export interface PodGroup extends KubeObject {
  readonly spec: PodGroupSpec
  readonly status?: PodGroupStatus
}

export interface PodGroupSpec extends PodGroupRules {
  /** v1.36. */
  readonly podGroupTemplateRef?: {
    readonly workload?: { readonly workloadName: string; readonly podGroupTemplateName: string }
  }
  /** v1.37. */
  readonly workloadRef?: { readonly workloadName: string; readonly templateName: string }
  /** v1.37, gate CompositePodGroup. */
  readonly parentCompositePodGroupName?: string
}

export interface PodGroupStatus {
  readonly conditions?: readonly DeviceCondition[]
  readonly resourceClaimStatuses?: readonly { readonly name: string; readonly resourceClaimName?: string }[]
}

/** A group of groups, alpha in v1.37 (gate CompositePodGroup). */
export interface CompositePodGroup extends KubeObject {
  readonly spec: CompositePodGroupSpec
  readonly status?: { readonly conditions?: readonly DeviceCondition[] }
}

export interface CompositePodGroupSpec {
  readonly parentCompositePodGroupName?: string
  readonly workloadRef?: { readonly workloadName: string; readonly templateName: string }
  /** Exactly one of the fields is set. */
  readonly schedulingPolicy?: { readonly basic?: object; readonly gang?: { readonly minGroupCount: number } }
  readonly schedulingConstraints?: { readonly topology?: readonly { readonly key: string }[] }
  readonly disruptionMode?: { readonly single?: object; readonly all?: object }
  readonly priorityClassName?: string
  readonly priority?: number
  readonly preemptionPolicy?: 'PreemptLowerPriority' | 'Never'
}
