import type { Condition, KubeObject } from './meta.ts'

/** Ranges from which services get their cluster IPs. */
export interface ServiceCIDR extends KubeObject {
  readonly spec?: { readonly cidrs?: readonly string[] }
  readonly status?: { readonly conditions?: readonly Condition[] }
}

/** An address in use; its name is the address. */
export interface IPAddress extends KubeObject {
  readonly spec?: {
    readonly parentRef?: {
      readonly group?: string
      readonly resource?: string
      readonly namespace?: string
      readonly name?: string
    }
  }
}

/** Labels of the IPAddress objects that belong to services (v1.36, registry/core/service/ipallocator). */
export const addressFamilyLabel = 'ipaddress.kubernetes.io/ip-family'
export const addressManagerLabel = 'ipaddress.kubernetes.io/managed-by'
export const serviceAllocator = 'ipallocator.k8s.io'
