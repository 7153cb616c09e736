// Written by `npx vitest run test/library/kubernetes-types.test.ts -u`; do not edit.

import type { V1ObjectReference } from './core-from-v1-grpcaction.ts'
import type { V1PodTemplateSpec } from './core-from-v1-pod-certificate-projection.ts'
import type { V1LabelSelector, V1ObjectMeta } from './meta.ts'
import type { V1alpha3WorkloadPodGroupDisruptionMode, V1alpha3WorkloadPodGroupResourceClaim, V1alpha3WorkloadPodGroupSchedulingConstraints, V1alpha3WorkloadPodGroupSchedulingPolicy } from './scheduling.ts'

export interface V1CronJob {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1CronJobSpec
  readonly status?: V1CronJobStatus
}

export interface V1CronJobSpec {
  readonly schedule: string
  readonly timeZone?: string
  readonly startingDeadlineSeconds?: number
  readonly concurrencyPolicy?: 'Allow' | 'Forbid' | 'Replace'
  readonly suspend?: boolean
  readonly jobTemplate: V1JobTemplateSpec
  readonly successfulJobsHistoryLimit?: number
  readonly failedJobsHistoryLimit?: number
}

export interface V1CronJobStatus {
  readonly active?: readonly V1ObjectReference[]
  readonly lastScheduleTime?: string
  readonly lastSuccessfulTime?: string
}

export interface V1Job {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1JobSpec
  readonly status?: V1JobStatus
}

export interface V1JobCondition {
  readonly type: string
  readonly status: string
  readonly lastProbeTime?: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

export interface V1JobSchedulingConfiguration {
  readonly schedulingPolicy?: V1alpha3WorkloadPodGroupSchedulingPolicy
  readonly schedulingConstraints?: V1alpha3WorkloadPodGroupSchedulingConstraints
  readonly disruptionMode?: V1alpha3WorkloadPodGroupDisruptionMode
  readonly resourceClaims?: readonly V1alpha3WorkloadPodGroupResourceClaim[]
}

export interface V1JobSpec {
  readonly parallelism?: number
  readonly completions?: number
  readonly activeDeadlineSeconds?: number
  readonly podFailurePolicy?: V1PodFailurePolicy
  readonly successPolicy?: V1SuccessPolicy
  readonly backoffLimit?: number
  readonly backoffLimitPerIndex?: number
  readonly maxFailedIndexes?: number
  readonly selector?: V1LabelSelector
  readonly manualSelector?: boolean
  readonly template: V1PodTemplateSpec
  readonly ttlSecondsAfterFinished?: number
  readonly completionMode?: 'Indexed' | 'NonIndexed'
  readonly suspend?: boolean
  readonly podReplacementPolicy?: 'Failed' | 'TerminatingOrFailed'
  readonly managedBy?: string
  readonly scheduling?: V1JobSchedulingConfiguration
}

export interface V1JobStatus {
  readonly conditions?: readonly V1JobCondition[]
  readonly startTime?: string
  readonly completionTime?: string
  readonly active?: number
  readonly succeeded?: number
  readonly failed?: number
  readonly terminating?: number
  readonly completedIndexes?: string
  readonly failedIndexes?: string
  readonly uncountedTerminatedPods?: V1UncountedTerminatedPods
  readonly ready?: number
}

export interface V1JobTemplateSpec {
  readonly metadata?: V1ObjectMeta
  readonly spec?: V1JobSpec
}

export interface V1PodFailurePolicy {
  readonly rules: readonly V1PodFailurePolicyRule[]
}

export interface V1PodFailurePolicyOnExitCodesRequirement {
  readonly containerName?: string
  readonly operator: 'In' | 'NotIn'
  readonly values: readonly number[]
}

export interface V1PodFailurePolicyOnPodConditionsPattern {
  readonly type: string
  readonly status?: string
}

export interface V1PodFailurePolicyRule {
  readonly action: 'Count' | 'FailIndex' | 'FailJob' | 'Ignore'
  readonly onExitCodes?: V1PodFailurePolicyOnExitCodesRequirement
  readonly onPodConditions?: readonly V1PodFailurePolicyOnPodConditionsPattern[]
}

export interface V1SuccessPolicy {
  readonly rules: readonly V1SuccessPolicyRule[]
}

export interface V1SuccessPolicyRule {
  readonly succeededIndexes?: string
  readonly succeededCount?: number
}

export interface V1UncountedTerminatedPods {
  readonly succeeded?: readonly string[]
  readonly failed?: readonly string[]
}
