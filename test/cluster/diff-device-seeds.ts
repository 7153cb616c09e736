import type { Json, JsonObject } from '../../src/api/objects/meta.ts'
import { atLeast } from '../../src/api/releases/at-least.ts'
import type { KubernetesRelease } from '../../src/api/releases/kubernetes-release.ts'
import type { Seed } from './diff-seeds.ts'
import { clusterRelease } from './real-parts.ts'

const apiVersion = 'resource.k8s.io/v1'

const request: JsonObject = {
  deviceClassName: 'gpu.example.com',
  selectors: [{ cel: { expression: 'device.driver == "gpu.example.com"' } }],
  allocationMode: 'ExactCount',
  count: 2,
  tolerations: [
    { key: 'example.com/unhealthy', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 },
    { key: 'slow', operator: 'Equal', value: 'yes' },
  ],
  capacity: { requests: { 'gpu.example.com/memory': '10Gi' } },
}

const claimSpec: JsonObject = {
  devices: {
    requests: [
      { name: 'gpu', exactly: request },
      { name: 'all', exactly: { deviceClassName: 'gpu.example.com', allocationMode: 'All', adminAccess: false } },
      {
        name: 'any',
        firstAvailable: [
          { name: 'big', ...request },
          { name: 'small', deviceClassName: 'nic.example.com' },
        ],
      },
    ],
    constraints: [
      { requests: ['gpu', 'any/big'], matchAttribute: 'gpu.example.com/numa' },
      { distinctAttribute: 'gpu.example.com/serial' },
    ],
    config: [{ requests: ['gpu'], opaque: { driver: 'gpu.example.com', parameters: { kind: 'Config', share: true } } }],
  },
}

const shareID = '6c0b8a5e-7d4b-4f0e-9a75-3f2f2e6a1b10'

const allocation: JsonObject = {
  devices: {
    results: [
      {
        request: 'gpu',
        driver: 'gpu.example.com',
        pool: 'node-1',
        device: 'gpu-0',
        bindingConditions: ['example.com/ready'],
        bindingFailureConditions: ['example.com/failed'],
        shareID,
        consumedCapacity: { 'gpu.example.com/memory': '10Gi' },
        tolerations: [{ key: 'slow', operator: 'Exists' }],
      },
      { request: 'any/big', driver: 'gpu.example.com', pool: 'pool/a', device: 'gpu-1', adminAccess: false },
    ],
    config: [
      { source: 'FromClass', opaque: { driver: 'gpu.example.com', parameters: { a: 1 } } },
      { source: 'FromClaim', requests: ['gpu'], opaque: { driver: 'gpu.example.com', parameters: { b: 'x' } } },
    ],
  },
  nodeSelector: {
    nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }] }],
  },
  allocationTimestamp: '2026-01-01T00:00:00Z',
}

