import { expect, test } from 'vitest'
import type { Call, CreateCall, Outcome, PatchCall } from '../api/call.ts'
import type { JsonObject, KubeObject } from '../api/objects/meta.ts'
import { createRandom } from '../base/random.ts'
import { maxValues } from '../base/value-limits.ts'
import { createStore } from '../store/memory-store.ts'
import type { PendingCall } from './contract.ts'
import { createRegistry } from './registry.ts'

function newRegistry() {
  const registry = createRegistry({
    store: createStore(),
    clock: { now: () => Date.UTC(2026, 0, 1) },
    random: createRandom(1),
    options: { managedFields: 'all', goOrder: true, serviceAccounts: 'default-follows' },
  })
  registry.call({ verb: 'create', resource: 'namespaces', object: { metadata: { name: 'default' } } as KubeObject })
  return registry
}

const members = (n: number, value: string): JsonObject =>
  Object.fromEntries(Array.from({ length: n }, (_, i) => [`key-${i}`, value]))
const create = (resource: string, object: JsonObject): CreateCall => ({
  verb: 'create',
  resource,
  namespace: 'default',
  object: object as unknown as KubeObject,
  fieldManager: 'test',
})
const patch = (resource: string, of: JsonObject, kind: 'merge' | 'apply' = 'merge'): PatchCall => ({
  verb: 'patch',
  resource,
  namespace: 'default',
  name: 'a',
  fieldManager: 'other',
  patch: kind === 'merge' ? { kind, patch: of } : { kind, object: of, force: true },
})
const map = { metadata: { name: 'a', labels: members(100, 'x') }, data: members(100, 'y') }
const pod = {
  metadata: { name: 'a' },
  spec: { containers: Array.from({ length: 50 }, (_, i) => ({ name: `c${i}`, image: 'x' })) },
}

/** Runs a call in turns, and something else after each turn. */
function inTurns(registry: ReturnType<typeof newRegistry>, call: Call, between: (turn: number) => void = () => {}) {
  let outcome: Outcome | PendingCall = registry.begin(call, undefined, undefined, undefined, true)
  let turns = 1
  while ('asks' in outcome) {
    expect(outcome.asks).toEqual([])
    between(turns++)
    outcome = outcome.resume([])
  }
  return { outcome, turns }
}

test.each<readonly [string, readonly Call[]]>([
  ['a create of a config map', [create('configmaps', map)]],
  ['a create of a pod', [create('pods', pod)]],
  ['a create that is refused', [create('configmaps', { ...map, data: members(10, 'y'), metadata: { name: 'A' } })]],
  [
    'an update',
    [create('configmaps', map), { ...create('configmaps', { ...map, data: {} }), verb: 'update', name: 'a' }],
  ],
  ['a merge patch', [create('configmaps', map), patch('configmaps', { data: members(200, 'z') })]],
  ['a merge patch of a pod', [create('pods', pod), patch('pods', { metadata: { labels: members(200, 'z') } })]],
  ['a merge patch that is refused', [create('pods', pod), patch('pods', { spec: { containers: [] } })]],
  [
    'an apply',
    [
      create('configmaps', map),
      patch('configmaps', { apiVersion: 'v1', kind: 'ConfigMap', data: members(9, 'z') }, 'apply'),
    ],
  ],
  ['an apply that creates', [patch('configmaps', { apiVersion: 'v1', kind: 'ConfigMap', ...map }, 'apply')]],
])('gives %s the same outcome in turns as at once', (_, calls) => {
  const [once, turned] = [newRegistry(), newRegistry()]
  for (const call of calls) {
    const expected = once.call(call)
    const { outcome, turns } = inTurns(turned, call)
    expect(outcome).toEqual(expected)
    expect(JSON.stringify(outcome)).toBe(JSON.stringify(expected))
    expect(turns).toBeGreaterThan(2)
  }
  expect(turned.store.list(calls[0]?.resource ?? '')).toEqual(once.store.list(calls[0]?.resource ?? ''))
})

test('refuses a create if its namespace is deleted between two turns', () => {
  const registry = newRegistry()
  const { outcome } = inTurns(registry, create('configmaps', map), (turn) => {
    if (turn === 3) registry.store.commit([{ kind: 'delete', resource: 'namespaces', key: 'default' }])
  })
  expect(outcome).toMatchObject({ ok: false, status: { code: 404 } })
})

test('patches the object that is stored when the last turn ends', () => {
  const registry = newRegistry()
  registry.call(create('configmaps', map))
  const { outcome } = inTurns(registry, patch('configmaps', { data: { mine: '1' } }), (turn) => {
    if (turn === 4) registry.call(patch('configmaps', { data: { others: '2' } }))
  })
  expect(outcome).toMatchObject({ ok: true, object: { data: { mine: '1', others: '2', 'key-0': 'y' } } })
})

test('ends a request whose object changes after every turn', () => {
  const registry = newRegistry()
  registry.call(create('configmaps', map))
  const { outcome, turns } = inTurns(registry, patch('configmaps', { data: { mine: '1' } }), (turn) => {
    registry.call(patch('configmaps', { data: { others: String(turn) } }))
  })
  expect(outcome).toMatchObject({ ok: true, object: { data: { mine: '1', others: String(turns - 1) } } })
  expect(turns).toBeLessThan(50)
})

test('runs a small change of an object that was written in turns in turns, too', () => {
  const registry = newRegistry()
  inTurns(registry, create('configmaps', map))
  const started = registry.begin(patch('configmaps', { data: { b: 'c' } }))
  expect(started).toMatchObject({ asks: [] })
  registry.call({ verb: 'delete', resource: 'configmaps', namespace: 'default', name: 'a' })
  registry.call(create('configmaps', map))
  expect(registry.begin(patch('configmaps', { data: { b: 'c' } }))).toMatchObject({ ok: true })
})

test('refuses a patch that makes an object larger than a body may be', () => {
  const registry = newRegistry()
  const part = (n: number) => ({ metadata: { annotations: Object.fromEntries([[`a${n}`, 'x']]) }, data: {} })
  const quarter = Math.floor(maxValues / 4)
  const data = (from: number) => Object.fromEntries(Array.from({ length: quarter }, (_, i) => [`key-${from + i}`, '']))
  const widget = { metadata: { name: 'a' }, data: data(0) }
  expect(registry.call(create('configmaps', widget))).toMatchObject({ ok: true })
  expect(registry.call(patch('configmaps', { binaryData: {}, metadata: { labels: data(0) } }))).toMatchObject({
    ok: true,
  })
  expect(registry.call(patch('configmaps', { metadata: { annotations: data(0) } }))).toMatchObject({ ok: true })
  const list = Array.from({ length: quarter }, (_, i) => `example.com/f${i}`)
  expect(registry.call(patch('configmaps', { metadata: { finalizers: list } }))).toMatchObject({
    ok: false,
    status: { code: 413, message: expect.stringContaining('the patched object exceeded max number of members') },
  })
  expect(registry.call(patch('configmaps', part(1)))).toMatchObject({ ok: true })
})
