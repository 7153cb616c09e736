import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import fc from 'fast-check'
import { open } from 'lmdb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/objects/meta.ts'
import { createRandom } from '../../base/random.ts'
import type { Store, StoreChange, StoreWrite } from '../contract.ts'
import { createStore } from '../memory-store.ts'
import { findDamage } from './check.ts'
import { type DurableStore, type OpenStoreOptions, openStore } from './open-store.ts'
import { encodeRecord } from './record.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-journal-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let folders = 0
/** The tests take a few seconds on an idle disk, and longer on a busy disk. */
const patience = { timeout: 60_000 }
const newDir = () => join(folder, String(++folders))

const object = (name: string, text = ''): KubeObject & { readonly data: unknown } => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data: { text },
})
const create = (key: string, text = ''): StoreWrite => ({
  kind: 'create',
  resource: 'configmaps',
  key,
  object: object(key, text),
})
const update = (key: string, text: string): StoreWrite => ({ ...create(key, text), kind: 'update' }) as StoreWrite
const remove = (key: string): StoreWrite => ({ kind: 'delete', resource: 'configmaps', key })

/** Opens, runs the work, closes; returns the result of the work. */
async function within<T>(options: OpenStoreOptions, work: (store: DurableStore) => Promise<T> | T): Promise<T> {
  const store = await openStore(options)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

const contents = (store: Store) => ({
  revision: store.revision,
  objects: store.resources().flatMap((resource) => store.list(resource)),
})

describe('a store on disk', () => {
  it('keeps the content of a store that is reopened', async () => {
    const dir = newDir()
    const before = await within({ dir }, async (store) => {
      store.commit([create('a/x', 'äöü €😀'), create('a/y'), create('b/z')])
      await store.durable()
      store.commit([update('a/y', 'new'), remove('b/z'), { ...create('n'), resource: 'nodes' } as StoreWrite])
      return contents(store)
    })
    await within({ dir }, (store) => {
      expect(contents(store)).toEqual(before)
      expect(store.revision).toBe(6)
      expect(store.compactedRevision).toBe(6)
      expect(store.watch(() => {}, 5)).toBe('compacted')
      expect(store.commit([create('a/w')])).toMatchObject({ ok: true, changes: [{ revision: 7 }] })
    })
  })

  it('writes only the last of several changes of one object in a group', async () => {
    const dir = newDir()
    await within({ dir }, (store) => {
      store.commit([create('a/x'), update('a/x', 'new'), create('a/y'), remove('a/y')])
      store.commit([remove('a/x'), create('a/x', 'newest')])
    })
    await within({ dir }, (store) => {
      expect(contents(store)).toMatchObject({ revision: 6, objects: [{ data: { text: 'newest' } }] })
    })
  })

  it('keeps the content of a store that is reopened with any part of its log folded', patience, async () => {
    const step = fc.record({
      writes: fc.array(fc.tuple(fc.nat(12), fc.nat(3), fc.constantFrom(10, 10, 10, 70_000)), {
        minLength: 1,
        maxLength: 8,
      }),
      after: fc.constantFrom('go on', 'wait', 'wait', 'open again'),
    })
    const history = fc.array(step, { minLength: 1, maxLength: 15, size: 'max' })
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(0, 2000, 200_000), history, async (maxLogBytes, steps) => {
        const dir = newDir()
        let store = await openStore({ dir, maxLogBytes })
        const mirror = createStore()
        for (const { writes, after } of steps) {
          for (const [number, what, length] of writes) {
            const key = `a/${number}`
            const isThere = mirror.get('configmaps', key) !== undefined
            const write = isThere ? (what === 0 ? remove(key) : update(key, 'x'.repeat(length))) : create(key)
            expect(store.commit([write])).toEqual(mirror.commit([write]))
          }
          if (after === 'wait') await store.durable()
          if (after !== 'open again') continue
          await store.close()
          store = await openStore({ dir, maxLogBytes })
          expect(store.list('configmaps')).toEqual(mirror.list('configmaps'))
        }
        await store.close()
        await within({ dir }, (again) => expect(contents(again)).toEqual(contents(mirror)))
        rmSync(dir, { recursive: true })
      }),
      { numRuns: 15 },
    )
  })

  it('stores objects of many pages and thousands of objects in a group', async () => {
    const dir = newDir()
    const long = 'x'.repeat(300_000)
    await within({ dir }, (store) => {
      store.commit([create('long', long), ...Array.from({ length: 5000 }, (_, at) => create(`a/${at}`, `text ${at}`))])
    })
    await within({ dir }, (store) => {
      expect(store.get('configmaps', 'long')).toMatchObject({ data: { text: long } })
      expect(store.count('configmaps')).toBe(5001)
    })
  })

  it('shows a write to readers immediately and to watchers once it is on disk', async () => {
    await within({ dir: newDir() }, async (store) => {
      const groups: (readonly StoreChange[])[] = []
      store.watch((changes) => groups.push(changes))
      store.commit([create('a/x')])
      store.commit([create('a/y')])
      expect(store.count('configmaps')).toBe(2)
      expect(groups).toEqual([])
      await store.durable()
      expect(groups.map((changes) => changes.map(({ revision }) => revision))).toEqual([[1, 2]])
    })
  })

  it('shows changes to a watch that starts in the past only once they are on disk', async () => {
    await within({ dir: newDir() }, async (store) => {
      store.commit([create('a/x')])
      await store.durable()
      store.commit([create('a/y')])
      const seen: number[] = []
      const late: number[] = []
      store.watch((changes) => seen.push(...changes.map(({ revision }) => revision)), 0)
      store.watch((changes) => late.push(...changes.map(({ revision }) => revision)))
      expect(seen).toEqual([1])
      await store.durable()
      expect(seen).toEqual([1, 2])
      expect(late).toEqual([])
    })
  })

  it('keeps working when a watcher writes during a delivery', async () => {
    await within({ dir: newDir() }, async (store) => {
      const seen: number[] = []
      store.watch((changes) => {
        seen.push(...changes.map(({ revision }) => revision))
        if (store.revision < 5) store.commit([create(`a/${store.revision}`)])
      })
      store.commit([create('a/x')])
      await store.durable(1)
      while (store.revision < 5) await store.durable()
      await store.durable()
      expect(seen).toEqual([1, 2, 3, 4, 5])
    })
  })

  it('does not write the changes of a fork to disk', async () => {
    const dir = newDir()
    await within({ dir }, (store) => {
      store.commit([create('a/x')])
      const fork = store.fork()
      const seen: number[] = []
      fork.watch((changes) => seen.push(...changes.map(({ revision }) => revision)))
      fork.commit([create('a/y')])
      expect(seen).toEqual([2])
    })
    await within({ dir }, (store) => expect(contents(store)).toMatchObject({ revision: 1, objects: [{}] }))
  })

  it('refuses writes while too many are waiting for the disk', async () => {
    await within({ dir: newDir(), maxWaitingWrites: 2 }, async (store) => {
      expect(store.commit([create('a/x'), create('a/y')]).ok).toBe(true)
      expect(store.commit([create('a/z')])).toMatchObject({
        ok: false,
        refusal: { kind: 'full', message: '2 writes are waiting for the disk' },
      })
      await store.durable()
      expect(store.commit([create('a/z')]).ok).toBe(true)
    })
  })

  it('refuses a key that is too long for the journal', async () => {
    await within({ dir: newDir() }, (store) => {
      expect(store.commit([create('k'.repeat(2000))])).toMatchObject({ ok: false, refusal: { kind: 'full' } })
      expect(store.commit([create('ä'.repeat(600))]).ok).toBe(true)
    })
  })

  it('stores every digit of a 64-bit integer', async () => {
    const dir = newDir()
    const large = { ...object('large'), data: { least: -(2n ** 63n), exact: 2n ** 53n + 1n } }
    await within({ dir }, (store) => {
      store.commit([{ kind: 'create', resource: 'configmaps', key: 'large', object: large }])
    })
    await within({ dir }, (store) => expect(store.get('configmaps', 'large')).toMatchObject({ data: large.data }))
  })

  it('applies no write of a transaction with an object that cannot be encoded', async () => {
    const dir = newDir()
    await within({ dir }, (store) => {
      const toJSON = () => {
        throw new Error('unwritable')
      }
      const odd = { ...object('odd'), data: { toJSON } }
      const writes: StoreWrite[] = [create('a/x'), { kind: 'create', resource: 'configmaps', key: 'odd', object: odd }]
      expect(() => store.commit(writes)).toThrow('unwritable')
      expect(contents(store)).toEqual({ revision: 0, objects: [] })
      store.commit([create('a/y')])
    })
    await within({ dir }, (store) => expect(contents(store)).toMatchObject({ revision: 1, objects: [{}] }))
  })

  it('waits for pending writes when a store is closed, and refuses further writes', async () => {
    const dir = newDir()
    const store = await openStore({ dir })
    store.commit([create('a/x')])
    const [first, second] = [store.close(), store.close()]
    expect(store.commit([create('a/y')]).ok).toBe(false)
    await Promise.all([first, second])
    await store.durable()
    expect(store.commit([create('a/y')])).toMatchObject({
      refusal: { kind: 'read-only', message: 'the store is closed' },
    })
    await within({ dir }, (again) => expect(again.revision).toBe(1))
  })
})

