import { findCondition } from '../../api/conditions.ts'
import { keyOf } from '../../api/object-key.ts'
import type { Node, Taint } from '../../api/objects/node.ts'
import type { Pod, Toleration } from '../../api/objects/pod.ts'
import { parseTime } from '../../api/time.ts'
import { causeText, decideEviction, type EvictionCause, noExecuteTaints } from './decide-eviction.ts'
import type { EvictionStage, PlannedEviction } from './eviction-queue.ts'

/** A pending eviction, for users and `/debug`. Instants are milliseconds since the epoch. */
export interface PendingEviction {
  readonly pod: string
  readonly node: string
  readonly stage: EvictionStage
  /** The time at which the pod is deleted, as far as it is known. */
  readonly fireAt: number
  readonly createdAt: number
  readonly taints: readonly Taint[]
  /** For each taint the toleration in use; empty if a taint is not tolerated. */
  readonly tolerations: readonly Toleration[]
  readonly cause: string
  readonly causedBy: EvictionCause
  readonly failures: number
}

export function describeEviction(eviction: PlannedEviction, timerAt: number | undefined): PendingEviction {
  const { pod, node, stage, createdAt, countdown, cause, failures } = eviction
  return {
    pod,
    node,
    stage,
    fireAt: timerAt ?? eviction.fireAt,
    createdAt,
    taints: countdown?.taints ?? [cause.taint],
    tolerations: countdown?.tolerations ?? [],
    cause: causeText(cause),
    causedBy: cause,
    failures,
  }
}

/**
 * Estimates the pending eviction of a pod from the pod and its node alone, for clusters whose controllers cannot be
 * inspected. The estimate is correct if the controller has been running since the taint was added and the tolerations
 * have not changed since.
 */
export function estimateEviction(pod: Pod, node: Node, now: number): PendingEviction | undefined {
  const taints = noExecuteTaints(node.spec?.taints)
  if (taints.length === 0 || pod.spec.nodeName !== node.metadata.name) return undefined
  const rules = { countFromTaint: true }
  const verdict = decideEviction({ taints, tolerations: pod.spec.tolerations, now, boundAt: boundAt(pod), rules })
  const at = { pod: keyOf(pod), node: node.metadata.name, failures: 0, announced: false }
  switch (verdict.kind) {
    case 'leave':
    case 'cancel':
      return undefined
    case 'evict': {
      const { cause } = verdict
      return describeEviction({ ...at, cause, createdAt: now, fireAt: now, stage: 'deleting' }, undefined)
    }
    case 'count-down': {
      const { countdown } = verdict
      const { cause, createdAt, fireAt } = countdown
      return describeEviction({ ...at, countdown, cause, createdAt, fireAt, stage: 'counting' }, undefined)
    }
  }
}

/** The time at which the pod was bound, from its status. */
export function boundAt(pod: Pod): number | undefined {
  const scheduled = findCondition(pod.status?.conditions, 'PodScheduled')
  return scheduled?.status === 'True' ? parseTime(scheduled.lastTransitionTime) : undefined
}
