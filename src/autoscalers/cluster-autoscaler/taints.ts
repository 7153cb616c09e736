import type { Node, Taint } from '../../api/objects/node.ts'
import { taintKeys } from '../../api/well-known.ts'

/** The taint of a node that is being deleted. */
export const toBeDeletedTaint = 'ToBeDeletedByClusterAutoscaler'
/** The taint of an unneeded node, which is deleted if it remains unneeded. */
export const deletionCandidate = 'DeletionCandidateOfClusterAutoscaler'

const conditionTaints: ReadonlySet<string> = new Set([
  taintKeys.notReady,
  taintKeys.unreachable,
  taintKeys.unschedulable,
  taintKeys.memoryPressure,
  taintKeys.diskPressure,
  taintKeys.networkUnavailable,
  taintKeys.pidPressure,
  taintKeys.cloudUninitialized,
  taintKeys.cloudShutdown,
  'cloud.google.com/impending-node-termination',
  'NodeWithImpairedVolumes',
])

const ignoredPrefixes = [
  'startup-taint.cluster-autoscaler.kubernetes.io/',
  'status-taint.cluster-autoscaler.kubernetes.io/',
  'ignore-taint.cluster-autoscaler.kubernetes.io/',
]

/** The taints that a new node of the same group also has. */
export function lastingTaints(taints: readonly Taint[] | undefined): readonly Taint[] {
  return (taints ?? []).filter(
    ({ key }) =>
      key !== toBeDeletedTaint &&
      key !== deletionCandidate &&
      !conditionTaints.has(key) &&
      !ignoredPrefixes.some((prefix) => key.startsWith(prefix)),
  )
}

export function hasTaintKey({ spec }: Node, key: string): boolean {
  return spec?.taints?.some((taint) => taint.key === key) === true
}

/** A taint whose value is the time in seconds. */
export function timedTaint(key: string, effect: Taint['effect'], wall: number): Taint {
  return { key, value: String(Math.floor(wall / 1000)), effect }
}
