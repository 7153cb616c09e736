import type { Call, PatchCall } from '../api/call.ts'
import type { LabelMatcher } from '../api/label-matcher.ts'
import type { JsonObject, KubeObject } from '../api/objects/meta.ts'
import type { ResourceName } from '../api/objects/resources.ts'
import { controllerOf, controllerReference } from '../api/owner-references.ts'

export interface Claimant {
  readonly owner: KubeObject
  readonly kind: { readonly apiVersion: string; readonly kind: string }
  readonly selector: LabelMatcher
  /** A condition besides the selector. */
  readonly accepts?: (object: KubeObject) => boolean
  /** Added to adopted objects, and removed from released ones. */
  readonly finalizer?: string
}

/**
 * The calls by which an owner adopts objects that its selector matches and no controller owns, and releases objects
 * that it owns but no longer selects. A terminating owner does neither (v1.36, pkg/controller ClaimObject).
 */
export function decideClaims<T extends KubeObject>(
  resource: ResourceName,
  { owner, kind, selector, accepts, finalizer }: Claimant,
  candidates: Iterable<T>,
): readonly Call[] {
  const calls: Call[] = []
  if (owner.metadata.deletionTimestamp !== undefined) return calls
  for (const object of candidates) {
    const controller = controllerOf(object)
    const matches = selector.matches(object.metadata.labels) && (accepts === undefined || accepts(object))
    if (controller === undefined) {
      if (!matches || object.metadata.deletionTimestamp !== undefined) continue
      const reference = controllerReference(owner, kind) as unknown as JsonObject
      const finalizers = finalizer === undefined ? {} : { finalizers: [finalizer] }
      calls.push(patchOwners(resource, object, [reference], finalizers))
    } else if (controller.uid === owner.metadata.uid && !matches) {
      const finalizers = finalizer === undefined ? {} : { '$deleteFromPrimitiveList/finalizers': [finalizer] }
      calls.push(patchOwners(resource, object, [{ $patch: 'delete', uid: owner.metadata.uid ?? '' }], finalizers))
    }
  }
  return calls
}

/** The uid ensures that a new object of the same name is not changed. */
function patchOwners(
  resource: ResourceName,
  object: KubeObject,
  ownerReferences: readonly JsonObject[],
  finalizers: JsonObject,
): PatchCall {
  const { namespace, name, uid } = object.metadata
  const metadata: JsonObject = { ownerReferences, ...finalizers, ...(uid === undefined ? {} : { uid }) }
  return {
    verb: 'patch',
    resource,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    patch: { kind: 'strategic', patch: { metadata } },
  }
}
