import type { NodePool } from '../../api/objects/karpenter.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Deployment } from '../../api/objects/workloads.ts'
import { labels } from '../../api/well-known.ts'
import type { Autoscaling } from '../../autoscalers/autoscaling.ts'
import { createInstanceType, type InstanceType } from '../../autoscalers/karpenter/catalog/instance-type.ts'
import { catalogOf } from '../../autoscalers/karpenter/catalog/read-catalog.ts'
import { capacityTypeLabel, nodePoolLabel, nodePools } from '../../autoscalers/karpenter/names.ts'
import { defaultOptions, karpenterLimits, readKarpenterOptions } from '../../autoscalers/karpenter/options.ts'
import { amountsOf, subtract } from '../../autoscalers/karpenter/scheduling/amounts.ts'
import { Requirement } from '../../autoscalers/karpenter/scheduling/requirement.ts'
import { Requirements } from '../../autoscalers/karpenter/scheduling/requirements.ts'
import type { ForecastNote } from '../report/forecast.ts'
import { bootTimesOf, defaultBootMs } from './autoscaling-reader.ts'
import type { FoundCluster } from './forecast-plan.ts'
import { isKarpenter, karpenterFlags } from './karpenter-flags.ts'

const withoutPrices: ForecastNote = {
  kind: 'assumed',
  text: 'the catalog of --autoscaler has no prices, so Karpenter removes nodes but does not replace them by cheaper ones',
}

export interface FoundKarpenter {
  readonly karpenter: NonNullable<Autoscaling['karpenter']>
  readonly notes: readonly ForecastNote[]
}

/**
 * Karpenter as derived from the cluster: it has NodePools, the instance types are those of the nodes, and the flags are
 * those of its Deployment. Undefined without NodePools. `given`: a catalog with prices from a file.
 */
export function findKarpenter(
  { store }: FoundCluster,
  given?: NonNullable<Autoscaling['karpenter']>,
): FoundKarpenter | undefined {
  const pools = store.list(nodePools) as readonly NodePool[]
  if (pools.length === 0) return undefined
  const nodes = store.list('nodes') as readonly Node[]
  const own = nodes.filter(({ metadata }) => metadata.labels?.[nodePoolLabel] !== undefined)
  if (given !== undefined) return { karpenter: given, notes: given.catalog.hasPrices ? [] : [withoutPrices] }
  const types = typesOf(nodes, pools)
  const bootMs = bootTimesOf(own)?.medianMs
  const { options, limits } = settingsOf(store.list('deployments.apps') as readonly Deployment[])
  const text = [
    `Karpenter acts with the ${types.length} instance types of the nodes in the cluster, in all their zones`,
    'their prices are unknown, so nodes are removed but not replaced by cheaper ones; give a catalog with --autoscaler',
  ]
  const boot =
    bootMs === undefined
      ? `assumed to take ${defaultBootMs / 1000}s`
      : `take ${Math.round(bootMs / 1000)}s, the median of the nodes`
  return {
    karpenter: {
      catalog: catalogOf(types, false),
      options,
      bootMs: bootMs ?? defaultBootMs,
      ...(limits.length === 0 ? {} : { limits }),
    },
    notes: [{ kind: 'assumed', text: `${text.join('; ')}; new nodes ${boot}` }],
  }
}

/** One instance type for each type of an existing node, available in every zone that has a node. */
function typesOf(nodes: readonly Node[], pools: readonly NodePool[]): readonly InstanceType[] {
  const zones = distinct(nodes, labels.zone)
  const capacityTypes = distinct(nodes, capacityTypeLabel)
  const keys = new Set(pools.flatMap(({ spec }) => (spec.template.spec.requirements ?? []).map(({ key }) => key)))
  for (const key of [labels.zone, capacityTypeLabel, labels.instanceType]) keys.delete(key)
  const byType = new Map<string, Node>()
  for (const node of nodes) {
    const name = node.metadata.labels?.[labels.instanceType]
    if (name !== undefined && !byType.has(name)) byType.set(name, node)
  }
  return [...byType].map(([name, node]) => {
    const own = node.metadata.labels ?? {}
    const capacity = amountsOf(node.status?.capacity)
    const offered = zones.flatMap((zone) =>
      (capacityTypes.length === 0 ? ['on-demand'] : capacityTypes).map((capacityType) => ({
        requirements: Requirements.fromLabels({ [labels.zone]: zone, [capacityTypeLabel]: capacityType }),
        zone,
        capacityType,
        price: 0,
        isAvailable: true,
      })),
    )
    return createInstanceType({
      name,
      requirements: Requirements.of([
        Requirement.in(labels.instanceType, [name]),
        Requirement.in(labels.arch, [own[labels.arch] ?? 'amd64']),
        Requirement.in(labels.os, [own[labels.os] ?? 'linux']),
        Requirement.in(labels.zone, zones),
        Requirement.in(capacityTypeLabel, capacityTypes),
        ...[...keys].flatMap((key) => (own[key] === undefined ? [] : [Requirement.in(key, [own[key]])])),
      ]),
      offerings: offered,
      capacity,
      overhead: subtract(capacity, amountsOf(node.status?.allocatable)),
    })
  })
}

function distinct(nodes: readonly Node[], key: string): readonly string[] {
  return [...new Set(nodes.flatMap(({ metadata }) => metadata.labels?.[key] ?? []))].sort()
}

/** The flags and environment of the Deployment of Karpenter; the defaults if it has no Deployment or invalid flags. */
function settingsOf(deployments: readonly Deployment[]) {
  const containers = deployments.flatMap(({ spec }) => spec?.template.spec?.containers ?? [])
  const container = containers.find(isKarpenter)
  const flags = container === undefined ? {} : karpenterFlags(container)
  const read = readKarpenterOptions(flags)
  return { options: read.ok ? read.value : defaultOptions, limits: karpenterLimits(flags) }
}
