// The notation is explained in parse-types.ts.

/** admissionregistration.k8s.io/v1 (v1.36). */
export const admissionregistrationTypes = `
= s ReinvocationPolicyType ValidationAction ParameterNotFoundActionType PatchType MatchPolicyType OperationType
= s FailurePolicyType SideEffectClass ScopeType
ValidatingWebhookConfiguration ...TypeMeta metadata:meta.ObjectMeta webhooks:[ValidatingWebhook]@name~name
ValidatingWebhook name:s! clientConfig:WebhookClientConfig! rules:[RuleWithOperations] failurePolicy:*FailurePolicyType
  matchPolicy:*MatchPolicyType namespaceSelector:*meta.LabelSelector objectSelector:*meta.LabelSelector
  sideEffects:*SideEffectClass! timeoutSeconds:*i admissionReviewVersions:[s]! matchConditions:[MatchCondition]@name~name
MutatingWebhookConfiguration ...TypeMeta metadata:meta.ObjectMeta webhooks:[MutatingWebhook]@name~name
MutatingWebhook name:s! clientConfig:WebhookClientConfig! rules:[RuleWithOperations] failurePolicy:*FailurePolicyType
  matchPolicy:*MatchPolicyType namespaceSelector:*meta.LabelSelector objectSelector:*meta.LabelSelector
  sideEffects:*SideEffectClass! timeoutSeconds:*i admissionReviewVersions:[s]!
  reinvocationPolicy:*ReinvocationPolicyType matchConditions:[MatchCondition]@name~name
WebhookClientConfig url:*s service:*ServiceReference caBundle:by
ServiceReference namespace:s! name:s! path:*s port:*i
RuleWithOperations operations:[OperationType] ...Rule
Rule apiGroups:[s] apiVersions:[s] resources:[s] scope:*ScopeType
MatchCondition name:s! expression:s!
ValidatingAdmissionPolicy ...TypeMeta metadata:meta.ObjectMeta spec:ValidatingAdmissionPolicySpec
  status:ValidatingAdmissionPolicyStatus
ValidatingAdmissionPolicySpec paramKind:*ParamKind matchConstraints:*MatchResources validations:[Validation]
  failurePolicy:*FailurePolicyType auditAnnotations:[AuditAnnotation] matchConditions:[MatchCondition]@name~name
  variables:[Variable]@name~name
ParamKind# apiVersion:s kind:s
MatchResources# namespaceSelector:*meta.LabelSelector objectSelector:*meta.LabelSelector
  resourceRules:[NamedRuleWithOperations] excludeResourceRules:[NamedRuleWithOperations] matchPolicy:*MatchPolicyType
NamedRuleWithOperations# resourceNames:[s] ...RuleWithOperations
Validation expression:s! message:s reason:*meta.StatusReason messageExpression:s
AuditAnnotation key:s! valueExpression:s!
Variable# name:s! expression:s!
ValidatingAdmissionPolicyStatus observedGeneration:l typeChecking:*TypeChecking conditions:[meta.Condition]@type
TypeChecking expressionWarnings:[ExpressionWarning]
ExpressionWarning fieldRef:s! warning:s!
ValidatingAdmissionPolicyBinding ...TypeMeta metadata:meta.ObjectMeta spec:ValidatingAdmissionPolicyBindingSpec?!
ValidatingAdmissionPolicyBindingSpec policyName:s?! paramRef:*ParamRef matchResources:*MatchResources
  validationActions:[ValidationAction]?!=
ParamRef# name:s namespace:s selector:*meta.LabelSelector parameterNotFoundAction:*ParameterNotFoundActionType
MutatingAdmissionPolicy ...TypeMeta metadata:meta.ObjectMeta spec:MutatingAdmissionPolicySpec
MutatingAdmissionPolicySpec paramKind:*ParamKind matchConstraints:*MatchResources variables:[Variable]
  mutations:[Mutation] failurePolicy:*FailurePolicyType matchConditions:[MatchCondition]@name~name
  reinvocationPolicy:ReinvocationPolicyType
Mutation patchType:PatchType! applyConfiguration:*ApplyConfiguration jsonPatch:*JSONPatch
ApplyConfiguration expression:s
JSONPatch expression:s
MutatingAdmissionPolicyBinding ...TypeMeta metadata:meta.ObjectMeta spec:MutatingAdmissionPolicyBindingSpec
MutatingAdmissionPolicyBindingSpec policyName:s paramRef:*ParamRef matchResources:*MatchResources
`

