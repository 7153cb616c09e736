import type { Call } from '../../../api/call.ts'
import { deleteCall, patchStatusCall, updateCall } from '../../../api/object-calls.ts'
import { keyOf } from '../../../api/object-key.ts'
import type { ResourceClaim } from '../../../api/objects/devices.ts'
import type { PodGroup } from '../../../api/objects/groups.ts'
import { consumerOf, isReservedForPod } from '../../../api/pod-claims.ts'
import type { ParsedPod, PreBindNote, PreBindProgress, PreBindTurn } from '../../contract/contract.ts'
import { failure } from '../../contract/contract.ts'
import type { DeviceInventory } from '../../devices/device-inventory.ts'
import { bindingState, hasBindingConditions } from './binding-conditions.ts'
import { allocationFinalizer, type BoundClaim, ClaimBinding } from './claim-binding.ts'
import type { ClaimState, DeviceSettings, NodeAllocation } from './claim-state.ts'
import { inMemoryName } from './extended-resources.ts'
import { withShareIds } from './share-ids.ts'

// v1.36, PreBind polls every five seconds.
const pollMs = 5000

/** The claims of a pod from Reserve to the end of its binding. */
export class ClaimReservation {
  private readonly pod: ParsedPod
  private readonly node: string
  private readonly devices: DeviceInventory
  private readonly settings: DeviceSettings
  private readonly bound: readonly BoundClaim[]
  private readonly bindings: readonly ClaimBinding[]
  private next = 0
  private waitingSince: number | undefined
  private pollAt = 0

  constructor(
    pod: ParsedPod,
    node: string,
    state: ClaimState,
    { results, extendedClaim, mappings }: NodeAllocation,
    settings: DeviceSettings,
    group: PodGroup | undefined,
  ) {
    this.pod = pod
    this.node = node
    this.devices = state.devices
    this.settings = settings
    let allocated = 0
    const { resourceClaims = [] } = pod.pod.spec
    this.bound = state.claims.map((claim, i) => {
      const isExtended = claim === state.extended
      const object = isExtended ? (extendedClaim ?? claim) : claim
      const result = claim.status?.allocation === undefined ? results[allocated++] : undefined
      const allocation = result === undefined ? undefined : withShareIds(result, object)
      const consumer = consumerOf(pod.pod, group, resourceClaims[i])
      return { claim: object, allocation, pendingUid: object.metadata.uid ?? '', isExtended, mappings, consumer }
    })
    this.bindings = this.bound
      // Extended resources of device plugins need no claim.
      .filter(({ allocation, isExtended }) => !(isExtended && allocation === undefined))
      .filter(({ claim }) => !isReservedForPod(pod.pod, claim, settings.features.workloadClaims))
      .map((claim) => new ClaimBinding(claim, pod.pod, this.devices, settings.features.bindingConditions))
  }

  /** Other pods do not get the devices from now on. */
  begin(): void {
    for (const { claim, allocation } of this.bound) {
      if (allocation !== undefined) this.devices.ledger.beginAllocation(claim, allocation)
    }
  }

  /** Writes the claims one after the other, then waits until the devices are ready. */
  preBind(turn: PreBindTurn): PreBindProgress {
    const notes: PreBindNote[] = []
    let outcome = turn.outcomes[0]?.outcome
    for (;;) {
      const binding = this.bindings[this.next]
      if (binding === undefined) break
      const progress = binding.step(turn, outcome)
      outcome = undefined
      if ('notes' in progress) notes.push(...(progress.notes ?? []))
      switch (progress.kind) {
        case 'done':
          this.next++
          continue
        case 'calls':
          return { kind: 'waiting', calls: progress.calls, notes }
        case 'retry':
          return { kind: 'waiting', deadlineAt: progress.at, notes }
        case 'failed':
          return { kind: 'failed', status: failure(progress.message), notes }
      }
    }
    return this.awaitDevices(turn, notes)
  }

  /** Releases the devices. Returns the calls that undo what was written. */
  release(): readonly Call[] {
    const { ledger } = this.devices
    const calls: Call[] = []
    for (const { claim, pendingUid, isExtended } of this.bound) {
      if (ledger.endAllocation(pendingUid)) ledger.restore(keyOf(claim))
      if (isExtended) {
        if (claim.metadata.name !== inMemoryName) calls.push(...deletionOf(claim))
      } else if (claim.status?.allocation !== undefined && isReservedForPod(this.pod.pod, claim)) {
        calls.push(unreserveCall(claim, this.pod.uid))
      }
    }
    return calls
  }

