import type { DeviceTaint, DeviceToleration } from '../../api/objects/devices.ts'
import type { Node } from '../../api/objects/node.ts'
import { addQuantities, type Quantity } from '../../api/quantity.ts'
import type { AttributeConstraint } from './attribute-constraints.ts'
import { type ConsumedCapacity, consumedCapacity, fitsCapacity } from './capacity-policy.ts'
import type { DeviceUsage } from './claim-ledger.ts'
import { CounterBook } from './counter-book.ts'
import type { DeviceFeatures } from './device-features.ts'
import { type DevicePool, matchesNode } from './device-pools.ts'
import type { DeviceSelectors } from './device-selectors.ts'
import type { PoolDevice } from './pool-device.ts'
import { AllocationFailure, type ClaimRequests, claimName, type RequestData } from './request-data.ts'

/** resource.k8s.io/v1, AllocationResultsMaxSize. */
export const maxDevicesPerClaim = 32

/** A device that the search selected. */
export interface ChosenDevice {
  readonly device: PoolDevice
  readonly request: RequestData
  readonly consumed: ConsumedCapacity | undefined
  /** Set if the device is shared and this is one of its allocations. */
  readonly isShare: boolean
}

/** The reason why a device was not selected for a request. */
export type DeviceRefusal =
  | { readonly kind: 'inUse' }
  | { readonly kind: 'selector'; readonly expression: string; readonly ofClass: boolean }
  | { readonly kind: 'otherNode' }
  | { readonly kind: 'bindingConditions' }
  | { readonly kind: 'capacity' }
  | { readonly kind: 'counters' }
  | { readonly kind: 'tainted'; readonly taint: DeviceTaint }
  | { readonly kind: 'constraint'; readonly index: number }

export type ObserveRefusal = (claim: number, request: RequestData, device: PoolDevice, refusal: DeviceRefusal) => void

export interface SearchInput {
  readonly node: Node
  readonly pools: readonly DevicePool[]
  readonly usage: DeviceUsage
  readonly selectors: DeviceSelectors
  readonly features: DeviceFeatures
  readonly claims: readonly ClaimRequests[]
  readonly constraints: readonly (readonly AttributeConstraint[])[]
  /** The number of steps after which the search gives up. */
  readonly maxSteps: number
  /** Called for every device that is not selected, for explanations. */
  readonly observe?: ObserveRefusal
}

/** The search took more steps than allowed. */
export class SearchTimeout extends Error {
  override readonly name = 'SearchTimeout'
}

/** `exceeded`: no solution has few enough devices, whatever the devices of earlier requests are. */
type SearchOutcome = 'done' | 'none' | 'exceeded'

/**
 * A depth-first search for devices, in upstream's order, so that the same devices are chosen: claim by claim, request by
 * request, and for each request the devices in the order of pools, slices and devices (v1.36, allocateOne).
 */
export class AllocationSearch {
  /** The chosen devices of each claim. */
  readonly results: ChosenDevice[][]
  private readonly input: SearchInput
  private readonly counters: CounterBook
  /** Devices chosen in this search, with the claims that they were chosen for. */
  private readonly choosing = new Map<string, Set<number>>()
  private readonly sharing = new Map<string, ConsumedCapacity>()
  private steps = 0

  constructor(input: SearchInput) {
    this.input = input
    this.counters = new CounterBook(input.usage)
    this.results = input.claims.map(() => [])
  }

  /** Returns whether devices were found for all claims. Throws an AllocationFailure or a SearchTimeout. */
  run(): boolean {
    const outcome = this.nextClaim(0)
    if (outcome === 'exceeded') throw new AllocationFailure('allocation max size exceeded')
    return outcome === 'done'
  }

  /** The devices of a request for all devices. */
  findAll(claim: number, request: RequestData): readonly PoolDevice[] {
    const { pools, claims, features } = this.input
    const at = `claim ${claimName((claims[claim] as ClaimRequests).claim)}, request ${request.name}`
    const found: PoolDevice[] = []
    for (const pool of pools) {
      const asks = `${at}: asks for all devices, but resource pool ${pool.id} is currently`
      if (pool.isIncomplete) throw new AllocationFailure(`${asks} being updated`)
      if (pool.invalidReason !== undefined) throw new AllocationFailure(`${asks} invalid`)
      for (const device of pool.devices) {
        if (!this.isSelectable(claim, request, device)) continue
        // From v1.37 on, a device without enough capacity left makes the request fail.
        const fits =
          features.minor >= 37 ? this.fitsEmpty(request, device, at) : this.hasCapacity(claim, request, device)
        if (features.consumableCapacity && !fits) continue
        found.push(device)
      }
    }
    return found
  }

