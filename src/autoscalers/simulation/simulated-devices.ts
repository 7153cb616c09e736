import { keyOf } from '../../api/object-key.ts'
import type { ResourceClaim, ResourceSlice } from '../../api/objects/devices.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { isControlledBy } from '../../api/owner-references.ts'
import { claimNameOf, consumerOf } from '../../api/pod-claims.ts'
import type { SchedulerCache } from '../../scheduler/cache/scheduler-cache.ts'
import type { AnyPlugin, ObjectReader, ParsedPod, Profile } from '../../scheduler/contract/contract.ts'

const claimsResource = 'resourceclaims.resource.k8s.io'
const slicesResource = 'resourceslices.resource.k8s.io'
type DeviceResource = typeof claimsResource | typeof slicesResource

/** The slices of only this node, and the claims of the pods on it. */
export interface NodeDevices {
  readonly slices: readonly ResourceSlice[]
  readonly claims: readonly ResourceClaim[]
}

export const noDevices: NodeDevices = { slices: [], claims: [] }

const noSlices: ReadonlyMap<string, ResourceSlice> = new Map()

/**
 * The devices and claims of a simulation (cluster autoscaler 1.36, dynamicresources/snapshot). Pods get the devices
 * that the scheduler would allocate, and new nodes have their own devices.
 */
export class SimulatedDevices {
  private readonly cache: SchedulerCache
  private readonly reserving: AnyPlugin | undefined
  private readonly remember: (undo: () => void) => void
  private readonly arrivals = new Map<string, readonly ResourceClaim[]>()
  private readonly byNode = new Map<string, Map<string, ResourceSlice>>()

  /** @param remember Receives the function that undoes a change. */
  constructor(cache: SchedulerCache, profile: Profile, remember: (undo: () => void) => void) {
    this.cache = cache
    this.reserving = profile.reserve.find(({ name }) => name === 'DynamicResources')
    this.remember = remember
  }

  /** Applies a change of the cluster. */
  take(resource: string, before: KubeObject | undefined, after: KubeObject | undefined): void {
    if (resource === slicesResource) this.index(before as ResourceSlice | undefined, after as ResourceSlice | undefined)
  }

  slicesOf(node: string): readonly ResourceSlice[] {
    return [...(this.byNode.get(node) ?? noSlices).values()]
  }

  /** The existing claims that the pod uses. */
  claimsOf(pod: Pod): readonly ResourceClaim[] {
    const { ledger } = this.cache.devices
    return (pod.spec.resourceClaims ?? []).flatMap((reference) => {
      const named = claimNameOf(pod, reference)
      if (named.kind !== 'named') return []
      return ledger.get(`${pod.metadata.namespace ?? ''}/${named.name}`) ?? []
    })
  }

  /** The claims of a pod on a node, in their state when the simulation added the pod. */
  claimsOnNode(pod: Pod): readonly ResourceClaim[] {
    return this.arrivals.get(pod.metadata.uid ?? '') ?? this.claimsOf(pod)
  }

  /** Records that a simulation adds the pod to a node. */
  noteArrival(pod: Pod): void {
    if ((pod.spec.resourceClaims ?? []).length === 0) return
    const uid = pod.metadata.uid ?? ''
    const before = this.arrivals.get(uid)
    this.arrivals.set(uid, this.claimsOf(pod))
    this.remember(() => {
      if (before === undefined) this.arrivals.delete(uid)
      else this.arrivals.set(uid, before)
    })
  }

  /** Allocates the claims of a pod that fits on the node, and reserves them for it. */
  allocate(parsed: ParsedPod, node: string, states: ReadonlyMap<AnyPlugin, unknown>, objects: ObjectReader): void {
    const { pod } = parsed
    const { reserving, cache } = this
    if (reserving === undefined || (pod.spec.resourceClaims ?? []).length === 0) return
    reserving.reserve?.(parsed, node, states.get(reserving), cache.cluster(objects))
    const claims = this.claimsOf(pod)
    const allocated = claims.map(
      ({ metadata, status }) => status?.allocation ?? cache.devices.ledger.pendingAllocation(metadata.uid ?? ''),
    )
    reserving.unreserve?.(parsed, node, states.get(reserving))
    claims.forEach((claim, at) => {
      const allocation = allocated[at]
      const reserved = (claim.status?.reservedFor ?? []).filter(({ uid }) => uid !== pod.metadata.uid)
      const reservedFor = [...reserved, consumerOf(pod, undefined, undefined)]
      this.setClaim(claim, {
        ...claim,
        status: { ...claim.status, reservedFor, ...(allocation === undefined ? {} : { allocation }) },
      })
    })
  }

  /** Removes the pod from its node: its own claims, and claims that no pod uses any more, release their devices. */
  unreserve(pod: Pod): void {
    for (const claim of this.claimsOf(pod)) {
      const reservedFor = (claim.status?.reservedFor ?? []).filter(({ uid }) => uid !== pod.metadata.uid)
      const { allocation, ...status } = claim.status ?? {}
      const isReleased = reservedFor.length === 0 || isControlledBy(claim, pod)
      this.setClaim(claim, {
        ...claim,
        status: { ...status, reservedFor, ...(isReleased || allocation === undefined ? {} : { allocation }) },
      })
    }
  }

  /** Removes the claims that were created for a deleted pod. */
  removeClaimsOf(pod: Pod): void {
    for (const claim of this.claimsOf(pod)) {
      if (isControlledBy(claim, pod)) this.setClaim(claim, undefined)
      else {
        const reservedFor = (claim.status?.reservedFor ?? []).filter(({ uid }) => uid !== pod.metadata.uid)
        this.setClaim(claim, { ...claim, status: { ...claim.status, reservedFor } })
      }
    }
  }

  add({ slices, claims }: NodeDevices): void {
    for (const slice of slices) this.set(slicesResource, undefined, slice)
    for (const claim of claims) {
      if (this.cache.devices.ledger.get(keyOf(claim)) === undefined) this.setClaim(undefined, claim)
    }
  }

  removeSlicesOf(node: string): void {
    for (const slice of this.slicesOf(node)) this.set(slicesResource, slice, undefined)
  }

  private setClaim(before: ResourceClaim | undefined, after: ResourceClaim | undefined): void {
    this.set(claimsResource, before, after)
  }

  private set(resource: DeviceResource, before: KubeObject | undefined, after: KubeObject | undefined): void {
    this.note(resource, before, after)
    this.remember(() => this.note(resource, after, before))
  }

  private note(resource: DeviceResource, before: KubeObject | undefined, after: KubeObject | undefined): void {
    this.cache.noteChange(resource, before, after)
    this.take(resource, before, after)
  }

  private index(before: ResourceSlice | undefined, after: ResourceSlice | undefined): void {
    if (before?.spec.nodeName !== undefined) {
      const left = this.byNode.get(before.spec.nodeName)
      left?.delete(before.metadata.name)
      if (left?.size === 0) this.byNode.delete(before.spec.nodeName)
    }
    const node = after?.spec.nodeName
    if (after === undefined || node === undefined || node === '') return
    const slices = this.byNode.get(node) ?? new Map<string, ResourceSlice>()
    slices.set(after.metadata.name, after)
    this.byNode.set(node, slices)
  }
}
