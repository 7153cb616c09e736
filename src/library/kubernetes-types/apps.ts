// Written by `npx vitest run test/library/kubernetes-types.test.ts -u`; do not edit.

import type { V1PersistentVolumeClaim } from './core-from-v1-grpcaction.ts'
import type { V1PodTemplateSpec } from './core-from-v1-pod-certificate-projection.ts'
import type { V1LabelSelector, V1ObjectMeta } from './meta.ts'

export interface V1ControllerRevision {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly data: unknown
  readonly revision?: number
}

export interface V1DaemonSet {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1DaemonSetSpec
  readonly status?: V1DaemonSetStatus
}

export interface V1DaemonSetCondition {
  readonly type?: string
  readonly status?: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

export interface V1DaemonSetSpec {
  readonly selector: V1LabelSelector
  readonly template: V1PodTemplateSpec
  readonly updateStrategy?: V1DaemonSetUpdateStrategy
  readonly minReadySeconds?: number
  readonly revisionHistoryLimit?: number
}

export interface V1DaemonSetStatus {
  readonly currentNumberScheduled: number
  readonly numberMisscheduled: number
  readonly desiredNumberScheduled: number
  readonly numberReady: number
  readonly observedGeneration?: number
  readonly updatedNumberScheduled?: number
  readonly numberAvailable?: number
  readonly numberUnavailable?: number
  readonly collisionCount?: number
  readonly conditions?: readonly V1DaemonSetCondition[]
}

export interface V1DaemonSetUpdateStrategy {
  readonly type?: 'OnDelete' | 'RollingUpdate'
  readonly rollingUpdate?: V1RollingUpdateDaemonSet
}

export interface V1Deployment {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1DeploymentSpec
  readonly status?: V1DeploymentStatus
}

export interface V1DeploymentCondition {
  readonly type?: string
  readonly status?: string
  readonly lastUpdateTime?: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

export interface V1DeploymentSpec {
  readonly replicas?: number
  readonly selector: V1LabelSelector
  readonly template: V1PodTemplateSpec
  readonly strategy?: V1DeploymentStrategy
  readonly minReadySeconds?: number
  readonly revisionHistoryLimit?: number
  readonly paused?: boolean
  readonly progressDeadlineSeconds?: number
}

export interface V1DeploymentStatus {
  readonly observedGeneration?: number
  readonly replicas?: number
  readonly updatedReplicas?: number
  readonly readyReplicas?: number
  readonly availableReplicas?: number
  readonly unavailableReplicas?: number
  readonly terminatingReplicas?: number
  readonly conditions?: readonly V1DeploymentCondition[]
  readonly collisionCount?: number
}

export interface V1DeploymentStrategy {
  readonly type?: 'Recreate' | 'RollingUpdate'
  readonly rollingUpdate?: V1RollingUpdateDeployment
}

export interface V1ReplicaSet {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1ReplicaSetSpec
  readonly status?: V1ReplicaSetStatus
}

export interface V1ReplicaSetCondition {
  readonly type?: string
  readonly status?: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

export interface V1ReplicaSetSpec {
  readonly replicas?: number
  readonly minReadySeconds?: number
  readonly selector: V1LabelSelector
  readonly template?: V1PodTemplateSpec
}

export interface V1ReplicaSetStatus {
  readonly replicas: number
  readonly fullyLabeledReplicas?: number
  readonly readyReplicas?: number
  readonly availableReplicas?: number
  readonly terminatingReplicas?: number
  readonly observedGeneration?: number
  readonly conditions?: readonly V1ReplicaSetCondition[]
}

export interface V1RollingUpdateDaemonSet {
  readonly maxUnavailable?: number | string
  readonly maxSurge?: number | string
}

export interface V1RollingUpdateDeployment {
  readonly maxUnavailable?: number | string
  readonly maxSurge?: number | string
}

export interface V1RollingUpdateStatefulSetStrategy {
  readonly partition?: number
  readonly maxUnavailable?: number | string
}

export interface V1StatefulSet {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1StatefulSetSpec
  readonly status?: V1StatefulSetStatus
}

export interface V1StatefulSetCondition {
  readonly type?: string
  readonly status?: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

export interface V1StatefulSetOrdinals {
  readonly start?: number
}

export interface V1StatefulSetPersistentVolumeClaimRetentionPolicy {
  readonly whenDeleted?: string
  readonly whenScaled?: string
}

export interface V1StatefulSetSpec {
  readonly replicas?: number
  readonly selector: V1LabelSelector
  readonly template: V1PodTemplateSpec
  readonly volumeClaimTemplates?: readonly V1PersistentVolumeClaim[]
  readonly serviceName?: string
  readonly podManagementPolicy?: 'OrderedReady' | 'Parallel'
  readonly updateStrategy?: V1StatefulSetUpdateStrategy
  readonly revisionHistoryLimit?: number
  readonly minReadySeconds?: number
  readonly persistentVolumeClaimRetentionPolicy?: V1StatefulSetPersistentVolumeClaimRetentionPolicy
  readonly ordinals?: V1StatefulSetOrdinals
}

export interface V1StatefulSetStatus {
  readonly observedGeneration?: number
  readonly replicas: number
  readonly readyReplicas?: number
  readonly currentReplicas?: number
  readonly updatedReplicas?: number
  readonly currentRevision?: string
  readonly updateRevision?: string
  readonly collisionCount?: number
  readonly conditions?: readonly V1StatefulSetCondition[]
  readonly availableReplicas?: number
}

export interface V1StatefulSetUpdateStrategy {
  readonly type?: 'OnDelete' | 'Recreate' | 'RollingUpdate'
  readonly rollingUpdate?: V1RollingUpdateStatefulSetStrategy
}
