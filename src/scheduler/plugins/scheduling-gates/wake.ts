import type { WakeRule } from '../../framework/contract.ts'
import { ActionType } from '../../framework/contract.ts'

export const schedulingGatesWake: readonly WakeRule[] = [
  {
    on: { resource: 'Pod', action: ActionType.UpdatePodSchedulingGatesEliminated },
    hint: (pod, { after }) => after?.metadata.uid === pod.metadata.uid,
  },
]
