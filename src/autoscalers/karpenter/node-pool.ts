import { parseCronSchedule } from '../../api/cron-schedule.ts'
import { parseGoDurationMs } from '../../api/go-duration.ts'
import type { DisruptionBudget, DisruptionReason, NodePool } from '../../api/objects/karpenter.ts'

let lastDuration: { readonly text: string; readonly ms: number | undefined } = { text: '0s', ms: 0 }

/** The milliseconds of a duration; undefined for `Never`. */
export function durationOf(text: string | undefined): number | undefined {
  if (text === undefined || text === 'Never') return undefined
  // The function is called for every node of a pool in turn.
  if (lastDuration.text === text) return lastDuration.ms
  const parsed = parseGoDurationMs(text)
  lastDuration = { text, ms: parsed.ok ? parsed.value : undefined }
  return lastDuration.ms
}

export function consolidateAfterOf({ spec }: NodePool): number | undefined {
  return durationOf(spec.disruption?.consolidateAfter ?? '0s')
}

export function policyOf({ spec }: NodePool): 'WhenEmpty' | 'WhenEmptyOrUnderutilized' | 'Balanced' {
  return spec.disruption?.consolidationPolicy ?? 'WhenEmptyOrUnderutilized'
}

export function isStatic({ spec }: NodePool): boolean {
  return spec.replicas !== undefined
}

/** Sorts pools by weight, highest first; among equal weights, by name in descending order. */
export function orderByWeight(pools: readonly NodePool[]): readonly NodePool[] {
  return pools.toSorted((a, b) => {
    const difference = (b.spec.weight ?? 0) - (a.spec.weight ?? 0)
    return difference !== 0 ? difference : a.metadata.name > b.metadata.name ? -1 : 1
  })
}

const defaultBudgets: readonly DisruptionBudget[] = [{ nodes: '10%' }]
const unlimited = 2 ** 31 - 1

/** The number of nodes of the pool that may be disrupted at once for a reason: the minimum over the active budgets. */
export function allowedDisruptions(pool: NodePool, nodes: number, reason: DisruptionReason, wall: number): number {
  let allowed = unlimited
  for (const budget of pool.spec.disruption?.budgets ?? defaultBudgets) {
    const active = isActive(budget, wall)
    // A budget that cannot be parsed allows no disruption, for any reason.
    if (active === undefined) return 0
    const isMeant = budget.reasons === undefined || budget.reasons.includes(reason)
    if (active && isMeant) allowed = Math.min(allowed, scaled(budget.nodes, nodes))
  }
  return allowed
}

function scaled(nodes: string, total: number): number {
  return nodes.endsWith('%') ? Math.ceil((Number(nodes.slice(0, -1)) * total) / 100) : Number(nodes)
}

/** Reports whether the budget is active: its schedule was due within its duration. */
function isActive({ schedule, duration }: DisruptionBudget, wall: number): boolean | undefined {
  if (schedule === undefined && duration === undefined) return true
  const parsed = parseCronSchedule(`TZ=UTC ${schedule ?? ''}`)
  if (!parsed.ok) return undefined
  const next = parsed.value.next(wall - (durationOf(duration) ?? 0))
  return next !== undefined && next <= wall
}
