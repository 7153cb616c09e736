// Written by `npx vitest run test/library/kubernetes-types.test.ts -u`; do not edit.

import type { V1TypedLocalObjectReference } from './core-from-v1-session-affinity-config.ts'
import type { V1Condition, V1LabelSelector, V1ObjectMeta } from './meta.ts'

export interface V1HTTPIngressPath {
  readonly path?: string
  readonly pathType: 'Exact' | 'ImplementationSpecific' | 'Prefix'
  readonly backend: V1IngressBackend
}

export interface V1HTTPIngressRuleValue {
  readonly paths: readonly V1HTTPIngressPath[]
}

export interface V1IPAddress {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1IPAddressSpec
}

export interface V1IPAddressSpec {
  readonly parentRef: V1ParentReference
}

export interface V1IPBlock {
  readonly cidr: string
  readonly except?: readonly string[]
}

export interface V1Ingress {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1IngressSpec
  readonly status?: V1IngressStatus
}

export interface V1IngressBackend {
  readonly service?: V1IngressServiceBackend
  readonly resource?: V1TypedLocalObjectReference
}

export interface V1IngressClass {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1IngressClassSpec
}

export interface V1IngressClassParametersReference {
  readonly apiGroup?: string
  readonly kind: string
  readonly name: string
  readonly scope?: string
  readonly namespace?: string
}

export interface V1IngressClassSpec {
  readonly controller?: string
  readonly parameters?: V1IngressClassParametersReference
}

export interface V1IngressLoadBalancerIngress {
  readonly ip?: string
  readonly hostname?: string
  readonly ports?: readonly V1IngressPortStatus[]
}

export interface V1IngressLoadBalancerStatus {
  readonly ingress?: readonly V1IngressLoadBalancerIngress[]
}

export interface V1IngressPortStatus {
  readonly port: number
  readonly protocol: 'SCTP' | 'TCP' | 'UDP'
  readonly error?: string
}

export interface V1IngressRule {
  readonly host?: string
  readonly http?: V1HTTPIngressRuleValue
}

export interface V1IngressServiceBackend {
  readonly name: string
  readonly port?: V1ServiceBackendPort
}

export interface V1IngressSpec {
  readonly ingressClassName?: string
  readonly defaultBackend?: V1IngressBackend
  readonly tls?: readonly V1IngressTLS[]
  readonly rules?: readonly V1IngressRule[]
}

export interface V1IngressStatus {
  readonly loadBalancer?: V1IngressLoadBalancerStatus
}

export interface V1IngressTLS {
  readonly hosts?: readonly string[]
  readonly secretName?: string
}

export interface V1NetworkPolicy {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1NetworkPolicySpec
}

export interface V1NetworkPolicyEgressRule {
  readonly ports?: readonly V1NetworkPolicyPort[]
  readonly to?: readonly V1NetworkPolicyPeer[]
}

export interface V1NetworkPolicyIngressRule {
  readonly ports?: readonly V1NetworkPolicyPort[]
  readonly from?: readonly V1NetworkPolicyPeer[]
}

export interface V1NetworkPolicyPeer {
  readonly podSelector?: V1LabelSelector
  readonly namespaceSelector?: V1LabelSelector
  readonly ipBlock?: V1IPBlock
}

export interface V1NetworkPolicyPort {
  readonly protocol?: 'SCTP' | 'TCP' | 'UDP'
  readonly port?: number | string
  readonly endPort?: number
}

export interface V1NetworkPolicySpec {
  readonly podSelector?: V1LabelSelector
  readonly ingress?: readonly V1NetworkPolicyIngressRule[]
  readonly egress?: readonly V1NetworkPolicyEgressRule[]
  readonly policyTypes?: readonly ('Egress' | 'Ingress')[]
}

export interface V1ParentReference {
  readonly group?: string
  readonly resource: string
  readonly namespace?: string
  readonly name: string
}

export interface V1ServiceBackendPort {
  readonly name?: string
  readonly number?: number
}

export interface V1ServiceCIDR {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1ServiceCIDRSpec
  readonly status?: V1ServiceCIDRStatus
}

export interface V1ServiceCIDRSpec {
  readonly cidrs?: readonly string[]
}

export interface V1ServiceCIDRStatus {
  readonly conditions?: readonly V1Condition[]
}
