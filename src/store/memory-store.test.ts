import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../api/objects/meta.ts'
import type { Store, StoreChange, StoreWrite } from './contract.ts'
import { createStore } from './memory-store.ts'

const pod = (name: string, mark = ''): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: name.split('/')[0] ?? '', labels: { mark } },
})
const create = (key: string, mark = ''): StoreWrite => ({
  kind: 'create',
  resource: 'pods',
  key,
  object: pod(key, mark),
})
const update = (key: string, mark: string, expected?: string): StoreWrite => ({
  kind: 'update',
  resource: 'pods',
  key,
  object: pod(key, mark),
  ...(expected === undefined ? {} : { expect: expected }),
})
const remove = (key: string, expected?: string): StoreWrite => ({
  kind: 'delete',
  resource: 'pods',
  key,
  ...(expected === undefined ? {} : { expect: expected }),
})
const names = (objects: readonly KubeObject[] | 'compacted') =>
  objects === 'compacted' ? objects : objects.map((object) => object.metadata.name)
const revisions = (changes: readonly StoreChange[]) => changes.map((change) => change.revision)

function storeOf(...keys: readonly string[]): Store {
  const store = createStore()
  store.commit(keys.map((key) => create(key)))
  return store
}

function listAt(store: Store, revision: number): readonly KubeObject[] | 'compacted' {
  const range = store.range('pods', { revision })
  return range === 'compacted' ? range : Array.from({ length: range.count }, (_, index) => range.object(index))
}

describe('a commit', () => {
  it('gives each write its own revision and stamps it on the object', () => {
    const store = createStore()
    const given = pod('a/x')
    const result = store.commit([{ kind: 'create', resource: 'pods', key: 'a/x', object: given }, create('a/y')])
    expect(result.ok && revisions(result.changes)).toEqual([1, 2])
    expect(store.get('pods', 'a/y')).toEqual({
      ...pod('a/y'),
      metadata: { ...pod('a/y').metadata, resourceVersion: '2' },
    })
    expect(given.metadata.resourceVersion).toBeUndefined()
    expect(store.revision).toBe(2)
  })

  it('reports the state before and after each write', () => {
    const store = storeOf('a/x')
    const before = store.get('pods', 'a/x')
    const updated = store.commit([update('a/x', 'new')])
    const after = store.get('pods', 'a/x')
    expect(updated.ok && updated.changes[0]).toEqual({ resource: 'pods', key: 'a/x', revision: 2, before, after })
    const deleted = store.commit([remove('a/x')])
    const last = { ...after, metadata: { ...after?.metadata, resourceVersion: '3' } }
    expect(deleted.ok && deleted.changes[0]).toEqual({ resource: 'pods', key: 'a/x', revision: 3, before: after, last })
  })

  it.each([
    ['a creation of an existing object', create('a/x'), 'exists'],
    ['an update of a missing object', update('a/z', ''), 'missing'],
    ['an update of another version', update('a/x', '', '7'), 'conflict'],
    ['a deletion of a missing object', remove('a/z'), 'missing'],
    ['a deletion of another version', remove('a/x', '7'), 'conflict'],
  ])('refuses a commit with %s', (_, write, kind) => {
    const store = storeOf('a/x')
    const current = store.get('pods', write.key)
    expect(store.commit([write])).toEqual({
      ok: false,
      refusal: { kind, write, ...(current === undefined ? {} : { current }) },
    })
  })

  it('applies all writes of a commit or none', () => {
    const store = storeOf('a/x', 'a/y')
    const before = store.list('pods')
    const shown: StoreChange[] = []
    store.watch((changes) => shown.push(...changes))
    const result = store.commit([update('a/x', 'new'), create('a/z'), remove('a/y'), create('a/y'), create('a/z')])
    expect(result.ok).toBe(false)
    expect(store.list('pods')).toEqual(before)
    expect(store.revision).toBe(2)
    expect(shown).toEqual([])
  })

  it('lets a later write of the same transaction build on an earlier one', () => {
    const store = createStore()
    expect(store.commit([create('a/x'), update('a/x', 'new', '1'), remove('a/x', '2')]).ok).toBe(true)
    expect(store.count('pods')).toBe(0)
    expect(store.revision).toBe(3)
  })

  it('refuses a commit that exceeds the number of objects, and accepts a commit that adds none', () => {
    const store = createStore({ limits: { maxObjects: 1 } })
    store.commit([create('a/x')])
    const refused = store.commit([create('a/y')])
    expect(refused).toMatchObject({
      ok: false,
      refusal: { kind: 'full', message: expect.stringContaining('1 objects') },
    })
    expect(store.commit([update('a/x', 'new')]).ok).toBe(true)
    expect(store.fork().commit([create('a/y')]).ok).toBe(false)
    expect(store.commit([remove('a/x'), create('a/y')]).ok).toBe(true)
  })

  it('refuses a commit that exceeds the bytes, and does not count it', () => {
    const store = createStore({ limits: { maxBytes: 2000 } })
    store.commit([create('a/x')])
    expect(store.commit([update('a/x', 'm'.repeat(50)), create('a/y', 'm'.repeat(1500))])).toMatchObject({
      ok: false,
      refusal: { kind: 'full' },
    })
    expect(store.commit([create('a/y')]).ok).toBe(true)
    expect(store.commit([remove('a/x'), remove('a/y'), create('a/z')]).ok).toBe(true)
  })
})

