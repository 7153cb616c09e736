// Written by `npx vitest run test/library/kubernetes-types.test.ts -u`; do not edit.

import type { V1Condition, V1LabelSelector, V1ObjectMeta } from './meta.ts'

export interface AdmissionregistrationV1ServiceReference {
  readonly namespace: string
  readonly name: string
  readonly path?: string
  readonly port?: number
}

export interface AdmissionregistrationV1WebhookClientConfig {
  readonly url?: string
  readonly service?: AdmissionregistrationV1ServiceReference
  readonly caBundle?: string
}

export interface V1ApplyConfiguration {
  readonly expression?: string
}

export interface V1AuditAnnotation {
  readonly key: string
  readonly valueExpression: string
}

export interface V1ExpressionWarning {
  readonly fieldRef: string
  readonly warning: string
}

export interface V1JSONPatch {
  readonly expression?: string
}

export interface V1MatchCondition {
  readonly name: string
  readonly expression: string
}

export interface V1MatchResources {
  readonly namespaceSelector?: V1LabelSelector
  readonly objectSelector?: V1LabelSelector
  readonly resourceRules?: readonly V1NamedRuleWithOperations[]
  readonly excludeResourceRules?: readonly V1NamedRuleWithOperations[]
  readonly matchPolicy?: 'Equivalent' | 'Exact'
}

export interface V1MutatingAdmissionPolicy {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1MutatingAdmissionPolicySpec
}

export interface V1MutatingAdmissionPolicyBinding {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1MutatingAdmissionPolicyBindingSpec
}

export interface V1MutatingAdmissionPolicyBindingSpec {
  readonly policyName?: string
  readonly paramRef?: V1ParamRef
  readonly matchResources?: V1MatchResources
}

export interface V1MutatingAdmissionPolicySpec {
  readonly paramKind?: V1ParamKind
  readonly matchConstraints?: V1MatchResources
  readonly variables?: readonly V1Variable[]
  readonly mutations?: readonly V1Mutation[]
  readonly failurePolicy?: 'Fail' | 'Ignore'
  readonly matchConditions?: readonly V1MatchCondition[]
  readonly reinvocationPolicy?: 'IfNeeded' | 'Never'
}

export interface V1MutatingWebhook {
  readonly name: string
  readonly clientConfig: AdmissionregistrationV1WebhookClientConfig
  readonly rules?: readonly V1RuleWithOperations[]
  readonly failurePolicy?: 'Fail' | 'Ignore'
  readonly matchPolicy?: 'Equivalent' | 'Exact'
  readonly namespaceSelector?: V1LabelSelector
  readonly objectSelector?: V1LabelSelector
  readonly sideEffects: 'None' | 'NoneOnDryRun' | 'Some' | 'Unknown'
  readonly timeoutSeconds?: number
  readonly admissionReviewVersions: readonly string[]
  readonly reinvocationPolicy?: 'IfNeeded' | 'Never'
  readonly matchConditions?: readonly V1MatchCondition[]
}

export interface V1MutatingWebhookConfiguration {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly webhooks?: readonly V1MutatingWebhook[]
}

export interface V1Mutation {
  readonly patchType: 'ApplyConfiguration' | 'JSONPatch'
  readonly applyConfiguration?: V1ApplyConfiguration
  readonly jsonPatch?: V1JSONPatch
}

export interface V1NamedRuleWithOperations {
  readonly resourceNames?: readonly string[]
  readonly operations?: readonly ('*' | 'CONNECT' | 'CREATE' | 'DELETE' | 'UPDATE')[]
  readonly apiGroups?: readonly string[]
  readonly apiVersions?: readonly string[]
  readonly resources?: readonly string[]
  readonly scope?: '*' | 'Cluster' | 'Namespaced'
}

export interface V1ParamKind {
  readonly apiVersion?: string
  readonly kind?: string
}

export interface V1ParamRef {
  readonly name?: string
  readonly namespace?: string
  readonly selector?: V1LabelSelector
  readonly parameterNotFoundAction?: string
}

export interface V1RuleWithOperations {
  readonly operations?: readonly ('*' | 'CONNECT' | 'CREATE' | 'DELETE' | 'UPDATE')[]
  readonly apiGroups?: readonly string[]
  readonly apiVersions?: readonly string[]
  readonly resources?: readonly string[]
  readonly scope?: '*' | 'Cluster' | 'Namespaced'
}

export interface V1TypeChecking {
  readonly expressionWarnings?: readonly V1ExpressionWarning[]
}

export interface V1ValidatingAdmissionPolicy {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1ValidatingAdmissionPolicySpec
  readonly status?: V1ValidatingAdmissionPolicyStatus
}

export interface V1ValidatingAdmissionPolicyBinding {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1ValidatingAdmissionPolicyBindingSpec
}

export interface V1ValidatingAdmissionPolicyBindingSpec {
  readonly policyName: string
  readonly paramRef?: V1ParamRef
  readonly matchResources?: V1MatchResources
  readonly validationActions: readonly ('Audit' | 'Deny' | 'Warn')[]
}

export interface V1ValidatingAdmissionPolicySpec {
  readonly paramKind?: V1ParamKind
  readonly matchConstraints?: V1MatchResources
  readonly validations?: readonly V1Validation[]
  readonly failurePolicy?: 'Fail' | 'Ignore'
  readonly auditAnnotations?: readonly V1AuditAnnotation[]
  readonly matchConditions?: readonly V1MatchCondition[]
  readonly variables?: readonly V1Variable[]
}

export interface V1ValidatingAdmissionPolicyStatus {
  readonly observedGeneration?: number
  readonly typeChecking?: V1TypeChecking
  readonly conditions?: readonly V1Condition[]
}

export interface V1ValidatingWebhook {
  readonly name: string
  readonly clientConfig: AdmissionregistrationV1WebhookClientConfig
  readonly rules?: readonly V1RuleWithOperations[]
  readonly failurePolicy?: 'Fail' | 'Ignore'
  readonly matchPolicy?: 'Equivalent' | 'Exact'
  readonly namespaceSelector?: V1LabelSelector
  readonly objectSelector?: V1LabelSelector
  readonly sideEffects: 'None' | 'NoneOnDryRun' | 'Some' | 'Unknown'
  readonly timeoutSeconds?: number
  readonly admissionReviewVersions: readonly string[]
  readonly matchConditions?: readonly V1MatchCondition[]
}

export interface V1ValidatingWebhookConfiguration {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly webhooks?: readonly V1ValidatingWebhook[]
}

export interface V1Validation {
  readonly expression: string
  readonly message?: string
  readonly reason?: string
  readonly messageExpression?: string
}

export interface V1Variable {
  readonly name: string
  readonly expression: string
}
