import { describe, expect, it } from 'vitest'
import type { Device, DeviceRequest, ResourceClaim, ResourceSlice } from '../../api/objects/devices.ts'
import type { Node } from '../../api/objects/node.ts'
import { releaseOf } from '../../api/releases/release-of.ts'
import { must } from '../../base/result.ts'
import { deviceFeaturesOf } from './device-features.ts'
import { DeviceInventory } from './device-inventory.ts'

const driver = 'gpu.example.com'
const node: Node = { metadata: { name: 'n', labels: { zone: 'a' } } }
const features = deviceFeaturesOf(must(releaseOf('1.36')))

interface Words {
  readonly devices: readonly Device[]
  readonly requests: readonly DeviceRequest[]
  readonly spec?: Partial<ResourceSlice['spec']>
  readonly claim?: Partial<NonNullable<ResourceClaim['spec']['devices']>>
  readonly more?: readonly ResourceSlice[]
  readonly maxSteps?: number
}

const one = (name: string, more: object = {}): DeviceRequest => ({
  name,
  exactly: { deviceClassName: 'any', allocationMode: 'ExactCount', count: 1, ...more },
})
const numa = (name: string, int: number): Device => ({ name, attributes: { 'example.com/numa': { int } } })
const pool = (generation = 1, resourceSliceCount = 1) => ({ name: 'p', generation, resourceSliceCount })

/** The chosen devices by request, or the outcome. */
function outcome({ devices, requests, spec, claim, more = [], maxSteps = 10_000 }: Words): unknown {
  const inventory = new DeviceInventory(() => {})
  const slice: ResourceSlice = {
    metadata: { name: 's' },
    spec: { driver, nodeName: 'n', pool: pool(), devices, ...spec },
  }
  for (const each of [slice, ...more]) inventory.note('resourceslices.resource.k8s.io', undefined, each)
  inventory.note('deviceclasses.resource.k8s.io', undefined, { metadata: { name: 'any' }, spec: {} } as never)
  const wanted: ResourceClaim = {
    metadata: { name: 'c', namespace: 'default', uid: 'c' },
    spec: { devices: { requests, ...claim } },
  }
  const found = inventory.allocate({ node, claims: [wanted], features, maxSteps })
  if (found.kind !== 'allocated') return found.kind === 'error' ? found.message : found.kind
  return found.results[0]?.devices?.results?.map(({ request, device }) => `${request}=${device}`)
}

describe('allocate', () => {
  const cases: readonly [string, Words, unknown][] = [
    [
      'takes the first free devices',
      { devices: [numa('a', 0), numa('b', 0)], requests: [one('x'), one('y')] },
      ['x=a', 'y=b'],
    ],
    ['finds no devices when there are too few', { devices: [numa('a', 0)], requests: [one('x'), one('y')] }, 'none'],
    [
      'backtracks when a constraint is violated',
      {
        devices: [numa('a', 0), numa('b', 1), numa('c', 1)],
        requests: [one('x'), one('y')],
        claim: { constraints: [{ matchAttribute: 'example.com/numa' }] },
      },
      ['x=b', 'y=c'],
    ],
    [
      'takes the first alternative that can be satisfied',
      {
        devices: [numa('a', 0)],
        requests: [
          {
            name: 'x',
            firstAvailable: [
              { name: 'two', deviceClassName: 'any', allocationMode: 'ExactCount', count: 2 },
              { name: 'one', deviceClassName: 'any', allocationMode: 'ExactCount', count: 1 },
            ],
          },
        ],
      },
      ['x/one=a'],
    ],
    [
      'skips devices with taints that are not tolerated',
      {
        devices: [{ ...numa('a', 0), taints: [{ key: 'k', effect: 'NoSchedule' }] }, numa('b', 0)],
        requests: [one('x'), one('y', { tolerations: [{ operator: 'Exists' }] })],
      },
      ['x=b', 'y=a'],
    ],
    [
      'skips devices of an incomplete pool',
      { devices: [numa('a', 0)], requests: [one('x')], spec: { pool: pool(1, 2) } },
      'none',
    ],
    [
      'ignores slices of older generations',
      {
        devices: [numa('new', 0)],
        requests: [one('x')],
        spec: { pool: pool(2) },
        more: [{ metadata: { name: 'a' }, spec: { driver, nodeName: 'n', pool: pool(1), devices: [numa('old', 0)] } }],
      },
      ['x=new'],
    ],
    [
      'shares a device up to its capacity',
      {
        devices: [{ name: 'a', allowMultipleAllocations: true, capacity: { memory: { value: '10Gi' } } }],
        requests: [
          one('x', { capacity: { requests: { memory: '6Gi' } } }),
          one('y', { capacity: { requests: { memory: '4Gi' } } }),
        ],
      },
      ['x=a', 'y=a'],
    ],
    [
      'reports an error of a selector',
      {
        devices: [numa('a', 0)],
        requests: [one('x', { selectors: [{ cel: { expression: 'device.attributes["d"].x == 1' } }] })],
      },
      'claim default/c: selector #0: CEL runtime error: no such key: x',
    ],
    [
      'stops after a number of steps',
      { devices: [numa('a', 0), numa('b', 0)], requests: [one('x'), one('y')], maxSteps: 2 },
      'timeout',
    ],
  ]
  it.each(cases)('allocate %s', (_, words, want) => {
    expect(outcome(words)).toEqual(want)
  })
})
