import { labelMatcher } from '../../../api/label-selector.ts'
import type { Pod, PodDisruptionBudget } from '../../../api/objects/pod.ts'
import type { View } from '../../../runtime/view.ts'
import { isDisruptable, isEvictable, isReschedulable } from '../state/pod-conditions.ts'

/** Whether PodDisruptionBudgets let pods be evicted (v1.14, pkg/utils/pdb). */
export class EvictionLimits {
  private readonly budgets
  private readonly wall: number

  constructor(view: View, wall: number) {
    this.wall = wall
    this.budgets = view.list('poddisruptionbudgets.policy').map((budget) => ({
      budget,
      matcher: labelMatcher(budget.spec?.selector),
    }))
  }

  /** The first reason for which the pods cannot be evicted, or undefined. */
  blocking(pods: readonly Pod[]): string | undefined {
    if (this.budgets.length === 0) return undefined
    for (const pod of pods) {
      const names = this.namesBlocking(pod, ({ status }) => (status?.disruptionsAllowed ?? 0) === 0)
      if (names.length > 1)
        return `eviction does not support multiple PDBs (PodDisruptionBudget(s)=[${names.join(' ')}])`
      if (names.length === 1) return `pdb prevents pod evictions (PodDisruptionBudget=[${names[0]}])`
    }
    return undefined
  }

  /** Whether the pod will need room elsewhere soon: nothing keeps it where it is for good. */
  isCurrentlyReschedulable(pod: Pod): boolean {
    if (!isReschedulable(pod) || !isDisruptable(pod, this.wall)) return false
    return this.namesBlocking(pod, isFullyBlocking).length === 0
  }

  private namesBlocking(pod: Pod, blocks: (budget: PodDisruptionBudget) => boolean): readonly string[] {
    if (this.budgets.length === 0 || !isEvictable(pod, this.wall)) return []
    const matching = this.budgets.filter(
      ({ budget, matcher }) =>
        budget.metadata.namespace === pod.metadata.namespace && matcher.matches(pod.metadata.labels),
    )
    if (matching.length > 1) return matching.map(({ budget }) => keyOf(budget))
    return matching
      .filter(({ budget }) => !letsUnhealthy(budget, pod) && blocks(budget))
      .map(({ budget }) => keyOf(budget))
  }
}

function keyOf({ metadata }: PodDisruptionBudget): string {
  return `${metadata.namespace}/${metadata.name}`
}

function letsUnhealthy({ spec }: PodDisruptionBudget, { status }: Pod): boolean {
  if (spec?.unhealthyPodEvictionPolicy !== 'AlwaysAllow') return false
  return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'False') ?? false
}

function isFullyBlocking({ spec }: PodDisruptionBudget): boolean {
  return spec?.maxUnavailable === 0 || spec?.maxUnavailable === '0%' || spec?.minAvailable === '100%'
}
