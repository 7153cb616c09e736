import type { Call, Outcome } from '../api/call.ts'
import { objectKey } from '../api/object-key.ts'
import type { KnownResource } from '../api/objects/resources.ts'
import type { View } from './view.ts'

/** The state that the view shows once it includes a write. */
export type Awaited =
  | { readonly kind: 'written'; readonly resource: string; readonly revision: number }
  | { readonly kind: 'deleted'; readonly resource: string; readonly key: string; readonly uid?: string }

/** The state to wait for after a call. Undefined: the call wrote no object, or no object in the view. */
export function awaitedBy(call: Call, outcome: Outcome): Awaited | undefined {
  if (!outcome.ok || call.verb === 'get' || call.verb === 'list') return undefined
  const { resource } = call
  if (outcome.kind === 'object' && call.verb !== 'delete') {
    const { resourceVersion } = outcome.object.metadata
    // Subresources such as bindings return an object without a resourceVersion.
    if (resourceVersion === undefined || resourceVersion === '') return undefined
    return { kind: 'written', resource, revision: Number(resourceVersion) }
  }
  if (call.verb !== 'delete') return undefined
  const key = objectKey(call.namespace, call.name)
  if (outcome.kind === 'object') {
    const { deletionTimestamp, resourceVersion, uid } = outcome.object.metadata
    // If the object is terminating, the deletion is an update. If it is deleted, the response has its last state.
    if (deletionTimestamp !== undefined && resourceVersion !== undefined && lingers(outcome.object.metadata)) {
      return { kind: 'written', resource, revision: Number(resourceVersion) }
    }
    return { kind: 'deleted', resource, key, ...(uid === undefined ? {} : { uid }) }
  }
  const uid = outcome.kind === 'status' ? outcome.status.details?.uid : undefined
  return { kind: 'deleted', resource, key, ...(uid === undefined ? {} : { uid }) }
}

function lingers(metadata: {
  readonly finalizers?: readonly string[]
  readonly deletionGracePeriodSeconds?: number
}): boolean {
  return (metadata.finalizers?.length ?? 0) > 0 || (metadata.deletionGracePeriodSeconds ?? 0) > 0
}

export function hasCaughtUp(awaited: Awaited, view: View): boolean {
  if (awaited.kind === 'written') return view.revisionOf(awaited.resource) >= awaited.revision
  const held = view.get(awaited.resource as KnownResource, awaited.key)
  if (held === undefined) return true
  // Without the uid of the deleted object, it may be any terminating object of that name.
  return awaited.uid !== undefined && held.metadata.uid !== awaited.uid
}
