import type { ResourceClaim, ResourceClaimTemplate } from '../../api/objects/devices.ts'
import type { OwnerReference } from '../../api/objects/meta.ts'
import { podClaimAnnotation } from '../../api/pod-claims.ts'

/** The owner of a generated claim: a pod or a group. */
export interface ClaimOwner {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid?: string }
  readonly apiVersion: string
  readonly kind: string
}

// Space for a hyphen and 5 random characters in a name of 63.
const longestPrefix = 57

/** The claim that is created from a template (v1.36, resourceclaim handleClaim). The server generates its name. */
export function generatedClaim(
  owner: ClaimOwner,
  claim: string,
  template: ResourceClaimTemplate,
  blocksOwner: boolean,
): ResourceClaim {
  const { name, namespace, uid = '' } = owner.metadata
  const { annotations, labels } = template.spec.metadata ?? {}
  const reference: OwnerReference = {
    ...{ apiVersion: owner.apiVersion, kind: owner.kind, name, uid, controller: true },
    ...(blocksOwner ? { blockOwnerDeletion: true } : {}),
  }
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: {
      name: '',
      generateName: namePrefix(name, claim),
      ...(namespace === undefined ? {} : { namespace }),
      ownerReferences: [reference],
      annotations: { ...annotations, [podClaimAnnotation]: claim },
      ...(labels === undefined ? {} : { labels }),
    },
    spec: template.spec.spec,
  }
}

/** `owner-claim-`. Both names are cut in proportion to their length if the result is too long. */
export function namePrefix(owner: string, claim: string): string {
  const prefix = `${owner}-${claim}-`
  if (prefix.length <= longestPrefix) return prefix
  const cut = (text: string) => text.slice(0, Math.floor((text.length * longestPrefix) / prefix.length))
  return `${cut(owner)}-${cut(claim)}`
}

/** The reason why a template cannot be used in a cluster with these gates. */
export function templateProblem(
  template: ResourceClaimTemplate,
  gates: { readonly adminAccess: boolean; readonly prioritizedList: boolean },
): string | undefined {
  const requests = template.spec.spec.devices?.requests ?? []
  if (!gates.adminAccess && requests.some(({ exactly }) => exactly?.adminAccess === true))
    return 'admin access is requested, but the feature is disabled'
  if (!gates.prioritizedList && requests.some(({ firstAvailable }) => (firstAvailable?.length ?? 0) > 0))
    return 'template includes a prioritized list of subrequests, but the feature is disabled'
  return undefined
}

export function wantsAdminAccess(claim: ResourceClaim): boolean {
  return claim.spec.devices?.requests?.some(({ exactly }) => exactly?.adminAccess === true) ?? false
}