  private nextClaim(claim: number): SearchOutcome {
    this.step()
    if (claim >= this.input.claims.length) return 'done'
    return this.nextRequest(claim, 0)
  }

  private nextRequest(claim: number, index: number): SearchOutcome {
    const { requests, selected } = this.input.claims[claim] as ClaimRequests
    const alternatives = requests[index]
    if (alternatives === undefined) {
      const outcome = this.nextClaim(claim + 1)
      // Another alternative of an earlier request of an earlier claim may need fewer devices here.
      return outcome === 'exceeded' ? 'none' : outcome
    }
    const only = alternatives[0] as RequestData
    if (only.parent === undefined) return this.nextDevice(claim, index, only, 0, 0, 0)
    let allExceeded = true
    for (const [i, alternative] of alternatives.entries()) {
      const outcome = this.nextDevice(claim, index, alternative, 0, 0, 0)
      if (outcome === 'exceeded') continue
      allExceeded = false
      if (outcome !== 'done') continue
      selected[index] = i
      return 'done'
    }
    return allExceeded ? 'exceeded' : 'none'
  }

  /** Finds the device `nth` of a request, starting at a position in the pools. */
  private nextDevice(
    claim: number,
    index: number,
    request: RequestData,
    nth: number,
    fromPool: number,
    fromDevice: number,
  ): SearchOutcome {
    this.step()
    const { pools, features } = this.input
    if (request.wantsAll && request.allDevices.length === 0) return 'none'
    if (nth >= request.numDevices) return this.nextRequest(claim, index + 1)
    const chosen = this.results[claim] as ChosenDevice[]
    if (chosen.length + request.numDevices - nth > maxDevicesPerClaim) return 'exceeded'
    if (request.wantsAll) return this.takeAll(claim, index, request, nth)
    for (let p = fromPool; p < pools.length; p++) {
      const pool = pools[p] as DevicePool
      if (isSkipped(pool, features)) continue
      const { devices } = pool
      for (let d = p === fromPool ? fromDevice : 0; d < devices.length; d++) {
        const device = devices[d] as PoolDevice
        if (!this.isCandidate(claim, request, device)) continue
        const undo = this.choose(claim, request, device, pool, false)
        if (undo === undefined) continue
        const outcome = this.nextDevice(claim, index, request, nth + 1, p, d + 1)
        if (outcome === 'done') return 'done'
        undo()
        if (outcome === 'exceeded') return 'exceeded'
      }
    }
    return 'none'
  }

  private takeAll(claim: number, index: number, request: RequestData, nth: number): SearchOutcome {
    const device = request.allDevices[nth] as PoolDevice
    const pool = this.input.pools.find(({ id }) => id === device.poolId) as DevicePool
    const undo = this.choose(claim, request, device, pool, true)
    if (undo === undefined) return 'none'
    const next = this.afterAll(claim, index, request)
    const outcome = this.nextDevice(claim, index, next, nth + 1, 0, 0)
    if (outcome !== 'done') undo()
    return outcome
  }

  /** Up to v1.35 a subrequest for all devices continues as the first subrequest. */
  private afterAll(claim: number, index: number, request: RequestData): RequestData {
    if (this.input.features.minor >= 36 || request.parent === undefined) return request
    return (this.input.claims[claim] as ClaimRequests).requests[index]?.[0] ?? request
  }

  private step(): void {
    if (++this.steps > this.input.maxSteps) throw new SearchTimeout()
  }

  /** The cheap checks first, then the selectors, then the capacity. */
  private isCandidate(claim: number, request: RequestData, device: PoolDevice): boolean {
    if (request.adminAccess ? this.isChosenFor(device, claim) : this.isInUse(device)) {
      if (this.input.observe !== undefined) this.observeInUse(this.input.observe, claim, request, device)
      return false
    }
    if (!this.isSelectable(claim, request, device)) return false
    if (!this.input.features.consumableCapacity) return true
    if (this.hasCapacity(claim, request, device)) return true
    this.input.observe?.(claim, request, device, { kind: 'capacity' })
    return false
  }

  /** A device that the selectors exclude does not help when it is free again, so an explanation names the selector. */
  private observeInUse(observe: ObserveRefusal, claim: number, request: RequestData, device: PoolDevice): void {
    try {
      if (!this.isSelectable(claim, request, device)) return
    } catch (error) {
      // The search does not evaluate the selectors of a device in use, so their errors do not end it.
      if (!(error instanceof AllocationFailure)) throw error
    }
    observe(claim, request, device, { kind: 'inUse' })
  }

