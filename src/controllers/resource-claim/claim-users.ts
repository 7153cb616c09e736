import { objectKey } from '../../api/object-key.ts'
import type { PodGroup } from '../../api/objects/groups.ts'
import type { Pod, PodResourceClaim } from '../../api/objects/pod.ts'
import { type ClaimName, claimNameOf, claimNameOfGroup, groupNameOf } from '../../api/pod-claims.ts'
import { UserIndex } from '../user-index.ts'

interface Changed<T> {
  readonly key: string
  readonly before?: T
  readonly after?: T
}

/**
 * The pods and groups that use each claim and template, and the pods of each group. Pods without claims are omitted.
 */
export class ClaimUsers {
  private readonly podsByClaim = new UserIndex<string>()
  private readonly podsByTemplate = new UserIndex<string>()
  private readonly podsByGroup = new UserIndex<string>()
  private readonly groupsByClaim = new UserIndex<string>()
  private readonly groupsByTemplate = new UserIndex<string>()

  notePod({ key, before, after }: Changed<Pod>): void {
    // Most updates of a pod concern neither its claims nor its group, and stores keep the unchanged parts of an object.
    if (before !== undefined && before.spec === after?.spec && sameClaims(before, after)) return
    this.podsByClaim.move(key, key, claimsOf(before, claimNameOf), claimsOf(after, claimNameOf))
    this.podsByTemplate.move(key, key, templatesOf(before), templatesOf(after))
    this.podsByGroup.move(key, key, groupsOf(before), groupsOf(after))
  }

  noteGroup({ key, before, after }: Changed<PodGroup>): void {
    this.groupsByClaim.move(key, key, claimsOf(before, claimNameOfGroup), claimsOf(after, claimNameOfGroup))
    this.groupsByTemplate.move(key, key, templatesOf(before), templatesOf(after))
  }

  podsOfClaim(claim: string): Iterable<string> {
    return this.podsByClaim.of(claim)
  }

  podsOfTemplate(template: string): Iterable<string> {
    return this.podsByTemplate.of(template)
  }

  podsOfGroup(group: string): Iterable<string> {
    return this.podsByGroup.of(group)
  }

  groupsOfClaim(claim: string): Iterable<string> {
    return this.groupsByClaim.of(claim)
  }

  groupsOfTemplate(template: string): Iterable<string> {
    return this.groupsByTemplate.of(template)
  }
}

function sameClaims(before: Pod, after: Pod): boolean {
  return before.status?.resourceClaimStatuses === after.status?.resourceClaimStatuses
}

const noNames: readonly string[] = []

function claimsOf<T extends Pod | PodGroup>(
  user: T | undefined,
  nameOf: (user: T, claim: PodResourceClaim) => ClaimName,
): readonly string[] {
  const claims: readonly PodResourceClaim[] | undefined = user?.spec.resourceClaims
  if (user === undefined || claims === undefined) return noNames
  return claims.flatMap((claim) => {
    const named = nameOf(user, claim)
    return named.kind === 'named' ? [objectKey(user.metadata.namespace, named.name)] : []
  })
}

function templatesOf(object: Pod | PodGroup | undefined): readonly string[] {
  const claims = object?.spec.resourceClaims
  if (claims === undefined) return noNames
  return claims.flatMap(({ resourceClaimTemplateName: name }) =>
    name === undefined ? [] : [objectKey(object?.metadata.namespace, name)],
  )
}

function groupsOf(pod: Pod | undefined): readonly string[] {
  const group = pod?.spec.resourceClaims === undefined ? undefined : groupNameOf(pod)
  return group === undefined ? noNames : [objectKey(pod?.metadata.namespace, group)]
}
