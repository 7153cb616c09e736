import type { ResourceClaim } from '../../../api/objects/devices.ts'
import type { Pod, PodResourceClaim } from '../../../api/objects/pod.ts'

export type FindClaim = (key: string) => ResourceClaim | undefined

/** The claims of a pod in order, or why the pod cannot be scheduled yet (v1.36, foreachPodResourceClaim). */
export function podClaims(pod: Pod, find: FindClaim): readonly ResourceClaim[] | { readonly problem: string } {
  const claims: ResourceClaim[] = []
  for (const reference of pod.spec.resourceClaims ?? []) {
    const named = claimNameOf(pod, reference)
    if (typeof named === 'object') return named
    // No claim was needed for the reference.
    if (named === undefined) continue
    const key = `${pod.metadata.namespace ?? ''}/${named}`
    const claim = find(key)
    if (claim === undefined) return { problem: `could not find ResourceClaim ${JSON.stringify(key)}` }
    if (claim.metadata.deletionTimestamp !== undefined) {
      return { problem: `resourceclaim ${JSON.stringify(named)} is being deleted` }
    }
    if (reference.resourceClaimName === undefined && !isControlledBy(claim, pod)) {
      const { namespace = '', name } = pod.metadata
      return { problem: `ResourceClaim ${key} was not created for Pod ${namespace}/${name} (Pod is not owner)` }
    }
    claims.push(claim)
  }
  return claims
}

/** The name of a claim; undefined when no claim is needed (resourceclaim.Name). */
function claimNameOf(pod: Pod, reference: PodResourceClaim): string | undefined | { readonly problem: string } {
  const { namespace = '', name } = pod.metadata
  if (reference.resourceClaimName !== undefined) return reference.resourceClaimName
  const quoted = `pod "${namespace}/${name}"`
  if (reference.resourceClaimTemplateName === undefined) {
    const of = JSON.stringify(reference.name)
    return { problem: `${quoted}, spec.resourceClaim ${of}: none of the supported fields are set` }
  }
  const status = pod.status?.resourceClaimStatuses?.find((one) => one.name === reference.name)
  return status === undefined ? { problem: `${quoted}: ResourceClaim not created yet` } : status.resourceClaimName
}

function isControlledBy({ metadata }: ResourceClaim, pod: Pod): boolean {
  return (metadata.ownerReferences ?? []).some(({ controller, uid }) => controller === true && uid === pod.metadata.uid)
}

/** Reports whether a claim is reserved for a pod. */
export function isReservedFor({ status }: ResourceClaim, pod: Pod): boolean {
  return (status?.reservedFor ?? []).some(({ uid }) => uid === pod.metadata.uid)
}
