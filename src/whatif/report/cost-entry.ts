import type { Node } from '../../api/objects/node.ts'
import { labels } from '../../api/well-known.ts'
import { priceOf } from '../../autoscalers/karpenter/catalog/instance-type.ts'
import type { Occupancy } from '../facts/occupancy.ts'
import type { ForecastRun } from '../run/forecast-run.ts'
import type { CostEntry } from './forecast.ts'

/** The price of the nodes per hour at the start and at the end, if the autoscaler knows prices. */
export function costReport({ plan, before }: ForecastRun, end: Occupancy): { readonly cost?: CostEntry } {
  const { karpenter, clusterAutoscaler } = plan.autoscaling ?? {}
  const groups = clusterAutoscaler?.groups.filter(({ pricePerHour }) => pricePerHour !== undefined) ?? []
  const hasCatalog = karpenter?.catalog.hasPrices === true
  if (!hasCatalog && groups.length === 0) return {}
  const priceOfNode = ({ metadata }: Node): number | undefined => {
    const own = metadata.labels ?? {}
    const group = groups.find(({ label }) => own[label.key] === label.value)
    if (group !== undefined) return group.pricePerHour
    const type = hasCatalog ? karpenter.catalog.byName.get(own[labels.instanceType] ?? '') : undefined
    return type === undefined ? undefined : priceOf(type, own)
  }
  const sum = (occupancy: Occupancy) => {
    const prices = [...occupancy.rows.values()].map(({ node }) => priceOfNode(node))
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
