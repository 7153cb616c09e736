import type { Deployment, ReplicaSet } from '../../api/objects/workloads.ts'
import { annotations } from '../../api/well-known.ts'
import { activeAmong, availableIn, countIn, type Generations, olderFirst, sumOf, wantedBy } from './replica-sets.ts'
import type { Resize } from './resizing.ts'
import { isRollingUpdate, maxSurge, replicasOf } from './rollout-limits.ts'

/** Somebody changed the wanted number since the ReplicaSets were last sized. */
export function isScalingEvent(deployment: Deployment, { all }: Generations): boolean {
  const replicas = replicasOf(deployment)
  return activeAmong(all).some((replicaSet) => {
    const desired = countIn(replicaSet, annotations.deploymentDesiredReplicas)
    return desired !== undefined && desired !== replicas
  })
}

/**
 * Sizes after a change of scale, or while paused. In the middle of a rollout every ReplicaSet gets its share: to give
 * it all to the new one would hasten the rollout (v1.36, deployment scale).
 */
export function decideScale(deployment: Deployment, generations: Generations): readonly Resize[] {
  const replicas = replicasOf(deployment)
  const { young, old } = generations
  const only = onlyActiveOrLatest(generations)
  if (only !== undefined) return [{ replicaSet: only, sizes: [replicas] }]
  if (young !== undefined && isSaturated(young, replicas)) {
    return activeAmong(old).map((replicaSet) => ({ replicaSet, sizes: [0] }))
  }
  return isRollingUpdate(deployment) ? decideShares(deployment, generations) : []
}

function onlyActiveOrLatest({ young, old, all }: Generations): ReplicaSet | undefined {
  const active = activeAmong(all)
  if (active.length === 0) return young ?? old.at(-1)
  return active.length === 1 ? active[0] : undefined
}

/** All of the wanted pods are its own and available, and it was sized for exactly that. */
function isSaturated(replicaSet: ReplicaSet, replicas: number): boolean {
  return (
    wantedBy(replicaSet) === replicas &&
    countIn(replicaSet, annotations.deploymentDesiredReplicas) === replicas &&
    availableIn(replicaSet) === replicas
  )
}

function decideShares(deployment: Deployment, { all }: Generations): readonly Resize[] {
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
  // What rounding leaves over goes to the largest.
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
  // An annotation that somebody removed or spoilt: the present size is the best guess at the former one.
  const before = countIn(replicaSet, annotations.deploymentMaxReplicas) || (deployment.status?.replicas ?? 0)
  if (before === 0) return 0
  return Math.round((size * (replicas + maxSurge(deployment))) / before) - size
}
