import { nodePrices } from '../../autoscalers/node-prices.ts'
import type { CostEntry } from '../../wire/forecast-entries.ts'
import type { Occupancy } from '../facts/occupancy.ts'
import type { ForecastRun } from '../run/forecast-run.ts'

/** The price of the nodes per hour at the start and at the end, if the autoscaler knows prices. */
export function costReport({ plan, before }: ForecastRun, end: Occupancy): { readonly cost?: CostEntry } {
  const priceOf = nodePrices(plan.autoscaling ?? {})
  if (priceOf === undefined) return {}
  const sum = (occupancy: Occupancy) => {
    const prices = [...occupancy.rows.values()].map(({ node }) => priceOf(node))
    const total = prices.reduce<number>((all, price) => all + (price ?? 0), 0)
    return { perHour: Math.round(total * 1e6) / 1e6, unpriced: prices.filter((price) => price === undefined).length }
  }
  const [start, after] = [sum(before), sum(end)]
  return {
    cost: {
      perHourBefore: start.perHour,
      perHourAfter: after.perHour,
      nodesWithoutPrice: Math.max(start.unpriced, after.unpriced),
    },
  }
}
