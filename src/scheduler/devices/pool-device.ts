import type { Device, ResourceSlice } from '../../api/objects/devices.ts'
import { type Quantity, quantity } from '../../api/quantity.ts'

/** A capacity of a device, parsed. */
export interface ParsedCapacity {
  readonly name: string
  readonly value: Quantity
  readonly policy: ParsedPolicy | undefined
}

export interface ParsedPolicy {
  readonly default: Quantity | undefined
  readonly validValues: readonly Quantity[] | undefined
  readonly validRange:
    | { readonly min: Quantity | undefined; readonly max: Quantity | undefined; readonly step: Quantity | undefined }
    | undefined
}

export interface CounterUse {
  readonly set: string
  readonly counters: ReadonlyMap<string, Quantity>
}

/** A device of a slice, with what allocation derives from it. A slice does not change, so this is computed once. */
export class PoolDevice {
  /** `driver/pool/device`. */
  readonly id: string
  readonly poolId: string
  readonly slice: ResourceSlice
  readonly device: Device
  private capacities: readonly ParsedCapacity[] | undefined
  private uses: readonly CounterUse[] | undefined

  constructor(slice: ResourceSlice, poolId: string, device: Device) {
    this.id = `${poolId}/${device.name}`
    this.poolId = poolId
    this.slice = slice
    this.device = device
  }

  get driver(): string {
    return this.slice.spec.driver
  }

  get capacity(): readonly ParsedCapacity[] {
    this.capacities ??= Object.entries(this.device.capacity ?? {}).map(([name, { value, requestPolicy }]) => ({
      name,
      value: quantity(value),
      policy: requestPolicy === undefined ? undefined : parsePolicy(requestPolicy),
    }))
    return this.capacities
  }

  get counters(): readonly CounterUse[] {
    this.uses ??= (this.device.consumesCounters ?? []).map(({ counterSet, counters }) => ({
      set: counterSet,
      counters: parseCounters(counters),
    }))
    return this.uses
  }
}

/** The id of a pool, as upstream prints it. */
export function poolIdOf({ driver, pool }: ResourceSlice['spec']): string {
  return `${driver}/${pool.name}`
}

export function parseCounters(
  counters: Readonly<Record<string, { readonly value: string }>> | undefined,
): ReadonlyMap<string, Quantity> {
  return new Map(Object.entries(counters ?? {}).map(([name, { value }]) => [name, quantity(value)]))
}

const parsed = new WeakMap<ResourceSlice, readonly PoolDevice[]>()

/** The devices of a slice. The same slice always has the same objects. */
export function devicesOf(slice: ResourceSlice): readonly PoolDevice[] {
  let devices = parsed.get(slice)
  if (devices === undefined) {
    const poolId = poolIdOf(slice.spec)
    devices = (slice.spec.devices ?? []).map((device) => new PoolDevice(slice, poolId, device))
    parsed.set(slice, devices)
  }
  return devices
}

function parsePolicy(policy: NonNullable<NonNullable<Device['capacity']>[string]['requestPolicy']>): ParsedPolicy {
  const { validValues, validRange } = policy
  const read = (text: string | undefined): Quantity | undefined => (text === undefined ? undefined : quantity(text))
  return {
    default: read(policy.default),
    validValues: validValues?.map((value) => quantity(value)),
    validRange:
      validRange === undefined
        ? undefined
        : { min: read(validRange.min), max: read(validRange.max), step: read(validRange.step) },
  }
}
