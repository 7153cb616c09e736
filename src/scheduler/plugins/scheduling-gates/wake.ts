import type { KubernetesRelease } from '../../../api/releases/kubernetes-release.ts'
import type { WakeRule } from '../../contract/contract.ts'
import { ActionType, targetPod } from '../../contract/contract.ts'

export function schedulingGatesWake(release: KubernetesRelease): readonly WakeRule[] {
  return [
    {
      on: { resource: targetPod(release), action: ActionType.UpdatePodSchedulingGatesEliminated },
      hint: (pod, { after }) => after?.metadata.uid === pod.metadata.uid,
    },
  ]
}
