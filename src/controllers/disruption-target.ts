import type { PatchCall } from '../api/call.ts'
import { withCondition } from '../api/conditions.ts'
import { patchStatusCall } from '../api/object-calls.ts'
import type { JsonObject } from '../api/objects/meta.ts'
import type { Pod, PodCondition } from '../api/objects/pod.ts'
import { formatTime } from '../api/time.ts'

/**
 * Sets the DisruptionTarget condition of a pod before its deletion; undefined: the condition is already set. With the
 * uid, the patch fails instead of marking a newer pod with the same name.
 */
export function disruptionTargetPatch(
  pod: Pod,
  cause: Pick<PodCondition, 'reason' | 'message' | 'observedGeneration'>,
  now: number,
): PatchCall | undefined {
  const { uid } = pod.metadata
  const before = pod.status?.conditions
  const condition: PodCondition = { type: 'DisruptionTarget', status: 'True', ...cause }
  const after = withCondition(before, condition, formatTime(now))
  if (after === before) return undefined
  const changed = after.find(({ type }) => type === 'DisruptionTarget') as PodCondition
  const patch: JsonObject = {
    status: { conditions: [{ ...changed } as JsonObject] },
    ...(uid === undefined ? {} : { metadata: { uid } }),
  }
  return patchStatusCall('pods', pod, patch)
}
