import type { PatchCall } from '../../api/call.ts'
import { findCondition } from '../../api/conditions.ts'
import { semanticEqual } from '../../api/equality.ts'
import { patchStatusCall } from '../../api/object-calls.ts'
import type { Json, JsonObject } from '../../api/objects/meta.ts'
import type { Pod, PodCondition } from '../../api/objects/pod.ts'
import { formatTime } from '../../api/time.ts'
import { extended } from '../../base/extended.ts'
import type { Nominating } from '../contract/contract.ts'

export interface StatusWish {
  readonly condition?: Omit<PodCondition, 'lastTransitionTime' | 'observedGeneration'>
  readonly nominating?: Nominating
}

/**
 * The patch that sets a condition and a nomination in the status of a pod; undefined when both are set already (v1.36,
 * updatePod). It contains only the changes, so that concurrent changes of other fields are kept.
 */
export function podStatusPatch(pod: Pod, wish: StatusWish, now: number): PatchCall | undefined {
  const status: Record<string, Json> = {}
  if (wish.condition !== undefined) {
    const changed = changedCondition(pod, wish.condition, now)
    if (changed !== undefined) status['conditions'] = [changed]
  }
  const nominated = pod.status?.nominatedNodeName ?? ''
  if (wish.nominating?.kind === 'set' && wish.nominating.node !== nominated) {
    status['nominatedNodeName'] = wish.nominating.node
  }
  if (wish.nominating?.kind === 'clear' && nominated !== '') status['nominatedNodeName'] = null
  if (Object.keys(status).length === 0) return undefined
  return patchStatusCall('pods', pod, { status })
}

function changedCondition(pod: Pod, wish: NonNullable<StatusWish['condition']>, now: number): JsonObject | undefined {
  const { generation } = pod.metadata
  const known = findCondition(pod.status?.conditions, wish.type)
  const lastTransitionTime = known?.status === wish.status ? known.lastTransitionTime : formatTime(now)
  const condition = generation
    ? extended(wish, { observedGeneration: generation, lastTransitionTime })
    : extended(wish, { lastTransitionTime })
  // observedGeneration is part of the patch, but a change of it alone is not patched.
  const observedGeneration = known?.observedGeneration
  const isSameGeneration = observedGeneration === undefined || observedGeneration === generation
  const comparable = isSameGeneration ? condition : extended(condition, { observedGeneration })
  return known !== undefined && semanticEqual(known, comparable) ? undefined : (condition as unknown as JsonObject)
}
