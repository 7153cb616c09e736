import type { CounterSet, Device, ResourceClaim, ResourceSlice } from '../../api/objects/devices.ts'
import { addQuantities, type Quantity, quantity, quantityMilli } from '../../api/quantity.ts'
import type { Utilization } from './utilization.ts'

// 1.36, simulator/dynamicresources/utils CalculateDynamicResourceUtilization.

/** The share of the pool that is used most; undefined: a claim has no devices, or a pool is incomplete. */
export function deviceUtilization(
  slices: readonly ResourceSlice[],
  claims: readonly ResourceClaim[],
): Utilization | undefined {
  const taken = new Set<string>()
  for (const { status } of claims) {
    if (status?.allocation === undefined) return undefined
    for (const { driver, pool, device, adminAccess } of status.allocation.devices?.results ?? []) {
      if (adminAccess !== true) taken.add(`${driver}/${pool}/${device}`)
    }
  }
  let most: Utilization = { resource: '', ratio: 0 }
  for (const [resource, all] of poolsOf(slices)) {
    const current = newestOf(all)
    if (current === undefined) return undefined
    const ratio = poolRatio(current, (device) => taken.has(`${resource}/${device}`))
    if (ratio >= most.ratio) most = { resource, ratio }
  }
  return most
}

/** The number of complete pools of each driver. */
export function completePools(slices: readonly ResourceSlice[]): ReadonlyMap<string, number> {
  const complete = new Map<string, number>()
  for (const all of poolsOf(slices).values()) {
    const driver = newestOf(all)?.[0]?.spec.driver
    if (driver !== undefined) complete.set(driver, (complete.get(driver) ?? 0) + 1)
  }
  return complete
}

/** The slices by `driver/pool`. */
function poolsOf(slices: readonly ResourceSlice[]): ReadonlyMap<string, readonly ResourceSlice[]> {
  const pools = new Map<string, ResourceSlice[]>()
  for (const slice of slices) {
    const id = `${slice.spec.driver}/${slice.spec.pool.name}`
    const known = pools.get(id)
    if (known === undefined) pools.set(id, [slice])
    else known.push(slice)
  }
  return pools
}

/** The slices of the newest generation of a pool; undefined: some are missing. */
function newestOf(slices: readonly ResourceSlice[]): readonly ResourceSlice[] | undefined {
  const generation = Math.max(...slices.map(({ spec }) => spec.pool.generation))
  const newest = slices.filter(({ spec }) => spec.pool.generation === generation)
  return newest[0]?.spec.pool.resourceSliceCount === newest.length ? newest : undefined
}

function poolRatio(slices: readonly ResourceSlice[], isTaken: (device: string) => boolean): number {
  const devices = slices.flatMap(({ spec }) => spec.devices ?? [])
  const taken = devices.filter(({ name }) => isTaken(name))
  const counters = slices.flatMap(({ spec }) => spec.sharedCounters ?? [])
  if (counters.length > 0) return counterRatio(devices, taken, counters)
  return devices.length === 0 ? 0 : taken.length / devices.length
}

/** Each counter set represents one physical device. The most used counter determines its utilization. */
function counterRatio(devices: readonly Device[], taken: readonly Device[], sets: readonly CounterSet[]): number {
  const physical = new Set(
    devices.flatMap(({ consumesCounters = [] }) => consumesCounters.map((one) => one.counterSet)),
  )
  if (physical.size === 0) return 0
  const consumed = new Map<string, Quantity>()
  for (const { counterSet, counters = {} } of taken.flatMap(({ consumesCounters = [] }) => consumesCounters)) {
    for (const [name, { value }] of Object.entries(counters)) {
      const key = `${counterSet}/${name}`
      const known = consumed.get(key)
      consumed.set(key, known === undefined ? quantity(value) : addQuantities(known, quantity(value)))
    }
  }
  return sets.reduce((sum, { name, counters = {} }) => {
    const ratios = Object.entries(counters).map(([counter, { value }]) => {
      const total = quantityMilli(quantity(value))
      const used = consumed.get(`${name}/${counter}`)
      return used === undefined || total === 0 ? 0 : quantityMilli(used) / total
    })
    return sum + Math.max(0, ...ratios) / physical.size
  }, 0)
}
