// A realistic cluster of 300 nodes: pools, zones, namespaces, budgets, and an example of every problem.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ApiObject, Berth } from './berth.ts'

export const livelyArgs = [
  '--ephemeral',
  ...['--nodes', '0', '--cluster-cidr', '10.0.0.0/15', '--allocate-node-cidrs', 'true'],
  ...['--feature-gates', 'GenericWorkload=true'],
  ...['--node-monitor-period', '1s', '--node-monitor-grace-period', '8s', '--lease-renew-interval', '3s'],
]

interface PoolShape {
  readonly pool: string
  readonly type: string
  readonly nodes: number
  readonly cpu: string
  readonly memory: string
  readonly gpus?: number
  readonly taint?: string
  readonly pricePerHour: number
  /** The maximum number of nodes of the autoscaler. */
  readonly max: number
}

const pools: readonly PoolShape[] = [
  { pool: 'general', type: 'm7i.4xlarge', nodes: 140, cpu: '16', memory: '64Gi', pricePerHour: 0.87, max: 160 },
  { pool: 'memory', type: 'r7i.4xlarge', nodes: 60, cpu: '16', memory: '128Gi', pricePerHour: 1.15, max: 60 },
  {
    pool: 'spot',
    type: 'c7a.8xlarge',
    nodes: 64,
    cpu: '32',
    memory: '64Gi',
    taint: 'spot',
    pricePerHour: 0.61,
    max: 90,
  },
  {
    pool: 'gpu',
    type: 'g6.12xlarge',
    nodes: 24,
    cpu: '48',
    memory: '192Gi',
    gpus: 4,
    taint: 'gpu',
    pricePerHour: 5.16,
    max: 24,
  },
  {
    pool: 'system',
    type: 'm7i.large',
    nodes: 12,
    cpu: '4',
    memory: '16Gi',
    taint: 'system',
    pricePerHour: 0.11,
    max: 20,
  },
]

const resourcesOf = ({ cpu, memory, gpus }: PoolShape) => ({
  ...{ cpu, memory, pods: '110' },
  ...(gpus === undefined ? {} : { 'nvidia.com/gpu': String(gpus) }),
})

const taintsOf = ({ taint }: PoolShape) =>
  taint === undefined ? {} : { taints: [{ key: 'pool', value: taint, effect: 'NoSchedule' }] }

/** The file of --autoscaler: a node group for each pool, with its price. Nothing is removed, so that pictures stay the same. */
function autoscalerFile(): object {
  const nodeGroups = pools.map((shape) => ({
    name: shape.pool,
    min: shape.nodes,
    max: shape.max,
    label: `karpenter.sh/nodepool=${shape.pool}`,
    boot: '10m',
    pricePerHour: shape.pricePerHour,
    template: {
      metadata: {
        labels: { 'karpenter.sh/nodepool': shape.pool, 'node.kubernetes.io/instance-type': shape.type },
      },
      spec: taintsOf(shape),
      status: { capacity: resourcesOf(shape), allocatable: resourcesOf(shape) },
    },
  }))
  return { clusterAutoscaler: { nodeGroups, flags: { 'scale-down-enabled': false } } }
}

const zones = ['eu-west-1a', 'eu-west-1b', 'eu-west-1c']

export function livelyNodes(): readonly ApiObject[] {
  let index = 0
  return pools.flatMap((shape) =>
    Array.from({ length: shape.nodes }, (_, at) => {
      const zone = zones[at % 3] as string
      const name = `ip-10-0-${Math.floor(index / 200) + 12}-${20 + (index++ % 200)}.eu-west-1.compute.internal`
      const resources = resourcesOf(shape)
      return {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: {
          name,
          labels: {
            'berth.dev/hollow': 'true',
            'kubernetes.io/hostname': name,
            'kubernetes.io/arch': 'amd64',
            'karpenter.sh/nodepool': shape.pool,
            'node.kubernetes.io/instance-type': shape.type,
            'topology.kubernetes.io/region': 'eu-west-1',
            'topology.kubernetes.io/zone': zone,
            'topology.example.com/rack': `${zone.slice(-1)}${1 + (Math.floor(at / 3) % 4)}`,
          },
        },
        spec: taintsOf(shape),
        status: { capacity: resources, allocatable: resources },
      }
    }),
  )
}

