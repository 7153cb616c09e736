import type { WakeRule } from '../../contract/contract.ts'
import { ActionType } from '../../contract/contract.ts'

/**
 * A preemptor is gated until the deletion of its last victim starts. The plugin registers for deletions, so that they
 * are not missed while the pod is gated. The plugins that rejected the pod decide whether a deletion helps.
 */
export const defaultPreemptionWake: readonly WakeRule[] = [
  { on: { resource: 'Pod', action: ActionType.Delete }, hint: () => false },
]
