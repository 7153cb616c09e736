import { semanticEqual } from '../../../api/equality.ts'
import type { Node } from '../../../api/objects/node.ts'
import type { Pod } from '../../../api/objects/pod.ts'
import type { WakeChange, WakeRule } from '../../contract/contract.ts'
import { ActionType } from '../../contract/contract.ts'
import { requiredFeatures } from './required-features.ts'

function declares(_pod: Pod, { before, after }: WakeChange<Node>): boolean {
  return before === undefined || !semanticEqual(before.status?.declaredFeatures, after?.status?.declaredFeatures)
}

function needsChange(pod: Pod, { before, after }: WakeChange<Pod>): boolean {
  if (before === undefined || after === undefined || after.metadata.uid !== pod.metadata.uid) return false
  return !semanticEqual(requiredFeatures(before), requiredFeatures(after))
}

export const nodeDeclaredFeaturesWake: readonly WakeRule[] = [
  {
    on: { resource: 'Node', action: ActionType.Add | ActionType.UpdateNodeDeclaredFeature },
    hint: (pod, change) => declares(pod, change as WakeChange<Node>),
  },
  {
    on: { resource: 'Pod', action: ActionType.Update },
    hint: (pod, change) => needsChange(pod, change as WakeChange<Pod>),
  },
]