interface App {
  readonly namespace: string
  readonly name: string
  readonly replicas: number
  readonly cpu: string
  readonly memory: string
  readonly pool?: string
  readonly gpus?: number
  readonly budget?: Readonly<Record<string, number | string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly kind?: 'Deployment' | 'StatefulSet' | 'DaemonSet'
  readonly spec?: Readonly<Record<string, unknown>>
}

const apps: readonly App[] = [
  { namespace: 'shop', name: 'web', replicas: 240, cpu: '1', memory: '2Gi', budget: { minAvailable: '90%' } },
  { namespace: 'shop', name: 'cart', replicas: 90, cpu: '2', memory: '4Gi', budget: { maxUnavailable: 3 } },
  { namespace: 'shop', name: 'checkout', replicas: 60, cpu: '2', memory: '4Gi', budget: { minAvailable: 60 } },
  {
    namespace: 'shop',
    name: 'search',
    replicas: 48,
    cpu: '4',
    memory: '24Gi',
    pool: 'memory',
    kind: 'StatefulSet',
    budget: { maxUnavailable: 1 },
  },
  {
    namespace: 'payments',
    name: 'ledger',
    replicas: 9,
    cpu: '4',
    memory: '32Gi',
    pool: 'memory',
    kind: 'StatefulSet',
    budget: { minAvailable: 7 },
  },
  { namespace: 'payments', name: 'gateway', replicas: 30, cpu: '1500m', memory: '2Gi', budget: { minAvailable: 24 } },
  { namespace: 'payments', name: 'fraud', replicas: 16, cpu: '6', memory: '12Gi' },
  { namespace: 'media', name: 'transcode', replicas: 180, cpu: '6', memory: '8Gi', pool: 'spot' },
  {
    namespace: 'media',
    name: 'thumbnails',
    replicas: 70,
    cpu: '2',
    memory: '2Gi',
    pool: 'spot',
    annotations: { 'berth.dev/crash-after': '20s' },
  },
  {
    namespace: 'ml',
    name: 'inference',
    replicas: 70,
    cpu: '8',
    memory: '32Gi',
    pool: 'gpu',
    gpus: 1,
    budget: { minAvailable: '80%' },
  },
  { namespace: 'ml', name: 'training', replicas: 24, cpu: '20', memory: '120Gi', pool: 'gpu', gpus: 2 },
  {
    namespace: 'data',
    name: 'kafka',
    replicas: 15,
    cpu: '4',
    memory: '48Gi',
    pool: 'memory',
    kind: 'StatefulSet',
    budget: { maxUnavailable: 1 },
  },
  { namespace: 'data', name: 'spark', replicas: 120, cpu: '3', memory: '10Gi' },
  {
    namespace: 'data',
    name: 'reports',
    replicas: 6,
    cpu: '500m',
    memory: '1Gi',
    annotations: { 'berth.dev/image-pull-failure': 'true' },
  },
  {
    namespace: 'kube-system',
    name: 'coredns',
    replicas: 6,
    cpu: '250m',
    memory: '256Mi',
    pool: 'system',
    budget: { maxUnavailable: 1 },
  },
  { namespace: 'kube-system', name: 'metrics-server', replicas: 2, cpu: '250m', memory: '512Mi', pool: 'system' },
  {
    namespace: 'kube-system',
    name: 'node-exporter',
    replicas: 0,
    cpu: '100m',
    memory: '128Mi',
    kind: 'DaemonSet',
    spec: { tolerations: [{ operator: 'Exists' }] },
  },
]

const tolerations = (pool: string) =>
  pool === 'memory' ? [] : [{ key: 'pool', operator: 'Equal', value: pool, effect: 'NoSchedule' }]

