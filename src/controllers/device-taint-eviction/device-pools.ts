import { semanticEqual } from '../../api/equality.ts'
import type { Device, DeviceTaint, ResourceSlice } from '../../api/objects/devices.ts'

/** A device in its slice. */
export interface FoundDevice {
  readonly slice: string
  readonly device: Device
}

/** The devices of all pools by driver and pool; only the slices of the newest generation of a pool count. */
export class DevicePools {
  private readonly pools = new Map<string, Map<string, ResourceSlice>>()

  /** @returns The pool and the names of its devices whose NoExecute taints changed. */
  note(
    before: ResourceSlice | undefined,
    after: ResourceSlice | undefined,
  ): { readonly pool: string; readonly devices: ReadonlySet<string> } {
    const { driver, pool } = ((after ?? before) as ResourceSlice).spec
    const id = poolId(driver, pool.name)
    const slices = this.pools.get(id) ?? new Map<string, ResourceSlice>()
    const old = taintsByDevice(slices)
    if (before !== undefined) slices.delete(before.metadata.name)
    if (after !== undefined) slices.set(after.metadata.name, after)
    if (slices.size === 0) this.pools.delete(id)
    else this.pools.set(id, slices)
    return { pool: id, devices: changedDevices(old, taintsByDevice(slices)) }
  }

  find(driver: string, pool: string, name: string): FoundDevice | undefined {
    for (const slice of newest(this.pools.get(poolId(driver, pool)))) {
      const device = slice.spec.devices?.find((one) => one.name === name)
      if (device !== undefined) return { slice: slice.metadata.name, device }
    }
    return undefined
  }

  *all(): IterableIterator<{ readonly driver: string; readonly pool: string; readonly device: string }> {
    for (const slices of this.pools.values()) {
      for (const { spec } of newest(slices)) {
        for (const { name } of spec.devices ?? []) yield { driver: spec.driver, pool: spec.pool.name, device: name }
      }
    }
  }
}

export function poolId(driver: string, pool: string): string {
  return `${driver}/${pool}`
}

function newest(slices: ReadonlyMap<string, ResourceSlice> | undefined): readonly ResourceSlice[] {
  if (slices === undefined) return []
  const all = [...slices.values()]
  const generation = Math.max(...all.map(({ spec }) => spec.pool.generation))
  return all.filter(({ spec }) => spec.pool.generation === generation)
}

type TaintsByDevice = ReadonlyMap<string, readonly DeviceTaint[]>

function taintsByDevice(slices: ReadonlyMap<string, ResourceSlice>): TaintsByDevice {
  const found = new Map<string, readonly DeviceTaint[]>()
  for (const { spec } of newest(slices)) {
    for (const { name, taints = [] } of spec.devices ?? []) {
      const evicting = taints.filter(({ effect }) => effect === 'NoExecute')
      if (evicting.length > 0) found.set(name, evicting)
    }
  }
  return found
}

function changedDevices(before: TaintsByDevice, after: TaintsByDevice): ReadonlySet<string> {
  const names = new Set([...before.keys(), ...after.keys()])
  for (const name of names) if (semanticEqual(before.get(name), after.get(name))) names.delete(name)
  return names
}