  private awaitDevices({ now }: PreBindTurn, notes: PreBindNote[]): PreBindProgress {
    const { features, bindingTimeoutMs } = this.settings
    if (!features.bindingConditions) return { kind: 'done', notes }
    if (this.waitingSince === undefined) {
      if (!this.bound.some(({ claim }) => hasBindingConditions(claim))) return { kind: 'done', notes }
      this.waitingSince = now
      this.pollAt = now
      const message = `waiting for binding conditions for device on node ${this.node}`
      notes.push({ kind: 'event', reason: 'BindingConditionsPending', action: 'Scheduling', message })
    }
    const giveUpAt = this.waitingSince + bindingTimeoutMs
    if (now >= this.pollAt) {
      const state = this.pollDevices()
      if (state.kind === 'ready') return { kind: 'done', notes: [...notes, this.observed('success', now)] }
      if (state.kind === 'failed') return this.failed(state.message, 'failure', now, notes)
      if (state.kind === 'timedOut') return this.failed(state.message, 'timeout', now, notes)
      if (state.kind === 'missing') return this.failed(state.message, 'error', now, notes)
      while (this.pollAt <= now) this.pollAt += pollMs
    }
    if (now < giveUpAt) return { kind: 'waiting', deadlineAt: Math.min(this.pollAt, giveUpAt), notes }
    return this.failed('device binding timeout: context deadline exceeded', 'timeout', now, notes)
  }

  private pollDevices():
    | { readonly kind: 'ready' | 'waiting' }
    | { readonly kind: 'failed' | 'timedOut' | 'missing'; readonly message: string } {
    const { ledger, wall } = this.devices
    for (const one of this.bound) {
      const key = keyOf(one.claim)
      const claim = ledger.get(key)
      if (claim === undefined) {
        return { kind: 'missing', message: `could not find ResourceClaim ${JSON.stringify(key)}` }
      }
      one.claim = claim
      const state = bindingState(claim, this.settings.bindingTimeoutMs, wall)
      if (state.kind === 'failed') return state
      if (state.kind === 'timedOut') {
        return { kind: 'timedOut', message: `device binding timeout: claim=${claim.metadata.name}` }
      }
      if (state.kind === 'waiting') return { kind: 'waiting' }
    }
    return { kind: 'ready' }
  }

  private failed(
    message: string,
    status: 'failure' | 'timeout' | 'error',
    now: number,
    notes: readonly PreBindNote[],
  ): PreBindProgress {
    return { kind: 'failed', status: failure(message), notes: [...notes, this.observed(status, now)] }
  }

  private observed(status: 'success' | 'failure' | 'timeout' | 'error', now: number): PreBindNote {
    const results = this.bound.flatMap(({ claim }) => claim.status?.allocation?.devices?.results ?? [])
    return {
      kind: 'bindingConditions',
      status,
      durationMs: now - (this.waitingSince ?? now),
      drivers: results.map(({ driver }) => driver),
      conditionalDrivers: results
        .filter(({ bindingConditions = [] }) => bindingConditions.length > 0)
        .map(({ driver }) => driver),
    }
  }
}

/** Removes a consumer from the reservations of a claim. */
export function unreserveCall(claim: ResourceClaim, consumer: string): Call {
  const { uid = '' } = claim.metadata
  return patchStatusCall('resourceclaims.resource.k8s.io', claim, {
    metadata: { uid },
    status: { reservedFor: [{ $patch: 'delete', uid: consumer }] },
  })
}

/** The calls that delete a claim: its finalizer is removed first. */
export function deletionOf(claim: ResourceClaim): readonly Call[] {
  const { finalizers = [] } = claim.metadata
  const left = finalizers.filter((finalizer) => finalizer !== allocationFinalizer)
  const object: ResourceClaim = { ...claim, metadata: { ...claim.metadata, finalizers: left } }
  return [updateCall('resourceclaims.resource.k8s.io', object), deleteCall('resourceclaims.resource.k8s.io', claim)]
}
