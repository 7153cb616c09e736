// Written by `npx vitest run test/library/kubernetes-types.test.ts -u`; do not edit.

import type { V1NodeSelector } from './core-from-v1-grpcaction.ts'
import type { V1Condition, V1ObjectMeta } from './meta.ts'

export interface ResourceV1ResourceClaim {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1ResourceClaimSpec
  readonly status?: V1ResourceClaimStatus
}

export interface V1AllocatedDeviceStatus {
  readonly driver: string
  readonly pool: string
  readonly device: string
  readonly shareID?: string
  readonly conditions?: readonly V1Condition[]
  readonly data?: unknown
  readonly networkData?: V1NetworkDeviceData
}

export interface V1AllocationResult {
  readonly devices?: V1DeviceAllocationResult
  readonly nodeSelector?: V1NodeSelector
  readonly allocationTimestamp?: string
}

export interface V1CELDeviceSelector {
  readonly expression: string
}

export interface V1CapacityRequestPolicy {
  readonly default?: string
  readonly validValues?: readonly string[]
  readonly validRange?: V1CapacityRequestPolicyRange
}

export interface V1CapacityRequestPolicyRange {
  readonly min: string
  readonly max?: string
  readonly step?: string
}

export interface V1CapacityRequirements {
  readonly requests?: { readonly [key: string]: string }
}

export interface V1Counter {
  readonly value: string
}

export interface V1CounterSet {
  readonly name: string
  readonly counters: { readonly [key: string]: V1Counter }
}

export interface V1Device {
  readonly name: string
  readonly attributes?: { readonly [key: string]: V1DeviceAttribute }
  readonly capacity?: { readonly [key: string]: V1DeviceCapacity }
  readonly consumesCounters?: readonly V1DeviceCounterConsumption[]
  readonly nodeName?: string
  readonly nodeSelector?: V1NodeSelector
  readonly allNodes?: boolean
  readonly taints?: readonly V1DeviceTaint[]
  readonly bindsToNode?: boolean
  readonly bindingConditions?: readonly string[]
  readonly bindingFailureConditions?: readonly string[]
  readonly allowMultipleAllocations?: boolean
  readonly nodeAllocatableResources?: { readonly [key: string]: V1NodeAllocatableResource }
}

export interface V1DeviceAllocationConfiguration {
  readonly source: 'FromClaim' | 'FromClass'
  readonly requests?: readonly string[]
  readonly opaque?: V1OpaqueDeviceConfiguration
}

export interface V1DeviceAllocationResult {
  readonly results?: readonly V1DeviceRequestAllocationResult[]
  readonly config?: readonly V1DeviceAllocationConfiguration[]
}

export interface V1DeviceAttribute {
  readonly int?: number
  readonly bool?: boolean
  readonly string?: string
  readonly version?: string
  readonly ints?: readonly number[]
  readonly bools?: readonly boolean[]
  readonly strings?: readonly string[]
  readonly versions?: readonly string[]
}

export interface V1DeviceCapacity {
  readonly value: string
  readonly requestPolicy?: V1CapacityRequestPolicy
}

export interface V1DeviceClaim {
  readonly requests?: readonly V1DeviceRequest[]
  readonly constraints?: readonly V1DeviceConstraint[]
  readonly config?: readonly V1DeviceClaimConfiguration[]
}

export interface V1DeviceClaimConfiguration {
  readonly requests?: readonly string[]
  readonly opaque?: V1OpaqueDeviceConfiguration
}

export interface V1DeviceClass {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1DeviceClassSpec
}

export interface V1DeviceClassConfiguration {
  readonly opaque?: V1OpaqueDeviceConfiguration
}

export interface V1DeviceClassSpec {
  readonly selectors?: readonly V1DeviceSelector[]
  readonly config?: readonly V1DeviceClassConfiguration[]
  readonly extendedResourceName?: string
}

export interface V1DeviceConstraint {
  readonly requests?: readonly string[]
  readonly matchAttribute?: string
  readonly distinctAttribute?: string
}

export interface V1DeviceCounterConsumption {
  readonly counterSet: string
  readonly counters: { readonly [key: string]: V1Counter }
  readonly compatibilityGroups?: readonly string[]
}

export interface V1DeviceDerivedAttribute {
  readonly name: string
  readonly expression: string
}

export interface V1DeviceRequest {
  readonly name: string
  readonly exactly?: V1ExactDeviceRequest
  readonly firstAvailable?: readonly V1DeviceSubRequest[]
}

