import type { WakeRule } from '../../contract/contract.ts'
import { ActionType } from '../../contract/contract.ts'

export const schedulingGatesWake: readonly WakeRule[] = [
  {
    on: { resource: 'Pod', action: ActionType.UpdatePodSchedulingGatesEliminated },
    hint: (pod, { after }) => after?.metadata.uid === pod.metadata.uid,
  },
]
