import type { ResourceClaim } from '../../../api/objects/devices.ts'
import type { Pod } from '../../../api/objects/pod.ts'
import { claimNameOf, foreignToPod } from '../../../api/pod-claims.ts'

export type FindClaim = (key: string) => ResourceClaim | undefined

/**
 * The claims of a pod in order, or why the pod cannot be scheduled yet (v1.36, foreachPodResourceClaim). `acceptsGroup`:
 * claims may belong to its group.
 */
export function podClaims(
  pod: Pod,
  find: FindClaim,
  acceptsGroup: boolean,
): readonly ResourceClaim[] | { readonly problem: string } {
  const claims: ResourceClaim[] = []
  for (const reference of pod.spec.resourceClaims ?? []) {
    const named = claimNameOf(pod, reference)
    if ('message' in named) return { problem: named.message }
    if (named.kind === 'unneeded') continue
    const key = `${pod.metadata.namespace ?? ''}/${named.name}`
    const claim = find(key)
    if (claim === undefined) return { problem: `could not find ResourceClaim ${JSON.stringify(key)}` }
    if (claim.metadata.deletionTimestamp !== undefined) {
      return { problem: `resourceclaim ${JSON.stringify(named.name)} is being deleted` }
    }
    const foreign = named.isGenerated ? foreignToPod(pod, claim, acceptsGroup) : undefined
    if (foreign !== undefined) return { problem: foreign }
    claims.push(claim)
  }
  return claims
}
