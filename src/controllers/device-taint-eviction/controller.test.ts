import { describe, expect, it } from 'vitest'
import type { DeviceTaintRule } from '../../api/objects/devices.ts'
import { defaultRelease, withFeatureGates } from '../../api/releases/release-of.ts'
import { formatTime } from '../../api/time.ts'
import { must } from '../../base/result.ts'
import { WorkloadCluster } from '../workload-cluster.fixture.ts'
import { createDeviceTaintEviction, type PendingDeviceEviction } from './controller.ts'

const claimsResource = 'resourceclaims.resource.k8s.io'
const slicesResource = 'resourceslices.resource.k8s.io'
const rulesResource = 'devicetaintrules.resource.k8s.io'

class DeviceCluster extends WorkloadCluster {
  readonly controller: ReturnType<typeof createDeviceTaintEviction>

  constructor() {
    const controller = createDeviceTaintEviction({ hasRules: true })
    const release = must(withFeatureGates(defaultRelease, new Map([['DRADeviceTaintRules', true]])))
    super({ controllers: [controller], kubelet: 'none', nodes: ['node'], release })
    this.controller = controller
    this.create(slicesResource, {
      metadata: { name: 'slice' },
      spec: {
        driver: 'gpu.example.com',
        pool: { name: 'node', generation: 1, resourceSliceCount: 1 },
        nodeName: 'node',
        devices: [{ name: 'gpu-0' }, { name: 'gpu-1' }],
      },
    })
  }

  /** A pod on the node with a claim to a device. */
  use(name: string, device: string, tolerations: readonly object[] = []): void {
    const spec = { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu' } }] } }
    this.create(claimsResource, { metadata: { name, namespace: 'default' }, spec })
    const pod = this.create('pods', {
      metadata: { name, namespace: 'default' },
      spec: {
        nodeName: 'node',
        containers: [{ name: 'c', image: 'i' }],
        resourceClaims: [{ name: 'gpu', resourceClaimName: name }],
      },
    })
    const results = [{ request: 'gpu', driver: 'gpu.example.com', pool: 'node', device, tolerations }]
    const reservedFor = [{ resource: 'pods', name, uid: pod.metadata.uid }]
    this.patch(
      claimsResource,
      `default/${name}`,
      { status: { allocation: { devices: { results } }, reservedFor } },
      'status',
    )
  }

  taint(device: string, effect: string | undefined): void {
    const devices = ['gpu-0', 'gpu-1'].map((name) => ({
      name,
      ...(name === device && effect !== undefined
        ? { taints: [{ key: 'example.com/broken', effect, timeAdded: formatTime(this.now()) }] }
        : {}),
    }))
    this.patch(slicesResource, 'slice', { spec: { devices } })
  }

  isTerminating(name: string): boolean {
    return this.get('pods', `default/${name}`)?.metadata.deletionTimestamp !== undefined
  }

  countdowns(): readonly PendingDeviceEviction[] {
    return this.controller.inspect?.(this.now()) as readonly PendingDeviceEviction[]
  }
}

const tolerates = (seconds: number) => [
  { key: 'example.com/broken', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: seconds },
]

describe('a NoExecute taint of a device', () => {
  it('a NoExecute taint of a device evicts the pods that use the device, and no others', () => {
    const c = new DeviceCluster()
    c.use('web', 'gpu-0')
    c.use('other', 'gpu-1')
    c.settle()
    c.taint('gpu-0', 'NoExecute')
    c.settle()
    expect(c.isTerminating('web')).toBe(true)
    expect(c.isTerminating('other')).toBe(false)
    expect(c.events('web')).toEqual(['DeviceTaintManagerEviction: Marking for deletion'])
    expect(c.get('pods', 'default/web')?.status?.conditions).toContainEqual(
      expect.objectContaining({
        type: 'DisruptionTarget',
        reason: 'DeletionByDeviceTaintManager',
        message: 'Device Taint manager: deleting due to NoExecute taint',
      }),
    )
  })

  it('a NoExecute taint of a device waits for tolerationSeconds, and lists the countdown', () => {
    const c = new DeviceCluster()
    c.use('web', 'gpu-0', tolerates(60))
    c.settle()
    c.taint('gpu-0', 'NoExecute')
    c.advance(59_000)
    expect(c.isTerminating('web')).toBe(false)
    expect(c.countdowns()).toMatchObject([
      {
        pod: 'default/web',
        node: 'node',
        stage: 'counting',
        cause: 'device gpu.example.com/node/gpu-0 has taint example.com/broken:NoExecute',
      },
    ])
    c.advance(2_000)
    expect(c.isTerminating('web')).toBe(true)
    expect(c.countdowns()).toEqual([])
  })

  it('cancels the eviction with an event when the taint of a device is removed in time', () => {
    const c = new DeviceCluster()
    c.use('web', 'gpu-0', tolerates(60))
    c.settle()
    c.taint('gpu-0', 'NoExecute')
    c.advance(30_000)
    c.taint('gpu-0', undefined)
    c.advance(60_000)
    expect(c.isTerminating('web')).toBe(false)
    expect(c.events('web')).toEqual(['DeviceTaintManagerEviction: Cancelling deletion'])
  })

  it('a toleration without seconds tolerates a NoExecute taint of a device forever', () => {
    const c = new DeviceCluster()
    c.use('web', 'gpu-0', [{ operator: 'Exists', effect: 'NoExecute' }])
    c.taint('gpu-0', 'NoExecute')
    c.advance(600_000)
    expect(c.isTerminating('web')).toBe(false)
  })

  it('a taint of a device with another effect evicts no pod', () => {
    const c = new DeviceCluster()
    c.use('web', 'gpu-0')
    c.taint('gpu-0', 'NoSchedule')
    c.advance(1_000)
    expect(c.isTerminating('web')).toBe(false)
  })
})

describe('a DeviceTaintRule', () => {
  const rule = (effect: string) => ({
    metadata: { name: 'drain' },
    spec: {
      deviceSelector: { driver: 'gpu.example.com', device: 'gpu-0' },
      taint: { key: 'example.com/drain', effect },
    },
  })
  const condition = (c: DeviceCluster) => {
    const found = (c.get(rulesResource, 'drain') as DeviceTaintRule).status?.conditions?.[0]
    return `${found?.status} ${found?.reason}: ${found?.message}`
  }

  it('a DeviceTaintRule evicts the pods that use a selected device, and reports them', () => {
    const c = new DeviceCluster()
    c.use('web', 'gpu-0')
    c.use('other', 'gpu-1')
    c.settle()
    c.create(rulesResource, rule('NoExecute'))
    c.settle()
    expect(c.isTerminating('web')).toBe(true)
    expect(c.isTerminating('other')).toBe(false)
    c.delete('pods', 'default/web', { gracePeriodSeconds: 0 })
    c.advance(21_000)
    expect(condition(c)).toBe('False Completed: 1 pod evicted since starting the controller.')
  })

  it('a DeviceTaintRule with the effect None only counts the pods that it would evict', () => {
    const c = new DeviceCluster()
    c.use('web', 'gpu-0')
    c.settle()
    c.create(rulesResource, rule('None'))
    c.settle()
    expect(c.isTerminating('web')).toBe(false)
    expect(condition(c)).toBe(
      'False NoEffect: 1 published device selected. 1 allocated device selected. 1 pod would be evicted in 1 namespace if the effect was NoExecute. This information will not be updated again. Recreate the DeviceTaintRule to trigger an update.',
    )
  })
})
