import { semanticEqual } from '../../../api/equality.ts'
import type { Node } from '../../../api/objects/node.ts'
import type { Pod } from '../../../api/objects/pod.ts'
import type { KubernetesRelease } from '../../../api/releases/kubernetes-release.ts'
import type { WakeChange, WakeRule } from '../../contract/contract.ts'
import { ActionType, targetPod } from '../../contract/contract.ts'
import { type RequiredFeatures, requiredFeatures } from './required-features.ts'

function declares(_pod: Pod, { before, after }: WakeChange<Node>): boolean {
  return before === undefined || !semanticEqual(before.status?.declaredFeatures, after?.status?.declaredFeatures)
}

function needsChange(pod: Pod, { before, after }: WakeChange<Pod>, required: RequiredFeatures): boolean {
  if (before === undefined || after === undefined || after.metadata.uid !== pod.metadata.uid) return false
  return !semanticEqual(required(before), required(after))
}

export function nodeDeclaredFeaturesWake(release: KubernetesRelease): readonly WakeRule[] {
  const required = requiredFeatures(release)
  return [
    {
      on: { resource: 'Node', action: ActionType.Add | ActionType.UpdateNodeDeclaredFeature },
      hint: (pod, change) => declares(pod, change as WakeChange<Node>),
    },
    {
      on: { resource: targetPod(release), action: ActionType.Update },
      hint: (pod, change) => needsChange(pod, change as WakeChange<Pod>, required),
    },
  ]
}
