import type {
  Device,
  DeviceAttribute,
  DeviceClass,
  DeviceRequest,
  DeviceSubRequest,
  DeviceTaint,
  DeviceToleration,
  ResourceClaim,
  ResourceSlice,
} from '../../../src/api/objects/devices.ts'
import type { Node, NodeSelector } from '../../../src/api/objects/node.ts'
import type { RandomStream } from '../../../src/base/random.ts'

/** A question that the allocators of all releases can be asked. */
export interface AllocatorQuestion {
  readonly node: Node
  readonly slices: readonly ResourceSlice[]
  readonly classes: readonly DeviceClass[]
  readonly held: readonly ResourceClaim[]
  readonly claims: readonly ResourceClaim[]
}

const drivers = ['gpu.example.com', 'nic.example.com']
const models = ['a100', 'h100', 'l4']
const versions = ['1.2.0', '1.10.3', '2.0.0-rc.1']

const expressions = [
  'device.driver == "gpu.example.com"',
  'device.driver == "nic.example.com"',
  'device.driver.startsWith("gpu")',
  'device.attributes["gpu.example.com"].model == "h100"',
  'device.attributes["gpu.example.com"].?model.orValue("") in ["a100", "h100"]',
  'has(device.attributes["gpu.example.com"].model) && device.attributes["gpu.example.com"].model != "l4"',
  'device.attributes["topology.example.com"].?numa.orValue(7) == 1',
  'device.attributes["gpu.example.com"].?driverVersion.orValue(semver("0.0.1")).isGreaterThan(semver("1.5.0"))',
  'device.capacity["gpu.example.com"].?memory.orValue(quantity("1Gi")).compareTo(quantity("40Gi")) >= 0',
  '"topology.example.com" in device.attributes',
  'cel.bind(own, device.attributes[device.driver], own.?index.orValue(0) < 3)',
  'device.attributes["gpu.example.com"].healthy',
  'device.attributes.exists(domain, domain == "topology.example.com")',
  'true',
  'false',
]

/** Selectors of attributes that may be lists (DRAListTypeAttributes). */
const listExpressions = [
  'device.attributes["topology.example.com"].numa.includes(1)',
  'device.attributes["gpu.example.com"].model.includes("h100")',
  'device.attributes["gpu.example.com"].?profiles.orValue([]).includes("large")',
  '["a100", "h100"].includes(device.attributes["gpu.example.com"].model)',
  'device.attributes["gpu.example.com"].driverVersion.includes(semver("1.10.3"))',
  'device.attributes["gpu.example.com"].profiles.exists(one, one.startsWith("l"))',
  'size(device.attributes["gpu.example.com"].profiles) > 1',
  'device.attributes["gpu.example.com"].profiles.includes(1)',
  'lists.range(49).includes(48)',
  'lists.range(49).includes(47)',
]

/** An error on most devices. */
const failing = 'device.attributes["gpu.example.com"].missing == 1'

const constraintAttributes = ['topology.example.com/numa', 'gpu.example.com/model', 'gpu.example.com/index']

export interface QuestionOptions {
  readonly maxPools: number
  /** Whether attributes can be lists. */
  readonly hasLists: boolean
}

/** Draws a question. Most have few devices, so that a search meets its limits. */
export function randomQuestion(random: RandomStream, id: number, options: QuestionOptions): AllocatorQuestion {
  return new Drawing(random, id, options).question()
}

class Drawing {
  private readonly random: RandomStream
  private readonly id: number
  private readonly maxPools: number
  private readonly hasLists: boolean

  constructor(random: RandomStream, id: number, { maxPools, hasLists }: QuestionOptions) {
    this.random = random
    this.id = id
    this.maxPools = maxPools
    this.hasLists = hasLists
  }

  question(): AllocatorQuestion {
    const node: Node = {
      metadata: { name: 'node-0', labels: { zone: 'a', rack: this.pick(['r1', 'r2']) } },
      spec: {},
      status: {},
    }
    const slices = this.slices()
    const claims = this.many(1, 2).map((i) => this.claim(`claim-${i}`))
    return { node, slices, classes: this.classes(), held: this.held(slices), claims }
  }

  private slices(): readonly ResourceSlice[] {
    const pools = this.many(1, this.maxPools).map((i) => this.pool(i))
    return this.shuffled(pools.flat())
  }

