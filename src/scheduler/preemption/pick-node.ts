import type { ParsedPod, Victims } from '../contract/contract.ts'
import { startOf } from './importance.ts'

const priorityShift = 2 ** 31

/** Victims with the criteria for the comparison of nodes. */
export interface PreemptionCandidate extends Victims {
  /** In order of precedence; lower is better (v1.36, pickOneNodeForPreemption). */
  readonly cost: readonly number[]
}

export function candidateOf(node: string, pods: readonly ParsedPod[], budgetViolations: number): PreemptionCandidate {
  return {
    node,
    pods,
    budgetViolations,
    cost: [
      budgetViolations,
      (pods[0] as ParsedPod).priority,
      // Shifted to positive values. Otherwise one victim with a negative priority would cost more than two.
      pods.reduce((sum, { priority }) => sum + priority + priorityShift, 0),
      pods.length,
      -earliestStart(pods),
    ],
  }
}

/** The earliest start time of the victims with the highest priority. */
function earliestStart(pods: readonly ParsedPod[]): number {
  // The first pod need not have the highest priority: groups are sorted by their own priority.
  const highest = pods.reduce((most, { priority }) => Math.max(most, priority), Number.NEGATIVE_INFINITY)
  let earliest = Number.POSITIVE_INFINITY
  for (const pod of pods) if (pod.priority === highest) earliest = Math.min(earliest, startOf(pod))
  return earliest
}

/** The node with the lowest cost; the first of equal ones. */
export function pickNode(candidates: readonly PreemptionCandidate[]): PreemptionCandidate | undefined {
  let best = candidates[0]
  for (let i = 1; i < candidates.length; i++) {
    const candidate = candidates[i] as PreemptionCandidate
    if (costsLess(candidate.cost, (best as PreemptionCandidate).cost)) best = candidate
  }
  return best
}

function costsLess(a: readonly number[], b: readonly number[]): boolean {
  for (let i = 0; i < a.length; i++) {
    if (a[i] !== b[i]) return (a[i] as number) < (b[i] as number)
  }
  return false
}
