import type { ConditionStatus, KubeObject, StringMap } from './meta.ts'
import type { ResourceList, TaintEffect } from './pod.ts'

export interface NodeSelectorRequirement {
  readonly key: string
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt'
  readonly values?: readonly string[]
}

export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly NodeSelectorRequirement[]
  readonly matchFields?: readonly NodeSelectorRequirement[]
}

export interface NodeSelector {
  readonly nodeSelectorTerms: readonly NodeSelectorTerm[]
}

export interface Taint {
  readonly key: string
  readonly value?: string
  readonly effect: TaintEffect
  readonly timeAdded?: string
}

export interface NodeCondition {
  readonly type: string
  readonly status: ConditionStatus
  readonly reason?: string
  readonly message?: string
  readonly lastHeartbeatTime?: string
  readonly lastTransitionTime?: string
}

export interface NodeSpec {
  readonly podCIDR?: string
  readonly podCIDRs?: readonly string[]
  readonly providerID?: string
  readonly unschedulable?: boolean
  readonly taints?: readonly Taint[]
  readonly externalID?: string
  readonly configSource?: unknown
}

export interface NodeStatus {
  readonly capacity?: ResourceList
  readonly allocatable?: ResourceList
  readonly conditions?: readonly NodeCondition[]
  readonly addresses?: readonly { readonly type: string; readonly address: string }[]
  readonly images?: readonly { readonly names?: readonly string[]; readonly sizeBytes?: number }[]
  readonly nodeInfo?: StringMap
  readonly volumesInUse?: readonly string[]
  readonly volumesAttached?: readonly { readonly name: string; readonly devicePath: string }[]
  readonly phase?: string
  readonly daemonEndpoints?: unknown
  readonly declaredFeatures?: readonly string[]
  readonly runtimeHandlers?: unknown
  readonly features?: unknown
}

export interface Node extends KubeObject {
  readonly spec?: NodeSpec
  readonly status?: NodeStatus
}

export interface Lease extends KubeObject {
  readonly spec?: {
    readonly holderIdentity?: string
    readonly leaseDurationSeconds?: number
    readonly acquireTime?: string
    readonly renewTime?: string
    readonly leaseTransitions?: number
    readonly strategy?: string
    readonly preferredHolder?: string
  }
}
