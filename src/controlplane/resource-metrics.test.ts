import { describe, expect, it } from 'vitest'
import { keyOf } from '../api/object-key.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import { AnnotatedLoads } from '../autoscalers/horizontal-pod-autoscaler/annotated-load.ts'
import { LoadModel } from '../autoscalers/horizontal-pod-autoscaler/load.ts'
import type { Store } from '../store/contract.ts'
import { createStore } from '../store/memory-store.ts'
import { ResourceMetrics } from './resource-metrics.ts'

const wall = Date.parse('2026-01-01T12:00:05Z')
const owner = (kind: string, name: string) => ({
  ownerReferences: [{ apiVersion: 'apps/v1', kind, name, uid: name, controller: true }],
})

function pod(name: string, { annotations = {}, startTime = '2026-01-01T11:00:00Z', app = 'web' } = {}) {
  return {
    metadata: { name, namespace: 'default', uid: name, labels: { app }, annotations, ...owner('ReplicaSet', 'web-1') },
    spec: { nodeName: 'node-1', containers: [{ name: 'app' }, { name: 'sidecar' }] },
    status: { phase: 'Running', startTime, conditions: [{ type: 'Ready', status: 'True' }] },
  }
}

const metricsOf = (store: Store) =>
  new ResourceMetrics(store, new LoadModel([], 0, new AnnotatedLoads(store)), () => wall)

function storeOf(pods: readonly object[], load = 'cpu=3,memory=2Gi'): Store {
  const store = createStore()
  const objects: (readonly [string, object])[] = [
    ['nodes', { metadata: { name: 'node-1' } }],
    ['nodes', { metadata: { name: 'node-2' } }],
    ['deployments.apps', { metadata: { name: 'web', namespace: 'default', annotations: { 'berth.dev/load': load } } }],
    ['replicasets.apps', { metadata: { name: 'web-1', namespace: 'default', ...owner('Deployment', 'web') } }],
    ...pods.map((each) => ['pods', each] as const),
  ]
  store.commit(
    objects.map(([resource, object]) => ({
      kind: 'create',
      resource,
      key: keyOf(object as KubeObject),
      object: object as KubeObject,
    })),
  )
  return store
}

function server(pods: readonly object[], load?: string) {
  const metrics = metricsOf(storeOf(pods, load))
  return (path: string, method = 'GET') => {
    const response = metrics.answer({ method, path: `/apis/metrics.k8s.io/v1beta1${path}` })
    if (response.kind !== 'full') throw new Error(response.kind)
    return { code: response.code, body: JSON.parse(Buffer.from(response.body).toString()) }
  }
}

describe('metrics.k8s.io of hollow nodes', () => {
  it('shares the load of a Deployment between its ready pods', () => {
    const { body } = server([pod('web-a'), pod('web-b')])('/namespaces/default/pods')
    expect(body.kind).toBe('PodMetricsList')
    expect(body.items.map(({ metadata, containers }: never) => [metadata['name'], containers])).toEqual(
      ['web-a', 'web-b'].map((name) => [
        name,
        [
          { name: 'app', usage: { cpu: '1500000000n', memory: '1048576Ki' } },
          { name: 'sidecar', usage: { cpu: '0', memory: '0' } },
        ],
      ]),
    )
    expect(body.items[0]).toMatchObject({ timestamp: '2026-01-01T12:00:00Z', window: '15s' })
  })

  it('prefers the usage in the annotation of a pod', () => {
    const annotations = { 'kwok.x-k8s.io/usage-cpu': '250m', 'kwok.x-k8s.io/usage-memory': '64Mi' }
    const { body } = server([pod('web-a', { annotations })])('/namespaces/default/pods/web-a')
    expect(body.containers[0].usage).toEqual({ cpu: '250000000n', memory: '65536Ki' })
  })

  it('has no metrics of a pod without a load, or before its first sample', () => {
    expect(server([pod('web-a')], 'nonsense')('/pods').body.items).toEqual([])
    expect(server([pod('web-a', { startTime: '2026-01-01T11:59:55Z' })])('/pods').body.items).toEqual([])
  })

  it('adds the usage of the pods of a node, and selects by label', () => {
    const ask = server([pod('web-a'), pod('web-b', { app: 'other' })])
    expect(ask('/nodes').body.items.map(({ usage }: never) => usage)).toEqual([
      { cpu: '3000000000n', memory: '2097152Ki' },
      { cpu: '0', memory: '0' },
    ])
    expect(ask('/pods?labelSelector=app%3Dother').body.items).toHaveLength(1)
  })

  it.each([
    ['', 'GET', 200],
    ['/nodes/node-3', 'GET', 404],
    ['/namespaces/default/pods/web-z', 'GET', 404],
    ['/services', 'GET', 404],
    ['/pods?labelSelector=%21%21', 'GET', 400],
    ['/nodes', 'DELETE', 405],
  ])('responds to %s %s with %i', (path, method, code) => {
    expect(server([])(path, method).code).toBe(code)
  })

  it('reports the usage of nodes with a load, and of no other nodes', () => {
    const usage = metricsOf(storeOf([pod('web-a'), pod('web-b')])).nodeUsage()
    expect([...usage]).toEqual([['node-1', { cpuMilli: 3000, memoryBytes: 2 * 1024 ** 3 }]])
  })
})