const claimStatus: JsonObject = {
  allocation,
  reservedFor: [{ resource: 'pods', name: 'web', uid: 'a1' }],
  devices: [
    {
      driver: 'gpu.example.com',
      pool: 'node-1',
      device: 'gpu-0',
      shareID,
      conditions: [
        {
          type: 'example.com/ready',
          status: 'True',
          reason: 'Attached',
          message: '',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
      data: { port: 1 },
      networkData: {
        interfaceName: 'eth0',
        ips: ['10.0.0.1/24', '2001:db8::1/64'],
        hardwareAddress: '02:00:00:00:00:01',
      },
    },
  ],
}

const device: JsonObject = {
  name: 'gpu-0',
  attributes: {
    model: { string: 'a100' },
    'gpu.example.com/numa': { int: 0 },
    ecc: { bool: true },
    driverVersion: { version: '1.2.3-beta+4' },
  },
  capacity: {
    memory: {
      value: '80Gi',
      requestPolicy: { default: '10Gi', validRange: { min: '10Gi', max: '40Gi', step: '10Gi' } },
    },
    cores: { value: '8', requestPolicy: { default: '2', validValues: ['1', '2', '4'] } },
    'gpu.example.com/bandwidth': { value: '100' },
  },
  allowMultipleAllocations: true,
  taints: [{ key: 'example.com/unhealthy', value: 'yes', effect: 'NoSchedule', timeAdded: '2026-01-01T00:00:00Z' }],
  bindsToNode: true,
  bindingConditions: ['example.com/ready'],
  bindingFailureConditions: ['example.com/failed'],
  consumesCounters: [{ counterSet: 'set', counters: { memory: { value: '10Gi' } } }],
}

const pool: JsonObject = { name: 'node-1', generation: 1, resourceSliceCount: 2 }

const sharedCounters = [{ name: 'set', counters: { memory: { value: '80Gi' }, cores: { value: '8' } } }]
// In v1.34 a device uses the counters of its slice.
const ownCounters = atLeast(clusterRelease, '1.35') ? {} : { sharedCounters }

/** Objects of resource.k8s.io, with every field that has a rule. */
export const deviceSeeds: readonly Seed[] = [
  {
    resource: 'deviceclasses.resource.k8s.io',
    object: {
      apiVersion,
      kind: 'DeviceClass',
      metadata: { name: 'gpu.example.com' },
      spec: {
        selectors: [{ cel: { expression: 'device.attributes["gpu.example.com"].model == "a100"' } }],
        config: [{ opaque: { driver: 'gpu.example.com', parameters: { kind: 'Config' } } }],
        extendedResourceName: 'example.com/gpu',
      },
    },
  },
  {
    resource: 'resourceclaims.resource.k8s.io',
    object: { apiVersion, kind: 'ResourceClaim', metadata: { name: 'free' }, spec: claimSpec },
    statuses: [claimStatus],
  },
  {
    resource: 'resourceclaims.resource.k8s.io',
    object: { apiVersion, kind: 'ResourceClaim', metadata: { name: 'allocated' }, spec: claimSpec },
    status: claimStatus,
    statuses: [claimStatus],
  },
  {
    resource: 'resourceclaimtemplates.resource.k8s.io',
    object: {
      apiVersion,
      kind: 'ResourceClaimTemplate',
      metadata: { name: 'template' },
      spec: { metadata: { labels: { app: 'web' }, annotations: { a: 'b' } }, spec: claimSpec },
    },
  },
  {
    resource: 'resourceslices.resource.k8s.io',
    object: {
      apiVersion,
      kind: 'ResourceSlice',
      metadata: { name: 'node-1-gpu' },
      spec: {
        driver: 'gpu.example.com',
        pool,
        nodeName: 'node-1',
        ...ownCounters,
        devices: [device, { name: 'gpu-1' }],
      },
    },
  },
  {
    resource: 'resourceslices.resource.k8s.io',
    object: {
      apiVersion,
      kind: 'ResourceSlice',
      metadata: { name: 'counters' },
      spec: {
        driver: 'gpu.example.com',
        pool,
        nodeSelector: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }],
        },
        sharedCounters,
      },
    },
  },
  {
    resource: 'resourceslices.resource.k8s.io',
    object: {
      apiVersion,
      kind: 'ResourceSlice',
      metadata: { name: 'network' },
      spec: {
        driver: 'nic.example.com',
        pool: { name: 'net/a', generation: 0, resourceSliceCount: 1 },
        perDeviceNodeSelection: true,
        devices: [
          { name: 'nic-0', nodeName: 'node-1' },
          { name: 'nic-1', allNodes: true },
          {
            name: 'nic-2',
            nodeSelector: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'Exists' }] }] },
          },
        ],
      },
    },
  },
]

/** The seeds that a server with these gates accepts. */
export function deviceSeedsOf({ gates, minor }: KubernetesRelease): readonly Seed[] {
  const isAccepted = ({ object }: Seed): boolean =>
    gates.has('DRAPartitionableDevices') || !Object.hasOwn(object['spec'] as JsonObject, 'perDeviceNodeSelection')
  const seeds = deviceSeeds.filter(isAccepted)
  if (gates.has('DRAConsumableCapacity') || minor === '1.34') return seeds
  return seeds.map((seed) => ({ ...seed, object: withoutDistinct(seed.object) as JsonObject }))
}

/** A constraint whose only attribute is dropped is invalid; v1.34 does not drop it. */
function withoutDistinct(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  const isDistinct = (one: Json): boolean => JSON.stringify(Object.keys(one ?? {})) === '["distinctAttribute"]'
  if (Array.isArray(value)) return value.filter((one) => !isDistinct(one)).map(withoutDistinct)
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutDistinct(one as Json)]))
}
