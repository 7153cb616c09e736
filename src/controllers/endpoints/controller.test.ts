import { describe, expect, it } from 'vitest'
import type { EndpointSlice, Endpoints } from '../../api/objects/endpoints.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import { WorkloadCluster } from '../workload-cluster.fixture.ts'
import { createEndpointSliceController, createEndpointSliceMirroring, createEndpointsController } from './controller.ts'

function cluster() {
  const running = new WorkloadCluster({
    nodes: ['node'],
    kubelet: 'none',
    controllers: [createEndpointsController(), createEndpointSliceController(), createEndpointSliceMirroring()],
  })
  const create = (resource: string, object: object) => {
    const outcome = running.call({ verb: 'create', resource, namespace: 'default', object: object as KubeObject })
    if (!outcome.ok) throw new Error(outcome.status.message)
    running.driver.settle()
  }
  const pod = (name: string, ip: string, ready = true, labels: object = { app: 'web' }) => {
    create('pods', {
      metadata: { name, labels },
      spec: {
        nodeName: 'node',
        containers: [{ name: 'c', image: 'i', ports: [{ name: 'http', containerPort: 8080 }] }],
      },
    })
    const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: '2026-01-01T00:00:10Z' }]
    const status = { phase: 'Running', podIP: ip, podIPs: [{ ip }], conditions }
    const patch = { kind: 'merge', patch: { status } } as never
    running.call({ verb: 'patch', resource: 'pods', namespace: 'default', name, subresource: 'status', patch })
    running.driver.settle()
  }
  const remove = (resource: string, name: string) => {
    running.call({ verb: 'delete', resource, namespace: 'default', name, options: { gracePeriodSeconds: 0 } })
    running.driver.settle()
  }
  const list = (resource: string) => {
    const outcome = running.call({ verb: 'list', resource, namespace: 'default' })
    return (outcome as { items: readonly KubeObject[] }).items
  }
  return {
    create,
    pod,
    remove,
    endpoints: () => list('endpoints') as readonly Endpoints[],
    slices: () => list('endpointslices.discovery.k8s.io') as readonly EndpointSlice[],
  }
}

const service = (more: object = {}) => ({
  metadata: { name: 'web', labels: { tier: 'front' } },
  spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort: 'http' }], ...more },
})

