// Written by `npx vitest run test/library/kubernetes-types.test.ts -u`; do not edit.

import type { V1ObjectMeta } from './meta.ts'

export interface V1CrossVersionObjectReference {
  readonly kind: string
  readonly name: string
  readonly apiVersion?: string
}

export interface V1HorizontalPodAutoscaler {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1HorizontalPodAutoscalerSpec
  readonly status?: V1HorizontalPodAutoscalerStatus
}

export interface V1HorizontalPodAutoscalerSpec {
  readonly scaleTargetRef: V1CrossVersionObjectReference
  readonly minReplicas?: number
  readonly maxReplicas: number
  readonly targetCPUUtilizationPercentage?: number
}

export interface V1HorizontalPodAutoscalerStatus {
  readonly observedGeneration?: number
  readonly lastScaleTime?: string
  readonly currentReplicas: number
  readonly desiredReplicas: number
  readonly currentCPUUtilizationPercentage?: number
}
