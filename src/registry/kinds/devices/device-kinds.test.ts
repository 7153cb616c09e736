import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../../api/call.ts'
import type { ResourceClaim, ResourceSlice } from '../../../api/objects/devices.ts'
import type { KubeObject } from '../../../api/objects/meta.ts'
import { releaseOf, withFeatureGates } from '../../../api/releases/release-of.ts'
import { createRandom } from '../../../base/random.ts'
import { must } from '../../../base/result.ts'
import { createStore } from '../../../store/memory-store.ts'
import type { Guard, NeededRight } from '../../contract.ts'
import { createRegistry } from '../../registry.ts'

const claims = 'resourceclaims.resource.k8s.io'
const slices = 'resourceslices.resource.k8s.io'

function createWorld(
  labels: Readonly<Record<string, string>> = {},
  version = '1.37',
  gates: ReadonlyMap<string, boolean> = new Map(),
) {
  const registry = createRegistry({
    store: createStore(),
    clock: { now: () => 1_700_000_000_000 },
    random: createRandom(1),
    options: { release: must(withFeatureGates(must(releaseOf(version)), gates)) },
  })
  registry.call({ verb: 'create', resource: 'namespaces', object: { metadata: { name: 'default', labels } } })
  return registry
}

function made<T extends KubeObject>(outcome: Outcome): T {
  if (!outcome.ok || outcome.kind !== 'object') throw new Error(JSON.stringify(outcome))
  return outcome.object as T
}

const messageOf = (outcome: Outcome): string => (outcome.ok ? 'accepted' : (outcome.status.message ?? ''))

