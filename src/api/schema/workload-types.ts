// The notation is explained in parse-types.ts.

/** apps/v1 (v1.36). */
export const appsTypes = `
= s DaemonSetUpdateStrategyType DaemonSetConditionType DeploymentStrategyType DeploymentConditionType
  ReplicaSetConditionType PodManagementPolicyType PersistentVolumeClaimRetentionPolicyType
  StatefulSetUpdateStrategyType StatefulSetConditionType
ControllerRevision ...TypeMeta metadata:meta.ObjectMeta data:j# revision:l!
DaemonSet ...TypeMeta metadata:meta.ObjectMeta spec:DaemonSetSpec status:DaemonSetStatus
DaemonSetSpec selector:*meta.LabelSelector! template:core.PodTemplateSpec! updateStrategy:DaemonSetUpdateStrategy
  minReadySeconds:i revisionHistoryLimit:*i
DaemonSetUpdateStrategy type:DaemonSetUpdateStrategyType rollingUpdate:*RollingUpdateDaemonSet
RollingUpdateDaemonSet maxUnavailable:*is maxSurge:*is
DaemonSetStatus currentNumberScheduled:i! numberMisscheduled:i! desiredNumberScheduled:i! numberReady:i!
  observedGeneration:l updatedNumberScheduled:i numberAvailable:i numberUnavailable:i collisionCount:*i
  conditions:[DaemonSetCondition]@type~
DaemonSetCondition type:DaemonSetConditionType! status:core.ConditionStatus! lastTransitionTime:t reason:s message:s
Deployment ...TypeMeta metadata:meta.ObjectMeta spec:DeploymentSpec status:DeploymentStatus
DeploymentSpec replicas:*i selector:*meta.LabelSelector! template:core.PodTemplateSpec! strategy:DeploymentStrategy+
  minReadySeconds:i revisionHistoryLimit:*i paused:b progressDeadlineSeconds:*i
DeploymentStrategy type:DeploymentStrategyType rollingUpdate:*RollingUpdateDeployment
RollingUpdateDeployment maxUnavailable:*is maxSurge:*is
DeploymentStatus observedGeneration:l replicas:i updatedReplicas:i readyReplicas:i availableReplicas:i
  unavailableReplicas:i terminatingReplicas:*i conditions:[DeploymentCondition]@type~ collisionCount:*i
DeploymentCondition type:DeploymentConditionType! status:core.ConditionStatus! lastUpdateTime:t lastTransitionTime:t
  reason:s message:s
ReplicaSet ...TypeMeta metadata:meta.ObjectMeta spec:ReplicaSetSpec status:ReplicaSetStatus
ReplicaSetSpec replicas:*i minReadySeconds:i selector:*meta.LabelSelector! template:core.PodTemplateSpec
ReplicaSetStatus replicas:i! fullyLabeledReplicas:i readyReplicas:i availableReplicas:i terminatingReplicas:*i
  observedGeneration:l conditions:[ReplicaSetCondition]@type~
ReplicaSetCondition type:ReplicaSetConditionType! status:core.ConditionStatus! lastTransitionTime:t reason:s
  message:s
StatefulSet ...TypeMeta metadata:meta.ObjectMeta spec:StatefulSetSpec status:StatefulSetStatus
StatefulSetSpec replicas:*i selector:*meta.LabelSelector! template:core.PodTemplateSpec!
  volumeClaimTemplates:[core.PersistentVolumeClaim] serviceName:s! podManagementPolicy:PodManagementPolicyType
  updateStrategy:StatefulSetUpdateStrategy revisionHistoryLimit:*i minReadySeconds:i
  persistentVolumeClaimRetentionPolicy:*StatefulSetPersistentVolumeClaimRetentionPolicy
  ordinals:*StatefulSetOrdinals
StatefulSetOrdinals start:i!
StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted:PersistentVolumeClaimRetentionPolicyType
  whenScaled:PersistentVolumeClaimRetentionPolicyType
StatefulSetUpdateStrategy type:StatefulSetUpdateStrategyType rollingUpdate:*RollingUpdateStatefulSetStrategy
RollingUpdateStatefulSetStrategy partition:*i maxUnavailable:*is
StatefulSetStatus observedGeneration:l replicas:i! readyReplicas:i currentReplicas:i updatedReplicas:i
  currentRevision:s updateRevision:s collisionCount:*i conditions:[StatefulSetCondition]@type~ availableReplicas:i!
StatefulSetCondition type:StatefulSetConditionType! status:core.ConditionStatus! lastTransitionTime:t reason:s
  message:s
`

