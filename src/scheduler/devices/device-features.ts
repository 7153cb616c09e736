import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'

/** The features of device allocation of a release, with its gates (v1.36, dynamicresources AllocatorFeatures). */
export interface DeviceFeatures {
  readonly adminAccess: boolean
  readonly consumableCapacity: boolean
  /** DRADeviceBindingConditions and DRAResourceClaimDeviceStatus. */
  readonly bindingConditions: boolean
  readonly deviceTaints: boolean
  readonly extendedResources: boolean
  readonly filterTimeout: boolean
  readonly fractionalCapacityRange: boolean
  readonly listTypeAttributes: boolean
  readonly partitionableDevices: boolean
  readonly prioritizedList: boolean
  /** Claims of pod groups (DRAWorkloadResourceClaims). */
  readonly workloadClaims: boolean
  /** The minor version, 36 for v1.36, whose behavior applies where no gate covers a difference. */
  readonly minor: number
}

export function deviceFeaturesOf({ gates, minor }: Pick<KubernetesRelease, 'gates' | 'minor'>): DeviceFeatures {
  return {
    adminAccess: gates.has('DRAAdminAccess'),
    consumableCapacity: gates.has('DRAConsumableCapacity'),
    bindingConditions: gates.has('DRADeviceBindingConditions') && gates.has('DRAResourceClaimDeviceStatus'),
    deviceTaints: gates.has('DRADeviceTaints'),
    extendedResources: gates.has('DRAExtendedResource'),
    filterTimeout: gates.has('DRASchedulerFilterTimeout'),
    fractionalCapacityRange: gates.has('DRAFractionalCapacityRange'),
    listTypeAttributes: gates.has('DRAListTypeAttributes'),
    partitionableDevices: gates.has('DRAPartitionableDevices'),
    prioritizedList: gates.has('DRAPrioritizedList'),
    workloadClaims: gates.has('DRAWorkloadResourceClaims'),
    minor: Number(minor.slice(minor.indexOf('.') + 1)),
  }
}

/**
 * Reports whether pools are tried in the order of their names. Upstream has several allocators, and the oldest of them
 * iterates over a map (v1.36, structured NewAllocator).
 */
export function triesPoolsInOrder(features: DeviceFeatures): boolean {
  if (features.minor < 36) return false
  return features.consumableCapacity || features.bindingConditions || features.listTypeAttributes
}

/** List attributes count in constraints from 1.37 on; before, the gate only affects selectors. */
export function comparesLists({ listTypeAttributes, minor }: DeviceFeatures): boolean {
  return listTypeAttributes && minor >= 37
}
