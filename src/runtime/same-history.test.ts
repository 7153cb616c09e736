import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createFaultyClient, type Fault } from '../../test/doubles/faulty-client.ts'
import { letTimePass } from '../../test/doubles/manual-time.ts'
import type { Call } from '../api/call.ts'
import type { ConfigMap } from '../api/objects/cluster.ts'
import { clusterPorts } from '../client/cluster-ports.fixture.ts'
import { createObject, deleteObject, patchObject, updateObject } from './actions.ts'
import { describeCall } from './call-text.ts'
import type { Controller } from './controller.ts'
import { createReconcilerController, itself } from './reconciler.ts'
import { createRunDriver } from './run-driver.ts'
import { createStepDriver } from './step-driver.ts'

// Three controllers over config maps that depend on each other's work, as workload controllers do: `sets` maintains the
// number of children that a set wants and counts the ready ones, `starter` makes children ready after a delay, `expiry`
// deletes ready children that are marked to end.

const data = (object: ConfigMap | undefined, field: string): string | undefined => object?.data?.[field]
const ownerOf = (object: ConfigMap | undefined): string | undefined => object?.metadata.labels?.['set']

function childrenOf(set: string, all: readonly ConfigMap[]): ConfigMap[] {
  return all.filter((object) => ownerOf(object) === set)
}

const sets = (): Controller =>
  createReconcilerController({
    name: 'sets',
    wakes: {
      configmaps: ({ key, before, after }) => {
        const owners = [ownerOf(before), ownerOf(after)].filter((owner) => owner !== undefined)
        return [key, ...owners.map((owner) => `default/${owner}`)]
      },
    },
    reconcile(key, { view, ids }) {
      const set = view.get('configmaps', key)
      const name = key.slice('default/'.length)
      const children = childrenOf(name, view.list('configmaps', 'default'))
      if (set !== undefined && data(set, 'replicas') === undefined) return {}
      const wanted = Number(data(set, 'replicas') ?? 0)
      const surplus = children.filter((child) => Number(data(child, 'index')) >= wanted)
      const there = new Set(children.map((child) => data(child, 'index')))
      const missing = Array.from({ length: wanted }, (_, i) => String(i)).filter((index) => !there.has(index))
      const actions = [
        ...surplus.map((object) => deleteObject(ids, { resource: 'configmaps', object })),
        ...missing.map((index) => createObject(ids, { resource: 'configmaps', object: child(name, index) })),
      ]
      const ready = String(children.filter((one) => data(one, 'ready') === 'yes').length)
      if (set !== undefined && data(set, 'readyCount') !== ready) {
        const next = { ...set, data: { ...set.data, readyCount: ready } }
        actions.push(updateObject(ids, { resource: 'configmaps', object: next }))
      }
      return { actions }
    },
  })

const starter = (): Controller => {
  const startAt = new Map<string, number>()
  return createReconcilerController({
    name: 'starter',
    wakes: { configmaps: itself },
    reconcile(key, { view, ids, now }) {
      const object = view.get('configmaps', key)
      if (object === undefined || ownerOf(object) === undefined || data(object, 'ready') === 'yes') {
        startAt.delete(key)
        return {}
      }
      const dueAt = startAt.get(key) ?? now + 1000
      startAt.set(key, dueAt)
      if (now < dueAt) return { wakeAt: dueAt }
      const patch = { kind: 'merge', patch: { data: { ready: 'yes' } } } as const
      return { actions: [patchObject(ids, { resource: 'configmaps', object, patch })] }
    },
  })
}

const expiry = (): Controller =>
  createReconcilerController({
    name: 'expiry',
    wakes: { configmaps: itself },
    reconcile(key, { view, ids }) {
      const object = view.get('configmaps', key)
      if (object === undefined || data(object, 'end') === undefined || data(object, 'ready') !== 'yes') return {}
      return { actions: [deleteObject(ids, { resource: 'configmaps', object })] }
    },
  })

const child = (set: string, index: string): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: `${set}-${index}`, namespace: 'default', labels: { set } },
  data: { index },
})

const at = { resource: 'configmaps', namespace: 'default' } as const

type Deed =
  | { readonly kind: 'scale'; readonly set: string; readonly replicas: number }
  | { readonly kind: 'remove'; readonly name: string }
  | { readonly kind: 'end'; readonly name: string }
  | { readonly kind: 'wait'; readonly ms: number }

function callsFor(deed: Deed): Call[] {
  switch (deed.kind) {
    case 'scale': {
      const metadata = { name: deed.set, namespace: 'default' }
      const wanted = { replicas: String(deed.replicas) }
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: wanted } as ConfigMap
      return [
        { verb: 'create', ...at, object },
        { verb: 'patch', ...at, name: deed.set, patch: { kind: 'merge', patch: { data: wanted } } },
      ]
    }
    case 'remove':
      return [{ verb: 'delete', ...at, name: deed.name }]
    case 'end':
      return [{ verb: 'patch', ...at, name: deed.name, patch: { kind: 'merge', patch: { data: { end: 'yes' } } } }]
    case 'wait':
      return []
  }
}

