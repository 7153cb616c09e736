import { isConditionTrue } from '../../api/conditions.ts'
import type { NodePool } from '../../api/objects/karpenter.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod, ResourceList } from '../../api/objects/pod.ts'
import { labels } from '../../api/well-known.ts'
import type { MetricRegistry, MetricSample } from '../../base/metrics.ts'
import type { View } from '../../runtime/view.ts'
import { priceOf } from './catalog/instance-type.ts'
import type { KarpenterCloud } from './cloud/karpenter-cloud.ts'
import { capacityTypeLabel, nodePoolLabel, nodePools } from './names.ts'
import { type Amounts, amountsOf, subtract, sum } from './scheduling/amounts.ts'
import type { ClusterState } from './state/cluster-state.ts'
import type { StateNode } from './state/state-node.ts'

interface Shown {
  readonly view: View
  readonly state: ClusterState
  readonly cloud: KarpenterCloud
}

/** What the gauges of a registry show: the latest instance of Karpenter. */
const latest = new WeakMap<MetricRegistry, Shown>()

/** Gauges of the current pools, nodes and pods (v1.14, pkg/controllers/metrics and state/metrics.go). */
export function exposeState(registry: MetricRegistry, shown: Shown): void {
  const isFirst = !latest.has(registry)
  latest.set(registry, shown)
  if (!isFirst) return
  const current = () => latest.get(registry) ?? shown
  exposePools(registry, current)
  exposeNodes(registry, current)
  registry.gaugeFrom({ name: 'karpenter_pods_state', help: podStateHelp, labels: podLabels }, () => {
    const { view } = current()
    return view.list('pods').map((pod) => ({ labelValues: podValues(pod, view), value: 1 }))
  })
}

function exposePools(registry: MetricRegistry, current: () => Shown): void {
  const list = () => current().view.list(nodePools)
  const ofResources = (read: (pool: NodePool) => ResourceList | undefined) => () =>
    list().flatMap((pool) => samplesOf(amountsOf(read(pool)), (resource) => [resource, pool.metadata.name]))
  const description = (name: string, help: string) => ({
    name: `karpenter_nodepools_${name}`,
    help,
    labels: ['resource_type', 'nodepool'],
  })
  const limit =
    'Limits specified on the nodepool that restrict the quantity of resources provisioned. Labeled by nodepool name and resource type.'
  const usage =
    'The amount of resources that have been provisioned for a nodepool. Labeled by nodepool name and resource type.'
  registry.gaugeFrom(
    description('limit', limit),
    ofResources(({ spec }) => spec.limits),
  )
  registry.gaugeFrom(
    description('usage', usage),
    ofResources(({ status }) => status?.resources),
  )
  const cost =
    "Total cost of the nodepool from Karpenter's perspective. Units are determined by the cloud provider. Not an authoritative source for billing. Includes modifications due to NodeOverlays"
  registry.gaugeFrom({ name: 'karpenter_nodepools_cost_total', help: cost, labels: ['nodepool'] }, () =>
    list().map(({ metadata: { name } }) => ({ labelValues: [name], value: costOf(name, current()) })),
  )
}

/** Per hour. */
function costOf(name: string, { state, cloud }: Shown): number {
  const own = state.nodes.filter(({ pool, claim }) => pool === name && claim !== undefined)
  const priceOfNode = ({ labels: its }: StateNode) => priceOf(cloud.typeFor(name, its[labels.instanceType] ?? ''), its)
  return own.reduce((total, node) => total + priceOfNode(node), 0)
}

