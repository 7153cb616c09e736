import type { PodGroupRules } from './groups.ts'
import type { Condition, IntOrString, KubeObject, LabelSelector, ObjectReference, StringMap } from './meta.ts'
import type { PodTemplateSpec } from './pod.ts'
import type { PersistentVolumeClaim } from './storage.ts'

export interface ReplicaSet extends KubeObject {
  readonly spec?: {
    readonly replicas?: number
    readonly minReadySeconds?: number
    readonly selector: LabelSelector
    readonly template?: PodTemplateSpec
  }
  readonly status?: {
    readonly replicas: number
    readonly fullyLabeledReplicas?: number
    readonly readyReplicas?: number
    readonly availableReplicas?: number
    readonly terminatingReplicas?: number
    readonly observedGeneration?: number
    readonly conditions?: readonly Condition[]
  }
}

export interface ReplicationController extends KubeObject {
  readonly spec?: {
    readonly replicas?: number
    readonly minReadySeconds?: number
    readonly selector?: StringMap
    readonly template?: PodTemplateSpec
  }
  readonly status?: ReplicaSet['status']
}

export interface Deployment extends KubeObject {
  readonly spec?: {
    readonly replicas?: number
    readonly selector: LabelSelector
    readonly template: PodTemplateSpec
    readonly strategy?: {
      readonly type?: 'Recreate' | 'RollingUpdate'
      readonly rollingUpdate?: { readonly maxUnavailable?: IntOrString; readonly maxSurge?: IntOrString }
    }
    readonly minReadySeconds?: number
    readonly revisionHistoryLimit?: number
    readonly paused?: boolean
    readonly progressDeadlineSeconds?: number
  }
  readonly status?: {
    readonly observedGeneration?: number
    readonly replicas?: number
    readonly updatedReplicas?: number
    readonly readyReplicas?: number
    readonly availableReplicas?: number
    readonly unavailableReplicas?: number
    readonly terminatingReplicas?: number
    readonly conditions?: readonly Condition[]
    readonly collisionCount?: number
  }
}

export interface StatefulSet extends KubeObject {
  readonly spec?: {
    readonly replicas?: number
    readonly selector: LabelSelector
    readonly template: PodTemplateSpec
    readonly volumeClaimTemplates?: readonly PersistentVolumeClaim[]
    readonly serviceName?: string
    readonly podManagementPolicy?: 'OrderedReady' | 'Parallel'
    readonly updateStrategy?: {
      readonly type?: 'RollingUpdate' | 'OnDelete' | 'Recreate'
      readonly rollingUpdate?: { readonly partition?: number; readonly maxUnavailable?: IntOrString }
    }
    readonly revisionHistoryLimit?: number
    readonly minReadySeconds?: number
    readonly persistentVolumeClaimRetentionPolicy?: { readonly whenDeleted?: string; readonly whenScaled?: string }
    readonly ordinals?: { readonly start?: number }
  }
  readonly status?: {
    readonly observedGeneration?: number
    readonly replicas: number
    readonly readyReplicas?: number
    readonly currentReplicas?: number
    readonly updatedReplicas?: number
    readonly availableReplicas?: number
    readonly currentRevision?: string
    readonly updateRevision?: string
    readonly collisionCount?: number
    readonly conditions?: readonly Condition[]
  }
}

export interface DaemonSet extends KubeObject {
  readonly spec?: {
    readonly selector: LabelSelector
    readonly template: PodTemplateSpec
    readonly updateStrategy?: {
      readonly type?: 'RollingUpdate' | 'OnDelete'
      readonly rollingUpdate?: { readonly maxUnavailable?: IntOrString; readonly maxSurge?: IntOrString }
    }
    readonly minReadySeconds?: number
    readonly revisionHistoryLimit?: number
  }
  readonly status?: {
    readonly currentNumberScheduled: number
    readonly numberMisscheduled: number
    readonly desiredNumberScheduled: number
    readonly numberReady: number
    readonly observedGeneration?: number
    readonly updatedNumberScheduled?: number
    readonly numberAvailable?: number
    readonly numberUnavailable?: number
    readonly collisionCount?: number
    readonly conditions?: readonly Condition[]
  }
}

export interface ControllerRevision extends KubeObject {
  readonly data?: unknown
  readonly revision: number
}

export interface JobSpec {
  readonly parallelism?: number
  readonly completions?: number
  readonly activeDeadlineSeconds?: number
  readonly backoffLimit?: number
  readonly backoffLimitPerIndex?: number
  readonly maxFailedIndexes?: number
  readonly podFailurePolicy?: unknown
  readonly successPolicy?: unknown
  readonly selector?: LabelSelector
  readonly manualSelector?: boolean
  readonly template: PodTemplateSpec
  readonly ttlSecondsAfterFinished?: number
  readonly completionMode?: 'NonIndexed' | 'Indexed'
  readonly suspend?: boolean
  readonly podReplacementPolicy?: 'TerminatingOrFailed' | 'Failed'
  readonly managedBy?: string
  /** v1.37, gate WorkloadWithJob. */
  readonly scheduling?: JobScheduling
}

/** The pods of a Job as a group. Absent policy: no gang; absent `minCount`: the parallelism. */
export interface JobScheduling
  extends Pick<PodGroupRules, 'schedulingConstraints' | 'disruptionMode' | 'resourceClaims'> {
  readonly schedulingPolicy?: { readonly basic?: object; readonly gang?: { readonly minCount?: number } }
}

export interface Job extends KubeObject {
  readonly spec?: JobSpec
  readonly status?: {
    readonly conditions?: readonly Condition[]
    readonly startTime?: string
    readonly completionTime?: string
    readonly active?: number
    readonly succeeded?: number
    readonly failed?: number
    readonly terminating?: number
    readonly ready?: number
    readonly completedIndexes?: string
    readonly failedIndexes?: string
    readonly uncountedTerminatedPods?: { readonly succeeded?: readonly string[]; readonly failed?: readonly string[] }
  }
}

export interface CronJob extends KubeObject {
  readonly spec?: {
    readonly schedule: string
    readonly timeZone?: string
    readonly startingDeadlineSeconds?: number
    readonly concurrencyPolicy?: 'Allow' | 'Forbid' | 'Replace'
    readonly suspend?: boolean
    readonly jobTemplate: { readonly metadata?: KubeObject['metadata']; readonly spec: JobSpec }
    readonly successfulJobsHistoryLimit?: number
    readonly failedJobsHistoryLimit?: number
  }
  readonly status?: {
    readonly active?: readonly ObjectReference[]
    readonly lastScheduleTime?: string
    readonly lastSuccessfulTime?: string
  }
}
