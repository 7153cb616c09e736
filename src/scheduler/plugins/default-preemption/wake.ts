import type { WakeRule } from '../../contract/contract.ts'
import { ActionType } from '../../contract/contract.ts'

/**
 * A preemptor is gated until the deletion of its last victim has begun. Deletions are listened to, so that they are
 * not passed over while the gate is closed; but whether one helps is for the plugins to say that rejected the pod.
 */
export const defaultPreemptionWake: readonly WakeRule[] = [
  { on: { resource: 'Pod', action: ActionType.Delete }, hint: () => false },
]
