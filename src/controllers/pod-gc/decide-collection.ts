import type { Call } from '../../api/call.ts'
import { isNodeReady, isPodTerminal, withCondition } from '../../api/conditions.ts'
import type { JsonObject } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod, PodCondition } from '../../api/objects/pod.ts'
import { formatTime } from '../../api/time.ts'
import { taintKeys } from '../../api/well-known.ts'

/** The reason why a pod is force-deleted, as in the label of the metrics. */
export type CollectionReason = 'terminated' | 'out-of-service' | 'orphaned' | 'unscheduled'

/** Finished pods above the threshold: evicted pods first, then the oldest. */
export function surplusTerminated(terminated: readonly Pod[], threshold: number): readonly Pod[] {
  const count = terminated.length - threshold
  if (threshold <= 0 || count <= 0) return []
  return [...terminated].sort(evictedThenOldest).slice(0, count)
}

/** On a node with the out-of-service taint, no kubelet finishes terminating pods. */
export function isOutOfService(node: Node | undefined): boolean {
  if (node === undefined || isNodeReady(node)) return false
  return node.spec?.taints?.some(({ key }) => key === taintKeys.outOfService) ?? false
}

export function evictedThenOldest(a: Pod, b: Pod): number {
  const [evictedA, evictedB] = [isEvicted(a), isEvicted(b)]
  if (evictedA !== evictedB) return evictedA ? -1 : 1
  const [createdA, createdB] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '']
  if (createdA !== createdB) return createdA < createdB ? -1 : 1
  return a.metadata.name < b.metadata.name ? -1 : a.metadata.name > b.metadata.name ? 1 : 0
}

function isEvicted({ status }: Pod): boolean {
  return status?.phase === 'Failed' && status.reason === 'Evicted'
}

/**
 * An unfinished pod is first marked as failed, because no kubelet does it, and then deleted without grace period
 * (v1.36, podgc markFailedAndDeletePodWithCondition). Upstream skips the deletion if the mark fails; the precondition
 * on the uid has the same effect.
 */
export function collectionCalls(pod: Pod, reason: CollectionReason, now: number): readonly Call[] {
  const { namespace, name, uid } = pod.metadata
  const target = { resource: 'pods', ...(namespace === undefined ? {} : { namespace }), name } as const
  const preconditions = uid === undefined ? {} : { preconditions: { uid } }
  const deletion: Call = { verb: 'delete', ...target, options: { gracePeriodSeconds: 0, ...preconditions } }
  if (isPodTerminal(pod)) return [deletion]
  const patch: JsonObject = {
    ...(uid === undefined ? {} : { metadata: { uid } }),
    status: failedStatus(pod, reason, now),
  }
  return [{ verb: 'patch', ...target, subresource: 'status', patch: { kind: 'strategic', patch } }, deletion]
}

function failedStatus(pod: Pod, reason: CollectionReason, now: number): JsonObject {
  const { generation } = pod.metadata
  const observed = generation === undefined ? {} : { observedGeneration: generation }
  const status = { phase: 'Failed', ...observed }
  if (reason !== 'orphaned') return status
  const condition: PodCondition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'DeletionByPodGC',
    message: 'PodGC: node no longer exists',
    ...observed,
  }
  const marked = withCondition(pod.status?.conditions, condition, formatTime(now)).filter(
    ({ type }) => type === 'DisruptionTarget',
  )
  return { ...status, conditions: marked.map((one): JsonObject => ({ ...one })) }
}
