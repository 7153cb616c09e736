import { findCondition } from '../api/conditions.ts'
import type { Pod } from '../api/objects/pod.ts'
import { controllerOf } from '../api/owner-references.ts'
import type { ChangeOf } from '../runtime/controller.ts'

/**
 * Reports whether a pod of a controller changed without an effect on its controller and its budgets: only its node, or
 * the reason why it is not scheduled, changed.
 */
export function isUnchangedForOwner({ before, after }: ChangeOf<'pods'>): boolean {
  if (before === undefined || after === undefined) return false
  const { metadata: old, status: was } = before
  const { metadata: young, status: is } = after
  return (
    old.uid === young.uid &&
    old.labels === young.labels &&
    old.deletionTimestamp === young.deletionTimestamp &&
    old.ownerReferences === young.ownerReferences &&
    controllerOf(after) !== undefined &&
    was?.phase === is?.phase &&
    (was?.conditions === is?.conditions ||
      (isSame(before, after, 'Ready') && isSame(before, after, 'DisruptionTarget')))
  )
}

function isSame({ status: was }: Pod, { status: is }: Pod, type: string): boolean {
  return findCondition(was?.conditions, type) === findCondition(is?.conditions, type)
}

/** Reports whether a change concerns a pod that is on no node and is not deleted, so no kubelet knows it. */
export function isOffNodes({ before, after }: ChangeOf<'pods'>): boolean {
  return (
    before !== undefined &&
    after !== undefined &&
    (before.spec.nodeName ?? '') === '' &&
    (after.spec.nodeName ?? '') === '' &&
    before.metadata.uid === after.metadata.uid &&
    before.metadata.deletionTimestamp === after.metadata.deletionTimestamp
  )
}
