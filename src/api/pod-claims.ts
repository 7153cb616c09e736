import type { ResourceClaim, ResourceClaimConsumerReference } from './objects/devices.ts'
import type { PodGroup, PodGroupResourceClaim } from './objects/groups.ts'
import type { Pod, PodResourceClaim } from './objects/pod.ts'
import { controllerOf, isControlledBy } from './owner-references.ts'

// v1.36, k8s.io/dynamic-resource-allocation/resourceclaim.

/** The annotation of a generated claim: its name in `spec.resourceClaims` of the pod. */
export const podClaimAnnotation = 'resource.kubernetes.io/pod-claim-name'
export const extendedClaimAnnotation = 'resource.kubernetes.io/extended-resource-claim'
/** The finalizer of allocated claims. */
export const claimFinalizer = 'resource.kubernetes.io/delete-protection'

export const schedulingGroup = 'scheduling.k8s.io'

/** The ResourceClaim of an entry of `spec.resourceClaims`. */
export type ClaimName =
  /** `isGenerated`: the owner must be checked before the claim is used. */
  | { readonly kind: 'named'; readonly name: string; readonly isGenerated: boolean }
  /** The pod does not need a claim, so none was created. */
  | { readonly kind: 'unneeded' }
  | { readonly kind: 'not-created'; readonly message: string }
  | { readonly kind: 'unsupported'; readonly message: string }

export function claimNameOf(pod: Pod, podClaim: PodResourceClaim): ClaimName {
  const known = nameOf(podClaim, pod.status?.resourceClaimStatuses)
  if (typeof known === 'object') return known
  const { namespace, name } = pod.metadata
  const who = `pod "${namespace ?? ''}/${name}"`
  if (known === 'not-created') return { kind: known, message: `${who}: ResourceClaim not created yet` }
  const of = `${who}, spec.resourceClaim ${JSON.stringify(podClaim.name)}`
  return { kind: known, message: `${of}: none of the supported fields are set` }
}

export function claimNameOfGroup(group: PodGroup, claim: PodGroupResourceClaim): ClaimName {
  const known = nameOf(claim, group.status?.resourceClaimStatuses)
  if (typeof known === 'object') return known
  const who = `PodGroup ${group.metadata.namespace ?? ''}/${group.metadata.name}`
  if (known === 'not-created') return { kind: known, message: `${who}: ResourceClaim not created yet` }
  return { kind: known, message: `${who}, spec.resourceClaim ${claim.name}: none of the supported fields are set` }
}

function nameOf(
  claim: PodResourceClaim,
  statuses: readonly { readonly name: string; readonly resourceClaimName?: string }[] | undefined,
): Exclude<ClaimName, { readonly message: string }> | 'not-created' | 'unsupported' {
  if (claim.resourceClaimName !== undefined) return { kind: 'named', name: claim.resourceClaimName, isGenerated: false }
  if (claim.resourceClaimTemplateName === undefined) return 'unsupported'
  const status = statuses?.find(({ name }) => name === claim.name)
  if (status === undefined) return 'not-created'
  if (status.resourceClaimName === undefined) return { kind: 'unneeded' }
  return { kind: 'named', name: status.resourceClaimName, isGenerated: true }
}

/** The name of the pod's PodGroup. */
export function groupNameOf(pod: Pod): string | undefined {
  return pod.spec.schedulingGroup?.podGroupName
}

/** Why the claim was not created for the pod, or for its group if `acceptsGroup` is set. */
export function foreignToPod(pod: Pod, claim: ResourceClaim, acceptsGroup = false): string | undefined {
  if (isControlledBy(claim, pod)) return undefined
  if (acceptsGroup && isOfGroup(pod, claim)) return undefined
  const { namespace = '', name } = claim.metadata
  const hasGroup = acceptsGroup && groupNameOf(pod) !== undefined
  const owners = hasGroup ? `neither Pod nor PodGroup ${groupNameOf(pod) ?? ''} is the owner` : 'Pod is not owner'
  const forPod = `${pod.metadata.namespace ?? ''}/${pod.metadata.name}`
  return `ResourceClaim ${namespace}/${name} was not created for Pod ${forPod} (${owners})`
}

export function foreignToGroup(group: PodGroup, claim: ResourceClaim): string | undefined {
  if (isControlledBy(claim, group)) return undefined
  const { namespace = '', name } = claim.metadata
  return `ResourceClaim ${namespace}/${name} was not created for PodGroup ${namespace}/${group.metadata.name} (PodGroup is not owner)`
}

/** Whether a claim belongs to the group of a pod. Pods do not contain the uid of their group. */
function isOfGroup(pod: Pod, claim: ResourceClaim): boolean {
  const owner = controllerOf(claim)
  return owner !== undefined && owner.name === groupNameOf(pod) && isGroupOwner(owner)
}

export function isGroupOwner(owner: { readonly kind: string; readonly apiVersion: string }): boolean {
  return owner.kind === 'PodGroup' && owner.apiVersion.startsWith(`${schedulingGroup}/`)
}

export function isReservedForPod(pod: Pod, claim: ResourceClaim, acceptsGroup = false): boolean {
  return (claim.status?.reservedFor ?? []).some(
    (entry) =>
      entry.uid === pod.metadata.uid || (acceptsGroup && isGroupReference(entry) && entry.name === groupNameOf(pod)),
  )
}

export function isGroupReference({ apiGroup, resource }: ResourceClaimConsumerReference): boolean {
  return apiGroup === schedulingGroup && resource === 'podgroups'
}

export function isPodReference({ apiGroup = '', resource }: ResourceClaimConsumerReference): boolean {
  return apiGroup === '' && resource === 'pods'
}

/** The consumer that reserves the claim of a pod: its group, if the group has the same claim, otherwise the pod. */
export function consumerOf(
  pod: Pod,
  group: PodGroup | undefined,
  podClaim: PodResourceClaim | undefined,
): ResourceClaimConsumerReference {
  const shared = group?.spec.resourceClaims?.some(
    ({ name, resourceClaimName, resourceClaimTemplateName }) =>
      name === podClaim?.name &&
      resourceClaimName === podClaim?.resourceClaimName &&
      resourceClaimTemplateName === podClaim?.resourceClaimTemplateName,
  )
  if (group !== undefined && shared === true) {
    const { name, uid = '' } = group.metadata
    return { apiGroup: schedulingGroup, resource: 'podgroups', name, uid }
  }
  return { resource: 'pods', name: pod.metadata.name, uid: pod.metadata.uid ?? '' }
}
