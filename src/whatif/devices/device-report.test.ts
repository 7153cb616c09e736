import { describe, expect, it } from 'vitest'
import { reportDevices } from '../../api/device-report.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import { defaultSettings } from '../../controlplane/settings.ts'
import { createStore } from '../../store/memory-store.ts'
import { roomFor } from './device-room.ts'

const slice = (node: string, devices: readonly object[], generation = 1, name = node): KubeObject =>
  ({
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceSlice',
    metadata: { name, uid: name },
    spec: {
      driver: 'gpu.example.com',
      pool: { name: node, generation, resourceSliceCount: 1 },
      nodeName: node,
      devices,
    },
  }) as KubeObject

const claim = {
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceClaim',
  metadata: { name: 'web-gpu', namespace: 'default', uid: 'web-gpu' },
  spec: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu' } }] } },
  status: {
    allocation: { devices: { results: [{ request: 'gpu', driver: 'gpu.example.com', pool: 'n0', device: 'gpu-0' }] } },
    reservedFor: [{ resource: 'pods', name: 'web', uid: 'web' }],
  },
} as KubeObject

const broken = { key: 'example.com/broken', effect: 'NoSchedule', timeAdded: '2026-01-01T00:00:00Z' }

function objects(resource: string): readonly KubeObject[] {
  if (resource === 'resourceclaims.resource.k8s.io') return [claim]
  if (resource !== 'resourceslices.resource.k8s.io') return []
  return [
    slice('n0', [{ name: 'gpu-0' }, { name: 'gpu-1', taints: [broken] }]),
    slice('n1', [{ name: 'gpu-0' }, { name: 'gpu-1' }], 2),
    slice('n1', [{ name: 'gone' }], 1, 'n1-old'),
  ]
}

