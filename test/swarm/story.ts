import type { JsonObject } from '../../src/api/objects/meta.ts'
import { createRandom, type RandomStream } from '../../src/base/random.ts'
import { autoscaler } from './story-autoscaler.ts'
import { extrasOf, instanceOf } from './story-extras.ts'

/** A run of the swarm as data: a cluster, its settings, and its steps. A failure is saved as such a file. */
export interface SwarmStory {
  readonly seed: string
  /** The invariant that was broken, in a file of test/regressions. */
  readonly broken?: string
  /** Flags of the control plane, with the release. */
  readonly config: JsonObject
  readonly heartbeats: 'written' | 'computed'
  readonly callRates: 'upstream' | 'unlimited'
  readonly autoscaling?: JsonObject
  /** The load of autoscaled workloads, as in a scenario. */
  readonly load?: readonly JsonObject[]
  readonly nodes: readonly JsonObject[]
  readonly objects: readonly JsonObject[]
  /** Steps of a scenario. */
  readonly steps: readonly JsonObject[]
}

/** All faults end before this time; then the cluster is repaired and becomes idle. */
export const repairMs = 30 * 60_000
export const endMs = 61 * 60_000

const json = (value: unknown) => value as JsonObject

export function makeStory(seed: string): SwarmStory {
  const random = createRandom(seed).stream('swarm')
  const zones = 1 + random.int(3)
  const nodes = Array.from({ length: 3 + random.int(6) }, (_, at) => nodeOf(`n${at}`, at % zones, random))
  const names = nodes.map(({ metadata }) => (metadata as unknown as { name: string }).name)
  const hasDevices = random.int(3) === 0
  const objects = [
    ...priorities,
    ...(hasDevices ? devices(names) : []),
    ...Array.from({ length: 2 + random.int(4) }, (_, at) => workload(`app-${at}`, random, hasDevices)).flat(),
  ]
  const apps = objects.flatMap((object) => {
    const { kind, metadata } = object as unknown as { kind: string; metadata: { name: string } }
    return kind === 'Deployment' || kind === 'StatefulSet' ? [`${kind.toLowerCase()}/default/${metadata.name}`] : []
  })
  const isAutoscaled = random.int(4) === 0
  const context = { random, names, apps, zones, isAutoscaled }
  const extras = extrasOf(createRandom(seed).stream('extras'), apps, nodes)
  // The nodes of the autoscaler are not instances of the cloud.
  const isGrown = isAutoscaled && extras.hasInstances !== true
  const { autoscaling = isGrown ? autoscaler : undefined, load } = extras
  return {
    seed,
    config: json({
      'kubernetes-version': random.pick(['1.34', '1.35', '1.36', '1.37']),
      'allocate-node-cidrs': true,
      'cluster-cidr': random.pick(['10.0.0.0/20', '10.0.0.0/16', '10.0.0.0/20,fd00::/48']),
      ...(random.int(3) === 0 ? { 'node-monitor-grace-period': '20s' } : {}),
      ...extras.flags,
    }),
    heartbeats: random.pick(['written', 'computed', 'computed'] as const),
    callRates: random.pick(['upstream', 'unlimited'] as const),
    ...(autoscaling === undefined ? {} : { autoscaling }),
    ...(load === undefined ? {} : { load }),
    nodes: extras.hasInstances === true ? nodes.map(instanceOf) : nodes,
    objects: [...objects, ...extras.objects],
    steps: [...Array.from({ length: 4 + random.int(16) }, () => stepOf(context)), ...extras.steps].sort(
      (a, b) => atOf(a) - atOf(b),
    ),
  }
}

export function atOf(step: JsonObject): number {
  return Number(String(step['at']).slice(0, -1))
}

