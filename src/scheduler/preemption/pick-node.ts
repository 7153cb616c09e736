import type { ParsedPod, Victims } from '../framework/contract.ts'
import { startOf } from './importance.ts'

const PRIORITY_SHIFT = 2 ** 31

/** What candidates are compared by, in order; the smaller is the better (v1.36, pickOneNodeForPreemption). */
const criteria: readonly ((victims: Victims) => number)[] = [
  ({ budgetViolations }) => budgetViolations,
  ({ pods }) => (pods[0] as ParsedPod).priority,
  // Shifted to be positive: else one victim of negative priority would look worse than two.
  ({ pods }) => pods.reduce((sum, { priority }) => sum + priority + PRIORITY_SHIFT, 0),
  ({ pods }) => pods.length,
  (victims) => -earliestStart(victims),
]

/** When the longest running of the most important victims started. */
function earliestStart({ pods }: Victims): number {
  const [first] = pods
  let earliest = Number.POSITIVE_INFINITY
  for (const pod of pods) if (pod.priority === first?.priority) earliest = Math.min(earliest, startOf(pod))
  return earliest
}

/** The node whose victims hurt least; of equals the first. */
export function pickNode(candidates: readonly Victims[]): Victims | undefined {
  let left = candidates
  for (const criterion of criteria) {
    if (left.length <= 1) break
    let best = Number.POSITIVE_INFINITY
    let kept: Victims[] = []
    for (const candidate of left) {
      const value = criterion(candidate)
      if (value < best || kept.length === 0) {
        best = value
        kept = [candidate]
      } else if (value === best) kept.push(candidate)
    }
    left = kept
  }
  return left[0]
}
