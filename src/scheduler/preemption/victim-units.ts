import type { PodDisruptionBudget } from '../../api/objects/pod.ts'
import type { ParsedPod, UnitOfPod, VictimMember } from '../contract/contract.ts'
import { covers } from './budgets.ts'
import { startOf } from './importance.ts'

/** Pods that are preempted together: one pod, or a group that is disrupted as a whole. */
export interface VictimUnit<T extends VictimMember = VictimMember> {
  readonly members: readonly T[]
  readonly priority: number
  readonly kind: UnitOfPod['kind']
  /** The time at which the oldest pod started, in milliseconds since the epoch. */
  readonly startedAt: number
}

/**
 * Among units of equal priority, composite groups are more important than pod groups, and pod groups are more important
 * than other pods.
 */
const ranks: Readonly<Record<UnitOfPod['kind'], number>> = { pod: 1, podgroup: 2, compositepodgroup: 3 }

export function earliestStartOf(members: readonly VictimMember[]): number {
  return members.reduce((earliest, { pod }) => Math.min(earliest, startOf(pod)), Number.POSITIVE_INFINITY)
}

/**
 * Priority, then pods of groups before others, larger units before smaller ones, and older before younger ones (v1.37,
 * preemption MoreImportantVictim).
 */
export function byImportance(a: VictimUnit, b: VictimUnit): number {
  if (a.priority !== b.priority) return b.priority - a.priority
  if (ranks[a.kind] !== ranks[b.kind]) return ranks[b.kind] - ranks[a.kind]
  if (a.members.length !== b.members.length) return b.members.length - a.members.length
  return a.startedAt === b.startedAt ? 0 : a.startedAt - b.startedAt
}

export interface SplitUnits<T extends VictimMember> {
  /** With the number of pods whose eviction violates a budget. */
  readonly violating: readonly { readonly unit: VictimUnit<T>; readonly violations: number }[]
  readonly harmless: readonly VictimUnit<T>[]
}

/**
 * Splits units, in this order, by whether their eviction would violate a budget if all were evicted. The first budget
 * that a pod violates is the last one it counts against.
 *
 * @param countsAllPods Every pod of a unit counts (v1.37, FilterVictimsWithPDBViolation); before, those until the first
 *   violation.
 */
export function splitUnits<T extends VictimMember>(
  units: readonly VictimUnit<T>[],
  budgets: readonly PodDisruptionBudget[],
  countsAllPods: boolean,
): SplitUnits<T> {
  const allowed = budgets.map(({ status }) => status?.disruptionsAllowed ?? 0)
  const violates = (pod: ParsedPod): boolean =>
    budgets.some((budget, i) => {
      if (!covers(budget, pod)) return false
      allowed[i] = (allowed[i] as number) - 1
      return (allowed[i] as number) < 0
    })
  const violating: { unit: VictimUnit<T>; violations: number }[] = []
  const harmless: VictimUnit<T>[] = []
  for (const unit of units) {
    let violations = 0
    for (const { pod } of unit.members) {
      if (violates(pod)) violations++
      if (violations > 0 && !countsAllPods) break
    }
    if (violations > 0) violating.push({ unit, violations })
    else harmless.push(unit)
  }
  return { violating, harmless }
}