describe('the devices of a cluster', () => {
  it('lists the devices of a cluster with their holders, without devices of older generations', () => {
    const { devices, pools } = reportDevices(objects)
    expect(devices.map(({ pool, device, state, pods }) => [pool, device, state, pods.join()])).toEqual([
      ['n0', 'gpu-0', 'allocated', 'default/web'],
      ['n0', 'gpu-1', 'tainted', ''],
      ['n1', 'gpu-0', 'free', ''],
      ['n1', 'gpu-1', 'free', ''],
    ])
    expect(pools).toEqual([
      { driver: 'gpu.example.com', pool: 'n0', devices: 2, free: 0, tainted: 1 },
      { driver: 'gpu.example.com', pool: 'n1', devices: 2, free: 2, tainted: 0 },
    ])
  })

  it('a device of a cluster is blocked while other devices use its shared counters', () => {
    const consuming = (name: string, memory: string) => ({
      name,
      consumesCounters: [{ counterSet: 'all', counters: { memory: { value: memory } } }],
    })
    const sharedCounters = [{ name: 'all', counters: { memory: { value: '40Gi' } } }]
    const counted = slice('n0', [], 1, 'counters')
    const shared = {
      ...counted,
      spec: { ...(counted as unknown as { spec: object }).spec, sharedCounters },
    } as KubeObject
    const devices = slice('n0', [consuming('gpu-0', '20Gi'), consuming('half', '20Gi'), consuming('whole', '40Gi')])
    const report = reportDevices((resource) =>
      resource === 'resourceclaims.resource.k8s.io' ? [claim] : [shared, devices],
    )
    expect(report.devices.map(({ device, state }) => `${device} ${state}`)).toEqual([
      'gpu-0 allocated',
      'half free',
      'whole blocked',
    ])
    expect(report.pools).toMatchObject([{ devices: 3, free: 1 }])
  })

  it('the devices of a cluster have room for exactly the pods that the scheduler places', () => {
    const store = createStore()
    const add = (resource: string, object: KubeObject): void => {
      const { namespace, name } = object.metadata
      const key = namespace === undefined ? name : `${namespace}/${name}`
      store.commit([{ kind: 'create', resource, key, object }])
    }
    add('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default', uid: 'ns' } })
    for (const name of ['n0', 'n1']) {
      const allocatable = { cpu: '4', memory: '8Gi', pods: '10' }
      add('nodes', {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name, uid: name },
        spec: {},
        status: { allocatable, capacity: allocatable },
      } as KubeObject)
    }
    for (const resource of ['resourceslices.resource.k8s.io', 'resourceclaims.resource.k8s.io']) {
      for (const object of objects(resource)) add(resource, object)
    }
    add('deviceclasses.resource.k8s.io', {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'DeviceClass',
      metadata: { name: 'gpu', uid: 'gpu' },
      spec: {},
    } as KubeObject)
    const spec = {
      spec: {
        devices: {
          requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 } }],
        },
      },
    }
    add('resourceclaimtemplates.resource.k8s.io', {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaimTemplate',
      metadata: { name: 'one', namespace: 'default', uid: 'one' },
      spec,
    } as KubeObject)
    const room = roomFor(
      { namespace: 'default', name: 'one' },
      { store, settings: defaultSettings, startMs: Date.UTC(2026, 0, 1), limit: 100 },
    )
    expect(room).toMatchObject({ pods: 2, nodes: { n1: 2 } })
    expect(room.because).toContain('0/2 nodes are available: 2 cannot allocate all claims')
  })

  it('the devices of a cluster have room for more pods if pods that occupy parts of nodes move', () => {
    const store = createStore()
    const add = (resource: string, object: object): void => {
      const { namespace, name } = (object as KubeObject).metadata
      const key = namespace === undefined ? name : `${namespace}/${name}`
      store.commit([{ kind: 'create', resource, key, object: object as KubeObject }])
    }
    const allocatable = { cpu: '4', memory: '8Gi', pods: '10' }
    const requests = (count: number) => [
      { name: 'gpu', exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count } },
    ]
    const api = 'resource.k8s.io/v1'
    add('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default', uid: 'ns' } })
    add('deviceclasses.resource.k8s.io', {
      apiVersion: api,
      kind: 'DeviceClass',
      metadata: { name: 'gpu', uid: 'g' },
      spec: {},
    })
    for (const [name, count] of [
      ['one', 1],
      ['two', 2],
    ] as const) {
      const spec = { spec: { devices: { requests: requests(count) } } }
      const metadata = { name, namespace: 'default', uid: name }
      add('resourceclaimtemplates.resource.k8s.io', { apiVersion: api, kind: 'ResourceClaimTemplate', metadata, spec })
    }
    for (const node of ['n0', 'n1']) {
      const metadata = { name: node, uid: node }
      add('nodes', {
        apiVersion: 'v1',
        kind: 'Node',
        metadata,
        spec: {},
        status: { allocatable, capacity: allocatable },
      })
      add('resourceslices.resource.k8s.io', slice(node, [{ name: 'gpu-0' }, { name: 'gpu-1' }]))
      const [pod, claimName] = [`web-${node}`, `claim-${node}`]
      const owner = { apiVersion: 'v1', kind: 'Pod', name: pod, uid: pod, controller: true }
      const results = [{ request: 'gpu', driver: 'gpu.example.com', pool: node, device: 'gpu-0' }]
      add('resourceclaims.resource.k8s.io', {
        apiVersion: api,
        kind: 'ResourceClaim',
        metadata: {
          name: claimName,
          namespace: 'default',
          uid: claimName,
          ownerReferences: [owner],
          finalizers: ['resource.kubernetes.io/delete-protection'],
        },
        spec: { devices: { requests: requests(1) } },
        status: { allocation: { devices: { results } }, reservedFor: [{ resource: 'pods', name: pod, uid: pod }] },
      })
      add('pods', {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: pod, namespace: 'default', uid: pod },
        spec: {
          nodeName: node,
          schedulerName: 'default-scheduler',
          containers: [{ name: 'c', image: 'i' }],
          resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'one' }],
        },
        status: { phase: 'Running', resourceClaimStatuses: [{ name: 'gpu', resourceClaimName: claimName }] },
      })
    }
    const input = { store, settings: defaultSettings, startMs: Date.UTC(2026, 0, 1), limit: 10 }
    expect(roomFor({ namespace: 'default', name: 'two' }, input)).toMatchObject({
      pods: 0,
      ifMoved: { pods: 1, moved: ['default/web-n0'] },
    })
    expect(roomFor({ namespace: 'default', name: 'one' }, input)).not.toHaveProperty('ifMoved')
  })
})
