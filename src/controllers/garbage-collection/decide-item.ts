import type { Call } from '../../api/call.ts'
import type { KubeObject, OwnerReference } from '../../api/objects/meta.ts'
import type { ServedKind } from '../served-kinds.ts'
import {
  blocks,
  collect,
  dropOwners,
  foreground,
  hasFinalizer,
  isBeingDeleted,
  isDeletingDependents,
  orphanFinalizer,
  removeFinalizer,
  unblockOwners,
} from './ownership.ts'

/** The state of a referenced owner. */
export type OwnerState =
  | { readonly kind: 'present'; readonly owner: KubeObject }
  | { readonly kind: 'absent' }
  /** The owner is not in the view, so only the API server knows its state. */
  | { readonly kind: 'unseen' }
  /** The kind of the owner is not served, at least not yet. */
  | { readonly kind: 'unknown' }
  /** A namespaced owner of a cluster-scoped object: always invalid. */
  | { readonly kind: 'impossible' }

export type ItemDecision =
  | { readonly kind: 'leave' }
  | { readonly kind: 'call'; readonly calls: readonly Call[] }
  /** Its dependents must be processed. */
  | { readonly kind: 'dependents'; readonly blocking: readonly KubeObject[] }
  | { readonly kind: 'ask'; readonly references: readonly OwnerReference[] }
  | { readonly kind: 'retry' }

const leave: ItemDecision = { kind: 'leave' }

/**
 * Decides about an object that may have lost its owners, or that waits for its dependents to be deleted (v1.36,
 * garbagecollector attemptToDeleteItem).
 */
export function decideItem(
  kind: ServedKind,
  object: KubeObject,
  dependents: readonly KubeObject[],
  stateOf: (reference: OwnerReference) => OwnerState,
): ItemDecision {
  if (isDeletingDependents(object)) return decideWaiting(kind, object, dependents)
  if (isBeingDeleted(object)) return leave
  const references = object.metadata.ownerReferences ?? []
  if (references.length === 0) return leave

  const states = references.map((reference) => ({ reference, state: stateOf(reference) }))
  if (states.some(({ state }) => state.kind === 'impossible')) return leave
  if (states.some(({ state }) => state.kind === 'unknown')) return { kind: 'retry' }
  const unseen = states.filter(({ state }) => state.kind === 'unseen').map(({ reference }) => reference)
  if (unseen.length > 0) return { kind: 'ask', references: unseen }

  const waiting: OwnerReference[] = []
  const dangling: OwnerReference[] = []
  for (const { reference, state } of states) {
    if (state.kind === 'absent') dangling.push(reference)
    else if (state.kind === 'present' && isDeletingDependents(state.owner)) waiting.push(reference)
  }
  const gone = [...dangling, ...waiting]
  if (gone.length < references.length) {
    // Owners that wait for this object must be released too. Otherwise they would wait forever.
    return gone.length === 0
      ? leave
      : {
          kind: 'call',
          calls: [
            dropOwners(
              kind,
              object,
              gone.map(({ uid }) => uid),
            ),
          ],
        }
  }
  if (waiting.length > 0 && dependents.length > 0) {
    // If the dependents wait too, the objects could wait for each other.
    if (dependents.some(isDeletingDependents) && references.some((r) => r.blockOwnerDeletion === true)) {
      const { resourceVersion: _, ...metadata } = object.metadata
      return {
        kind: 'call',
        calls: [unblockOwners(kind, object), collect(kind, { ...object, metadata }, 'Foreground')],
      }
    }
    return { kind: 'call', calls: [collect(kind, object, 'Foreground')] }
  }
  const policy = hasFinalizer(object, orphanFinalizer)
    ? 'Orphan'
    : hasFinalizer(object, foreground)
      ? 'Foreground'
      : 'Background'
  return { kind: 'call', calls: [collect(kind, object, policy)] }
}

function decideWaiting(kind: ServedKind, object: KubeObject, dependents: readonly KubeObject[]): ItemDecision {
  const blocking = dependents.filter((dependent) => blocks(dependent, object.metadata.uid ?? ''))
  if (blocking.length === 0) return { kind: 'call', calls: [removeFinalizer(kind, object, foreground)] }
  return { kind: 'dependents', blocking: blocking.filter((dependent) => !isDeletingDependents(dependent)) }
}
