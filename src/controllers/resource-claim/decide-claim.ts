import type { ResourceClaim, ResourceClaimConsumerReference, ResourceClaimStatus } from '../../api/objects/devices.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { claimFinalizer, isGroupReference, isPodReference } from '../../api/pod-claims.ts'
import { isPodDone } from './decide-pod.ts'

export type Consumer = ResourceClaimConsumerReference

/** The known facts about the consumers of a claim. */
export interface ConsumerWorld {
  /** The object was seen and deleted. */
  isDeleted(uid: string): boolean
  pod(name: string): Pod | undefined
  group(name: string): { readonly metadata: { readonly uid?: string } } | undefined
  /** The answer of the API server about a consumer that is not in the view. */
  answer(consumer: Consumer): 'there' | 'gone' | undefined
  readonly workloadClaims: boolean
  readonly refusesOtherConsumers: boolean
}

export type ReservationVerdict =
  /** These consumers are unknown: the API server must be asked before their reservations are removed. */
  | { readonly kind: 'ask'; readonly consumers: readonly Consumer[] }
  | { readonly kind: 'remaining'; readonly consumers: readonly Consumer[] }
  /** Up to v1.35: the claim has a consumer of an unknown kind, and is not changed. */
  | { readonly kind: 'unsupported' }

/**
 * Determines which reservations of a claim are still valid (v1.36, syncClaim). Reservations of unknown kinds of
 * consumers are kept.
 */
export function judgeReservations(claim: ResourceClaim, world: ConsumerWorld): ReservationVerdict {
  const unknown: Consumer[] = []
  const remaining: Consumer[] = []
  for (const consumer of claim.status?.reservedFor ?? []) {
    if (world.refusesOtherConsumers && !isPodReference(consumer)) return { kind: 'unsupported' }
    const verdict = judge(consumer, world)
    if (verdict === 'unknown') unknown.push(consumer)
    else if (verdict === 'valid') remaining.push(consumer)
  }
  return unknown.length > 0 ? { kind: 'ask', consumers: unknown } : { kind: 'remaining', consumers: remaining }
}

function judge(consumer: Consumer, world: ConsumerWorld): 'valid' | 'stale' | 'unknown' {
  const isPod = isPodReference(consumer)
  if (!isPod && !(world.workloadClaims && isGroupReference(consumer))) return 'valid'
  if (world.isDeleted(consumer.uid)) return 'stale'
  const found = isPod ? world.pod(consumer.name) : world.group(consumer.name)
  if (found === undefined) {
    const answer = world.answer(consumer)
    if (answer === undefined) return 'unknown'
    return answer === 'there' ? 'valid' : 'stale'
  }
  if (found.metadata.uid !== consumer.uid) return 'stale'
  return isPod && isPodDone(found as Pod) ? 'stale' : 'valid'
}

/** The next step for a claim. */
export type ClaimCleanup =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'status'; readonly claim: ResourceClaim }
  | { readonly kind: 'finalizer'; readonly claim: ResourceClaim }
  | { readonly kind: 'delete' }

/**
 * A claim is deallocated when its last consumer is deleted, and only then, because a claim that is allocated and unused
 * is valid.
 */
export function decideClaim(claim: ResourceClaim, remaining: readonly Consumer[], owner: OwnerState): ClaimCleanup {
  const reserved = claim.status?.reservedFor ?? []
  const hasFinalizer = claim.metadata.finalizers?.includes(claimFinalizer) ?? false
  if (remaining.length < reserved.length) {
    return { kind: 'status', claim: withReservations(claim, remaining, remaining.length === 0 && hasFinalizer) }
  }
  if (hasFinalizer && claim.metadata.deletionTimestamp !== undefined && remaining.length === 0) {
    return claim.status?.allocation === undefined
      ? { kind: 'finalizer', claim: withoutFinalizer(claim) }
      : { kind: 'status', claim: withReservations(claim, remaining, true) }
  }
  return remaining.length === 0 && owner === 'done' ? { kind: 'delete' } : { kind: 'nothing' }
}

/** Reports whether a finalizer must be removed after a status was written. */
export function leavesFinalizer(claim: ResourceClaim): boolean {
  return claim.status?.allocation === undefined && (claim.metadata.finalizers?.includes(claimFinalizer) ?? false)
}

export function withoutFinalizer(claim: ResourceClaim): ResourceClaim {
  const { finalizers = [], ...meta } = claim.metadata
  const left = finalizers.filter((one) => one !== claimFinalizer)
  return { ...claim, metadata: left.length === 0 ? meta : { ...meta, finalizers: left } }
}

function withReservations(claim: ResourceClaim, remaining: readonly Consumer[], deallocates: boolean): ResourceClaim {
  const { allocation, reservedFor: _, ...rest } = claim.status ?? {}
  const status: ResourceClaimStatus = {
    ...rest,
    ...(allocation === undefined || deallocates ? {} : { allocation }),
    ...(remaining.length === 0 ? {} : { reservedFor: remaining }),
  }
  return { ...claim, status }
}

export type OwnerState = 'none' | 'needs' | 'done'

/** Reports whether the pod for which a claim was generated will not run. An unknown pod may be new. */
export function ownerState(claim: ResourceClaim, podOf: (name: string) => Pod | undefined): OwnerState {
  const owner = claim.metadata.ownerReferences?.find(
    ({ controller, apiVersion, kind }) => controller === true && apiVersion === 'v1' && kind === 'Pod',
  )
  if (owner === undefined) return 'none'
  const pod = podOf(owner.name)
  if (pod === undefined) return 'needs'
  return pod.metadata.uid !== owner.uid || isPodDone(pod) ? 'done' : 'needs'
}
