import type { Node } from '../api/objects/node.ts'
import { labels } from '../api/well-known.ts'
import type { Autoscaling } from './autoscaling.ts'
import { NodeGroups } from './cluster-autoscaler/node-group.ts'
import { offeringOf } from './karpenter/catalog/instance-type.ts'

/** Returns the price of a node per hour; undefined if it is unknown. */
export type NodePrice = (node: Node) => number | undefined

/** The prices of node groups, and of instance types in a catalog. Undefined if the autoscalers have no prices. */
export function nodePrices({ karpenter, clusterAutoscaler }: Autoscaling): NodePrice | undefined {
  const priced = clusterAutoscaler?.groups.filter(({ pricePerHour }) => pricePerHour !== undefined) ?? []
  const catalog = karpenter?.catalog.hasPrices === true ? karpenter.catalog : undefined
  if (catalog === undefined && priced.length === 0) return undefined
  const groups = new NodeGroups(priced)
  return (node) => {
    const { labels: own = {} } = node.metadata
    const type = catalog?.byName.get(own[labels.instanceType] ?? '')
    return groups.of(node)?.pricePerHour ?? offeringOf(type, own)?.price
  }
}
