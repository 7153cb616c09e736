import { describe, expect, it } from 'vitest'
import type { Outcome } from '../api/call.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import { releaseOf, withFeatureGates } from '../api/releases/release-of.ts'
import { createRandom } from '../base/random.ts'
import { must } from '../base/result.ts'
import { createStore } from '../store/memory-store.ts'
import type { Caller } from './contract.ts'
import { createRegistry } from './registry.ts'

const user: Caller = { name: 'alice', groups: ['system:masters'] }

/** A server of the release, with the range 10.0.0.0/24. */
function server(version: string, isStrict?: boolean) {
  const gates = isStrict === undefined ? [] : ([['StrictIPCIDRValidation', isStrict]] as const)
  const registry = createRegistry({
    store: createStore(),
    clock: { now: () => 0 },
    random: createRandom(1),
    options: { release: must(withFeatureGates(must(releaseOf(version)), new Map(gates))) },
  })
  const create = (resource: string, object: object): Outcome =>
    registry.call({ verb: 'create', resource, namespace: 'default', object: object as KubeObject }, user)
  create('namespaces', { metadata: { name: 'default' } })
  return create
}

const messageOf = (outcome: Outcome): string => (outcome.ok ? 'accepted' : (outcome.status.message ?? ''))
const ports = [{ port: 80 }]
const policy = (cidr: string, except: readonly string[]) => ({
  metadata: { name: 'p' },
  spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr, except } }] }] },
})
const slice = (addressType: string, address: string) => ({
  metadata: { name: 's' },
  addressType,
  endpoints: [{ addresses: [address] }],
  ports: [],
})

const objects: readonly (readonly [string, string, object])[] = [
  ['services', 'spec.externalIPs[0]', { metadata: { name: 's' }, spec: { ports, externalIPs: ['::ffff:1.2.3.4'] } }],
  ['services', 'spec.clusterIPs[0]', { metadata: { name: 's' }, spec: { ports, clusterIP: '::ffff:10.0.0.9' } }],
  [
    'services',
    'spec.LoadBalancerSourceRanges[0]',
    {
      metadata: { name: 's' },
      spec: { ports, type: 'LoadBalancer', loadBalancerSourceRanges: ['::ffff:10.0.0.0/104'] },
    },
  ],
  [
    'pods',
    'spec.hostAliases[0].ip',
    {
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'i' }], hostAliases: [{ ip: '::ffff:1.2.3.4', hostnames: ['h'] }] },
    },
  ],
  [
    'pods',
    'spec.dnsConfig.nameservers[0]',
    {
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'i' }], dnsConfig: { nameservers: ['::ffff:1.2.3.4'] } },
    },
  ],
  [
    'endpoints',
    'subsets[0].addresses[0].ip',
    { metadata: { name: 'e' }, subsets: [{ addresses: [{ ip: '::ffff:1.2.3.4' }] }] },
  ],
  ['endpointslices.discovery.k8s.io', 'endpoints[0].addresses[0]', slice('IPv4', '::ffff:1.2.3.4')],
  ['networkpolicies.networking.k8s.io', 'spec.ingress[0].from[0].ipBlock.cidr', policy('::ffff:10.0.0.0/104', [])],
  ['nodes', 'spec.podCIDRs[0]', { metadata: { name: 'n' }, spec: { podCIDR: '::ffff:10.1.0.0/112' } }],
]

describe.each(objects)('a mapped IPv4 address in %s at %s', (resource, path, object) => {
  it.each([
    ['1.34', undefined, true],
    ['1.35', undefined, true],
    ['1.35', true, false],
    ['1.36', undefined, false],
    ['1.36', false, true],
    ['1.37', undefined, false],
  ])(
    'accepts or refuses a mapped IPv4 address as v%s with StrictIPCIDRValidation=%s',
    (version, isStrict, isAccepted) => {
      const outcome = server(version, isStrict)(resource, object)
      const warnings = 'warnings' in outcome ? (outcome.warnings ?? []) : []
      if (isAccepted) {
        expect(messageOf(outcome)).toBe('accepted')
        expect(warnings.join()).toContain('non-standard')
      } else {
        expect(messageOf(outcome)).toContain(`${path}: Invalid value: "::ffff:`)
        expect(messageOf(outcome)).toContain('IPv4-mapped IPv6 address')
      }
    },
  )
})

describe('mapped IPv4 addresses where they are accepted', () => {
  it('allocates a mapped address as an IPv4 cluster IP, which no other service gets', () => {
    const create = server('1.35')
    const outcome = create('services', { metadata: { name: 'a' }, spec: { ports, clusterIP: '::ffff:10.0.0.9' } })
    expect(outcome).toMatchObject({
      object: { spec: { clusterIP: '::ffff:10.0.0.9', clusterIPs: ['::ffff:10.0.0.9'], ipFamilies: ['IPv4'] } },
    })
    const other = create('services', { metadata: { name: 'b' }, spec: { ports, clusterIP: '10.0.0.9' } })
    expect(messageOf(other)).toMatch(/failed to allocate IP 10.0.0.9: provided IP is already allocated/)
  })

  it('refuses a mapped address in an IPv6 EndpointSlice', () => {
    const create = server('1.35')
    expect(messageOf(create('endpointslices.discovery.k8s.io', slice('IPv6', '::ffff:1.2.3.4')))).toMatch(
      /addresses\[0\]: Invalid value: "::ffff:1.2.3.4": must not be an IPv4-mapped IPv6 address/,
    )
  })

  it.each([
    ['10.0.0.0/8', '::ffff:10.1.0.0/112', 'accepted'],
    ['::ffff:10.0.0.0/104', '::ffff:10.1.0.0/112', 'accepted'],
    // The lengths are compared as they are written.
    ['::ffff:10.0.0.0/104', '10.1.0.0/16', 'must be a strict subset of `cidr`'],
    ['10.1.0.0/16', '::ffff:10.0.0.0/104', 'must be a strict subset of `cidr`'],
  ])('compares the mapped block %s with the exception %s', (cidr, except, expected) => {
    expect(messageOf(server('1.35')('networkpolicies.networking.k8s.io', policy(cidr, [except])))).toContain(expected)
  })
})
