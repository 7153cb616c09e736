import { describe, expect, it } from 'vitest'
import type { ResourceSlice } from '../api/objects/devices.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import { createHollowDevices } from '../controllers/hollow-devices/controller.ts'
import { WorkloadCluster } from '../controllers/workload-cluster.fixture.ts'
import { hollowDevices } from './hollow-devices.ts'
import { hollowNodes } from './hollow-nodes.ts'

const template = {
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceSlice',
  metadata: { name: 'gpus' },
  spec: {
    driver: 'gpu.example.com',
    devices: [
      { name: 'gpu-0', bindingConditions: ['example.com/attached'], bindingFailureConditions: ['example.com/failed'] },
    ],
  },
} as unknown as KubeObject

describe('hollow devices', () => {
  it('a slice that names no nodes creates hollow devices for every node', () => {
    const made = hollowDevices([template], hollowNodes(2))
    expect(made.map(({ object }) => [object.metadata.name, (object as ResourceSlice).spec.nodeName])).toEqual([
      ['node-1-gpus', 'node-1'],
      ['node-2-gpus', 'node-2'],
    ])
    const pools = made.map(({ object }) => (object as ResourceSlice).spec.pool)
    expect(pools).toContainEqual({ name: 'node-2', generation: 1, resourceSliceCount: 1 })
  })

  it('a file with other kinds of objects is refused', () => {
    const pod = { kind: 'Pod', metadata: { name: 'web' } }
    expect(() => hollowDevices([pod], [])).toThrow('Pod "web" is not a kind of devices')
  })

  it('the driver sets the binding conditions of hollow devices, and the devices are ready when a pod uses them', () => {
    const c = new WorkloadCluster({ controllers: [createHollowDevices()], kubelet: 'none', nodes: ['node-1'] })
    for (const { resource, object } of hollowDevices([template], hollowNodes(1))) c.create(resource, object)
    const claims = 'resourceclaims.resource.k8s.io'
    const spec = { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu' } }] } }
    c.create(claims, { metadata: { name: 'gpu', namespace: 'default' }, spec })
    const pod = c.create('pods', {
      metadata: { name: 'web', namespace: 'default' },
      spec: {
        containers: [{ name: 'c', image: 'i' }],
        resourceClaims: [{ name: 'gpu', resourceClaimName: 'gpu' }],
      },
    })
    const results = [
      {
        request: 'gpu',
        driver: 'gpu.example.com',
        pool: 'node-1',
        device: 'gpu-0',
        bindingConditions: ['example.com/attached'],
        bindingFailureConditions: ['example.com/failed'],
      },
    ]
    const reservedFor = [{ resource: 'pods', name: 'web', uid: pod.metadata.uid }]
    c.patch(claims, 'default/gpu', { status: { allocation: { devices: { results } }, reservedFor } }, 'status')
    c.settle()
    const types = () =>
      c.get('resourceclaims.resource.k8s.io', 'default/gpu')?.status?.devices?.[0]?.conditions?.map(({ type }) => type)
    expect(types()).toEqual(['example.com/attached'])
    c.call({
      verb: 'create',
      resource: 'pods',
      namespace: 'default',
      name: 'web',
      subresource: 'binding',
      object: {
        metadata: { name: 'web', namespace: 'default' },
        target: { kind: 'Node', name: 'node-1' },
      } as KubeObject,
    })
    c.settle()
    expect(types()).toEqual(['example.com/attached', 'Ready'])
  })
})
