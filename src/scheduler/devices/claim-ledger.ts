import { keyOf } from '../../api/object-key.ts'
import type { AllocationResult, ResourceClaim } from '../../api/objects/devices.ts'
import { addQuantities, type Quantity, quantity } from '../../api/quantity.ts'

/** A claim that holds a device, or a share of it. */
export interface DeviceHolder {
  /** `namespace/name` of the claim. */
  readonly claim: string
  readonly uid: string
  /** Set for one of several shares of a device. */
  readonly shareId: string | undefined
  readonly consumed: ReadonlyMap<string, Quantity> | undefined
}

interface DeviceUse {
  readonly holders: readonly DeviceHolder[]
  /** A claim holds the whole device. */
  readonly isTaken: boolean
  readonly consumed: ReadonlyMap<string, Quantity> | undefined
}

interface PendingAllocation {
  readonly claim: ResourceClaim
  readonly allocation: AllocationResult
  sharers: number
}

/** The devices that claims hold, and the devices of pending allocations. */
export interface DeviceUsage {
  isTaken(device: string): boolean
  /** Reports whether a claim holds the device or a share of it. */
  isHeld(device: string): boolean
  /** The capacity that shares of the device consume; undefined when no share consumes any. */
  consumed(device: string): ReadonlyMap<string, Quantity> | undefined
  holdersOf(device: string): readonly DeviceHolder[]
  /** Increases with every change of the devices of a pool. */
  revisionOf(pool: string): number
}

const noHolders: readonly DeviceHolder[] = []

/**
 * The claims of the cluster, with the writes of the scheduler that it has not observed yet, and the devices that they
 * hold (v1.36, dynamicresources claimTracker and allocatedDevices).
 */
export class ClaimLedger implements DeviceUsage {
  private readonly stored = new Map<string, ResourceClaim>()
  private readonly assumed = new Map<string, ResourceClaim>()
  private readonly pending = new Map<string, PendingAllocation>()
  private begunInCycle: Set<string> | undefined
  /** The allocation that counts for each claim, by uid. */
  private readonly counted = new Map<string, { readonly allocation: AllocationResult; readonly key: string }>()
  private readonly uses = new Map<string, DeviceUse>()
  private readonly revisions = new Map<string, number>()
  private readonly onChange: (pool: string) => void
  /** Claims that the scheduler created for extended resources, by the uid of the pod. */
  private readonly extended = new Map<string, string>()

  /** @param onChange Called for a pool whose devices were allocated or released. */
  constructor(onChange: (pool: string) => void) {
    this.onChange = onChange
  }

  /** The claim by `namespace/name`, as the scheduler last wrote it. */
  get(key: string): ResourceClaim | undefined {
    return this.assumed.get(key) ?? this.stored.get(key)
  }

  *claims(): IterableIterator<ResourceClaim> {
    for (const [key, claim] of this.stored) yield this.assumed.get(key) ?? claim
  }

  /** The claim that the scheduler created for the extended resources of a pod. */
  extendedClaimOf(podUid: string): ResourceClaim | undefined {
    const key = this.extended.get(podUid)
    return key === undefined ? undefined : this.get(key)
  }

  /** Takes a change that was observed. */
  note(before: ResourceClaim | undefined, after: ResourceClaim | undefined): void {
    const object = after ?? before
    if (object === undefined) return
    const key = keyOf(object)
    const known = this.get(key)
    const assumed = this.assumed.get(key)
    if (assumed !== undefined && (after === undefined || versionOf(after) >= versionOf(assumed))) {
      this.assumed.delete(key)
    }
    if (after === undefined) this.stored.delete(key)
    else this.stored.set(key, after)
    this.noteExtended(after ?? object, after === undefined, key)
    if (known !== undefined && known.metadata.uid !== object.metadata.uid) this.recount(known.metadata.uid ?? '', key)
    this.recount(object.metadata.uid ?? '', key)
  }

  /** Takes the outcome of a write before it is observed. Older objects than the known one are ignored. */
  assume(claim: ResourceClaim): void {
    const key = keyOf(claim)
    const stored = this.stored.get(key)
    if (stored !== undefined && versionOf(stored) >= versionOf(claim)) return
    this.assumed.set(key, claim)
    this.noteExtended(claim, false, key)
    this.recount(claim.metadata.uid ?? '', key)
  }

  /** Returns to the observed object. */
  restore(key: string): void {
    const assumed = this.assumed.get(key)
    if (assumed === undefined) return
    this.assumed.delete(key)
    this.recount(assumed.metadata.uid ?? '', key)
  }

  pendingAllocation(uid: string): AllocationResult | undefined {
    return this.pending.get(uid)?.allocation
  }

  /**
   * The pending allocation of a claim that began in the running cycle of a pod group. The pods of the group share it.
   */
  sharedAllocation(uid: string): AllocationResult | undefined {
    return this.begunInCycle?.has(uid) === true ? this.pendingAllocation(uid) : undefined
  }

  /** Runs the scheduling cycle of a pod group. In the cycle of a hierarchy, each group has its own cycle. */
  inGroupCycle<T>(run: () => T): T {
    const outer = this.begunInCycle
    this.begunInCycle = new Set()
    const result = run()
    this.begunInCycle = outer
    return result
  }

