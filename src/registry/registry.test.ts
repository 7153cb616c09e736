import { expect, test } from 'vitest'
import type { Outcome } from '../api/call.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import type { Pod } from '../api/objects/pod.ts'
import { createRandom } from '../base/random.ts'
import { createStore } from '../store/memory-store.ts'
import type { Registry } from './contract.ts'
import { createRegistry } from './registry.ts'

function createWorld(): Registry {
  const registry = createRegistry({
    store: createStore(),
    clock: { now: () => 1_700_000_000_000 },
    random: createRandom(1),
  })
  registry.call({ verb: 'create', resource: 'namespaces', object: { metadata: { name: 'default' } } })
  return registry
}

function must<T extends KubeObject>(outcome: Outcome): T {
  if (!outcome.ok || outcome.kind !== 'object') throw new Error(JSON.stringify(outcome))
  return outcome.object as T
}

const pod = (name: string): Pod => ({ metadata: { name }, spec: { containers: [{ name: 'c', image: 'nginx' }] } })

test('gives a created object an identity, and rejects a second create', () => {
  const registry = createWorld()
  const call = { verb: 'create', resource: 'pods', namespace: 'default', object: pod('a') } as const
  const made = must<Pod>(registry.call(call))
  expect(made).toMatchObject({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a', namespace: 'default', generation: 1, creationTimestamp: '2023-11-14T22:13:20Z' },
  })
  expect(made.metadata.uid).toMatch(/^[0-9a-f-]{36}$/)
  expect(registry.call(call)).toMatchObject({ ok: false, status: { message: 'pods "a" already exists', code: 409 } })
})

test('requires the current resourceVersion for an update, and writes nothing if nothing changed', () => {
  const registry = createWorld()
  const made = must<Pod>(registry.call({ verb: 'create', resource: 'pods', namespace: 'default', object: pod('a') }))
  const put = (object: Pod) =>
    registry.call({ verb: 'update', resource: 'pods', namespace: 'default', name: 'a', object })
  expect(must<Pod>(put(made)).metadata.resourceVersion).toBe(made.metadata.resourceVersion)
  const labeled = must<Pod>(put({ ...made, metadata: { ...made.metadata, labels: { a: 'b' } } }))
  expect(labeled.metadata.labels).toEqual({ a: 'b' })
  expect(put({ ...made, metadata: { ...made.metadata, labels: { a: 'c' } } })).toMatchObject({
    status: {
      code: 409,
      message:
        'Operation cannot be fulfilled on pods "a": the object has been modified; please apply your changes to the latest version and try again',
    },
  })
})

test('binds a pod only once', () => {
  const registry = createWorld()
  must(registry.call({ verb: 'create', resource: 'pods', namespace: 'default', object: pod('a') }))
  const bind = (node: string) =>
    registry.call({
      verb: 'create',
      resource: 'pods',
      subresource: 'binding',
      namespace: 'default',
      name: 'a',
      object: { metadata: { name: 'a' }, target: { kind: 'Node', name: node } } as KubeObject,
    })
  expect(bind('n1')).toMatchObject({ ok: true, kind: 'status', status: { status: 'Success' } })
  const bound = must<Pod>(registry.call({ verb: 'get', resource: 'pods', namespace: 'default', name: 'a' }))
  expect(bound.spec.nodeName).toBe('n1')
  expect(bound.status?.conditions).toMatchObject([{ type: 'PodScheduled', status: 'True' }])
  expect(bind('n2')).toMatchObject({
    status: {
      reason: 'Conflict',
      message: 'Operation cannot be fulfilled on pods/binding "a": pod a is already assigned to node "n1"',
    },
  })
})

test('lists objects in pages of one revision', () => {
  const registry = createWorld()
  for (const name of ['a', 'b', 'c']) {
    must(registry.call({ verb: 'create', resource: 'pods', namespace: 'default', object: pod(name) }))
  }
  const first = registry.call({ verb: 'list', resource: 'pods', limit: 2 })
  if (!first.ok || first.kind !== 'list') throw new Error('no list')
  expect(first.items.map(({ metadata }) => metadata.name)).toEqual(['a', 'b'])
  expect(first.remainingItemCount).toBe(1)
  must(registry.call({ verb: 'create', resource: 'pods', namespace: 'default', object: pod('bb') }))
  const rest = registry.call({ verb: 'list', resource: 'pods', limit: 2, continue: first.continue ?? '' })
  if (!rest.ok || rest.kind !== 'list') throw new Error('no list')
  expect(rest.items.map(({ metadata }) => metadata.name)).toEqual(['c'])
  expect(rest.resourceVersion).toBe(first.resourceVersion)
  expect(rest.continue).toBeUndefined()
})
