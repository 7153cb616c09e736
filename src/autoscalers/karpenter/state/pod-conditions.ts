import { findCondition } from '../../../api/conditions.ts'
import { parseGoDuration } from '../../../api/go-duration.ts'
import type { Pod, Toleration } from '../../../api/objects/pod.ts'
import { parseTime } from '../../../api/time.ts'
import { disruptedTaint, doNotDisruptAnnotation } from '../names.ts'
import { toleratesAll } from '../scheduling/taint-check.ts'

// The predicates of v1.14, pkg/utils/pod/scheduling.go.

const stuckMs = 60_000

export function isTerminal({ status }: Pod): boolean {
  return status?.phase === 'Failed' || status?.phase === 'Succeeded'
}

export function isTerminating({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined
}

export function isActive(pod: Pod): boolean {
  return !isTerminal(pod) && !isTerminating(pod)
}

function isOwnedBy(pod: Pod, apiVersion: string, kind: string): boolean {
  return pod.metadata.ownerReferences?.some((owner) => owner.apiVersion === apiVersion && owner.kind === kind) ?? false
}

export function isDaemon(pod: Pod): boolean {
  return isOwnedBy(pod, 'apps/v1', 'DaemonSet')
}

/** Reports whether the pod is a static pod, which only its kubelet can remove. */
export function isMirror(pod: Pod): boolean {
  return isOwnedBy(pod, 'v1', 'Node')
}

/** Reports whether the scheduler found no node for the pod. */
export function isProvisionable(pod: Pod): boolean {
  return (
    (pod.spec.nodeName ?? '') === '' &&
    findCondition(pod.status?.conditions, 'PodScheduled')?.reason === 'Unschedulable' &&
    (pod.status?.nominatedNodeName ?? '') === '' &&
    !isDaemon(pod) &&
    !isMirror(pod)
  )
}

/**
 * Reports whether the pod needs room on another node when its node is removed. Pods of StatefulSets are replaced only
 * after they are deleted.
 */
export function isReschedulable(pod: Pod): boolean {
  const isKept = isActive(pod) || (isTerminating(pod) && isOwnedBy(pod, 'apps/v1', 'StatefulSet'))
  return isKept && !isDaemon(pod) && !isMirror(pod)
}

export function isDoNotDisruptActive({ metadata, status }: Pod, wall: number): boolean {
  const value = metadata.annotations?.[doNotDisruptAnnotation]
  if (value === undefined) return false
  if (value === 'true') return true
  const parsed = parseGoDuration(value)
  if (!parsed.ok || parsed.value <= 0n) return false
  const started = parseTime(status?.startTime)
  return started === undefined || wall - started < Number(parsed.value) / 1e6
}

export function isDisruptable(pod: Pod, wall: number): boolean {
  return !isActive(pod) || !isDoNotDisruptActive(pod, wall)
}

const disruption = [disruptedTaint]
// The pods of draining nodes are checked every second.
const toleratingDisruption = new WeakMap<readonly Toleration[], boolean>()

function toleratesDisruption({ spec: { tolerations } }: Pod): boolean {
  if (tolerations === undefined) return false
  const known = toleratingDisruption.get(tolerations)
  if (known !== undefined) return known
  const tolerates = toleratesAll(disruption, tolerations)
  toleratingDisruption.set(tolerations, tolerates)
  return tolerates
}

export function isEvictable(pod: Pod, wall: number): boolean {
  return isActive(pod) && !isMirror(pod) && !isDoNotDisruptActive(pod, wall) && !toleratesDisruption(pod)
}

/** Reports whether the drain of the node waits for the pod. */
export function isWaitingEviction(pod: Pod, wall: number): boolean {
  return !isTerminal(pod) && !isStuck(pod, wall) && !isMirror(pod) && !toleratesDisruption(pod)
}

function isStuck({ metadata }: Pod, wall: number): boolean {
  const deleted = parseTime(metadata.deletionTimestamp)
  return deleted !== undefined && wall - deleted > stuckMs
}

const noCost = 1

/** 1, higher for pods with a high priority or deletion cost, lower for low ones; between -10 and 10. */
export function evictionCost({ metadata, spec }: Pod): number {
  let cost = noCost
  const deletionCost = Number(metadata.annotations?.['controller.kubernetes.io/pod-deletion-cost'] ?? Number.NaN)
  if (!Number.isNaN(deletionCost)) cost += deletionCost / 2 ** 27
  if (spec.priority !== undefined) cost += spec.priority / 2 ** 25
  return Math.min(10, Math.max(-10, cost))
}
