// Written by `npx vitest run test/library/kubernetes-types.test.ts -u`; do not edit.

import type { V1LabelSelector, V1ObjectMeta } from './meta.ts'

export interface RbacV1Subject {
  readonly kind: string
  readonly apiGroup?: string
  readonly name: string
  readonly namespace?: string
}

export interface V1AggregationRule {
  readonly clusterRoleSelectors?: readonly V1LabelSelector[]
}

export interface V1ClusterRole {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly rules?: readonly V1PolicyRule[]
  readonly aggregationRule?: V1AggregationRule
}

export interface V1ClusterRoleBinding {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly subjects?: readonly RbacV1Subject[]
  readonly roleRef: V1RoleRef
}

export interface V1PolicyRule {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
}

export interface V1Role {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly rules?: readonly V1PolicyRule[]
}

export interface V1RoleBinding {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly subjects?: readonly RbacV1Subject[]
  readonly roleRef: V1RoleRef
}

export interface V1RoleRef {
  readonly apiGroup?: string
  readonly kind: string
  readonly name: string
}
