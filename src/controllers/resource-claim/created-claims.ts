import type { ResourceClaim } from '../../api/objects/devices.ts'
import { controllerOf } from '../../api/owner-references.ts'

// v1.36: client-go's mutation cache as resourceclaim NewController sets it up.
const maxEntries = 100
const lifetimeMs = 3_600_000

/**
 * The claims that this controller created, by owner. Upstream treats them as existing for an hour even if they are not
 * in its cache. That bridges a late watch, and also keeps the deleted claim of a finished pod from being created again.
 */
export class CreatedClaims {
  private readonly claims = new Map<string, { readonly claim: ResourceClaim; readonly until: number }>()

  add(claim: ResourceClaim, now: number): void {
    const { uid = '' } = claim.metadata
    this.claims.delete(uid)
    this.claims.set(uid, { claim, until: now + lifetimeMs })
    if (this.claims.size <= maxEntries) return
    const [oldest] = this.claims.keys()
    this.claims.delete(oldest ?? '')
  }

  /** Those of an owner that are not `present`. */
  missing(ownerUid: string, present: readonly ResourceClaim[], now: number): readonly ResourceClaim[] {
    if (this.claims.size === 0) return []
    return [...this.claims.values()].flatMap(({ claim, until }) => {
      const isPresent = present.some(({ metadata }) => metadata.uid === claim.metadata.uid)
      return until > now && !isPresent && controllerOf(claim)?.uid === ownerUid ? [claim] : []
    })
  }
}
