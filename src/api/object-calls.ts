import type { CreateCall, DeleteCall, PatchCall, UpdateCall } from './call.ts'
import type { DeleteOptions, JsonObject, KubeObject } from './objects/meta.ts'
import type { ResourceName } from './objects/resources.ts'

/** An object, or the stored part that identifies it. */
export interface Named {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid?: string }
}

/**
 * Calls on objects as data. An update has the resourceVersion on which it is based, so that it fails if that version is
 * stale.
 */
export function createCall(resource: ResourceName, object: KubeObject): CreateCall {
  return { verb: 'create', resource, ...within(object), object }
}

export function updateCall(resource: ResourceName, object: KubeObject): UpdateCall {
  return { verb: 'update', resource, ...within(object), name: object.metadata.name, object }
}

/** The object with this status. Members are written out, because a spread with one replaced member is slow. */
export function withStatus<T extends KubeObject & { readonly spec?: unknown; readonly status?: unknown }>(
  object: T,
  status: T['status'],
): T {
  const { apiVersion, kind, metadata, spec } = object
  if (apiVersion === undefined || kind === undefined || spec === undefined) return { ...object, status }
  return { apiVersion, kind, metadata, spec, status } as T
}

export function updateStatusCall(resource: ResourceName, object: KubeObject): UpdateCall {
  const { namespace, name } = object.metadata
  // Members are written out, because most calls of a busy cluster are of this kind.
  if (namespace === undefined) return { verb: 'update', resource, name, subresource: 'status', object }
  return { verb: 'update', resource, namespace, name, subresource: 'status', object }
}

/** A strategic merge patch of the status, and of metadata that the patch requires. */
export function patchStatusCall(resource: ResourceName, object: Named, patch: JsonObject): PatchCall {
  const { name } = object.metadata
  return {
    verb: 'patch',
    resource,
    ...within(object),
    name,
    subresource: 'status',
    patch: { kind: 'strategic', patch },
  }
}

export function deleteCall(resource: ResourceName, object: Named, options?: DeleteOptions): DeleteCall {
  const { name } = object.metadata
  return { verb: 'delete', resource, ...within(object), name, ...(options === undefined ? {} : { options }) }
}

/** The namespace of a request on the object. */
export function within({ metadata }: Named): { readonly namespace?: string } {
  return metadata.namespace === undefined ? {} : { namespace: metadata.namespace }
}