/** Workloads use from a third of what they request to nearly all of it. */
function loadOf({ name, replicas, cpu, memory, kind }: App): Readonly<Record<string, string>> {
  const share = 0.35 + (name.length % 5) * 0.14
  const cores = cpu.endsWith('m') ? Number.parseInt(cpu, 10) / 1000 : Number(cpu)
  const mebibytes = Number.parseInt(memory, 10) * (memory.endsWith('Gi') ? 1024 : 1)
  const pods = kind === 'DaemonSet' ? 300 : replicas
  const of = (each: number) => Math.round(share * each * pods)
  return { 'berth.dev/load': `cpu=${of(cores * 1000)}m,memory=${of(mebibytes)}Mi` }
}

function workload(app: App): readonly ApiObject[] {
  const { namespace, name, pool, kind = 'Deployment' } = app
  const labels = { app: name }
  const requests = {
    cpu: app.cpu,
    memory: app.memory,
    ...(app.gpus === undefined ? {} : { 'nvidia.com/gpu': String(app.gpus) }),
  }
  const template = {
    metadata: { labels, ...(app.annotations === undefined ? {} : { annotations: app.annotations }) },
    spec: {
      terminationGracePeriodSeconds: 5,
      containers: [
        {
          name,
          image: `registry.example/${name}:1.4.2`,
          resources: {
            requests,
            ...(app.gpus === undefined ? {} : { limits: { 'nvidia.com/gpu': String(app.gpus) } }),
          },
        },
      ],
      ...(pool === undefined
        ? {}
        : { nodeSelector: { 'karpenter.sh/nodepool': pool }, tolerations: tolerations(pool) }),
      ...app.spec,
    },
  }
  const spec = {
    selector: { matchLabels: labels },
    template,
    ...(kind === 'DaemonSet' ? {} : { replicas: app.replicas }),
    ...(kind === 'StatefulSet' ? { serviceName: name, podManagementPolicy: 'Parallel' } : {}),
  }
  return [
    { apiVersion: 'apps/v1', kind, metadata: { name, namespace, annotations: loadOf(app) }, spec },
    ...(app.budget === undefined
      ? []
      : [
          {
            apiVersion: 'policy/v1',
            kind: 'PodDisruptionBudget',
            metadata: { name, namespace },
            spec: { ...app.budget, selector: { matchLabels: labels } },
          },
        ]),
  ]
}

/** The node with this last byte in the first network. */
export const livelyNode = (host: number) => `ip-10-0-12-${host}.eu-west-1.compute.internal`

/** A node of the pool system: its nodes are the last ones. */
const systemNode = (at: number) => `ip-10-0-13-${108 + at}.eu-west-1.compute.internal`

/** Starts the cluster, creates its objects, and then causes failures. */
export async function startLively(berth: Berth): Promise<void> {
  const file = join(mkdtempSync(join(tmpdir(), 'berth-lively-')), 'autoscaler.json')
  writeFileSync(file, JSON.stringify(autoscalerFile()))
  await berth.start([...livelyArgs, '--autoscaler', file])
  rmSync(dirname(file), { recursive: true })
  await berth.apply(...livelyNodes())
  for (const name of new Set(apps.map(({ namespace }) => namespace)))
    if (name !== 'kube-system') await berth.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  await berth.apply(...apps.flatMap(workload), ...deviceObjects())
  await settled(berth)
  await berth.api('PATCH', `/api/v1/nodes/${livelyNode(40)}`, { spec: { unschedulable: true } })
  await berth.api('PATCH', `/api/v1/nodes/${livelyNode(41)}`, { spec: { unschedulable: true } })
  for (const host of [33, 77])
    await berth.api('PATCH', `/api/v1/nodes/${livelyNode(host)}`, {
      metadata: { annotations: { 'berth.dev/silent': 'true' } },
    })
  await berth.api('PATCH', `/api/v1/nodes/${livelyNode(90)}`, {
    metadata: { annotations: { 'berth.dev/pressure': 'disk' } },
  })
  await berth.api('PATCH', `/api/v1/nodes/${livelyNode(61)}`, {
    spec: { taints: [{ key: 'maintenance', value: 'tonight', effect: 'NoExecute' }] },
  })
  await berth.apply(
    ...workload({ namespace: 'ml', name: 'finetune', replicas: 12, cpu: '16', memory: '64Gi', pool: 'gpu', gpus: 4 }),
    ...workload({ namespace: 'data', name: 'warehouse', replicas: 3, cpu: '24', memory: '96Gi', pool: 'memory' }),
    ...gangObjects(),
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'migration', namespace: 'payments' },
      spec: {
        schedulingGates: [{ name: 'example.com/approval' }],
        containers: [{ name: 'c', image: 'registry.example/migration:1', resources: { requests: { cpu: '500m' } } }],
      },
    },
  )
}

