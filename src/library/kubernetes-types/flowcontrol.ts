// Written by `npx vitest run test/library/kubernetes-types.test.ts -u`; do not edit.

import type { V1ObjectMeta } from './meta.ts'

export interface FlowcontrolV1Subject {
  readonly kind: string
  readonly user?: V1UserSubject
  readonly group?: V1GroupSubject
  readonly serviceAccount?: V1ServiceAccountSubject
}

export interface V1ExemptPriorityLevelConfiguration {
  readonly nominalConcurrencyShares?: number
  readonly lendablePercent?: number
}

export interface V1FlowDistinguisherMethod {
  readonly type: string
}

export interface V1FlowSchema {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1FlowSchemaSpec
  readonly status?: V1FlowSchemaStatus
}

export interface V1FlowSchemaCondition {
  readonly type: string
  readonly status?: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

export interface V1FlowSchemaSpec {
  readonly priorityLevelConfiguration: V1PriorityLevelConfigurationReference
  readonly matchingPrecedence?: number
  readonly distinguisherMethod?: V1FlowDistinguisherMethod
  readonly rules?: readonly V1PolicyRulesWithSubjects[]
}

export interface V1FlowSchemaStatus {
  readonly conditions?: readonly V1FlowSchemaCondition[]
}

export interface V1GroupSubject {
  readonly name: string
}

export interface V1LimitResponse {
  readonly type: string
  readonly queuing?: V1QueuingConfiguration
}

export interface V1LimitedPriorityLevelConfiguration {
  readonly nominalConcurrencyShares?: number
  readonly limitResponse: V1LimitResponse
  readonly lendablePercent?: number
  readonly borrowingLimitPercent?: number
}

export interface V1NonResourcePolicyRule {
  readonly verbs: readonly string[]
  readonly nonResourceURLs: readonly string[]
}

export interface V1PolicyRulesWithSubjects {
  readonly subjects: readonly FlowcontrolV1Subject[]
  readonly resourceRules?: readonly V1ResourcePolicyRule[]
  readonly nonResourceRules?: readonly V1NonResourcePolicyRule[]
}

export interface V1PriorityLevelConfiguration {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1PriorityLevelConfigurationSpec
  readonly status?: V1PriorityLevelConfigurationStatus
}

export interface V1PriorityLevelConfigurationCondition {
  readonly type: string
  readonly status?: string
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

export interface V1PriorityLevelConfigurationReference {
  readonly name: string
}

export interface V1PriorityLevelConfigurationSpec {
  readonly type: string
  readonly limited?: V1LimitedPriorityLevelConfiguration
  readonly exempt?: V1ExemptPriorityLevelConfiguration
}

export interface V1PriorityLevelConfigurationStatus {
  readonly conditions?: readonly V1PriorityLevelConfigurationCondition[]
}

export interface V1QueuingConfiguration {
  readonly queues?: number
  readonly handSize?: number
  readonly queueLengthLimit?: number
}

export interface V1ResourcePolicyRule {
  readonly verbs: readonly string[]
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly clusterScope?: boolean
  readonly namespaces?: readonly string[]
}

export interface V1ServiceAccountSubject {
  readonly namespace: string
  readonly name: string
}

export interface V1UserSubject {
  readonly name: string
}
