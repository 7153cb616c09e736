import type { JsonObject } from '../../src/api/objects/meta.ts'
import type { RandomStream } from '../../src/base/random.ts'
import { autoscaler } from './story-autoscaler.ts'

/** Optional parts that are added to some stories. */
export interface Extras {
  readonly flags: JsonObject
  readonly autoscaling?: JsonObject
  readonly load?: readonly JsonObject[]
  readonly objects: readonly JsonObject[]
  readonly steps: readonly JsonObject[]
  /** The nodes are instances of a cloud. */
  readonly hasInstances?: boolean
}

const json = (value: unknown) => value as JsonObject
const none: Extras = { flags: {}, objects: [], steps: [] }
const release = (minor: string) => json({ 'kubernetes-version': minor })

/** At most one of them, so that a story stays small and its failure can be explained. */
export function extrasOf(random: RandomStream, apps: readonly string[], nodes: readonly JsonObject[]): Extras {
  switch (random.int(10)) {
    case 0:
      return gangs(random, nodes, random.pick(['1.36', '1.37'] as const))
    case 1:
      return karpenter(random)
    case 2:
      return horizontal(random, apps)
    case 3:
      return clusterCidrs(random, nodes)
    case 4:
      return smallRange(random, nodes)
    case 5:
      return taintedNodes(random, nodes)
    case 6:
      return growth(random)
    case 7:
      return cloudBlocks(random, nodes)
    case 8:
      return gangs(random, nodes, '1.37')
    default:
      return none
  }
}

const secondsOf = (random: RandomStream) => `${60 + random.int(1000)}s`

/** Pod groups whose pods start together or not at all; some of their pods are created late. */
function gangs(random: RandomStream, nodes: readonly JsonObject[], minor: '1.36' | '1.37'): Extras {
  const gates =
    minor === '1.36' ? ['GenericWorkload', 'GangScheduling', 'WorkloadAwarePreemption'] : ['GenericWorkload']
  const version = `scheduling.k8s.io/${minor === '1.36' ? 'v1alpha2' : 'v1beta1'}`
  const steps: JsonObject[] = []
  for (let group = 0; group < 2 + random.int(3); group++) {
    const name = `gang-${group}`
    const minCount = 2 + random.int(3)
    const priority = random.int(3) === 0 ? { priorityClassName: 'high' } : {}
    const requests = { cpu: random.pick(['500m', '1', '2']), memory: '256Mi' }
    const gang = {
      apiVersion: version,
      kind: 'PodGroup',
      metadata: { name, namespace: 'default' },
      spec: { schedulingPolicy: { gang: { minCount } }, ...priority },
    }
    const members = Array.from({ length: minCount + random.int(2) }, (_, at) =>
      json({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: `${name}-${at}`, namespace: 'default', labels: { app: name } },
        spec: {
          schedulingGroup: { podGroupName: name },
          terminationGracePeriodSeconds: random.pick([0, 5]),
          containers: [{ name: 'c', image: 'i', resources: { requests } }],
          ...priority,
        },
      }),
    )
    const late = random.int(members.length)
    const [start, rest] = [secondsOf(random), secondsOf(random)]
    steps.push(json({ at: start, apply: [gang, ...members.slice(late)] }))
    steps.push(json({ at: rest, apply: members.slice(0, late).length === 0 ? [gang] : members.slice(0, late) }))
    if (random.int(2) === 0) steps.push(json({ at: secondsOf(random), delete: `pod/default/${name}-0` }))
  }
  steps.push(json({ at: secondsOf(random), apply: spreadGang(version, nodes.length + 1) }))
  return {
    flags: json({ ...release(minor), 'feature-gates': gates.map((gate) => `${gate}=true`).join() }),
    objects: [],
    steps,
  }
}

/** A gang with one pod more than there are nodes, each on another node: it must not start in part. */
function spreadGang(apiVersion: string, minCount: number): readonly JsonObject[] {
  const labels = { app: 'spread' }
  const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: labels } }
  const group = {
    apiVersion,
    kind: 'PodGroup',
    metadata: { name: 'spread', namespace: 'default' },
    spec: { schedulingPolicy: { gang: { minCount } } },
  }
  const members = Array.from({ length: minCount }, (_, at) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `spread-${at}`, namespace: 'default', labels },
    spec: {
      schedulingGroup: { podGroupName: 'spread' },
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '10m', memory: '16Mi' } } }],
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
    },
  }))
  return [group, ...members].map(json)
}

const zones = ['zone-0', 'zone-1']

