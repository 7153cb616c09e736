import type { PodDisruptionBudget } from '../../api/objects/pod.ts'
import type { NodeState, ParsedPod, PluginStatus, Trial } from '../contract/contract.ts'
import { unresolvable } from '../contract/status.ts'
import { splitByBudgets } from './budgets.ts'
import { sortByImportance } from './importance.ts'

export const noVictims = unresolvable('No preemption victims found for incoming pod')

export interface VictimRules {
  /** Candidates that violate a budget are rejected. Upstream uses them when there are no others. */
  readonly keepsBudgets: boolean
  /** The first budget that a pod violates is the last one it counts against (since v1.37). */
  readonly endsAtViolation: boolean
  /** Among pods without a start time, the first on the node is the most important (since v1.37); before, the last. */
  readonly unstartedInOrder: boolean
}

export type VictimSelection =
  | { readonly kind: 'found'; readonly pods: readonly ParsedPod[]; readonly budgetViolations: number }
  | { readonly kind: 'none'; readonly status: PluginStatus }

/** The pods on the node with a lower priority than the preemptor. */
export function outranked(node: NodeState, preemptor: ParsedPod): readonly ParsedPod[] {
  return node.pods.filter(({ priority }) => priority < preemptor.priority)
}

/**
 * Selects as few and as unimportant victims as possible: removes all pods of lower priority, then adds them back one by
 * one, pods that a budget protects first, as long as the preemptor fits (v1.36, SelectVictimsOnNode).
 */
export function selectVictims(
  preemptor: ParsedPod,
  node: NodeState,
  tryOn: (node: NodeState) => Trial,
  budgets: readonly PodDisruptionBudget[],
  { endsAtViolation, unstartedInOrder }: VictimRules,
): VictimSelection {
  const potential = outranked(node, preemptor)
  if (potential.length === 0) return { kind: 'none', status: noVictims }
  const trial = tryOn(node)
  for (const pod of potential) trial.remove(pod)
  const emptied = trial.check()
  if (emptied.code !== 'Success') return { kind: 'none', status: emptied }

  const sorted = (pods: readonly ParsedPod[]): ParsedPod[] =>
    sortByImportance(pods, unstartedInOrder ? potential : undefined)
  const { violating, harmless } = splitByBudgets(sorted(potential), budgets, endsAtViolation)
  const victims: ParsedPod[] = []
  const reprieve = (pod: ParsedPod): void => {
    trial.add(pod)
    if (trial.check().code === 'Success') return
    trial.remove(pod)
    victims.push(pod)
  }
  violating.forEach(reprieve)
  const budgetViolations = victims.length
  harmless.forEach(reprieve)
  const pods = violating.length > 0 && harmless.length > 0 ? sorted(victims) : victims
  return { kind: 'found', pods, budgetViolations }
}
