import type { KubernetesRelease } from '../../../api/releases/kubernetes-release.ts'
import type { WakeRule } from '../../contract/contract.ts'
import { ActionType, assignedPod } from '../../contract/contract.ts'

/**
 * A preemptor is gated until the deletion of its last victim starts. The plugin registers for deletions, so that they
 * are not missed while the pod is gated. The plugins that rejected the pod decide whether a deletion helps.
 */
export function defaultPreemptionWake(release: KubernetesRelease): readonly WakeRule[] {
  return [{ on: { resource: assignedPod(release), action: ActionType.Delete }, hint: () => false }]
}
