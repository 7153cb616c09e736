// Written by `npm run generate -- v1.34.11`; do not edit. The notation is explained in src/api/schema/type-table.ts.

/** The types of v1.34.11, from the package meta on. */
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
= admissionregistration.OperationType OperationType(*|CONNECT|CREATE|DELETE|UPDATE)
ParamKind# apiVersion(APIVersion):s kind:s
ParamRef# name:s namespace:s selector:*meta.LabelSelector parameterNotFoundAction:*ParameterNotFoundActionType
= admissionregistration.ReinvocationPolicyType ReinvocationPolicyType(IfNeeded|Never)
= admissionregistration.Rule Rule
= admissionregistration.RuleWithOperations RuleWithOperations
= admissionregistration.ScopeType ScopeType(*|Cluster|Namespaced)
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
= admissionregistration.OperationType OperationType(*|CONNECT|CREATE|DELETE|UPDATE)
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
`
