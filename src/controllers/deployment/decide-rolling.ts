import type { Deployment, ReplicaSet } from '../../api/objects/workloads.ts'
import { scaledValue } from '../scaled-value.ts'
import { activeAmong, availableIn, type SetsByTemplate, sumOf, wantedBy } from './replica-sets.ts'
import type { Resize } from './resizing.ts'
import { isRollingUpdate, maxUnavailable, replicasOf } from './rollout-limits.ts'

/**
 * The size that the new ReplicaSet may have (v1.36, deployment/util NewRSNewReplicas). `present` is its current size,
 * which is included in `total`.
 */
export function newSetSize(deployment: Deployment, total: number, present: number): number {
  const replicas = replicasOf(deployment)
  if (!isRollingUpdate(deployment)) return replicas
  const surge = scaledValue(deployment.spec?.strategy?.rollingUpdate?.maxSurge, replicas, 'up')
  const room = replicas + surge - total
  return room <= 0 ? present : present + Math.min(room, replicas - present)
}

/** One step of a rolling update: the new ReplicaSet grows if it can, otherwise the old ones shrink if they can. */
export function decideRolling(
  deployment: Deployment,
  byTemplate: SetsByTemplate & { readonly newSet: ReplicaSet },
): readonly Resize[] {
  const up = decideNewSet(deployment, byTemplate)
  return up.length > 0 ? up : decideOld(deployment, byTemplate)
}

function decideNewSet(
  deployment: Deployment,
  { newSet, all }: { readonly newSet: ReplicaSet; readonly all: readonly ReplicaSet[] },
): readonly Resize[] {
  const replicas = replicasOf(deployment)
  const present = wantedBy(newSet)
  const size = present > replicas ? replicas : newSetSize(deployment, sumOf(all, wantedBy), present)
  return size === present ? [] : [{ replicaSet: newSet, sizes: [size] }]
}

/**
 * First scales down unavailable pods of the old ReplicaSets, which serve no traffic and could block the rollout; then
 * as many other pods as the available pods of the new ReplicaSet replace (v1.36, deployment reconcileOldReplicaSets).
 */
function decideOld(
  deployment: Deployment,
  { newSet, old, all }: SetsByTemplate & { readonly newSet: ReplicaSet },
): readonly Resize[] {
  const active = activeAmong(old)
  if (active.length === 0) return []
  const minAvailable = replicasOf(deployment) - maxUnavailable(deployment)
  const youngUnavailable = wantedBy(newSet) - availableIn(newSet)
  const most = sumOf(all, wantedBy) - minAvailable - youngUnavailable
  if (most <= 0) return []

  let cleaned = 0
  const sizes = new Map<ReplicaSet, number[]>()
  for (const replicaSet of active) {
    if (cleaned >= most) break
    const unavailable = wantedBy(replicaSet) - availableIn(replicaSet)
    if (unavailable === 0) continue
    // More pods are available than wanted: the status is older than the size and cannot be used.
    if (unavailable < 0) return toResizes(sizes)
    const fewer = Math.min(most - cleaned, unavailable)
    cleaned += fewer
    sizes.set(replicaSet, [wantedBy(replicaSet) - fewer])
  }

  let surplus = sumOf([...active, newSet], availableIn) - minAvailable
  for (const replicaSet of active) {
    const present = sizes.get(replicaSet)?.at(-1) ?? wantedBy(replicaSet)
    const fewer = Math.min(present, surplus)
    if (fewer <= 0) continue
    surplus -= fewer
    sizes.set(replicaSet, [...(sizes.get(replicaSet) ?? []), present - fewer])
  }
  return toResizes(sizes)
}

function toResizes(sizes: ReadonlyMap<ReplicaSet, readonly number[]>): readonly Resize[] {
  return [...sizes].map(([replicaSet, steps]) => ({ replicaSet, sizes: steps }))
}
