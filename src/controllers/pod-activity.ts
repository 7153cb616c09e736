import { findCondition, isPodReady, isPodTerminal } from '../api/conditions.ts'
import type { Pod } from '../api/objects/pod.ts'
import { parseTime } from '../api/time.ts'

/** A pod that counts toward the replicas of its controller (v1.36, pkg/controller IsPodActive). */
export function isPodActive(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp === undefined && !isPodTerminal(pod)
}

/** Reports whether a pod is terminating and not finished (v1.36, pkg/controller IsPodTerminating). */
export function isPodTerminating(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp !== undefined && !isPodTerminal(pod)
}

/** The time at which a ready pod became ready. */
export function readySince(pod: Pod): number | undefined {
  const condition = findCondition(pod.status?.conditions, 'Ready')
  return condition?.status === 'True' ? parseTime(condition.lastTransitionTime) : undefined
}

/** Reports whether a pod has been ready for at least minReadySeconds (v1.36, pkg/api/v1/pod IsPodAvailable). */
export function isPodAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  if (!isPodReady(pod)) return false
  if (minReadySeconds === 0) return true
  const since = readySince(pod)
  return since !== undefined && since + minReadySeconds * 1000 <= now
}

export interface Availability {
  readonly available: number
  /** The time at which the next ready pod becomes available. */
  readonly nextAt?: number
}

export function availabilityOf(pods: Iterable<Pod>, minReadySeconds: number, now: number): Availability {
  let available = 0
  let nextAt = Number.POSITIVE_INFINITY
  for (const pod of pods) {
    if (isPodAvailable(pod, minReadySeconds, now)) {
      available++
      continue
    }
    const since = readySince(pod)
    if (since !== undefined) nextAt = Math.min(nextAt, since + minReadySeconds * 1000)
  }
  return nextAt === Number.POSITIVE_INFINITY ? { available } : { available, nextAt }
}
