import { keyOf, objectKey } from '../../../api/object-key.ts'
import type { PodGroup } from '../../../api/objects/groups.ts'
import type { KubeObject } from '../../../api/objects/meta.ts'
import type { Pod } from '../../../api/objects/pod.ts'
import { groupNameOf } from '../../../api/pod-claims.ts'
import type { WakeRule } from '../../contract/contract.ts'
import { ActionType } from '../../contract/contract.ts'
import { type GroupHierarchies, type GroupNode, groupId } from '../../contract/groups.ts'

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

/** The same for hierarchies of groups: every group and every pod of a hierarchy may complete it (v1.37). */
export function hierarchyWake(hierarchies: GroupHierarchies): readonly WakeRule[] {
  const isRelated = (pod: Pod, kind: GroupNode['kind'], key: string): boolean => {
    const root = hierarchies.rootOfPod(pod)
    return root !== undefined && hierarchies.rootOf(groupId(kind, key)) === root
  }
  const isOfGroup = (pod: Pod, kind: GroupNode['kind'], group: KubeObject | undefined): boolean =>
    group !== undefined && isRelated(pod, kind, keyOf(group))
  return [
    {
      on: { resource: 'Pod', action: ActionType.Add },
      hint: (pod, { after }) => {
        const name = after === undefined ? undefined : groupNameOf(after as Pod)
        return name !== undefined && isRelated(pod, 'podgroup', objectKey(after?.metadata.namespace, name))
      },
    },
    {
      on: { resource: 'scheduling.k8s.io/PodGroup', action: ActionType.Add },
      hint: (pod, { after }) => isOfGroup(pod, 'podgroup', after),
    },
    {
      on: { resource: 'scheduling.k8s.io/PodGroup', action: ActionType.Update },
      hint: (pod, { before, after }) =>
        isOfGroup(pod, 'podgroup', after) && minCountOf(after as PodGroup) < minCountOf(before as PodGroup),
    },
    {
      on: { resource: 'scheduling.k8s.io/CompositePodGroup', action: ActionType.Add },
      hint: (pod, { after }) => isOfGroup(pod, 'compositepodgroup', after),
    },
  ]
}

function minCountOf({ spec }: PodGroup): number {
  return spec.schedulingPolicy?.gang?.minCount ?? 0
}
