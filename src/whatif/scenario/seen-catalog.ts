import type { JsonObject } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import { formatQuantity, quantity, quantitySign, subtractQuantities } from '../../api/quantity.ts'
import { labels } from '../../api/well-known.ts'
import { capacityTypeLabel, nodePoolLabel } from '../../autoscalers/karpenter/names.ts'
import { bootTimesOf } from './autoscaling-reader.ts'

/** The label with the price of a node per hour. The kwok provider sets it. */
const priceLabel = 'eks-node-viewer/instance-price'

// Labels of capacity types of managed node groups, and their values for on-demand capacity.
const capacityLabels = [capacityTypeLabel, 'eks.amazonaws.com/capacityType', 'kubernetes.azure.com/scalesetpriority']
const onDemandNames: ReadonlySet<string> = new Set(['on-demand', 'on_demand', 'regular'])

/** A file for --autoscaler with the instance types of these nodes. Unknown prices are null. */
export function seenCatalog(nodes: readonly Node[]): JsonObject {
  const byType = new Map<string, Node[]>()
  for (const node of nodes) {
    const name = node.metadata.labels?.[labels.instanceType] ?? ''
    if (name !== '') byType.set(name, [...(byType.get(name) ?? []), node])
  }
  const names = [...byType.keys()].sort()
  const boot = bootTimesOf(nodes.filter(({ metadata }) => metadata.labels?.[nodePoolLabel] !== undefined))
  return {
    karpenter: {
      ...(boot === undefined ? {} : { boot: `${Math.round(boot.medianMs / 1000)}s` }),
      instanceTypes: names.map((name) => seenType(name, byType.get(name) as readonly Node[])),
    },
  }
}

/** The newest node determines the resources of the type; all nodes determine its zones and capacity types. */
function seenType(name: string, nodes: readonly Node[]): JsonObject {
  const newest = nodes.toSorted((a, b) =>
    (a.metadata.creationTimestamp ?? '') < (b.metadata.creationTimestamp ?? '') ? 1 : -1,
  )[0] as Node
  const own = newest.metadata.labels ?? {}
  const { capacity = {}, allocatable = {} } = newest.status ?? {}
  const overhead = Object.entries(capacity).flatMap(([resource, text]) => {
    const kept = subtractQuantities(quantity(text), quantity(allocatable[resource] ?? text))
    return quantitySign(kept) > 0 ? [[resource, formatQuantity(kept)] as const] : []
  })
  const zones = [...new Set(nodes.flatMap(({ metadata }) => metadata.labels?.[labels.zone] ?? []))].sort()
  return {
    name,
    architecture: own[labels.arch] ?? 'amd64',
    operatingSystems: [own[labels.os] ?? 'linux'],
    resources: { ...capacity },
    overhead: Object.fromEntries(overhead),
    zones,
    prices: pricesOf(nodes),
  }
}

function pricesOf(nodes: readonly Node[]): JsonObject {
  const prices: Record<string, number | null> = {}
  for (const { metadata } of nodes) {
    const own = metadata.labels ?? {}
    const found = capacityLabels.flatMap((key) => own[key] ?? [])[0]?.toLowerCase() ?? 'on-demand'
    const type = onDemandNames.has(found) ? 'on-demand' : found
    const price = Number(own[priceLabel] ?? Number.NaN)
    prices[type] = Number.isFinite(price) ? price : (prices[type] ?? null)
  }
  return Object.fromEntries(Object.entries(prices).sort(([a], [b]) => (a < b ? -1 : 1)))
}
