import { describe, expect, it } from 'vitest'
import type { ResourceQuota } from '../../api/objects/cluster.ts'
import type { JsonObject } from '../../api/objects/meta.ts'
import { WorkloadCluster } from '../workload-cluster.fixture.ts'
import { createResourceQuotaController } from './controller.ts'

function clusterWith(spec: JsonObject, objects: readonly (readonly [resource: string, object: object])[] = []) {
  const cluster = new WorkloadCluster({ controllers: [createResourceQuotaController()], kubelet: 'none' })
  for (const [resource, object] of objects) cluster.create(resource, object)
  cluster.create('resourcequotas', { metadata: { name: 'q', namespace: 'default' }, spec })
  cluster.settle()
  const send = (resource: string, object: { readonly metadata: JsonObject } & JsonObject) =>
    cluster.call({
      verb: 'create',
      resource,
      namespace: 'default',
      object: { ...object, metadata: { namespace: 'default', ...object.metadata } } as never,
    })
  const refusal = (resource: string, object: { readonly metadata: JsonObject } & JsonObject): string => {
    const outcome = send(resource, object)
    return outcome.ok ? 'accepted' : (outcome.status.message ?? '')
  }
  const used = () => (cluster.list('resourcequotas')[0] as ResourceQuota).status?.used
  return { cluster, refusal, used }
}

const pod = (name: string, resources: JsonObject = {}, more: JsonObject = {}) => ({
  metadata: { name, namespace: 'default' },
  spec: { containers: [{ name: 'c', image: 'i', resources }], ...more },
})

describe('a new quota', () => {
  it('writes the limits and the current usage into the status of a new quota', () => {
    const { cluster } = clusterWith({ hard: { pods: '2', 'requests.cpu': '1', 'count/configmaps': '5' } }, [
      ['pods', pod('a', { requests: { cpu: '100m' } })],
      ['configmaps', { metadata: { name: 'm', namespace: 'default' } }],
    ])
    expect(cluster.list('resourcequotas')[0]).toMatchObject({
      status: {
        hard: { pods: '2', 'requests.cpu': '1', 'count/configmaps': '5' },
        used: { pods: '1', 'requests.cpu': '100m', 'count/configmaps': '1' },
      },
    })
  })
})

