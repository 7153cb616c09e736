import type { KubeObject, ObjectReference, OwnerReference } from '../../api/objects/meta.ts'
import { createRandom } from '../../base/random.ts'
import type { KindObjects } from './sorted-objects.ts'

export interface SuppliedIdentities {
  /** Objects that had no uid, or shared it with another object. */
  readonly assigned: number
  /** Objects whose owner has a different uid than their ownerReference, and was found by name. */
  readonly byName: number
  /** Objects with an owner that was not found. */
  readonly orphans: number
}

/**
 * Gives every object a uid, derived from its kind, namespace and name. References with a missing or unknown uid are
 * resolved by name, because an owner that lost its uid is still the owner.
 */
export function supplyIdentities(byResource: ReadonlyMap<string, KindObjects>): SuppliedIdentities {
  const lookup = new Identities(byResource)
  let byName = 0
  let orphans = 0
  for (const { byKey } of byResource.values()) {
    for (const [key, object] of byKey) {
      const resolved = lookup.resolved(object)
      if (resolved === object && !lookup.hasLostOwner(object)) continue
      if (resolved !== object) byKey.set(key, resolved)
      if (lookup.hasLostOwner(resolved)) orphans++
      else if (hasStaleOwner(object, resolved)) byName++
    }
  }
  return { assigned: lookup.assigned.size, byName, orphans }
}

/** The uid of an object without one. */
export function uidFor(resource: string, key: string): string {
  return createRandom('found').stream(`${resource} ${key}`).uuid()
}

/** Reports whether an owner was found by name although the reference had a uid. */
function hasStaleOwner(object: KubeObject, resolved: KubeObject): boolean {
  const before = object.metadata.ownerReferences ?? []
  const after = resolved.metadata.ownerReferences ?? []
  return before.some(({ uid }, at) => isText(uid) && uid !== after[at]?.uid)
}

const isText = (value: string | undefined): boolean => value !== undefined && value !== ''

type Reference = Pick<ObjectReference, 'kind' | 'name' | 'namespace' | 'uid'>

class Identities {
  readonly assigned = new Set<string>()
  private readonly uids = new Set<string>()
  private readonly byResource: ReadonlyMap<string, KindObjects>
  /** By kind, namespace (empty for cluster-scoped objects) and name. Built when the first reference needs it. */
  private byName: Map<string, string> | undefined

  constructor(byResource: ReadonlyMap<string, KindObjects>) {
    this.byResource = byResource
    const shared = sharedUids(byResource)
    for (const [resource, { byKey }] of byResource) {
      for (const [key, object] of byKey) {
        const given = object.metadata.uid
        if (given !== undefined && given !== '' && !shared.has(given)) {
          this.uids.add(given)
          continue
        }
        const uid = uidFor(resource, key)
        byKey.set(key, { ...object, metadata: { ...object.metadata, uid } })
        this.uids.add(uid)
        this.assigned.add(uid)
      }
    }
  }

  hasLostOwner({ metadata: { ownerReferences } }: KubeObject): boolean {
    return ownerReferences?.some(({ uid }) => !this.uids.has(uid)) === true
  }

  /** The object with the uids of the objects that it references. Returns the same object if nothing changes. */
  resolved(object: KubeObject): KubeObject {
    const { ownerReferences, namespace } = object.metadata
    let resolved = object
    if (ownerReferences !== undefined && this.hasLostOwner(object)) {
      const found = ownerReferences.map((one) => this.resolvedReference(one, namespace) as OwnerReference)
      if (found.some((one, at) => one !== ownerReferences[at]))
        resolved = { ...object, metadata: { ...object.metadata, ownerReferences: found } }
    }
    return this.assigned.size === 0 ? resolved : this.withinSpec(resolved)
  }

  /**
   * The uids of other references distinguish an object from a newer object with the same name. They are resolved only
   * if the uid of the referenced object was lost.
   */
  private withinSpec(object: KubeObject): KubeObject {
    switch (object.kind) {
      case 'PersistentVolume': {
        const { spec } = object as unknown as { readonly spec?: { readonly claimRef?: Reference } }
        const claimRef = spec?.claimRef && this.lost({ kind: 'PersistentVolumeClaim', ...spec.claimRef }, spec.claimRef)
        return claimRef === spec?.claimRef ? object : ({ ...object, spec: { ...spec, claimRef } } as KubeObject)
      }
      case 'ResourceClaim':
        return this.withList(object, 'reservedFor', 'Pod')
      case 'CronJob':
        return this.withList(object, 'active', 'Job')
      default:
        return object
    }
  }

  private withList(object: KubeObject, field: string, kind: string): KubeObject {
    const { status } = object as unknown as { readonly status?: Readonly<Record<string, readonly Reference[]>> }
    const list = status?.[field]
    if (list === undefined) return object
    const { namespace } = object.metadata
    const found = list.map((one) => this.lost({ ...one, kind, ...(namespace === undefined ? {} : { namespace }) }, one))
    if (found.every((one, at) => one === list[at])) return object
    return { ...object, status: { ...status, [field]: found } } as KubeObject
  }

  private lost(named: Reference, reference: Reference): Reference {
    const uid = this.uidOf(named, named.namespace)
    return uid !== undefined && this.assigned.has(uid) && uid !== reference.uid ? { ...reference, uid } : reference
  }

  private resolvedReference(reference: Reference, namespace: string | undefined): Reference {
    if (reference.uid !== undefined && this.uids.has(reference.uid)) return reference
    const uid = this.uidOf(reference, namespace)
    return uid === undefined ? { ...reference, uid: reference.uid ?? '' } : { ...reference, uid }
  }

  /** The owner of a namespaced object may be cluster-scoped. */
  private uidOf({ kind, name }: Reference, namespace: string | undefined): string | undefined {
    this.byName ??= this.uidsByName()
    return this.byName.get(`${kind} ${namespace ?? ''}/${name}`) ?? this.byName.get(`${kind} /${name}`)
  }

  private uidsByName(): Map<string, string> {
    const uids = new Map<string, string>()
    for (const { kind, byKey } of this.byResource.values()) {
      for (const { metadata } of byKey.values()) {
        const namespace = kind.namespaced ? (metadata.namespace ?? '') : ''
        uids.set(`${kind.kind} ${namespace}/${metadata.name}`, metadata.uid ?? '')
      }
    }
    return uids
  }
}

/** Generated objects may all have the same uid. */
function sharedUids(byResource: ReadonlyMap<string, KindObjects>): ReadonlySet<string> {
  const seen = new Set<string>()
  const shared = new Set<string>()
  for (const { byKey } of byResource.values()) {
    for (const { metadata } of byKey.values()) {
      if (metadata.uid === undefined) continue
      if (seen.has(metadata.uid)) shared.add(metadata.uid)
      else seen.add(metadata.uid)
    }
  }
  return shared
}
