import type { JsonObject } from '../../src/api/objects/meta.ts'
import type { RandomStream } from '../../src/base/random.ts'

/** One write, as a path below the namespace and as berth's resource. */
export interface QuotaStep {
  readonly method: 'POST' | 'PATCH' | 'DELETE'
  /** `api/v1 pods`, `apis/apps/v1 deployments`. */
  readonly group: string
  readonly resource: string
  readonly name: string
  readonly subresource?: string
  readonly body?: JsonObject
}

export const priorityClass = {
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name: 'high' },
  value: 1000,
}

const limits: readonly (readonly [name: string, amounts: readonly string[]])[] = [
  ['pods', ['1', '3']],
  ['count/pods', ['2', '4']],
  ['cpu', ['1', '1500m']],
  ['requests.cpu', ['900m', '2']],
  ['limits.cpu', ['2', '3500m']],
  ['memory', ['1Gi', '1500M']],
  ['requests.memory', ['700Mi', '2Gi']],
  ['limits.memory', ['1Gi', '3Gi']],
  ['requests.ephemeral-storage', ['1Gi']],
  ['limits.ephemeral-storage', ['2Gi']],
  ['requests.example.com/gpu', ['1', '3']],
  ['hugepages-2Mi', ['64Mi']],
  ['requests.hugepages-2Mi', ['32Mi']],
  ['configmaps', ['1', '2']],
  ['count/configmaps', ['2']],
  ['secrets', ['1']],
  ['count/secrets', ['2']],
  ['services', ['2']],
  ['services.nodeports', ['1', '2']],
  ['services.loadbalancers', ['1']],
  ['persistentvolumeclaims', ['2']],
  ['requests.storage', ['5Gi', '8Gi']],
  ['gold.storageclass.storage.k8s.io/requests.storage', ['3Gi']],
  ['gold.storageclass.storage.k8s.io/persistentvolumeclaims', ['1']],
  ['replicationcontrollers', ['1']],
  ['resourcequotas', ['2', '4']],
  ['count/deployments.apps', ['1']],
  ['count/jobs.batch', ['1']],
]

const podLimits = limits.slice(0, 12)

const scopes: readonly JsonObject[] = [
  { scopes: ['BestEffort'] },
  { scopes: ['NotBestEffort'] },
  { scopes: ['Terminating'] },
  { scopes: ['NotTerminating'] },
  { scopes: ['CrossNamespacePodAffinity'] },
  { scopes: ['PriorityClass'] },
  { scopes: ['NotBestEffort', 'Terminating'] },
  { scopes: ['BestEffort', 'NotBestEffort'] },
  { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] } },
  { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'NotIn', values: ['high'] }] } },
  { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'DoesNotExist' }] } },
  { scopeSelector: { matchExpressions: [{ scopeName: 'BestEffort', operator: 'Exists' }] } },
  { scopeSelector: { matchExpressions: [{ scopeName: 'VolumeAttributesClass', operator: 'In', values: ['fast'] }] } },
]

const some = <T>(draw: RandomStream, items: readonly T[], most: number): T[] =>
  draw.shuffle(items).slice(0, 1 + draw.int(most))

const chance = (draw: RandomStream, share: number): boolean => draw.next() < share

/** Mostly limits of what its scope can count, at times of what it cannot. */
export function drawQuota(draw: RandomStream, name: string): JsonObject {
  const scope = chance(draw, 0.45) ? draw.pick(scopes) : {}
  const isScoped = Object.keys(scope).length > 0
  const names = isScoped && chance(draw, 0.8) ? podLimits.slice(0, chance(draw, 0.5) ? 2 : 9) : limits
  const hard = Object.fromEntries(some(draw, names, 4).map(([limit, amounts]) => [limit, draw.pick(amounts)]))
  return { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name }, spec: { hard, ...scope } }
}

/** The defaults and the limits of LimitRanger. */
export function drawLimitRange(draw: RandomStream): JsonObject {
  const amounts = { cpu: ['200m', '500m', '1', '2'], memory: ['128Mi', '512Mi', '1Gi'] }
  const list = (share: number): JsonObject =>
    Object.fromEntries(
      Object.entries(amounts)
        .filter(() => chance(draw, share))
        .map(([name, values]) => [name, draw.pick(values)]),
    )
  const container = {
    type: 'Container',
    ...(chance(draw, 0.6) ? { default: list(0.7) } : {}),
    ...(chance(draw, 0.6) ? { defaultRequest: list(0.7) } : {}),
    ...(chance(draw, 0.4) ? { max: list(0.7) } : {}),
    ...(chance(draw, 0.3) ? { min: { cpu: '150m' } } : {}),
    ...(chance(draw, 0.3) ? { maxLimitRequestRatio: { cpu: '2' } } : {}),
  }
  const pod = { type: 'Pod', max: list(0.8), ...(chance(draw, 0.3) ? { min: { memory: '200Mi' } } : {}) }
  const claim = { type: 'PersistentVolumeClaim', max: { storage: '2Gi' }, min: { storage: '1500Mi' } }
  return {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'limits' },
    spec: { limits: some(draw, [container, container, pod, claim], 2) },
  }
}

