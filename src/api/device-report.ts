import { objectKey } from './object-key.ts'
import type { Device, DeviceTaint, ResourceClaim, ResourceSlice } from './objects/devices.ts'
import type { KubeObject } from './objects/meta.ts'
import { milliValue } from './quantity.ts'

/** One device, and the claims that hold it. */
export interface DeviceRow {
  readonly driver: string
  readonly pool: string
  readonly device: string
  /** The node of the device; absent: it is available on several nodes. */
  readonly node?: string
  /** `blocked`: allocated devices of the pool use the shared counters that it needs. */
  readonly state: 'free' | 'allocated' | 'tainted' | 'blocked'
  /** `key=value:effect` of each taint. */
  readonly taints: readonly string[]
  /** The claims that hold it, as `namespace/name`; several for a device that is shared. */
  readonly claims: readonly string[]
  /** The consumers of these claims. */
  readonly pods: readonly string[]
}

export interface DevicePoolRow {
  readonly driver: string
  readonly pool: string
  readonly devices: number
  readonly free: number
  readonly tainted: number
}

export interface DeviceReport {
  readonly pools: readonly DevicePoolRow[]
  readonly devices: readonly DeviceRow[]
}

/** Reads the devices of a cluster. Claims with admin access do not hold a device. */
export function reportDevices(list: (resource: string) => readonly KubeObject[]): DeviceReport {
  const slices = newestSlices(list('resourceslices.resource.k8s.io') as readonly ResourceSlice[])
  const holders = holdersOf(list('resourceclaims.resource.k8s.io') as readonly ResourceClaim[])
  const counters = freeCounters(slices, holders)
  const devices = slices
    .flatMap(({ spec }) => (spec.devices ?? []).map((device) => rowOf(spec, device, holders, counters)))
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  const pools = new Map<string, DeviceRow[]>()
  for (const row of devices) {
    const id = `${row.driver}/${row.pool}`
    pools.set(id, [...(pools.get(id) ?? []), row])
  }
  return {
    devices,
    pools: [...pools.values()].map((rows) => ({
      driver: rows[0]?.driver ?? '',
      pool: rows[0]?.pool ?? '',
      devices: rows.length,
      free: rows.filter(({ state }) => state === 'free').length,
      tainted: rows.filter(({ taints }) => taints.length > 0).length,
    })),
  }
}

const keyOf = ({ driver, pool, device }: Pick<DeviceRow, 'driver' | 'pool' | 'device'>): string =>
  `${driver}/${pool}/${device}`

function newestSlices(slices: readonly ResourceSlice[]): readonly ResourceSlice[] {
  const newest = new Map<string, number>()
  const id = ({ spec }: ResourceSlice): string => `${spec.driver}/${spec.pool.name}`
  for (const slice of slices) {
    newest.set(id(slice), Math.max(newest.get(id(slice)) ?? 0, slice.spec.pool.generation))
  }
  return slices.filter((slice) => slice.spec.pool.generation === newest.get(id(slice)))
}

function holdersOf(claims: readonly ResourceClaim[]): ReadonlyMap<string, readonly ResourceClaim[]> {
  const holders = new Map<string, ResourceClaim[]>()
  for (const claim of claims) {
    for (const result of claim.status?.allocation?.devices?.results ?? []) {
      if (result.adminAccess === true) continue
      const key = keyOf(result)
      holders.set(key, [...(holders.get(key) ?? []), claim])
    }
  }
  return holders
}

/** The remaining shared counters after allocations, by driver, pool, counter set and counter. */
function freeCounters(
  slices: readonly ResourceSlice[],
  holders: ReadonlyMap<string, readonly ResourceClaim[]>,
): ReadonlyMap<string, number> {
  const free = new Map<string, number>()
  for (const { spec } of slices) {
    for (const { name, counters } of spec.sharedCounters ?? []) {
      for (const [counter, { value }] of Object.entries(counters ?? {})) {
        free.set(counterKey(spec, name, counter), milliValue(value))
      }
    }
  }
  for (const { spec } of slices) {
    for (const device of spec.devices ?? []) {
      if (!holders.has(keyOf({ driver: spec.driver, pool: spec.pool.name, device: device.name }))) continue
      for (const [key, used] of usedCounters(spec, device)) free.set(key, (free.get(key) ?? 0) - used)
    }
  }
  return free
}

function usedCounters(spec: ResourceSlice['spec'], device: Device): readonly (readonly [string, number])[] {
  return (device.consumesCounters ?? []).flatMap(({ counterSet, counters }) =>
    Object.entries(counters ?? {}).map(
      ([counter, { value }]) => [counterKey(spec, counterSet, counter), milliValue(value)] as const,
    ),
  )
}

function counterKey({ driver, pool }: ResourceSlice['spec'], set: string, counter: string): string {
  return `${driver}/${pool.name}/${set}/${counter}`
}

function stateOf(
  spec: ResourceSlice['spec'],
  device: Device,
  isHeld: boolean,
  counters: ReadonlyMap<string, number>,
): DeviceRow['state'] {
  if (isHeld) return 'allocated'
  if ((device.taints ?? []).some(({ effect }) => effect !== 'None')) return 'tainted'
  return usedCounters(spec, device).some(([key, used]) => used > (counters.get(key) ?? 0)) ? 'blocked' : 'free'
}

function rowOf(
  spec: ResourceSlice['spec'],
  device: Device,
  holders: ReadonlyMap<string, readonly ResourceClaim[]>,
  counters: ReadonlyMap<string, number>,
): DeviceRow {
  const { driver, pool, nodeName } = spec
  const held = holders.get(keyOf({ driver, pool: pool.name, device: device.name })) ?? []
  const node = device.nodeName ?? nodeName
  const taints = device.taints ?? []
  return {
    driver,
    pool: pool.name,
    device: device.name,
    ...(node === undefined ? {} : { node }),
    state: stateOf(spec, device, held.length > 0, counters),
    taints: taints.map(taintText),
    claims: held.map(({ metadata }) => objectKey(metadata.namespace, metadata.name)),
    pods: held.flatMap(({ metadata, status }) =>
      (status?.reservedFor ?? []).map(({ name }) => objectKey(metadata.namespace, name)),
    ),
  }
}

function taintText({ key, value, effect }: DeviceTaint): string {
  return `${key}${value === undefined || value === '' ? '' : `=${value}`}:${effect}`
}
