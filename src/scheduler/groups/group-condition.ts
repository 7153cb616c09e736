import type { PatchCall } from '../../api/call.ts'
import { patchStatusCall } from '../../api/object-calls.ts'
import type { DeviceCondition } from '../../api/objects/devices.ts'
import type { PodGroup } from '../../api/objects/groups.ts'
import type { JsonObject } from '../../api/objects/meta.ts'
import { formatTime } from '../../api/time.ts'

export type GroupConditionWish = Pick<DeviceCondition, 'type' | 'status' | 'reason' | 'message'>

/**
 * The patch that sets a condition of a group; undefined when it is set already. A scheduled group stays scheduled when
 * later pods of the group do not fit (v1.36, updatePodGroupCondition).
 */
export function groupConditionPatch(group: PodGroup, wish: GroupConditionWish, now: number): PatchCall | undefined {
  const existing = group.status?.conditions?.find(({ type }) => type === wish.type)
  if (existing?.status === 'True' && wish.status !== 'True') return undefined
  const { generation } = group.metadata
  const isSame =
    existing !== undefined &&
    existing.status === wish.status &&
    existing.reason === wish.reason &&
    (existing.message ?? '') === (wish.message ?? '') &&
    (existing.observedGeneration ?? 0) === (generation ?? 0)
  if (isSame) return undefined
  const keepsTime = existing?.status === wish.status && existing?.lastTransitionTime !== undefined
  const condition = {
    ...wish,
    message: wish.message ?? '',
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    lastTransitionTime: keepsTime ? (existing.lastTransitionTime as string) : formatTime(now),
  }
  const patch = { status: { conditions: [condition as unknown as JsonObject] } }
  return patchStatusCall('podgroups.scheduling.k8s.io', group, patch)
}
