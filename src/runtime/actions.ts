import type { Call, Patch } from '../api/call.ts'
import {
  createCall,
  deleteCall,
  type Named,
  patchStatusCall,
  updateCall,
  updateStatusCall,
  within,
} from '../api/object-calls.ts'
import type { DeleteOptions, JsonObject, KubeObject } from '../api/objects/meta.ts'
import type { Pod } from '../api/objects/pod.ts'
import type { ResourceName } from '../api/objects/resources.ts'
import type { Action, EventRecord } from './controller.ts'

export type CallAction = Extract<Action, { readonly kind: 'call' }>
export type ReadAction = Extract<Action, { readonly kind: 'read' }>
export type EventAction = Extract<Action, { readonly kind: 'event' }>

/** Allocates the ids by which a controller finds its results. One allocator per controller. */
export interface ActionIds {
  next(): number
}

export function createActionIds(): ActionIds {
  let last = 0
  return { next: () => ++last }
}

interface OnObject {
  readonly resource: ResourceName
  readonly object: Named
  readonly priority?: CallAction['priority']
}

export function callAction(ids: ActionIds, call: Call, priority?: CallAction['priority']): CallAction {
  const id = ids.next()
  return priority === undefined ? { kind: 'call', id, call } : { kind: 'call', id, call, priority }
}

export function readAction(ids: ActionIds, resource: ReadAction['resource'], key: string): ReadAction {
  return { kind: 'read', id: ids.next(), resource, key }
}

/** The binding carries the pod's uid, so that a new pod of the same name is not bound by mistake. */
export function bindPod(
  ids: ActionIds,
  {
    pod,
    node,
    annotations,
  }: { readonly pod: Named; readonly node: string; readonly annotations?: Pod['metadata']['annotations'] },
): CallAction {
  const { name, uid } = pod.metadata
  const namespace = pod.metadata.namespace ?? 'default'
  const metadata =
    uid !== undefined && annotations === undefined
      ? { name, namespace, uid }
      : {
          name,
          namespace,
          ...(uid === undefined ? {} : { uid }),
          ...(annotations === undefined ? {} : { annotations }),
        }
  const binding = { apiVersion: 'v1', kind: 'Binding', metadata, target: { kind: 'Node', name: node } }
  const call: Call = { verb: 'create', resource: 'pods', namespace, name, subresource: 'binding', object: binding }
  return callAction(ids, call, 'high')
}

/**
 * A strategic merge patch of the status: `status` holds only the fields that change, and `null` for a field that is
 * removed.
 */
export function patchStatus(
  ids: ActionIds,
  { resource, object, status, priority }: OnObject & { readonly status: object },
): CallAction {
  return callAction(ids, patchStatusCall(resource, object, { status: status as JsonObject }), priority)
}

export function patchObject(
  ids: ActionIds,
  {
    resource,
    object,
    patch,
    subresource,
    priority,
  }: OnObject & { readonly patch: Patch; readonly subresource?: string },
): CallAction {
  const { name } = object.metadata
  return callAction(
    ids,
    { verb: 'patch', resource, ...within(object), name, ...(subresource === undefined ? {} : { subresource }), patch },
    priority,
  )
}

export function createObject(
  ids: ActionIds,
  { resource, object, priority }: OnObject & { readonly object: KubeObject },
): CallAction {
  return callAction(ids, createCall(resource, object), priority)
}

/** Writes the whole object. Fails with Conflict if the resourceVersion of the object is not the current one. */
export function updateObject(
  ids: ActionIds,
  { resource, object, priority }: OnObject & { readonly object: KubeObject },
): CallAction {
  return callAction(ids, updateCall(resource, object), priority)
}

export function updateStatus(
  ids: ActionIds,
  { resource, object, priority }: OnObject & { readonly object: KubeObject },
): CallAction {
  return callAction(ids, updateStatusCall(resource, object), priority)
}

export function deleteObject(
  ids: ActionIds,
  { resource, object, options, priority }: OnObject & { readonly options?: DeleteOptions },
): CallAction {
  return callAction(ids, deleteCall(resource, object, options), priority)
}

export function recordEvent(event: EventRecord): EventAction {
  return { kind: 'event', event }
}