describe('the directory of a store', () => {
  it('refuses the directory of a store while a live process uses it, and names that process', async () => {
    const dir = newDir()
    await within({ dir }, async () => {
      await expect(openStore({ dir })).rejects.toThrow(`${dir} is in use by process ${process.pid}`)
    })
    await within({ dir }, (store) => expect(store.revision).toBe(0))
  })

  it.each([
    ['a process that ended', () => ({ pid: spawnSync(process.execPath, ['--version']).pid })],
    ['another process that had the same id', () => ({ pid: process.pid, started: '1' })],
  ])('takes over the directory of a store from %s', async (_, owner) => {
    const dir = newDir()
    mkdirSync(dir)
    writeFileSync(join(dir, 'lock'), JSON.stringify(owner()))
    await within({ dir }, (store) => {
      expect(store.revision).toBe(0)
      expect(JSON.parse(readFileSync(join(dir, 'lock'), 'utf8'))).toMatchObject({ pid: process.pid })
    })
    expect(existsSync(join(dir, 'lock'))).toBe(false)
  })

  // The parent of an ended process may never read its exit code; PID 1 of many containers does not.
  it.skipIf(process.platform !== 'linux')(
    'takes over the directory of a store from a zombie process (Linux)',
    async () => {
      const dir = newDir()
      mkdirSync(dir)
      const parent = spawn('sh', ['-c', '(read line <&3) & echo $!; exec sleep 60'], {
        stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
      })
      const until = async (file: string, pattern: RegExp) => {
        while (!pattern.test(readFileSync(file, 'utf8'))) await new Promise(setImmediate)
      }
      try {
        const pid = Number(await new Promise((resolve) => parent.stdout?.once('data', resolve)))
        // The shell would read its exit code. The command that replaces the shell does not.
        await until(`/proc/${parent.pid}/comm`, /^sleep$/m)
        ;(parent.stdio[3] as Writable).end()
        await until(`/proc/${pid}/stat`, /\) Z /)
        writeFileSync(join(dir, 'lock'), JSON.stringify({ pid }))
        await within({ dir }, (store) => expect(store.revision).toBe(0))
      } finally {
        parent.kill('SIGKILL')
      }
    },
  )

  it('refuses the directory of a store if its lock file has an unknown format', async () => {
    const dir = newDir()
    mkdirSync(dir)
    writeFileSync(join(dir, 'lock'), 'mine!')
    await expect(openStore({ dir })).rejects.toThrow('is not a berth lock file')
  })
})

