import { findCondition } from '../../api/conditions.ts'
import type { Pod } from '../../api/objects/pod.ts'

/** Where a pod is in its life, as far as anybody who needs it cares. */
export type PodState =
  /** No node has it. */
  | 'pending'
  /** A node has it, and it does not run yet. */
  | 'starting'
  | 'running'
  /** It runs, as far as is known, but cannot be used. */
  | 'notReady'
  | 'terminating'
  | 'ended'

export const podStates: readonly PodState[] = ['pending', 'starting', 'running', 'notReady', 'terminating', 'ended']

export function podStateOf({ metadata, spec, status }: Pod): PodState {
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return 'ended'
  if (metadata.deletionTimestamp !== undefined) return 'terminating'
  if (spec.nodeName === undefined || spec.nodeName === '') return 'pending'
  if (status?.phase !== 'Running') return 'starting'
  return findCondition(status.conditions, 'Ready')?.status === 'True' ? 'running' : 'notReady'
}

/** Whether somebody misses it: it should run and does not. A pod on its way out is missed by nobody. */
export function isMissing(state: PodState): boolean {
  return state === 'pending' || state === 'starting' || state === 'notReady'
}
