import type { Call, Outcome } from '../../../api/call.ts'
import { keyOf } from '../../../api/object-key.ts'
import type { AllocationResult, ResourceClaim, ResourceClaimConsumerReference } from '../../../api/objects/devices.ts'
import type { ContainerExtendedResourceRequest, Pod } from '../../../api/objects/pod.ts'
import { isReservedForPod } from '../../../api/pod-claims.ts'
import { formatTime } from '../../../api/time.ts'
import type { PreBindNote, PreBindTurn } from '../../contract/contract.ts'
import type { DeviceInventory } from '../../devices/device-inventory.ts'
import { inMemoryName } from './extended-resources.ts'

// client-go retry.DefaultRetry.
const maxAttempts = 5
const retryMs = 10

export const allocationFinalizer = 'resource.kubernetes.io/delete-protection'

/** A claim of a pod that is being bound. */
export interface BoundClaim {
  claim: ResourceClaim
  /** Written by this pod; undefined for a claim that was allocated before. */
  readonly allocation: AllocationResult | undefined
  /** The claim under which the allocation is pending. */
  readonly pendingUid: string
  readonly isExtended: boolean
  readonly mappings: readonly ContainerExtendedResourceRequest[]
  /** The consumer that reserves the claim: the pod, or its group. */
  readonly consumer: ResourceClaimConsumerReference
}

export type ClaimProgress =
  | { readonly kind: 'done' }
  | { readonly kind: 'calls'; readonly calls: readonly Call[]; readonly notes?: readonly PreBindNote[] }
  | { readonly kind: 'retry'; readonly at: number }
  | { readonly kind: 'failed'; readonly message: string; readonly notes?: readonly PreBindNote[] }

type BindingStep = 'create' | 'finalizer' | 'status' | 'get' | 'podStatus'

/** Writes the allocation and the reservation of one claim (v1.36, bindClaim). */
export class ClaimBinding {
  private readonly bound: BoundClaim
  private readonly pod: Pod
  private readonly devices: DeviceInventory
  private readonly stampsTime: boolean
  private sent: BindingStep | undefined
  private attempts = 1
  private retryAt: number | undefined
  private readonly notes: PreBindNote[] = []

  constructor(bound: BoundClaim, pod: Pod, devices: DeviceInventory, stampsTime: boolean) {
    this.bound = bound
    this.pod = pod
    this.devices = devices
    this.stampsTime = stampsTime
  }

  /** Takes the outcome of the last call, and returns the next one. */
  step({ now }: PreBindTurn, outcome: Outcome | undefined): ClaimProgress {
    const { bound } = this
    if (this.retryAt !== undefined) {
      if (now < this.retryAt) return { kind: 'retry', at: this.retryAt }
      this.retryAt = undefined
      return this.send('get', { ...this.target(), verb: 'get', name: bound.claim.metadata.name })
    }
    if (outcome !== undefined) {
      const failed = this.take(outcome, now)
      if (failed !== undefined) return failed
    }
    return this.next()
  }

  private take(outcome: Outcome, now: number): ClaimProgress | undefined {
    const { sent, bound } = this
    this.sent = undefined
    if (sent === 'create') this.notes.push({ kind: 'claimCreated', succeeded: outcome.ok })
    if (!outcome.ok) return this.failure(sent, outcome.status.message ?? '', outcome.status.reason, now)
    if (sent === 'podStatus') {
      this.isFinished = true
      return undefined
    }
    const object = outcome.kind === 'object' ? (outcome.object as ResourceClaim) : undefined
    if (object !== undefined) bound.claim = object
    if (sent === 'status') {
      this.devices.ledger.assume(bound.claim)
      this.devices.ledger.endAllocation(bound.pendingUid, true)
      this.isWritten = true
    }
    return undefined
  }

  private isWritten = false
  private isFinished = false