  private pool(index: number): readonly ResourceSlice[] {
    const driver = this.pick(drivers)
    const style = this.pick([
      'local',
      'local',
      'local',
      'zone',
      'all',
      'perDevice',
      'partitions',
      'partitions',
      'sharedByNodes',
    ])
    const generation = 1 + this.int(2)
    const count = this.chance(70) ? 1 : 2
    const name = `pool-${this.pick(['a', 'b', 'c'])}${index}`
    const slicesOfPool = Array.from({ length: count }, (_, i) =>
      this.slice(`slice-${this.pick(['x', 'y'])}-${index}-${i}`, driver, name, generation, style, i),
    )
    const counters = style === 'partitions' ? [this.counterSlice(`counters-${index}`, driver, name, generation)] : []
    const total = slicesOfPool.length + counters.length
    const announced = this.chance(96) ? total : total + 1
    const all = [...slicesOfPool, ...counters].map((slice) => withCount(slice, announced))
    if (!this.chance(8)) return all
    const old = this.slice(`slice-old-${index}`, driver, name, generation + (this.chance(50) ? 1 : -1), style, 9)
    return [...all, withCount(old, 1)]
  }

  private slice(
    name: string,
    driver: string,
    pool: string,
    generation: number,
    style: string,
    at: number,
  ): ResourceSlice {
    const devices = this.many(1, 6).map((i) => this.device(`dev-${at}-${i}`, style))
    const repeated = this.chance(2) && devices[0] !== undefined ? [...devices, devices[0]] : devices
    const local = style === 'sharedByNodes' ? this.pick(['node-0', 'node-1']) : 'node-0'
    return {
      metadata: { name },
      spec: {
        driver,
        pool: { name: pool, generation, resourceSliceCount: 1 },
        ...(style === 'zone' ? { nodeSelector: this.selector() } : {}),
        ...(style === 'all' ? { allNodes: true } : {}),
        ...(style === 'perDevice' ? { perDeviceNodeSelection: true } : {}),
        ...(['local', 'partitions', 'sharedByNodes'].includes(style) ? { nodeName: local } : {}),
        devices: repeated,
      },
    }
  }

  private counterSlice(name: string, driver: string, pool: string, generation: number): ResourceSlice {
    return {
      metadata: { name },
      spec: {
        driver,
        pool: { name: pool, generation, resourceSliceCount: 1 },
        nodeName: 'node-0',
        sharedCounters: [
          { name: 'memory', counters: { total: { value: this.pick(['40Gi', '80Gi']) }, lanes: { value: '4' } } },
        ],
      },
    }
  }

  private device(name: string, style: string): Device {
    const shares = this.chance(25)
    return {
      name,
      ...(this.chance(90) ? { attributes: this.attributes() } : {}),
      ...(this.chance(60) ? { capacity: this.capacity(shares) } : {}),
      ...(style === 'partitions' && this.chance(90) ? { consumesCounters: this.consumption() } : {}),
      ...(style === 'perDevice' ? this.deviceNodes() : {}),
      ...(this.chance(12) ? { taints: this.many(1, 2).map(() => this.taint()) } : {}),
      ...(shares ? { allowMultipleAllocations: true } : {}),
      ...(this.chance(8) ? { bindingConditions: ['Attached'], bindingFailureConditions: ['Failed'] } : {}),
      ...(this.chance(5) ? { bindsToNode: true } : {}),
    }
  }

  private attributes(): Readonly<Record<string, DeviceAttribute>> {
    return {
      index: { int: this.int(4) },
      ...(this.hasLists ? this.listAttributes() : {}),
      ...(this.chance(92) ? { model: { string: this.pick(models) } } : {}),
      ...(this.chance(60) ? { driverVersion: { version: this.pick(versions) } } : {}),
      ...(this.chance(97) ? { 'gpu.example.com/healthy': { bool: this.chance(90) } } : {}),
      ...(this.chance(80)
        ? { 'topology.example.com/numa': this.hasLists && this.chance(50) ? this.numas() : { int: this.int(2) } }
        : {}),
    }
  }

  private numas(): DeviceAttribute {
    return { ints: this.pick([[0], [1], [0, 1], [2, 1]]) }
  }

