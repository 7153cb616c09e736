import type { Call, Patch, PatchCall } from '../../api/call.ts'
import type { DeleteOptions, JsonObject, KubeObject, OwnerReference } from '../../api/objects/meta.ts'
import type { ServedKind } from '../served-kinds.ts'

export const orphanFinalizer = 'orphan'
export const foreground = 'foregroundDeletion'

export function hasFinalizer({ metadata }: KubeObject, finalizer: string): boolean {
  return metadata.finalizers?.includes(finalizer) ?? false
}

export function isBeingDeleted({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined
}

/** Reports whether the object is deleted after its dependents. */
export function isDeletingDependents(object: KubeObject): boolean {
  return isBeingDeleted(object) && hasFinalizer(object, foreground)
}

/** Reports whether a deletion with this finalizer starts with the change. */
export function beginsWith(finalizer: string, before: KubeObject | undefined, after: KubeObject): boolean {
  const is = (object: KubeObject): boolean => isBeingDeleted(object) && hasFinalizer(object, finalizer)
  return is(after) && (before === undefined || !is(before))
}

export function blocks(object: KubeObject, ownerUid: string): boolean {
  return object.metadata.ownerReferences?.some((r) => r.uid === ownerUid && r.blockOwnerDeletion === true) ?? false
}

function isBlocking({ blockOwnerDeletion }: OwnerReference): boolean {
  return blockOwnerDeletion === true
}

/** The owners that no longer wait for this object. */
export function unblockedOwners(
  before: readonly OwnerReference[],
  after: readonly OwnerReference[],
): readonly OwnerReference[] {
  const blocked = before.filter(isBlocking)
  if (blocked.length === 0) return blocked
  const blocking = new Set(after.filter(isBlocking).map(({ uid }) => uid))
  return blocked.filter(({ uid }) => !blocking.has(uid))
}

export function addedOwners(
  before: readonly OwnerReference[],
  after: readonly OwnerReference[],
): readonly OwnerReference[] {
  if (before.length === 0) return after
  const known = new Set(before.map(({ uid }) => uid))
  return after.filter(({ uid }) => !known.has(uid))
}

export function dropOwners(kind: ServedKind, object: KubeObject, uids: readonly string[]): PatchCall {
  const gone = new Set(uids)
  const kept = (object.metadata.ownerReferences ?? []).filter(({ uid }) => !gone.has(uid))
  const dropped = uids.map((uid): JsonObject => ({ $patch: 'delete', uid }))
  return patchOwners(kind, object, dropped, kept)
}

export function unblockOwners(kind: ServedKind, object: KubeObject): PatchCall {
  const references = object.metadata.ownerReferences ?? []
  const unblocked = references.map((reference) => ({ ...reference, blockOwnerDeletion: false }))
  const changed = unblocked.filter((_, i) => references[i]?.blockOwnerDeletion === true)
  return patchOwners(kind, object, changed as unknown as readonly JsonObject[], unblocked)
}

/**
 * Custom resources do not support strategic merge patches. The patch contains the whole list and the resourceVersion of
 * the object that was read.
 */
function patchOwners(
  kind: ServedKind,
  object: KubeObject,
  strategic: readonly JsonObject[],
  whole: readonly OwnerReference[],
): PatchCall {
  const { uid, resourceVersion } = object.metadata
  const patch: Patch =
    kind.shape === undefined
      ? { kind: 'merge', patch: metadata({ resourceVersion, ownerReferences: whole }) }
      : { kind: 'strategic', patch: metadata({ uid, ownerReferences: strategic }) }
  return { verb: 'patch', ...target(kind, object), patch }
}

export function removeFinalizer(kind: ServedKind, object: KubeObject, finalizer: string): PatchCall {
  const finalizers = (object.metadata.finalizers ?? []).filter((other) => other !== finalizer)
  const { resourceVersion } = object.metadata
  return {
    verb: 'patch',
    ...target(kind, object),
    patch: { kind: 'merge', patch: metadata({ resourceVersion, finalizers }) },
  }
}

/** Deletes only the version that was examined. An object that has changed since is processed again. */
export function collect(
  kind: ServedKind,
  object: KubeObject,
  propagationPolicy: NonNullable<DeleteOptions['propagationPolicy']>,
): Call {
  const { uid, resourceVersion } = object.metadata
  const preconditions = {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  }
  return { verb: 'delete', ...target(kind, object), options: { propagationPolicy, preconditions } }
}

function target({ resource }: ServedKind, { metadata }: KubeObject) {
  const { namespace, name } = metadata
  return { resource, ...(namespace === undefined ? {} : { namespace }), name }
}

function metadata(fields: Readonly<Record<string, unknown>>): JsonObject {
  return { metadata: fields as JsonObject }
}