function instanceType(name: string, cpu: number): object {
  const offerings = zones.flatMap((zone) =>
    ['on-demand', 'spot'].map((capacity) => ({
      Price: cpu * (capacity === 'spot' ? 0.02 : 0.05),
      Requirements: [
        { key: 'karpenter.sh/capacity-type', operator: 'In', values: [capacity] },
        { key: 'topology.kubernetes.io/zone', operator: 'In', values: [zone] },
      ],
    })),
  )
  return { name, resources: { cpu: String(cpu), memory: `${4 * cpu}Gi`, pods: '58' }, offerings }
}

/** The most CPUs that Karpenter may have in stories. */
export const karpenterCpus = 16

/** A deployment that only nodes of autoscalers can run. */
function wave(random: RandomStream): object {
  const labels = { app: 'wave' }
  const requests = { cpu: random.pick(['1', '1500m']), memory: '1Gi' }
  const spec = {
    nodeSelector: { pool: 'grown' },
    terminationGracePeriodSeconds: 5,
    containers: [{ name: 'c', image: 'i:1', resources: { requests } }],
  }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'wave', namespace: 'default' },
    spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  }
}

function waveScales(random: RandomStream): readonly object[] {
  const target = 'deployment/default/wave'
  return [
    { at: secondsOf(random), scale: { target, replicas: 3 + random.int(12) } },
    { at: secondsOf(random), scale: { target, replicas: random.int(6) } },
  ]
}

/** A node group of Cluster Autoscaler that grows up to its maximum. */
function growth(random: RandomStream): Extras {
  const stockOut = { at: secondsOf(random), stockOut: { nodeGroup: 'grown', for: '5m' } }
  return {
    flags: {},
    autoscaling: autoscaler,
    objects: [json(wave(random))],
    steps: [...waveScales(random), ...(random.int(2) === 0 ? [stockOut] : [])].map(json),
  }
}

/** A pool of Karpenter next to the nodes of the story. */
function karpenter(random: RandomStream): Extras {
  const disruption = {
    consolidationPolicy: random.pick(['WhenEmpty', 'WhenEmptyOrUnderutilized']),
    consolidateAfter: random.pick(['0s', '30s', '5m']),
    budgets: [{ nodes: random.pick(['1', '50%', '100%']) }],
  }
  const template = {
    metadata: { labels: { pool: 'grown' } },
    spec: {
      nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' },
      requirements: [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot', 'on-demand'] }],
      expireAfter: random.pick(['Never', '20m']),
    },
  }
  const objects = [
    {
      apiVersion: 'karpenter.kwok.sh/v1alpha1',
      kind: 'KWOKNodeClass',
      metadata: { name: 'default' },
      spec: { nodeRegistrationDelay: random.pick(['10s', '40s']) },
    },
    {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name: 'grown' },
      spec: { template, disruption, limits: { cpu: String(karpenterCpus) } },
    },
    wave(random),
  ]
  const steps = [
    ...waveScales(random),
    { at: secondsOf(random), stockOut: { capacityType: random.pick(['spot', 'on-demand']), for: '5m' } },
    { at: secondsOf(random), stockOut: { zone: random.pick(zones), for: '8m' } },
    { at: secondsOf(random), interrupt: { selector: 'karpenter.sh/nodepool=grown', notice: '2m' } },
    { at: secondsOf(random), fail: { selector: 'karpenter.sh/nodepool=grown', for: '3m' } },
  ]
  return {
    flags: {},
    autoscaling: json({ karpenter: { instanceTypes: [instanceType('m.large', 2), instanceType('m.xlarge', 4)] } }),
    objects: objects.map(json),
    steps: steps.filter(() => random.int(3) > 0).map(json),
  }
}

/** An autoscaled deployment under a load that changes. */
function horizontal(random: RandomStream, apps: readonly string[]): Extras {
  const target = apps.find((app) => app.startsWith('deployment/'))?.split('/')[2]
  if (target === undefined) return none
  const cpu = () => `${100 + random.int(4000)}m`
  const [minReplicas, maxReplicas] = [1 + random.int(2), 3 + random.int(5)]
  const averageUtilization = random.pick([50, 80])
  const object = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: target, namespace: 'default' },
    spec: {
      minReplicas,
      maxReplicas,
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: target },
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } }],
    },
  }
  const steps = Array.from({ length: 3 }, () => ({ at: secondsOf(random), cpu: cpu() }))
  return {
    flags: {},
    load: [json({ target: `deployment/${target}`, shared: true, cpu: cpu(), steps })],
    objects: [json(object)],
    steps: [json({ at: secondsOf(random), restart: { controller: 'horizontalpodautoscaling' } })],
  }
}