function exposeNodes(registry: MetricRegistry, current: () => Shown): void {
  const one = (name: string, help: string, read: () => number) =>
    registry.gaugeFrom({ name: `karpenter_${name}`, help }, () => [{ labelValues: [], value: read() }])
  one('cluster_state_node_count', 'Current count of nodes in cluster state', () => current().state.nodes.length)
  one(
    'cluster_state_synced',
    "Returns 1 if cluster state is synced and 0 otherwise. Synced checks that nodeclaims and nodes that are stored in the APIServer have the same representation as Karpenter's cluster state",
    () => (current().state.isSynced ? 1 : 0),
  )
  const present = () => current().state.nodes.filter(({ node }) => node !== undefined)
  const known = [...current().cloud.catalog.wellKnown].filter((label) => label.includes('/')).sort()
  const names = new Map(known.map((label) => [(label.split('/')[1] ?? '').replaceAll('-', '_'), label]))
  const identity = (each: StateNode) => [
    ...[...names.values()].map((label) => each.node?.metadata.labels?.[label] ?? ''),
    each.node?.metadata.name ?? '',
    (each.node?.status as { readonly phase?: string } | undefined)?.phase ?? '',
    String(each.isManaged),
  ]
  const ofNodes = (name: string, help: string, read: (node: StateNode) => Amounts) =>
    registry.gaugeFrom(
      {
        name: `karpenter_nodes_${name}`,
        help,
        labels: [...names.keys(), 'node_name', 'phase', 'managed', 'resource_type'],
      },
      () => present().flatMap((each) => samplesOf(read(each), (resource) => [...identity(each), resource])),
    )
  ofNodes('allocatable', 'Node allocatable are the resources allocatable by nodes.', ({ node }) =>
    amountsOf(node?.status?.allocatable),
  )
  ofNodes(
    'total_pod_requests',
    'Node total pod requests are the resources requested by pods bound to nodes, including the DaemonSet pods.',
    requested,
  )
  ofNodes(
    'total_daemon_requests',
    'Node total daemon requests are the resource requested by DaemonSet pods bound to nodes.',
    ({ daemonRequests }) => daemonRequests,
  )
  ofNodes(
    'system_overhead',
    "Node system daemon overhead are the resources reserved for system overhead, the difference between the node's capacity and allocatable values are reported by the status.",
    ({ node }) => subtract(amountsOf(node?.status?.capacity), amountsOf(node?.status?.allocatable)),
  )
  const utilization = 'Utilization of allocatable resources by pod requests'
  registry.gaugeFrom(
    { name: 'karpenter_cluster_utilization_percent', help: utilization, labels: ['resource_type'] },
    () => {
      const nodes = present()
      const used = sum(nodes.map(requested))
      return [...sum(nodes.map(({ allocatable }) => allocatable))]
        .filter(([, amount]) => amount !== 0)
        .map(([name, amount]) => ({
          labelValues: [resourceType(name)],
          value: (100 * (used.get(name) ?? 0)) / amount,
        }))
    },
  )
}

const requested = ({ allocatable, available }: StateNode): Amounts => subtract(allocatable, available)

const resourceType = (name: string): string => name.toLowerCase().replaceAll('-', '_')

function samplesOf(amounts: Amounts, values: (resource: string) => readonly string[]): readonly MetricSample[] {
  return [...amounts].map(([name, milli]) => ({
    labelValues: values(resourceType(name)),
    value: name === 'cpu' ? milli / 1000 : Math.ceil(milli / 1000),
  }))
}

const podStateHelp =
  'Pod state is the current state of pods. This metric can be used several ways as it is labeled by the pod name, namespace, owner, node, nodepool name, zone, architecture, capacity type, instance type, pod phase, and pod readiness.'

const podLabels = [
  'name',
  'namespace',
  'owner',
  'node',
  'scheduled',
  'nodepool',
  'zone',
  'arch',
  'capacity_type',
  'instance_type',
  'phase',
  'ready',
  'managed',
]

function podValues({ metadata, spec, status }: Pod, view: View): readonly string[] {
  const { name, namespace = 'default', ownerReferences: [owner] = [] } = metadata
  const place = spec.nodeName ?? ''
  const node: Node | undefined = view.get('nodes', place)
  const own = node?.metadata.labels ?? {}
  const pool = own[nodePoolLabel] ?? ''
  const selfLink =
    owner === undefined
      ? ''
      : `/apis/${owner.apiVersion}/namespaces/${namespace}/${owner.kind.toLowerCase()}s/${owner.name}`
  return [
    name,
    namespace,
    selfLink,
    place,
    String(place !== ''),
    pool,
    own[labels.zone] ?? '',
    own[labels.arch] ?? '',
    own[capacityTypeLabel] ?? '',
    own[labels.instanceType] ?? '',
    status?.phase ?? '',
    String(isConditionTrue(status?.conditions, 'Ready')),
    String(pool !== ''),
  ]
}