describe('a list', () => {
  it('lists objects in key order, independent of the order of creation', () => {
    const store = storeOf('b/x', 'a/y', 'a-b/x', 'a/x')
    expect(names(store.list('pods'))).toEqual(['a-b/x', 'a/x', 'a/y', 'b/x'])
  })

  it('lists the objects of one namespace, without a namespace that has the same prefix', () => {
    const store = storeOf('a/y', 'ab/x', 'a-b/x', 'a/x', 'a0/x')
    expect(names(store.list('pods', { namespace: 'a' }))).toEqual(['a/x', 'a/y'])
    expect(store.list('pods', { namespace: 'b' })).toEqual([])
  })

  it('does not change a list that a caller holds', () => {
    const store = storeOf('a/x')
    const held = store.list('pods')
    store.commit([create('a/a'), update('a/x', 'new')])
    expect(names(held)).toEqual(['a/x'])
    expect(store.list('pods')).toHaveLength(2)
  })

  it('returns the names of the resources that have objects', () => {
    const store = createStore()
    store.commit([{ kind: 'create', resource: 'nodes', key: 'n', object: pod('n') }, create('a/x')])
    expect(store.resources()).toEqual(['nodes', 'pods'])
    store.commit([remove('a/x')])
    expect(store.resources()).toEqual(['nodes'])
  })

  it('keeps no key of deleted objects, even after many deletions', () => {
    const store = createStore({ historyLimit: 10 })
    for (let round = 0; round < 10_000; round++) store.commit([create(`a/${round}`), remove(`a/${round}`)])
    store.commit([create('a/x')])
    expect(names(store.list('pods'))).toEqual(['a/x'])
  })
})

