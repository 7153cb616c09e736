import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/objects/meta.ts'
import { silentLogger } from '../../base/log.ts'
import { VirtualClock } from '../../base/virtual-clock.ts'
import { type StoreChange, StoreUnavailable, type StoreWrite } from '../contract.ts'
import { type DurableStore, openStore } from './open-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-outage-'))
const faults = join(folder, 'faults')
const resource = 'configmaps'
process.env['BERTH_TEST_JOURNAL_FAULTS'] = faults
afterAll(() => {
  delete process.env['BERTH_TEST_JOURNAL_FAULTS']
  rmSync(folder, { recursive: true, force: true })
})
afterEach(() => rmSync(faults, { force: true }))

const object = (name: string, text = ''): KubeObject =>
  ({ kind: 'ConfigMap', metadata: { name, namespace: 'a' }, data: { text } }) as KubeObject
const create = (name: string): StoreWrite => ({ kind: 'create', resource, key: `a/${name}`, object: object(name) })

async function opened() {
  const clock = new VirtualClock(0)
  const lines: string[] = []
  const log = {
    ...silentLogger,
    warn: (_: unknown, message: string) => lines.push(message),
    error: (_: unknown, message: string) => lines.push(message),
  }
  const dir = mkdtempSync(join(folder, 'dir-'))
  const store = await openStore({ dir, clock, log })
  const shown: StoreChange[] = []
  store.watch((changes) => shown.push(...changes))
  /** The next attempt to reopen the journal, which succeeds. */
  const retry = async () => {
    clock.advanceTo(clock.now() + 1000)
    while (store.trouble !== undefined) await new Promise(setImmediate)
  }
  return { store, dir, clock, lines, shown, retry }
}

const names = (store: DurableStore) => store.list(resource).map(({ metadata }) => metadata.name)

describe('a journal whose disk fails', () => {
  it('after a disk failure, rolls back writes that are not on disk, and refuses writes until the disk works', async () => {
    const { store, dir, shown, lines, retry } = await opened()
    store.commit([create('kept'), create('deleted'), create('changed')])
    await store.durable()
    writeFileSync(faults, 'before fail')
    store.commit([
      create('lost'),
      { kind: 'delete', resource, key: 'a/deleted' },
      { kind: 'update', resource, key: 'a/changed', object: object('changed', 'new') },
    ])
    const waiting = store.durable()
    await expect(waiting).rejects.toThrow(StoreUnavailable)
    expect(names(store)).toEqual(['changed', 'deleted', 'kept'])
    expect([store.revision, store.durableRevision]).toEqual([3, 3])
    expect(store.get(resource, 'a/changed')).toMatchObject({ metadata: { resourceVersion: '3' }, data: { text: '' } })
    expect(store.range(resource, { revision: 2 })).toMatchObject({ count: 2 })
    expect(store.trouble).toContain('EIO')
    expect(store.commit([create('late')])).toMatchObject({ ok: false, refusal: { kind: 'read-only' } })
    await expect(store.durable()).resolves.toBeUndefined()
    rmSync(faults)
    await retry()
    expect(store.trouble).toBeUndefined()
    store.commit([create('after')])
    await store.durable()
    expect(shown.map(({ revision, key }) => `${revision} ${key}`)).toEqual([
      '1 a/kept',
      '2 a/deleted',
      '3 a/changed',
      '4 a/after',
    ])
    expect(lines).toEqual([
      'the journal cannot be written; refusing writes',
      'the journal can be written again; accepting writes',
    ])
    await store.close()
    const again = await openStore({ dir })
    expect(names(again)).toEqual(['after', 'changed', 'deleted', 'kept'])
    await again.close()
  })

  it('shows writes that are found on disk after the failure', async () => {
    const { store, shown, retry } = await opened()
    store.commit([create('kept')])
    await store.durable()
    writeFileSync(faults, 'after fail')
    store.commit([create('found')])
    await expect(store.durable()).rejects.toThrow(StoreUnavailable)
    expect(names(store)).toEqual(['kept'])
    expect(shown).toHaveLength(1)
    rmSync(faults)
    await retry()
    expect(names(store)).toEqual(['found', 'kept'])
    expect(shown.map(({ revision }) => revision)).toEqual([1, 2])
    await store.close()
  })

  it('keeps a store read-only while the disk fails, and can close it', async () => {
    const { store, dir, clock } = await opened()
    store.commit([create('kept')])
    await store.durable()
    writeFileSync(faults, 'before fail')
    store.commit([create('lost')])
    await expect(store.durable()).rejects.toThrow()
    clock.advanceTo(clock.now() + 1000)
    expect(store.commit([create('late')]).ok).toBe(false)
    await store.close()
    rmSync(faults)
    const again = await openStore({ dir })
    expect(names(again)).toEqual(['kept'])
    await again.close()
  })
})
