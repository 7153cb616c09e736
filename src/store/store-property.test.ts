import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../api/objects/meta.ts'
import type { Store, StoreChange, StoreWrite } from './contract.ts'
import { createStore } from './memory-store.ts'

type State = ReadonlyMap<string, KubeObject>

/** The simplest model of the store: a complete copy for every revision. */
class Model {
  readonly states: State[]
  readonly changes: StoreChange[]
  readonly origin: number
  compacted: number

  constructor(origin = 0, state: State = new Map()) {
    this.origin = origin
    this.states = [state]
    this.changes = []
    this.compacted = origin
  }

  get revision(): number {
    return this.origin + this.changes.length
  }

  at(revision: number): State {
    return this.states[revision - this.origin] as State
  }

  commit(writes: readonly StoreWrite[]): string | undefined {
    const states: State[] = []
    const changes: StoreChange[] = []
    let state = this.at(this.revision)
    for (const write of writes) {
      const path = `${write.resource} ${write.key}`
      const before = state.get(path)
      if (write.kind === 'create' && before !== undefined) return 'exists'
      if (write.kind !== 'create' && before === undefined) return 'missing'
      if (write.kind !== 'create' && write.expect !== undefined) {
        if (write.expect !== before?.metadata.resourceVersion) return 'conflict'
      }
      const revision = this.revision + states.length + 1
      const stamped = (object: KubeObject) => ({
        ...object,
        metadata: { ...object.metadata, resourceVersion: `${revision}` },
      })
      const next = new Map(state)
      const place = { resource: write.resource, key: write.key, revision }
      if (write.kind === 'delete') {
        next.delete(path)
        changes.push({ ...place, before: before as KubeObject, last: stamped(before as KubeObject) })
      } else {
        const after = stamped(write.object)
        next.set(path, after)
        changes.push(before === undefined ? { ...place, after } : { ...place, before, after })
      }
      states.push(next)
      state = next
    }
    this.states.push(...states)
    this.changes.push(...changes)
    return undefined
  }

  list(resource: string, revision: number, namespace?: string, from = ''): readonly KubeObject[] | 'compacted' {
    if (revision < this.compacted) return 'compacted'
    const prefix = `${resource} ${namespace === undefined ? '' : `${namespace}/`}`
    const first = `${resource} ${from}`
    const paths = [...this.at(revision).keys()].filter((path) => path.startsWith(prefix) && path >= first)
    return paths.sort().map((path) => this.at(revision).get(path) as KubeObject)
  }

  since(revision: number): readonly StoreChange[] {
    return this.changes.slice(revision - this.origin)
  }
}

interface Pair {
  readonly store: Store
  readonly model: Model
  readonly watches: { readonly from: number; readonly seen: StoreChange[] }[]
}

const resources = ['nodes', 'pods']
const keys = ['a/x', 'a/y', 'a-b/x', 'b/x', 'b/y', 'b/z', 'x', 'a0/x']
const historyLimit = 12

const write = fc.record({
  kind: fc.constantFrom('create', 'update', 'update', 'delete'),
  resource: fc.constantFrom(...resources),
  key: fc.constantFrom(...keys),
  mark: fc.nat(3),
  expect: fc.constantFrom('none', 'none', 'current', 'stale'),
})
const step = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ do: fc.constant('commit'), writes: fc.array(write, { minLength: 1, maxLength: 4 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('fork') }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('watch'), back: fc.nat(15) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('compact'), back: fc.nat(15) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('list'),
      back: fc.nat(15),
      from: fc.constantFrom('', ...keys, 'b/x\u0000'),
    }),
  },
)
interface Step {
  readonly do: string
  readonly writes?: readonly (typeof write extends fc.Arbitrary<infer W> ? W : never)[]
  readonly back?: number
  readonly from?: string
}