describe('a watch', () => {
  it('delivers a commit to watches within the call', () => {
    const store = storeOf('a/x')
    const shown: number[][] = []
    store.watch((changes) => shown.push(revisions(changes)))
    store.commit([create('a/y'), create('a/z')])
    expect(shown).toEqual([[2, 3]])
  })

  it('starts a watch with the changes that it missed', () => {
    const store = storeOf('a/x', 'a/y', 'a/z')
    const shown: number[] = []
    store.watch((changes) => shown.push(...revisions(changes)), 1)
    store.commit([remove('a/x')])
    expect(shown).toEqual([2, 3, 4])
  })

  it('ends a watch when it is canceled, even during a delivery', () => {
    const store = storeOf('a/x')
    const shown: number[] = []
    const handles: { readonly cancel: () => void }[] = []
    store.watch(() => handles[0]?.cancel())
    const handle = store.watch((changes) => shown.push(...revisions(changes)))
    if (handle !== 'compacted') handles.push(handle)
    store.commit([update('a/x', 'new')])
    expect(shown).toEqual([])
  })

  it('delivers changes in order even if another watcher writes during a delivery', () => {
    const store = createStore()
    const first: number[] = []
    const second: number[] = []
    const late: number[] = []
    store.watch((changes) => {
      first.push(...revisions(changes))
      if (store.revision < 4) store.commit([create(`a/${store.revision}`)])
      if (first.length === 4) store.watch((more) => late.push(...revisions(more)), 2)
    })
    store.watch((changes) => second.push(...revisions(changes)))
    store.commit([create('a/x')])
    expect(first).toEqual([1, 2, 3, 4])
    expect(second).toEqual([1, 2, 3, 4])
    expect(late).toEqual([3, 4])
  })

  it('delivers the write of a watcher to itself after the changes that it missed', () => {
    const store = storeOf('a/x')
    const calls: string[] = []
    store.watch((changes) => {
      calls.push(`begin ${revisions(changes)}`)
      if (store.revision === 1) store.commit([create('a/y')])
      calls.push(`end ${revisions(changes)}`)
    }, 0)
    expect(calls).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2'])
  })

  it('does not deliver earlier commits to a watch from the present', () => {
    const store = createStore()
    const late: number[] = []
    store.watch(() => {
      if (store.revision !== 1) return
      store.commit([create('a/y')])
      store.watch((changes) => late.push(...revisions(changes)))
    })
    store.commit([create('a/x')])
    expect(late).toEqual([])
    store.commit([create('a/z')])
    expect(late).toEqual([3])
  })

  it('delivers a change even if another watcher throws', () => {
    const store = createStore()
    const shown: number[] = []
    store.watch(() => {
      throw new Error('a bug')
    })
    store.watch((changes) => shown.push(...revisions(changes)))
    expect(() => store.commit([create('a/x')])).toThrow('a bug')
    expect(store.get('pods', 'a/x')).toBeDefined()
    expect(() => store.commit([create('a/y')])).toThrow('a bug')
    expect(shown).toEqual([1, 2])
  })
})

describe('history', () => {
  it('drops the oldest changes beyond the history limit', () => {
    const store = createStore({ historyLimit: 2 })
    store.commit([create('a/w'), create('a/x'), create('a/y'), create('a/z')])
    expect(store.compactedRevision).toBe(2)
    expect(store.watch(() => {}, 1)).toBe('compacted')
    expect(listAt(store, 1)).toBe('compacted')
    expect(names(listAt(store, 2))).toEqual(['a/w', 'a/x'])
    const shown: number[] = []
    store.watch((changes) => shown.push(...revisions(changes)), 2)
    expect(shown).toEqual([3, 4])
  })

  it('accepts a history limit of zero', () => {
    const store = createStore({ historyLimit: 0 })
    store.commit([create('a/x')])
    expect(store.compactedRevision).toBe(1)
    expect(names(listAt(store, 1))).toEqual(['a/x'])
  })

  it('compacts the history to the requested revision, at most to the current one', () => {
    const store = storeOf('a/x', 'a/y')
    store.compact(1)
    expect(listAt(store, 0)).toBe('compacted')
    expect(names(listAt(store, 1))).toEqual(['a/x'])
    store.compact(99)
    expect(store.compactedRevision).toBe(2)
    expect(listAt(store, 1)).toBe('compacted')
    store.commit([create('a/z')])
    expect(names(listAt(store, 2))).toEqual(['a/x', 'a/y'])
  })

  it('lists the state of one revision while the store is written', () => {
    const store = storeOf('a/x', 'a/y')
    store.commit([remove('a/x')])
    const page = listAt(store, 2)
    store.commit([create('a/a')])
    expect(listAt(store, 2)).toEqual(page)
    expect(names(page)).toEqual(['a/x', 'a/y'])
  })

  it('starts the history after the initial state of a store', () => {
    const object = { ...pod('a/x'), metadata: { ...pod('a/x').metadata, resourceVersion: '41' } }
    const store = createStore({ initial: { revision: 41, objects: [{ resource: 'pods', key: 'a/x', object }] } })
    expect(store.compactedRevision).toBe(41)
    expect(store.get('pods', 'a/x')).toBe(object)
    expect(store.commit([update('a/x', 'new', '41')])).toMatchObject({ ok: true, changes: [{ revision: 42 }] })
  })
})