/** Pod CIDRs from ClusterCIDR objects, one of them for a pool, one that is added later. */
function clusterCidrs(random: RandomStream, nodes: readonly JsonObject[]): Extras {
  const range = (name: string, ipv4: string, pool?: string) => {
    const matchExpressions = [{ key: 'pool', operator: 'In', values: [pool] }]
    const selector = pool === undefined ? {} : { nodeSelector: { nodeSelectorTerms: [{ matchExpressions }] } }
    return json({
      apiVersion: 'networking.x-k8s.io/v1',
      kind: 'ClusterCIDR',
      metadata: { name },
      spec: { perNodeHostBits: 8, ipv4, ...selector },
    })
  }
  return {
    flags: json({ 'cidr-allocator-type': 'MultiCIDRRangeAllocator', 'cluster-cidr': '10.0.0.0/20' }),
    objects: [range('pool-a', '10.1.0.0/22', 'a')],
    steps: [
      { at: secondsOf(random), apply: [range('late', '10.2.0.0/21')] },
      { at: secondsOf(random), delete: 'clustercidr/pool-a' },
      ...replacedNodes(random, nodes, 3),
    ].map(json),
  }
}

/** Pod CIDRs from the alias ranges of a cloud, or synchronized with them. */
function cloudBlocks(random: RandomStream, nodes: readonly JsonObject[]): Extras {
  return {
    flags: json({
      'cidr-allocator-type': random.pick(['CloudAllocator', 'IPAMFromCluster', 'IPAMFromCloud']),
      'cluster-cidr': '10.0.0.0/16',
    }),
    objects: [],
    hasInstances: true,
    steps: replacedNodes(random, nodes, 6, instanceOf),
  }
}

/** The node with the providerID by which a cloud knows it. */
export function instanceOf(node: JsonObject): JsonObject {
  return { ...node, spec: { ...(node['spec'] as JsonObject | undefined), providerID: `gce://p/z/${nameOf(node)}` } }
}

/** A range that is almost too small, with the range of services in it: freed blocks are used again. */
function smallRange(random: RandomStream, nodes: readonly JsonObject[]): Extras {
  return {
    flags: json({
      'cluster-cidr': '10.0.0.0/20',
      'node-cidr-mask-size': 24,
      'service-cluster-ip-range': random.pick(['10.0.0.0/24', '10.0.4.0/23', '10.0.6.0/23']),
    }),
    objects: [],
    steps: replacedNodes(random, nodes, 14),
  }
}

/** Nodes are removed and added again, and new ones join while the controller of their blocks restarts. */
function replacedNodes(
  random: RandomStream,
  nodes: readonly JsonObject[],
  times: number,
  dressed: (node: JsonObject) => JsonObject = (node) => node,
): readonly JsonObject[] {
  const steps: JsonObject[] = []
  for (let at = 0; at < times; at++) {
    const node = random.pick(nodes)
    const name = nameOf(node)
    const second = 60 + random.int(1000)
    steps.push(json({ at: `${second}s`, remove: { node: name } }))
    steps.push(json({ at: `${second + 10 + random.int(100)}s`, apply: [dressed(node)] }))
  }
  const second = 60 + random.int(900)
  steps.push(json({ at: `${second}s`, restart: { controller: 'node-ipam' } }))
  const [first] = nodes
  if (first === undefined) return steps
  const joined = { ...first, metadata: { ...(first['metadata'] as JsonObject), name: 'joined' } }
  return [...steps, json({ at: `${second + 5}s`, apply: [dressed(joined as JsonObject)] })]
}

/** NoExecute taints that last, and pods that tolerate them for a minute, forever, or not at all. */
function taintedNodes(random: RandomStream, nodes: readonly JsonObject[]): Extras {
  const labels = { app: 'patient' }
  const toleration = { key: 'swarm', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 }
  const spec = {
    terminationGracePeriodSeconds: 5,
    tolerations: [toleration],
    containers: [{ name: 'c', image: 'i:1', resources: { requests: { cpu: '50m', memory: '16Mi' } } }],
  }
  const template = { metadata: { labels }, spec }
  return {
    flags: {},
    objects: [
      json({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'patient', namespace: 'default' },
        spec: { replicas: 6, selector: { matchLabels: labels }, template },
      }),
    ],
    steps: Array.from({ length: 3 }, () =>
      json({ at: secondsOf(random), taint: { node: nameOf(random.pick(nodes)), taint: 'swarm:NoExecute' } }),
    ),
  }
}

const nameOf = (node: JsonObject) => (node['metadata'] as unknown as { readonly name: string }).name
