import { describe, expect, it } from 'vitest'
import type { Device, ResourceClaim } from '../../../api/objects/devices.ts'
import { createResourceClaimController } from '../../../controllers/resource-claim/controller.ts'
import { WorkloadCluster } from '../../../controllers/workload-cluster.fixture.ts'
import { createScheduler } from '../../scheduler.ts'

const driver = 'gpu.example.com'
const claims = 'resourceclaims.resource.k8s.io'

/** A scheduler with a driver that publishes slices, and no kubelets. */
class DeviceCluster extends WorkloadCluster {
  constructor() {
    super({ controllers: [createScheduler(), createResourceClaimController()], kubelet: 'none' })
    this.create('deviceclasses.resource.k8s.io', {
      metadata: { name: 'gpu' },
      spec: {
        selectors: [{ cel: { expression: `device.driver == "${driver}"` } }],
        extendedResourceName: 'example.com/gpu',
      },
    })
  }

  addDeviceNode(name: string, devices: readonly Device[]): void {
    const amounts = { cpu: '64', memory: '64Gi', pods: '110' }
    this.create('nodes', { metadata: { name }, status: { allocatable: amounts, capacity: amounts } })
    this.patch('nodes', name, { spec: { taints: null } })
    this.publish(name, devices)
  }

  publish(node: string, devices: readonly Device[], generation = 1): void {
    this.create('resourceslices.resource.k8s.io', {
      metadata: { name: `${node}-${generation}` },
      spec: { driver, nodeName: node, pool: { name: node, generation, resourceSliceCount: 1 }, devices },
    })
  }

  addClaim(name: string, more: object = {}): void {
    const exactly = { deviceClassName: 'gpu', ...more }
    this.create(claims, {
      metadata: { name, namespace: 'default' },
      spec: { devices: { requests: [{ name: 'req', exactly }] } },
    })
  }

  addPod(name: string, claim: string | undefined, requests: object = {}): void {
    const resources = { requests: { cpu: '100m', ...requests }, limits: requests }
    this.create('pods', {
      metadata: { name, namespace: 'default' },
      spec: {
        containers: [{ name: 'c', image: 'i', resources }],
        ...(claim === undefined ? {} : { resourceClaims: [{ name: 'd', resourceClaimName: claim }] }),
      },
    })
  }

  nodeOf(name: string): string {
    return this.get('pods', `default/${name}`)?.spec.nodeName ?? '-'
  }

  messageOf(name: string): string | undefined {
    const conditions = this.get('pods', `default/${name}`)?.status?.conditions
    return conditions?.find(({ type }) => type === 'PodScheduled')?.message
  }

  claim(name: string): ResourceClaim {
    return this.get(claims, `default/${name}`) as ResourceClaim
  }

  devicesOf(name: string): readonly string[] {
    return (this.claim(name).status?.allocation?.devices?.results ?? []).map(({ pool, device }) => `${pool}/${device}`)
  }

  updateStatus(name: string, status: (before: ResourceClaim['status']) => ResourceClaim['status']): void {
    const before = this.claim(name)
    const object = { ...before, status: status(before.status) }
    this.must({ verb: 'update', resource: claims, namespace: 'default', name, subresource: 'status', object })
  }
}