  private listAttributes(): Readonly<Record<string, DeviceAttribute>> {
    return {
      ...(this.chance(50) ? { profiles: { strings: this.pick([['large'], ['small'], ['small', 'large']]) } } : {}),
      ...(this.chance(20) ? { driverVersions: { versions: [this.pick(versions), this.pick(versions)] } } : {}),
      ...(this.chance(20) ? { modes: { bools: [this.chance(50), true] } } : {}),
    }
  }

  private capacity(shares: boolean): NonNullable<Device['capacity']> {
    const value = this.pick(['24Gi', '40Gi', '80Gi'])
    const policy = this.pick(['none', 'none', 'values', 'range', 'step'])
    const requestPolicy =
      policy === 'values'
        ? { default: '10Gi', validValues: ['10Gi', '20Gi', '40Gi'] }
        : policy === 'range'
          ? { default: '5Gi', validRange: { min: '5Gi', max: '60Gi' } }
          : policy === 'step'
            ? { default: '4Gi', validRange: { min: '4Gi', max: '64Gi', step: '6Gi' } }
            : undefined
    return {
      memory: { value, ...(requestPolicy === undefined || !shares ? {} : { requestPolicy }) },
      ...(this.chance(30)
        ? {
            bandwidth: {
              value: '10G',
              ...(shares ? { requestPolicy: { default: '500M', validRange: { min: '0.5', step: '0.25' } } } : {}),
            },
          }
        : {}),
    }
  }

  private consumption(): NonNullable<Device['consumesCounters']> {
    return [
      {
        counterSet: this.chance(98) ? 'memory' : 'none',
        counters: {
          total: { value: this.pick(['10Gi', '20Gi', '40Gi']) },
          ...(this.chance(50) ? { lanes: { value: '1' } } : {}),
        },
      },
    ]
  }

  private deviceNodes(): Pick<Device, 'nodeName' | 'allNodes' | 'nodeSelector'> {
    const style = this.int(4)
    if (style === 0) return { nodeName: 'node-1' }
    if (style === 1) return { allNodes: true }
    return style === 2 ? { nodeSelector: this.selector() } : { nodeName: 'node-0' }
  }