  /** The devices count as allocated until `endAllocation`. Pods of a group may share an allocation. */
  beginAllocation(claim: ResourceClaim, allocation: AllocationResult): void {
    const uid = claim.metadata.uid ?? ''
    const known = this.pending.get(uid)
    if (known !== undefined) {
      known.sharers++
      return
    }
    this.pending.set(uid, { claim, allocation, sharers: 1 })
    this.begunInCycle?.add(uid)
    this.recount(uid, keyOf(claim))
  }

  /** Returns whether the allocation is no longer pending. */
  endAllocation(uid: string, force = false): boolean {
    const known = this.pending.get(uid)
    if (known === undefined) return false
    known.sharers--
    if (known.sharers > 0 && !force) return false
    this.pending.delete(uid)
    this.begunInCycle?.delete(uid)
    this.recount(uid, keyOf(known.claim))
    return true
  }

  isTaken(device: string): boolean {
    return this.uses.get(device)?.isTaken === true
  }

  isHeld(device: string): boolean {
    return this.uses.has(device)
  }

  consumed(device: string): ReadonlyMap<string, Quantity> | undefined {
    return this.uses.get(device)?.consumed
  }

  holdersOf(device: string): readonly DeviceHolder[] {
    return this.uses.get(device)?.holders ?? noHolders
  }

  revisionOf(pool: string): number {
    return this.revisions.get(pool) ?? 0
  }

  /** Determines the allocation that counts for a claim: the observed one, or the pending one. */
  private recount(uid: string, key: string): void {
    const claim = this.get(key)
    const observed = claim?.metadata.uid === uid ? claim.status?.allocation : undefined
    const allocation = observed ?? this.pending.get(uid)?.allocation
    const counted = this.counted.get(uid)
    if (counted?.allocation === allocation) return
    const pools = new Set<string>()
    if (counted !== undefined) this.release(counted.allocation, uid, pools)
    if (allocation === undefined) this.counted.delete(uid)
    else {
      this.counted.set(uid, { allocation, key })
      this.take(allocation, uid, key, pools)
    }
    // The devices of a claim rarely change between its allocation and its release.
    if (counted !== undefined && allocation !== undefined && sameDevices(counted.allocation, allocation)) return
    for (const pool of pools) {
      this.revisions.set(pool, this.revisionOf(pool) + 1)
      this.onChange(pool)
    }
  }

  private take(allocation: AllocationResult, uid: string, key: string, pools: Set<string>): void {
    for (const { driver, pool, device, adminAccess, shareID, consumedCapacity } of allocation.devices?.results ?? []) {
      // Devices with admin access are shared with other claims and do not count.
      if (adminAccess === true) continue
      const id = `${driver}/${pool}/${device}`
      const consumed = consumedCapacity === undefined ? undefined : parseConsumed(consumedCapacity)
      const holder: DeviceHolder = { claim: key, uid, shareId: shareID, consumed }
      this.uses.set(id, useOf([...this.holdersOf(id), holder]))
      pools.add(`${driver}/${pool}`)
    }
  }

  private release(allocation: AllocationResult, uid: string, pools: Set<string>): void {
    for (const { driver, pool, device, adminAccess } of allocation.devices?.results ?? []) {
      if (adminAccess === true) continue
      const id = `${driver}/${pool}/${device}`
      const left = this.holdersOf(id).filter((holder) => holder.uid !== uid)
      if (left.length === 0) this.uses.delete(id)
      else this.uses.set(id, useOf(left))
      pools.add(`${driver}/${pool}`)
    }
  }

  private noteExtended({ metadata }: ResourceClaim, isDeleted: boolean, key: string): void {
    if (metadata.annotations?.['resource.kubernetes.io/extended-resource-claim'] !== 'true') return
    for (const { controller, uid } of metadata.ownerReferences ?? []) {
      if (controller !== true) continue
      if (isDeleted) this.extended.delete(uid)
      else this.extended.set(uid, key)
    }
  }
}

function useOf(holders: readonly DeviceHolder[]): DeviceUse {
  let consumed: Map<string, Quantity> | undefined
  for (const holder of holders) {
    if (holder.consumed === undefined) continue
    consumed ??= new Map()
    for (const [name, amount] of holder.consumed) {
      const known = consumed.get(name)
      consumed.set(name, known === undefined ? amount : addQuantities(known, amount))
    }
  }
  return { holders, isTaken: holders.some(({ shareId }) => shareId === undefined), consumed }
}

function parseConsumed(capacity: Readonly<Record<string, string>>): ReadonlyMap<string, Quantity> {
  return new Map(Object.entries(capacity).map(([name, amount]) => [name, quantity(amount)]))
}

function sameDevices(a: AllocationResult, b: AllocationResult): boolean {
  const [x, y] = [a.devices?.results ?? [], b.devices?.results ?? []]
  return (
    x.length === y.length &&
    x.every((one, i) => {
      const other = y[i]
      return (
        one.device === other?.device &&
        one.pool === other.pool &&
        one.driver === other.driver &&
        one.shareID === other.shareID
      )
    })
  )
}

function versionOf({ metadata }: ResourceClaim): number {
  return Number(metadata.resourceVersion ?? 0)
}