describe('a damaged journal', () => {
  let bytes: Buffer
  let written: ReturnType<typeof contents>

  beforeAll(async () => {
    const dir = newDir()
    written = await within({ dir, maxLogBytes: 20_000 }, async (store) => {
      for (let round = 0; round < 12; round++) {
        for (let at = 0; at < 40; at++) {
          const key = `a/${(at * 7 + round * 13) % 90}`
          const text = `${at}`.repeat(at % 9 === 0 ? 3000 : 60)
          const isThere = store.get('configmaps', key) !== undefined
          store.commit([isThere ? (at % 5 === 0 ? remove(key) : update(key, text)) : create(key, text)])
        }
        await store.durable()
      }
      return contents(store)
    })
    // The file without the empty reserved space at its end.
    const file = readFileSync(join(dir, 'journal.mdb'))
    let end = file.length
    while (file[end - 1] === 0) end--
    bytes = file.subarray(0, Math.ceil(end / 4096) * 4096)
  })

  /**
   * Writes bytes into a new directory and opens it. Either all objects are present, or opening fails and the bytes are
   * unchanged.
   */
  async function judge(damaged: Buffer): Promise<'refused' | 'opened'> {
    const dir = newDir()
    mkdirSync(dir)
    const file = join(dir, 'journal.mdb')
    writeFileSync(file, damaged)
    try {
      await within({ dir }, (store) => {
        expect(contents(store)).toEqual(written)
        store.commit(Array.from({ length: 200 }, (_, at) => create(`later/${at}`, 'x'.repeat(500))))
      })
      await within({ dir }, (store) => {
        expect(store.list('configmaps').slice(0, written.objects.length)).toEqual(written.objects)
      })
      return 'opened'
    } catch (error) {
      expect((error as Error).message).toMatch(/journal\.mdb is damaged: .+ Nothing was changed/)
      expect(readFileSync(file).equals(damaged)).toBe(true)
      return 'refused'
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  }

  it('opens a journal that is not damaged', async () => {
    expect(await judge(bytes)).toBe('opened')
  })

  it('refuses a truncated journal and does not change it', patience, async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: Math.floor(bytes.length / 2) }), async (length) => {
        expect(await judge(bytes.subarray(0, length))).toBe('refused')
      }),
      { numRuns: 25 },
    )
  })

  it('refuses a journal with changed bytes and does not change it, or opens it without loss', patience, async () => {
    const change = fc.record({
      // lmdb follows page headers, so half of the changes are in headers.
      page: fc.nat(Math.floor(bytes.length / 4096) - 1),
      offset: fc.oneof(fc.nat(63), fc.nat(4095)),
      value: fc.nat(255),
    })
    let refusals = 0
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
        const damaged = Buffer.from(bytes)
        for (const { page, offset, value } of changes) damaged[page * 4096 + offset] = value
        if ((await judge(damaged)) === 'refused') refusals++
      }),
      { numRuns: 60 },
    )
    expect(refusals).toBeGreaterThan(0)
  })

  it('checks a journal with any changed bytes without throwing', () => {
    const random = createRandom('damage').stream('bytes')
    let refusals = 0
    for (let run = 0; run < 20_000; run++) {
      const damaged = Buffer.from(bytes)
      for (let change = random.int(3); change >= 0; change--) {
        const offset = random.int(2) === 0 ? random.int(64) : random.int(4096)
        damaged[random.int(Math.floor(bytes.length / 4096)) * 4096 + offset] = random.pick([
          0,
          1,
          2,
          255,
          random.int(256),
        ])
      }
      const read = (offset: number, length: number) => damaged.subarray(offset, offset + length)
      const damage = findDamage({ size: damaged.length, read })
      if (damage !== undefined) refusals++
    }
    expect(refusals).toBeGreaterThan(1000)
  })

  it('refuses a journal that is another kind of file', async () => {
    const dir = newDir()
    mkdirSync(dir)
    writeFileSync(join(dir, 'journal.mdb'), 'apiVersion: v1\n'.repeat(1000))
    await expect(openStore({ dir })).rejects.toThrow('journal.mdb is damaged: it is not an lmdb file')
    expect(existsSync(join(dir, 'lock'))).toBe(false)
  })

  it.each([
    [
      'of a newer format',
      'state',
      'state',
      encodeRecord('state', JSON.stringify({ format: 2 })),
      /has format 2; this version reads up to 1/,
    ],
    ['of another program', 'recipes', 'soup', Buffer.from('water'), /its format is missing/],
    ['with objects but no state', 'objects', 'pods/a', encodeRecord('pods/a', '{}'), /its format is missing/],
    [
      'with a broken state',
      'state',
      'state',
      Buffer.from('1234{"format":1}'),
      /the checksum of its state does not match/,
    ],
    [
      'with missing objects',
      'state',
      'state',
      encodeRecord('state', JSON.stringify({ format: 1, revision: 9, objects: 3, oldest: 0, next: 0 })),
      /has 0 objects; expected 3/,
    ],
  ])('refuses to open a journal %s', async (_, table, key, value, message) => {
    const dir = newDir()
    mkdirSync(dir)
    const file = join(dir, 'journal.mdb')
    const root = open<Buffer, string>({ path: file, noSubdir: true, encoding: 'binary', overlappingSync: false })
    await root.openDB<Buffer, string>(table, { encoding: 'binary' }).put(key, value)
    await root.close()
    const before = readFileSync(file)
    await expect(openStore({ dir })).rejects.toThrow(message)
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  it('opens an empty journal if a process ended before its first write', async () => {
    const dir = newDir()
    mkdirSync(dir)
    writeFileSync(join(dir, 'journal.mdb'), '')
    await within({ dir }, (store) => expect(store.revision).toBe(0))
  })
})