function toWrite(pair: Pair, drawn: NonNullable<Step['writes']>[number]): StoreWrite {
  const { kind, resource, key, mark } = drawn
  const current = pair.model.at(pair.model.revision).get(`${resource} ${key}`)?.metadata.resourceVersion
  const expected = drawn.expect === 'current' ? current : drawn.expect === 'stale' ? '0' : undefined
  const optional = expected === undefined ? {} : { expect: expected }
  const object: KubeObject = { kind: 'Thing', metadata: { name: key, labels: { mark: `${mark}` } } }
  if (kind === 'create') return { kind, resource, key, object }
  return kind === 'delete'
    ? { kind, resource, key, ...optional }
    : { kind: 'update', resource, key, object, ...optional }
}

function compareRange(
  { store, model }: Pair,
  resource: string,
  revision: number,
  namespace: string | undefined,
  from: string,
): void {
  const range = store.range(resource, { from, revision, ...(namespace === undefined ? {} : { namespace }) })
  const read =
    range === 'compacted'
      ? range
      : Array.from({ length: range.count }, (_, index) => ({ key: range.key(index), object: range.object(index) }))
  const expected = model.list(resource, revision, namespace, from)
  expect(read).toEqual(
    expected === 'compacted' ? expected : expected.map((object) => ({ key: object.metadata.name, object })),
  )
}

function run(pair: Pair, { do: what, writes = [], back = 0, from = '' }: Step): Pair | undefined {
  const { store, model, watches } = pair
  const revision = Math.max(model.origin, model.revision - back)
  switch (what) {
    case 'commit': {
      const transaction = writes.map((drawn) => toWrite(pair, drawn))
      const refused = model.commit(transaction)
      const result = store.commit(transaction)
      expect(result.ok ? undefined : result.refusal.kind).toBe(refused)
      model.compacted = Math.max(model.compacted, model.revision - historyLimit)
      return undefined
    }
    case 'watch': {
      const seen: StoreChange[] = []
      const handle = store.watch((changes) => seen.push(...changes), revision)
      expect(handle === 'compacted').toBe(revision < model.compacted)
      if (handle !== 'compacted') watches.push({ from: revision, seen })
      return undefined
    }
    case 'compact':
      store.compact(revision)
      model.compacted = Math.max(model.compacted, revision)
      return undefined
    case 'list':
      for (const resource of resources) {
        for (const namespace of [undefined, 'a', 'b']) compareRange(pair, resource, revision, namespace, from)
      }
      return undefined
    default:
      return { store: store.fork(), model: new Model(model.revision, model.at(model.revision)), watches: [] }
  }
}

function compare({ store, model, watches }: Pair): void {
  expect(store.revision).toBe(model.revision)
  expect(store.compactedRevision).toBe(model.compacted)
  for (const resource of resources) {
    expect(store.list(resource)).toEqual(model.list(resource, model.revision))
    expect(store.count(resource)).toBe(model.list(resource, model.revision).length)
    for (const namespace of ['a', 'b']) {
      expect(store.list(resource, { namespace })).toEqual(model.list(resource, model.revision, namespace))
    }
    for (const key of keys) expect(store.get(resource, key)).toEqual(model.at(model.revision).get(`${resource} ${key}`))
  }
  for (const { from, seen } of watches) expect(seen).toEqual(model.since(from))
}

describe('the store', () => {
  it('a store and its forks behave like a complete copy per revision', {
    timeout: 60_000,
  }, () => {
    const history = fc.array(fc.tuple(fc.nat(5), step), { minLength: 1, maxLength: 80, size: 'max' })
    fc.assert(
      fc.property(history, (steps) => {
        const pairs: Pair[] = [{ store: createStore({ historyLimit }), model: new Model(), watches: [] }]
        for (const [which, drawn] of steps) {
          const fork = run(pairs[which % pairs.length] as Pair, drawn as Step)
          if (fork !== undefined) pairs.push(fork)
        }
        for (const pair of pairs) compare(pair)
      }),
      { numRuns: 150 },
    )
  })
})
