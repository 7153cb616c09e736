import { labels } from '../../../api/well-known.ts'
import { priceOf } from '../catalog/instance-type.ts'
import { policyOf } from '../node-pool.ts'
import type { Situation } from '../situation.ts'
import type { Candidate } from './candidate.ts'
import { type Command, estimatedSavings, sourcePrice } from './command.ts'

// A move is allowed if its share of the savings is at least half of its share of the disruption (v1.14, BalancedK).
const threshold = 1 / 2

interface Totals {
  readonly price: number
  readonly cost: number
}

/** The policy `Balanced`: compares the savings of a move with its disruption, each as a share of the pool's. */
export class Balance {
  private readonly totals = new Map<string, Totals>()
  private readonly wellKnown: ReadonlySet<string>

  constructor({ state, cloud }: Situation, candidates: readonly Candidate[]) {
    this.wellKnown = cloud.catalog.wellKnown
    // Pools with another policy do not need totals.
    if (!candidates.some(({ pool }) => policyOf(pool) === 'Balanced')) return
    const costs = new Map(candidates.map(({ state: each, cost }) => [each.id, cost]))
    for (const each of state.nodes) {
      const { pool, labels: own } = each
      if (pool === undefined) continue
      const { price, cost } = this.totals.get(pool) ?? { price: 0, cost: 0 }
      this.totals.set(pool, {
        price: price + priceOf(cloud.typeFor(pool, own[labels.instanceType] ?? ''), own),
        cost: cost + (costs.get(each.id) ?? each.disruptionCost),
      })
    }
  }

  /** The best possible move of this node is its deletion. */
  mayPass(candidate: Candidate): boolean {
    if (policyOf(candidate.pool) !== 'Balanced') return true
    const totals = this.totals.get(candidate.pool.metadata.name)
    if (totals === undefined || totals.price <= 0) return true
    return passes(candidate.price, candidate.cost, totals)
  }

  approves(command: Command): boolean {
    const pools = new Map<string, Candidate[]>()
    for (const candidate of command.candidates) {
      const { name } = candidate.pool.metadata
      pools.set(name, [...(pools.get(name) ?? []), candidate])
    }
    const all = sourcePrice(command.candidates)
    const savings = estimatedSavings(command, this.wellKnown)
    for (const [name, own] of pools) {
      if (policyOf((own[0] as Candidate).pool) !== 'Balanced') continue
      const share = all > 0 && pools.size > 1 ? sourcePrice(own) / all : 1
      const cost = own.reduce((sum, each) => sum + each.cost, 0)
      if (!passes(savings * share, cost, this.totals.get(name) ?? { price: 0, cost: 0 })) return false
    }
    return true
  }
}

function passes(savings: number, cost: number, totals: Totals): boolean {
  if (totals.price <= 0 || totals.cost <= 0) return false
  const saved = savings / totals.price
  const disrupted = cost / totals.cost
  if (saved <= 0) return false
  return disrupted === 0 || saved / disrupted >= threshold
}
