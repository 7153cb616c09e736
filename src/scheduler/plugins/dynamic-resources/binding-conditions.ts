import type {
  AllocatedDeviceStatus,
  DeviceRequestAllocationResult,
  ResourceClaim,
} from '../../../api/objects/devices.ts'

export type BindingState =
  | { readonly kind: 'ready' }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'timedOut' }
  | { readonly kind: 'failed'; readonly message: string }

const ready: BindingState = { kind: 'ready' }

/** Reports whether the devices of a claim are ready for binding (v1.36, isClaimReadyForBinding and isClaimTimeout). */
export function bindingState(claim: ResourceClaim, timeoutMs: number, wall: number): BindingState {
  const { allocation } = claim.status ?? {}
  if (allocation === undefined) return { kind: 'waiting' }
  const results = allocation.devices?.results ?? []
  for (const result of results) {
    const { bindingConditions = [], bindingFailureConditions = [] } = result
    if (bindingConditions.length === 0) continue
    const device = statusOf(claim, result)
    const failed = bindingFailureConditions.find((type) => conditionOf(device, type)?.status === 'True')
    if (failed !== undefined) {
      const { reason = '', message = '' } = conditionOf(device, failed) ?? {}
      const text = `claim=${claim.metadata.name}, reason=${reason}, message=${JSON.stringify(message)}`
      return { kind: 'failed', message: `device binding failed: ${text}` }
    }
    if (bindingConditions.some((type) => conditionOf(device, type)?.status !== 'True')) {
      const { allocationTimestamp } = allocation
      const since = allocationTimestamp === undefined ? undefined : Date.parse(allocationTimestamp)
      return { kind: since !== undefined && since + timeoutMs < wall ? 'timedOut' : 'waiting' }
    }
  }
  return ready
}

export function hasBindingConditions({ status }: ResourceClaim): boolean {
  const results = status?.allocation?.devices?.results ?? []
  return results.some(({ bindingConditions = [] }) => bindingConditions.length > 0)
}

function statusOf(
  { status }: ResourceClaim,
  { driver, pool, device }: DeviceRequestAllocationResult,
): AllocatedDeviceStatus | undefined {
  return status?.devices?.find((one) => one.device === device && one.driver === driver && one.pool === pool)
}

function conditionOf(device: AllocatedDeviceStatus | undefined, type: string) {
  return device?.conditions?.find((condition) => condition.type === type)
}
