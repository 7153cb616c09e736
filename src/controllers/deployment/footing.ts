import { findCondition } from '../../api/conditions.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Deployment } from '../../api/objects/workloads.ts'

/*
 * A decision about a Deployment with a single ReplicaSet is made from counts, and from what is compared here. While all of
 * that is the same and the decision was to do nothing but write the status, only the status can be another: so it is
 * whenever pods come and go.
 */

export function keepsFooting(before: Deployment, after: Deployment): boolean {
  return keepsAllButStatus(before, after) && keepsProgress(before, after)
}

/** The parts of an object that are not its status; objects are immutable, so the same part is the same content. */
export function keepsAllButStatus(before: Specified, after: Specified): boolean {
  if (before.spec !== after.spec) return false
  const former = before.metadata
  const present = after.metadata
  return (
    former.uid === present.uid &&
    former.labels === present.labels &&
    former.annotations === present.annotations &&
    former.ownerReferences === present.ownerReferences &&
    former.generation === present.generation &&
    former.deletionTimestamp === present.deletionTimestamp
  )
}

interface Specified extends KubeObject {
  readonly spec?: unknown
}

/** What is asked of the condition before it comes to counting: whether it is there, and its reason. */
function keepsProgress({ status: before }: Deployment, { status: after }: Deployment): boolean {
  if (before?.conditions === after?.conditions) return true
  const former = findCondition(before?.conditions, 'Progressing')
  const present = findCondition(after?.conditions, 'Progressing')
  if (former === undefined || present === undefined) return former === present
  return (former.reason ?? '') === (present.reason ?? '')
}
