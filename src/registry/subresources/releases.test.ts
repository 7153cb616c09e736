import { describe, expect, it } from 'vitest'
import type { Call, Outcome } from '../../api/call.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import { knownMinors, releaseOf, withFeatureGates } from '../../api/releases/release-of.ts'
import type { Fields } from '../../base/fields.ts'
import { createRandom } from '../../base/random.ts'
import { must } from '../../base/result.ts'
import { createStore } from '../../store/memory-store.ts'
import { createRegistry } from '../registry.ts'

function server(version: string, gates: ReadonlyMap<string, boolean> = new Map()) {
  const registry = createRegistry({
    store: createStore(),
    clock: { now: () => 1_700_000_000_000 },
    random: createRandom('subresources'),
    options: { release: must(withFeatureGates(must(releaseOf(version)), gates)) },
  })
  const create = (resource: string, object: Fields, more: Partial<Call> = {}): Outcome =>
    registry.call({ verb: 'create', resource, namespace: 'default', object, ...more } as unknown as Call)
  create('namespaces', { metadata: { name: 'default' } }, { namespace: undefined } as unknown as Partial<Call>)
  const status = (resource: string, name: string, status: Fields): Fields => {
    const target = { resource, name, ...(resource === 'nodes' ? {} : { namespace: 'default' }) }
    const found = registry.call({ verb: 'get', ...target } as Call)
    if (!found.ok || found.kind !== 'object') throw new Error(JSON.stringify(found))
    const object = { ...found.object, status } as KubeObject
    const outcome = registry.call({ verb: 'update', subresource: 'status', ...target, object } as Call)
    if (!outcome.ok || outcome.kind !== 'object') throw new Error(JSON.stringify(outcome))
    return (outcome.object as unknown as { status: Fields }).status
  }
  return { create, status, call: (request: Call): Outcome => registry.call(request) }
}

const labels = { app: 'a' }
const pod = (spec: Fields = {}): Fields => ({
  metadata: { name: 'p', labels },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
})

/** The code and the cause of a refused eviction, in each release. */
function evictions(budgetStatus: Fields): Readonly<Record<string, unknown>> {
  const ask = (version: string) => {
    const { create, status } = server(version)
    create('pods', pod())
    status('pods', 'p', { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] })
    const budget = { metadata: { name: 'b' }, spec: { minAvailable: 1, selector: { matchLabels: labels } } }
    create('poddisruptionbudgets.policy', budget)
    status('poddisruptionbudgets.policy', 'b', { observedGeneration: 1, ...budgetStatus })
    const refused = create('pods', { metadata: { name: 'p' } }, { subresource: 'eviction', name: 'p' })
    if (refused.ok) throw new Error('the pod was evicted')
    return [refused.status.code, refused.status.details?.causes?.[0]?.message]
  }
  return Object.fromEntries(knownMinors.map((minor) => [minor, ask(minor)]))
}

