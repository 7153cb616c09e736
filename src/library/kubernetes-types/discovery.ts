// Written by `npx vitest run test/library/kubernetes-types.test.ts -u`; do not edit.

import type { V1ObjectReference } from './core-from-v1-grpcaction.ts'
import type { V1ObjectMeta } from './meta.ts'

export interface DiscoveryV1EndpointPort {
  readonly name?: string
  readonly protocol?: 'SCTP' | 'TCP' | 'UDP'
  readonly port?: number
  readonly appProtocol?: string
}

export interface V1Endpoint {
  readonly addresses: readonly string[]
  readonly conditions?: V1EndpointConditions
  readonly hostname?: string
  readonly targetRef?: V1ObjectReference
  readonly deprecatedTopology?: { readonly [key: string]: string }
  readonly nodeName?: string
  readonly zone?: string
  readonly hints?: V1EndpointHints
}

export interface V1EndpointConditions {
  readonly ready?: boolean
  readonly serving?: boolean
  readonly terminating?: boolean
}

export interface V1EndpointHints {
  readonly forZones?: readonly V1ForZone[]
  readonly forNodes?: readonly V1ForNode[]
}

export interface V1EndpointSlice {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly addressType: 'FQDN' | 'IPv4' | 'IPv6'
  readonly endpoints?: readonly V1Endpoint[]
  readonly ports?: readonly DiscoveryV1EndpointPort[]
}

export interface V1ForNode {
  readonly name: string
}

export interface V1ForZone {
  readonly name: string
}