export interface V1DeviceRequestAllocationResult {
  readonly request: string
  readonly driver: string
  readonly pool: string
  readonly device: string
  readonly adminAccess?: boolean
  readonly tolerations?: readonly V1DeviceToleration[]
  readonly bindingConditions?: readonly string[]
  readonly bindingFailureConditions?: readonly string[]
  readonly shareID?: string
  readonly consumedCapacity?: { readonly [key: string]: string }
  readonly skipNodeOperations?: readonly ('*' | 'NodePrepareResources' | 'NodeUnprepareResources')[]
}

export interface V1DeviceSelector {
  readonly cel?: V1CELDeviceSelector
}

export interface V1DeviceSubRequest {
  readonly name: string
  readonly deviceClassName: string
  readonly selectors?: readonly V1DeviceSelector[]
  readonly allocationMode?: 'All' | 'ExactCount'
  readonly count?: number
  readonly tolerations?: readonly V1DeviceToleration[]
  readonly capacity?: V1CapacityRequirements
  readonly derivedAttributes?: readonly V1DeviceDerivedAttribute[]
}

export interface V1DeviceTaint {
  readonly key: string
  readonly value?: string
  readonly effect: 'NoExecute' | 'NoSchedule' | 'None'
  readonly timeAdded?: string
}

export interface V1DeviceTaintRule {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1DeviceTaintRuleSpec
  readonly status?: V1DeviceTaintRuleStatus
}

export interface V1DeviceTaintRuleSpec {
  readonly deviceSelector?: V1DeviceTaintSelector
  readonly taint: V1DeviceTaint
}

export interface V1DeviceTaintRuleStatus {
  readonly conditions?: readonly V1Condition[]
}

export interface V1DeviceTaintSelector {
  readonly driver?: string
  readonly pool?: string
  readonly device?: string
}

export interface V1DeviceToleration {
  readonly key?: string
  readonly operator?: 'Equal' | 'Exists'
  readonly value?: string
  readonly effect?: 'NoExecute' | 'NoSchedule' | 'None'
  readonly tolerationSeconds?: number
}

export interface V1ExactDeviceRequest {
  readonly deviceClassName: string
  readonly selectors?: readonly V1DeviceSelector[]
  readonly allocationMode?: 'All' | 'ExactCount'
  readonly count?: number
  readonly adminAccess?: boolean
  readonly tolerations?: readonly V1DeviceToleration[]
  readonly capacity?: V1CapacityRequirements
  readonly derivedAttributes?: readonly V1DeviceDerivedAttribute[]
}

export interface V1NetworkDeviceData {
  readonly interfaceName?: string
  readonly ips?: readonly string[]
  readonly hardwareAddress?: string
}

export interface V1NodeAllocatableMapping {
  readonly capacityKey?: string
  readonly capacityMultiplier?: string
  readonly deviceMultiplier?: string
}

export interface V1NodeAllocatableOverhead {
  readonly perPod?: string
  readonly perContainer?: string
}

export interface V1NodeAllocatableResource {
  readonly mapping?: V1NodeAllocatableMapping
  readonly overhead?: V1NodeAllocatableOverhead
}

export interface V1OpaqueDeviceConfiguration {
  readonly driver: string
  readonly parameters: unknown
}

export interface V1ResourceClaimConsumerReference {
  readonly apiGroup?: string
  readonly resource: string
  readonly name: string
  readonly uid: string
}

export interface V1ResourceClaimSpec {
  readonly devices?: V1DeviceClaim
}

export interface V1ResourceClaimStatus {
  readonly allocation?: V1AllocationResult
  readonly reservedFor?: readonly V1ResourceClaimConsumerReference[]
  readonly devices?: readonly V1AllocatedDeviceStatus[]
}

export interface V1ResourceClaimTemplate {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1ResourceClaimTemplateSpec
}

export interface V1ResourceClaimTemplateSpec {
  readonly metadata?: V1ObjectMeta
  readonly spec?: V1ResourceClaimSpec
}

export interface V1ResourcePool {
  readonly name: string
  readonly generation: number
  readonly resourceSliceCount: number
}

export interface V1ResourceSlice {
  readonly kind?: string
  readonly apiVersion?: string
  readonly metadata: V1ObjectMeta
  readonly spec: V1ResourceSliceSpec
}

export interface V1ResourceSliceSpec {
  readonly driver: string
  readonly pool: V1ResourcePool
  readonly nodeName?: string
  readonly nodeSelector?: V1NodeSelector
  readonly allNodes?: boolean
  readonly devices?: readonly V1Device[]
  readonly perDeviceNodeSelection?: boolean
  readonly sharedCounters?: readonly V1CounterSet[]
  readonly partitionTypeAttribute?: string
  readonly skipNodeOperations?: readonly ('*' | 'NodePrepareResources' | 'NodeUnprepareResources')[]
}