function ports(faults: readonly number[]) {
  const { store, clock, random, client: outside } = clusterPorts(['default'], 'history')
  // Whether a call fails depends on the call and its number of attempts, so that both drivers see the same failures.
  const tried = new Map<string, number>()
  const client = createFaultyClient(outside, (call): Fault => {
    if (call.verb === 'list' || call.verb === 'get') return 'none'
    const text = describeCall(call)
    const count = tried.get(text) ?? 0
    tried.set(text, count + 1)
    if (count >= 3) return 'none'
    let hash = count * 7
    for (let i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) >>> 0
    const draw = faults[hash % faults.length] ?? 9
    return draw === 0 ? 'refused' : draw === 1 ? 'answer-lost' : 'none'
  })
  const finalState = () =>
    store.list('configmaps').map((object) => ({ name: object.metadata.name, data: (object as ConfigMap).data ?? {} }))
  return { store, clock, random, outside, client, finalState, controllers: [sets(), starter(), expiry()] }
}

const restMs = 600_000

function byStepDriver(history: readonly Deed[], faults: readonly number[]) {
  const { store, clock, random, outside, client, finalState, controllers } = ports(faults)
  const driver = createStepDriver({ client, source: store, clock, random, controllers })
  for (const deed of history) {
    for (const call of callsFor(deed)) outside.callNow(call)
    if (deed.kind === 'wait') driver.advance(deed.ms)
  }
  driver.advance(restMs)
  return finalState()
}

async function byRunDriver(history: readonly Deed[], faults: readonly number[], breaks: readonly number[]) {
  const { store, clock, random, outside, client, finalState, controllers } = ports(faults)
  const driver = createRunDriver({ client, clock, random, controllers, maxInFlight: 4 })
  driver.start()
  for (const [i, deed] of history.entries()) {
    // The connection also fails: watches end, are reset, or must restart from an expired version.
    const trouble = breaks[i]
    if (trouble === 0) client.endWatches()
    if (trouble === 1) client.endWatches(new Error('connection reset'))
    if (trouble === 2) client.cut()
    if (trouble === 3) client.restore()
    for (const call of callsFor(deed)) outside.callNow(call)
    if (trouble === 1) store.compact(store.revision)
    if (deed.kind === 'wait') await letTimePass(driver, clock, deed.ms)
  }
  client.restore()
  await letTimePass(driver, clock, restMs)
  await driver.stop()
  return finalState()
}

const setName = fc.constantFrom('a', 'b')
const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({ kind: fc.constant('scale' as const), set: setName, replicas: fc.nat(4) }),
  fc.record({ kind: fc.constant('remove' as const), name: fc.constantFrom('a', 'b', 'a-0', 'a-1', 'b-0', 'b-2') }),
  fc.record({ kind: fc.constant('end' as const), name: fc.constantFrom('a-0', 'a-1', 'b-0') }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(0, 1, 700, 1500, 40_000) }),
)

it('one history leads to the same final state with both drivers', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(deed, { minLength: 1, maxLength: 14 }),
      fc.array(fc.nat(6), { minLength: 1, maxLength: 7 }),
      fc.array(fc.nat(9), { maxLength: 14 }),
      async (history, faults, breaks) => {
        const stepped = byStepDriver(history, faults)
        expect(await byRunDriver(history, faults, breaks)).toEqual(stepped)
        for (const { name, data: held } of stepped) {
          if (held['replicas'] === undefined) continue
          expect([name, held['readyCount']]).toEqual([name, held['replicas']])
        }
      },
    ),
    { numRuns: 400 },
  )
}, 30_000)

it('the same input gives the same history, including names and versions', () => {
  const history: Deed[] = [
    { kind: 'scale', set: 'a', replicas: 3 },
    { kind: 'wait', ms: 1500 },
    { kind: 'end', name: 'a-1' },
    { kind: 'wait', ms: 700 },
    { kind: 'scale', set: 'a', replicas: 1 },
  ]
  const trace = () => {
    const { store, clock, random, outside, client, controllers } = ports([0, 5, 1, 5, 5])
    const driver = createStepDriver({ client, source: store, clock, random, controllers })
    const lines: string[] = []
    driver.onChanges((changes, by, now) => {
      for (const { key, after, before } of changes) {
        lines.push(`${now} ${by} ${key} ${after?.metadata.resourceVersion} ${(after ?? before)?.metadata.uid}`)
      }
    })
    for (const one of history) {
      for (const call of callsFor(one)) outside.callNow(call)
      if (one.kind === 'wait') driver.advance(one.ms)
    }
    driver.advance(restMs)
    return lines
  }
  const first = trace()
  expect(first.length).toBeGreaterThan(10)
  expect(trace()).toEqual(first)
})