const claim = (exactly: object = {}): KubeObject =>
  ({
    metadata: { name: 'c' },
    spec: { devices: { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu.example.com', ...exactly } }] } },
  }) as KubeObject

const slice = (spec: object = {}): KubeObject =>
  ({
    metadata: { name: 's' },
    spec: {
      driver: 'gpu.example.com',
      pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
      allNodes: true,
      ...spec,
    },
  }) as unknown as KubeObject

const result = { request: 'gpu', driver: 'gpu.example.com', pool: 'p', device: 'gpu-0' }

describe('resource claims', () => {
  const create = (registry: ReturnType<typeof createWorld>, object: KubeObject) =>
    registry.call({ verb: 'create', resource: claims, namespace: 'default', object })
  const putStatus = (
    registry: ReturnType<typeof createWorld>,
    object: ResourceClaim,
    status: ResourceClaim['status'],
    guard?: Guard,
  ) =>
    registry.call(
      {
        verb: 'update',
        resource: claims,
        subresource: 'status',
        namespace: 'default',
        name: 'c',
        object: { ...object, status } as KubeObject,
      },
      undefined,
      guard,
    )

  it('defaults the allocation mode, the count and the operator of tolerations of a claim', () => {
    const { spec } = made<ResourceClaim>(create(createWorld(), claim({ tolerations: [{ key: 'k' }] })))
    expect(spec.devices?.requests?.[0]?.exactly).toEqual({
      deviceClassName: 'gpu.example.com',
      allocationMode: 'ExactCount',
      count: 1,
      tolerations: [{ key: 'k', operator: 'Equal' }],
    })
  })

  it('rejects a change of the spec of a claim with the message of v1.36', () => {
    const registry = createWorld({}, '1.36')
    const object = made<ResourceClaim>(create(registry, claim()))
    const changed = { ...object, spec: claim({ count: 2 }) } as KubeObject
    const call = { verb: 'update', resource: claims, namespace: 'default', name: 'c' } as const
    expect(messageOf(registry.call({ ...call, object: { ...changed, spec: {} } as KubeObject }))).toContain(
      'spec: Invalid value: {"Devices":{"Requests":null,"Constraints":null,"Config":null}}: field is immutable',
    )
  })

  it('rejects selectors that do not compile, that give no bool, or that are too expensive', () => {
    const problemOf = (expression: string) =>
      messageOf(create(createWorld(), claim({ selectors: [{ cel: { expression } }] })))
    const at =
      'ResourceClaim.resource.k8s.io "c" is invalid: spec.devices.requests[0].exactly.selectors[0].cel.expression'
    expect(problemOf('device.driver == "gpu.example.com"')).toBe('accepted')
    expect(problemOf('device.nosuch')).toBe(
      `${at}: Invalid value: "device.nosuch": compilation failed: ERROR: <input>:1:7: undefined field 'nosuch'\n | device.nosuch\n | ......^`,
    )
    expect(problemOf('device.driver')).toBe(
      `${at}: Invalid value: "device.driver": must evaluate to bool or the unknown type, not string`,
    )
    const nested = ['d', 'e', 'f', 'g'].reduceRight((inner, name) => `device.attributes.all(${name}, ${inner})`, 'true')
    expect(problemOf(nested)).toBe(`${at}: Forbidden: too complex, exceeds cost limit`)
    expect(problemOf('x'.repeat(10_241))).toBe(`${at}: Too long: may not be more than 10240 bytes`)
  })

  it('rejects admin access in a namespace without the label, and allows it with the label', () => {
    expect(messageOf(create(createWorld(), claim({ adminAccess: true })))).toBe(
      'ResourceClaim.resource.k8s.io "c" is invalid: spec.devices.requests[0].adminAccess: Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace',
    )
    const labels = { 'resource.kubernetes.io/admin-access': 'true' }
    expect(messageOf(create(createWorld(labels), claim({ adminAccess: true })))).toBe('accepted')
  })

  it('drops the device status of deallocated devices', () => {
    const registry = createWorld()
    const object = made<ResourceClaim>(create(registry, claim()))
    const { request: _, ...device } = result
    const status = { allocation: { devices: { results: [result] } }, devices: [{ ...device, conditions: [] }] }
    const allocated = made<ResourceClaim>(putStatus(registry, object, status))
    expect(allocated.status?.devices).toHaveLength(1)
    const freed = made<ResourceClaim>(putStatus(registry, allocated, { devices: status.devices }))
    expect(freed.status).toEqual({})
  })

  it.each([
    ['1.34', 'must be an allocated device in the claim'],
    ['1.35', 'accepted'],
  ])('v%s drops the share of a device before or after it looks for deallocated devices', (version, answer) => {
    const registry = createWorld({}, version)
    const object = made<ResourceClaim>(create(registry, claim()))
    const { request: _, ...device } = result
    const allocated = made<ResourceClaim>(
      putStatus(registry, object, { allocation: { devices: { results: [result] } } }),
    )
    const shared = { ...device, shareID: '6c0b8a5e-7d4b-4f0e-9a75-3f2f2e6a1b10' }
    expect(messageOf(putStatus(registry, allocated, { devices: [shared] }))).toContain(answer)
  })

  it('requires the right to resourceclaims/binding for an allocation, and names the driver for the status of devices', () => {
    const registry = createWorld()
    const object = made<ResourceClaim>(create(registry, claim()))
    const asked: NeededRight[] = []
    const guard: Guard = {
      escalation: () => undefined,
      creation: () => undefined,
      permission: (_caller, needed) => {
        asked.push(needed)
        return 'no'
      },
      access: () => ({ allowed: false, reason: '' }),
    }
    const { request: _, ...device } = result
    const status = { allocation: { devices: { results: [result] } }, devices: [{ ...device, conditions: [] }] }
    const message = messageOf(putStatus(registry, object, status, guard))
    expect(message).toContain(
      'status.allocation: Forbidden: changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="update" permission: no',
    )
    expect(message).toContain(
      'status.devices: Forbidden: changing status.devices requires resource="resourceclaims/driver", verb="[arbitrary-node:update]" permission: no',
    )
    expect(asked.map(({ verb, subresource, name }) => `${verb} ${subresource} ${name ?? ''}`)).toEqual([
      'update binding ',
      'arbitrary-node:update driver gpu.example.com',
    ])
  })
})

describe('resource slices', () => {
  const create = (registry: ReturnType<typeof createWorld>, object: KubeObject) =>
    registry.call({ verb: 'create', resource: slices, object })

  it('sets the time at which device taints of a slice were added', () => {
    const devices = [{ name: 'gpu-0', taints: [{ key: 'k', effect: 'NoExecute' }] }]
    const { spec } = made<ResourceSlice>(create(createWorld(), slice({ devices })))
    expect(spec.devices?.[0]?.taints?.[0]?.timeAdded).toBe('2023-11-14T22:13:20Z')
  })

  it('increments the generation of a slice on changes of the spec, including fields that v1.36 drops', () => {
    const registry = createWorld({}, '1.36')
    const object = made<ResourceSlice>(create(registry, slice({ devices: [{ name: 'gpu-0' }] })))
    expect(object.metadata.generation).toBe(1)
    const device = { name: 'gpu-0', nodeAllocatableResourceMappings: { cpu: { allocationMultiplier: '2' } } }
    const changed = { ...object, spec: { ...object.spec, devices: [device] } } as KubeObject
    const updated = made<ResourceSlice>(registry.call({ verb: 'update', resource: slices, name: 's', object: changed }))
    expect(updated.metadata.generation).toBe(2)
    expect(updated.spec.devices).toEqual([{ name: 'gpu-0' }])
  })

  it('selects ResourceSlices by node and driver', () => {
    const registry = createWorld()
    made(create(registry, slice({ allNodes: undefined, nodeName: 'n' })))
    const count = (fieldSelector: string) => {
      const outcome = registry.call({ verb: 'list', resource: slices, fieldSelector })
      return outcome.ok && outcome.kind === 'list' ? outcome.items.length : messageOf(outcome)
    }
    expect(count('spec.nodeName=n,spec.driver=gpu.example.com')).toBe(1)
    expect(count('spec.nodeName=')).toBe(0)
  })

  it('requires exactly one field that names the nodes of a slice', () => {
    expect(messageOf(create(createWorld(), slice({ nodeName: 'n' })))).toBe(
      'ResourceSlice.resource.k8s.io "s" is invalid: spec: Invalid value: "{`nodeName`, `allNodes`}": exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required, but multiple fields are set',
    )
  })
})

describe('declared rules of v1.37', () => {
  const problemOf = (resource: string, object: object, version = '1.37'): string => {
    const namespace = resource.startsWith('resourceclaim') ? { namespace: 'default' } : {}
    return messageOf(
      createWorld({}, version).call({ verb: 'create', resource, ...namespace, object: object as KubeObject }),
    ).replace(/^.* is invalid: /, '')
  }
  const oneOf = '`int`, `bool`, `string`, `version`, `ints`, `bools`, `strings`, `versions`'
  const attributes = (model: object) => slice({ devices: [{ name: 'gpu-0', attributes: { model } }] })
  const at = 'spec.devices[0].attributes[model]'

  it('device rules of v1.37 replace the messages of handwritten rules about attributes with no value or several', () => {
    expect(problemOf(slices, attributes({}))).toBe(`${at}: Invalid value: "": must specify one of: ${oneOf}`)
    expect(problemOf(slices, attributes({ int: 1, string: 'x' }))).toBe(
      `${at}: Invalid value: "{int, string}": must specify exactly one of: ${oneOf}`,
    )
    expect(problemOf(slices, attributes({}), '1.36')).toBe(
      `${at}: Invalid value: "": exactly one value must be specified`,
    )
  })

  it('device rules show the whole item that repeats the name of another one', () => {
    const firstAvailable = [1, 2].map((count) => ({ name: 'a', deviceClassName: 'c', count }))
    const object = { metadata: { name: 'c' }, spec: { devices: { requests: [{ name: 'r', firstAvailable }] } } }
    const item = 'spec.devices.requests[0].firstAvailable[1]: Duplicate value: '
    expect(problemOf(claims, object)).toBe(
      `${item}{"name":"a","deviceClassName":"c","allocationMode":"ExactCount","count":2}`,
    )
    expect(problemOf(claims, object, '1.36')).toBe(`${item}"a"`)
  })

  it('device rules of v1.37 check subrequests even if an error in another field ends the handwritten checks', () => {
    const request = {
      name: 'r',
      exactly: { deviceClassName: 'c', allocationMode: 'Some' },
      firstAvailable: [{ name: 'a' }],
    }
    expect(problemOf(claims, { metadata: { name: 'c' }, spec: { devices: { requests: [request] } } })).toBe(
      '[spec.devices.requests[0]: Invalid value: null: exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set, ' +
        'spec.devices.requests[0].exactly.allocationMode: Unsupported value: "Some": supported values: "All", "ExactCount", ' +
        'spec.devices.requests[0].firstAvailable[0].deviceClassName: Required value]',
    )
  })

  it('device rules of v1.37 report invalid names of extended resources and drivers', () => {
    const deviceClass = (spec: object) => ({ metadata: { name: 'gpu' }, spec })
    expect(problemOf('deviceclasses.resource.k8s.io', deviceClass({ extendedResourceName: 'gpu' }))).toBe(
      'spec.extendedResourceName: Invalid value: "gpu": a name must be a domain-prefixed path, such as \'example.com/my-prop\'',
    )
    const config = [{ opaque: { driver: 'a_b', parameters: {} } }]
    expect(problemOf('deviceclasses.resource.k8s.io', deviceClass({ config }))).toContain(
      'spec.config[0].opaque.driver: Invalid value: "a_b": an RFC 1123 subdomain must consist of alphanumeric characters',
    )
  })

  it('device rules refuse a step of zero, and name a default that is outside of the range', () => {
    const withRange = (range: object) =>
      slice({
        devices: [
          {
            name: 'gpu-0',
            allowMultipleAllocations: true,
            capacity: { memory: { value: '10Gi', requestPolicy: { default: '1Gi', validRange: range } } },
          },
        ],
      })
    const range = 'spec.devices[0].capacity[memory].requestPolicy.validRange'
    expect(problemOf(slices, withRange({ min: '1Gi', step: '0' }))).toBe(
      `${range}.step: Invalid value: "0": must be greater than zero`,
    )
    const why = 'Invalid value: "1Gi": default is less than min: 2Gi'
    expect(problemOf(slices, withRange({ min: '2Gi' }))).toBe(`${range}.default: ${why}`)
    expect(problemOf(slices, withRange({ min: '2Gi' }), '1.36')).toBe(`${range}.min: ${why}`)
  })

  it('device rules do not check accepted capacities again', () => {
    const registry = createWorld()
    const device = { name: 'gpu-0', capacity: { memory: { value: '1Gi', requestPolicy: { default: '1Gi' } } } }
    const shared = { ...device, allowMultipleAllocations: true }
    const created = made<ResourceSlice>(
      registry.call({ verb: 'create', resource: slices, object: slice({ devices: [shared] }) }),
    )
    const object = { ...created, spec: { ...created.spec, devices: [device] } } as KubeObject
    expect(messageOf(registry.call({ verb: 'update', resource: slices, name: 's', object }))).toBe('accepted')
  })

  it('device rules differ from v1.35, which names the key of a map, and counts the bytes of the name of a class', () => {
    const object = slice({ devices: [{ name: 'gpu-0', attributes: { 'a-b': { int: 1 } } }] })
    expect(problemOf(slices, object, '1.35')).toContain(
      'spec.devices[0].attributes[a-b]: Invalid value: "a-b": a valid C',
    )
    expect(problemOf(slices, object)).toContain('spec.devices[0].attributes: Invalid value: "a-b": a valid C')
    const long = { metadata: { name: 'a'.repeat(254) }, spec: {} }
    const unit = (version: string) => /253 (\w+)/.exec(problemOf('deviceclasses.resource.k8s.io', long, version))?.[1]
    expect(['1.34', '1.35', '1.36', '1.37'].map(unit)).toEqual(['characters', 'bytes', 'bytes', 'bytes'])
  })

  it('device rules refuse another allocation while one is set', () => {
    const registry = createWorld()
    const put = (object: KubeObject, name: string) =>
      registry.call({
        verb: 'update',
        resource: claims,
        subresource: 'status',
        namespace: 'default',
        name: 'c',
        object: { ...object, status: { allocation: { devices: { results: [{ ...result, device: name }] } } } },
      } as Parameters<typeof registry.call>[0])
    const created = made(registry.call({ verb: 'create', resource: claims, namespace: 'default', object: claim() }))
    const allocated = made(put(created, 'gpu-0'))
    expect(messageOf(put(allocated, 'gpu-1'))).toContain(
      'status.allocation: Invalid value: null: field cannot be modified once set',
    )
  })

  it('device rules count the keys of a map with an empty value', () => {
    const registry = createWorld()
    const created = made<ResourceSlice>(
      registry.call({ verb: 'create', resource: slices, object: slice({ devices: [{ name: 'gpu-0' }] }) }),
    )
    const devices = [{ name: 'gpu-0', attributes: { model: {} } }]
    const object = { ...created, spec: { ...created.spec, devices } } as KubeObject
    expect(messageOf(registry.call({ verb: 'update', resource: slices, name: 's', object }))).toContain(
      `${at}: Invalid value: "": must specify one of: ${oneOf}`,
    )
  })
})

describe('updates and patches of device kinds', () => {
  const path = { resource: claims, namespace: 'default', name: 'c' }

  it('distinguishes an empty part of a claim from an absent part', () => {
    const registry = createWorld()
    const object = made<KubeObject>(registry.call({ verb: 'create', ...path, object: claim() }))
    const changed = { ...object, spec: (claim({ capacity: {} }) as unknown as { spec: object }).spec } as KubeObject
    expect(messageOf(registry.call({ verb: 'update', ...path, object: changed }))).toContain('field is immutable')
    const same = { ...object, spec: (claim() as unknown as { spec: object }).spec } as KubeObject
    expect(messageOf(registry.call({ verb: 'update', ...path, object: same }))).toBe('accepted')
  })

  it('keeps only labels and annotations in the metadata of a template', () => {
    const spec = { metadata: { uid: 'u', name: 'n' }, spec: (claim() as unknown as { spec: object }).spec }
    const object = { metadata: { name: 't' }, spec } as KubeObject
    const resource = 'resourceclaimtemplates.resource.k8s.io'
    const outcome = createWorld().call({ verb: 'create', resource, namespace: 'default', object })
    expect(messageOf(outcome)).toContain(
      '[spec.metadata.uID: Forbidden: cannot be set, spec.metadata.name: Forbidden: cannot be set]',
    )
  })

  it.each([
    ['1.34', 'metadata.generateName: Invalid value: "Abc-"'],
    ['1.35', 'accepted'],
  ])('v%s responds to an update that sets generateName of a DeviceClass: %s', (version, expected) => {
    const registry = createWorld({}, version)
    const resource = 'deviceclasses.resource.k8s.io'
    const object = made<KubeObject>(
      registry.call({ verb: 'create', resource, object: { metadata: { name: 'd' }, spec: {} } as KubeObject }),
    )
    const changed = { ...object, metadata: { ...object.metadata, generateName: 'Abc-' } }
    expect(messageOf(registry.call({ verb: 'update', resource, name: 'd', object: changed }))).toContain(expected)
  })

  it('names unknown fields of a strategic merge patch without the keys of maps', () => {
    const registry = createWorld()
    const devices = [{ name: 'd', capacity: { memory: { value: '1Gi' } } }]
    registry.call({ verb: 'create', resource: slices, object: slice({ devices }) })
    const spec = { devices: [{ name: 'd', capacity: { memory: { value: '1Gi', a: 1 } } }] }
    const warnings = (kind: 'strategic' | 'merge') =>
      registry.call({ verb: 'patch', resource: slices, name: 's', patch: { kind, patch: { spec } } })
    expect(warnings('strategic')).toMatchObject({ warnings: ['unknown field "spec.devices[0].capacity.a"'] })
    expect(warnings('merge')).toMatchObject({ warnings: ['unknown field "spec.devices[0].capacity.memory.a"'] })
  })

  it('refuses the order of a list that has no merge key', () => {
    const registry = createWorld()
    const resource = 'deviceclasses.resource.k8s.io'
    const selectors = [{ cel: { expression: 'true' } }]
    registry.call({ verb: 'create', resource, object: { metadata: { name: 'd' }, spec: { selectors } } as KubeObject })
    const patch = { spec: { '$setElementOrder/selectors': [], selectors: [] } }
    const outcome = registry.call({ verb: 'patch', resource, name: 'd', patch: { kind: 'strategic', patch } })
    expect(messageOf(outcome)).toBe('map: map[cel:map[expression:true]] does not contain declared merge key: ')
  })

  it('a device uses counters of the same slice in v1.34, and of another slice in later releases', () => {
    const create = (version: string, spec: object): string => {
      const gates = new Map([['DRAPartitionableDevices', true]])
      const registry = createWorld({}, version, gates)
      return messageOf(registry.call({ verb: 'create', resource: slices, object: slice(spec) }))
    }
    const counters = { memory: { value: '1Gi' } }
    const devices = [{ name: 'd', consumesCounters: [{ counterSet: 'set', counters }] }]
    const sharedCounters = [{ name: 'set', counters }]
    expect(create('1.34', { devices, sharedCounters })).toBe('accepted')
    expect(create('1.34', { devices })).toContain(
      'spec.devices[0].consumesCounters[0].counterSet: Invalid value: "set": must reference a counterSet defined in the ResourceSlice sharedCounters',
    )
    expect(create('1.35', { devices })).toBe('accepted')
    expect(create('1.35', { devices, sharedCounters })).toContain(
      'only one of `sharedCounters` or `devices` is allowed',
    )
  })

  it.each([
    ['1.34', { exactly: ['tolerations'], constraint: ['distinctAttribute'], allocation: ['devices'] }],
    ['1.35', { exactly: [], constraint: ['matchAttribute'], allocation: ['devices', 'allocationTimestamp'] }],
  ])('v%s drops fields of claims whose gates are off', (version, expected) => {
    const registry = createWorld({}, version)
    const tolerations = [{ operator: 'Exists' }]
    const capacity = { requests: { memory: '1' } }
    const attribute = 'gpu.example.com/numa'
    const shareID = '6c0b8a5e-7d4b-4f0e-9a75-3f2f2e6a1b10'
    const constraint = version === '1.34' ? { distinctAttribute: attribute } : { matchAttribute: attribute }
    const requests = [{ name: 'gpu', exactly: { deviceClassName: 'gpu.example.com', tolerations, capacity } }]
    const object = { metadata: { name: 'c' }, spec: { devices: { requests, constraints: [constraint] } } } as KubeObject
    const created = made<ResourceClaim>(registry.call({ verb: 'create', ...path, object }))
    const results = [{ ...result, bindingConditions: ['a'], bindingFailureConditions: ['b'], shareID }]
    const allocation = { devices: { results }, allocationTimestamp: '2026-01-01T00:00:00Z' }
    const allocated = { ...created, status: { allocation } } as unknown as KubeObject
    const { spec, status } = made<ResourceClaim>(
      registry.call({ verb: 'update', subresource: 'status', ...path, object: allocated }),
    )
    const gated = ['tolerations', 'capacity']
    const exactly = Object.keys(spec.devices?.requests?.[0]?.exactly ?? {}).filter((name) => gated.includes(name))
    expect({
      exactly,
      constraint: Object.keys(spec.devices?.constraints?.[0] ?? {}),
      allocation: Object.keys(status?.allocation ?? {}),
    }).toEqual(expected)
    // In v1.34 the constraint uses the gate of shared devices.
    const kept = version === '1.34' ? { shareID } : {}
    expect(status?.allocation?.devices?.results).toEqual([{ ...result, ...kept }])
  })

  it('v1.34 names the field of a duplicate, and checks both kinds of requests', () => {
    const create = (version: string, requests: readonly object[]): string => {
      const object = { metadata: { name: 'c' }, spec: { devices: { requests } } } as unknown as KubeObject
      return messageOf(createWorld({}, version).call({ verb: 'create', ...path, object }))
    }
    const request = { name: 'gpu', exactly: { deviceClassName: 'gpu.example.com' } }
    expect(create('1.34', [request, request])).toContain('spec.devices.requests[1].name: Duplicate value: "gpu"')
    expect(create('1.35', [request, request])).toContain('spec.devices.requests[1]: Duplicate value: "gpu"')
    const both = {
      ...request,
      exactly: { deviceClassName: 'A' },
      firstAvailable: [{ name: 'a', deviceClassName: 'B' }],
    }
    const names = (version: string) => create(version, [both]).match(/Invalid value: "[AB]"/g)
    expect(names('1.34')).toEqual(['Invalid value: "B"', 'Invalid value: "A"'])
    expect(names('1.35')).toBeNull()
  })
})