  private isSelectable(claim: number, request: RequestData, device: PoolDevice): boolean {
    const { features, node, observe } = this.input
    if (!features.bindingConditions && (device.device.bindingConditions?.length ?? 0) > 0) {
      observe?.(claim, request, device, { kind: 'bindingConditions' })
      return false
    }
    if (!this.selectorsMatch(claim, request, device)) return false
    if (device.slice.spec.perDeviceNodeSelection !== true) return true
    const match = matchesNode(node, device.device)
    if (typeof match === 'object') throw new AllocationFailure(match.error)
    if (!match) observe?.(claim, request, device, { kind: 'otherNode' })
    return match
  }

  private selectorsMatch(claim: number, request: RequestData, device: PoolDevice): boolean {
    const { selectors, claims, observe } = this.input
    const ofClass = request.class.spec.selectors ?? []
    const count = ofClass.length
    for (let i = 0; i < count + request.selectors.length; i++) {
      const expression = (i < count ? ofClass[i] : request.selectors[i - count])?.cel?.expression ?? ''
      const answer = selectors.match(expression, device, () =>
        i < count
          ? `class ${request.class.metadata.name}: selector #${i}`
          : `claim ${claimName((claims[claim] as ClaimRequests).claim)}: selector #${i - count}`,
      )
      if (typeof answer === 'object') throw new AllocationFailure(answer.error)
      if (answer) continue
      observe?.(claim, request, device, { kind: 'selector', expression, ofClass: i < count })
      return false
    }
    return true
  }

  private hasCapacity(claim: number, { capacity, name }: RequestData, device: PoolDevice): boolean {
    if (capacity === undefined && device.capacity.length === 0) return true
    const { usage, features } = this.input
    const used = [usage.consumed(device.id), this.sharing.get(device.id)]
    const answer = fitsCapacity(device, capacity, used, features)
    if (typeof answer === 'string') return answer === 'fits'
    if (features.minor < 37) return false
    const at = `claim ${claimName((this.input.claims[claim] as ClaimRequests).claim)}, request ${name}`
    throw new AllocationFailure(`${at}: checking capacity for device ${device.id}: ${answer.fatal}`)
  }

  /** Reports whether the whole device has enough capacity. */
  private fitsEmpty({ capacity }: RequestData, device: PoolDevice, at: string): boolean {
    const answer = fitsCapacity(device, capacity, [], this.input.features)
    if (typeof answer === 'string') return answer === 'fits'
    throw new AllocationFailure(`${at}: checking capacity for device ${device.device.name}: ${answer.fatal}`)
  }

  /**
   * Chooses a device if it is available and the constraints permit it (allocateDevice). Returns the function that undoes
   * the choice, or undefined.
   */
  private choose(
    claim: number,
    request: RequestData,
    device: PoolDevice,
    pool: DevicePool,
    must: boolean,
  ): (() => void) | undefined {
    const { features, observe } = this.input
    const isShare = features.consumableCapacity && device.device.allowMultipleAllocations === true
    const refused =
      (!isShare && request.adminAccess && this.isChosenFor(device, claim)) ||
      (!request.adminAccess && this.isInUse(device))
    if (refused) {
      observe?.(claim, request, device, { kind: 'inUse' })
      return undefined
    }
    const usesCounters = device.counters.length > 0
    if (usesCounters && !features.partitionableDevices) return undefined
    const reserves = usesCounters && !(isShare && this.isShared(device))
    if (reserves && !this.counters.reserve(device, pool)) {
      observe?.(claim, request, device, { kind: 'counters' })
      return undefined
    }
    const undoCounters = (): void => {
      if (reserves) this.counters.release(device)
    }
    const taint = features.deviceTaints ? blockingTaint(device, request) : undefined
    if (taint !== undefined) {
      observe?.(claim, request, device, { kind: 'tainted', taint })
      undoCounters()
      return undefined
    }
    const added = this.addToConstraints(claim, request, device, must, undoCounters)
    if (added === undefined) return undefined
    return this.record(claim, request, device, isShare, () => {
      added()
      undoCounters()
    })
  }