  private selector(): NodeSelector {
    const [key, values] = this.chance(70) ? ['zone', ['a']] : ['rack', ['r1']]
    return { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values }] }] }
  }

  private taint(): DeviceTaint {
    const key = this.pick(['maintenance', 'unhealthy'])
    const effect = this.pick(['NoSchedule', 'NoExecute', 'None'] as const)
    return { key, ...(this.chance(50) ? { value: 'yes' } : {}), effect, timeAdded: '2026-01-01T00:00:00Z' }
  }

  private classes(): readonly DeviceClass[] {
    return [
      { metadata: { name: 'any' }, spec: {} },
      {
        metadata: { name: 'gpu' },
        spec: {
          selectors: [{ cel: { expression: 'device.driver == "gpu.example.com"' } }],
          config: [{ opaque: { driver: 'gpu.example.com', parameters: { mode: 'class' } } }],
        },
      },
      { metadata: { name: 'drawn' }, spec: { selectors: [{ cel: { expression: this.pick(expressions) } }] } },
    ]
  }

  private claim(name: string): ResourceClaim {
    const requests = this.many(1, 3).map((i) => this.request(`req-${i}`))
    const names = requests.flatMap(({ name: request, firstAvailable = [] }) => [
      request,
      ...firstAvailable.map((sub) => `${request}/${sub.name}`),
    ])
    const some = (): string[] => (this.chance(40) ? [] : names.filter(() => this.chance(50)))
    const listed = (): { requests?: string[] } => {
      const found = some()
      return found.length === 0 ? {} : { requests: found }
    }
    const constraints = this.chance(35)
      ? this.many(1, 2).map(() => ({
          ...listed(),
          ...(this.chance(60)
            ? { matchAttribute: this.pick(constraintAttributes) }
            : { distinctAttribute: this.pick(constraintAttributes) }),
        }))
      : []
    const config = this.chance(25)
      ? [{ ...listed(), opaque: { driver: 'gpu.example.com', parameters: { mode: 'claim' } } }]
      : []
    return {
      metadata: { name, namespace: 'default', uid: `${this.id}-${name}` },
      spec: {
        devices: {
          requests,
          ...(constraints.length === 0 ? {} : { constraints }),
          ...(config.length === 0 ? {} : { config }),
        },
      },
    }
  }

  private request(name: string): DeviceRequest {
    if (this.chance(25)) {
      return { name, firstAvailable: this.many(1, 3).map((i) => this.subRequest(`sub-${i}`)) }
    }
    const { name: _, ...exactly } = this.subRequest('')
    return { name, exactly: { ...exactly, ...(this.chance(8) ? { adminAccess: true } : {}) } }
  }

  private subRequest(name: string): DeviceSubRequest {
    const all = this.chance(8)
    const count = this.chance(1) ? 40 : this.chance(75) ? 1 : 1 + this.int(3)
    return {
      name,
      deviceClassName: this.chance(99) ? this.pick(['any', 'gpu', 'gpu', 'drawn']) : 'missing',
      ...(this.chance(40) ? { selectors: [{ cel: { expression: this.expression() } }] } : {}),
      allocationMode: all ? 'All' : 'ExactCount',
      ...(all ? {} : { count }),
      ...(this.chance(30) ? { tolerations: [this.toleration()] } : {}),
      ...(this.chance(20) ? { capacity: { requests: this.wanted() } } : {}),
    }
  }

  private expression(): string {
    if (this.hasLists && this.chance(40)) return this.pick(listExpressions)
    return this.chance(2) ? failing : this.pick(expressions)
  }

  private wanted(): Readonly<Record<string, string>> {
    if (this.chance(15)) return { bandwidth: this.pick(['1', '1.3', '2G', '100m']) }
    return { memory: this.pick(['1Gi', '7Gi', '10Gi', '15Gi', '30Gi', '41Gi', '100Gi']) }
  }

  private toleration(): DeviceToleration {
    return {
      ...(this.chance(80) ? { key: this.pick(['maintenance', 'unhealthy']) } : {}),
      operator: this.chance(60) ? 'Exists' : 'Equal',
      ...(this.chance(30) ? { value: 'yes' } : {}),
      ...(this.chance(40) ? { effect: this.pick(['NoSchedule', 'NoExecute'] as const) } : {}),
    }
  }

  /** Claims that hold some of the devices. */
  private held(slices: readonly ResourceSlice[]): readonly ResourceClaim[] {
    const devices = slices.flatMap(({ spec }) =>
      (spec.devices ?? []).map((device) => ({ device, driver: spec.driver, pool: spec.pool.name })),
    )
    return devices
      .filter(() => this.chance(15))
      .map(({ device, driver, pool }, i) => {
        const isShare = device.allowMultipleAllocations === true
        const consumed = isShare && device.capacity !== undefined
        const result = {
          request: 'req-0',
          driver,
          pool,
          device: device.name,
          ...(this.chance(5) ? { adminAccess: true } : {}),
          ...(isShare ? { shareID: `00000000-0000-4000-8000-${String(i).padStart(12, '0')}` } : {}),
          ...(consumed ? { consumedCapacity: { memory: this.pick(['5Gi', '10Gi', '20Gi']) } } : {}),
        }
        const name = `held-${i}`
        const status = { allocation: { devices: { results: [result] } } }
        return { metadata: { name, namespace: 'default', uid: `${this.id}-${name}` }, spec: {}, status }
      })
  }

  private many(min: number, max: number): readonly number[] {
    return Array.from({ length: min + this.int(max - min + 1) }, (_, i) => i)
  }

  private int(below: number): number {
    return this.random.int(below)
  }

  private chance(percent: number): boolean {
    return this.random.int(100) < percent
  }

  private pick<T>(list: readonly T[]): T {
    return list[this.random.int(list.length)] as T
  }

  private shuffled<T>(list: readonly T[]): readonly T[] {
    return list
      .map((value) => ({ value, key: this.random.int(1 << 30) }))
      .sort((a, b) => a.key - b.key)
      .map(({ value }) => value)
  }
}

function withCount(slice: ResourceSlice, resourceSliceCount: number): ResourceSlice {
  return { ...slice, spec: { ...slice.spec, pool: { ...slice.spec.pool, resourceSliceCount } } }
}
