import type { DisruptionReason, NodePool } from '../../../api/objects/karpenter.ts'
import { nodePools } from '../names.ts'
import { allowedDisruptions } from '../node-pool.ts'
import type { Situation } from '../situation.ts'
import type { PoolCount } from '../state/node-lists.ts'

const none: PoolCount = { total: 0, busy: 0 }

/**
 * The number of additional nodes of each pool that may be disrupted for a reason (v1.14, BuildDisruptionBudgetMapping).
 * `blocked` receives the pools whose budgets allow no node, `note` the numbers of every pool.
 */
export function budgetsOf(
  { state, view, wall }: Situation,
  reason: DisruptionReason,
  blocked: (pool: NodePool) => void = () => {},
  note: (pool: NodePool, counts: { readonly allowed: number; readonly busy: number }) => void = () => {},
): Map<string, number> {
  const left = new Map<string, number>()
  for (const pool of view.list(nodePools)) {
    const { name } = pool.metadata
    const { total, busy } = state.lists.byPool.get(name) ?? none
    const allowed = allowedDisruptions(pool, total, reason, wall)
    if (allowed === 0 && total > 0) blocked(pool)
    note(pool, { allowed: Math.max(0, allowed - busy), busy })
    left.set(name, Math.max(0, allowed - busy))
  }
  return left
}

/** Uses one disruption of the budget of a pool; false if none is left. */
export function spend(budgets: Map<string, number>, pool: string): boolean {
  const left = budgets.get(pool) ?? 0
  if (left === 0) return false
  budgets.set(pool, left - 1)
  return true
}

export function blockedText(reason: DisruptionReason): string {
  return `No allowed disruptions for disruption reason ${reason} due to blocking budget`
}
