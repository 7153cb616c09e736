// Written by `npx vitest run test/library/kubernetes-types.test.ts -u`; do not edit.

import type { V1ObjectMeta } from './meta.ts'

export interface V1PriorityClass {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly value?: number
  readonly globalDefault?: boolean
  readonly description?: string
  readonly preemptionPolicy?: 'Never' | 'PreemptLowerPriority'
}

export interface V1alpha3TopologyConstraint {
  readonly key: string
}

export interface V1alpha3WorkloadPodGroupAllDisruptionMode {
}

export interface V1alpha3WorkloadPodGroupBasicSchedulingPolicy {
}

export interface V1alpha3WorkloadPodGroupDisruptionMode {
  readonly single?: V1alpha3WorkloadPodGroupSingleDisruptionMode
  readonly all?: V1alpha3WorkloadPodGroupAllDisruptionMode
}

export interface V1alpha3WorkloadPodGroupGangSchedulingPolicy {
  readonly minCount?: number
}

export interface V1alpha3WorkloadPodGroupResourceClaim {
  readonly name: string
  readonly resourceClaimName?: string
  readonly resourceClaimTemplateName?: string
}

export interface V1alpha3WorkloadPodGroupSchedulingConstraints {
  readonly topology?: readonly V1alpha3TopologyConstraint[]
}

export interface V1alpha3WorkloadPodGroupSchedulingPolicy {
  readonly basic?: V1alpha3WorkloadPodGroupBasicSchedulingPolicy
  readonly gang?: V1alpha3WorkloadPodGroupGangSchedulingPolicy
}

export interface V1alpha3WorkloadPodGroupSingleDisruptionMode {
}
