import type { Condition, KubeObject, LabelSelector } from './meta.ts'

export interface CrossVersionObjectReference {
  readonly apiVersion?: string
  readonly kind: string
  readonly name: string
}

export interface MetricIdentifier {
  readonly name: string
  readonly selector?: LabelSelector
}

export interface MetricTarget {
  readonly type: 'Utilization' | 'Value' | 'AverageValue'
  readonly value?: string
  readonly averageValue?: string
  readonly averageUtilization?: number
}

export type MetricSourceType = 'Object' | 'Pods' | 'Resource' | 'ContainerResource' | 'External'

export interface MetricSpec {
  readonly type: MetricSourceType
  readonly resource?: { readonly name: string; readonly target: MetricTarget }
  readonly containerResource?: { readonly name: string; readonly container: string; readonly target: MetricTarget }
  readonly pods?: { readonly metric: MetricIdentifier; readonly target: MetricTarget }
  readonly object?: {
    readonly describedObject: CrossVersionObjectReference
    readonly metric: MetricIdentifier
    readonly target: MetricTarget
  }
  readonly external?: { readonly metric: MetricIdentifier; readonly target: MetricTarget }
}

export interface MetricValueStatus {
  readonly value?: string
  readonly averageValue?: string
  readonly averageUtilization?: number
}

export interface MetricStatus {
  readonly type: MetricSourceType | ''
  readonly resource?: { readonly name: string; readonly current: MetricValueStatus }
  readonly containerResource?: {
    readonly name: string
    readonly container: string
    readonly current: MetricValueStatus
  }
  readonly pods?: { readonly metric: MetricIdentifier; readonly current: MetricValueStatus }
  readonly object?: {
    readonly metric: MetricIdentifier
    readonly current: MetricValueStatus
    readonly describedObject: CrossVersionObjectReference
  }
  readonly external?: { readonly metric: MetricIdentifier; readonly current: MetricValueStatus }
}

export interface ScalingPolicy {
  readonly type: 'Pods' | 'Percent'
  readonly value: number
  readonly periodSeconds: number
}

export interface ScalingRules {
  readonly stabilizationWindowSeconds?: number
  readonly selectPolicy?: 'Max' | 'Min' | 'Disabled'
  readonly policies?: readonly ScalingPolicy[]
  readonly tolerance?: string
}

/** autoscaling/v2. */
export interface HorizontalPodAutoscaler extends KubeObject {
  readonly spec: {
    readonly scaleTargetRef: CrossVersionObjectReference
    readonly minReplicas?: number
    readonly maxReplicas: number
    readonly metrics?: readonly MetricSpec[]
    readonly behavior?: { readonly scaleUp?: ScalingRules; readonly scaleDown?: ScalingRules }
  }
  readonly status?: HorizontalPodAutoscalerStatus
}

export interface HorizontalPodAutoscalerStatus {
  readonly observedGeneration?: number
  readonly lastScaleTime?: string
  readonly currentReplicas?: number
  readonly desiredReplicas?: number
  readonly currentMetrics?: readonly MetricStatus[] | null
  readonly conditions?: readonly Condition[]
}
