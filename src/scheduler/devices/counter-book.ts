import {
  addQuantities,
  compareQuantities,
  type Quantity,
  subtractQuantities,
  zeroQuantity,
} from '../../api/quantity.ts'
import type { DeviceUsage } from './claim-ledger.ts'
import type { CounterSets, DevicePool } from './device-pools.ts'
import type { PoolDevice } from './pool-device.ts'

type MutableCounters = Map<string, Map<string, Quantity>>

interface KnownCounters {
  readonly usage: DeviceUsage
  readonly revision: number
  readonly counters: CounterSets
}

const kept = new WeakMap<DevicePool, KnownCounters>()

/** The counters that the devices chosen in a search consume (v1.36, checkAvailableCounters). */
export class CounterBook {
  private readonly usage: DeviceUsage
  private readonly consumed = new Map<string, MutableCounters>()

  constructor(usage: DeviceUsage) {
    this.usage = usage
  }

  /** Reserves the counters of a device. Returns false, without an effect, when one of the pool is exhausted. */
  reserve(device: PoolDevice, pool: DevicePool): boolean {
    const available = availableCounters(pool, this.usage)
    this.count(device, addQuantities)
    const consumed = this.consumed.get(pool.id)
    for (const [set, counters] of available) {
      const used = consumed?.get(set)
      for (const [name, amount] of counters) {
        if (compareQuantities(amount, used?.get(name) ?? zeroQuantity) >= 0) continue
        this.release(device)
        return false
      }
    }
    return true
  }

  release(device: PoolDevice): void {
    this.count(device, subtractQuantities)
  }

  private count({ poolId, counters: uses }: PoolDevice, by: (a: Quantity, b: Quantity) => Quantity): void {
    let pool = this.consumed.get(poolId)
    if (pool === undefined) {
      pool = new Map()
      this.consumed.set(poolId, pool)
    }
    for (const { set, counters } of uses) {
      let known = pool.get(set)
      if (known === undefined) {
        known = new Map()
        pool.set(set, known)
      }
      for (const [name, amount] of counters) known.set(name, by(known.get(name) ?? zeroQuantity, amount))
    }
  }
}

/** The counters that allocated devices leave available. They may be negative. */
export function availableCounters(pool: DevicePool, usage: DeviceUsage): CounterSets {
  const revision = usage.revisionOf(pool.id)
  const known = kept.get(pool)
  if (known !== undefined && known.usage === usage && known.revision === revision) return known.counters
  const counters: MutableCounters = new Map([...pool.counterSets].map(([set, values]) => [set, new Map(values)]))
  for (const device of [...pool.devices, ...pool.otherDevices]) {
    if (device.counters.length === 0 || !usage.isHeld(device.id)) continue
    for (const { set, counters: used } of device.counters) {
      const left = counters.get(set)
      for (const [name, amount] of used) {
        const value = left?.get(name)
        if (value !== undefined) left?.set(name, subtractQuantities(value, amount))
      }
    }
  }
  kept.set(pool, { usage, revision, counters })
  return counters
}
