import type { Call } from '../../api/call.ts'
import { splitKey } from '../../api/object-key.ts'
import type { JsonObject } from '../../api/objects/meta.ts'
import type { Node, Taint } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { evictionCall } from '../../api/pod-eviction.ts'
import { formatTime } from '../../api/time.ts'
import { disruptionTargetPatch } from '../disruption-target.ts'

/** Sets the DisruptionTarget condition before the deletion (v1.36, tainteviction addConditionAndDeletePod). */
export function disruptionPatch(pod: Pod, now: number): Call | undefined {
  const { generation } = pod.metadata
  const cause = {
    reason: 'DeletionByTaintManager',
    message: 'Taint manager: deleting due to NoExecute taint',
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  }
  return disruptionTargetPatch(pod, cause, now)
}

/** Deletes by name and without a precondition, as upstream: a newer pod with this name is deleted too. */
export function deletePod(key: string): Call {
  return { verb: 'delete', resource: 'pods', ...splitKey(key) }
}

/** Fix `eviction-budgets`: evicts through the eviction API. The API server sets the condition itself. */
export function evictPod(key: string): Call {
  return evictionCall(splitKey(key))
}

/** Fix `countdown-from-taint`: adds timeAdded to taints that users set. Only controllers set timeAdded. */
export function stampTaints(node: Node, now: number): Call | undefined {
  const taints = node.spec?.taints ?? []
  if (!taints.some(isUnstamped)) return undefined
  const stamped = taints.map((taint) => (isUnstamped(taint) ? { ...taint, timeAdded: formatTime(now) } : taint))
  const { name, resourceVersion } = node.metadata
  const patch: JsonObject = {
    ...(resourceVersion === undefined ? {} : { metadata: { resourceVersion } }),
    spec: { taints: stamped.map((taint): JsonObject => ({ ...taint })) },
  }
  return { verb: 'patch', resource: 'nodes', name, patch: { kind: 'strategic', patch } }
}

function isUnstamped(taint: Taint): boolean {
  return taint.effect === 'NoExecute' && taint.timeAdded === undefined
}