/** A group of pods that are useful only together, and do not fit together. */
function gangObjects(): readonly ApiObject[] {
  const requests = { cpu: '12', memory: '48Gi', 'nvidia.com/gpu': '4' }
  const workers = Array.from({ length: 4 }, (_, at) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `pretrain-${at}`, namespace: 'ml', labels: { app: 'pretrain' } },
    spec: {
      schedulingGroup: { podGroupName: 'pretrain' },
      nodeSelector: { 'karpenter.sh/nodepool': 'gpu' },
      tolerations: tolerations('gpu'),
      containers: [
        {
          name: 'worker',
          image: 'registry.example/pretrain:1.4.2',
          resources: { requests, limits: { 'nvidia.com/gpu': '4' } },
        },
      ],
    },
  }))
  const group = {
    apiVersion: 'scheduling.k8s.io/v1beta1',
    kind: 'PodGroup',
    metadata: { name: 'pretrain', namespace: 'ml' },
    spec: { schedulingPolicy: { gang: { minCount: 4 } } },
  }
  return [group, ...workers]
}

/** Devices of a driver on every node of a pool, as the autoscaler expects, and a workload that claims one each. */
function deviceObjects(): readonly ApiObject[] {
  const slices = Array.from({ length: 12 }, (_, at) => ({
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceSlice',
    metadata: { name: `fpga-${at}` },
    spec: {
      driver: 'fpga.example.com',
      nodeName: systemNode(at),
      pool: { name: systemNode(at), generation: 1, resourceSliceCount: 1 },
      devices: Array.from({ length: 2 }, (_unused, index) => ({
        name: `fpga-${index}`,
        ...(at === 0 && index === 1 ? { taints: [{ key: 'example.com/broken', effect: 'NoSchedule' }] } : {}),
      })),
    },
  }))
  const device = { requests: [{ name: 'fpga', exactly: { deviceClassName: 'fpga' } }] }
  return [
    {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'DeviceClass',
      metadata: { name: 'fpga' },
      spec: { selectors: [{ cel: { expression: 'device.driver == "fpga.example.com"' } }] },
    },
    ...slices,
    {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaimTemplate',
      metadata: { name: 'one-fpga', namespace: 'media' },
      spec: { spec: { devices: device } },
    },
    ...workload({
      namespace: 'media',
      name: 'encode',
      replicas: 21,
      cpu: '500m',
      memory: '1Gi',
      pool: 'system',
      spec: { resourceClaims: [{ name: 'fpga', resourceClaimTemplateName: 'one-fpga' }] },
    }),
  ]
}

/** Most pods run; some crash, so not all do. */
async function settled(berth: Berth): Promise<void> {
  const wanted = 0.85 * apps.reduce((sum, { replicas }) => sum + replicas, 300)
  for (;;) {
    const { items } = await berth.api<{ readonly items: readonly { readonly status: { readonly phase: string } }[] }>(
      'GET',
      '/api/v1/pods',
    )
    if (items.filter(({ status }) => status.phase === 'Running').length >= wanted) return
    await new Promise((next) => setTimeout(next, 500))
  }
}
