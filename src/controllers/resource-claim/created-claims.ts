import type { ResourceClaim } from '../../api/objects/devices.ts'
import { controllerOf } from '../../api/owner-references.ts'

// v1.36: client-go's mutation cache as resourceclaim NewController sets it up.
const maxEntries = 100
const lifetimeMs = 3_600_000

interface CreatedClaim {
  readonly claim: ResourceClaim
  readonly until: number
}

const none: readonly ResourceClaim[] = []

/**
 * The claims that this controller created, by owner. Upstream treats them as existing for an hour even if they are not
 * in its cache. This covers a late watch, and the deleted claim of a finished pod is not created again.
 */
export class CreatedClaims {
  private readonly claims = new Map<string, CreatedClaim>()
  private readonly byOwner = new Map<string, CreatedClaim[]>()

  add(claim: ResourceClaim, now: number): void {
    const { uid = '' } = claim.metadata
    this.drop(uid)
    const created = { claim, until: now + lifetimeMs }
    this.claims.set(uid, created)
    const owner = ownerOf(claim)
    this.byOwner.set(owner, [...(this.byOwner.get(owner) ?? []), created])
    if (this.claims.size <= maxEntries) return
    const [oldest] = this.claims.keys()
    this.drop(oldest ?? '')
  }

  /** The claims of an owner that are not in `present`. */
  missing(ownerUid: string, present: readonly ResourceClaim[], now: number): readonly ResourceClaim[] {
    const created = this.byOwner.get(ownerUid)
    if (created === undefined) return none
    return created.flatMap(({ claim, until }) => {
      const isPresent = present.some(({ metadata }) => metadata.uid === claim.metadata.uid)
      return until > now && !isPresent ? [claim] : []
    })
  }

  private drop(uid: string): void {
    const known = this.claims.get(uid)
    if (known === undefined) return
    this.claims.delete(uid)
    const owner = ownerOf(known.claim)
    const left = (this.byOwner.get(owner) ?? []).filter((one) => one !== known)
    if (left.length === 0) this.byOwner.delete(owner)
    else this.byOwner.set(owner, left)
  }
}

function ownerOf(claim: ResourceClaim): string {
  return controllerOf(claim)?.uid ?? ''
}
