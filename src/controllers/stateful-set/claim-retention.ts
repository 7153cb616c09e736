import type { KubeObject, OwnerReference } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { PersistentVolumeClaim } from '../../api/objects/storage.ts'
import type { StatefulSet } from '../../api/objects/workloads.ts'
import { controllerReference, isOwnedBy } from '../../api/owner-references.ts'
import { isInRange, statefulSetKind } from './identity.ts'

const podKind = { apiVersion: 'v1', kind: 'Pod' } as const

type OwnerKind = { readonly apiVersion: string; readonly kind: string }

function policyOf(set: StatefulSet): { readonly whenDeleted: string; readonly whenScaled: string } {
  const { whenDeleted = 'Retain', whenScaled = 'Retain' } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {}
  return { whenDeleted, whenScaled }
}

function refersTo(reference: OwnerReference, object: KubeObject, { apiVersion, kind }: OwnerKind): boolean {
  return reference.apiVersion === apiVersion && reference.kind === kind && reference.name === object.metadata.name
}

/** Reports whether the claim references a former object of the same name. */
function hasStaleReference(claim: PersistentVolumeClaim, object: KubeObject, kind: OwnerKind): boolean {
  const found = claim.metadata.ownerReferences?.find((reference) => refersTo(reference, object, kind))
  return found !== undefined && found.uid !== object.metadata.uid
}

/**
 * Reports whether the claim belongs to a pod that was scaled down. The claim will be garbage-collected, and a new pod
 * must wait for that.
 */
export function isStaleClaim(set: StatefulSet, claim: PersistentVolumeClaim, podName: string): boolean {
  if (policyOf(set).whenScaled === 'Retain') return false
  return hasStaleReference(claim, { metadata: { name: podName } }, podKind)
}

/** Reports whether another controller owns the claim. The retention policy then does not apply. */
export function hasUnexpectedController(claim: PersistentVolumeClaim, set: StatefulSet, pod: Pod): boolean {
  const { whenDeleted, whenScaled } = policyOf(set)
  if (whenDeleted === 'Retain' && whenScaled === 'Retain') return false
  return (claim.metadata.ownerReferences ?? []).some((reference) => {
    if (refersTo(reference, set, statefulSetKind)) return reference.uid !== set.metadata.uid
    if (refersTo(reference, pod, podKind)) return reference.uid !== pod.metadata.uid
    return reference.controller === true
  })
}

/**
 * The owners that the claim should have: the set if the claim is deleted with it; the pod if it was scaled down and the
 * claim is deleted with it (v1.36, updateClaimOwnerRefForSetAndPod).
 */
function wantedOwners(
  claim: PersistentVolumeClaim,
  set: StatefulSet,
  pod: Pod,
  ordinal: number,
): readonly OwnerReference[] {
  const others = (claim.metadata.ownerReferences ?? []).filter(
    (reference) => !refersTo(reference, set, statefulSetKind) && !refersTo(reference, pod, podKind),
  )
  if (hasUnexpectedController(claim, set, pod)) return others
  const { whenDeleted, whenScaled } = policyOf(set)
  const isScaledAway = !isInRange(set, ordinal)
  if (whenScaled === 'Delete' && isScaledAway) return [...others, controllerReference(pod, podKind)]
  if (whenDeleted === 'Delete' && (whenScaled !== 'Delete' || !isScaledAway)) {
    return [...others, controllerReference(set, statefulSetKind)]
  }
  return others
}

/**
 * The claim with the owners that the policy requires; undefined if the owners are up to date (v1.36,
 * isClaimOwnerUpToDate).
 */
export function ownedClaim(
  claim: PersistentVolumeClaim,
  set: StatefulSet,
  pod: Pod,
  ordinal: number,
): PersistentVolumeClaim | undefined {
  if (hasStaleReference(claim, set, statefulSetKind) || hasStaleReference(claim, pod, podKind)) return undefined
  const present = claim.metadata.ownerReferences ?? []
  const owners = wantedOwners(claim, set, pod, ordinal)
  const isOurs = ({ uid }: OwnerReference): boolean => uid === set.metadata.uid || uid === pod.metadata.uid
  const isControlled = present.every((reference) => !isOurs(reference) || reference.controller === true)
  const same = [set, pod].every((owner) => {
    const uid = owner.metadata.uid ?? ''
    return isOwnedBy(claim, uid) === owners.some((reference) => reference.uid === uid)
  })
  if (same && (isControlled || hasUnexpectedController(claim, set, pod))) return undefined
  return { ...claim, metadata: { ...claim.metadata, ownerReferences: owners } }
}