describe('the endpoints of a service', () => {
  it('creates empty Endpoints and a slice without endpoints for a service without pods', () => {
    const { create, endpoints, slices } = cluster()
    create('services', service())
    expect(endpoints()[0]?.subsets).toBeUndefined()
    expect(endpoints()[0]?.metadata.labels).toEqual({
      tier: 'front',
      'endpoints.kubernetes.io/managed-by': 'endpoint-controller',
    })
    expect(slices()).toMatchObject([{ addressType: 'IPv4', endpoints: null }])
    expect(slices()[0]?.metadata).toMatchObject({
      generateName: 'web-',
      labels: {
        tier: 'front',
        'kubernetes.io/service-name': 'web',
        'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
      },
      ownerReferences: [{ kind: 'Service', name: 'web' }],
    })
  })

  it('the Endpoints of a service have the addresses of its pods and the number of the named port', () => {
    const { create, pod, endpoints, slices } = cluster()
    create('services', service())
    pod('b', '10.0.0.2', false)
    pod('a', '10.0.0.1')
    pod('other', '10.0.0.3', true, { app: 'db' })
    expect(endpoints()[0]?.subsets).toMatchObject([
      {
        addresses: [{ ip: '10.0.0.1', nodeName: 'node', targetRef: { kind: 'Pod', name: 'a' } }],
        notReadyAddresses: [{ ip: '10.0.0.2' }],
        ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
      },
    ])
    expect(slices()).toHaveLength(1)
    expect(slices()[0]).toMatchObject({
      ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
      endpoints: [
        { addresses: ['10.0.0.2'], conditions: { ready: false, serving: false, terminating: false } },
        { addresses: ['10.0.0.1'], conditions: { ready: true, serving: true, terminating: false } },
      ],
    })
  })

  it('removes the endpoint of a deleted pod, and the Endpoints of a deleted service', () => {
    const { create, pod, remove, endpoints, slices } = cluster()
    create('services', service())
    pod('a', '10.0.0.1')
    remove('pods', 'a')
    expect(endpoints()[0]?.subsets).toBeUndefined()
    expect(slices()).toMatchObject([{ endpoints: null }])
    remove('services', 'web')
    expect(endpoints()).toEqual([])
  })

  it('the slices of a service have at most a hundred endpoints each', () => {
    const { create, pod, slices } = cluster()
    for (let i = 0; i < 120; i++) pod(`p-${i}`, `10.0.1.${i}`)
    create('services', service())
    expect(
      slices()
        .map(({ endpoints }) => endpoints?.length)
        .sort(),
    ).toEqual([100, 20])
  })

  it('the endpoints of a service include pods that are not ready if the service publishes them', () => {
    const { create, pod, endpoints, slices } = cluster()
    create('services', service({ publishNotReadyAddresses: true, clusterIP: 'None' }))
    pod('a', '10.0.0.1', false)
    expect(endpoints()[0]?.subsets?.[0]?.addresses).toHaveLength(1)
    expect(endpoints()[0]?.metadata.labels).toHaveProperty(['service.kubernetes.io/headless'], '')
    expect(slices()[0]?.endpoints?.[0]?.conditions).toEqual({ ready: true, serving: false, terminating: false })
  })

  it('the Endpoints of a service have an annotation with the time of the change', () => {
    const { create, pod, endpoints } = cluster()
    create('services', service())
    const at = 'endpoints.kubernetes.io/last-change-trigger-time'
    expect(endpoints()[0]?.metadata.annotations?.[at]).toBe('2026-01-01T00:00:00Z')
    pod('a', '10.0.0.1')
    expect(endpoints()[0]?.metadata.annotations?.[at]).toBe('2026-01-01T00:00:10Z')
  })

  it('the endpoints of a service have hints for their zone if the service prefers close endpoints', () => {
    const { create, pod, slices } = cluster()
    create('services', service({ trafficDistribution: 'PreferSameNode' }))
    pod('a', '10.0.0.1')
    expect(slices()[0]?.endpoints?.[0]?.hints).toEqual({ forNodes: [{ name: 'node' }] })
  })
})

describe('Endpoints that a user writes', () => {
  const written = {
    metadata: { name: 'db', labels: { a: 'b' }, annotations: { note: 'x' } },
    subsets: [{ addresses: [{ ip: '10.1.2.3' }, { ip: '2001:db8::1' }], ports: [{ port: 5432, protocol: 'TCP' }] }],
  }

  it('Endpoints that a user writes are mirrored into a slice per address family, and the slices are deleted with them', () => {
    const { create, remove, slices } = cluster()
    create('services', { metadata: { name: 'db' }, spec: { ports: [{ port: 5432 }] } })
    create('endpoints', written)
    expect(slices()).toMatchObject([
      {
        addressType: 'IPv4',
        endpoints: [{ addresses: ['10.1.2.3'], conditions: { ready: true } }],
        ports: [{ name: '', port: 5432 }],
      },
      { addressType: 'IPv6', endpoints: [{ addresses: ['2001:db8::1'] }] },
    ])
    expect(slices()[0]?.metadata).toMatchObject({
      labels: { a: 'b', 'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io' },
      annotations: { note: 'x' },
      ownerReferences: [{ kind: 'Endpoints', name: 'db' }],
    })
    remove('endpoints', 'db')
    expect(slices()).toEqual([])
  })

  it('Endpoints that a user writes are not mirrored if a label disables it, or without a service', () => {
    const { create, slices } = cluster()
    create('endpoints', written)
    create('services', { metadata: { name: 'skipped' }, spec: { ports: [{ port: 1 }] } })
    create('endpoints', {
      ...written,
      metadata: { name: 'skipped', labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
    })
    expect(slices()).toEqual([])
  })
})

describe('Endpoints without a service', () => {
  const orphan = { metadata: { name: 'own' }, subsets: [{ addresses: [{ ip: '192.0.2.1' }] }] }

  it('Endpoints without a service are kept if they are created while the controller runs', () => {
    const { create, pod, endpoints } = cluster()
    create('services', service())
    create('endpoints', orphan)
    pod('a', '10.0.0.1')
    expect(endpoints().map(({ metadata }) => metadata.name)).toEqual(['own', 'web'])
  })
})