describe('an eviction that a budget refuses', () => {
  it('refuses an eviction with a cause in v1.37 even for a budget that was not created by this server', () => {
    const disruptedPods = Object.fromEntries(
      Array.from({ length: 2001 }, (_, i) => [`pod-${i}`, '2026-01-01T00:00:00Z']),
    )
    const counts = { currentHealthy: 3, desiredHealthy: 1, expectedPods: 3, disruptionsAllowed: 1 }
    const text =
      'The disruption budget b does not allow evicting pods currently: too many pending evictions not confirmed by PDB controller'
    expect(evictions({ ...counts, disruptedPods })).toEqual({
      '1.34': [403, undefined],
      '1.35': [403, undefined],
      '1.36': [403, undefined],
      '1.37': [403, text],
    })
  })

  it('quotes the condition of the budget that refuses an eviction since v1.35', () => {
    const condition = { type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed', message: 'no scale' }
    const conditions = [{ ...condition, lastTransitionTime: '2026-01-01T00:00:00Z' }]
    const counts = { currentHealthy: 3, desiredHealthy: 1, expectedPods: 3, disruptionsAllowed: 0 }
    const quoted = 'The disruption budget b does not allow evicting pods currently because it failed sync: no scale'
    expect(evictions({ ...counts, conditions })).toEqual({
      '1.34': [429, 'The disruption budget b needs 1 healthy pods and has 3 currently'],
      '1.35': [429, quoted],
      '1.36': [429, quoted],
      '1.37': [429, quoted],
    })
  })
})

it.each([
  ['1.36', undefined],
  ['1.37', [{ name: 'gpu', resourceClaimName: 'p-gpu-1' }]],
])('a status update without the claims of a pod leaves in v%s the claims %j', (version, expected) => {
  const { create, status } = server(version)
  const resourceClaims = [{ name: 'gpu', resourceClaimTemplateName: 't' }]
  expect(create('pods', pod({ resourceClaims })).ok).toBe(true)
  const resourceClaimStatuses = [{ name: 'gpu', resourceClaimName: 'p-gpu-1' }]
  expect(status('pods', 'p', { phase: 'Pending', resourceClaimStatuses })).toMatchObject({ resourceClaimStatuses })
  expect(status('pods', 'p', { phase: 'Running' })['resourceClaimStatuses']).toEqual(expected)
})

it.each([
  ['1.35', 'failed to allocate a serviceIP: range is full'],
  ['1.36', 'failed to allocate a serviceIP for Service "s7": range is full'],
])('v%s refuses a service if no address is free: %s', (version, expected) => {
  const { create } = server(version)
  create('servicecidrs.networking.k8s.io', { metadata: { name: 'kubernetes' }, spec: { cidrs: ['10.0.0.0/29'] } })
  const last = Array.from({ length: 7 }, (_, i) =>
    create('services', { metadata: { name: `s${i + 1}` }, spec: { ports: [{ port: 80 }] } }),
  ).at(-1)
  expect(last?.ok === false ? last.status.message : 'accepted').toBe(`Internal error occurred: ${expected}`)
})

it('drops the declared features of a new node if their gate is off, and keeps the features of a status update', () => {
  const { create, status } = server('1.35')
  const conditions = [{ type: 'Ready', status: 'True' }]
  const made = create('nodes', { metadata: { name: 'n' }, status: { declaredFeatures: ['A'], conditions } })
  expect(made.ok && made.kind === 'object' ? made.object : made).not.toHaveProperty('status.declaredFeatures')
  expect(status('nodes', 'n', { declaredFeatures: ['A'], conditions })['declaredFeatures']).toEqual(['A'])
})

it('drops the dynamic configuration of a new node', () => {
  const made = server('1.36').create('nodes', {
    metadata: { name: 'n' },
    status: { config: { error: 'e' }, phase: 'Running' },
  })
  expect(made).toMatchObject({ object: { status: { phase: 'Running' } } })
  expect(made).not.toHaveProperty('object.status.config')
})

describe('DeviceTaintRules', () => {
  const rule = (apiVersion: string): Fields => ({
    ...{ apiVersion, kind: 'DeviceTaintRule', metadata: { name: 'r' } },
    spec: { taint: { key: 'k', effect: 'NoSchedule' } },
  })
  const gates = new Map([['DRADeviceTaintRules', true]])

  it.each([
    ['1.36', 'v1beta2', true, 'object'],
    ['1.37', 'v1', false, 'status'],
  ])('v%s: a PUT of %s without a resourceVersion is accepted (%s), and DELETE returns the %s', (...row) => {
    const [release, version, isAccepted, answer] = row
    const { create, call } = server(release, gates)
    const target = { resource: 'devicetaintrules.resource.k8s.io', name: 'r', version }
    const object = rule(`resource.k8s.io/${version}`)
    expect(create(target.resource, object, { namespace: undefined, version } as unknown as Partial<Call>).ok).toBe(true)
    expect(call({ verb: 'update', ...target, object } as unknown as Call).ok).toBe(isAccepted)
    expect(call({ verb: 'delete', ...target })).toMatchObject({ ok: true, kind: answer })
  })
})

it.each([
  ['1.36', 'field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: spec.pool.name'],
  ['1.37', ['s1']],
])('v%s responds to a selector of slices by pool: %j', (version, expected) => {
  const { create, call } = server(version)
  for (const name of ['s1', 's2']) {
    const pool = { name: `pool-${name}`, generation: 1, resourceSliceCount: 1 }
    const spec = { driver: 'd.example.com', pool, nodeName: 'n', devices: [] }
    create('resourceslices.resource.k8s.io', { metadata: { name }, spec }, {
      namespace: undefined,
    } as unknown as Partial<Call>)
  }
  const fieldSelector = 'spec.pool.name=pool-s1'
  const listed = call({ verb: 'list', resource: 'resourceslices.resource.k8s.io', fieldSelector })
  const names = listed.ok && listed.kind === 'list' ? listed.items.map(({ metadata }) => metadata.name) : undefined
  expect(listed.ok ? names : listed.status.message).toEqual(expected)
})
