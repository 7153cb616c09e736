import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../api/call.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import { releaseOf } from '../../api/releases/release-of.ts'
import type { Fields } from '../../base/fields.ts'
import { createRandom } from '../../base/random.ts'
import { must } from '../../base/result.ts'
import { createStore } from '../../store/memory-store.ts'
import { createRegistry } from '../registry.ts'

function server(version: string) {
  const registry = createRegistry({
    store: createStore(),
    clock: { now: () => 0 },
    random: createRandom('lists'),
    options: { release: must(releaseOf(version)) },
  })
  const create = (resource: string, spec: Fields): Outcome =>
    registry.call({
      verb: 'create',
      resource,
      namespace: 'default',
      object: { metadata: { name: 'a' }, spec } as unknown as KubeObject,
    })
  registry.call({ verb: 'create', resource: 'namespaces', object: { metadata: { name: 'default' } } as KubeObject })
  const merge = (resource: string, spec: Fields): Outcome =>
    registry.call({
      verb: 'patch',
      resource,
      namespace: 'default',
      name: 'a',
      patch: { kind: 'merge', patch: { spec } as never },
    })
  return { create, merge }
}
const messageOf = (outcome: Outcome): string => (outcome.ok ? 'accepted' : (outcome.status.message ?? ''))
const specOf = (outcome: Outcome): unknown =>
  outcome.ok && outcome.kind === 'object' ? (outcome.object as unknown as Fields)['spec'] : messageOf(outcome)

const slices = 'resourceslices.resource.k8s.io'
const slice = (lists: Fields): Fields => ({
  driver: 'd.example.com',
  pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
  nodeName: 'n',
  ...lists,
})
const counters = [{ name: 's', counters: { memory: { value: '1' } } }]

describe('a list that is sent empty', () => {
  it.each([
    // Before v1.36 the gate of counters is off, so counters are dropped. v1.34 accepts both lists.
    ['1.34', 'accepted'],
    ['1.35', 'accepted'],
    ['1.36', 'only one of `sharedCounters` or `devices` is allowed'],
    ['1.37', 'only one of `sharedCounters` or `devices` is allowed'],
  ])('counts an empty list beside the other list of a slice in v%s', (version, answer) => {
    const { create, merge } = server(version)
    expect(messageOf(create(slices, slice({ sharedCounters: [], devices: [{ name: 'x' }] })))).toContain(answer)
    expect(messageOf(server(version).create(slices, slice({ sharedCounters: [], devices: [] })))).toContain(answer)
    create(slices, slice({ devices: [{ name: 'x' }] }))
    expect(messageOf(merge(slices, { sharedCounters: [] }))).toContain(answer)
  })

  it('drops empty lists from stored objects', () => {
    const made = specOf(server('1.37').create(slices, slice({ devices: [] })))
    expect(made).toEqual(slice({}))
    expect(specOf(server('1.37').create(slices, slice({ sharedCounters: counters })))).toMatchObject({
      sharedCounters: counters,
    })
    const claim = { devices: { requests: [], constraints: [], config: [] } }
    expect(specOf(server('1.37').create('resourceclaims.resource.k8s.io', claim))).toEqual({
      devices: { requests: null },
    })
  })

  it.each(['1.34', '1.37'])('refuses empty lists in the metadata of a claim template in v%s', (version) => {
    const spec = { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } }
    const template = { metadata: { finalizers: [], ownerReferences: [], labels: {} }, spec }
    const message = messageOf(server(version).create('resourceclaimtemplates.resource.k8s.io', template))
    expect(message).toContain('spec.metadata.finalizers: Forbidden: cannot be set')
    expect(message).toContain('spec.metadata.ownerReferences: Forbidden: cannot be set')
    expect(message).not.toContain('labels')
  })

  it.each(['1.34', '1.37'])('refuses an empty list of claims of a whole pod in v%s', (version) => {
    const containers = [{ name: 'c', image: 'i', resources: { claims: [] } }]
    const pod = (resources: Fields): Fields => ({ containers, resources })
    const why = 'resources.claims: Forbidden: claims may not be set for Resources at pod-level'
    const requests = { cpu: '1' }
    expect(messageOf(server(version).create('pods', pod({ requests, claims: [] })))).toContain(`spec.${why}`)
    expect(messageOf(server(version).create('pods', pod({ requests })))).toBe('accepted')
    const template = { metadata: { labels: { a: 'b' } }, spec: pod({ requests, claims: [] }) }
    const deployment = { selector: { matchLabels: { a: 'b' } }, template }
    expect(messageOf(server(version).create('deployments.apps', deployment))).toContain(`spec.template.spec.${why}`)
  })
})
