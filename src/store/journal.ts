import { closeSync, existsSync, fstatSync, fsyncSync, mkdirSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { type Database, open, type RootDatabase } from 'lmdb'
import type { KubeObject } from '../api/objects/meta.ts'
import type { Store, StoreChange, StoreKey, StoreRefusal, StoreWrite } from './contract.ts'
import { findDamage } from './journal-check.ts'
import { lockDirectory } from './journal-lock.ts'
import {
  decodeRecord,
  encodeRecord,
  type JournalState,
  journalFormat,
  recordKey,
  splitRecordKey,
} from './journal-record.ts'
import { createStore, type Journal, type StoreOptions } from './memory-store.ts'

export interface OpenStoreOptions extends Pick<StoreOptions, 'historyLimit' | 'limits'> {
  /** Created if missing. One process at a time. */
  readonly dir: string
  /**
   * How many writes may wait for the disk. Beyond it a commit is refused as `full`: whoever awaits `durable` before
   * writing more never gets there.
   */
  readonly maxWaitingWrites?: number
}

export interface DurableStore extends Store {
  /** Waits for the last write, then lets go of the directory. Later writes are refused. */
  close(): Promise<void>
}

const defaultMaxWaitingWrites = 100_000
/** lmdb's limit on keys is 1978 bytes; a UTF-16 unit takes up to three of them. */
const maxKeyUnits = 640
const stateKey = 'state'
const closedMessage = 'the store is closed'

/**
 * A store whose writes outlive the process. Throws when the directory is in use, and when its journal is damaged or of
 * a newer format; the journal is then left as it was.
 */
export async function openStore(options: OpenStoreOptions): Promise<DurableStore> {
  const { dir, maxWaitingWrites = defaultMaxWaitingWrites, ...storeOptions } = options
  mkdirSync(dir, { recursive: true })
  const lock = lockDirectory(dir)
  try {
    const file = join(dir, 'journal.mdb')
    const { state, objects } = existsSync(file) ? await readJournal(file) : nothing
    const journal = await beginJournal(file, state, maxWaitingWrites)
    syncDirectory(dir)
    const store = createStore({ ...storeOptions, journal, initial: { revision: state.revision, objects } })
    const close = async () => {
      if (await journal.close()) lock.release()
    }
    return Object.assign(store, { close })
  } catch (error) {
    lock.release()
    throw error
  }
}

async function beginJournal(file: string, state: JournalState, maxWaitingWrites: number): Promise<LmdbJournal> {
  const root = openFile(file, 'write')
  try {
    const journal = new LmdbJournal(root, state, maxWaitingWrites)
    await journal.begin()
    return journal
  } catch (error) {
    await root.close()
    throw error
  }
}

function openFile(file: string, mode: 'read' | 'write'): RootDatabase<Buffer, string> {
  return open<Buffer, string>({
    path: file,
    noSubdir: true,
    readOnly: mode === 'read',
    encoding: 'binary',
    // With it, a commit is announced before it is flushed. Without it, lmdb syncs the data pages, then writes the page
    // that makes them current through a synchronous descriptor, and only then is the promise of a put kept.
    overlappingSync: false,
  })
}

interface LoadedJournal {
  readonly state: JournalState
  readonly objects: readonly (StoreKey & { readonly object: KubeObject })[]
}

const nothing: LoadedJournal = { state: { format: journalFormat, revision: 0, objects: 0 }, objects: [] }

/** Reads without writing, so that a journal that is refused stays what it was. */
async function readJournal(file: string): Promise<LoadedJournal> {
  const damage = inspect(file)
  if (damage === 'empty') return nothing
  if (damage !== undefined) throw damaged(file, damage)
  const root = openFile(file, 'read')
  try {
    return load(file, root)
  } finally {
    await root.close()
  }
}

/** A process that ended before its first group left a file without records. */
function load(file: string, root: RootDatabase<Buffer, string>): LoadedJournal {
  const states = openTable(root, 'state')
  const record = states?.get(stateKey)
  const table = openTable(root, 'objects')
  if (record === undefined) {
    if ((states === undefined && root.getCount() > 0) || (table?.getCount() ?? 0) > 0) {
      throw damaged(file, 'it does not say which format it has')
    }
    return nothing
  }
  const state = decodeRecord(stateKey, record) as JournalState | undefined
  if (state === undefined) throw damaged(file, 'the record of its state does not match its checksum')
  if (state.format > journalFormat) {
    throw new Error(
      `${file} has format ${state.format}; this version reads up to ${journalFormat}. Use the version that wrote it.`,
    )
  }
  const objects: (StoreKey & { readonly object: KubeObject })[] = []
  for (const { key, value } of table?.getRange() ?? []) {
    const object = decodeRecord(key, value) as KubeObject | undefined
    if (object === undefined) throw damaged(file, `the record of ${key} does not match its checksum`)
    objects.push({ ...splitRecordKey(key), object })
  }
  if (objects.length !== state.objects) {
    throw damaged(file, `it has ${objects.length} objects where ${state.objects} were written`)
  }
  return { state, objects }
}

/** `undefined` where there is none and the file may only be read. */
function openTable(root: RootDatabase<Buffer, string>, name: string): Database<Buffer, string> | undefined {
  try {
    return root.openDB<Buffer, string>(name, { encoding: 'binary' })
  } catch (error) {
    if ((error as Error).message === 'Database not found') return undefined
    throw error
  }
}

function inspect(file: string): string | 'empty' | undefined {
  const descriptor = openSync(file, 'r')
  try {
    const { size } = fstatSync(descriptor)
    if (size === 0) return 'empty'
    return findDamage({
      size,
      read: (offset, length) => {
        const bytes = Buffer.allocUnsafe(length)
        readSync(descriptor, bytes, 0, length, offset)
        return bytes
      },
    })
  } finally {
    closeSync(descriptor)
  }
}

function damaged(file: string, what: string): Error {
  return new Error(`${file} is damaged: ${what}. Nothing was changed; restore it from a copy, or move it away.`)
}

/** A new file is only there for good once the directory that names it is on disk. */
function syncDirectory(dir: string): void {
  const descriptor = openSync(dir, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

interface Waiter {
  readonly revision: number
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

/** The writes that will go to disk together. Of several to one object only the last is written. */
interface Group {
  readonly changes: StoreChange[]
  readonly records: Map<string, Buffer | undefined>
}

/**
 * Group commit: while one group is being written the next collects, so groups grow as the disk slows down. One group
 * is one lmdb transaction, and only one is under way at a time, so what is on disk is always a prefix of the writes.
 */
class LmdbJournal implements Journal {
  readonly #root: RootDatabase<Buffer, string>
  readonly #states: Database<Buffer, string>
  readonly #objects: Database<Buffer, string>
  readonly #maxWaitingWrites: number
  #state: JournalState
  #landed: (changes: readonly StoreChange[]) => void = () => {}
  #next: Group = emptyGroup()
  #waitingWrites = 0
  #waiters: Waiter[] = []
  #writing: Promise<void> | undefined
  #stopped: Error | undefined
  #closing: Promise<boolean> | undefined

  constructor(root: RootDatabase<Buffer, string>, state: JournalState, maxWaitingWrites: number) {
    this.#root = root
    // The table of states comes first: where there is none, there can be no objects.
    this.#states = root.openDB<Buffer, string>('state', { encoding: 'binary' })
    this.#objects = root.openDB<Buffer, string>('objects', { encoding: 'binary' })
    this.#state = state
    this.#maxWaitingWrites = maxWaitingWrites
  }

  /** Makes sure that the file says which format it has before anything else is in it. */
  async begin(): Promise<void> {
    await this.#write(emptyGroup())
  }

  attach(landed: (changes: readonly StoreChange[]) => void): void {
    this.#landed = landed
  }

  refuses(writes: readonly StoreWrite[]): Pick<StoreRefusal, 'kind' | 'message'> | undefined {
    if (this.#stopped !== undefined) return { kind: 'read-only', message: this.#stopped.message }
    if (this.#closing !== undefined) return { kind: 'read-only', message: closedMessage }
    if (this.#waitingWrites + writes.length > this.#maxWaitingWrites) {
      return { kind: 'full', message: `${this.#waitingWrites} writes wait for the disk already` }
    }
    for (const { resource, key } of writes) {
      if (resource.length + key.length > maxKeyUnits) {
        return { kind: 'full', message: `the key ${resource}/${key} is longer than the journal can hold` }
      }
    }
    return undefined
  }

  append(changes: readonly StoreChange[]): void {
    // All are encoded before one is taken: what cannot be written must not be half written.
    const encoded = changes.map(({ resource, key, after }) => {
      const name = recordKey(resource, key)
      return [name, after === undefined ? undefined : encodeRecord(name, after)] as const
    })
    for (const change of changes) this.#next.changes.push(change)
    for (const [name, record] of encoded) this.#next.records.set(name, record)
    this.#waitingWrites += changes.length
    this.#writing ??= this.#writeGroups()
  }

  durable(revision: number): Promise<void> {
    if (revision <= this.#state.revision) return Promise.resolve()
    if (this.#stopped !== undefined) return Promise.reject(this.#stopped)
    return new Promise((resolve, reject) => this.#waiters.push({ revision, resolve, reject }))
  }

  /** Answers whether this call was the one that closed it. */
  async close(): Promise<boolean> {
    if (this.#closing !== undefined) {
      await this.#closing
      return false
    }
    this.#closing = this.#close()
    return this.#closing
  }

  async #close(): Promise<boolean> {
    await this.#writing
    this.#stopped ??= new Error(closedMessage)
    await this.#root.close()
    return true
  }

  async #writeGroups(): Promise<void> {
    // The rest of this turn's writes join the group.
    await Promise.resolve()
    while (this.#next.changes.length > 0 && this.#stopped === undefined) {
      const group = this.#next
      this.#next = emptyGroup()
      try {
        await this.#write(group)
      } catch (error) {
        this.#stop(error as Error)
        break
      }
      this.#waitingWrites -= group.changes.length
      this.#show(group.changes)
      this.#settle()
    }
    this.#writing = undefined
  }

  /** All that lmdb is given in one turn of the event loop is one transaction, and every put has the promise of it. */
  async #write({ changes, records }: Group): Promise<void> {
    // In key order neighbours share pages, and lmdb finds the next where it left the last.
    for (const name of [...records.keys()].sort()) {
      const record = records.get(name)
      if (record === undefined) void this.#objects.remove(name)
      else void this.#objects.put(name, record)
    }
    const next = stateAfter(this.#state, changes)
    try {
      await this.#states.put(stateKey, encodeRecord(stateKey, next))
    } catch (error) {
      throw await causeOf(error)
    }
    this.#state = next
  }

  /** A watcher that fails is no failure of the disk: the writes after it are written and shown all the same. */
  #show(changes: readonly StoreChange[]): void {
    try {
      this.#landed(changes)
    } catch (error) {
      void Promise.reject(error)
    }
  }

  #settle(): void {
    const { revision } = this.#state
    const waiting: Waiter[] = []
    for (const waiter of this.#waiters) {
      if (waiter.revision <= revision) waiter.resolve()
      else waiting.push(waiter)
    }
    this.#waiters = waiting
  }

  /** Nothing after a failed group may reach the disk: it would leave a hole. */
  #stop(cause: Error): void {
    this.#stopped = new Error(
      `the journal could not be written: ${cause.message}. The store is read-only until a restart.`,
      { cause },
    )
    for (const waiter of this.#waiters) waiter.reject(this.#stopped)
    this.#waiters = []
  }
}

function emptyGroup(): Group {
  return { changes: [], records: new Map() }
}

function stateAfter(state: JournalState, changes: readonly StoreChange[]): JournalState {
  let { objects, revision } = state
  for (const change of changes) {
    if (change.before === undefined) objects++
    if (change.after === undefined) objects--
    revision = change.revision
  }
  return { format: journalFormat, revision, objects }
}

/** lmdb rejects with a general error that holds a promise which is rejected with the reason. */
async function causeOf(error: unknown): Promise<Error> {
  const { commitError } = error as { readonly commitError?: Promise<never> }
  if (commitError === undefined) return error as Error
  return commitError.catch((cause: Error) => cause)
}
