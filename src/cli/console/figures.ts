import type { NodeUsage } from '../../api/node-usage.ts'
import { nodePrices } from '../../autoscalers/node-prices.ts'
import type { NodeFigures } from '../../controlplane/console/node-figures.ts'
import type { ClusterInput } from '../../whatif/snapshot/found-cluster.ts'
import { type AutoscalerFile, autoscalersOf } from '../autoscaler-input.ts'

/** Prices of the nodes of a file, by its autoscalers, and what the nodes used. */
export function figuresOf(
  { cluster, usage }: Pick<ClusterInput, 'cluster' | 'usage'>,
  file: AutoscalerFile | undefined,
): NodeFigures {
  const priceOf = nodePrices(autoscalersOf(file, cluster).autoscaling ?? {})
  const used: () => ReadonlyMap<string, NodeUsage> = () => usage
  return { ...(priceOf === undefined ? {} : { priceOf }), usage: used }
}