/** batch/v1 (v1.36). */
export const batchTypes = `
= s ConcurrencyPolicy CompletionMode PodFailurePolicyAction PodFailurePolicyOnExitCodesOperator PodReplacementPolicy
  JobConditionType
CronJob ...TypeMeta metadata:meta.ObjectMeta spec:CronJobSpec status:CronJobStatus
CronJobSpec schedule:s! timeZone:*s startingDeadlineSeconds:*l concurrencyPolicy:ConcurrencyPolicy suspend:*b
  jobTemplate:JobTemplateSpec! successfulJobsHistoryLimit:*i failedJobsHistoryLimit:*i
JobTemplateSpec metadata:meta.ObjectMeta spec:JobSpec
JobSpec parallelism:*i completions:*i activeDeadlineSeconds:*l podFailurePolicy:*PodFailurePolicy
  successPolicy:*SuccessPolicy backoffLimit:*i backoffLimitPerIndex:*i maxFailedIndexes:*i
  selector:*meta.LabelSelector manualSelector:*b template:core.PodTemplateSpec! ttlSecondsAfterFinished:*i
  completionMode:*CompletionMode suspend:*b podReplacementPolicy:*PodReplacementPolicy managedBy:*s
PodFailurePolicy rules:[PodFailurePolicyRule]!
PodFailurePolicyRule action:PodFailurePolicyAction! onExitCodes:*PodFailurePolicyOnExitCodesRequirement
  onPodConditions:[PodFailurePolicyOnPodConditionsPattern]
PodFailurePolicyOnExitCodesRequirement containerName:*s operator:PodFailurePolicyOnExitCodesOperator! values:[i]!=
PodFailurePolicyOnPodConditionsPattern type:core.PodConditionType! status:core.ConditionStatus!
SuccessPolicy rules:[SuccessPolicyRule]!
SuccessPolicyRule succeededIndexes:*s succeededCount:*i
CronJobStatus active:[core.ObjectReference] lastScheduleTime:*t lastSuccessfulTime:*t
Job ...TypeMeta metadata:meta.ObjectMeta spec:JobSpec status:JobStatus
JobStatus conditions:[JobCondition]~type startTime:*t completionTime:*t active:i succeeded:i failed:i terminating:*i
  completedIndexes:s failedIndexes:*s uncountedTerminatedPods:*UncountedTerminatedPods ready:*i
JobCondition type:JobConditionType! status:core.ConditionStatus! lastProbeTime:t lastTransitionTime:t reason:s
  message:s
UncountedTerminatedPods succeeded:[types.UID]= failed:[types.UID]=
`

/** policy/v1 (v1.36). */
export const policyTypes = `
= s UnhealthyPodEvictionPolicyType
PodDisruptionBudget ...TypeMeta metadata:meta.ObjectMeta spec:PodDisruptionBudgetSpec
  status:PodDisruptionBudgetStatus
PodDisruptionBudgetSpec minAvailable:*is selector:*meta.LabelSelector= maxUnavailable:*is
  unhealthyPodEvictionPolicy:*UnhealthyPodEvictionPolicyType
PodDisruptionBudgetStatus observedGeneration:l disruptedPods:{t} disruptionsAllowed:i! currentHealthy:i!
  desiredHealthy:i! expectedPods:i! conditions:[meta.Condition]@type~
Eviction ...TypeMeta metadata:meta.ObjectMeta deleteOptions:*meta.DeleteOptions
`

/** scheduling.k8s.io/v1 (v1.36). */
export const schedulingTypes = `
PriorityClass ...TypeMeta metadata:meta.ObjectMeta value:i! globalDefault:b description:s
  preemptionPolicy:*core.PreemptionPolicy
`

/** coordination.k8s.io/v1 (v1.36). */
export const coordinationTypes = `
= s CoordinatedLeaseStrategy
Lease ...TypeMeta metadata:meta.ObjectMeta spec:LeaseSpec
LeaseSpec holderIdentity:*s leaseDurationSeconds:*i acquireTime:*mt renewTime:*mt leaseTransitions:*i
  strategy:*CoordinatedLeaseStrategy preferredHolder:*s
`
