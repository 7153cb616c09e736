import type { NodeUsage } from '../../api/node-usage.ts'
import { nodePrices } from '../../autoscalers/node-prices.ts'
import type { NodeFigures } from '../../controlplane/console/node-figures.ts'
import type { ClusterInput } from '../../whatif/snapshot/found-cluster.ts'
import { type AutoscalerFile, autoscalersOf } from '../autoscaler-input.ts'

/** The prices of nodes from the autoscalers of a file, and the usage of the nodes. */
export function figuresOf(
  { cluster, usage }: Pick<ClusterInput, 'cluster' | 'usage'>,
  file: AutoscalerFile | undefined,
): NodeFigures {
  const priceOf = nodePrices(autoscalersOf(file, cluster).autoscaling ?? {})
  const used: () => ReadonlyMap<string, NodeUsage> = () => usage
  return { ...(priceOf === undefined ? {} : { priceOf }), usage: used }
}