function drawResources(draw: RandomStream): JsonObject {
  const amounts = {
    cpu: ['100m', '0.5', '1'],
    memory: ['100Mi', '512Mi', '0.6G'],
    'ephemeral-storage': ['200Mi', '900Mi'],
    'example.com/gpu': ['1', '2'],
    'hugepages-2Mi': ['16Mi', '32Mi'],
  }
  const draws = (share: number): JsonObject =>
    Object.fromEntries(
      Object.entries(amounts)
        .filter(([name]) => chance(draw, name === 'cpu' || name === 'memory' ? share : share / 5))
        .map(([name, values]) => [name, draw.pick(values)]),
    )
  const requests = draws(0.6)
  // Limits must not be below requests, and extended resources are limited to what is requested.
  const limited = Object.fromEntries(
    Object.entries({ ...draws(0.3), ...requests }).filter(([name]) => /\/|huge/.test(name) || chance(draw, 0.6)),
  )
  return {
    ...(Object.keys(requests).length === 0 ? {} : { requests }),
    ...(Object.keys(limited).length === 0 ? {} : { limits: limited }),
  }
}

function drawPod(draw: RandomStream): JsonObject {
  const container = (name: string, more: JsonObject = {}) => ({
    name,
    image: 'nginx',
    resources: drawResources(draw),
    ...more,
  })
  const initial = chance(draw, 0.25) ? [container('i', chance(draw, 0.5) ? { restartPolicy: 'Always' } : {})] : []
  const elsewhere = {
    podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'zone', labelSelector: {}, namespaces: ['elsewhere'] },
      ],
    },
  }
  return {
    spec: {
      containers: [container('a'), ...(chance(draw, 0.3) ? [container('b')] : [])],
      ...(initial.length === 0 ? {} : { initContainers: initial }),
      ...(chance(draw, 0.25) ? { activeDeadlineSeconds: 600 } : {}),
      ...(chance(draw, 0.25) ? { priorityClassName: 'high' } : {}),
      ...(chance(draw, 0.15) ? { affinity: elsewhere } : {}),
      ...(chance(draw, 0.15) ? { resources: { requests: { cpu: '1500m', memory: '1Gi' } } } : {}),
    },
  }
}

const core = 'api/v1'
const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }

const makers: readonly (readonly [
  group: string,
  resource: string,
  kind: string,
  make: (draw: RandomStream) => JsonObject,
])[] = [
  ...Array.from({ length: 6 }, () => [core, 'pods', 'Pod', drawPod] as const),
  [core, 'configmaps', 'ConfigMap', () => ({ data: { a: 'b' } })],
  [core, 'secrets', 'Secret', () => ({})],
  [core, 'services', 'Service', drawService],
  [core, 'persistentvolumeclaims', 'PersistentVolumeClaim', drawClaim],
  [core, 'resourcequotas', 'ResourceQuota', () => ({ spec: {} })],
  [
    core,
    'replicationcontrollers',
    'ReplicationController',
    () => ({ spec: { replicas: 0, selector: { a: 'b' }, template } }),
  ],
  [
    'apis/apps/v1',
    'deployments',
    'Deployment',
    () => ({ spec: { replicas: 0, selector: { matchLabels: { a: 'b' } }, template } }),
  ],
  [
    'apis/batch/v1',
    'jobs',
    'Job',
    () => ({ spec: { suspend: true, template: { spec: { ...template.spec, restartPolicy: 'Never' } } } }),
  ],
]

function drawService(draw: RandomStream): JsonObject {
  const ports = [{ name: 'a', port: 80 }, ...(chance(draw, 0.4) ? [{ name: 'b', port: 81 }] : [])]
  const type = draw.pick(['ClusterIP', 'NodePort', 'LoadBalancer'])
  const bare = type === 'LoadBalancer' && chance(draw, 0.5) ? { allocateLoadBalancerNodePorts: false } : {}
  return { spec: { type, ports, ...bare } }
}

function drawClaim(draw: RandomStream): JsonObject {
  return {
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: draw.pick(['1Gi', '2Gi', '4Gi']) } },
      ...(chance(draw, 0.6) ? { storageClassName: draw.pick(['gold', 'silver']) } : {}),
      ...(chance(draw, 0.3) ? { volumeAttributesClassName: 'fast' } : {}),
    },
  }
}

/** Existing objects are sometimes changed or deleted. `made` are the objects that both servers have accepted. */
export function drawStep(draw: RandomStream, name: string, made: QuotaStep[]): QuotaStep {
  const old = made.length > 0 && chance(draw, 0.35) ? draw.pick(made) : undefined
  if (old === undefined) {
    const [group, resource, kind, make] = draw.pick(makers)
    const apiVersion = group.replace(/^apis?\//, '')
    return { method: 'POST', group, resource, name, body: { apiVersion, kind, metadata: { name }, ...make(draw) } }
  }
  const { group, resource } = old
  const at = { group, resource, name: old.name }
  if (resource === 'pods' && chance(draw, 0.5)) {
    if (chance(draw, 0.5))
      return { method: 'PATCH', ...at, subresource: 'status', body: { status: { phase: 'Succeeded' } } }
    return { method: 'PATCH', ...at, body: { spec: { activeDeadlineSeconds: 500 } } }
  }
  if (resource === 'services' && chance(draw, 0.6)) {
    return { method: 'PATCH', ...at, body: { spec: { type: draw.pick(['ClusterIP', 'NodePort', 'LoadBalancer']) } } }
  }
  made.splice(made.indexOf(old), 1)
  return { method: 'DELETE', ...at }
}
