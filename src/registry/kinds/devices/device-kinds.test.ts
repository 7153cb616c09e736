import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../../api/call.ts'
import type { ResourceClaim, ResourceSlice } from '../../../api/objects/devices.ts'
import type { KubeObject } from '../../../api/objects/meta.ts'
import { releaseOf } from '../../../api/releases/release-of.ts'
import { createRandom } from '../../../base/random.ts'
import { must } from '../../../base/result.ts'
import { createStore } from '../../../store/memory-store.ts'
import type { Guard, NeededRight } from '../../contract.ts'
import { createRegistry } from '../../registry.ts'

const claims = 'resourceclaims.resource.k8s.io'
const slices = 'resourceslices.resource.k8s.io'

function createWorld(labels: Readonly<Record<string, string>> = {}, version = '1.37') {
  const registry = createRegistry({
    store: createStore(),
    clock: { now: () => 1_700_000_000_000 },
    random: createRandom(1),
    options: { release: must(releaseOf(version)) },
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

  it('rejects a change of the spec of a claim, in the words of v1.36', () => {
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

  it('sets the time at which device taints were added', () => {
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

  it('selects slices by node and driver', () => {
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
