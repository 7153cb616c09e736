import type { PodDisruptionBudget } from '../../api/objects/pod.ts'
import type { NodeState, ParsedPod, PluginStatus, Trial, VictimGroups } from '../contract/contract.ts'
import { failure, unresolvable } from '../contract/status.ts'
import { candidateOf, type PreemptionCandidate } from './pick-node.ts'
import { selectVictimUnits } from './select-units.ts'
import { selectVictims, type VictimRules } from './select-victims.ts'

export const breaksBudget = unresolvable('Preemption would violate a PodDisruptionBudget')

/** A candidate, or the status of a node that is not one. */
export type DryRunVerdict =
  | { readonly kind: 'candidate'; readonly candidate: PreemptionCandidate }
  | { readonly kind: 'refused'; readonly status: PluginStatus }

export function judgeNode(
  preemptor: ParsedPod,
  node: NodeState,
  tryOn: (node: NodeState) => Trial,
  budgets: readonly PodDisruptionBudget[],
  rules: VictimRules,
  groups?: VictimGroups,
): DryRunVerdict {
  const selection =
    groups === undefined
      ? selectVictims(preemptor, node, tryOn, budgets, rules)
      : selectVictimUnits(preemptor, node, tryOn, budgets, groups)
  if (selection.kind === 'none') return { kind: 'refused', status: selection.status }
  const { pods, budgetViolations } = selection
  if (pods.length === 0) {
    return { kind: 'refused', status: failure(`expected at least one victim pod on node "${node.name}"`) }
  }
  if (rules.keepsBudgets && budgetViolations > 0) return { kind: 'refused', status: breaksBudget }
  return { kind: 'candidate', candidate: candidateOf(node.name, pods, budgetViolations) }
}
