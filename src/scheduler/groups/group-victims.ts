import type { CompositePodGroup, PodGroup } from '../../api/objects/groups.ts'
import type { PodDisruptionBudget } from '../../api/objects/pod.ts'
import type { NodeState, ParsedPod, UnitOfPod, VictimMember } from '../contract/contract.ts'
import { byImportance, earliestStartOf, splitUnits, type VictimUnit } from '../preemption/victim-units.ts'

export type GroupVictims =
  | {
      readonly kind: 'found'
      readonly pods: readonly ParsedPod[]
      readonly budgetViolations: number
      readonly disruptedGroups: number
    }
  /** No preemption helps: the reason is appended to the status of the group. */
  | { readonly kind: 'none'; readonly why: 'policy' | 'no victims' | 'does not fit'; readonly reason: string }
  | { readonly kind: 'error'; readonly message: string }

/** The result of a trial of the group on the cluster without some pods. */
export type GroupTrial =
  | { readonly kind: 'success' }
  | { readonly kind: 'rejected'; readonly message: string }
  | { readonly kind: 'error'; readonly message: string }

export interface GroupPreemptionInput {
  /** The priority of the group that preempts. */
  readonly priority: number
  readonly nodes: readonly NodeState[]
  readonly budgets: readonly PodDisruptionBudget[]
  unitOf(pod: ParsedPod): UnitOfPod
  /** A member does not permit preemption. */
  readonly neverPreempts: boolean
  /**
   * From v1.37 on, a unit is as old as its oldest pod, and all of its pods count against budgets. Before, a unit is as
   * old as the first pod that is found, and its pods count until the first violation.
   */
  readonly readsAllPods: boolean
  /** Removes pods from the cluster for the trials. Returns a function that adds them back. */
  without(pods: readonly ParsedPod[]): () => void
  trial(): GroupTrial
  /** Reports whether the group still fits after a unit was added back. */
  stillFits(): boolean
}

export function groupPriority(group: PodGroup | CompositePodGroup): number {
  return group.spec.priority ?? 0
}

/**
 * Selects the victims of a group in the whole cluster: removes all units of lower priority, then adds them back one by
 * one as long as the group fits. Units that a budget protects come first, then the most important units (v1.36,
 * framework/preemption selectVictimsOnDomain). Restores the cluster afterwards.
 */
export function selectGroupVictims(input: GroupPreemptionInput): GroupVictims {
  if (input.neverPreempts) return { kind: 'none', why: 'policy', reason: 'not eligible due to preemptionPolicy=Never.' }
  const potential = victimUnits(input).filter((unit) => unit.priority < input.priority)
  if (potential.length === 0)
    return { kind: 'none', why: 'no victims', reason: 'No preemption victims found for incoming preemptor' }

  const putBack = new Map(potential.map((unit) => [unit, input.without(podsOf(unit))]))
  const result = reprieve(input, potential, putBack)
  for (const restore of putBack.values()) restore()
  return result
}

function reprieve(
  input: GroupPreemptionInput,
  potential: readonly VictimUnit[],
  putBack: Map<VictimUnit, () => void>,
): GroupVictims {
  const emptied = input.trial()
  if (emptied.kind === 'rejected') return { kind: 'none', why: 'does not fit', reason: emptied.message }
  if (emptied.kind === 'error') return emptied
  const victims: VictimUnit[] = []
  const { violating, harmless } = splitUnits(potential.toSorted(byImportance), input.budgets, input.readsAllPods)
  const isVictim = (unit: VictimUnit): boolean => {
    putBack.get(unit)?.()
    putBack.delete(unit)
    if (input.stillFits()) return false
    putBack.set(unit, input.without(podsOf(unit)))
    victims.push(unit)
    return true
  }
  let budgetViolations = 0
  for (const { unit, violations } of violating) if (isVictim(unit)) budgetViolations += violations
  harmless.forEach(isVictim)
  const disruptedGroups = victims.filter(({ kind }) => kind !== 'pod').length
  const pods = victims.sort(byImportance).flatMap(podsOf)
  return { kind: 'found', pods, budgetViolations, disruptedGroups }
}

/** The pods of the cluster as units (v1.36, newDomainForWorkloadPreemption). */
function victimUnits({ nodes, unitOf, readsAllPods }: GroupPreemptionInput): readonly VictimUnit[] {
  const units = new Map<string, { readonly of: UnitOfPod; readonly members: VictimMember[] }>()
  for (const node of nodes) {
    for (const pod of node.pods) {
      const of = unitOf(pod)
      const unit = units.get(of.id)
      if (unit === undefined) units.set(of.id, { of, members: [{ pod, node }] })
      else unit.members.push({ pod, node })
    }
  }
  return [...units.values()].map(({ of, members }) => {
    const { priority, kind } = of
    return { members, priority, kind, startedAt: earliestStartOf(readsAllPods ? members : members.slice(0, 1)) }
  })
}

function podsOf({ members }: VictimUnit): readonly ParsedPod[] {
  return members.map(({ pod }) => pod)
}

export function isDisruptedAsWhole({ spec }: PodGroup | CompositePodGroup): boolean {
  const { disruptionMode } = spec
  if (disruptionMode === undefined || typeof disruptionMode === 'string') return disruptionMode === 'PodGroup'
  return disruptionMode.all !== undefined
}
