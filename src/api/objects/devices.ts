import type { JsonObject, KubeObject, ObjectMeta } from './meta.ts'
import type { NodeSelector } from './node.ts'

// The kinds of resource.k8s.io/v1 (v1.36). Quantities are strings as in every other kind.

export interface ResourceSlice extends KubeObject {
  readonly spec: ResourceSliceSpec
}

export interface ResourceSliceSpec {
  readonly driver: string
  readonly pool: ResourcePool
  readonly nodeName?: string
  readonly nodeSelector?: NodeSelector
  readonly allNodes?: boolean
  readonly perDeviceNodeSelection?: boolean
  readonly devices?: readonly Device[]
  readonly sharedCounters?: readonly CounterSet[]
}

export interface ResourcePool {
  readonly name: string
  readonly generation: number
  readonly resourceSliceCount: number
}

export interface CounterSet {
  readonly name: string
  readonly counters?: Counters
}

export type Counters = Readonly<Record<string, { readonly value: string }>>

export interface Device {
  readonly name: string
  readonly attributes?: Readonly<Record<string, DeviceAttribute>>
  readonly capacity?: Readonly<Record<string, DeviceCapacity>>
  readonly consumesCounters?: readonly DeviceCounterConsumption[]
  readonly nodeName?: string
  readonly nodeSelector?: NodeSelector
  readonly allNodes?: boolean
  readonly taints?: readonly DeviceTaint[]
  readonly bindsToNode?: boolean
  readonly bindingConditions?: readonly string[]
  readonly bindingFailureConditions?: readonly string[]
  readonly allowMultipleAllocations?: boolean
  readonly nodeAllocatableResourceMappings?: Readonly<Record<string, NodeAllocatableResourceMapping>>
}

export interface NodeAllocatableResourceMapping {
  readonly capacityKey?: string
  readonly allocationMultiplier?: string
}

export interface DeviceCounterConsumption {
  readonly counterSet: string
  readonly counters?: Counters
}

/** Exactly one of the fields is set. The lists require the gate DRAListTypeAttributes. */
export interface DeviceAttribute {
  readonly int?: number
  readonly bool?: boolean
  readonly string?: string
  readonly version?: string
  readonly ints?: readonly number[]
  readonly bools?: readonly boolean[]
  readonly strings?: readonly string[]
  readonly versions?: readonly string[]
}

export interface DeviceCapacity {
  readonly value: string
  readonly requestPolicy?: CapacityRequestPolicy
}

export interface CapacityRequestPolicy {
  readonly default?: string
  readonly validValues?: readonly string[]
  readonly validRange?: { readonly min?: string; readonly max?: string; readonly step?: string }
}

export type DeviceTaintEffect = 'None' | 'NoSchedule' | 'NoExecute'

export interface DeviceTaint {
  readonly key: string
  readonly value?: string
  readonly effect: DeviceTaintEffect
  readonly timeAdded?: string
}

export interface DeviceToleration {
  readonly key?: string
  readonly operator?: 'Exists' | 'Equal'
  readonly value?: string
  readonly effect?: DeviceTaintEffect
  readonly tolerationSeconds?: number
}

export interface ResourceClaim extends KubeObject {
  readonly spec: ResourceClaimSpec
  readonly status?: ResourceClaimStatus
}

export interface ResourceClaimSpec {
  readonly devices?: DeviceClaim
}

export interface DeviceClaim {
  readonly requests?: readonly DeviceRequest[]
  readonly constraints?: readonly DeviceConstraint[]
  readonly config?: readonly DeviceClaimConfiguration[]
}

/** Exactly one of `exactly` and `firstAvailable` is set. */
export interface DeviceRequest {
  readonly name: string
  readonly exactly?: ExactDeviceRequest
  readonly firstAvailable?: readonly DeviceSubRequest[]
}

export interface ExactDeviceRequest {
  readonly deviceClassName: string
  readonly selectors?: readonly DeviceSelector[]
  readonly allocationMode?: string
  readonly count?: number
  readonly adminAccess?: boolean
  readonly tolerations?: readonly DeviceToleration[]
  readonly capacity?: CapacityRequirements
}

export interface DeviceSubRequest extends Omit<ExactDeviceRequest, 'adminAccess'> {
  readonly name: string
}

export interface CapacityRequirements {
  readonly requests?: Readonly<Record<string, string>>
}

export interface DeviceSelector {
  readonly cel?: { readonly expression: string }
}

export interface DeviceConstraint {
  readonly requests?: readonly string[]
  readonly matchAttribute?: string
  readonly distinctAttribute?: string
}

export interface DeviceConfiguration {
  readonly opaque?: { readonly driver: string; readonly parameters?: JsonObject }
}

export interface DeviceClaimConfiguration extends DeviceConfiguration {
  readonly requests?: readonly string[]
}

export interface ResourceClaimStatus {
  readonly allocation?: AllocationResult
  readonly reservedFor?: readonly ResourceClaimConsumerReference[]
  readonly devices?: readonly AllocatedDeviceStatus[]
}

export interface ResourceClaimConsumerReference {
  readonly apiGroup?: string
  readonly resource: string
  readonly name: string
  readonly uid: string
}

export interface AllocationResult {
  readonly devices?: DeviceAllocationResult
  readonly nodeSelector?: NodeSelector
  readonly allocationTimestamp?: string
}

export interface DeviceAllocationResult {
  readonly results?: readonly DeviceRequestAllocationResult[]
  readonly config?: readonly DeviceAllocationConfiguration[]
}

export interface DeviceRequestAllocationResult {
  /** The name of the request, or `request/subrequest`. */
  readonly request: string
  readonly driver: string
  readonly pool: string
  readonly device: string
  readonly adminAccess?: boolean
  readonly tolerations?: readonly DeviceToleration[]
  readonly bindingConditions?: readonly string[]
  readonly bindingFailureConditions?: readonly string[]
  readonly shareID?: string
  readonly consumedCapacity?: Readonly<Record<string, string>>
}

export interface DeviceAllocationConfiguration extends DeviceConfiguration {
  readonly source: 'FromClass' | 'FromClaim'
  readonly requests?: readonly string[]
}

export interface AllocatedDeviceStatus {
  readonly driver: string
  readonly pool: string
  readonly device: string
  readonly shareID?: string
  readonly conditions?: readonly DeviceCondition[]
  readonly data?: JsonObject
  readonly networkData?: {
    readonly interfaceName?: string
    readonly ips?: readonly string[]
    readonly hardwareAddress?: string
  }
}

/** A metav1.Condition. */
export interface DeviceCondition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly observedGeneration?: number
  readonly lastTransitionTime?: string
  readonly reason?: string
  readonly message?: string
}

export interface DeviceClass extends KubeObject {
  readonly spec: {
    readonly selectors?: readonly DeviceSelector[]
    readonly config?: readonly DeviceConfiguration[]
    readonly extendedResourceName?: string
  }
}

export interface ResourceClaimTemplate extends KubeObject {
  readonly spec: {
    readonly metadata?: Partial<ObjectMeta>
    readonly spec: ResourceClaimSpec
  }
}

/** resource.k8s.io/v1beta2 in v1.36, behind the gate DRADeviceTaintRules; v1 in v1.37. */
export interface DeviceTaintRule extends KubeObject {
  readonly spec: {
    /** Absent: no device. Empty: all devices. */
    readonly deviceSelector?: { readonly driver?: string; readonly pool?: string; readonly device?: string }
    readonly taint: DeviceTaint
  }
  readonly status?: { readonly conditions?: readonly DeviceCondition[] }
}
