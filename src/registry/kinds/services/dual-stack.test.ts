import { beforeEach, describe, expect, it } from 'vitest'
import { type Cidr, parseCidr } from '../../../api/cidr.ts'
import type { Service } from '../../../api/objects/cluster.ts'
import type { JsonObject, KubeObject } from '../../../api/objects/meta.ts'
import { createRandom } from '../../../base/random.ts'
import { createStore } from '../../../store/memory-store.ts'
import type { Registry } from '../../contract.ts'
import { createRegistry } from '../../registry.ts'

const ranges = (...texts: string[]): readonly Cidr[] => texts.map((text) => parseCidr(text) as Cidr)
const dual = ranges('10.0.0.0/24', 'fd00:10:96::/112')
const at = { resource: 'services', namespace: 'default' } as const

function world(serviceRanges: readonly Cidr[]) {
  const store = createStore()
  const registry = createRegistry({
    store,
    clock: { now: () => 0 },
    random: createRandom(1),
    options: { serviceRanges },
  })
  const make = (resource: string, object: object): KubeObject => {
    const outcome = registry.call({ verb: 'create', resource, object: object as KubeObject })
    if (!outcome.ok || outcome.kind !== 'object') throw new Error(JSON.stringify(outcome))
    return outcome.object
  }
  make('namespaces', { metadata: { name: 'default' } })
  const cidrs = serviceRanges.map(({ family }) => (family === 4 ? '10.0.0.0/24' : 'fd00:10:96::/112'))
  make('servicecidrs.networking.k8s.io', { metadata: { name: 'kubernetes' }, spec: { cidrs } })
  return { registry, make, addresses: () => store.list('ipaddresses.networking.k8s.io') }
}

function create(registry: Registry, name: string, spec: JsonObject, dryRun = false): Service | string {
  const object = { metadata: { name }, spec: { ports: [{ port: 80 }], selector: { app: 'a' }, ...spec } } as never
  const outcome = registry.call({ verb: 'create', ...at, object, dryRun })
  if (!outcome.ok) return outcome.status.message ?? ''
  return outcome.kind === 'object' ? (outcome.object as Service) : ''
}

function merge(registry: Registry, name: string, spec: JsonObject): Service | string {
  const outcome = registry.call({ verb: 'patch', ...at, name, patch: { kind: 'merge', patch: { spec } } })
  if (!outcome.ok) return outcome.status.message ?? ''
  return outcome.kind === 'object' ? (outcome.object as Service) : ''
}

const familiesOf = (service: Service | string) => {
  const { ipFamilies, ipFamilyPolicy, clusterIPs = [] } = (service as Service).spec ?? {}
  const kinds = clusterIPs.map((ip) => (ip.includes(':') ? 'IPv6' : 'IPv4'))
  return { ipFamilies, ipFamilyPolicy, kinds }
}

