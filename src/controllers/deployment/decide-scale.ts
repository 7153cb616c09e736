import type { Deployment, ReplicaSet } from '../../api/objects/workloads.ts'
import { annotations } from '../../api/well-known.ts'
import { activeAmong, availableIn, countIn, olderFirst, type SetsByTemplate, sumOf, wantedBy } from './replica-sets.ts'
import type { Resize } from './resizing.ts'
import { isRollingUpdate, maxSurge, replicasOf } from './rollout-limits.ts'

/** Reports whether the wanted number changed since the ReplicaSets were last sized. */
export function isScalingEvent(deployment: Deployment, { all }: SetsByTemplate): boolean {
  const replicas = replicasOf(deployment)
  return activeAmong(all).some((replicaSet) => {
    const desired = countIn(replicaSet, annotations.deploymentDesiredReplicas)
    return desired !== undefined && desired !== replicas
  })
}

/**
 * Sizes after a change of scale, or while the Deployment is paused. During a rollout, the change is distributed over
 * all ReplicaSets, because a larger new ReplicaSet alone would speed up the rollout (v1.36, deployment scale).
 */
export function decideScale(deployment: Deployment, byTemplate: SetsByTemplate): readonly Resize[] {
  const replicas = replicasOf(deployment)
  const { newSet, old } = byTemplate
  const only = onlyActiveOrLatest(byTemplate)
  if (only !== undefined) return [{ replicaSet: only, sizes: [replicas] }]
  if (newSet !== undefined && isSaturated(newSet, replicas)) {
    return activeAmong(old).map((replicaSet) => ({ replicaSet, sizes: [0] }))
  }
  return isRollingUpdate(deployment) ? decideShares(deployment, byTemplate) : []
}

function onlyActiveOrLatest({ newSet, old, all }: SetsByTemplate): ReplicaSet | undefined {
  const active = activeAmong(all)
  if (active.length === 0) return newSet ?? old.at(-1)
  return active.length === 1 ? active[0] : undefined
}

/** Reports whether all wanted pods are available, and the ReplicaSet was sized for exactly this number. */
function isSaturated(replicaSet: ReplicaSet, replicas: number): boolean {
  return (
    wantedBy(replicaSet) === replicas &&
    countIn(replicaSet, annotations.deploymentDesiredReplicas) === replicas &&
    availableIn(replicaSet) === replicas
  )
}

function decideShares(deployment: Deployment, { all }: SetsByTemplate): readonly Resize[] {
  const replicas = replicasOf(deployment)
  const active = activeAmong(all)
  const allowed = replicas > 0 ? replicas + maxSurge(deployment) : 0
  const toAdd = allowed - sumOf(active, wantedBy)
  const bySize = [...active].sort(
    (a, b) => wantedBy(b) - wantedBy(a) || (toAdd > 0 ? olderFirst(b, a) : toAdd < 0 ? olderFirst(a, b) : 0),
  )
  let added = 0
  const sizes = bySize.map((replicaSet) => {
    const share = shareOf(replicaSet, deployment, toAdd, added)
    added += share
    return wantedBy(replicaSet) + share
  })
  // The largest ReplicaSet gets the remainder of rounding.
  if (toAdd !== 0 && sizes[0] !== undefined) sizes[0] = Math.max(0, sizes[0] + toAdd - added)
  return bySize.map((replicaSet, i) => ({ replicaSet, sizes: [sizes[i] as number], annotate: true }))
}

function shareOf(replicaSet: ReplicaSet, deployment: Deployment, toAdd: number, added: number): number {
  if (toAdd === 0 || toAdd === added) return 0
  const fraction = fractionOf(replicaSet, deployment)
  return toAdd > 0 ? Math.min(fraction, toAdd - added) : Math.max(fraction, toAdd - added)
}

function fractionOf(replicaSet: ReplicaSet, deployment: Deployment): number {
  const size = wantedBy(replicaSet)
  const replicas = replicasOf(deployment)
  if (replicas === 0) return -size
  // If the annotation is missing or invalid, the current size is used instead.
  const before = countIn(replicaSet, annotations.deploymentMaxReplicas) || (deployment.status?.replicas ?? 0)
  if (before === 0) return 0
  return Math.round((size * (replicas + maxSurge(deployment))) / before) - size
}
