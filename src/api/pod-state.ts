import { isPodReady, isPodTerminal } from './conditions.ts'
import type { Pod } from './objects/pod.ts'

/** The state of a pod as its users see it. */
export type PodState =
  /** Not bound to a node. */
  | 'pending'
  /** Bound, but not running yet. */
  | 'starting'
  | 'running'
  /** Running, but not ready. */
  | 'notReady'
  | 'terminating'
  | 'ended'

export const podStates: readonly PodState[] = ['pending', 'starting', 'running', 'notReady', 'terminating', 'ended']

export function podStateOf(pod: Pod): PodState {
  const { metadata, spec, status } = pod
  if (isPodTerminal(pod)) return 'ended'
  if (metadata.deletionTimestamp !== undefined) return 'terminating'
  if (spec.nodeName === undefined || spec.nodeName === '') return 'pending'
  if (status?.phase !== 'Running') return 'starting'
  return isPodReady(pod) ? 'running' : 'notReady'
}

/** Whether the pod should be ready and is not. A terminating pod is not missing. */
export function isMissing(state: PodState): boolean {
  return state === 'pending' || state === 'starting' || state === 'notReady'
}