describe('DynamicResources', () => {
  it('writes finalizer, allocation and reservation before it binds the pod', () => {
    const c = new DeviceCluster()
    c.addDeviceNode('n1', [{ name: 'gpu-0' }])
    c.addClaim('a')
    c.addPod('p', 'a')
    c.settle()
    expect(c.nodeOf('p')).toBe('n1')
    const { metadata, status } = c.claim('a')
    expect(metadata.finalizers).toEqual(['resource.kubernetes.io/delete-protection'])
    expect(status?.reservedFor).toMatchObject([{ resource: 'pods', name: 'p' }])
    expect(status?.allocation).toMatchObject({
      devices: { results: [{ request: 'req', driver, pool: 'n1', device: 'gpu-0' }] },
      nodeSelector: { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', values: ['n1'] }] }] },
    })
    expect(status?.allocation?.allocationTimestamp).toBeDefined()
  })

  it('allocates each device to one claim, and the next pod waits until a device is deallocated', () => {
    const c = new DeviceCluster()
    c.addDeviceNode('n1', [{ name: 'gpu-0' }, { name: 'gpu-1' }])
    for (const name of ['a', 'b', 'c']) {
      c.addClaim(name)
      c.addPod(`pod-${name}`, name)
    }
    c.settle()
    const placed = ['a', 'b', 'c'].filter((name) => c.nodeOf(`pod-${name}`) === 'n1')
    expect(placed.flatMap((name) => c.devicesOf(name)).toSorted()).toEqual(['n1/gpu-0', 'n1/gpu-1'])
    const [waiting = ''] = ['a', 'b', 'c'].filter((name) => !placed.includes(name))
    expect(c.messageOf(`pod-${waiting}`)).toBe(
      '0/1 nodes are available: 1 cannot allocate all claims. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
    )
    c.delete('pods', `default/pod-${placed[0]}`, { gracePeriodSeconds: 0 })
    c.updateStatus(placed[0] ?? '', () => ({}))
    c.advance(30_000)
    expect(c.nodeOf(`pod-${waiting}`)).toBe('n1')
  })

  it('places pods that share a claim on the node of its devices', () => {
    const c = new DeviceCluster()
    c.addDeviceNode('n1', [])
    c.addDeviceNode('n2', [{ name: 'gpu-0' }])
    c.addClaim('a')
    for (const name of ['p', 'q', 'r']) c.addPod(name, 'a')
    c.advance(30_000)
    expect(['p', 'q', 'r'].map((name) => c.nodeOf(name))).toEqual(['n2', 'n2', 'n2'])
    expect(c.claim('a').status?.reservedFor).toHaveLength(3)
  })

  it('keeps a pod out of the queue until its claim exists', () => {
    const c = new DeviceCluster()
    c.addDeviceNode('n1', [{ name: 'gpu-0' }])
    c.addPod('p', 'late')
    c.settle()
    expect(c.nodeOf('p')).toBe('-')
    c.addClaim('late')
    c.settle()
    expect(c.nodeOf('p')).toBe('n1')
  })

  it('creates a claim for extended resources of a device class, and lists it in the status of the pod', () => {
    const c = new DeviceCluster()
    c.addDeviceNode('n1', [{ name: 'gpu-0' }, { name: 'gpu-1' }])
    c.addPod('p', undefined, { 'example.com/gpu': '2' })
    c.settle()
    expect(c.nodeOf('p')).toBe('n1')
    const { extendedResourceClaimStatus } = c.get('pods', 'default/p')?.status ?? {}
    expect(extendedResourceClaimStatus?.requestMappings).toEqual([
      { containerName: 'c', resourceName: 'example.com/gpu', requestName: 'container-0-request-1' },
    ])
    const name = extendedResourceClaimStatus?.resourceClaimName ?? ''
    expect(name).toMatch(/^p-extended-resources-/)
    expect(c.devicesOf(name)).toEqual(['n1/gpu-0', 'n1/gpu-1'])
  })

  it('deallocates a claim that is not available where the pod can run, and allocates it again', () => {
    const c = new DeviceCluster()
    c.addDeviceNode('n1', [{ name: 'gpu-0' }])
    c.addDeviceNode('n2', [{ name: 'gpu-0' }])
    c.addClaim('a')
    c.addPod('p', 'a')
    c.settle()
    const node = c.nodeOf('p')
    c.delete('pods', 'default/p', { gracePeriodSeconds: 0 })
    c.updateStatus('a', (status) => ({ ...status, reservedFor: [] }))
    c.patch('nodes', node, { spec: { unschedulable: true } })
    c.addPod('q', 'a')
    c.advance(60_000)
    expect(c.nodeOf('q')).toBe(node === 'n1' ? 'n2' : 'n1')
    expect(c.devicesOf('a')).toEqual([`${c.nodeOf('q')}/gpu-0`])
  })

  describe('with binding conditions', () => {
    const device: Device = { name: 'gpu-0', bindingConditions: ['Attached'], bindingFailureConditions: ['Failed'] }
    const condition = (type: string) => ({
      driver,
      pool: 'n1',
      device: 'gpu-0',
      conditions: [
        { type, status: 'True' as const, reason: 'R', message: 'm', lastTransitionTime: '2026-01-01T00:00:00Z' },
      ],
    })

    it('binds the pod after the binding conditions of its device are met', () => {
      const c = new DeviceCluster()
      c.addDeviceNode('n1', [device])
      c.addClaim('a')
      c.addPod('p', 'a')
      c.advance(20_000)
      expect(c.nodeOf('p')).toBe('-')
      expect(c.devicesOf('a')).toEqual(['n1/gpu-0'])
      c.updateStatus('a', (status) => ({ ...status, devices: [condition('Attached')] }))
      c.advance(6_000)
      expect(c.nodeOf('p')).toBe('n1')
    })

    it('rejects the pod when its device reports a binding failure condition', () => {
      const c = new DeviceCluster()
      c.addDeviceNode('n1', [device])
      c.addClaim('a')
      c.addPod('p', 'a')
      c.advance(10_000)
      c.updateStatus('a', (status) => ({ ...status, devices: [condition('Failed')] }))
      c.advance(5_000)
      expect(c.messageOf('p')).toContain('device binding failed: claim=a, reason=R, message="m"')
    })

    it('rejects the pod when its device is not ready after ten minutes', () => {
      const c = new DeviceCluster()
      c.addDeviceNode('n1', [device])
      c.addClaim('a')
      c.addPod('p', 'a')
      c.advance(601_000)
      expect(c.messageOf('p')).toContain('device binding timeout')
    })
  })

  it('reports "not found" when an earlier plugin rejected the pod for all nodes', () => {
    const c = new DeviceCluster()
    c.addDeviceNode('n1', [])
    c.create('pods', {
      metadata: { name: 'p', namespace: 'default' },
      spec: {
        containers: [{ name: 'c', image: 'i' }],
        volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'missing' } }],
      },
    })
    c.settle()
    expect(c.messageOf('p')).toBe('0/1 nodes are available: persistentvolumeclaim "missing" not found. not found')
  })

  it('does not allocate a device that a DeviceTaintRule taints, and retries when the rule is deleted', () => {
    const c = new DeviceCluster()
    c.addDeviceNode('n1', [{ name: 'gpu-0' }, { name: 'gpu-1' }])
    const rules = 'devicetaintrules.resource.k8s.io'
    const taint = { key: 'example.com/broken', effect: 'NoSchedule' }
    const rule = (name: string, deviceSelector: object) =>
      c.create(rules, { metadata: { name }, spec: { deviceSelector, taint } })
    rule('first', { driver, pool: 'n1', device: 'gpu-0' })
    rule('other', { driver: 'other.example.com' })
    for (const name of ['a', 'b', 'd']) c.addClaim(name, name === 'd' ? { tolerations: [{ operator: 'Exists' }] } : {})
    c.addPod('one', 'a')
    c.settle()
    expect(c.devicesOf('a')).toEqual(['n1/gpu-1'])
    c.addPod('two', 'b')
    c.settle()
    expect(c.messageOf('two')).toContain('1 cannot allocate all claims')
    c.delete(rules, 'first')
    c.advance(2000)
    expect(c.devicesOf('b')).toEqual(['n1/gpu-0'])
    c.publish('n1', [{ name: 'gpu-2' }], 2)
    rule('all', {})
    c.addPod('three', 'd')
    c.settle()
    expect(c.devicesOf('d')).toEqual(['n1/gpu-2'])
  })
})
