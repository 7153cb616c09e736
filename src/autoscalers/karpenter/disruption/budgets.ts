import type { DisruptionReason, NodePool } from '../../../api/objects/karpenter.ts'
import { nodePools } from '../names.ts'
import { allowedDisruptions } from '../node-pool.ts'
import type { Situation } from '../situation.ts'

/**
 * How many more nodes of each pool may be disrupted for a reason (v1.14, BuildDisruptionBudgetMapping). `blocked` gets the
 * pools whose budgets allow none.
 */
export function budgetsOf(
  { state, view, wall }: Situation,
  reason: DisruptionReason,
  blocked: (pool: NodePool) => void = () => {},
): Map<string, number> {
  const total = new Map<string, number>()
  const busy = new Map<string, number>()
  for (const node of state.nodes) {
    if (!node.isManaged || !node.isInitialized || node.isTerminating) continue
    const pool = node.pool ?? ''
    total.set(pool, (total.get(pool) ?? 0) + 1)
    if (!node.isReady || node.isLeaving) busy.set(pool, (busy.get(pool) ?? 0) + 1)
  }
  const left = new Map<string, number>()
  for (const pool of view.list(nodePools)) {
    const { name } = pool.metadata
    const allowed = allowedDisruptions(pool, total.get(name) ?? 0, reason, wall)
    if (allowed === 0 && (total.get(name) ?? 0) > 0) blocked(pool)
    left.set(name, Math.max(0, allowed - (busy.get(name) ?? 0)))
  }
  return left
}

/** Takes one from the budget of a pool; false if nothing is left. */
export function spend(budgets: Map<string, number>, pool: string): boolean {
  const left = budgets.get(pool) ?? 0
  if (left === 0) return false
  budgets.set(pool, left - 1)
  return true
}

export function blockedText(reason: DisruptionReason): string {
  return `No allowed disruptions for disruption reason ${reason} due to blocking budget`
}
