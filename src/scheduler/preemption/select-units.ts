import type { PodDisruptionBudget } from '../../api/objects/pod.ts'
import type { NodeState, ParsedPod, Trial, VictimGroups, VictimMember } from '../contract/contract.ts'
import { failure } from '../contract/status.ts'
import { noVictims, type VictimSelection } from './select-victims.ts'
import { byImportance, earliestStartOf, splitUnits, type VictimUnit } from './victim-units.ts'

/**
 * Selects victims where pods of groups may leave together: a group that is disrupted as a whole is removed and added
 * back with its pods on all nodes (v1.37, defaultpreemption SelectVictimsOnNode).
 */
export function selectVictimUnits(
  preemptor: ParsedPod,
  node: NodeState,
  tryOn: (node: NodeState) => Trial,
  budgets: readonly PodDisruptionBudget[],
  groups: VictimGroups,
): VictimSelection {
  const units = unitsOn(node, groups)
  const lost = units.flatMap(({ members }) => members).find((member) => member.node === undefined)
  if (lost !== undefined) return { kind: 'none', status: failure(missingNode(lost)) }
  const potential = units.filter(({ priority }) => priority < preemptor.priority)
  if (potential.length === 0) return { kind: 'none', status: noVictims }
  const trial = tryOn(node)
  const remove = ({ members }: VictimUnit): void => {
    for (const member of members) trial.remove(member.pod, elsewhereOf(member, node))
  }
  potential.forEach(remove)
  const emptied = trial.check()
  if (emptied.code !== 'Success') return { kind: 'none', status: emptied }

  const { violating, harmless } = splitUnits(potential.toSorted(byImportance), budgets, true)
  const victims: VictimUnit[] = []
  const reprieve = (unit: VictimUnit): boolean => {
    for (const member of unit.members) trial.add(member.pod, elsewhereOf(member, node))
    if (trial.check().code === 'Success') return true
    remove(unit)
    victims.push(unit)
    return false
  }
  let budgetViolations = 0
  for (const { unit, violations } of violating) if (!reprieve(unit)) budgetViolations += violations
  harmless.forEach(reprieve)
  const sorted = violating.length > 0 && harmless.length > 0 ? victims.toSorted(byImportance) : victims
  return { kind: 'found', pods: sorted.flatMap(({ members }) => members.map(({ pod }) => pod)), budgetViolations }
}

/** The pods of a node as units, in the order of the pods. */
function unitsOn(node: NodeState, groups: VictimGroups): readonly VictimUnit[] {
  const units = new Map<string, VictimUnit>()
  for (const pod of node.pods) {
    const { id, priority, kind } = groups.unitOf(pod)
    if (units.has(id)) continue
    const members = groups.membersOf({ pod, node })
    units.set(id, { members, priority, kind, startedAt: earliestStartOf(members) })
  }
  return [...units.values()]
}

function elsewhereOf(member: VictimMember, node: NodeState): NodeState | undefined {
  return member.node?.name === node.name ? undefined : member.node
}

function missingNode({ pod }: VictimMember): string {
  const name = JSON.stringify(pod.pod.spec.nodeName ?? '')
  return `failed to get node info for node ${name} from snapshot: nodeinfo not found for node name ${name}`
}
