import type { PodGroup } from '../../../api/objects/groups.ts'
import type { Pod } from '../../../api/objects/pod.ts'
import { groupNameOf } from '../../../api/pod-claims.ts'
import type { WakeRule } from '../../contract/contract.ts'
import { ActionType } from '../../contract/contract.ts'

/** A pod of the same group may complete the gang, and the group itself may appear or need fewer pods. */
export const gangSchedulingWake: readonly WakeRule[] = [
  {
    on: { resource: 'Pod', action: ActionType.Add },
    hint: (pod, { after }) =>
      after !== undefined &&
      after.metadata.namespace === pod.metadata.namespace &&
      groupNameOf(pod) !== undefined &&
      groupNameOf(after as Pod) === groupNameOf(pod),
  },
  {
    on: { resource: 'scheduling.k8s.io/PodGroup', action: ActionType.Add },
    hint: (pod, { after }) =>
      after?.metadata.namespace === pod.metadata.namespace && after?.metadata.name === groupNameOf(pod),
  },
  {
    // Only from v1.37 on can the minimum be changed.
    on: { resource: 'scheduling.k8s.io/PodGroup', action: ActionType.Update },
    hint: (pod, { before, after }) =>
      after?.metadata.namespace === pod.metadata.namespace &&
      after?.metadata.name === groupNameOf(pod) &&
      minCountOf(after as PodGroup) < minCountOf(before as PodGroup),
  },
]

function minCountOf({ spec }: PodGroup): number {
  return spec.schedulingPolicy?.gang?.minCount ?? 0
}
