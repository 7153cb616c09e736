import { objectKey } from '../../api/object-key.ts'
import type { PodGroup } from '../../api/objects/groups.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { claimNameOf, claimNameOfGroup, groupNameOf } from '../../api/pod-claims.ts'

interface Changed<T> {
  readonly key: string
  readonly before?: T
  readonly after?: T
}

/** Sets of keys by the key of what they use. */
class UserIndex {
  private readonly sets = new Map<string, Set<string>>()

  move(user: string, before: readonly string[], after: readonly string[]): void {
    for (const used of before) {
      if (after.includes(used)) continue
      const users = this.sets.get(used)
      users?.delete(user)
      if (users?.size === 0) this.sets.delete(used)
    }
    for (const used of after) {
      const users = this.sets.get(used)
      if (users === undefined) this.sets.set(used, new Set([user]))
      else users.add(user)
    }
  }

  of(used: string): Iterable<string> {
    return this.sets.get(used) ?? []
  }
}

/** Which pods and groups use a claim or a template, and which pods are in a group. Pods without claims are left out. */
export class ClaimUsers {
  private readonly podsByClaim = new UserIndex()
  private readonly podsByTemplate = new UserIndex()
  private readonly podsByGroup = new UserIndex()
  private readonly groupsByClaim = new UserIndex()
  private readonly groupsByTemplate = new UserIndex()

  notePod({ key, before, after }: Changed<Pod>): void {
    // Most updates of a pod concern neither its claims nor its group, and stores keep the unchanged parts of an object.
    if (before !== undefined && before.spec === after?.spec && sameClaims(before, after)) return
    this.podsByClaim.move(key, claimsOf(before), claimsOf(after))
    this.podsByTemplate.move(key, templatesOf(before), templatesOf(after))
    this.podsByGroup.move(key, groupsOf(before), groupsOf(after))
  }

  noteGroup({ key, before, after }: Changed<PodGroup>): void {
    this.groupsByClaim.move(key, claimsOfGroup(before), claimsOfGroup(after))
    this.groupsByTemplate.move(key, templatesOf(before), templatesOf(after))
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

function claimsOf(pod: Pod | undefined): readonly string[] {
  const claims = pod?.spec.resourceClaims
  if (pod === undefined || claims === undefined) return noNames
  return claims.flatMap((claim) => {
    const named = claimNameOf(pod, claim)
    return named.kind === 'named' ? [objectKey(pod.metadata.namespace, named.name)] : []
  })
}

function claimsOfGroup(group: PodGroup | undefined): readonly string[] {
  const claims = group?.spec.resourceClaims
  if (group === undefined || claims === undefined) return noNames
  return claims.flatMap((claim) => {
    const named = claimNameOfGroup(group, claim)
    return named.kind === 'named' ? [objectKey(group.metadata.namespace, named.name)] : []
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