describe('a service in a dual-stack cluster', () => {
  let { registry, addresses, make } = world(dual)
  beforeEach(() => {
    ;({ registry, addresses, make } = world(dual))
  })

  it.each<[string, JsonObject, readonly string[], string]>([
    ['nothing', {}, ['IPv4'], 'SingleStack'],
    ['a family', { ipFamilies: ['IPv6'] }, ['IPv6'], 'SingleStack'],
    [
      'two families',
      { ipFamilies: ['IPv6', 'IPv4'], ipFamilyPolicy: 'RequireDualStack' },
      ['IPv6', 'IPv4'],
      'RequireDualStack',
    ],
    ['a policy', { ipFamilyPolicy: 'PreferDualStack' }, ['IPv4', 'IPv6'], 'PreferDualStack'],
    ['an address', { clusterIP: 'fd00:10:96::5' }, ['IPv6'], 'SingleStack'],
    [
      'a policy and an address',
      { clusterIP: 'fd00:10:96::5', ipFamilyPolicy: 'RequireDualStack' },
      ['IPv6', 'IPv4'],
      'RequireDualStack',
    ],
  ])('assigns families and addresses to a service that requests %s', (_, spec, families, policy) => {
    expect(familiesOf(create(registry, 'x', spec))).toEqual({
      ipFamilies: families,
      ipFamilyPolicy: policy,
      kinds: families,
    })
  })

  it('creates one IPAddress for each address of a dual-stack service, with its family and owner', () => {
    const { spec } = create(registry, 'x', { ipFamilyPolicy: 'RequireDualStack' }) as Service
    expect(addresses().map(({ metadata }) => metadata.name)).toEqual([...(spec?.clusterIPs ?? [])].sort())
    expect(addresses()[0]).toMatchObject({
      metadata: {
        labels: {
          'ipaddress.kubernetes.io/ip-family': 'IPv4',
          'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
        },
      },
      spec: { parentRef: { resource: 'services', namespace: 'default', name: 'x' } },
    })
    registry.call({ verb: 'delete', ...at, name: 'x' })
    expect(addresses()).toEqual([])
  })

  it('adds a second address to a service by its policy, and releases it with SingleStack', () => {
    const before = create(registry, 'x', {}) as Service
    const upgraded = merge(registry, 'x', { ipFamilyPolicy: 'PreferDualStack' }) as Service
    expect(familiesOf(upgraded).kinds).toEqual(['IPv4', 'IPv6'])
    expect(upgraded.spec?.clusterIP).toBe(before.spec?.clusterIP)
    expect(addresses()).toHaveLength(2)
    expect(merge(registry, 'x', { clusterIPs: [before.spec?.clusterIP ?? ''] })).toBe(
      'Service "x" is invalid: spec.ipFamilyPolicy: Invalid value: "PreferDualStack": must be \'SingleStack\' to release the secondary cluster IP',
    )
    const downgraded = merge(registry, 'x', { ipFamilyPolicy: 'SingleStack' })
    expect(familiesOf(downgraded)).toEqual({ ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack', kinds: ['IPv4'] })
    expect(addresses().map(({ metadata }) => metadata.name)).toEqual([before.spec?.clusterIP])
  })

  it('releases the addresses of a service that becomes an ExternalName, and allocates new ones when it changes back', () => {
    create(registry, 'x', { ipFamilyPolicy: 'RequireDualStack' })
    merge(registry, 'x', { type: 'ExternalName', externalName: 'a.example' })
    expect(addresses()).toEqual([])
    merge(registry, 'x', { type: 'ClusterIP', externalName: null, ipFamilyPolicy: 'RequireDualStack' })
    expect(addresses()).toHaveLength(2)
  })

  it('keeps the addresses of a service until its last finalizer is removed', () => {
    create(registry, 'x', {})
    const patch = (finalizers: string[] | null) =>
      registry.call({ verb: 'patch', ...at, name: 'x', patch: { kind: 'merge', patch: { metadata: { finalizers } } } })
    patch(['a.example/b'])
    registry.call({ verb: 'delete', ...at, name: 'x' })
    expect(addresses()).toHaveLength(1)
    patch(null)
    expect(addresses()).toHaveLength(0)
  })

  it('refuses an address for a service if an IPAddress of another object has it', () => {
    const spec = { parentRef: { resource: 'gateways', group: 'a.example', name: 'g' } }
    make('ipaddresses.networking.k8s.io', { metadata: { name: '10.0.0.9' }, spec })
    expect(create(registry, 'x', { clusterIP: '10.0.0.9' })).toContain('provided IP is already allocated')
  })

  it('allocates addresses from another ServiceCIDR when a range is full', () => {
    const fourth = ranges('10.0.0.0/24')
    ;({ registry, make, addresses } = world(fourth))
    for (let i = 1; i < 255; i++) create(registry, `s${i}`, {})
    expect(addresses()).toHaveLength(254)
    expect(create(registry, 'x', {})).toBe(
      'Internal error occurred: failed to allocate a serviceIP for Service "x": range is full',
    )
    make('servicecidrs.networking.k8s.io', { metadata: { name: 'more' }, spec: { cidrs: ['10.7.0.0/28'] } })
    expect((create(registry, 'x', {}) as Service).spec?.clusterIP).toMatch(/^10\.7\.0\./)
  })

  it('allocates no address in a dry run, and shows the network address', () => {
    const { spec } = create(registry, 'x', { ipFamilyPolicy: 'RequireDualStack' }, true) as Service
    expect(spec?.clusterIPs).toEqual(['10.0.0.0', 'fd00:10:96::'])
    expect(addresses()).toEqual([])
  })
})

it('keeps a PreferDualStack service as it is when the cluster becomes dual-stack', () => {
  const { registry } = world(ranges('10.0.0.0/24'))
  expect(familiesOf(create(registry, 'x', { ipFamilyPolicy: 'PreferDualStack' })).kinds).toEqual(['IPv4'])
  const later = createRegistry({
    store: registry.store,
    clock: { now: () => 0 },
    random: createRandom(2),
    options: { serviceRanges: dual },
  })
  expect(familiesOf(merge(later, 'x', { sessionAffinity: 'ClientIP' })).kinds).toEqual(['IPv4'])
})
