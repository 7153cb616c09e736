import { findCondition } from '../../api/conditions.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Deployment } from '../../api/objects/workloads.ts'

/*
 * A decision about a Deployment with a single ReplicaSet depends on counts and on the fields compared here. While these
 * fields are unchanged and the last decision only wrote the status, only the status can change. This is the common case
 * when pods are created or deleted.
 */

export function isCountOnlyChange(before: Deployment, after: Deployment): boolean {
  return keepsAllButStatus(before, after) && keepsProgress(before, after)
}

/**
 * Compares the parts of an object without its status. Objects are immutable, so the same reference is the same content.
 */
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

/** The properties of the condition that the decision reads: its existence and its reason. */
function keepsProgress({ status: before }: Deployment, { status: after }: Deployment): boolean {
  if (before?.conditions === after?.conditions) return true
  const former = findCondition(before?.conditions, 'Progressing')
  const present = findCondition(after?.conditions, 'Progressing')
  if (former === undefined || present === undefined) return former === present
  return (former.reason ?? '') === (present.reason ?? '')
}