function nodeOf(name: string, zone: number, random: RandomStream): JsonObject {
  const cpu = random.pick(['2', '4', '8'])
  const size = { cpu, memory: '8Gi', pods: random.pick(['6', '20', '110']), 'example.com/gpu': random.pick(['0', '2']) }
  const labels = {
    'kubernetes.io/hostname': name,
    'topology.kubernetes.io/zone': `zone-${zone}`,
    'topology.kubernetes.io/region': 'r1',
    pool: random.pick(['a', 'b']),
  }
  return json({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels },
    status: { capacity: size, allocatable: size },
  })
}

const priorities = [
  ['high', 1000],
  ['low', 10],
].map(([name, value]) => json({ apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value }))

function devices(nodes: readonly string[]): readonly JsonObject[] {
  const selector = { cel: { expression: 'device.driver == "gpu.example.com"' } }
  const request = { name: 'gpu', exactly: { deviceClassName: 'gpu' } }
  return [
    json({
      apiVersion: 'resource.k8s.io/v1',
      kind: 'DeviceClass',
      metadata: { name: 'gpu' },
      spec: { selectors: [selector] },
    }),
    json({
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaimTemplate',
      metadata: { name: 'gpu', namespace: 'default' },
      spec: { spec: { devices: { requests: [request] } } },
    }),
    ...nodes.slice(0, 3).map((node) =>
      json({
        apiVersion: 'resource.k8s.io/v1',
        kind: 'ResourceSlice',
        metadata: { name: `${node}-gpu` },
        spec: {
          driver: 'gpu.example.com',
          nodeName: node,
          pool: { name: node, generation: 1, resourceSliceCount: 1 },
          devices: [{ name: 'gpu-0' }, { name: 'gpu-1' }],
        },
      }),
    ),
  ]
}

function workload(name: string, random: RandomStream, hasDevices: boolean): readonly JsonObject[] {
  const labels = { app: name }
  const replicas = 1 + random.int(5)
  const template = { metadata: { labels }, spec: podSpec(labels, random, hasDevices) }
  const common = { selector: { matchLabels: labels }, template }
  const metadata = { name, namespace: 'default' }
  const kind = random.pick(['Deployment', 'Deployment', 'Deployment', 'StatefulSet', 'DaemonSet', 'Job'] as const)
  const budget = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata,
    spec: {
      ...random.pick([{ maxUnavailable: 1 }, { minAvailable: 1 }, { minAvailable: '50%' }]),
      selector: { matchLabels: labels },
    },
  }
  const budgets = random.int(2) === 0 && (kind === 'Deployment' || kind === 'StatefulSet') ? [json(budget)] : []
  switch (kind) {
    case 'Deployment':
      return [json({ apiVersion: 'apps/v1', kind, metadata, spec: { ...common, replicas } }), ...budgets]
    case 'StatefulSet': {
      const policy = random.pick(['OrderedReady', 'Parallel'])
      return [
        json({
          apiVersion: 'apps/v1',
          kind,
          metadata,
          spec: { ...common, replicas, serviceName: name, podManagementPolicy: policy },
        }),
        ...budgets,
      ]
    }
    case 'DaemonSet':
      return [json({ apiVersion: 'apps/v1', kind, metadata, spec: common })]
    case 'Job': {
      const spec = { ...template, spec: { ...template.spec, restartPolicy: 'Never' } }
      return [
        json({
          apiVersion: 'batch/v1',
          kind,
          metadata,
          spec: { completions: replicas, parallelism: 2, template: spec },
        }),
      ]
    }
  }
}

