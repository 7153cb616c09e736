import type { Condition, KubeObject, ObjectReference, StringMap } from './meta.ts'

export interface Namespace extends KubeObject {
  readonly spec?: { readonly finalizers?: readonly string[] }
  readonly status?: { readonly phase?: 'Active' | 'Terminating'; readonly conditions?: readonly Condition[] }
}

export interface Service extends KubeObject {
  readonly spec?: {
    readonly selector?: StringMap
    readonly clusterIP?: string
    readonly clusterIPs?: readonly string[]
    readonly type?: string
    readonly ports?: readonly {
      readonly name?: string
      readonly port: number
      readonly protocol?: string
      readonly targetPort?: number | string
      readonly nodePort?: number
    }[]
    readonly [field: string]: unknown
  }
  readonly status?: unknown
}

/** An event of core/v1 and of events.k8s.io/v1: one stored object with the fields of both. */
export interface Event extends KubeObject {
  readonly involvedObject: ObjectReference
  readonly reason?: string
  readonly message?: string
  readonly source?: { readonly component?: string; readonly host?: string }
  readonly firstTimestamp?: string | null
  readonly lastTimestamp?: string | null
  readonly count?: number
  readonly type?: 'Normal' | 'Warning'
  readonly eventTime?: string | null
  readonly series?: { readonly count: number; readonly lastObservedTime: string }
  readonly action?: string
  readonly related?: ObjectReference
  readonly reportingComponent?: string
  readonly reportingInstance?: string
}

export interface ConfigMap extends KubeObject {
  readonly data?: StringMap
  readonly binaryData?: StringMap
  readonly immutable?: boolean
}

export interface CustomResourceDefinition extends KubeObject {
  readonly spec: { readonly [key: string]: unknown }
  readonly status?: { readonly [key: string]: unknown }
}

export interface ClusterCIDR extends KubeObject {
  readonly spec: {
    readonly nodeSelector?: import('./node.ts').NodeSelector
    readonly perNodeHostBits: number
    readonly ipv4?: string
    readonly ipv6?: string
  }
}

export interface ScopeRequirement {
  readonly scopeName: string
  readonly operator: string
  readonly values?: readonly string[]
}

export interface ResourceQuota extends KubeObject {
  readonly spec?: {
    readonly hard?: StringMap
    readonly scopes?: readonly string[]
    readonly scopeSelector?: { readonly matchExpressions?: readonly ScopeRequirement[] }
  }
  readonly status?: { readonly hard?: StringMap; readonly used?: StringMap }
}

export interface RuntimeClass extends KubeObject {
  readonly handler: string
  readonly overhead?: { readonly podFixed?: StringMap }
  readonly scheduling?: {
    readonly nodeSelector?: StringMap
    readonly tolerations?: readonly import('./pod.ts').Toleration[]
  }
}
