// Written by `npx vitest run test/library/kubernetes-types.test.ts -u`; do not edit.

import type { V1Condition, V1LabelSelector, V1ObjectMeta } from './meta.ts'

export interface V1PodDisruptionBudget {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1PodDisruptionBudgetSpec
  readonly status?: V1PodDisruptionBudgetStatus
}

export interface V1PodDisruptionBudgetSpec {
  readonly minAvailable?: number | string
  readonly selector?: V1LabelSelector
  readonly maxUnavailable?: number | string
  readonly unhealthyPodEvictionPolicy?: 'AlwaysAllow' | 'IfHealthyBudget'
}

export interface V1PodDisruptionBudgetStatus {
  readonly observedGeneration?: number
  readonly disruptedPods?: { readonly [key: string]: string }
  readonly disruptionsAllowed?: number
  readonly currentHealthy?: number
  readonly desiredHealthy?: number
  readonly expectedPods?: number
  readonly conditions?: readonly V1Condition[]
}