describe('a fork', () => {
  it('shares objects with a fork, which changes independently', () => {
    const store = storeOf('a/x', 'a/y')
    const fork = store.fork()
    expect(fork.get('pods', 'a/x')).toBe(store.get('pods', 'a/x'))
    expect(fork.revision).toBe(2)
    fork.commit([remove('a/x'), create('a/z')])
    store.commit([update('a/y', 'new')])
    expect(names(store.list('pods'))).toEqual(['a/x', 'a/y'])
    expect(names(fork.list('pods'))).toEqual(['a/y', 'a/z'])
    expect(fork.get('pods', 'a/y')?.metadata.labels).toEqual({ mark: '' })
  })

  it('gives a fork its own watchers and history', () => {
    const store = storeOf('a/x')
    const shown: string[] = []
    store.watch(() => shown.push('original'))
    const fork = store.fork()
    fork.watch(() => shown.push('fork'))
    fork.commit([create('a/y')])
    expect(shown).toEqual(['fork'])
    expect(fork.watch(() => {}, 0)).toBe('compacted')
    store.commit([create('a/y')])
    expect(shown).toEqual(['fork', 'original'])
  })
})

describe('a store that counts bytes', () => {
  const large = (length: number) => 'm'.repeat(length)

  it('drops the oldest changes when the bytes of its history exceed the limit', () => {
    const store = createStore({ historyBytes: 10_000 })
    store.commit([create('a/x', large(8000))])
    store.commit([update('a/x', large(8001))])
    expect(store.compactedRevision).toBe(0)
    store.commit([update('a/x', large(8002))])
    expect(store.compactedRevision).toBe(2)
    expect(store.watch(() => {}, 1)).toBe('compacted')
    expect(listAt(store, 1)).toBe('compacted')
    expect(names(listAt(store, 2))).toEqual(['a/x'])
    store.commit([remove('a/x')])
    expect(store.compactedRevision).toBe(3)
  })

  it('counts only the parts of a replaced object that the next one does not share', () => {
    const store = createStore({ historyBytes: 20_000 })
    store.commit([create('a/x', large(8000))])
    for (let i = 0; i < 20; i++) store.commit([update('a/x', large(8000))])
    expect(store.compactedRevision).toBe(0)
  })

  it('refuses writes beyond the quota as etcd does, and accepts every step of a deletion', () => {
    const store = createStore({ limits: { maxBytes: 3000 } })
    expect(store.commit([create('a/x')]).ok).toBe(true)
    const full = { ok: false, refusal: { kind: 'full', message: 'etcdserver: mvcc: database space exceeded' } }
    expect(store.commit([create('a/y', large(3000))])).toMatchObject(full)
    expect(store.commit([update('a/x', large(3000))])).toMatchObject(full)
    const [x] = store.list('pods')
    const terminating = { ...x!, metadata: { ...x!.metadata, deletionTimestamp: large(3000) } }
    expect(store.commit([{ kind: 'update', resource: 'pods', key: 'a/x', object: terminating }]).ok).toBe(true)
    expect(store.commit([create('a/y')])).toMatchObject(full)
    expect(store.commit([remove('a/x')]).ok).toBe(true)
    expect(store.usedBytes).toBe(0)
    expect(store.commit([create('a/y')]).ok).toBe(true)
  })
})