describe('admission by quota', () => {
  it('charges created objects, and rejects objects above the quota with upstream’s message', () => {
    const { refusal, used } = clusterWith({ hard: { pods: '5', 'requests.cpu': '1', 'limits.memory': '1Gi' } })
    const resources = { requests: { cpu: '600m' }, limits: { memory: '512Mi' } }
    expect(refusal('pods', pod('a', resources))).toBe('accepted')
    expect(used()).toEqual({ pods: '1', 'requests.cpu': '600m', 'limits.memory': '512Mi' })
    expect(refusal('pods', pod('b', resources))).toBe(
      'pods "b" is forbidden: exceeded quota: q, requested: requests.cpu=600m, used: requests.cpu=600m, limited: requests.cpu=1',
    )
    expect(refusal('pods', pod('c'))).toBe(
      'pods "c" is forbidden: failed quota: q: must specify limits.memory for: c; requests.cpu for: c',
    )
    expect(used()).toEqual({ pods: '1', 'requests.cpu': '600m', 'limits.memory': '512Mi' })
  })

  it.each<[string, JsonObject, string, JsonObject & { readonly metadata: JsonObject }, string]>([
    [
      'requests of extended resources',
      { 'requests.example.com/gpu': '1' },
      'pods',
      pod('a', { limits: { 'example.com/gpu': '2' }, requests: { 'example.com/gpu': '2' } }),
      'requested: requests.example.com/gpu=2, used: requests.example.com/gpu=0, limited: requests.example.com/gpu=1',
    ],
    [
      'node ports',
      { 'services.nodeports': '1' },
      'services',
      {
        metadata: { name: 's' },
        spec: {
          type: 'NodePort',
          ports: [
            { name: 'a', port: 1 },
            { name: 'b', port: 2 },
          ],
        },
      },
      'requested: services.nodeports=2, used: services.nodeports=0, limited: services.nodeports=1',
    ],
    [
      'balancers',
      { 'services.loadbalancers': '0' },
      'services',
      { metadata: { name: 's' }, spec: { type: 'LoadBalancer', ports: [{ port: 1 }] } },
      'requested: services.loadbalancers=1, used: services.loadbalancers=0, limited: services.loadbalancers=0',
    ],
    [
      'storage of a storage class',
      { 'fast.storageclass.storage.k8s.io/requests.storage': '1Gi' },
      'persistentvolumeclaims',
      {
        metadata: { name: 'c' },
        spec: {
          storageClassName: 'fast',
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '2Gi' } },
        },
      },
      'requested: fast.storageclass.storage.k8s.io/requests.storage=2Gi, used: fast.storageclass.storage.k8s.io/requests.storage=0, limited: fast.storageclass.storage.k8s.io/requests.storage=1Gi',
    ],
    [
      'the number of objects of any kind',
      { 'count/deployments.apps': '0' },
      'deployments.apps',
      {
        metadata: { name: 'd' },
        spec: {
          selector: { matchLabels: { a: 'b' } },
          template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
        },
      },
      'requested: count/deployments.apps=1, used: count/deployments.apps=0, limited: count/deployments.apps=0',
    ],
  ])('limits %s by quota', (_, hard, resource, object, what) => {
    const { refusal } = clusterWith({ hard })
    const name = String(object.metadata['name'])
    expect(refusal(resource, object)).toBe(`${resource} "${name}" is forbidden: exceeded quota: q, ${what}`)
  })

  it.each<[string, JsonObject, JsonObject, boolean]>([
    ['Terminating includes pods with a deadline', { scopes: ['Terminating'] }, { activeDeadlineSeconds: 5 }, true],
    ['Terminating excludes other pods', { scopes: ['Terminating'] }, {}, false],
    ['NotTerminating includes pods without a deadline', { scopes: ['NotTerminating'] }, {}, true],
    ['BestEffort includes pods without requests', { scopes: ['BestEffort'] }, {}, true],
    ['NotBestEffort excludes pods without requests', { scopes: ['NotBestEffort'] }, {}, false],
    [
      'CrossNamespacePodAffinity includes pods with affinity terms for other namespaces',
      { scopes: ['CrossNamespacePodAffinity'] },
      {
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: 'zone', namespaces: ['other'], labelSelector: {} },
            ],
          },
        },
      },
      true,
    ],
    [
      'PriorityClass includes pods of the listed classes',
      { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] } },
      { priorityClassName: 'high' },
      true,
    ],
    [
      'PriorityClass excludes pods without a class',
      { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'Exists' }] } },
      {},
      false,
    ],
  ])('counts usage within the scope: %s', (_, scope, spec, isHeld) => {
    const high = { metadata: { name: 'high' }, value: 10 }
    const { refusal } = clusterWith({ hard: { pods: '0' }, ...scope }, [['priorityclasses.scheduling.k8s.io', high]])
    const said = refusal('pods', pod('a', {}, spec))
    expect(said).toBe(
      isHeld
        ? 'pods "a" is forbidden: exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0'
        : 'accepted',
    )
  })
})

