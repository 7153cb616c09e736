import type { JsonObject } from '../api/objects/meta.ts'
import type { Node } from '../api/objects/node.ts'
import type { PriorityClass } from '../api/objects/pod.ts'
import { milliValue } from '../api/quantity.ts'
import { labels } from '../api/well-known.ts'
import type { Store } from '../store/contract.ts'
import type { RequiredWorkload } from '../whatif/facts/workload-availability.ts'
import type { ForecastPlan } from '../whatif/scenario/forecast-plan.ts'
import { rackLabel } from '../whatif/scenario/step-reader.ts'
import type { FaultTarget } from './fault.ts'
import { nodeClasses } from './node-classes.ts'

/** The targets of faults in one cluster. */
export interface FaultScope {
  readonly nodes: readonly FaultTarget[]
  readonly racks: readonly FaultTarget[]
  readonly pools: readonly FaultTarget[]
  readonly zones: readonly FaultTarget[]
  readonly zoneParts: readonly FaultTarget[]
  readonly controlPlane: readonly FaultTarget[]
  readonly controllers: readonly FaultTarget[]
  readonly workloads: readonly FaultTarget[]
  readonly deployments: readonly FaultTarget[]
  readonly priorities: readonly FaultTarget[]
  readonly spotNodes: readonly FaultTarget[]
  /** Targets for which the cloud may have no capacity: `nodeGroup web`, `zone zone-a`, `capacityType spot`. */
  readonly stocks: readonly FaultTarget[]
  readonly isAutoscaled: boolean
  readonly clocks: readonly FaultTarget[]
  /** The objects of a deployment with too high a priority. */
  readonly intruder: readonly JsonObject[]
  readonly replicas: ReadonlyMap<string, number>
}

// The labels of managed clusters and autoscalers for the nodes of a pool.
const poolLabels = [
  'karpenter.sh/nodepool',
  'cloud.google.com/gke-nodepool',
  'eks.amazonaws.com/nodegroup',
  'kubernetes.azure.com/agentpool',
  'kwok-nodegroup',
  'pool',
]

const spotLabels: readonly (readonly [key: string, value: string])[] = [
  ['karpenter.sh/capacity-type', 'spot'],
  ['eks.amazonaws.com/capacityType', 'SPOT'],
  ['cloud.google.com/gke-spot', 'true'],
  ['kubernetes.azure.com/scalesetpriority', 'spot'],
]

// Controllers whose state in memory affects the behavior after a failure.
const controllers = ['scheduler', 'node-lifecycle', 'taint-eviction', 'replicaset', 'statefulset', 'disruption']

// v1.36, kube-controller-manager: --unhealthy-zone-threshold.
const defaultThreshold = 0.55

export function faultScopeOf(store: Store, plan: ForecastPlan, workloads: readonly RequiredWorkload[]): FaultScope {
  const all = store.list('nodes') as readonly Node[]
  const classes = nodeClasses(store)
  const nodes = all.map(({ metadata: { name } }) => ({ name, className: classes.get(name) ?? name, nodes: [name] }))
  const zones = groupsBy(all, labels.zone, 'zone')
  const threshold = plan.settings.nodeLifecycle.unhealthyZoneThreshold ?? defaultThreshold
  const replicated = workloads.filter(({ replicas }) => replicas > 0).map(({ name }) => single(name))
  return {
    nodes,
    racks: groupsBy(all, rackLabel, 'rack'),
    pools: poolLabels.flatMap((label) => groupsBy(all, label, 'pool')),
    zones,
    zoneParts: zones.flatMap((zone) => partsOf(zone, threshold)),
    controlPlane: [single('')],
    controllers: controllers.map(single),
    workloads: replicated.filter(({ name }) => /^(Deployment|StatefulSet) /.test(name)),
    deployments: replicated.filter(({ name }) => name.startsWith('Deployment ')),
    priorities: [single('')],
    spotNodes: nodes.filter((_, at) => isSpot(all[at] as Node)),
    stocks: stocksOf(plan),
    isAutoscaled: plan.autoscaling?.clusterAutoscaler !== undefined || plan.autoscaling?.karpenter !== undefined,
    clocks: [single('clock by 10m'), single('clock by -10m')],
    intruder: intruderOf(all, store),
    replicas: new Map(workloads.map(({ name, replicas }) => [name, replicas])),
  }
}

function single(name: string): FaultTarget {
  return { name, className: name, nodes: [] }
}

function groupsBy(nodes: readonly Node[], label: string, what: string): readonly FaultTarget[] {
  const groups = new Map<string, string[]>()
  for (const { metadata } of nodes) {
    const value = metadata.labels?.[label]
    if (value === undefined) continue
    const known = groups.get(value)
    if (known === undefined) groups.set(value, [metadata.name])
    else known.push(metadata.name)
  }
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([value, members]) => ({ name: `${what} ${value}`, className: `${what} ${value}`, nodes: members }))
}

/** The smallest number of nodes that makes the disruption of a zone partial, and one node less. */
function partsOf({ name, nodes }: FaultTarget, threshold: number): readonly FaultTarget[] {
  // v1.36, node lifecycle, ComputeZoneState: more than two nodes, and at least this share of them.
  const enough = Math.max(3, Math.ceil(nodes.length * threshold))
  return [enough - 1, enough]
    .filter((count) => count >= 2 && count < nodes.length)
    .map((count) => {
      const part = `${count} of ${nodes.length} nodes of ${name}`
      return { name: part, className: part, nodes: nodes.slice(0, count) }
    })
}

/** Node groups of Cluster Autoscaler; zones and capacity types that Karpenter may launch. */
function stocksOf({ autoscaling }: ForecastPlan): readonly FaultTarget[] {
  const groups = autoscaling?.clusterAutoscaler?.groups ?? []
  const offerings = autoscaling?.karpenter?.catalog.types.flatMap((type) => type.offerings) ?? []
  const names = new Set([
    ...groups.map(({ name }) => `nodeGroup ${name}`),
    ...offerings.map(({ zone }) => `zone ${zone}`).sort(),
    ...offerings.map(({ capacityType }) => `capacityType ${capacityType}`).sort(),
  ])
  return [...names].map(single)
}

function isSpot({ metadata }: Node): boolean {
  return spotLabels.some(([key, value]) => metadata.labels?.[key] === value)
}

/**
 * The number of pods equals the number of nodes. Each pod is half as large as a node, with a priority above all others.
 */
function intruderOf(nodes: readonly Node[], store: Store): readonly JsonObject[] {
  const cpuMilli = Math.min(...nodes.map(({ status }) => milliValue(status?.allocatable?.['cpu'])), 1e9)
  const classes = store.list('priorityclasses.scheduling.k8s.io') as readonly PriorityClass[]
  const own = classes.map(({ value }) => value).filter((value) => value < 1e9)
  const name = 'berth-search-intruder'
  const metadata = { labels: { app: name } }
  const resources = { requests: { cpu: `${Math.max(1, Math.floor(cpuMilli / 2))}m` } }
  const value = Math.min(1e9, Math.max(0, ...own) + 1)
  return [
    { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace: 'default' },
      spec: {
        replicas: nodes.length,
        selector: { matchLabels: { app: name } },
        template: { metadata, spec: { priorityClassName: name, containers: [{ name: 'c', image: 'c', resources }] } },
      },
    },
  ] as unknown as readonly JsonObject[]
}
