import type { KubeObject, ObjectReference } from './meta.ts'

export interface EndpointAddress {
  readonly ip: string
  readonly hostname?: string
  readonly nodeName?: string
  readonly targetRef?: ObjectReference
}

export interface EndpointPort {
  readonly name?: string
  readonly port?: number
  readonly protocol?: string
  readonly appProtocol?: string
}

export interface EndpointSubset {
  readonly addresses?: readonly EndpointAddress[]
  readonly notReadyAddresses?: readonly EndpointAddress[]
  readonly ports?: readonly EndpointPort[]
}

export interface Endpoints extends KubeObject {
  readonly subsets?: readonly EndpointSubset[]
}

export interface Endpoint {
  readonly addresses: readonly string[]
  readonly conditions?: { readonly ready?: boolean; readonly serving?: boolean; readonly terminating?: boolean }
  readonly hostname?: string
  readonly targetRef?: ObjectReference
  readonly nodeName?: string
  readonly zone?: string
  readonly hints?: EndpointHints
}

export interface EndpointHints {
  readonly forZones?: readonly { readonly name: string }[]
  readonly forNodes?: readonly { readonly name: string }[]
}

export type AddressType = 'IPv4' | 'IPv6' | 'FQDN'

export interface EndpointSlice extends KubeObject {
  readonly addressType: AddressType
  readonly endpoints: readonly Endpoint[] | null
  readonly ports?: readonly EndpointPort[] | null
}
