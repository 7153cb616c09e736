import { findCondition } from '../../api/conditions.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Deployment, ReplicaSet } from '../../api/objects/workloads.ts'

/**
 * What a decision about a Deployment with a single ReplicaSet is made from, besides counts. While all of it is the same and
 * the decision was to do nothing but write the status, only the status can be another: so it is whenever pods come and go.
 */
export interface Footing {
  readonly deployment: Standing
  readonly replicaSet: Standing
  readonly progress: string | undefined
}

/** The parts of an object that are not its status; objects are immutable, so the same part is the same content. */
interface Standing {
  readonly uid: unknown
  readonly spec: unknown
  readonly labels: unknown
  readonly annotations: unknown
  readonly owners: unknown
  readonly generation: unknown
  readonly deletedAt: unknown
}

export function footingOf(deployment: Deployment, replicaSet: ReplicaSet): Footing {
  return {
    deployment: standingOf(deployment, deployment.spec),
    replicaSet: standingOf(replicaSet, replicaSet.spec),
    progress: progressOf(deployment),
  }
}

export function standsOn(footing: Footing, deployment: Deployment, replicaSet: ReplicaSet): boolean {
  return (
    isStanding(footing.deployment, deployment, deployment.spec) &&
    isStanding(footing.replicaSet, replicaSet, replicaSet.spec) &&
    footing.progress === progressOf(deployment)
  )
}

function standingOf({ metadata }: KubeObject, spec: unknown): Standing {
  return {
    uid: metadata.uid,
    spec,
    labels: metadata.labels,
    annotations: metadata.annotations,
    owners: metadata.ownerReferences,
    generation: metadata.generation,
    deletedAt: metadata.deletionTimestamp,
  }
}

function isStanding(before: Standing, { metadata }: KubeObject, spec: unknown): boolean {
  return (
    before.spec === spec &&
    before.uid === metadata.uid &&
    before.labels === metadata.labels &&
    before.annotations === metadata.annotations &&
    before.owners === metadata.ownerReferences &&
    before.generation === metadata.generation &&
    before.deletedAt === metadata.deletionTimestamp
  )
}

/** What is asked of the condition before it comes to counting: whether it is there, and its reason. */
function progressOf({ status }: Deployment): string | undefined {
  const progressing = findCondition(status?.conditions, 'Progressing')
  return progressing && (progressing.reason ?? '')
}
