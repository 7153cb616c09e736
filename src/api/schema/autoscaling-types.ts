// The notation is explained in parse-types.ts.

/** autoscaling/v1 (v1.36). */
export const autoscalingTypes = `
Scale ...TypeMeta metadata:meta.ObjectMeta spec:ScaleSpec status:ScaleStatus
ScaleSpec replicas:i
ScaleStatus replicas:i! selector:s
HorizontalPodAutoscaler ...TypeMeta metadata:meta.ObjectMeta spec:HorizontalPodAutoscalerSpec?!
  status:HorizontalPodAutoscalerStatus
HorizontalPodAutoscalerSpec scaleTargetRef:CrossVersionObjectReference! minReplicas:*i maxReplicas:i!
  targetCPUUtilizationPercentage:*i
CrossVersionObjectReference# kind:s! name:s! apiVersion:s
HorizontalPodAutoscalerStatus observedGeneration:*l lastScaleTime:*t currentReplicas:i! desiredReplicas:i!
  currentCPUUtilizationPercentage:*i
`

/** autoscaling/v2 (v1.36). */
export const autoscalingV2Types = `
= s MetricSourceType MetricTargetType ScalingPolicySelect HPAScalingPolicyType HorizontalPodAutoscalerConditionType
HorizontalPodAutoscaler ...TypeMeta metadata:meta.ObjectMeta spec:HorizontalPodAutoscalerSpec?!
  status:HorizontalPodAutoscalerStatus
HorizontalPodAutoscalerSpec scaleTargetRef:CrossVersionObjectReference! minReplicas:*i maxReplicas:i!
  metrics:[MetricSpec] behavior:*HorizontalPodAutoscalerBehavior
CrossVersionObjectReference kind:s! name:s! apiVersion:s
MetricSpec type:MetricSourceType! object:*ObjectMetricSource pods:*PodsMetricSource resource:*ResourceMetricSource
  containerResource:*ContainerResourceMetricSource external:*ExternalMetricSource
ObjectMetricSource describedObject:CrossVersionObjectReference! target:MetricTarget! metric:MetricIdentifier!
MetricTarget type:MetricTargetType! value:*q averageValue:*q averageUtilization:*i
MetricIdentifier name:s! selector:*meta.LabelSelector
PodsMetricSource metric:MetricIdentifier! target:MetricTarget!
ResourceMetricSource name:core.ResourceName! target:MetricTarget!
ContainerResourceMetricSource name:core.ResourceName! target:MetricTarget! container:s!
ExternalMetricSource metric:MetricIdentifier! target:MetricTarget!
HorizontalPodAutoscalerBehavior scaleUp:*HPAScalingRules scaleDown:*HPAScalingRules
HPAScalingRules stabilizationWindowSeconds:*i selectPolicy:*ScalingPolicySelect policies:[HPAScalingPolicy]
  tolerance:*q
HPAScalingPolicy type:HPAScalingPolicyType! value:i! periodSeconds:i!
HorizontalPodAutoscalerStatus observedGeneration:*l lastScaleTime:*t currentReplicas:i desiredReplicas:i!
  currentMetrics:[MetricStatus]!? conditions:[HorizontalPodAutoscalerCondition]@type~type
MetricStatus type:MetricSourceType! object:*ObjectMetricStatus pods:*PodsMetricStatus resource:*ResourceMetricStatus
  containerResource:*ContainerResourceMetricStatus external:*ExternalMetricStatus
ObjectMetricStatus metric:MetricIdentifier! current:MetricValueStatus! describedObject:CrossVersionObjectReference!
MetricValueStatus value:*q averageValue:*q averageUtilization:*i
PodsMetricStatus metric:MetricIdentifier! current:MetricValueStatus!
ResourceMetricStatus name:core.ResourceName! current:MetricValueStatus!
ContainerResourceMetricStatus name:core.ResourceName! current:MetricValueStatus! container:s!
ExternalMetricStatus metric:MetricIdentifier! current:MetricValueStatus!
HorizontalPodAutoscalerCondition type:HorizontalPodAutoscalerConditionType! status:core.ConditionStatus!
  lastTransitionTime:t reason:s message:s
`
