import type {
  CapacityRequirements,
  DeviceClass,
  DeviceRequest,
  DeviceSelector,
  DeviceToleration,
  ExactDeviceRequest,
  ResourceClaim,
} from '../../api/objects/devices.ts'
import { type DeviceFeatures, triesPoolsInOrder } from './device-features.ts'
import type { PoolDevice } from './pool-device.ts'

/** An error that ends the allocation on all nodes. */
export class AllocationFailure extends Error {
  override readonly name = 'AllocationFailure'
}

/** A request, or one of its alternatives. */
export interface RequestData {
  /** The name of the request or subrequest. */
  readonly name: string
  /** The name of the request that a subrequest belongs to. */
  readonly parent: string | undefined
  readonly class: DeviceClass
  readonly selectors: readonly DeviceSelector[]
  readonly tolerations: readonly DeviceToleration[] | undefined
  readonly capacity: CapacityRequirements | undefined
  readonly adminAccess: boolean
  readonly wantsAll: boolean
  /** The number of devices; for all devices, those of `allDevices`. */
  numDevices: number
  allDevices: readonly PoolDevice[]
}

/** The name with which the request appears in an allocation. */
export function requestName({ name, parent }: RequestData): string {
  return parent === undefined ? name : `${parent}/${name}`
}

/** The alternatives of each request of a claim; exactly one for a request without subrequests. */
export interface ClaimRequests {
  readonly claim: ResourceClaim
  readonly requests: readonly (readonly RequestData[])[]
  /** The alternative of each request that the search selected. */
  readonly selected: number[]
}

/**
 * Checks a request and, one by one, its alternatives, independently of devices (v1.36, Allocate and
 * validateDeviceRequest).
 */
export function* readRequest(
  claim: ResourceClaim,
  request: DeviceRequest,
  classOf: (name: string) => DeviceClass | undefined,
  features: DeviceFeatures,
): IterableIterator<RequestData> {
  const { name, exactly, firstAvailable = [] } = request
  const at = `claim ${claimName(claim)}, request ${name}`
  if (!features.prioritizedList && firstAvailable.length > 0) {
    throw new AllocationFailure(`${at}: has subrequests, but the DRAPrioritizedList feature is disabled`)
  }
  // The oldest allocator of upstream ignores capacity requests.
  if (!features.consumableCapacity && triesPoolsInOrder(features)) {
    const off = 'has capacity requests, but the DRAConsumableCapacity feature is disabled'
    if (exactly?.capacity !== undefined) throw new AllocationFailure(`${at}: ${off}`)
    const sub = firstAvailable.find(({ capacity }) => capacity !== undefined)
    if (sub !== undefined) throw new AllocationFailure(`claim ${claimName(claim)}, subrequest ${sub.name}: ${off}`)
  }
  for (const sub of firstAvailable) yield dataOf(claim, sub.name, name, sub, classOf, features)
  if (firstAvailable.length > 0) return
  yield dataOf(claim, name, undefined, exactly ?? { deviceClassName: '' }, classOf, features)
}

function dataOf(
  claim: ResourceClaim,
  name: string,
  parent: string | undefined,
  request: ExactDeviceRequest,
  classOf: (name: string) => DeviceClass | undefined,
  features: DeviceFeatures,
): RequestData {
  const { deviceClassName, selectors = [], allocationMode = '', count = 0, adminAccess } = request
  const at = `claim ${claimName(claim)}, request ${name}`
  const unknown = selectors.findIndex(({ cel }) => cel === undefined)
  if (unknown >= 0) {
    throw new AllocationFailure(`${at}, selector #${unknown}: CEL expression empty (unsupported selector type?)`)
  }
  if (!features.adminAccess && adminAccess !== undefined && parent === undefined) {
    throw new AllocationFailure(`${at}: admin access is requested, but the feature is disabled`)
  }
  if (deviceClassName === '') {
    throw new AllocationFailure(`${at}: missing device class name (unsupported request type?)`)
  }
  const found = classOf(deviceClassName)
  if (found === undefined) {
    const notFound = `deviceclass.resource.k8s.io ${JSON.stringify(deviceClassName)} not found`
    throw new AllocationFailure(`${at}: could not retrieve device class ${deviceClassName}: ${notFound}`)
  }
  if (allocationMode !== 'ExactCount' && allocationMode !== 'All') {
    throw new AllocationFailure(`${at}: unsupported count mode ${allocationMode}`)
  }
  return {
    name,
    parent,
    class: found,
    selectors,
    tolerations: request.tolerations,
    capacity: request.capacity,
    adminAccess: adminAccess === true && parent === undefined,
    wantsAll: allocationMode === 'All',
    numDevices: Number(count),
    allDevices: [],
  }
}

/** `namespace/name`, as klog prints an object. */
export function claimName({ metadata }: ResourceClaim): string {
  return metadata.namespace === undefined || metadata.namespace === ''
    ? metadata.name
    : `${metadata.namespace}/${metadata.name}`
}