  private next(): ClaimProgress {
    const { bound, pod } = this
    if (this.isFinished) return { kind: 'done' }
    if (this.isWritten) {
      if (!bound.isExtended) return { kind: 'done' }
      return this.patchPod()
    }
    const { claim, allocation } = bound
    if (claim.metadata.name === inMemoryName) {
      const { name: _, uid: __, ...metadata } = claim.metadata
      const object = { metadata, spec: claim.spec } as unknown as ResourceClaim
      return this.send('create', { ...this.target(), verb: 'create', object })
    }
    const at = keyOf(claim)
    if (claim.metadata.deletionTimestamp !== undefined) return this.end(`claim ${at} got deleted in the meantime`)
    if (allocation !== undefined) {
      if (claim.status?.allocation !== undefined) {
        return this.end(`claim ${at} got allocated elsewhere in the meantime`)
      }
      const { finalizers = [] } = claim.metadata
      if (!finalizers.includes(allocationFinalizer)) {
        const metadata = { ...claim.metadata, finalizers: [...finalizers, allocationFinalizer] }
        return this.send('finalizer', this.update({ ...claim, metadata }))
      }
    } else if (this.stampsTime && claim.status?.allocation === undefined) {
      return this.end(`claim ${at} got deallocated elsewhere in the meantime`)
    }
    if (isReservedForPod(pod, claim)) return { kind: 'done' }
    return this.send('status', { ...this.update(this.reserved()), subresource: 'status' })
  }

  private reserved(): ResourceClaim {
    const { claim, allocation, consumer } = this.bound
    const written = allocation ?? claim.status?.allocation
    const stamped =
      written === undefined || !this.stampsTime || written.allocationTimestamp !== undefined
        ? written
        : { ...written, allocationTimestamp: formatTime(this.devices.wall) }
    return {
      ...claim,
      status: {
        ...claim.status,
        ...(stamped === undefined ? {} : { allocation: stamped }),
        reservedFor: [...(claim.status?.reservedFor ?? []), consumer],
      },
    }
  }

  private patchPod(): ClaimProgress {
    const { claim, mappings } = this.bound
    const { namespace = '', name } = this.pod.metadata
    if (mappings.length === 0) {
      return this.end(
        `nil or empty request mappings, no update of pod ${namespace}/${name} ExtendedResourceClaimStatus`,
      )
    }
    const status = {
      extendedResourceClaimStatus: {
        requestMappings: mappings.map((mapping) => ({ ...mapping })),
        resourceClaimName: claim.metadata.name,
      },
    }
    return this.send('podStatus', {
      verb: 'patch',
      resource: 'pods',
      namespace,
      name,
      subresource: 'status',
      patch: { kind: 'strategic', patch: { status } },
    })
  }

  private failure(
    sent: BindingStep | undefined,
    message: string,
    reason: string | undefined,
    now: number,
  ): ClaimProgress {
    const { claim, allocation } = this.bound
    const { namespace = '', name } = this.pod.metadata
    const at = keyOf(claim)
    if (reason === 'Conflict' && (sent === 'finalizer' || sent === 'status') && this.attempts < maxAttempts) {
      this.attempts++
      this.retryAt = now + retryMs
      return { kind: 'retry', at: this.retryAt }
    }
    switch (sent) {
      case 'create':
        return this.end(`create claim for extended resources ${namespace}/: ${message}`)
      case 'finalizer':
        return this.end(`add finalizer to claim ${at}: ${message}`)
      case 'get':
        return this.end(`get updated claim ${at} after conflict: ${message}`)
      case 'podStatus':
        return this.end(`update pod ${namespace}/${name} ExtendedResourceClaimStatus: ${message}`)
      default:
        return this.end(
          `add ${allocation === undefined ? '' : 'allocation and '}reservation to claim ${at}: ${message}`,
        )
    }
  }

  private end(message: string): ClaimProgress {
    return { kind: 'failed', message, notes: this.takeNotes() }
  }

  private send(step: BindingStep, call: Call): ClaimProgress {
    this.sent = step
    return { kind: 'calls', calls: [call], notes: this.takeNotes() }
  }

  private takeNotes(): readonly PreBindNote[] {
    return this.notes.splice(0)
  }

  private target() {
    const { namespace } = this.bound.claim.metadata
    return { resource: 'resourceclaims.resource.k8s.io' as const, ...(namespace === undefined ? {} : { namespace }) }
  }

  private update(object: ResourceClaim) {
    return { ...this.target(), verb: 'update' as const, name: object.metadata.name, object }
  }
}