  private addToConstraints(
    claim: number,
    request: RequestData,
    device: PoolDevice,
    must: boolean,
    undoCounters: () => void,
  ): (() => void) | undefined {
    const { constraints, claims, observe } = this.input
    const all = constraints[claim] as readonly AttributeConstraint[]
    const base = request.parent ?? request.name
    const sub = request.parent === undefined ? undefined : request.name
    const removeFirst = (count: number): void => {
      for (let i = count - 1; i >= 0; i--) (all[i] as AttributeConstraint).remove(base, sub)
    }
    const violated = all.findIndex((constraint) => !constraint.add(base, sub, device))
    if (violated < 0) return () => removeFirst(all.length)
    observe?.(claim, request, device, { kind: 'constraint', index: violated })
    removeFirst(violated)
    undoCounters()
    if (!must) return undefined
    const { claim: object } = claims[claim] as ClaimRequests
    throw new AllocationFailure(
      `claim ${claimName(object)}, request ${request.name}: cannot add device ${device.id} because a claim constraint would not be satisfied`,
    )
  }

  private record(
    claim: number,
    request: RequestData,
    device: PoolDevice,
    isShare: boolean,
    undoAll: () => void,
  ): (() => void) | undefined {
    const { features } = this.input
    const { id } = device
    if (!isShare) this.mark(id, claim)
    const unmark = (): void => {
      if (!isShare) this.choosing.get(id)?.delete(claim)
      undoAll()
    }
    if (features.consumableCapacity && !this.hasCapacity(claim, request, device)) {
      unmark()
      return undefined
    }
    const consumed = isShare ? consumedCapacity(device, request.capacity, features) : undefined
    const before = this.sharing.get(id)
    if (consumed !== undefined) this.sharing.set(id, sumOf(before, consumed))
    const chosen = this.results[claim] as ChosenDevice[]
    const length = chosen.length
    chosen.push({ device, request, consumed, isShare })
    return () => {
      chosen.length = length
      if (consumed !== undefined) {
        if (before === undefined) this.sharing.delete(id)
        else this.sharing.set(id, before)
      }
      unmark()
    }
  }

  private mark(id: string, claim: number): void {
    const claims = this.choosing.get(id)
    if (claims === undefined) this.choosing.set(id, new Set([claim]))
    else claims.add(claim)
  }

  private isChosenFor({ id }: PoolDevice, claim: number): boolean {
    return this.choosing.get(id)?.has(claim) === true
  }

  private isInUse({ id }: PoolDevice): boolean {
    const { usage, features } = this.input
    // Without consumable capacity, a share is the whole device.
    const isTaken = features.consumableCapacity ? usage.isTaken(id) : usage.isHeld(id)
    return isTaken || (this.choosing.get(id)?.size ?? 0) > 0
  }

  /** Another share already reserved the counters of the device. */
  private isShared({ id }: PoolDevice): boolean {
    const { usage, features } = this.input
    if (usage.consumed(id) !== undefined || this.sharing.has(id)) return true
    return features.minor >= 37 && usage.holdersOf(id).some(({ shareId }) => shareId !== undefined)
  }
}

/** Devices of incomplete or invalid pools are not chosen. Up to v1.34 an invalid pool is an error. */
function isSkipped({ isIncomplete, invalidReason, id }: DevicePool, { minor }: DeviceFeatures): boolean {
  if (minor >= 35) return isIncomplete || invalidReason !== undefined
  if (invalidReason !== undefined) {
    throw new AllocationFailure(`pool ${id.slice(id.indexOf('/') + 1)} is invalid: ${invalidReason}`)
  }
  return false
}

/** The first taint that prevents the allocation. Taints with other effects are ignored. */
function blockingTaint({ device }: PoolDevice, { tolerations }: RequestData): DeviceTaint | undefined {
  return device.taints?.find(
    (taint) =>
      (taint.effect === 'NoSchedule' || taint.effect === 'NoExecute') &&
      !(tolerations ?? []).some((toleration) => toleratesTaint(toleration, taint)),
  )
}

/** Reports whether a toleration tolerates a taint of a device (v1.36, resourceclaim ToleratesTaint). */
export function toleratesTaint(toleration: DeviceToleration, taint: DeviceTaint): boolean {
  const { effect = '', key = '', operator = 'Equal', value = '' } = toleration
  if (effect !== '' && effect !== taint.effect) return false
  if (key !== '' && key !== taint.key) return false
  if (operator === 'Exists') return true
  return ((operator as string) === '' || operator === 'Equal') && value === (taint.value ?? '')
}

function sumOf(a: ConsumedCapacity | undefined, b: ConsumedCapacity): ConsumedCapacity {
  if (a === undefined) return b
  const sum = new Map<string, Quantity>(a)
  for (const [name, amount] of b) {
    const known = sum.get(name)
    sum.set(name, known === undefined ? amount : addQuantities(known, amount))
  }
  return sum
}
