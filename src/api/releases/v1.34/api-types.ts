// Written by `npm run generate -- v1.34.11`; do not edit. The notation is explained in src/api/schema/type-table.ts.

/** Every type of the API: the types of v1.34.11. */
export const apiTypes = `
package meta meta.k8s.io io.k8s.apimachinery.pkg.apis.meta.v1 off
APIGroup ...TypeMeta name:s! versions:[GroupVersionForDiscovery]! preferredVersion:GroupVersionForDiscovery
  serverAddressByClientCIDRs:[ServerAddressByClientCIDR]
APIGroupList ...TypeMeta groups:[APIGroup]!
APIResource name:s! 6singularName:s! 2namespaced:b! 8group:s version:s 3kind:s! verbs:Verbs! shortNames:[s]
  7categories:[s] 10storageVersionHash:s
APIResourceList ...TypeMeta groupVersion:s! resources(APIResources):[APIResource]!
APIVersions ...TypeMeta versions:[s]! serverAddressByClientCIDRs:[ServerAddressByClientCIDR]!
ApplyOptions ...TypeMeta dryRun:[s] force:b! fieldManager:s!
= s CauseType ConditionStatus DeletionPropagation FieldSelectorOperator IncludeObjectPolicy LabelSelectorOperator
  ManagedFieldsOperationType ResourceVersionMatch RowConditionType StatusReason
Condition type:s! status:ConditionStatus! observedGeneration:l lastTransitionTime:t! reason:s! message:s!
CreateOptions ...TypeMeta dryRun:[s] 3fieldManager:s fieldValidation:s
DeleteOptions ...TypeMeta gracePeriodSeconds:*l preconditions:*Preconditions orphanDependents:*b
  propagationPolicy:*DeletionPropagation dryRun:[s] ignoreStoreReadErrorWithClusterBreakingPotential:*b
FieldSelectorRequirement key:s! operator:FieldSelectorOperator! values:[s]
GetOptions ...TypeMeta resourceVersion:s
GroupKind group:s! kind:s!
GroupResource group:s! resource:s!
GroupVersion group:s! version:s!
GroupVersionForDiscovery groupVersion:s! version:s!
GroupVersionKind group:s! version:s! kind:s!
GroupVersionResource group:s! version:s! resource:s!
LabelSelector# matchLabels:{s} matchExpressions:[LabelSelectorRequirement]
LabelSelectorRequirement key:s! operator:LabelSelectorOperator! values:[s]
List ...TypeMeta metadata(ListMeta):ListMeta items:[j]!
ListMeta selfLink:s resourceVersion:s continue:s remainingItemCount:*l
ListOptions ...TypeMeta labelSelector:s fieldSelector:s watch:b 9allowWatchBookmarks:b 4resourceVersion:s
  10resourceVersionMatch:ResourceVersionMatch 5timeoutSeconds:*l 7limit:l continue:s 11sendInitialEvents:*b
ManagedFieldsEntry manager:s operation:ManagedFieldsOperationType apiVersion(APIVersion):s time:*t 6fieldsType:s
  fieldsV1:*j subresource:s
ObjectMeta name:s generateName:s namespace:s selfLink:s uid(UID):types.UID resourceVersion:s generation:l
  creationTimestamp:t? deletionTimestamp:*t deletionGracePeriodSeconds:*l labels:{s} annotations:{s}
  ownerReferences:[OwnerReference]@uid~ finalizers:[s]=~ 17managedFields:[ManagedFieldsEntry]
OwnerReference# 5apiVersion(APIVersion):s! 1kind:s! 3name:s! uid(UID):types.UID! 6controller:*b blockOwnerDeletion:*b
PartialObjectMetadata ...TypeMeta metadata(ObjectMeta):ObjectMeta
PartialObjectMetadataList ...TypeMeta metadata(ListMeta):ListMeta items:[PartialObjectMetadata]!
Patch
PatchOptions ...TypeMeta dryRun:[s] force:*b fieldManager:s fieldValidation:s
Preconditions uid(UID):*types.UID resourceVersion:*s
RootPaths paths:[s]!
ServerAddressByClientCIDR clientCIDR:s! serverAddress:s!
Status ...TypeMeta metadata(ListMeta):ListMeta status:s message:s reason:StatusReason details:*StatusDetails code:i
StatusCause reason(Type):CauseType message:s field:s
StatusDetails name:s group:s kind:s 6uid(UID):types.UID 4causes:[StatusCause] retryAfterSeconds:i
TableColumnDefinition 0name:s! 0type:s! 0format:s! 0description:s! 0priority:i!
TableOptions ...TypeMeta includeObject:IncludeObjectPolicy
TableRowCondition 0type:RowConditionType! 0status:ConditionStatus! 0reason:s 0message:s
Timestamp seconds:l! nanos:i!
UpdateOptions ...TypeMeta dryRun:[s] fieldManager:s fieldValidation:s
= [s] Verbs
WatchEvent type:s! object:j!#
package admission admission.k8s.io io.k8s.api.admission.v1 off
AdmissionRequest uid(UID):types.UID! kind:meta.GroupVersionKind! resource:meta.GroupVersionResource! subResource:s
  13requestKind:*meta.GroupVersionKind requestResource:*meta.GroupVersionResource requestSubResource:s 5name:s
  namespace:s operation:Operation! userInfo:authentication.UserInfo! object:j# oldObject:j# dryRun:*b options:j#
AdmissionResponse uid(UID):types.UID! allowed:b! status(Result):*meta.Status patch:by patchType:*PatchType
  auditAnnotations:{s} warnings:[s]
AdmissionReview ...TypeMeta request:*AdmissionRequest response:*AdmissionResponse
= s Operation PatchType
package admissionregistration admissionregistration.k8s.io io.k8s.api.admissionregistration.v1
AuditAnnotation key:s! valueExpression:s!
ExpressionWarning 2fieldRef:s! warning:s!
= s FailurePolicyType(Fail|Ignore) MatchPolicyType(Equivalent|Exact) OperationType(*|CONNECT|CREATE|DELETE|UPDATE)
  ParameterNotFoundActionType ReinvocationPolicyType(IfNeeded|Never) ScopeType(*|Cluster|Namespaced)
  SideEffectClass(None|NoneOnDryRun|Some|Unknown) ValidatingAdmissionPolicyConditionType
  ValidationAction(Audit|Deny|Warn)
MatchCondition name:s! expression:s!
MatchResources# namespaceSelector:*meta.LabelSelector objectSelector:*meta.LabelSelector
  resourceRules:[NamedRuleWithOperations] excludeResourceRules:[NamedRuleWithOperations] 7matchPolicy:*MatchPolicyType
MutatingWebhook name:s! clientConfig:WebhookClientConfig! rules:[RuleWithOperations] failurePolicy:*FailurePolicyType
  9matchPolicy:*MatchPolicyType 5namespaceSelector:*meta.LabelSelector 11objectSelector:*meta.LabelSelector
  6sideEffects:*SideEffectClass! timeoutSeconds:*i admissionReviewVersions:[s]!
  10reinvocationPolicy:*ReinvocationPolicyType 12matchConditions:[MatchCondition]@name~
MutatingWebhookConfiguration ...TypeMeta metadata:meta.ObjectMeta webhooks:[MutatingWebhook]@name~
MutatingWebhookConfigurationList ...TypeMeta metadata:meta.ListMeta items:[MutatingWebhookConfiguration]!
NamedRuleWithOperations# resourceNames:[s] ...RuleWithOperations
ParamKind# apiVersion(APIVersion):s kind:s
ParamRef# name:s namespace:s selector:*meta.LabelSelector parameterNotFoundAction:*ParameterNotFoundActionType
Rule apiGroups(APIGroups):[s] apiVersions(APIVersions):[s] resources:[s] scope:*ScopeType
RuleWithOperations operations:[OperationType] ...Rule
ServiceReference namespace:s! name:s! path:*s port:*i
TypeChecking expressionWarnings:[ExpressionWarning]
ValidatingAdmissionPolicy ...TypeMeta metadata:meta.ObjectMeta spec:ValidatingAdmissionPolicySpec
  status:ValidatingAdmissionPolicyStatus
ValidatingAdmissionPolicyBinding ...TypeMeta metadata:meta.ObjectMeta spec:ValidatingAdmissionPolicyBindingSpec
ValidatingAdmissionPolicyBindingList ...TypeMeta metadata:meta.ListMeta items:[ValidatingAdmissionPolicyBinding]!
ValidatingAdmissionPolicyBindingSpec policyName:s paramRef:*ParamRef matchResources:*MatchResources
  validationActions:[ValidationAction]=
ValidatingAdmissionPolicyList ...TypeMeta metadata:meta.ListMeta items:[ValidatingAdmissionPolicy]!
ValidatingAdmissionPolicySpec paramKind:*ParamKind matchConstraints:*MatchResources validations:[Validation]
  failurePolicy:*FailurePolicyType auditAnnotations:[AuditAnnotation] matchConditions:[MatchCondition]@name~
  variables:[Variable]@name~
ValidatingAdmissionPolicyStatus observedGeneration:l typeChecking:*TypeChecking conditions:[meta.Condition]@type
ValidatingWebhook name:s! clientConfig:WebhookClientConfig! rules:[RuleWithOperations] failurePolicy:*FailurePolicyType
  9matchPolicy:*MatchPolicyType 5namespaceSelector:*meta.LabelSelector 10objectSelector:*meta.LabelSelector
  6sideEffects:*SideEffectClass! timeoutSeconds:*i admissionReviewVersions:[s]! 11matchConditions:[MatchCondition]@name~
ValidatingWebhookConfiguration ...TypeMeta metadata:meta.ObjectMeta webhooks:[ValidatingWebhook]@name~
ValidatingWebhookConfigurationList ...TypeMeta metadata:meta.ListMeta items:[ValidatingWebhookConfiguration]!
Validation expression:s! message:s reason:*meta.StatusReason messageExpression:s
Variable# name:s! expression:s!
WebhookClientConfig 3url(URL):*s 1service:*ServiceReference caBundle(CABundle):by
package admissionregistration/v1alpha1 admissionregistration.k8s.io io.k8s.api.admissionregistration.v1alpha1 off
ApplyConfiguration expression:s
AuditAnnotation key:s! valueExpression:s!
ExpressionWarning 2fieldRef:s! warning:s!
= s FailurePolicyType(Fail|Ignore) MatchPolicyType(Equivalent|Exact) ParameterNotFoundActionType(Allow|Deny)
  PatchType(ApplyConfiguration|JSONPatch) ValidationAction(Audit|Deny|Warn)
JSONPatch expression:s
= admissionregistration.MatchCondition MatchCondition
MatchResources# namespaceSelector:*meta.LabelSelector objectSelector:*meta.LabelSelector
  resourceRules:[NamedRuleWithOperations] excludeResourceRules:[NamedRuleWithOperations] 7matchPolicy:*MatchPolicyType
MutatingAdmissionPolicy ...TypeMeta metadata:meta.ObjectMeta spec:MutatingAdmissionPolicySpec
MutatingAdmissionPolicyBinding ...TypeMeta metadata:meta.ObjectMeta spec:MutatingAdmissionPolicyBindingSpec
MutatingAdmissionPolicyBindingList ...TypeMeta metadata:meta.ListMeta items:[MutatingAdmissionPolicyBinding]!
MutatingAdmissionPolicyBindingSpec policyName:s paramRef:*ParamRef matchResources:*MatchResources
MutatingAdmissionPolicyList ...TypeMeta metadata:meta.ListMeta items:[MutatingAdmissionPolicy]!
MutatingAdmissionPolicySpec paramKind:*ParamKind matchConstraints:*MatchResources variables:[Variable]
  mutations:[Mutation] failurePolicy:*FailurePolicyType matchConditions:[MatchCondition]@name~
  reinvocationPolicy:ReinvocationPolicyType
Mutation 2patchType:PatchType! applyConfiguration:*ApplyConfiguration jsonPatch(JSONPatch):*JSONPatch
NamedRuleWithOperations# resourceNames:[s] ...RuleWithOperations
= admissionregistration.OperationType OperationType()
ParamKind# apiVersion(APIVersion):s kind:s
ParamRef# name:s namespace:s selector:*meta.LabelSelector parameterNotFoundAction:*ParameterNotFoundActionType
= admissionregistration.ReinvocationPolicyType ReinvocationPolicyType()
= admissionregistration.Rule Rule
= admissionregistration.RuleWithOperations RuleWithOperations
= admissionregistration.ScopeType ScopeType()
TypeChecking expressionWarnings:[ExpressionWarning]
ValidatingAdmissionPolicy ...TypeMeta metadata:meta.ObjectMeta spec:ValidatingAdmissionPolicySpec
  status:ValidatingAdmissionPolicyStatus
ValidatingAdmissionPolicyBinding ...TypeMeta metadata:meta.ObjectMeta spec:ValidatingAdmissionPolicyBindingSpec
ValidatingAdmissionPolicyBindingList ...TypeMeta metadata:meta.ListMeta items:[ValidatingAdmissionPolicyBinding]!
ValidatingAdmissionPolicyBindingSpec policyName:s paramRef:*ParamRef matchResources:*MatchResources
  validationActions:[ValidationAction]=
ValidatingAdmissionPolicyList ...TypeMeta metadata:meta.ListMeta items:[ValidatingAdmissionPolicy]!
ValidatingAdmissionPolicySpec paramKind:*ParamKind matchConstraints:*MatchResources validations:[Validation]
  failurePolicy:*FailurePolicyType auditAnnotations:[AuditAnnotation] matchConditions:[MatchCondition]@name~
  variables:[Variable]@name~
ValidatingAdmissionPolicyStatus observedGeneration:l typeChecking:*TypeChecking conditions:[meta.Condition]@type
Validation expression:s! message:s reason:*meta.StatusReason messageExpression:s
Variable name:s! expression:s!
package admissionregistration/v1beta1 admissionregistration.k8s.io io.k8s.api.admissionregistration.v1beta1 off
ApplyConfiguration expression:s
AuditAnnotation key:s! valueExpression:s!
ExpressionWarning 2fieldRef:s! warning:s!
= s FailurePolicyType MatchPolicyType ParameterNotFoundActionType PatchType(ApplyConfiguration|JSONPatch)
  SideEffectClass ValidatingAdmissionPolicyConditionType ValidationAction(Audit|Deny|Warn)
JSONPatch expression:s
MatchCondition name:s! expression:s!
MatchResources# namespaceSelector:*meta.LabelSelector objectSelector:*meta.LabelSelector
  resourceRules:[NamedRuleWithOperations] excludeResourceRules:[NamedRuleWithOperations] 7matchPolicy:*MatchPolicyType
MutatingAdmissionPolicy ...TypeMeta metadata:meta.ObjectMeta spec:MutatingAdmissionPolicySpec
MutatingAdmissionPolicyBinding ...TypeMeta metadata:meta.ObjectMeta spec:MutatingAdmissionPolicyBindingSpec
MutatingAdmissionPolicyBindingList ...TypeMeta metadata:meta.ListMeta items:[MutatingAdmissionPolicyBinding]!
MutatingAdmissionPolicyBindingSpec policyName:s paramRef:*ParamRef matchResources:*MatchResources
MutatingAdmissionPolicyList ...TypeMeta metadata:meta.ListMeta items:[MutatingAdmissionPolicy]!
MutatingAdmissionPolicySpec paramKind:*ParamKind matchConstraints:*MatchResources variables:[Variable]
  mutations:[Mutation] failurePolicy:*FailurePolicyType matchConditions:[MatchCondition]@name~
  reinvocationPolicy:ReinvocationPolicyType
MutatingWebhook name:s! clientConfig:WebhookClientConfig! rules:[RuleWithOperations] failurePolicy:*FailurePolicyType
  9matchPolicy:*MatchPolicyType 5namespaceSelector:*meta.LabelSelector 11objectSelector:*meta.LabelSelector
  6sideEffects:*SideEffectClass timeoutSeconds:*i admissionReviewVersions:[s]
  10reinvocationPolicy:*ReinvocationPolicyType 12matchConditions:[MatchCondition]@name~
MutatingWebhookConfiguration ...TypeMeta metadata:meta.ObjectMeta webhooks:[MutatingWebhook]@name~
MutatingWebhookConfigurationList ...TypeMeta metadata:meta.ListMeta items:[MutatingWebhookConfiguration]!
Mutation 2patchType:PatchType! applyConfiguration:*ApplyConfiguration jsonPatch(JSONPatch):*JSONPatch
NamedRuleWithOperations# resourceNames:[s] ...RuleWithOperations
= admissionregistration.OperationType OperationType()
ParamKind# apiVersion(APIVersion):s kind:s
ParamRef# name:s namespace:s selector:*meta.LabelSelector parameterNotFoundAction:*ParameterNotFoundActionType
= admissionregistration.ReinvocationPolicyType ReinvocationPolicyType
= admissionregistration.Rule Rule
= admissionregistration.RuleWithOperations RuleWithOperations
= admissionregistration.ScopeType ScopeType
ServiceReference namespace:s! name:s! path:*s port:*i
TypeChecking expressionWarnings:[ExpressionWarning]
ValidatingAdmissionPolicy ...TypeMeta metadata:meta.ObjectMeta spec:ValidatingAdmissionPolicySpec
  status:ValidatingAdmissionPolicyStatus
ValidatingAdmissionPolicyBinding ...TypeMeta metadata:meta.ObjectMeta spec:ValidatingAdmissionPolicyBindingSpec
ValidatingAdmissionPolicyBindingList ...TypeMeta metadata:meta.ListMeta items:[ValidatingAdmissionPolicyBinding]!
ValidatingAdmissionPolicyBindingSpec policyName:s paramRef:*ParamRef matchResources:*MatchResources
  validationActions:[ValidationAction]=
ValidatingAdmissionPolicyList ...TypeMeta metadata:meta.ListMeta items:[ValidatingAdmissionPolicy]!
ValidatingAdmissionPolicySpec paramKind:*ParamKind matchConstraints:*MatchResources validations:[Validation]
  failurePolicy:*FailurePolicyType auditAnnotations:[AuditAnnotation] matchConditions:[MatchCondition]@name~
  variables:[Variable]@name~
ValidatingAdmissionPolicyStatus observedGeneration:l typeChecking:*TypeChecking conditions:[meta.Condition]@type
ValidatingWebhook name:s! clientConfig:WebhookClientConfig! rules:[RuleWithOperations] failurePolicy:*FailurePolicyType
  9matchPolicy:*MatchPolicyType 5namespaceSelector:*meta.LabelSelector 10objectSelector:*meta.LabelSelector
  6sideEffects:*SideEffectClass timeoutSeconds:*i admissionReviewVersions:[s] 11matchConditions:[MatchCondition]@name~
ValidatingWebhookConfiguration ...TypeMeta metadata:meta.ObjectMeta webhooks:[ValidatingWebhook]@name~
ValidatingWebhookConfigurationList ...TypeMeta metadata:meta.ListMeta items:[ValidatingWebhookConfiguration]!
Validation expression:s! message:s reason:*meta.StatusReason messageExpression:s
Variable# name:s! expression:s!
WebhookClientConfig 3url(URL):*s 1service:*ServiceReference caBundle(CABundle):by
package apidiscovery/v2 apidiscovery.k8s.io io.k8s.api.apidiscovery.v2 off
APIGroupDiscovery ...TypeMeta metadata:meta.ObjectMeta versions:[APIVersionDiscovery]@version
APIGroupDiscoveryList ...TypeMeta metadata:meta.ListMeta items:[APIGroupDiscovery]!
APIResourceDiscovery resource:s! responseKind:*meta.GroupVersionKind scope:ResourceScope! singularResource:s!
  verbs:[s]!= shortNames:[s]= categories:[s]= subresources:[APISubresourceDiscovery]@subresource
APISubresourceDiscovery subresource:s! responseKind:*meta.GroupVersionKind
  acceptedTypes:[meta.GroupVersionKind]@group,version,kind verbs:[s]!=
APIVersionDiscovery version:s! resources:[APIResourceDiscovery]@resource freshness:DiscoveryFreshness
= s DiscoveryFreshness ResourceScope
package apidiscovery/v2beta1 apidiscovery.k8s.io io.k8s.api.apidiscovery.v2beta1 off
APIGroupDiscovery ...TypeMeta metadata:meta.ObjectMeta versions:[APIVersionDiscovery]@version
APIGroupDiscoveryList ...TypeMeta metadata:meta.ListMeta items:[APIGroupDiscovery]!
APIResourceDiscovery resource:s! responseKind:*meta.GroupVersionKind scope:ResourceScope! singularResource:s!
  verbs:[s]!= shortNames:[s]= categories:[s]= subresources:[APISubresourceDiscovery]@subresource
APISubresourceDiscovery subresource:s! responseKind:*meta.GroupVersionKind
  acceptedTypes:[meta.GroupVersionKind]@group,version,kind verbs:[s]!=
APIVersionDiscovery version:s! resources:[APIResourceDiscovery]@resource freshness:DiscoveryFreshness
= s DiscoveryFreshness ResourceScope
package apiserverinternal/v1alpha1 internal.apiserver.k8s.io io.k8s.api.apiserverinternal.v1alpha1 off
= s ConditionStatus StorageVersionConditionType
ServerStorageVersion apiServerID(APIServerID):s encodingVersion:s decodableVersions:[s]= servedVersions:[s]=
StorageVersion ...TypeMeta metadata:meta.ObjectMeta spec:StorageVersionSpec! status:StorageVersionStatus!
StorageVersionCondition type:StorageVersionConditionType! status:ConditionStatus! observedGeneration:l
  lastTransitionTime:t reason:s! message:s?!
StorageVersionList ...TypeMeta metadata:meta.ListMeta items:[StorageVersion]!
StorageVersionSpec
StorageVersionStatus storageVersions:[ServerStorageVersion]@apiServerID commonEncodingVersion:*s
  conditions:[StorageVersionCondition]@type
package apps apps io.k8s.api.apps.v1
ControllerRevision ...TypeMeta metadata:meta.ObjectMeta data:j# revision:l!
ControllerRevisionList ...TypeMeta metadata:meta.ListMeta items:[ControllerRevision]!
DaemonSet ...TypeMeta metadata:meta.ObjectMeta spec:DaemonSetSpec status:DaemonSetStatus
DaemonSetCondition type:DaemonSetConditionType! status:core.ConditionStatus! lastTransitionTime:t reason:s message:s
= s DaemonSetConditionType DaemonSetUpdateStrategyType(OnDelete|RollingUpdate) DeploymentConditionType
  DeploymentStrategyType(Recreate|RollingUpdate) PersistentVolumeClaimRetentionPolicyType
  PodManagementPolicyType(OrderedReady|Parallel) ReplicaSetConditionType StatefulSetConditionType
  StatefulSetUpdateStrategyType(OnDelete|RollingUpdate)
DaemonSetList ...TypeMeta metadata:meta.ListMeta items:[DaemonSet]!
DaemonSetSpec selector:*meta.LabelSelector! template:core.PodTemplateSpec! updateStrategy:DaemonSetUpdateStrategy
  minReadySeconds:i 6revisionHistoryLimit:*i
DaemonSetStatus currentNumberScheduled:i! numberMisscheduled:i! desiredNumberScheduled:i! numberReady:i!
  observedGeneration:l updatedNumberScheduled:i numberAvailable:i numberUnavailable:i collisionCount:*i
  conditions:[DaemonSetCondition]@type~
DaemonSetUpdateStrategy type:DaemonSetUpdateStrategyType rollingUpdate:*RollingUpdateDaemonSet
Deployment ...TypeMeta metadata:meta.ObjectMeta spec:DeploymentSpec status:DeploymentStatus
DeploymentCondition type:DeploymentConditionType! status:core.ConditionStatus! 6lastUpdateTime:t lastTransitionTime:t
  4reason:s message:s
DeploymentList ...TypeMeta metadata:meta.ListMeta items:[Deployment]!
DeploymentSpec replicas:*i selector:*meta.LabelSelector! template:core.PodTemplateSpec! strategy:DeploymentStrategy+
  minReadySeconds:i revisionHistoryLimit:*i paused:b 9progressDeadlineSeconds:*i
DeploymentStatus observedGeneration:l replicas:i updatedReplicas:i 7readyReplicas:i 4availableReplicas:i
  unavailableReplicas:i 9terminatingReplicas:*i 6conditions:[DeploymentCondition]@type~ 8collisionCount:*i
DeploymentStrategy type:DeploymentStrategyType rollingUpdate:*RollingUpdateDeployment
ReplicaSet ...TypeMeta metadata:meta.ObjectMeta spec:ReplicaSetSpec status:ReplicaSetStatus
ReplicaSetCondition type:ReplicaSetConditionType! status:core.ConditionStatus! lastTransitionTime:t reason:s message:s
ReplicaSetList ...TypeMeta metadata:meta.ListMeta items:[ReplicaSet]!
ReplicaSetSpec replicas:*i 4minReadySeconds:i 2selector:*meta.LabelSelector! template:core.PodTemplateSpec
ReplicaSetStatus replicas:i! fullyLabeledReplicas:i 4readyReplicas:i availableReplicas:i 7terminatingReplicas:*i
  3observedGeneration:l 6conditions:[ReplicaSetCondition]@type~
RollingUpdateDaemonSet maxUnavailable:*is maxSurge:*is
RollingUpdateDeployment maxUnavailable:*is maxSurge:*is
RollingUpdateStatefulSetStrategy partition:*i maxUnavailable:*is
StatefulSet ...TypeMeta metadata:meta.ObjectMeta spec:StatefulSetSpec status:StatefulSetStatus
StatefulSetCondition type:StatefulSetConditionType! status:core.ConditionStatus! lastTransitionTime:t reason:s message:s
StatefulSetList ...TypeMeta metadata:meta.ListMeta items:[StatefulSet]!
StatefulSetOrdinals start:i!?
StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted:PersistentVolumeClaimRetentionPolicyType
  whenScaled:PersistentVolumeClaimRetentionPolicyType
StatefulSetSpec replicas:*i selector:*meta.LabelSelector! template:core.PodTemplateSpec!
  volumeClaimTemplates:[core.PersistentVolumeClaim] serviceName:s!? podManagementPolicy:PodManagementPolicyType
  updateStrategy:StatefulSetUpdateStrategy revisionHistoryLimit:*i minReadySeconds:i
  persistentVolumeClaimRetentionPolicy:*StatefulSetPersistentVolumeClaimRetentionPolicy ordinals:*StatefulSetOrdinals
StatefulSetStatus observedGeneration:l replicas:i! readyReplicas:i currentReplicas:i updatedReplicas:i currentRevision:s
  updateRevision:s 9collisionCount:*i conditions:[StatefulSetCondition]@type~ availableReplicas:i!?
StatefulSetUpdateStrategy type:StatefulSetUpdateStrategyType rollingUpdate:*RollingUpdateStatefulSetStrategy
package authentication authentication.k8s.io io.k8s.api.authentication.v1
BoundObjectReference kind:s apiVersion(APIVersion):s name:s uid(UID):types.UID
= [s] ExtraValue
SelfSubjectReview ...TypeMeta metadata:meta.ObjectMeta status:SelfSubjectReviewStatus
SelfSubjectReviewStatus userInfo:UserInfo
TokenRequest ...TypeMeta metadata:meta.ObjectMeta spec:TokenRequestSpec! status:TokenRequestStatus
TokenRequestSpec audiences:[s]! 4expirationSeconds:*l!? 3boundObjectRef:*BoundObjectReference!?
TokenRequestStatus token:s! expirationTimestamp:t!
TokenReview ...TypeMeta metadata:meta.ObjectMeta spec:TokenReviewSpec! status:TokenReviewStatus
TokenReviewSpec token:s audiences:[s]
TokenReviewStatus authenticated:b user:UserInfo 4audiences:[s] 3error:s
UserInfo username:s uid(UID):s groups:[s] extra:{ExtraValue}
package authorization authorization.k8s.io io.k8s.api.authorization.v1
= [s] ExtraValue
FieldSelectorAttributes rawSelector:s requirements:[meta.FieldSelectorRequirement]
LabelSelectorAttributes rawSelector:s requirements:[meta.LabelSelectorRequirement]
LocalSubjectAccessReview ...TypeMeta metadata:meta.ObjectMeta spec:SubjectAccessReviewSpec!
  status:SubjectAccessReviewStatus
NonResourceAttributes path:s verb:s
NonResourceRule verbs:[s]! nonResourceURLs:[s]
ResourceAttributes namespace:s verb:s group:s version:s resource:s subresource:s name:s
  fieldSelector:*FieldSelectorAttributes labelSelector:*LabelSelectorAttributes
ResourceRule verbs:[s]! apiGroups(APIGroups):[s] resources:[s] resourceNames:[s]
SelfSubjectAccessReview ...TypeMeta metadata:meta.ObjectMeta spec:SelfSubjectAccessReviewSpec!
  status:SubjectAccessReviewStatus
SelfSubjectAccessReviewSpec resourceAttributes:*ResourceAttributes nonResourceAttributes:*NonResourceAttributes
SelfSubjectRulesReview ...TypeMeta metadata:meta.ObjectMeta spec:SelfSubjectRulesReviewSpec!
  status:SubjectRulesReviewStatus
SelfSubjectRulesReviewSpec namespace:s
SubjectAccessReview ...TypeMeta metadata:meta.ObjectMeta spec:SubjectAccessReviewSpec! status:SubjectAccessReviewStatus
SubjectAccessReviewSpec resourceAttributes:*ResourceAttributes nonResourceAttributes:*NonResourceAttributes user:s
  groups:[s] extra:{ExtraValue} uid(UID):s
SubjectAccessReviewStatus allowed:b! 4denied:b 2reason:s evaluationError:s
SubjectRulesReviewStatus resourceRules:[ResourceRule]! nonResourceRules:[NonResourceRule]! incomplete:b!
  evaluationError:s
package autoscaling autoscaling io.k8s.api.autoscaling.v1
ContainerResourceMetricSource name:core.ResourceName! targetAverageUtilization:*i targetAverageValue:*q 5container:s!
ContainerResourceMetricStatus name:core.ResourceName! currentAverageUtilization:*i currentAverageValue:q! container:s!
CrossVersionObjectReference# kind:s! name:s! apiVersion(APIVersion):s
ExternalMetricSource metricName:s! metricSelector:*meta.LabelSelector targetValue:*q targetAverageValue:*q
ExternalMetricStatus metricName:s! metricSelector:*meta.LabelSelector currentValue:q! currentAverageValue:*q
HorizontalPodAutoscaler ...TypeMeta metadata:meta.ObjectMeta spec:HorizontalPodAutoscalerSpec
  status:HorizontalPodAutoscalerStatus
HorizontalPodAutoscalerCondition type:HorizontalPodAutoscalerConditionType! status:core.ConditionStatus!
  lastTransitionTime:t reason:s message:s
= s HorizontalPodAutoscalerConditionType MetricSourceType(ContainerResource|External|Object|Pods|Resource)
HorizontalPodAutoscalerList ...TypeMeta metadata:meta.ListMeta items:[HorizontalPodAutoscaler]!
HorizontalPodAutoscalerSpec scaleTargetRef:CrossVersionObjectReference! minReplicas:*i maxReplicas:i!
  targetCPUUtilizationPercentage:*i
HorizontalPodAutoscalerStatus observedGeneration:*l lastScaleTime:*t currentReplicas:i! desiredReplicas:i!
  currentCPUUtilizationPercentage:*i
MetricSpec type:MetricSourceType! object:*ObjectMetricSource pods:*PodsMetricSource resource:*ResourceMetricSource
  7containerResource:*ContainerResourceMetricSource 5external:*ExternalMetricSource
MetricStatus type:MetricSourceType! object:*ObjectMetricStatus pods:*PodsMetricStatus resource:*ResourceMetricStatus
  7containerResource:*ContainerResourceMetricStatus 5external:*ExternalMetricStatus
ObjectMetricSource target:CrossVersionObjectReference! metricName:s! targetValue:q! selector:*meta.LabelSelector
  averageValue:*q
ObjectMetricStatus target:CrossVersionObjectReference! metricName:s! currentValue:q! selector:*meta.LabelSelector
  averageValue:*q
PodsMetricSource metricName:s! targetAverageValue:q! selector:*meta.LabelSelector
PodsMetricStatus metricName:s! currentAverageValue:q! selector:*meta.LabelSelector
ResourceMetricSource name:core.ResourceName! targetAverageUtilization:*i targetAverageValue:*q
ResourceMetricStatus name:core.ResourceName! currentAverageUtilization:*i currentAverageValue:q!
Scale ...TypeMeta metadata:meta.ObjectMeta spec:ScaleSpec status:ScaleStatus
ScaleSpec replicas:i
ScaleStatus replicas:i! selector:s
package autoscaling/v2 autoscaling io.k8s.api.autoscaling.v2
ContainerResourceMetricSource name:core.ResourceName! target:MetricTarget! container:s!
ContainerResourceMetricStatus name:core.ResourceName! current:MetricValueStatus! container:s!
CrossVersionObjectReference kind:s! name:s! apiVersion(APIVersion):s
ExternalMetricSource metric:MetricIdentifier! target:MetricTarget!
ExternalMetricStatus metric:MetricIdentifier! current:MetricValueStatus!
HPAScalingPolicy type:HPAScalingPolicyType! value:i! periodSeconds:i!
= s HPAScalingPolicyType HorizontalPodAutoscalerConditionType MetricSourceType MetricTargetType ScalingPolicySelect
HPAScalingRules 3stabilizationWindowSeconds:*i 1selectPolicy:*ScalingPolicySelect policies:[HPAScalingPolicy]
  4tolerance:*q
HorizontalPodAutoscaler ...TypeMeta metadata:meta.ObjectMeta spec:HorizontalPodAutoscalerSpec
  status:HorizontalPodAutoscalerStatus
HorizontalPodAutoscalerBehavior scaleUp:*HPAScalingRules scaleDown:*HPAScalingRules
HorizontalPodAutoscalerCondition type:HorizontalPodAutoscalerConditionType! status:core.ConditionStatus!
  lastTransitionTime:t reason:s message:s
HorizontalPodAutoscalerList ...TypeMeta metadata:meta.ListMeta items:[HorizontalPodAutoscaler]!
HorizontalPodAutoscalerSpec scaleTargetRef:CrossVersionObjectReference! minReplicas:*i maxReplicas:i!
  metrics:[MetricSpec] behavior:*HorizontalPodAutoscalerBehavior
HorizontalPodAutoscalerStatus observedGeneration:*l lastScaleTime:*t currentReplicas:i desiredReplicas:i!
  currentMetrics:[MetricStatus]!? conditions:[HorizontalPodAutoscalerCondition]@type~
MetricIdentifier name:s! selector:*meta.LabelSelector
MetricSpec type:MetricSourceType! object:*ObjectMetricSource pods:*PodsMetricSource resource:*ResourceMetricSource
  7containerResource:*ContainerResourceMetricSource 5external:*ExternalMetricSource
MetricStatus type:MetricSourceType! object:*ObjectMetricStatus pods:*PodsMetricStatus resource:*ResourceMetricStatus
  7containerResource:*ContainerResourceMetricStatus 5external:*ExternalMetricStatus
MetricTarget type:MetricTargetType! value:*q averageValue:*q averageUtilization:*i
MetricValueStatus value:*q averageValue:*q averageUtilization:*i
ObjectMetricSource describedObject:CrossVersionObjectReference! target:MetricTarget! metric:MetricIdentifier!
ObjectMetricStatus metric:MetricIdentifier! current:MetricValueStatus! describedObject:CrossVersionObjectReference!
PodsMetricSource metric:MetricIdentifier! target:MetricTarget!
PodsMetricStatus metric:MetricIdentifier! current:MetricValueStatus!
ResourceMetricSource name:core.ResourceName! target:MetricTarget!
ResourceMetricStatus name:core.ResourceName! current:MetricValueStatus!
package batch batch io.k8s.api.batch.v1
= s CompletionMode(Indexed|NonIndexed) ConcurrencyPolicy(Allow|Forbid|Replace) JobConditionType
  PodFailurePolicyAction(Count|FailIndex|FailJob|Ignore) PodFailurePolicyOnExitCodesOperator(In|NotIn)
  PodReplacementPolicy(Failed|TerminatingOrFailed)
CronJob ...TypeMeta metadata:meta.ObjectMeta spec:CronJobSpec status:CronJobStatus
CronJobList ...TypeMeta metadata:meta.ListMeta items:[CronJob]!
CronJobSpec schedule:s! 8timeZone:*s 2startingDeadlineSeconds:*l concurrencyPolicy:ConcurrencyPolicy suspend:*b
  jobTemplate:JobTemplateSpec! successfulJobsHistoryLimit:*i failedJobsHistoryLimit:*i
CronJobStatus active:[core.ObjectReference] 4lastScheduleTime:*t lastSuccessfulTime:*t
Job ...TypeMeta metadata:meta.ObjectMeta spec:JobSpec status:JobStatus
JobCondition type:JobConditionType! status:core.ConditionStatus! lastProbeTime:t lastTransitionTime:t reason:s message:s
JobList ...TypeMeta metadata:meta.ListMeta items:[Job]!
JobSpec parallelism:*i completions:*i activeDeadlineSeconds:*l 11podFailurePolicy:*PodFailurePolicy
  16successPolicy:*SuccessPolicy 7backoffLimit:*i 12backoffLimitPerIndex:*i maxFailedIndexes:*i
  4selector:*meta.LabelSelector manualSelector:*b template:core.PodTemplateSpec!
  8ttlSecondsAfterFinished(TTLSecondsAfterFinished):*i completionMode:*CompletionMode suspend:*b
  14podReplacementPolicy:*PodReplacementPolicy managedBy:*s
JobStatus conditions:[JobCondition]~type startTime:*t completionTime:*t active:i succeeded:i failed:i 11terminating:*i
  7completedIndexes:s 10failedIndexes:*s 8uncountedTerminatedPods:*UncountedTerminatedPods ready:*i
JobTemplateSpec metadata:meta.ObjectMeta spec:JobSpec
PodFailurePolicy rules:[PodFailurePolicyRule]!
PodFailurePolicyOnExitCodesRequirement containerName:*s operator:PodFailurePolicyOnExitCodesOperator! values:[i]!=
PodFailurePolicyOnPodConditionsPattern type:core.PodConditionType! status:core.ConditionStatus!
PodFailurePolicyRule action:PodFailurePolicyAction! onExitCodes:*PodFailurePolicyOnExitCodesRequirement
  onPodConditions:[PodFailurePolicyOnPodConditionsPattern]
SuccessPolicy rules:[SuccessPolicyRule]!
SuccessPolicyRule succeededIndexes:*s succeededCount:*i
UncountedTerminatedPods succeeded:[types.UID]= failed:[types.UID]=
package certificates certificates.k8s.io io.k8s.api.certificates.v1
CertificateSigningRequest ...TypeMeta metadata:meta.ObjectMeta spec:CertificateSigningRequestSpec!
  status:CertificateSigningRequestStatus
CertificateSigningRequestCondition type:RequestConditionType! 6status:core.ConditionStatus! 2reason:s message:s
  lastUpdateTime:t lastTransitionTime:t
CertificateSigningRequestList ...TypeMeta metadata:meta.ListMeta items:[CertificateSigningRequest]!
CertificateSigningRequestSpec request:by! 7signerName:s! expirationSeconds:*i 5usages:[KeyUsage] 2username:s uid(UID):s
  groups:[s] 6extra:{ExtraValue}
CertificateSigningRequestStatus conditions:[CertificateSigningRequestCondition]@type certificate:by
= [s] ExtraValue
= s
  KeyUsage(any|cert_sign|client_auth|code_signing|content_commitment|crl_sign|data_encipherment|decipher_only|digital_signature|email_protection|encipher_only|ipsec_end_system|ipsec_tunnel|ipsec_user|key_agreement|key_encipherment|microsoft_sgc|netscape_sgc|ocsp_signing|s/mime|server_auth|signing|timestamping)
  RequestConditionType
package certificates/v1alpha1 certificates.k8s.io io.k8s.api.certificates.v1alpha1 off
ClusterTrustBundle ...TypeMeta metadata:meta.ObjectMeta spec:ClusterTrustBundleSpec!
ClusterTrustBundleList ...TypeMeta metadata:meta.ListMeta items:[ClusterTrustBundle]!
ClusterTrustBundleSpec signerName:s trustBundle:s!
PodCertificateRequest ...TypeMeta metadata:meta.ObjectMeta spec:PodCertificateRequestSpec!
  status:PodCertificateRequestStatus
PodCertificateRequestList ...TypeMeta metadata:meta.ListMeta items:[PodCertificateRequest]!
PodCertificateRequestSpec signerName:s! podName:s! podUID:types.UID! serviceAccountName:s! serviceAccountUID:types.UID!
  nodeName:types.NodeName! nodeUID:types.UID! maxExpirationSeconds:*i pkixPublicKey(PKIXPublicKey):by!
  proofOfPossession:by!
PodCertificateRequestStatus conditions:[meta.Condition]@type~ certificateChain:s 4notBefore:*t beginRefreshAt:*t
  notAfter:*t
package certificates/v1beta1 certificates.k8s.io io.k8s.api.certificates.v1beta1 off
CertificateSigningRequest ...TypeMeta metadata:meta.ObjectMeta spec:CertificateSigningRequestSpec!
  status:CertificateSigningRequestStatus
CertificateSigningRequestCondition type:RequestConditionType! 6status:core.ConditionStatus!? 2reason:s message:s
  lastUpdateTime:t lastTransitionTime:t
CertificateSigningRequestList ...TypeMeta metadata:meta.ListMeta items:[CertificateSigningRequest]!
CertificateSigningRequestSpec request:by! 7signerName:*s expirationSeconds:*i 5usages:[KeyUsage] 2username:s uid(UID):s
  groups:[s] 6extra:{ExtraValue}
CertificateSigningRequestStatus conditions:[CertificateSigningRequestCondition]@type certificate:by
ClusterTrustBundle ...TypeMeta metadata:meta.ObjectMeta spec:ClusterTrustBundleSpec!
ClusterTrustBundleList ...TypeMeta metadata:meta.ListMeta items:[ClusterTrustBundle]!
ClusterTrustBundleSpec signerName:s trustBundle:s!
= [s] ExtraValue
= s KeyUsage RequestConditionType
package coordination coordination.k8s.io io.k8s.api.coordination.v1
= s CoordinatedLeaseStrategy
Lease ...TypeMeta metadata:meta.ObjectMeta spec:LeaseSpec
LeaseList ...TypeMeta metadata:meta.ListMeta items:[Lease]!
LeaseSpec holderIdentity:*s leaseDurationSeconds:*i acquireTime:*mt renewTime:*mt leaseTransitions:*i
  strategy:*CoordinatedLeaseStrategy preferredHolder:*s
package coordination/v1alpha2 coordination.k8s.io io.k8s.api.coordination.v1alpha2 off
LeaseCandidate ...TypeMeta metadata:meta.ObjectMeta spec:LeaseCandidateSpec
LeaseCandidateList ...TypeMeta metadata:meta.ListMeta items:[LeaseCandidate]!
LeaseCandidateSpec leaseName:s! pingTime:*mt renewTime:*mt binaryVersion:s! emulationVersion:s
  strategy:coordination.CoordinatedLeaseStrategy?!
package coordination/v1beta1 coordination.k8s.io io.k8s.api.coordination.v1beta1 off
Lease ...TypeMeta metadata:meta.ObjectMeta spec:LeaseSpec
LeaseCandidate ...TypeMeta metadata:meta.ObjectMeta spec:LeaseCandidateSpec
LeaseCandidateList ...TypeMeta metadata:meta.ListMeta items:[LeaseCandidate]!
LeaseCandidateSpec leaseName:s! pingTime:*mt renewTime:*mt binaryVersion:s! emulationVersion:s
  strategy:coordination.CoordinatedLeaseStrategy?!
LeaseList ...TypeMeta metadata:meta.ListMeta items:[Lease]!
LeaseSpec holderIdentity:*s leaseDurationSeconds:*i acquireTime:*mt renewTime:*mt leaseTransitions:*i
  strategy:*coordination.CoordinatedLeaseStrategy preferredHolder:*s
package core - io.k8s.api.core.v1
AWSElasticBlockStoreVolumeSource volumeID:s! fsType(FSType):s partition:i readOnly:b
Affinity nodeAffinity:*NodeAffinity podAffinity:*PodAffinity podAntiAffinity:*PodAntiAffinity
AppArmorProfile type:AppArmorProfileType! localhostProfile:*s
= s AppArmorProfileType(Localhost|RuntimeDefault|Unconfined) AzureDataDiskCachingMode(None|ReadOnly|ReadWrite)
  AzureDataDiskKind(Dedicated|Managed|Shared) Capability
  ClaimResourceStatus(ControllerResizeInProgress|ControllerResizeInfeasible|NodeResizeInProgress|NodeResizeInfeasible|NodeResizePending)
  ComponentConditionType ConditionStatus ContainerRestartPolicy ContainerRestartRuleAction
  ContainerRestartRuleOnExitCodesOperator DNSPolicy(ClusterFirst|ClusterFirstWithHostNet|Default|None) FinalizerName
  HostPathType(|BlockDevice|CharDevice|Directory|DirectoryOrCreate|File|FileOrCreate|Socket) IPFamily(|IPv4|IPv6)
  IPFamilyPolicy(PreferDualStack|RequireDualStack|SingleStack) LimitType LoadBalancerIPMode
  MountPropagationMode(Bidirectional|HostToContainer|None) NamespaceConditionType NamespacePhase(Active|Terminating)
  NodeAddressType NodeConditionType NodeInclusionPolicy(Honor|Ignore) NodePhase(Pending|Running|Terminated)
  NodeSelectorOperator(DoesNotExist|Exists|Gt|In|Lt|NotIn) OSName
  PersistentVolumeAccessMode(ReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod)
  PersistentVolumeClaimConditionType PersistentVolumeClaimModifyVolumeStatus(InProgress|Infeasible|Pending)
  PersistentVolumeClaimPhase(Bound|Lost|Pending) PersistentVolumeMode(Block|Filesystem)
  PersistentVolumePhase(Available|Bound|Failed|Pending|Released) PersistentVolumeReclaimPolicy(Delete|Recycle|Retain)
  PodConditionType PodFSGroupChangePolicy(Always|OnRootMismatch) PodPhase(Failed|Pending|Running|Succeeded|Unknown)
  PodQOSClass(BestEffort|Burstable|Guaranteed) PodResizeStatus PodSELinuxChangePolicy
  PreemptionPolicy(Never|PreemptLowerPriority) ProcMountType(Default|Unmasked) Protocol(SCTP|TCP|UDP)
  PullPolicy(Always|IfNotPresent|Never) RecursiveReadOnlyMode ReplicationControllerConditionType ResourceHealthStatus
  ResourceID ResourceName
  ResourceQuotaScope(BestEffort|CrossNamespacePodAffinity|NotBestEffort|NotTerminating|PriorityClass|Terminating|VolumeAttributesClass)
  ResourceResizeRestartPolicy RestartPolicy(Always|Never|OnFailure) ScopeSelectorOperator(DoesNotExist|Exists|In|NotIn)
  SeccompProfileType(Localhost|RuntimeDefault|Unconfined) SecretType ServiceAffinity(ClientIP|None)
  ServiceExternalTrafficPolicy(Cluster|Local) ServiceInternalTrafficPolicy(Cluster|Local)
  ServiceType(ClusterIP|ExternalName|LoadBalancer|NodePort)
  Signal(SIGABRT|SIGALRM|SIGBUS|SIGCHLD|SIGCLD|SIGCONT|SIGFPE|SIGHUP|SIGILL|SIGINT|SIGIO|SIGIOT|SIGKILL|SIGPIPE|SIGPOLL|SIGPROF|SIGPWR|SIGQUIT|SIGRTMAX|SIGRTMAX-1|SIGRTMAX-10|SIGRTMAX-11|SIGRTMAX-12|SIGRTMAX-13|SIGRTMAX-14|SIGRTMAX-2|SIGRTMAX-3|SIGRTMAX-4|SIGRTMAX-5|SIGRTMAX-6|SIGRTMAX-7|SIGRTMAX-8|SIGRTMAX-9|SIGRTMIN|SIGRTMIN+1|SIGRTMIN+10|SIGRTMIN+11|SIGRTMIN+12|SIGRTMIN+13|SIGRTMIN+14|SIGRTMIN+15|SIGRTMIN+2|SIGRTMIN+3|SIGRTMIN+4|SIGRTMIN+5|SIGRTMIN+6|SIGRTMIN+7|SIGRTMIN+8|SIGRTMIN+9|SIGSEGV|SIGSTKFLT|SIGSTOP|SIGSYS|SIGTERM|SIGTRAP|SIGTSTP|SIGTTIN|SIGTTOU|SIGURG|SIGUSR1|SIGUSR2|SIGVTALRM|SIGWINCH|SIGXCPU|SIGXFSZ)
  StorageMedium SupplementalGroupsPolicy(Merge|Strict) TaintEffect(NoExecute|NoSchedule|PreferNoSchedule)
  TerminationMessagePolicy(FallbackToLogsOnError|File) TolerationOperator(Equal|Exists) URIScheme(HTTP|HTTPS)
  UniqueVolumeName UnsatisfiableConstraintAction(DoNotSchedule|ScheduleAnyway)
AttachedVolume name:UniqueVolumeName! devicePath:s!
AvoidPods preferAvoidPods:[PreferAvoidPodsEntry]
AzureDiskVolumeSource diskName:s! diskURI(DataDiskURI):s! cachingMode:*AzureDataDiskCachingMode fsType(FSType):*s
  readOnly:*b kind:*AzureDataDiskKind
AzureFilePersistentVolumeSource secretName:s! shareName:s! readOnly:b secretNamespace:*s!?
AzureFileVolumeSource secretName:s! shareName:s! readOnly:b
Binding ...TypeMeta metadata:meta.ObjectMeta target:ObjectReference!
CSIPersistentVolumeSource driver:s! volumeHandle:s! readOnly:b fsType(FSType):s volumeAttributes:{s}
  controllerPublishSecretRef:*SecretReference nodeStageSecretRef:*SecretReference nodePublishSecretRef:*SecretReference
  controllerExpandSecretRef:*SecretReference nodeExpandSecretRef:*SecretReference
CSIVolumeSource driver:s! readOnly:*b fsType(FSType):*s volumeAttributes:{s} nodePublishSecretRef:*LocalObjectReference
Capabilities add:[Capability] drop:[Capability]
CephFSPersistentVolumeSource monitors:[s]! path:s user:s secretFile:s secretRef:*SecretReference readOnly:b
CephFSVolumeSource monitors:[s]! path:s user:s secretFile:s secretRef:*LocalObjectReference readOnly:b
CinderPersistentVolumeSource volumeID:s! fsType(FSType):s readOnly:b secretRef:*SecretReference
CinderVolumeSource volumeID:s! fsType(FSType):s readOnly:b secretRef:*LocalObjectReference
ClientIPConfig timeoutSeconds:*i
ClusterTrustBundleProjection name:*s signerName:*s labelSelector:*meta.LabelSelector 5optional:*b 4path:s!
ComponentCondition type:ComponentConditionType! status:ConditionStatus! message:s error:s
ComponentStatus ...TypeMeta metadata:meta.ObjectMeta conditions:[ComponentCondition]@type~
ComponentStatusList ...TypeMeta metadata:meta.ListMeta items:[ComponentStatus]!
ConfigMap ...TypeMeta metadata:meta.ObjectMeta 4immutable:*b 2data:{s} binaryData:{by}
ConfigMapEnvSource ...LocalObjectReference optional:*b
ConfigMapKeySelector# ...LocalObjectReference key:s! optional:*b
ConfigMapList ...TypeMeta metadata:meta.ListMeta items:[ConfigMap]!
ConfigMapNodeConfigSource namespace:s! name:s! uid(UID):types.UID resourceVersion:s kubeletConfigKey:s!
ConfigMapProjection ...LocalObjectReference items:[KeyToPath] 4optional:*b
ConfigMapVolumeSource ...LocalObjectReference items:[KeyToPath] defaultMode:*i optional:*b
Container name:s! image:s command:[s] args:[s] workingDir:s ports:[ContainerPort]@containerPort,protocol~containerPort
  19envFrom:[EnvFromSource] 7env:[EnvVar]@name~ resources:ResourceRequirements 23resizePolicy:[ContainerResizePolicy]
  restartPolicy:*ContainerRestartPolicy restartPolicyRules:[ContainerRestartRule] 9volumeMounts:[VolumeMount]@mountPath~
  21volumeDevices:[VolumeDevice]@devicePath~ 10livenessProbe:*Probe readinessProbe:*Probe 22startupProbe:*Probe
  12lifecycle:*Lifecycle terminationMessagePath:s 20terminationMessagePolicy:TerminationMessagePolicy
  14imagePullPolicy:PullPolicy securityContext:*SecurityContext stdin:b stdinOnce:b tty(TTY):b
ContainerExtendedResourceRequest containerName:s! resourceName:s! requestName:s!
ContainerImage names:[s]!? sizeBytes:l
ContainerPort name:s hostPort:i containerPort:i! protocol:Protocol hostIP:s
ContainerResizePolicy resourceName:ResourceName! restartPolicy:ResourceResizeRestartPolicy!
ContainerRestartRule action:ContainerRestartRuleAction?! exitCodes:*ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes operator:ContainerRestartRuleOnExitCodesOperator?! values:[i]=
ContainerState waiting:*ContainerStateWaiting running:*ContainerStateRunning terminated:*ContainerStateTerminated
ContainerStateRunning startedAt:t
ContainerStateTerminated exitCode:i! signal:i reason:s message:s startedAt:t finishedAt:t containerID:s
ContainerStateWaiting reason:s message:s
ContainerStatus name:s! state:ContainerState lastState(LastTerminationState):ContainerState ready:b! restartCount:i!
  image:s! imageID:s! containerID:s started:*b allocatedResources:ResourceList resources:*ResourceRequirements
  volumeMounts:[VolumeMountStatus]@mountPath~ user:*ContainerUser allocatedResourcesStatus:[ResourceStatus]@name~
  stopSignal:*Signal
ContainerUser linux:*LinuxContainerUser
DaemonEndpoint Port:i!
DownwardAPIProjection items:[DownwardAPIVolumeFile]
DownwardAPIVolumeFile path:s! fieldRef:*ObjectFieldSelector resourceFieldRef:*ResourceFieldSelector mode:*i
DownwardAPIVolumeSource items:[DownwardAPIVolumeFile] defaultMode:*i
EmptyDirVolumeSource medium:StorageMedium sizeLimit:*q
EndpointAddress# ip(IP):s! 3hostname:s nodeName:*s 2targetRef:*ObjectReference
EndpointPort# name:s port:i! protocol:Protocol appProtocol:*s
EndpointSubset addresses:[EndpointAddress] notReadyAddresses:[EndpointAddress] ports:[EndpointPort]
Endpoints ...TypeMeta metadata:meta.ObjectMeta subsets:[EndpointSubset]
EndpointsList ...TypeMeta metadata:meta.ListMeta items:[Endpoints]!
EnvFromSource prefix:s configMapRef:*ConfigMapEnvSource secretRef:*SecretEnvSource
EnvVar name:s! value:s valueFrom:*EnvVarSource
EnvVarSource fieldRef:*ObjectFieldSelector resourceFieldRef:*ResourceFieldSelector configMapKeyRef:*ConfigMapKeySelector
  secretKeyRef:*SecretKeySelector fileKeyRef:*FileKeySelector
EphemeralContainer ...EphemeralContainerCommon targetContainerName:s
EphemeralContainerCommon name:s! image:s command:[s] args:[s] workingDir:s
  ports:[ContainerPort]@containerPort,protocol~containerPort 19envFrom:[EnvFromSource] 7env:[EnvVar]@name~
  resources:ResourceRequirements 23resizePolicy:[ContainerResizePolicy] restartPolicy:*ContainerRestartPolicy
  restartPolicyRules:[ContainerRestartRule] 9volumeMounts:[VolumeMount]@mountPath~
  21volumeDevices:[VolumeDevice]@devicePath~ 10livenessProbe:*Probe readinessProbe:*Probe 22startupProbe:*Probe
  12lifecycle:*Lifecycle terminationMessagePath:s 20terminationMessagePolicy:TerminationMessagePolicy
  14imagePullPolicy:PullPolicy securityContext:*SecurityContext stdin:b stdinOnce:b tty(TTY):b
EphemeralVolumeSource volumeClaimTemplate:*PersistentVolumeClaimTemplate
Event ...TypeMeta metadata:meta.ObjectMeta! involvedObject:ObjectReference! reason:s message:s source:EventSource
  firstTimestamp:t lastTimestamp:t count:i type:s eventTime:mt series:*EventSeries action:s related:*ObjectReference
  reportingComponent(ReportingController):s!? reportingInstance:s!?
EventList ...TypeMeta metadata:meta.ListMeta items:[Event]!
EventSeries count:i lastObservedTime:mt
EventSource component:s host:s
ExecAction command:[s]
FCVolumeSource targetWWNs:[s] lun:*i fsType(FSType):s readOnly:b wwids(WWIDs):[s]
FileKeySelector# volumeName:s! path:s! key:s! optional:*b
FlexPersistentVolumeSource driver:s! fsType(FSType):s secretRef:*SecretReference readOnly:b options:{s}
FlexVolumeSource driver:s! fsType(FSType):s secretRef:*LocalObjectReference readOnly:b options:{s}
FlockerVolumeSource datasetName:s datasetUUID:s
GCEPersistentDiskVolumeSource pdName(PDName):s! fsType(FSType):s partition:i readOnly:b
GRPCAction port:i! service:*s!?
GitRepoVolumeSource repository:s! revision:s directory:s
GlusterfsPersistentVolumeSource endpoints(EndpointsName):s! path:s! readOnly:b endpointsNamespace:*s
GlusterfsVolumeSource endpoints(EndpointsName):s! path:s! readOnly:b
HTTPGetAction path:s port:is! host:s scheme:URIScheme httpHeaders(HTTPHeaders):[HTTPHeader]
HTTPHeader name:s! value:s!
HostAlias ip(IP):s! hostnames:[s]
HostIP ip(IP):s!
HostPathVolumeSource path:s! type:*HostPathType
= IPFamilyPolicy IPFamilyPolicyType()
ISCSIPersistentVolumeSource targetPortal:s! iqn(IQN):s! lun:i! iscsiInterface(ISCSIInterface):s fsType(FSType):s
  readOnly:b portals:[s] chapAuthDiscovery(DiscoveryCHAPAuth):b 11chapAuthSession(SessionCHAPAuth):b
  10secretRef:*SecretReference 12initiatorName:*s
ISCSIVolumeSource targetPortal:s! iqn(IQN):s! lun:i! iscsiInterface(ISCSIInterface):s fsType(FSType):s readOnly:b
  portals:[s] chapAuthDiscovery(DiscoveryCHAPAuth):b 11chapAuthSession(SessionCHAPAuth):b
  10secretRef:*LocalObjectReference 12initiatorName:*s
ImageVolumeSource reference:s pullPolicy:PullPolicy
KeyToPath key:s! path:s! mode:*i
Lifecycle postStart:*LifecycleHandler preStop:*LifecycleHandler stopSignal:*Signal
LifecycleHandler exec:*ExecAction httpGet(HTTPGet):*HTTPGetAction tcpSocket(TCPSocket):*TCPSocketAction
  sleep:*SleepAction
LimitRange ...TypeMeta metadata:meta.ObjectMeta spec:LimitRangeSpec
LimitRangeItem type:LimitType! max:ResourceList min:ResourceList default:ResourceList defaultRequest:ResourceList
  maxLimitRequestRatio:ResourceList
LimitRangeList ...TypeMeta metadata:meta.ListMeta items:[LimitRange]!
LimitRangeSpec limits:[LimitRangeItem]!
LinuxContainerUser uid(UID):l! gid(GID):l! supplementalGroups:[l]
= meta.List List
LoadBalancerIngress ip(IP):s hostname:s ipMode(IPMode):*LoadBalancerIPMode ports:[PortStatus]
LoadBalancerStatus ingress:[LoadBalancerIngress]
LocalObjectReference# name:s
LocalVolumeSource path:s! fsType(FSType):*s
ModifyVolumeStatus targetVolumeAttributesClassName:s status:PersistentVolumeClaimModifyVolumeStatus!
NFSVolumeSource server:s! path:s! readOnly:b
Namespace ...TypeMeta metadata:meta.ObjectMeta spec:NamespaceSpec status:NamespaceStatus
NamespaceCondition type:NamespaceConditionType! status:ConditionStatus! 4lastTransitionTime:t reason:s message:s
NamespaceList ...TypeMeta metadata:meta.ListMeta items:[Namespace]!
NamespaceSpec finalizers:[FinalizerName]
NamespaceStatus phase:NamespacePhase conditions:[NamespaceCondition]@type~
Node ...TypeMeta metadata:meta.ObjectMeta spec:NodeSpec status:NodeStatus
NodeAddress type:NodeAddressType! address:s!
NodeAffinity requiredDuringSchedulingIgnoredDuringExecution:*NodeSelector
  preferredDuringSchedulingIgnoredDuringExecution:[PreferredSchedulingTerm]
NodeCondition type:NodeConditionType! status:ConditionStatus! lastHeartbeatTime:t lastTransitionTime:t reason:s
  message:s
NodeConfigSource 2configMap:*ConfigMapNodeConfigSource
NodeConfigStatus assigned:*NodeConfigSource active:*NodeConfigSource lastKnownGood:*NodeConfigSource error:s
NodeDaemonEndpoints kubeletEndpoint:DaemonEndpoint
NodeFeatures supplementalGroupsPolicy:*b
NodeList ...TypeMeta metadata:meta.ListMeta items:[Node]!
NodeProxyOptions ...TypeMeta path:s
NodeRuntimeHandler name:s!? features:*NodeRuntimeHandlerFeatures
NodeRuntimeHandlerFeatures recursiveReadOnlyMounts:*b userNamespaces:*b
NodeSelector# nodeSelectorTerms:[NodeSelectorTerm]!
NodeSelectorRequirement key:s! operator:NodeSelectorOperator! values:[s]
NodeSelectorTerm# matchExpressions:[NodeSelectorRequirement] matchFields:[NodeSelectorRequirement]
NodeSpec podCIDR:s 7podCIDRs:[s]=~ 3providerID:s unschedulable:b taints:[Taint] configSource:*NodeConfigSource
  2externalID(DoNotUseExternalID):s
NodeStatus capacity:ResourceList allocatable:ResourceList phase:NodePhase conditions:[NodeCondition]@type~
  addresses:[NodeAddress]@type~ daemonEndpoints:NodeDaemonEndpoints nodeInfo:NodeSystemInfo images:[ContainerImage]
  volumesInUse:[UniqueVolumeName] volumesAttached:[AttachedVolume] config:*NodeConfigStatus
  runtimeHandlers:[NodeRuntimeHandler] features:*NodeFeatures
NodeSwapStatus capacity:*l
NodeSystemInfo machineID:s! systemUUID:s! bootID:s! kernelVersion:s! osImage(OSImage):s! containerRuntimeVersion:s!
  kubeletVersion:s! kubeProxyVersion:s! operatingSystem:s! architecture:s! swap:*NodeSwapStatus
ObjectFieldSelector# apiVersion(APIVersion):s fieldPath:s!
ObjectReference# kind:s namespace:s name:s uid(UID):types.UID apiVersion(APIVersion):s resourceVersion:s fieldPath:s
PersistentVolume ...TypeMeta metadata:meta.ObjectMeta spec:PersistentVolumeSpec status:PersistentVolumeStatus
PersistentVolumeClaim ...TypeMeta metadata:meta.ObjectMeta spec:PersistentVolumeClaimSpec
  status:PersistentVolumeClaimStatus
PersistentVolumeClaimCondition type:PersistentVolumeClaimConditionType! status:ConditionStatus! lastProbeTime:t
  lastTransitionTime:t reason:s message:s
PersistentVolumeClaimList ...TypeMeta metadata:meta.ListMeta items:[PersistentVolumeClaim]!
PersistentVolumeClaimSpec accessModes:[PersistentVolumeAccessMode] 4selector:*meta.LabelSelector
  2resources:VolumeResourceRequirements volumeName:s 5storageClassName:*s volumeMode:*PersistentVolumeMode
  dataSource:*TypedLocalObjectReference dataSourceRef:*TypedObjectReference volumeAttributesClassName:*s
PersistentVolumeClaimStatus phase:PersistentVolumeClaimPhase accessModes:[PersistentVolumeAccessMode]
  capacity:ResourceList conditions:[PersistentVolumeClaimCondition]@type~ allocatedResources:ResourceList
  7allocatedResourceStatuses:{ResourceName:ClaimResourceStatus}^ currentVolumeAttributesClassName:*s
  modifyVolumeStatus:*ModifyVolumeStatus
PersistentVolumeClaimTemplate metadata:meta.ObjectMeta spec:PersistentVolumeClaimSpec!
PersistentVolumeClaimVolumeSource claimName:s! readOnly:b
PersistentVolumeList ...TypeMeta metadata:meta.ListMeta items:[PersistentVolume]!
PersistentVolumeSource gcePersistentDisk(GCEPersistentDisk):*GCEPersistentDiskVolumeSource
  awsElasticBlockStore(AWSElasticBlockStore):*AWSElasticBlockStoreVolumeSource hostPath:*HostPathVolumeSource
  glusterfs:*GlusterfsPersistentVolumeSource nfs(NFS):*NFSVolumeSource rbd(RBD):*RBDPersistentVolumeSource
  iscsi(ISCSI):*ISCSIPersistentVolumeSource cinder:*CinderPersistentVolumeSource
  cephfs(CephFS):*CephFSPersistentVolumeSource fc(FC):*FCVolumeSource flocker:*FlockerVolumeSource
  flexVolume:*FlexPersistentVolumeSource azureFile:*AzureFilePersistentVolumeSource
  vsphereVolume:*VsphereVirtualDiskVolumeSource quobyte:*QuobyteVolumeSource azureDisk:*AzureDiskVolumeSource
  photonPersistentDisk:*PhotonPersistentDiskVolumeSource portworxVolume:*PortworxVolumeSource
  scaleIO:*ScaleIOPersistentVolumeSource local:*LocalVolumeSource storageos(StorageOS):*StorageOSPersistentVolumeSource
  csi(CSI):*CSIPersistentVolumeSource
PersistentVolumeSpec capacity:ResourceList ...PersistentVolumeSource accessModes:[PersistentVolumeAccessMode]
  claimRef:*ObjectReference^ persistentVolumeReclaimPolicy:PersistentVolumeReclaimPolicy storageClassName:s
  mountOptions:[s] volumeMode:*PersistentVolumeMode nodeAffinity:*VolumeNodeAffinity volumeAttributesClassName:*s
PersistentVolumeStatus phase:PersistentVolumePhase message:s reason:s lastPhaseTransitionTime:*t
PhotonPersistentDiskVolumeSource pdID:s! fsType(FSType):s
Pod ...TypeMeta metadata:meta.ObjectMeta spec:PodSpec status:PodStatus
PodAffinity requiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm]
  preferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm]
PodAffinityTerm labelSelector:*meta.LabelSelector namespaces:[s] topologyKey:s! namespaceSelector:*meta.LabelSelector
  matchLabelKeys:[s] mismatchLabelKeys:[s]
PodAntiAffinity requiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm]
  preferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm]
PodAttachOptions ...TypeMeta stdin:b stdout:b stderr:b tty(TTY):b container:s
PodCertificateProjection signerName:s?! keyType:s?! maxExpirationSeconds:*i credentialBundlePath:s keyPath:s
  certificateChainPath:s
PodCondition type:PodConditionType! 7observedGeneration:l 2status:ConditionStatus! lastProbeTime:t lastTransitionTime:t
  reason:s message:s
PodDNSConfig nameservers:[s] searches:[s] options:[PodDNSConfigOption]
PodDNSConfigOption name:s value:*s
PodExecOptions ...TypeMeta stdin:b stdout:b stderr:b tty(TTY):b container:s command:[s]!
PodExtendedResourceClaimStatus requestMappings:[ContainerExtendedResourceRequest]! resourceClaimName:s!
PodIP ip(IP):s!
PodList ...TypeMeta metadata:meta.ListMeta items:[Pod]!
PodLogOptions ...TypeMeta container:s follow:b previous:b sinceSeconds:*l sinceTime:*t timestamps:b tailLines:*l
  limitBytes:*l insecureSkipTLSVerifyBackend:b stream:*s
PodOS name:OSName!
PodPortForwardOptions ...TypeMeta ports:[i]
PodProxyOptions ...TypeMeta path:s
PodReadinessGate conditionType:PodConditionType!
PodResourceClaim name:s! 3resourceClaimName:*s resourceClaimTemplateName:*s
PodResourceClaimStatus name:s! resourceClaimName:*s
PodSchedulingGate name:s!
PodSecurityContext seLinuxOptions(SELinuxOptions):*SELinuxOptions 8windowsOptions:*WindowsSecurityContextOptions
  2runAsUser:*l 6runAsGroup:*l 3runAsNonRoot:*b supplementalGroups:[l]
  12supplementalGroupsPolicy:*SupplementalGroupsPolicy 5fsGroup(FSGroup):*l 7sysctls:[Sysctl]
  9fsGroupChangePolicy(FSGroupChangePolicy):*PodFSGroupChangePolicy seccompProfile:*SeccompProfile
  appArmorProfile:*AppArmorProfile 13seLinuxChangePolicy(SELinuxChangePolicy):*PodSELinuxChangePolicy
PodSignature podController:*meta.OwnerReference
PodSpec volumes:[Volume]@name~+ 20initContainers:[Container]@name~ 2containers:[Container]!@name~
  34ephemeralContainers:[EphemeralContainer]@name~ 3restartPolicy:RestartPolicy terminationGracePeriodSeconds:*l
  activeDeadlineSeconds:*l dnsPolicy(DNSPolicy):DNSPolicy nodeSelector:{s}# serviceAccountName:s
  serviceAccount(DeprecatedServiceAccount):s 21automountServiceAccountToken:*b 10nodeName:s hostNetwork:b hostPID:b
  hostIPC:b 27shareProcessNamespace:*b 14securityContext:*PodSecurityContext
  imagePullSecrets:[LocalObjectReference]@name~ hostname:s subdomain:s affinity:*Affinity schedulerName:s
  22tolerations:[Toleration] hostAliases:[HostAlias]@ip~ priorityClassName:s priority:*i
  dnsConfig(DNSConfig):*PodDNSConfig 28readinessGates:[PodReadinessGate] runtimeClassName:*s enableServiceLinks:*b
  preemptionPolicy:*PreemptionPolicy overhead:ResourceList
  topologySpreadConstraints:[TopologySpreadConstraint]@topologyKey,whenUnsatisfiable~topologyKey 35setHostnameAsFQDN:*b
  os(OS):*PodOS hostUsers:*b schedulingGates:[PodSchedulingGate]@name~ resourceClaims:[PodResourceClaim]@name~+
  resources:*ResourceRequirements hostnameOverride:*s
PodStatus 17observedGeneration:l 1phase:PodPhase conditions:[PodCondition]@type~ message:s reason:s
  11nominatedNodeName:s 5hostIP:s 16hostIPs:[HostIP]~ip 6podIP:s 12podIPs:[PodIP]@ip~ 7startTime:*t
  10initContainerStatuses:[ContainerStatus] 8containerStatuses:[ContainerStatus] qosClass(QOSClass):PodQOSClass
  13ephemeralContainerStatuses:[ContainerStatus] resize:PodResizeStatus
  resourceClaimStatuses:[PodResourceClaimStatus]@name~+ 18extendedResourceClaimStatus:*PodExtendedResourceClaimStatus
PodStatusResult ...TypeMeta metadata:meta.ObjectMeta status:PodStatus
PodTemplate ...TypeMeta metadata:meta.ObjectMeta template:PodTemplateSpec
PodTemplateList ...TypeMeta metadata:meta.ListMeta items:[PodTemplate]!
PodTemplateSpec metadata:meta.ObjectMeta spec:PodSpec
PortStatus port:i! protocol:Protocol! error:*s
PortworxVolumeSource volumeID:s! fsType(FSType):s readOnly:b
Preconditions uid(UID):*types.UID
PreferAvoidPodsEntry podSignature:PodSignature! evictionTime:t reason:s message:s
PreferredSchedulingTerm weight:i! preference:NodeSelectorTerm!
Probe ...ProbeHandler initialDelaySeconds:i timeoutSeconds:i periodSeconds:i successThreshold:i failureThreshold:i
  terminationGracePeriodSeconds:*l
ProbeHandler exec:*ExecAction httpGet(HTTPGet):*HTTPGetAction tcpSocket(TCPSocket):*TCPSocketAction
  grpc(GRPC):*GRPCAction
ProjectedVolumeSource sources:[VolumeProjection]!? defaultMode:*i
QuobyteVolumeSource registry:s! volume:s! readOnly:b user:s group:s tenant:s
RBDPersistentVolumeSource monitors(CephMonitors):[s]! image(RBDImage):s! fsType(FSType):s pool(RBDPool):s
  user(RadosUser):s keyring:s secretRef:*SecretReference readOnly:b
RBDVolumeSource monitors(CephMonitors):[s]! image(RBDImage):s! fsType(FSType):s pool(RBDPool):s user(RadosUser):s
  keyring:s secretRef:*LocalObjectReference readOnly:b
RangeAllocation ...TypeMeta metadata:meta.ObjectMeta range:s! data:by!
ReplicationController ...TypeMeta metadata:meta.ObjectMeta spec:ReplicationControllerSpec
  status:ReplicationControllerStatus
ReplicationControllerCondition type:ReplicationControllerConditionType! status:ConditionStatus! lastTransitionTime:t
  reason:s message:s
ReplicationControllerList ...TypeMeta metadata:meta.ListMeta items:[ReplicationController]!
ReplicationControllerSpec replicas:*i 4minReadySeconds:i 2selector:{s}# template:*PodTemplateSpec
ReplicationControllerStatus replicas:i! fullyLabeledReplicas:i 4readyReplicas:i availableReplicas:i
  3observedGeneration:l 6conditions:[ReplicationControllerCondition]@type~
ResourceClaim name:s! request:s
ResourceFieldSelector# containerName:s resource:s! divisor:q
ResourceHealth resourceID:ResourceID! health:ResourceHealthStatus
= {ResourceName:q} ResourceList
ResourceQuota ...TypeMeta metadata:meta.ObjectMeta spec:ResourceQuotaSpec status:ResourceQuotaStatus
ResourceQuotaList ...TypeMeta metadata:meta.ListMeta items:[ResourceQuota]!
ResourceQuotaSpec hard:ResourceList scopes:[ResourceQuotaScope] scopeSelector:*ScopeSelector
ResourceQuotaStatus hard:ResourceList used:ResourceList
ResourceRequirements limits:ResourceList requests:ResourceList claims:[ResourceClaim]@name
ResourceStatus name:ResourceName! resources:[ResourceHealth]@resourceID
SELinuxOptions user:s role:s type:s level:s
ScaleIOPersistentVolumeSource gateway:s! system:s! secretRef:*SecretReference! sslEnabled(SSLEnabled):b
  protectionDomain:s storagePool:s storageMode:s volumeName:s fsType(FSType):s readOnly:b
ScaleIOVolumeSource gateway:s! system:s! secretRef:*LocalObjectReference! sslEnabled(SSLEnabled):b protectionDomain:s
  storagePool:s storageMode:s volumeName:s fsType(FSType):s readOnly:b
ScopeSelector# matchExpressions:[ScopedResourceSelectorRequirement]
ScopedResourceSelectorRequirement scopeName:ResourceQuotaScope! operator:ScopeSelectorOperator! values:[s]
SeccompProfile type:SeccompProfileType! localhostProfile:*s
Secret ...TypeMeta metadata:meta.ObjectMeta 5immutable:*b 2data:{by} 4stringData:{s} 3type:SecretType
SecretEnvSource ...LocalObjectReference optional:*b
SecretKeySelector# ...LocalObjectReference key:s! optional:*b
SecretList ...TypeMeta metadata:meta.ListMeta items:[Secret]!
SecretProjection ...LocalObjectReference items:[KeyToPath] 4optional:*b
SecretReference# name:s namespace:s
SecretVolumeSource secretName:s items:[KeyToPath] defaultMode:*i optional:*b
SecurityContext capabilities:*Capabilities privileged:*b seLinuxOptions(SELinuxOptions):*SELinuxOptions
  10windowsOptions:*WindowsSecurityContextOptions 4runAsUser:*l 8runAsGroup:*l 5runAsNonRoot:*b
  readOnlyRootFilesystem:*b allowPrivilegeEscalation:*b 9procMount:*ProcMountType 11seccompProfile:*SeccompProfile
  appArmorProfile:*AppArmorProfile
SerializedReference ...TypeMeta reference:ObjectReference
Service ...TypeMeta metadata:meta.ObjectMeta spec:ServiceSpec status:ServiceStatus
ServiceAccount ...TypeMeta metadata:meta.ObjectMeta secrets:[ObjectReference]@name~
  imagePullSecrets:[LocalObjectReference] automountServiceAccountToken:*b
ServiceAccountList ...TypeMeta metadata:meta.ListMeta items:[ServiceAccount]!
ServiceAccountTokenProjection audience:s expirationSeconds:*l path:s!
= ServiceExternalTrafficPolicy ServiceExternalTrafficPolicyType()
= ServiceInternalTrafficPolicy ServiceInternalTrafficPolicyType()
ServiceList ...TypeMeta metadata:meta.ListMeta items:[Service]!
ServicePort name:s protocol:Protocol 6appProtocol:*s 3port:i! targetPort:is nodePort:i
ServiceProxyOptions ...TypeMeta path:s
ServiceSpec ports:[ServicePort]@port,protocol~port selector:{s}# clusterIP:s 18clusterIPs:[s] 4type:ServiceType
  externalIPs:[s] 7sessionAffinity:ServiceAffinity loadBalancerIP:s loadBalancerSourceRanges:[s] externalName:s
  externalTrafficPolicy:ServiceExternalTrafficPolicy healthCheckNodePort:i publishNotReadyAddresses:b
  sessionAffinityConfig:*SessionAffinityConfig 19ipFamilies(IPFamilies):[IPFamily]
  17ipFamilyPolicy(IPFamilyPolicy):*IPFamilyPolicy 20allocateLoadBalancerNodePorts:*b loadBalancerClass:*s
  internalTrafficPolicy:*ServiceInternalTrafficPolicy trafficDistribution:*s
ServiceStatus loadBalancer:LoadBalancerStatus conditions:[meta.Condition]@type~
SessionAffinityConfig clientIP:*ClientIPConfig
SleepAction seconds:l!
StorageOSPersistentVolumeSource volumeName:s volumeNamespace:s fsType(FSType):s readOnly:b secretRef:*ObjectReference
StorageOSVolumeSource volumeName:s volumeNamespace:s fsType(FSType):s readOnly:b secretRef:*LocalObjectReference
Sysctl name:s! value:s!
TCPSocketAction port:is! host:s
Taint key:s! value:s effect:TaintEffect! timeAdded:*t
Toleration key:s operator:TolerationOperator value:s effect:TaintEffect tolerationSeconds:*l
TopologySelectorLabelRequirement key:s! values:[s]!
TopologySelectorTerm# matchLabelExpressions:[TopologySelectorLabelRequirement]
TopologySpreadConstraint maxSkew:i! topologyKey:s! whenUnsatisfiable:UnsatisfiableConstraintAction!
  labelSelector:*meta.LabelSelector minDomains:*i nodeAffinityPolicy:*NodeInclusionPolicy
  nodeTaintsPolicy:*NodeInclusionPolicy matchLabelKeys:[s]
TypedLocalObjectReference# apiGroup(APIGroup):*s!? kind:s! name:s!
TypedObjectReference apiGroup(APIGroup):*s!? kind:s! name:s! namespace:*s
Volume name:s! ...VolumeSource
VolumeDevice name:s! devicePath:s!
VolumeMount name:s! readOnly:b 7recursiveReadOnly:*RecursiveReadOnlyMode 3mountPath:s! subPath:s
  mountPropagation:*MountPropagationMode subPathExpr:s
VolumeMountStatus name:s! mountPath:s! readOnly:b recursiveReadOnly:*RecursiveReadOnlyMode
VolumeNodeAffinity required:*NodeSelector
VolumeProjection secret:*SecretProjection downwardAPI:*DownwardAPIProjection configMap:*ConfigMapProjection
  serviceAccountToken:*ServiceAccountTokenProjection clusterTrustBundle:*ClusterTrustBundleProjection
  podCertificate:*PodCertificateProjection
VolumeResourceRequirements limits:ResourceList requests:ResourceList
VolumeSource hostPath:*HostPathVolumeSource emptyDir:*EmptyDirVolumeSource
  gcePersistentDisk(GCEPersistentDisk):*GCEPersistentDiskVolumeSource
  awsElasticBlockStore(AWSElasticBlockStore):*AWSElasticBlockStoreVolumeSource gitRepo:*GitRepoVolumeSource
  secret:*SecretVolumeSource nfs(NFS):*NFSVolumeSource iscsi(ISCSI):*ISCSIVolumeSource glusterfs:*GlusterfsVolumeSource
  persistentVolumeClaim:*PersistentVolumeClaimVolumeSource rbd(RBD):*RBDVolumeSource flexVolume:*FlexVolumeSource
  cinder:*CinderVolumeSource cephfs(CephFS):*CephFSVolumeSource flocker:*FlockerVolumeSource
  downwardAPI:*DownwardAPIVolumeSource fc(FC):*FCVolumeSource azureFile:*AzureFileVolumeSource
  configMap:*ConfigMapVolumeSource vsphereVolume:*VsphereVirtualDiskVolumeSource quobyte:*QuobyteVolumeSource
  azureDisk:*AzureDiskVolumeSource photonPersistentDisk:*PhotonPersistentDiskVolumeSource
  26projected:*ProjectedVolumeSource 24portworxVolume:*PortworxVolumeSource scaleIO:*ScaleIOVolumeSource
  27storageos(StorageOS):*StorageOSVolumeSource csi(CSI):*CSIVolumeSource ephemeral:*EphemeralVolumeSource
  image:*ImageVolumeSource
VsphereVirtualDiskVolumeSource volumePath:s! fsType(FSType):s storagePolicyName:s storagePolicyID:s
WeightedPodAffinityTerm weight:i! podAffinityTerm:PodAffinityTerm!
WindowsSecurityContextOptions gmsaCredentialSpecName(GMSACredentialSpecName):*s
  gmsaCredentialSpec(GMSACredentialSpec):*s runAsUserName:*s hostProcess:*b
package discovery discovery.k8s.io io.k8s.api.discovery.v1
= s AddressType()
Endpoint addresses:[s]!= conditions:EndpointConditions hostname:*s targetRef:*core.ObjectReference
  deprecatedTopology:{s} nodeName:*s zone:*s hints:*EndpointHints
EndpointConditions ready:*b serving:*b terminating:*b
EndpointHints forZones:[ForZone] forNodes:[ForNode]
EndpointPort# name:*s protocol:*core.Protocol port:*i appProtocol:*s
EndpointSlice ...TypeMeta metadata:meta.ObjectMeta 4addressType:AddressType! 2endpoints:[Endpoint]!
  ports:[EndpointPort]!?
EndpointSliceList ...TypeMeta metadata:meta.ListMeta items:[EndpointSlice]!
ForNode name:s!
ForZone name:s!
package events events.k8s.io io.k8s.api.events.v1
Event ...TypeMeta metadata:meta.ObjectMeta eventTime:mt! series:*EventSeries reportingController:s reportingInstance:s
  action:s reason:s regarding:core.ObjectReference related:*core.ObjectReference note:s type:s
  deprecatedSource:core.EventSource deprecatedFirstTimestamp:t deprecatedLastTimestamp:t deprecatedCount:i
EventList ...TypeMeta metadata:meta.ListMeta items:[Event]!
EventSeries count:i! lastObservedTime:mt!
package flowcontrol flowcontrol.apiserver.k8s.io io.k8s.api.flowcontrol.v1
= s ConditionStatus FlowDistinguisherMethodType FlowSchemaConditionType LimitResponseType
  PriorityLevelConfigurationConditionType PriorityLevelEnablement SubjectKind
ExemptPriorityLevelConfiguration nominalConcurrencyShares:*i lendablePercent:*i
FlowDistinguisherMethod type:FlowDistinguisherMethodType!
FlowSchema ...TypeMeta metadata:meta.ObjectMeta spec:FlowSchemaSpec status:FlowSchemaStatus
FlowSchemaCondition type:FlowSchemaConditionType status:ConditionStatus lastTransitionTime:t reason:s message:s
FlowSchemaList ...TypeMeta metadata:meta.ListMeta items:[FlowSchema]!
FlowSchemaSpec priorityLevelConfiguration:PriorityLevelConfigurationReference! matchingPrecedence:i!?
  distinguisherMethod:*FlowDistinguisherMethod rules:[PolicyRulesWithSubjects]
FlowSchemaStatus conditions:[FlowSchemaCondition]@type~
GroupSubject name:s!
LimitResponse type:LimitResponseType! queuing:*QueuingConfiguration
LimitedPriorityLevelConfiguration nominalConcurrencyShares:*i!? limitResponse:LimitResponse lendablePercent:*i
  borrowingLimitPercent:*i
NonResourcePolicyRule verbs:[s]!= 6nonResourceURLs:[s]!=
PolicyRulesWithSubjects subjects:[Subject]! resourceRules:[ResourcePolicyRule] nonResourceRules:[NonResourcePolicyRule]
PriorityLevelConfiguration ...TypeMeta metadata:meta.ObjectMeta spec:PriorityLevelConfigurationSpec
  status:PriorityLevelConfigurationStatus
PriorityLevelConfigurationCondition type:PriorityLevelConfigurationConditionType status:ConditionStatus
  lastTransitionTime:t reason:s message:s
PriorityLevelConfigurationList ...TypeMeta metadata:meta.ListMeta items:[PriorityLevelConfiguration]!
PriorityLevelConfigurationReference name:s!
PriorityLevelConfigurationSpec type:PriorityLevelEnablement! limited:*LimitedPriorityLevelConfiguration
  exempt:*ExemptPriorityLevelConfiguration
PriorityLevelConfigurationStatus conditions:[PriorityLevelConfigurationCondition]@type~
QueuingConfiguration queues:i!? handSize:i!? queueLengthLimit:i!?
ResourcePolicyRule verbs:[s]!= apiGroups(APIGroups):[s]!= resources:[s]!= clusterScope:b namespaces:[s]!?=
ServiceAccountSubject namespace:s! name:s!
Subject kind:SubjectKind! user:*UserSubject group:*GroupSubject serviceAccount:*ServiceAccountSubject
UserSubject name:s!
package imagepolicy/v1alpha1 imagepolicy.k8s.io io.k8s.api.imagepolicy.v1alpha1 off
ImageReview ...TypeMeta metadata:meta.ObjectMeta spec:ImageReviewSpec! status:ImageReviewStatus
ImageReviewContainerSpec image:s
ImageReviewSpec containers:[ImageReviewContainerSpec] annotations:{s} namespace:s
ImageReviewStatus allowed:b! reason:s auditAnnotations:{s}
package networking networking.k8s.io io.k8s.api.networking.v1
HTTPIngressPath path:s 3pathType:*PathType! 2backend:IngressBackend!
HTTPIngressRuleValue paths:[HTTPIngressPath]!
IPAddress ...TypeMeta metadata:meta.ObjectMeta spec:IPAddressSpec
IPAddressList ...TypeMeta metadata:meta.ListMeta items:[IPAddress]!
IPAddressSpec parentRef:*ParentReference?!
IPBlock cidr(CIDR):s! except:[s]
Ingress ...TypeMeta metadata:meta.ObjectMeta spec:IngressSpec status:IngressStatus
IngressBackend 4service:*IngressServiceBackend 3resource:*core.TypedLocalObjectReference
IngressClass ...TypeMeta metadata:meta.ObjectMeta spec:IngressClassSpec
IngressClassList ...TypeMeta metadata:meta.ListMeta items:[IngressClass]!
IngressClassParametersReference apiGroup(APIGroup):*s kind:s! name:s! scope:*s!? namespace:*s
IngressClassSpec controller:s parameters:*IngressClassParametersReference
IngressList ...TypeMeta metadata:meta.ListMeta items:[Ingress]!
IngressLoadBalancerIngress ip(IP):s hostname:s 4ports:[IngressPortStatus]
IngressLoadBalancerStatus ingress:[IngressLoadBalancerIngress]
IngressPortStatus port:i! protocol:core.Protocol! error:*s
IngressRule host:s ...IngressRuleValue
IngressRuleValue http(HTTP):*HTTPIngressRuleValue
IngressServiceBackend name:s! port:ServiceBackendPort
IngressSpec 4ingressClassName:*s 1defaultBackend:*IngressBackend tls(TLS):[IngressTLS] rules:[IngressRule]
IngressStatus loadBalancer:IngressLoadBalancerStatus
IngressTLS hosts:[s] secretName:s
NetworkPolicy ...TypeMeta metadata:meta.ObjectMeta spec:NetworkPolicySpec
NetworkPolicyEgressRule ports:[NetworkPolicyPort] to:[NetworkPolicyPeer]
NetworkPolicyIngressRule ports:[NetworkPolicyPort] from:[NetworkPolicyPeer]
NetworkPolicyList ...TypeMeta metadata:meta.ListMeta items:[NetworkPolicy]!
NetworkPolicyPeer podSelector:*meta.LabelSelector namespaceSelector:*meta.LabelSelector ipBlock(IPBlock):*IPBlock
NetworkPolicyPort protocol:*core.Protocol port:*is endPort:*i
NetworkPolicySpec podSelector:meta.LabelSelector ingress:[NetworkPolicyIngressRule] egress:[NetworkPolicyEgressRule]
  policyTypes:[PolicyType]
ParentReference group:s resource:s?! namespace:s name:s?!
= s PathType() PolicyType(Egress|Ingress)
ServiceBackendPort# name:s number:i
ServiceCIDR ...TypeMeta metadata:meta.ObjectMeta spec:ServiceCIDRSpec status:ServiceCIDRStatus
ServiceCIDRList ...TypeMeta metadata:meta.ListMeta items:[ServiceCIDR]!
ServiceCIDRSpec cidrs(CIDRs):[s]
ServiceCIDRStatus conditions:[meta.Condition]@type~
package networking/v1beta1 networking.k8s.io io.k8s.api.networking.v1beta1 off
HTTPIngressPath path:s 3pathType:*PathType 2backend:IngressBackend!
HTTPIngressRuleValue paths:[HTTPIngressPath]!
IPAddress ...TypeMeta metadata:meta.ObjectMeta spec:IPAddressSpec
IPAddressList ...TypeMeta metadata:meta.ListMeta items:[IPAddress]!
IPAddressSpec parentRef:*ParentReference?!
Ingress ...TypeMeta metadata:meta.ObjectMeta spec:IngressSpec status:IngressStatus
IngressBackend serviceName:s servicePort:is resource:*core.TypedLocalObjectReference
IngressClass ...TypeMeta metadata:meta.ObjectMeta spec:IngressClassSpec
IngressClassList ...TypeMeta metadata:meta.ListMeta items:[IngressClass]!
IngressClassParametersReference apiGroup(APIGroup):*s kind:s! name:s! scope:*s! namespace:*s
IngressClassSpec controller:s parameters:*IngressClassParametersReference
IngressList ...TypeMeta metadata:meta.ListMeta items:[Ingress]!
IngressLoadBalancerIngress ip(IP):s hostname:s 4ports:[IngressPortStatus]
IngressLoadBalancerStatus ingress:[IngressLoadBalancerIngress]
IngressPortStatus port:i! protocol:core.Protocol! error:*s
IngressRule host:s ...IngressRuleValue
IngressRuleValue http(HTTP):*HTTPIngressRuleValue
IngressSpec 4ingressClassName:*s 1backend:*IngressBackend tls(TLS):[IngressTLS] rules:[IngressRule]
IngressStatus loadBalancer:IngressLoadBalancerStatus
IngressTLS hosts:[s] secretName:s
ParentReference group:s resource:s?! namespace:s name:s?!
= s PathType
ServiceCIDR ...TypeMeta metadata:meta.ObjectMeta spec:ServiceCIDRSpec status:ServiceCIDRStatus
ServiceCIDRList ...TypeMeta metadata:meta.ListMeta items:[ServiceCIDR]!
ServiceCIDRSpec cidrs(CIDRs):[s]
ServiceCIDRStatus conditions:[meta.Condition]@type~
package node node.k8s.io io.k8s.api.node.v1
Overhead podFixed:core.ResourceList
RuntimeClass ...TypeMeta metadata:meta.ObjectMeta handler:s! overhead:*Overhead scheduling:*Scheduling
RuntimeClassList ...TypeMeta metadata:meta.ListMeta items:[RuntimeClass]!
Scheduling nodeSelector:{s}# tolerations:[core.Toleration]
package policy policy io.k8s.api.policy.v1
Eviction ...TypeMeta metadata:meta.ObjectMeta deleteOptions:*meta.DeleteOptions
PodDisruptionBudget ...TypeMeta metadata:meta.ObjectMeta spec:PodDisruptionBudgetSpec status:PodDisruptionBudgetStatus
PodDisruptionBudgetList ...TypeMeta metadata:meta.ListMeta items:[PodDisruptionBudget]!
PodDisruptionBudgetSpec minAvailable:*is selector:*meta.LabelSelector= maxUnavailable:*is
  unhealthyPodEvictionPolicy:*UnhealthyPodEvictionPolicyType
PodDisruptionBudgetStatus observedGeneration:l disruptedPods:{t} disruptionsAllowed:i! currentHealthy:i!
  desiredHealthy:i! expectedPods:i! conditions:[meta.Condition]@type~
= s UnhealthyPodEvictionPolicyType(AlwaysAllow|IfHealthyBudget)
package rbac rbac.authorization.k8s.io io.k8s.api.rbac.v1
AggregationRule clusterRoleSelectors:[meta.LabelSelector]
ClusterRole ...TypeMeta metadata:meta.ObjectMeta rules:[PolicyRule]!? aggregationRule:*AggregationRule
ClusterRoleBinding ...TypeMeta metadata:meta.ObjectMeta subjects:[Subject] roleRef:RoleRef!
ClusterRoleBindingList ...TypeMeta metadata:meta.ListMeta items:[ClusterRoleBinding]!
ClusterRoleList ...TypeMeta metadata:meta.ListMeta items:[ClusterRole]!
PolicyRule verbs:[s]! apiGroups(APIGroups):[s] resources:[s] resourceNames:[s] nonResourceURLs:[s]
Role ...TypeMeta metadata:meta.ObjectMeta rules:[PolicyRule]!?
RoleBinding ...TypeMeta metadata:meta.ObjectMeta subjects:[Subject] roleRef:RoleRef!
RoleBindingList ...TypeMeta metadata:meta.ListMeta items:[RoleBinding]!
RoleList ...TypeMeta metadata:meta.ListMeta items:[Role]!
RoleRef# apiGroup(APIGroup):s! kind:s! name:s!
Subject# kind:s! apiGroup(APIGroup):s name:s! namespace:s
package resource resource.k8s.io io.k8s.api.resource.v1
AllocatedDeviceStatus driver:s! pool:s! device:s! 7shareID:*s 4conditions:[meta.Condition]!?@type data:*j#
  networkData:*NetworkDeviceData
= s AllocationConfigSource DeviceAllocationMode DeviceTaintEffect(NoExecute|NoSchedule)
  DeviceTolerationOperator(Equal|Exists) FullyQualifiedName QualifiedName
AllocationResult devices:DeviceAllocationResult 3nodeSelector:*core.NodeSelector 5allocationTimestamp:*t
CELDeviceSelector expression:s!
CapacityRequestPolicy default:*q!? 3validValues:[q] validRange:*CapacityRequestPolicyRange
CapacityRequestPolicyRange min:*q?! max:*q step:*q
CapacityRequirements requests:{QualifiedName:q}
Counter value:q!
CounterSet name:s! counters:{Counter}?!
Device name:s! attributes:{QualifiedName:DeviceAttribute} capacity:{QualifiedName:DeviceCapacity}
  consumesCounters:[DeviceCounterConsumption] nodeName:*s nodeSelector:*core.NodeSelector allNodes:*b
  taints:[DeviceTaint] bindsToNode:*b bindingConditions:[s] bindingFailureConditions:[s] allowMultipleAllocations:*b
DeviceAllocationConfiguration source:AllocationConfigSource! requests:[s] ...DeviceConfiguration
DeviceAllocationResult results:[DeviceRequestAllocationResult] config:[DeviceAllocationConfiguration]
DeviceAttribute 2int(IntValue):*l bool(BoolValue):*b string(StringValue):*s version(VersionValue):*s
DeviceCapacity value:q! requestPolicy:*CapacityRequestPolicy
DeviceClaim requests:[DeviceRequest]!? constraints:[DeviceConstraint] config:[DeviceClaimConfiguration]
DeviceClaimConfiguration requests:[s] ...DeviceConfiguration
DeviceClass ...TypeMeta metadata:meta.ObjectMeta spec:DeviceClassSpec!
DeviceClassConfiguration ...DeviceConfiguration
DeviceClassList ...TypeMeta metadata:meta.ListMeta items:[DeviceClass]!
DeviceClassSpec selectors:[DeviceSelector] config:[DeviceClassConfiguration] 4extendedResourceName:*s
DeviceConfiguration opaque:*OpaqueDeviceConfiguration
DeviceConstraint requests:[s] matchAttribute:*FullyQualifiedName distinctAttribute:*FullyQualifiedName
DeviceCounterConsumption counterSet:s! counters:{Counter}?!
DeviceRequest name:s! exactly:*ExactDeviceRequest firstAvailable:[DeviceSubRequest]
DeviceRequestAllocationResult request:s! driver:s! pool:s! device:s! adminAccess:*b tolerations:[DeviceToleration]
  bindingConditions:[s] bindingFailureConditions:[s] shareID:*types.UID consumedCapacity:{QualifiedName:q}
DeviceSelector cel(CEL):*CELDeviceSelector
DeviceSubRequest name:s! deviceClassName:s! selectors:[DeviceSelector] allocationMode:DeviceAllocationMode count:l
  tolerations:[DeviceToleration] capacity:*CapacityRequirements
DeviceTaint key:s! value:s effect:DeviceTaintEffect! timeAdded:*t
DeviceToleration key:s operator:DeviceTolerationOperator value:s effect:DeviceTaintEffect tolerationSeconds:*l
ExactDeviceRequest deviceClassName:s! selectors:[DeviceSelector] allocationMode:DeviceAllocationMode count:l
  adminAccess:*b tolerations:[DeviceToleration] capacity:*CapacityRequirements
NetworkDeviceData interfaceName:s ips(IPs):[s] hardwareAddress:s
OpaqueDeviceConfiguration driver:s! parameters:j!#
ResourceClaim ...TypeMeta metadata:meta.ObjectMeta spec:ResourceClaimSpec! status:ResourceClaimStatus
ResourceClaimConsumerReference apiGroup(APIGroup):s 3resource:s! name:s! uid(UID):types.UID!
ResourceClaimList ...TypeMeta metadata:meta.ListMeta items:[ResourceClaim]!
ResourceClaimSpec devices:DeviceClaim
ResourceClaimStatus allocation:*AllocationResult reservedFor:[ResourceClaimConsumerReference]@uid~
  4devices:[AllocatedDeviceStatus]@driver,device,pool,shareID
ResourceClaimTemplate ...TypeMeta metadata:meta.ObjectMeta spec:ResourceClaimTemplateSpec!
ResourceClaimTemplateList ...TypeMeta metadata:meta.ListMeta items:[ResourceClaimTemplate]!
ResourceClaimTemplateSpec metadata:meta.ObjectMeta spec:ResourceClaimSpec!
ResourcePool name:s! generation:l! resourceSliceCount:l!
ResourceSlice ...TypeMeta metadata:meta.ObjectMeta spec:ResourceSliceSpec!
ResourceSliceList ...TypeMeta metadata:meta.ListMeta items:[ResourceSlice]!
ResourceSliceSpec driver:s! pool:ResourcePool! nodeName:*s nodeSelector:*core.NodeSelector allNodes:*b
  devices:[Device]!? perDeviceNodeSelection:*b sharedCounters:[CounterSet]
package resource/v1alpha3 resource.k8s.io io.k8s.api.resource.v1alpha3 off
CELDeviceSelector expression:s!
DeviceSelector cel(CEL):*CELDeviceSelector
DeviceTaint key:s! value:s effect:DeviceTaintEffect! timeAdded:*t
= s DeviceTaintEffect(NoExecute|NoSchedule)
DeviceTaintRule ...TypeMeta metadata:meta.ObjectMeta spec:DeviceTaintRuleSpec!
DeviceTaintRuleList ...TypeMeta metadata:meta.ListMeta items:[DeviceTaintRule]!
DeviceTaintRuleSpec deviceSelector:*DeviceTaintSelector taint:DeviceTaint?!
DeviceTaintSelector deviceClassName:*s driver:*s pool:*s device:*s selectors:[DeviceSelector]
package resource/v1beta1 resource.k8s.io io.k8s.api.resource.v1beta1 off
AllocatedDeviceStatus driver:s! pool:s! device:s! 7shareID:*s 4conditions:[meta.Condition]!?@type data:*j#
  networkData:*NetworkDeviceData
= s AllocationConfigSource DeviceAllocationMode DeviceTaintEffect(NoExecute|NoSchedule)
  DeviceTolerationOperator(Equal|Exists) FullyQualifiedName QualifiedName
AllocationResult devices:DeviceAllocationResult 3nodeSelector:*core.NodeSelector 5allocationTimestamp:*t
BasicDevice attributes:{QualifiedName:DeviceAttribute} capacity:{QualifiedName:DeviceCapacity}
  consumesCounters:[DeviceCounterConsumption] nodeName:*s nodeSelector:*core.NodeSelector allNodes:*b
  taints:[DeviceTaint] bindsToNode:*b bindingConditions:[s] bindingFailureConditions:[s] allowMultipleAllocations:*b
CELDeviceSelector expression:s!
CapacityRequestPolicy default:*q!? 3validValues:[q] validRange:*CapacityRequestPolicyRange
CapacityRequestPolicyRange min:*q?! max:*q step:*q
CapacityRequirements requests:{QualifiedName:q}
Counter value:q!
CounterSet name:s! counters:{Counter}?!
Device name:s! basic:*BasicDevice
DeviceAllocationConfiguration source:AllocationConfigSource! requests:[s] ...DeviceConfiguration
DeviceAllocationResult results:[DeviceRequestAllocationResult] config:[DeviceAllocationConfiguration]
DeviceAttribute 2int(IntValue):*l bool(BoolValue):*b string(StringValue):*s version(VersionValue):*s
DeviceCapacity value:q! requestPolicy:*CapacityRequestPolicy
DeviceClaim requests:[DeviceRequest]!? constraints:[DeviceConstraint] config:[DeviceClaimConfiguration]
DeviceClaimConfiguration requests:[s] ...DeviceConfiguration
DeviceClass ...TypeMeta metadata:meta.ObjectMeta spec:DeviceClassSpec!
DeviceClassConfiguration ...DeviceConfiguration
DeviceClassList ...TypeMeta metadata:meta.ListMeta items:[DeviceClass]!
DeviceClassSpec selectors:[DeviceSelector] config:[DeviceClassConfiguration] 4extendedResourceName:*s
DeviceConfiguration opaque:*OpaqueDeviceConfiguration
DeviceConstraint requests:[s] matchAttribute:*FullyQualifiedName distinctAttribute:*FullyQualifiedName
DeviceCounterConsumption counterSet:s! counters:{Counter}?!
DeviceRequest name:s! deviceClassName:s!? selectors:[DeviceSelector] allocationMode:DeviceAllocationMode count:l
  adminAccess:*b firstAvailable:[DeviceSubRequest] tolerations:[DeviceToleration] capacity:*CapacityRequirements
DeviceRequestAllocationResult request:s! driver:s! pool:s! device:s! adminAccess:*b tolerations:[DeviceToleration]
  bindingConditions:[s] bindingFailureConditions:[s] shareID:*types.UID consumedCapacity:{QualifiedName:q}
DeviceSelector cel(CEL):*CELDeviceSelector
DeviceSubRequest name:s! deviceClassName:s! selectors:[DeviceSelector] allocationMode:DeviceAllocationMode count:l
  7tolerations:[DeviceToleration] capacity:*CapacityRequirements
DeviceTaint key:s! value:s effect:DeviceTaintEffect! timeAdded:*t
DeviceToleration key:s operator:DeviceTolerationOperator value:s effect:DeviceTaintEffect tolerationSeconds:*l
NetworkDeviceData interfaceName:s ips(IPs):[s] hardwareAddress:s
OpaqueDeviceConfiguration driver:s! parameters:j!#
ResourceClaim ...TypeMeta metadata:meta.ObjectMeta spec:ResourceClaimSpec! status:ResourceClaimStatus
ResourceClaimConsumerReference apiGroup(APIGroup):s 3resource:s! name:s! uid(UID):types.UID!
ResourceClaimList ...TypeMeta metadata:meta.ListMeta items:[ResourceClaim]!
ResourceClaimSpec devices:DeviceClaim
ResourceClaimStatus allocation:*AllocationResult reservedFor:[ResourceClaimConsumerReference]@uid~
  4devices:[AllocatedDeviceStatus]@driver,device,pool,shareID
ResourceClaimTemplate ...TypeMeta metadata:meta.ObjectMeta spec:ResourceClaimTemplateSpec!
ResourceClaimTemplateList ...TypeMeta metadata:meta.ListMeta items:[ResourceClaimTemplate]!
ResourceClaimTemplateSpec metadata:meta.ObjectMeta spec:ResourceClaimSpec!
ResourcePool name:s! generation:l! resourceSliceCount:l!
ResourceSlice ...TypeMeta metadata:meta.ObjectMeta spec:ResourceSliceSpec!
ResourceSliceList ...TypeMeta metadata:meta.ListMeta items:[ResourceSlice]!
ResourceSliceSpec driver:s! pool:ResourcePool! nodeName:s nodeSelector:*core.NodeSelector allNodes:b devices:[Device]!?
  perDeviceNodeSelection:*b sharedCounters:[CounterSet]
package resource/v1beta2 resource.k8s.io io.k8s.api.resource.v1beta2 off
AllocatedDeviceStatus driver:s! pool:s! device:s! 7shareID:*s 4conditions:[meta.Condition]!?@type data:*j#
  networkData:*NetworkDeviceData
= s AllocationConfigSource DeviceAllocationMode DeviceTaintEffect(NoExecute|NoSchedule)
  DeviceTolerationOperator(Equal|Exists) FullyQualifiedName QualifiedName
AllocationResult devices:DeviceAllocationResult 3nodeSelector:*core.NodeSelector 5allocationTimestamp:*t
CELDeviceSelector expression:s!
CapacityRequestPolicy default:*q!? 3validValues:[q] validRange:*CapacityRequestPolicyRange
CapacityRequestPolicyRange min:*q?! max:*q step:*q
CapacityRequirements requests:{QualifiedName:q}
Counter value:q!
CounterSet name:s! counters:{Counter}?!
Device name:s! attributes:{QualifiedName:DeviceAttribute} capacity:{QualifiedName:DeviceCapacity}
  consumesCounters:[DeviceCounterConsumption] nodeName:*s nodeSelector:*core.NodeSelector allNodes:*b
  taints:[DeviceTaint] bindsToNode:*b bindingConditions:[s] bindingFailureConditions:[s] allowMultipleAllocations:*b
DeviceAllocationConfiguration source:AllocationConfigSource! requests:[s] ...DeviceConfiguration
DeviceAllocationResult results:[DeviceRequestAllocationResult] config:[DeviceAllocationConfiguration]
DeviceAttribute 2int(IntValue):*l bool(BoolValue):*b string(StringValue):*s version(VersionValue):*s
DeviceCapacity value:q! requestPolicy:*CapacityRequestPolicy
DeviceClaim requests:[DeviceRequest]!? constraints:[DeviceConstraint] config:[DeviceClaimConfiguration]
DeviceClaimConfiguration requests:[s] ...DeviceConfiguration
DeviceClass ...TypeMeta metadata:meta.ObjectMeta spec:DeviceClassSpec!
DeviceClassConfiguration ...DeviceConfiguration
DeviceClassList ...TypeMeta metadata:meta.ListMeta items:[DeviceClass]!
DeviceClassSpec selectors:[DeviceSelector] config:[DeviceClassConfiguration] 4extendedResourceName:*s
DeviceConfiguration opaque:*OpaqueDeviceConfiguration
DeviceConstraint requests:[s] matchAttribute:*FullyQualifiedName distinctAttribute:*FullyQualifiedName
DeviceCounterConsumption counterSet:s! counters:{Counter}?!
DeviceRequest name:s! exactly:*ExactDeviceRequest firstAvailable:[DeviceSubRequest]
DeviceRequestAllocationResult request:s! driver:s! pool:s! device:s! adminAccess:*b tolerations:[DeviceToleration]
  bindingConditions:[s] bindingFailureConditions:[s] shareID:*types.UID consumedCapacity:{QualifiedName:q}
DeviceSelector cel(CEL):*CELDeviceSelector
DeviceSubRequest name:s! deviceClassName:s! selectors:[DeviceSelector] allocationMode:DeviceAllocationMode count:l
  tolerations:[DeviceToleration] capacity:*CapacityRequirements
DeviceTaint key:s! value:s effect:DeviceTaintEffect! timeAdded:*t
DeviceToleration key:s operator:DeviceTolerationOperator value:s effect:DeviceTaintEffect tolerationSeconds:*l
ExactDeviceRequest deviceClassName:s! selectors:[DeviceSelector] allocationMode:DeviceAllocationMode count:l
  adminAccess:*b tolerations:[DeviceToleration] capacity:*CapacityRequirements
NetworkDeviceData interfaceName:s ips(IPs):[s] hardwareAddress:s
OpaqueDeviceConfiguration driver:s! parameters:j!#
ResourceClaim ...TypeMeta metadata:meta.ObjectMeta spec:ResourceClaimSpec! status:ResourceClaimStatus
ResourceClaimConsumerReference apiGroup(APIGroup):s 3resource:s! name:s! uid(UID):types.UID!
ResourceClaimList ...TypeMeta metadata:meta.ListMeta items:[ResourceClaim]!
ResourceClaimSpec devices:DeviceClaim
ResourceClaimStatus allocation:*AllocationResult reservedFor:[ResourceClaimConsumerReference]@uid~
  4devices:[AllocatedDeviceStatus]@driver,device,pool,shareID
ResourceClaimTemplate ...TypeMeta metadata:meta.ObjectMeta spec:ResourceClaimTemplateSpec!
ResourceClaimTemplateList ...TypeMeta metadata:meta.ListMeta items:[ResourceClaimTemplate]!
ResourceClaimTemplateSpec metadata:meta.ObjectMeta spec:ResourceClaimSpec!
ResourcePool name:s! generation:l! resourceSliceCount:l!
ResourceSlice ...TypeMeta metadata:meta.ObjectMeta spec:ResourceSliceSpec!
ResourceSliceList ...TypeMeta metadata:meta.ListMeta items:[ResourceSlice]!
ResourceSliceSpec driver:s! pool:ResourcePool! nodeName:*s nodeSelector:*core.NodeSelector allNodes:*b
  devices:[Device]!? perDeviceNodeSelection:*b sharedCounters:[CounterSet]
package scheduling scheduling.k8s.io io.k8s.api.scheduling.v1
PriorityClass ...TypeMeta metadata:meta.ObjectMeta value:i! globalDefault:b description:s
  preemptionPolicy:*core.PreemptionPolicy
PriorityClassList ...TypeMeta metadata:meta.ListMeta items:[PriorityClass]!
package storage storage.k8s.io io.k8s.api.storage.v1
CSIDriver ...TypeMeta metadata:meta.ObjectMeta spec:CSIDriverSpec!
CSIDriverList ...TypeMeta metadata:meta.ListMeta items:[CSIDriver]!
CSIDriverSpec attachRequired:*b podInfoOnMount:*b volumeLifecycleModes:[VolumeLifecycleMode]= storageCapacity:*b
  fsGroupPolicy(FSGroupPolicy):*FSGroupPolicy tokenRequests:[TokenRequest] requiresRepublish:*b
  seLinuxMount(SELinuxMount):*b nodeAllocatableUpdatePeriodSeconds:*l
CSINode ...TypeMeta metadata:meta.ObjectMeta spec:CSINodeSpec!
CSINodeDriver name:s! nodeID:s! topologyKeys:[s]!? allocatable:*VolumeNodeResources
CSINodeList ...TypeMeta metadata:meta.ListMeta items:[CSINode]!
CSINodeSpec drivers:[CSINodeDriver]!@name~
CSIStorageCapacity ...TypeMeta metadata:meta.ObjectMeta nodeTopology:*meta.LabelSelector storageClassName:s! capacity:*q
  maximumVolumeSize:*q
CSIStorageCapacityList ...TypeMeta metadata:meta.ListMeta items:[CSIStorageCapacity]!
= s FSGroupPolicy VolumeBindingMode(Immediate|WaitForFirstConsumer) VolumeLifecycleMode
StorageClass ...TypeMeta metadata:meta.ObjectMeta provisioner:s! parameters:{s}
  reclaimPolicy:*core.PersistentVolumeReclaimPolicy mountOptions:[s] allowVolumeExpansion:*b
  volumeBindingMode:*VolumeBindingMode allowedTopologies:[core.TopologySelectorTerm]
StorageClassList ...TypeMeta metadata:meta.ListMeta items:[StorageClass]!
TokenRequest audience:s! expirationSeconds:*l
VolumeAttachment ...TypeMeta metadata:meta.ObjectMeta spec:VolumeAttachmentSpec! status:VolumeAttachmentStatus
VolumeAttachmentList ...TypeMeta metadata:meta.ListMeta items:[VolumeAttachment]!
VolumeAttachmentSource persistentVolumeName:*s inlineVolumeSpec:*core.PersistentVolumeSpec
VolumeAttachmentSpec attacher:s! source:VolumeAttachmentSource! nodeName:s!
VolumeAttachmentStatus attached:b! attachmentMetadata:{s} attachError:*VolumeError detachError:*VolumeError
VolumeAttributesClass ...TypeMeta metadata:meta.ObjectMeta driverName:s! parameters:{s}
VolumeAttributesClassList ...TypeMeta metadata:meta.ListMeta items:[VolumeAttributesClass]!
VolumeError time:t message:s errorCode:*i
VolumeNodeResources count:*i
package storage/v1alpha1 storage.k8s.io io.k8s.api.storage.v1alpha1 off
CSIStorageCapacity ...TypeMeta metadata:meta.ObjectMeta nodeTopology:*meta.LabelSelector storageClassName:s! capacity:*q
  maximumVolumeSize:*q
CSIStorageCapacityList ...TypeMeta metadata:meta.ListMeta items:[CSIStorageCapacity]!
VolumeAttachment ...TypeMeta metadata:meta.ObjectMeta spec:VolumeAttachmentSpec! status:VolumeAttachmentStatus
VolumeAttachmentList ...TypeMeta metadata:meta.ListMeta items:[VolumeAttachment]!
VolumeAttachmentSource persistentVolumeName:*s inlineVolumeSpec:*core.PersistentVolumeSpec
VolumeAttachmentSpec attacher:s! source:VolumeAttachmentSource! nodeName:s!
VolumeAttachmentStatus attached:b! attachmentMetadata:{s} attachError:*VolumeError detachError:*VolumeError
VolumeAttributesClass ...TypeMeta metadata:meta.ObjectMeta driverName:s! parameters:{s}
VolumeAttributesClassList ...TypeMeta metadata:meta.ListMeta items:[VolumeAttributesClass]!
VolumeError time:t message:s errorCode:*i
package storage/v1beta1 storage.k8s.io io.k8s.api.storage.v1beta1 off
CSIDriver ...TypeMeta metadata:meta.ObjectMeta spec:CSIDriverSpec!
CSIDriverList ...TypeMeta metadata:meta.ListMeta items:[CSIDriver]!
CSIDriverSpec attachRequired:*b podInfoOnMount:*b volumeLifecycleModes:[VolumeLifecycleMode] storageCapacity:*b
  fsGroupPolicy(FSGroupPolicy):*FSGroupPolicy tokenRequests:[TokenRequest] requiresRepublish:*b
  seLinuxMount(SELinuxMount):*b nodeAllocatableUpdatePeriodSeconds:*l
CSINode ...TypeMeta metadata:meta.ObjectMeta spec:CSINodeSpec!
CSINodeDriver name:s! nodeID:s! topologyKeys:[s]!? allocatable:*VolumeNodeResources
CSINodeList ...TypeMeta metadata:meta.ListMeta items:[CSINode]!
CSINodeSpec drivers:[CSINodeDriver]!@name~
CSIStorageCapacity ...TypeMeta metadata:meta.ObjectMeta nodeTopology:*meta.LabelSelector storageClassName:s! capacity:*q
  maximumVolumeSize:*q
CSIStorageCapacityList ...TypeMeta metadata:meta.ListMeta items:[CSIStorageCapacity]!
= s FSGroupPolicy VolumeBindingMode VolumeLifecycleMode
StorageClass ...TypeMeta metadata:meta.ObjectMeta provisioner:s! parameters:{s}
  reclaimPolicy:*core.PersistentVolumeReclaimPolicy mountOptions:[s] allowVolumeExpansion:*b
  volumeBindingMode:*VolumeBindingMode allowedTopologies:[core.TopologySelectorTerm]
StorageClassList ...TypeMeta metadata:meta.ListMeta items:[StorageClass]!
TokenRequest audience:s! expirationSeconds:*l
VolumeAttachment ...TypeMeta metadata:meta.ObjectMeta spec:VolumeAttachmentSpec! status:VolumeAttachmentStatus
VolumeAttachmentList ...TypeMeta metadata:meta.ListMeta items:[VolumeAttachment]!
VolumeAttachmentSource persistentVolumeName:*s inlineVolumeSpec:*core.PersistentVolumeSpec
VolumeAttachmentSpec attacher:s! source:VolumeAttachmentSource! nodeName:s!
VolumeAttachmentStatus attached:b! attachmentMetadata:{s} attachError:*VolumeError detachError:*VolumeError
VolumeAttributesClass ...TypeMeta metadata:meta.ObjectMeta driverName:s! parameters:{s}
VolumeAttributesClassList ...TypeMeta metadata:meta.ListMeta items:[VolumeAttributesClass]!
VolumeError time:t message:s errorCode:*i
VolumeNodeResources count:*i
package storagemigration/v1alpha1 storagemigration.k8s.io io.k8s.api.storagemigration.v1alpha1 off
GroupVersionResource group:s version:s resource:s
MigrationCondition type:MigrationConditionType! status:core.ConditionStatus! lastUpdateTime:t reason:s message:s
= s MigrationConditionType
StorageVersionMigration ...TypeMeta metadata:meta.ObjectMeta spec:StorageVersionMigrationSpec
  status:StorageVersionMigrationStatus
StorageVersionMigrationList ...TypeMeta metadata:meta.ListMeta items:[StorageVersionMigration]!@type~
StorageVersionMigrationSpec resource:GroupVersionResource! continueToken:s
StorageVersionMigrationStatus conditions:[MigrationCondition]@type~ resourceVersion:s
package apiextensions apiextensions.k8s.io io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1
= s ConditionStatus ConversionStrategyType CustomResourceDefinitionConditionType
  FieldValueErrorReason(FieldValueDuplicate|FieldValueForbidden|FieldValueInvalid|FieldValueRequired) JSONSchemaURL
  ResourceScope
ConversionRequest uid(UID):types.UID! desiredAPIVersion:s! objects:[j]!
ConversionResponse uid(UID):types.UID! convertedObjects:[j]! result:meta.Status!
ConversionReview ...TypeMeta request:*ConversionRequest response:*ConversionResponse
CustomResourceColumnDefinition name:s! type:s! format:s description:s priority:i jsonPath(JSONPath):s!
CustomResourceConversion strategy:ConversionStrategyType! webhook:*WebhookConversion
CustomResourceDefinition ...TypeMeta metadata:meta.ObjectMeta spec:CustomResourceDefinitionSpec!
  status:CustomResourceDefinitionStatus
CustomResourceDefinitionCondition type:CustomResourceDefinitionConditionType! status:ConditionStatus!
  lastTransitionTime:t reason:s message:s
CustomResourceDefinitionList ...TypeMeta metadata:meta.ListMeta items:[CustomResourceDefinition]!
CustomResourceDefinitionNames plural:s! singular:s shortNames:[s] kind:s! listKind:s categories:[s]
CustomResourceDefinitionSpec group:s! 3names:CustomResourceDefinitionNames! scope:ResourceScope!
  7versions:[CustomResourceDefinitionVersion]! 9conversion:*CustomResourceConversion preserveUnknownFields:b
CustomResourceDefinitionStatus conditions:[CustomResourceDefinitionCondition]!?@type
  acceptedNames:CustomResourceDefinitionNames storedVersions:[s]!?
CustomResourceDefinitionVersion name:s! served:b! storage:b! 7deprecated:b deprecationWarning:*s
  4schema:*CustomResourceValidation subresources:*CustomResourceSubresources
  additionalPrinterColumns:[CustomResourceColumnDefinition] 9selectableFields:[SelectableField]
CustomResourceSubresourceScale specReplicasPath:s! statusReplicasPath:s! labelSelectorPath:*s
CustomResourceSubresourceStatus
CustomResourceSubresources status:*CustomResourceSubresourceStatus scale:*CustomResourceSubresourceScale
CustomResourceValidation openAPIV3Schema:*JSONSchemaProps
ExternalDocumentation description:s url(URL):s
= {JSONSchemaProps} JSONSchemaDefinitions
= {JSONSchemaPropsOrStringArray} JSONSchemaDependencies
JSONSchemaProps id(ID):s $schema(Schema):JSONSchemaURL $ref(Ref):*s description:s type:s format:s title:s default:*j
  maximum:*f exclusiveMaximum:b minimum:*f exclusiveMinimum:b maxLength:*l minLength:*l pattern:s maxItems:*l
  minItems:*l uniqueItems:b multipleOf:*f enum:[j] maxProperties:*l minProperties:*l required:[s]
  items:*JSONSchemaPropsOrArray allOf:[JSONSchemaProps] oneOf:[JSONSchemaProps] anyOf:[JSONSchemaProps]
  not:*JSONSchemaProps properties:{JSONSchemaProps} additionalProperties:*JSONSchemaPropsOrBool
  patternProperties:{JSONSchemaProps} dependencies:JSONSchemaDependencies additionalItems:*JSONSchemaPropsOrBool
  definitions:JSONSchemaDefinitions externalDocs:*ExternalDocumentation example:*j nullable:b
  x-kubernetes-preserve-unknown-fields(XPreserveUnknownFields):*b x-kubernetes-embedded-resource(XEmbeddedResource):b
  x-kubernetes-int-or-string(XIntOrString):b x-kubernetes-list-map-keys(XListMapKeys):[s]
  x-kubernetes-list-type(XListType):*s x-kubernetes-map-type(XMapType):*s
  x-kubernetes-validations(XValidations):ValidationRules@rule~
= |array:JSONSchemaProps JSONSchemaPropsOrArray
= |bool:JSONSchemaProps JSONSchemaPropsOrBool
= |strings:JSONSchemaProps JSONSchemaPropsOrStringArray
SelectableField jsonPath(JSONPath):s!
ServiceReference namespace:s! name:s! path:*s port:*i
ValidationRule rule:s! message:s messageExpression:s reason:*FieldValueErrorReason fieldPath:s optionalOldSelf:*b
= [ValidationRule] ValidationRules
WebhookClientConfig 3url(URL):*s 1service:*ServiceReference caBundle(CABundle):by
WebhookConversion 2clientConfig:*WebhookClientConfig conversionReviewVersions:[s]!
package apiregistration apiregistration.k8s.io io.k8s.kube-aggregator.pkg.apis.apiregistration.v1
APIService ...TypeMeta metadata:meta.ObjectMeta spec:APIServiceSpec status:APIServiceStatus
APIServiceCondition type:APIServiceConditionType! status:ConditionStatus! lastTransitionTime:t reason:s message:s
= s APIServiceConditionType ConditionStatus
APIServiceList ...TypeMeta metadata:meta.ListMeta items:[APIService]!
APIServiceSpec service:*ServiceReference group:s version:s insecureSkipTLSVerify:b caBundle(CABundle):by
  7groupPriorityMinimum:i! versionPriority:i!
APIServiceStatus conditions:[APIServiceCondition]@type~
ServiceReference namespace:s name:s port:*i
`
