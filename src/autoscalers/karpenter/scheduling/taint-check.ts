import type { Taint } from '../../../api/objects/node.ts'
import type { Toleration } from '../../../api/objects/pod.ts'
import { formatTaint } from '../../../api/taints.ts'
import { isTolerated } from '../../../api/tolerations.ts'

const withComparison = { comparisonOperators: true }

/** Reports whether all taints are tolerated, regardless of their effects. */
export function toleratesAll(taints: readonly Taint[] | undefined, tolerations: readonly Toleration[] | undefined) {
  return firstUntolerated(taints, tolerations) === undefined
}

function firstUntolerated(taints: readonly Taint[] | undefined, tolerations: readonly Toleration[] | undefined) {
  return taints?.find((taint) => !isTolerated(taint, tolerations, withComparison))
}

/** The reason why the pod cannot run on a node with these taints, or undefined. */
export function taintProblem(
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
): string | undefined {
  const taint = firstUntolerated(taints, tolerations)
  return taint === undefined ? undefined : `did not tolerate taint (taint=${formatTaint(taint)})`
}
