import { expect, it } from 'vitest'
import type { Call } from '../../api/call.ts'
import type { StringMap } from '../../api/objects/meta.ts'
import type { Fields } from '../../base/fields.ts'
import { createRandom } from '../../base/random.ts'
import { createStore } from '../../store/memory-store.ts'
import { createRegistry } from '../registry.ts'

const zone = 'topology.kubernetes.io/zone'
const region = 'topology.kubernetes.io/region'

/** Nodes with these labels, and a function that creates a pod, binds it to a node, and returns its labels. */
function clusterOf(nodes: Readonly<Record<string, StringMap>>) {
  const registry = createRegistry({
    store: createStore(),
    clock: { now: () => 1_700_000_000_000 },
    random: createRandom('binding'),
  })
  const create = (resource: string, object: Fields, more: Fields = {}): void => {
    const outcome = registry.call({ verb: 'create', resource, object, ...more } as unknown as Call)
    if (!outcome.ok) throw new Error(outcome.status.message)
  }
  create('namespaces', { metadata: { name: 'default' } })
  for (const [name, labels] of Object.entries(nodes)) create('nodes', { metadata: { name, labels } })
  return (name: string, labels: StringMap | undefined, node: string): StringMap | undefined => {
    const namespace = 'default'
    const metadata = labels === undefined ? { name } : { name, labels }
    create('pods', { metadata, spec: { containers: [{ name: 'c', image: 'i' }] } }, { namespace })
    create('pods', { metadata: { name }, target: { name: node } }, { namespace, name, subresource: 'binding' })
    const found = registry.call({ verb: 'get', resource: 'pods', namespace, name })
    return found.ok && found.kind === 'object' ? found.object.metadata.labels : undefined
  }
}

it('gives a pod the zone and region of its node, after its own labels', () => {
  const bind = clusterOf({ a: { [zone]: 'a', [region]: 'r' }, b: { [zone]: 'b' }, c: { [region]: 'b' }, d: { x: 'y' } })
  const labels = { app: 'web', [zone]: 'own' }
  const bound = ['a', 'b', 'a', 'c', 'd'].map((node, i) => JSON.stringify(bind(`p${i}`, labels, node)))
  expect(bound).toEqual([
    `{"app":"web","${zone}":"a","${region}":"r"}`,
    `{"app":"web","${zone}":"b"}`,
    `{"app":"web","${zone}":"a","${region}":"r"}`,
    `{"app":"web","${zone}":"own","${region}":"b"}`,
    `{"app":"web","${zone}":"own"}`,
  ])
  expect(bind('bare', undefined, 'b')).toEqual({ [zone]: 'b' })
})

it('gives pods that share their labels the same labels in each of many zones', () => {
  const zones = Array.from({ length: 12 }, (_, i) => `zone-${i}`)
  const bind = clusterOf(Object.fromEntries(zones.map((name) => [name, { [zone]: name }])))
  const labels = { app: 'web' }
  const first = zones.map((name) => bind(`a-${name}`, labels, name))
  expect(first).toEqual(zones.map((name) => ({ app: 'web', [zone]: name })))
  expect(bind('b', labels, 'zone-11')).toBe(first[11])
  expect(bind('c', labels, 'zone-0')).toEqual(first[0])
})
