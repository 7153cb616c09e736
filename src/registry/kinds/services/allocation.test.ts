import { describe, expect, it } from 'vitest'
import type { Service } from '../../../api/objects/cluster.ts'
import type { JsonObject } from '../../../api/objects/meta.ts'
import { createRandom } from '../../../base/random.ts'
import { createStore } from '../../../store/memory-store.ts'
import { createRegistry } from '../../registry.ts'

function world() {
  const registry = createRegistry({ store: createStore(), clock: { now: () => 0 }, random: createRandom(1) })
  registry.call({ verb: 'create', resource: 'namespaces', object: { metadata: { name: 'default' } } })
  const at = { resource: 'services', namespace: 'default' } as const
  const create = (name: string, spec: JsonObject): Service | string => {
    const object = { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } } as never
    const outcome = registry.call({ verb: 'create', ...at, object })
    if (!outcome.ok) return outcome.status.message ?? ''
    return outcome.kind === 'object' ? (outcome.object as Service) : ''
  }
  const merge = (name: string, patch: JsonObject, more: { readonly subresource?: string } = {}): Service | string => {
    const outcome = registry.call({ verb: 'patch', ...at, ...more, name, patch: { kind: 'merge', patch } })
    if (!outcome.ok) return outcome.status.message ?? ''
    return outcome.kind === 'object' ? (outcome.object as Service) : ''
  }
  const report = (name: string, status: JsonObject) => merge(name, { status }, { subresource: 'status' })
  return { create, merge, report }
}

describe('allocation of addresses and ports for a service', () => {
  it.each<[string, JsonObject, string]>([
    [
      'an address outside the range',
      { clusterIP: '10.9.9.9' },
      'spec.clusterIPs: Invalid value: ["10.9.9.9"]: failed to allocate IP 10.9.9.9: the provided network does not match the current range',
    ],
    [
      'an address that is taken',
      { clusterIP: '10.0.0.50' },
      'spec.clusterIPs: Invalid value: ["10.0.0.50"]: failed to allocate IP 10.0.0.50: provided IP is already allocated',
    ],
    [
      'a node port outside the range',
      { type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] },
      'spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767',
    ],
    [
      'a node port that is taken',
      { type: 'NodePort', ports: [{ port: 80, nodePort: 30050 }] },
      'spec.ports[0].nodePort: Invalid value: 30050: provided port is already allocated',
    ],
    [
      'two families',
      { ipFamilyPolicy: 'RequireDualStack' },
      'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
    ],
    [
      'the other family',
      { ipFamilies: ['IPv6'] },
      'spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster',
    ],
  ])('rejects a service that cannot have what it requests: %s', (_, spec, why) => {
    const { create } = world()
    expect(
      create('first', { type: 'NodePort', clusterIP: '10.0.0.50', ports: [{ port: 80, nodePort: 30050 }] }),
    ).toBeTypeOf('object')
    expect(create('x', spec)).toBe(`Service "x" is invalid: ${why}`)
  })
})

it('keeps the address and the ports of a service if a client omits them', () => {
  const { create, merge } = world()
  const made = create('x', { type: 'NodePort' }) as Service
  const after = merge('x', {
    spec: { clusterIP: null, clusterIPs: null, ports: [{ port: 80, targetPort: 8080 }] },
  }) as Service
  expect(after.spec?.clusterIP).toBe(made.spec?.clusterIP)
  expect(after.spec?.ports?.[0]?.nodePort).toBe(made.spec?.ports?.[0]?.nodePort)
})

it('gives a headless service without selector both families', () => {
  const { create } = world()
  expect(create('x', { clusterIP: 'None' })).toMatchObject({
    spec: { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' },
  })
})

it('allocates a health check port for a local load balancer service, and releases it when the policy changes', () => {
  const { create, merge } = world()
  const made = create('x', { type: 'LoadBalancer', externalTrafficPolicy: 'Local' }) as Service
  expect(made.spec?.['healthCheckNodePort']).toBeGreaterThan(29_999)
  const after = merge('x', { spec: { externalTrafficPolicy: 'Cluster' } }) as Service
  expect(after.spec?.['healthCheckNodePort']).toBeUndefined()
})

it('keeps the traffic policy of a service while it is externally reachable, and drops it otherwise', () => {
  const { create, merge } = world()
  create('x', { type: 'NodePort' })
  const still = merge('x', { spec: { type: null, externalIPs: ['198.51.100.7'] } }) as Service
  expect(still.spec).toMatchObject({ type: 'ClusterIP', externalTrafficPolicy: 'Cluster' })
  const after = merge('x', { spec: { externalIPs: null } }) as Service
  expect(after.spec?.['externalTrafficPolicy']).toBeUndefined()
})

it('keeps the node port of a port by its name, unless the service no longer has node ports', () => {
  const { create, merge } = world()
  const made = create('x', { type: 'LoadBalancer', ports: [{ name: 'web', port: 80 }] }) as Service
  const after = merge('x', { spec: { ports: [{ name: 'web', port: 8080 }] } }) as Service
  expect(after.spec?.ports?.[0]).toMatchObject({ port: 8080, nodePort: made.spec?.ports?.[0]?.nodePort })
  const without = merge('x', {
    spec: { allocateLoadBalancerNodePorts: false, ports: [{ name: 'web', port: 8080 }] },
  }) as Service
  expect(without.spec?.ports?.[0]?.nodePort).toBeUndefined()
})

it('sets ipMode VIP for the address of a load balancer unless it is set', () => {
  const { create, report } = world()
  create('x', { type: 'LoadBalancer' })
  const after = report('x', { loadBalancer: { ingress: [{ ip: '198.51.100.7' }, { hostname: 'lb.example.com' }] } })
  expect(after).toMatchObject({
    status: { loadBalancer: { ingress: [{ ip: '198.51.100.7', ipMode: 'VIP' }, { hostname: 'lb.example.com' }] } },
  })
})
