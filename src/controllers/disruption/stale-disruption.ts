import { findCondition, isPodTerminal, withCondition } from '../../api/conditions.ts'
import type { Pod, PodCondition } from '../../api/objects/pod.ts'
import { formatTime, parseTime } from '../../api/time.ts'

// v1.36, disruption stalePodDisruptionTimeout.
const staleAfterMs = 120_000

/**
 * The time at which a DisruptionTarget condition becomes stale on a pod that is not terminating. Conditions of the
 * kubelet and conditions of finished pods never become stale.
 */
export function staleAt(pod: Pod): number | undefined {
  if (pod.metadata.deletionTimestamp !== undefined || isPodTerminal(pod)) return undefined
  const condition = findCondition(pod.status?.conditions, 'DisruptionTarget')
  if (condition?.status !== 'True' || condition.reason === 'TerminationByKubelet') return undefined
  return (parseTime(condition.lastTransitionTime) ?? 0) + staleAfterMs
}

export function sparedPod(pod: Pod, now: number): Pod {
  const { generation } = pod.metadata
  const condition: PodCondition = {
    type: 'DisruptionTarget',
    status: 'False',
    lastProbeTime: null,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  }
  return {
    ...pod,
    status: { ...pod.status, conditions: withCondition(pod.status?.conditions, condition, formatTime(now)) },
  }
}
