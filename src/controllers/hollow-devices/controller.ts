import { updateStatusCall } from '../../api/object-calls.ts'
import { objectKey } from '../../api/object-key.ts'
import type {
  AllocatedDeviceStatus,
  DeviceCondition,
  DeviceRequestAllocationResult,
  ResourceClaim,
  ResourceSlice,
} from '../../api/objects/devices.ts'
import { isPodReference } from '../../api/pod-claims.ts'
import { formatTime } from '../../api/time.ts'
import type { ChangeOf, Controller } from '../../runtime/controller.ts'
import { createReconcilerController, itself } from '../../runtime/reconciler.ts'
import type { View } from '../../runtime/view.ts'
import { hollowLabel } from '../hollow-kubelet/hollow-names.ts'

const claimsResource = 'resourceclaims.resource.k8s.io'
const slicesResource = 'resourceslices.resource.k8s.io'

export interface HollowDevicesOptions {
  /**
   * `hollow`: the pools whose slices have the label `berth.dev/hollow`; a device is reported as Ready when a pod that
   * reserved its claim has a node. `all`: only the binding conditions, for all pools. Default: `hollow`.
   */
  readonly serves?: 'hollow' | 'all'
}

/** The driver of hollow devices, which sets the binding conditions of allocated devices. */
export function createHollowDevices({ serves = 'hollow' }: HollowDevicesOptions = {}): Controller {
  const pools = new Map<string, Set<string>>()
  return createReconcilerController({
    name: 'hollow-devices',
    wakes: {
      [slicesResource]: (change: ChangeOf<typeof slicesResource>, view: View) => {
        const isNew = notePool(pools, change)
        return isNew
          ? view.list(claimsResource).map(({ metadata }) => objectKey(metadata.namespace, metadata.name))
          : []
      },
      [claimsResource]: itself,
      pods: ({ before, after }) => {
        const isStarted = (before?.spec.nodeName ?? '') === '' && (after?.spec.nodeName ?? '') !== ''
        if (!isStarted) return []
        const statuses = after?.status?.resourceClaimStatuses ?? []
        const named = (after?.spec.resourceClaims ?? []).map(({ resourceClaimName }) => resourceClaimName)
        return [...named, ...statuses.map(({ resourceClaimName }) => resourceClaimName)].flatMap((name) =>
          name === undefined ? [] : [objectKey(after?.metadata.namespace, name)],
        )
      },
    },
    reconcile(key, { view, call, wall }) {
      const claim = view.get(claimsResource, key)
      if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) return undefined
      const isServed = ({ driver, pool }: DeviceRequestAllocationResult) =>
        serves === 'all' || pools.has(`${driver}/${pool}`)
      const isUsed = serves === 'hollow' && isReservedOnNode(claim, view)
      const devices = preparedDevices(claim, formatTime(wall), isServed, isUsed)
      if (devices === undefined) return undefined
      const prepared: ResourceClaim = { ...claim, status: { ...claim.status, devices } }
      return { actions: [call(updateStatusCall(claimsResource, prepared))] }
    },
  })
}

/** Returns whether the pool was not served before. */
function notePool(
  pools: Map<string, Set<string>>,
  { key, before, after }: { readonly key: string; readonly before?: ResourceSlice; readonly after?: ResourceSlice },
): boolean {
  const { driver, pool } = ((after ?? before) as ResourceSlice).spec
  const id = `${driver}/${pool.name}`
  const slices = pools.get(id) ?? new Set<string>()
  const isServed = slices.size > 0
  if (after?.metadata.labels?.[hollowLabel] === undefined) slices.delete(key)
  else slices.add(key)
  if (slices.size === 0) pools.delete(id)
  else pools.set(id, slices)
  return !isServed && slices.size > 0
}

/** The status of the claim's devices; undefined if it is up to date. */
function preparedDevices(
  claim: ResourceClaim,
  now: string,
  isServed: (result: DeviceRequestAllocationResult) => boolean,
  isUsed: boolean,
): readonly AllocatedDeviceStatus[] | undefined {
  const results = (claim.status?.allocation?.devices?.results ?? []).filter(isServed)
  const before = claim.status?.devices ?? []
  let devices = before
  for (const result of results) {
    const types = [...(result.bindingConditions ?? []), ...(isUsed ? ['Ready'] : [])]
    const known = devices.find((device) => isSameDevice(device, result))
    const missing = types.filter((type) => !(known?.conditions ?? []).some((condition) => condition.type === type))
    if (missing.length === 0) continue
    const { driver, pool, device, shareID } = result
    const conditions = [...(known?.conditions ?? []), ...missing.map((type) => conditionOf(type, now))]
    const status = { ...(known ?? { driver, pool, device, ...(shareID && { shareID }) }), conditions }
    devices = [...devices.filter((one) => !isSameDevice(one, result)), status]
  }
  return devices === before ? undefined : devices
}

function isReservedOnNode({ metadata, status }: ResourceClaim, view: View): boolean {
  return (status?.reservedFor ?? []).some(
    (consumer) =>
      isPodReference(consumer) &&
      (view.get('pods', objectKey(metadata.namespace, consumer.name))?.spec.nodeName ?? '') !== '',
  )
}

function isSameDevice(a: AllocatedDeviceStatus, b: DeviceRequestAllocationResult): boolean {
  return a.driver === b.driver && a.pool === b.pool && a.device === b.device && a.shareID === b.shareID
}

function conditionOf(type: string, lastTransitionTime: string): DeviceCondition {
  const message = type === 'Ready' ? 'The device is prepared' : 'The device can be bound'
  return { type, status: 'True', reason: 'HollowDevice', message, lastTransitionTime }
}
