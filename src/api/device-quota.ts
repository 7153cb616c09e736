import type { ResourceClaim } from './objects/devices.ts'
import type { KubeObject } from './objects/meta.ts'
import type { Quantities } from './pod-resources.ts'
import { addQuantities, type Quantity, quantityOf } from './quantity.ts'

const countName = 'count/resourceclaims.resource.k8s.io'
const perClass = '.deviceclass.resource.k8s.io/devices'
/** AllocationResultsMaxSize: the maximum number of devices in a request for all devices. */
const maxDevices = 32

interface Counted {
  readonly deviceClassName: string
  readonly allocationMode?: string
  readonly count?: number
}

function devicesOf({ allocationMode = 'ExactCount', count = 1 }: Counted): number {
  if (allocationMode === 'All') return maxDevices
  return allocationMode === 'ExactCount' ? count : 0
}

/** The maximum number of devices in any alternative of a prioritized list, by device class. */
function mostOf(requests: readonly Counted[]): ReadonlyMap<string, number> {
  const most = new Map<string, number>()
  for (const request of requests) {
    const name = request.deviceClassName
    most.set(name, Math.max(most.get(name) ?? 0, devicesOf(request)))
  }
  return most
}

/**
 * The usage of a quota by a resource claim (v1.36, quota/v1/evaluator/core claimEvaluator; without extended resources).
 */
function claimUsage({ spec }: ResourceClaim): Quantities {
  const usage = new Map<string, Quantity>([[countName, quantityOf(1)]])
  for (const { exactly, firstAvailable = [] } of spec.devices?.requests ?? []) {
    const requests = firstAvailable.length > 0 ? firstAvailable : exactly === undefined ? [] : [exactly]
    for (const [deviceClass, devices] of mostOf(requests)) {
      const name = `${deviceClass}${perClass}`
      usage.set(name, addQuantities(usage.get(name) ?? quantityOf(0), quantityOf(devices)))
    }
  }
  return usage
}

export const deviceQuota = {
  matching: (names: readonly string[]) => names.filter((name) => name === countName || name.endsWith(perClass)),
  usage: (object: KubeObject) => claimUsage(object as ResourceClaim),
  isInScope: () => false,
}