/** apiregistration.k8s.io/v1 (v1.36). */
export const apiregistrationTypes = `
= s ConditionStatus APIServiceConditionType
APIService ...TypeMeta metadata:meta.ObjectMeta spec:APIServiceSpec status:APIServiceStatus
APIServiceSpec service:*ServiceReference group:s version:s insecureSkipTLSVerify:b caBundle:by groupPriorityMinimum:i!
  versionPriority:i!
ServiceReference namespace:s name:s port:*i
APIServiceStatus conditions:[APIServiceCondition]@type~type
APIServiceCondition type:APIServiceConditionType! status:ConditionStatus! lastTransitionTime:t reason:s message:s
`

/** certificates.k8s.io/v1 (v1.36). */
export const certificatesTypes = `
= s KeyUsage RequestConditionType
= [s] ExtraValue
CertificateSigningRequest ...TypeMeta metadata:meta.ObjectMeta spec:CertificateSigningRequestSpec!
  status:CertificateSigningRequestStatus
CertificateSigningRequestSpec request:by! signerName:s! expirationSeconds:*i usages:[KeyUsage] username:s uid:s
  groups:[s] extra:{ExtraValue}
CertificateSigningRequestStatus conditions:[CertificateSigningRequestCondition]@type certificate:by
CertificateSigningRequestCondition type:RequestConditionType! status:core.ConditionStatus! reason:s message:s
  lastUpdateTime:t lastTransitionTime:t
`

/** flowcontrol.apiserver.k8s.io/v1 (v1.36). */
export const flowcontrolTypes = `
= s SubjectKind FlowSchemaConditionType ConditionStatus PriorityLevelEnablement LimitResponseType
= s PriorityLevelConfigurationConditionType FlowDistinguisherMethodType
FlowSchema ...TypeMeta metadata:meta.ObjectMeta spec:FlowSchemaSpec status:FlowSchemaStatus
FlowSchemaSpec priorityLevelConfiguration:PriorityLevelConfigurationReference! matchingPrecedence:i!?
  distinguisherMethod:*FlowDistinguisherMethod rules:[PolicyRulesWithSubjects]
PriorityLevelConfigurationReference name:s!
FlowDistinguisherMethod type:FlowDistinguisherMethodType!
PolicyRulesWithSubjects subjects:[Subject]! resourceRules:[ResourcePolicyRule] nonResourceRules:[NonResourcePolicyRule]
Subject kind:SubjectKind! user:*UserSubject group:*GroupSubject serviceAccount:*ServiceAccountSubject
UserSubject name:s!
GroupSubject name:s!
ServiceAccountSubject namespace:s! name:s!
ResourcePolicyRule verbs:[s]!= apiGroups:[s]!= resources:[s]!= clusterScope:b namespaces:[s]!?=
NonResourcePolicyRule verbs:[s]!= nonResourceURLs:[s]!=
FlowSchemaStatus conditions:[FlowSchemaCondition]@type~type
FlowSchemaCondition type:FlowSchemaConditionType status:ConditionStatus lastTransitionTime:t reason:s message:s
PriorityLevelConfiguration ...TypeMeta metadata:meta.ObjectMeta spec:PriorityLevelConfigurationSpec
  status:PriorityLevelConfigurationStatus
PriorityLevelConfigurationSpec type:PriorityLevelEnablement! limited:*LimitedPriorityLevelConfiguration
  exempt:*ExemptPriorityLevelConfiguration
LimitedPriorityLevelConfiguration nominalConcurrencyShares:*i!? limitResponse:LimitResponse lendablePercent:*i
  borrowingLimitPercent:*i
LimitResponse type:LimitResponseType! queuing:*QueuingConfiguration
QueuingConfiguration queues:i!? handSize:i!? queueLengthLimit:i!?
ExemptPriorityLevelConfiguration nominalConcurrencyShares:*i lendablePercent:*i
PriorityLevelConfigurationStatus conditions:[PriorityLevelConfigurationCondition]@type~type
PriorityLevelConfigurationCondition type:PriorityLevelConfigurationConditionType status:ConditionStatus
  lastTransitionTime:t reason:s message:s
`