function podSpec(labels: object, random: RandomStream, hasDevices: boolean): object {
  const anti = {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: labels } },
    ],
  }
  const spread = {
    maxSkew: 1,
    topologyKey: random.pick(['kubernetes.io/hostname', 'topology.kubernetes.io/zone']),
    whenUnsatisfiable: random.pick(['DoNotSchedule', 'ScheduleAnyway']),
    labelSelector: { matchLabels: labels },
  }
  const gpu = random.int(6) === 0 ? { limits: { 'example.com/gpu': '1' } } : {}
  const port = random.int(6) === 0 ? { ports: [{ containerPort: 8080, hostPort: 8000 + random.int(3) }] } : {}
  const claims = hasDevices && random.int(2) === 0
  const container = {
    name: 'c',
    image: 'i:1',
    resources: {
      requests: { cpu: random.pick(['100m', '500m', '1']), memory: random.pick(['64Mi', '1Gi', '3Gi']) },
      ...gpu,
      ...(claims ? { claims: [{ name: 'gpu' }] } : {}),
    },
    ...port,
  }
  return {
    terminationGracePeriodSeconds: random.pick([0, 5, 30]),
    containers: [container],
    ...(claims ? { resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'gpu' }] } : {}),
    ...(random.int(4) === 0 ? { affinity: { podAntiAffinity: anti } } : {}),
    ...(random.int(4) === 0 ? { topologySpreadConstraints: [spread] } : {}),
    ...(random.int(4) === 0 ? { priorityClassName: random.pick(['high', 'low']) } : {}),
    ...(random.int(5) === 0 ? { nodeSelector: { pool: 'a' } } : {}),
    ...(random.int(4) === 0
      ? { tolerations: [{ key: 'swarm', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 }] }
      : {}),
  }
}

interface StepContext {
  readonly random: RandomStream
  readonly names: readonly string[]
  readonly apps: readonly string[]
  readonly zones: number
  readonly isAutoscaled: boolean
}

const controllers = [
  'scheduler',
  'node-lifecycle',
  'taint-eviction',
  'replicaset',
  'deployment',
  'statefulset',
  'disruption',
  'node-ipam',
  'daemonset',
  'job',
]

/** Every fault and every change that a story can have. */
function stepOf({ random, names, apps, zones, isAutoscaled }: StepContext): JsonObject {
  const node = { node: random.pick(names) }
  const where = random.int(4) === 0 ? { zone: `zone-${random.int(zones)}` } : node
  const lasts = { for: random.pick(['20s', '1m30s', '8m']) }
  const target = apps.length === 0 ? undefined : random.pick(apps)
  const taint = `swarm:${random.pick(['NoSchedule', 'NoExecute', 'PreferNoSchedule'])}`
  const choices: object[] = [
    { fail: { ...where, ...lasts } },
    { silence: { ...where, ...lasts } },
    { silence: { ...node, for: '45s', every: '1m10s', times: 4 } },
    { drain: { ...node, force: true } },
    { drain: { nodes: [...new Set([random.pick(names), random.pick(names)])], force: true } },
    { drain: { nodes: names.slice(random.int(names.length)), force: true } },
    { taint: { ...where, taint } },
    { untaint: { ...where, taint: 'swarm' } },
    { cordon: node },
    { uncordon: node },
    { remove: node },
    { pressure: { ...node, pressures: [random.pick(['memory', 'disk', 'pid'])] } },
    { pressure: { ...node, pressures: [] } },
    { restart: { controller: random.pick(controllers) } },
    { pause: { controller: random.pick(controllers), ...lasts } },
    { outage: lasts },
    { clock: { by: random.pick(['10m', '-10m', '1h', '-45s']) } },
    ...(isAutoscaled ? [{ stockOut: { nodeGroup: 'grown', for: '5m' } }] : []),
    ...(target === undefined
      ? []
      : [
          { scale: { target, replicas: random.int(8) } },
          { scale: { target, replicas: 1 + random.int(5) } },
          {
            patch: {
              target,
              patch: { spec: { template: { metadata: { annotations: { step: `${random.int(1000)}` } } } } },
            },
          },
          {
            patch: {
              target,
              patch: { spec: { template: { spec: { priorityClassName: random.pick(['high', 'low']) } } } },
            },
          },
          { delete: target },
        ]),
  ]
  return json({ at: `${60 + random.int(repairMs / 1000 - 660)}s`, ...random.pick(choices) })
}