describe('released usage', () => {
  it('releases the usage of a pod when it is deleted or finished', () => {
    const { cluster, refusal, used } = clusterWith({ hard: { pods: '2', 'count/pods': '9' } })
    expect([refusal('pods', pod('a')), refusal('pods', pod('b'))]).toEqual(['accepted', 'accepted'])
    expect(used()).toEqual({ pods: '2', 'count/pods': '2' })
    cluster.must({ verb: 'delete', resource: 'pods', namespace: 'default', name: 'a' })
    cluster.settle()
    expect(used()).toEqual({ pods: '1', 'count/pods': '1' })
    const b = cluster.list('pods')[0]
    const over = { ...b, status: { phase: 'Succeeded' } } as never
    cluster.must({
      verb: 'update',
      resource: 'pods',
      namespace: 'default',
      name: 'b',
      subresource: 'status',
      object: over,
    })
    cluster.settle()
    expect(used()).toEqual({ pods: '0', 'count/pods': '1' })
  })

  it('releases the ports of a service when its type changes', () => {
    const { cluster, refusal, used } = clusterWith({ hard: { services: '2', 'services.nodeports': '2' } })
    const service = { metadata: { name: 's' }, spec: { type: 'NodePort', ports: [{ port: 1 }] } }
    expect(refusal('services', service)).toBe('accepted')
    expect(used()).toEqual({ services: '1', 'services.nodeports': '1' })
    const patch = { kind: 'merge', patch: { spec: { type: 'ClusterIP' } } } as const
    cluster.must({ verb: 'patch', resource: 'services', namespace: 'default', name: 's', patch })
    cluster.settle()
    expect(used()).toEqual({ services: '1', 'services.nodeports': '0' })
  })

  it('releases the usage of a pod that is no longer in the scope of the quota', () => {
    const { cluster, refusal, used } = clusterWith({ hard: { pods: '2' }, scopes: ['NotTerminating'] })
    expect(refusal('pods', pod('a'))).toBe('accepted')
    expect(used()).toEqual({ pods: '1' })
    const patch = { kind: 'merge', patch: { spec: { activeDeadlineSeconds: 60 } } } as const
    cluster.must({ verb: 'patch', resource: 'pods', namespace: 'default', name: 'a', patch })
    cluster.settle()
    expect(used()).toEqual({ pods: '0' })
  })

  it('charges and releases resource claims and the devices of each class', () => {
    const devices = 'gold.deviceclass.resource.k8s.io/devices'
    const { cluster, refusal, used } = clusterWith({
      hard: { 'count/resourceclaims.resource.k8s.io': '2', [devices]: '40' },
    })
    const claim = (name: string, ...requests: readonly JsonObject[]) => ({
      apiVersion: 'resource.k8s.io/v1',
      metadata: { name },
      spec: { devices: { requests: requests.map((request, i) => ({ name: `r${i}`, ...request })) } },
    })
    const exactly = { deviceClassName: 'gold', count: 3 }
    const firstAvailable = [
      { name: 'a', deviceClassName: 'gold', count: 2 },
      { name: 'b', deviceClassName: 'gold', count: 4 },
    ]
    expect(refusal('resourceclaims.resource.k8s.io', claim('a', { exactly }, { firstAvailable }))).toBe('accepted')
    expect(used()).toEqual({ 'count/resourceclaims.resource.k8s.io': '1', [devices]: '7' })
    const all = { exactly: { deviceClassName: 'gold', allocationMode: 'All' } }
    expect(refusal('resourceclaims.resource.k8s.io', claim('b', all, { exactly }))).toBe(
      `resourceclaims.resource.k8s.io "b" is forbidden: exceeded quota: q, requested: ${devices}=35, used: ${devices}=7, limited: ${devices}=40`,
    )
    cluster.must({ verb: 'delete', resource: 'resourceclaims.resource.k8s.io', namespace: 'default', name: 'a' })
    cluster.settle()
    expect(used()).toEqual({ 'count/resourceclaims.resource.k8s.io': '0', [devices]: '0' })
  })
})

describe('kinds that are counted only if a quota limits them', () => {
  const widget = {
    ...{ resource: 'widgets.example.com', group: 'example.com', version: 'v1', kind: 'Widget' },
    ...{ namespaced: true, verbs: ['list', 'watch'], storage: 'widgets.example.com' },
  }
  const definition = {
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  }
  const limit = { metadata: { name: 'q', namespace: 'default' }, spec: { hard: { 'count/widgets.example.com': '5' } } }

  it.each(['before', 'after'])(
    'kinds that are counted only if a quota limits them are released when they are deleted; the quota is %s the definition',
    (order) => {
      const controllers = [createResourceQuotaController({ kinds: () => [widget] })]
      const cluster = new WorkloadCluster({ controllers, kubelet: 'none' })
      if (order === 'before') cluster.create('resourcequotas', limit)
      cluster.settle()
      cluster.create('customresourcedefinitions.apiextensions.k8s.io', definition)
      const make = (name: string) => {
        cluster.create('widgets.example.com', { metadata: { name, namespace: 'default' } })
        cluster.settle()
      }
      if (order === 'after') {
        make('early')
        cluster.create('resourcequotas', limit)
        cluster.settle()
      } else make('early')
      const used = () => (cluster.list('resourcequotas')[0] as ResourceQuota).status?.used
      expect(used()).toEqual({ 'count/widgets.example.com': '1' })
      make('late')
      expect(used()).toEqual({ 'count/widgets.example.com': '2' })
      cluster.call({ verb: 'delete', resource: 'widgets.example.com', namespace: 'default', name: 'early' })
      cluster.settle()
      expect(used()).toEqual({ 'count/widgets.example.com': '1' })
    },
  )
})
