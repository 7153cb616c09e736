import { closeSync, existsSync, fsyncSync, openSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '../../base/log.ts'
import type { Store, StoreChange, StoreRefusal, StoreWrite } from '../contract.ts'
import { encoded } from '../encoded.ts'
import { createStore, type Journal, type StoreOptions } from '../memory-store.ts'
import { emptyJournal, type LoadedJournal, openFile, readJournal } from './file.ts'
import { makeFolder, makePrivateFile } from './folder.ts'
import { lockDirectory } from './lock.ts'
import { encodeRecord, recordName } from './record.ts'
import { JournalGroup, JournalTables } from './tables.ts'
import { restOfTurn } from './turn.ts'

export interface OpenStoreOptions extends Pick<StoreOptions, 'historyLimit' | 'limits'> {
  /** Created if missing. One process at a time. */
  readonly dir: string
  /**
   * How many writes may wait for the disk. Beyond it a commit is refused as `full`: whoever awaits `durable` before
   * writing more never gets there.
   */
  readonly maxWaitingWrites?: number
  /**
   * How long the part of the journal is at rest, at most, that holds writes in their order, newer ones beside older ones.
   * While writes come one on the other it may become four times as long.
   */
  readonly maxLogBytes?: number
  readonly log?: Logger
}

export interface DurableStore extends Store {
  /** Waits for the last write, then lets go of the directory. Later writes are refused. */
  close(): Promise<void>
}

const defaultMaxWaitingWrites = 100_000
const defaultMaxLogBytes = 32 * 1024 * 1024
/** lmdb's limit on keys is 1978 bytes; a UTF-16 unit takes up to three of them. */
const maxKeyUnits = 640
const closedMessage = 'the store is closed'

/**
 * A store whose writes outlive the process. Throws when the directory is in use, and when its journal is damaged or of
 * a newer format; the journal is then left as it was.
 */
export async function openStore(options: OpenStoreOptions): Promise<DurableStore> {
  const {
    dir,
    log,
    maxWaitingWrites = defaultMaxWaitingWrites,
    maxLogBytes = defaultMaxLogBytes,
    ...storeOptions
  } = options
  makeFolder(dir)
  const lock = lockDirectory(dir, log)
  try {
    const file = join(dir, 'journal.mdb')
    const loaded = existsSync(file) ? await readJournal(file) : emptyJournal()
    for (const path of [file, `${file}-lock`]) makePrivateFile(path)
    const journal = new GroupJournal(await beginTables(file, loaded, maxLogBytes), maxWaitingWrites)
    syncDirectory(dir)
    const initial = { revision: loaded.state.revision, objects: loaded.objects }
    const close = async () => {
      if (await journal.close()) lock.release()
    }
    return Object.assign(createStore({ ...storeOptions, journal, initial }), { close })
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Makes sure that the file says which format it has before anything else is in it. */
async function beginTables(file: string, loaded: LoadedJournal, maxLogBytes: number): Promise<JournalTables> {
  const root = openFile(file, 'write')
  try {
    const tables = new JournalTables(root, loaded, maxLogBytes)
    await tables.write(new JournalGroup())
    return tables
  } catch (error) {
    await root.close()
    throw error
  }
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

/**
 * Group commit: while one group is being written the next collects, so groups grow as the disk slows down. One group
 * is one lmdb transaction, and only one is under way at a time, so what is on disk is always a prefix of the writes.
 */
class GroupJournal implements Journal {
  readonly #tables: JournalTables
  readonly #maxWaitingWrites: number
  #landed: (changes: readonly StoreChange[]) => void = () => {}
  #next = new JournalGroup()
  #waitingWrites = 0
  #waiters: Waiter[] = []
  #writing: Promise<void> | undefined
  #stopped: Error | undefined
  #closing: Promise<boolean> | undefined

  constructor(tables: JournalTables, maxWaitingWrites: number) {
    this.#tables = tables
    this.#maxWaitingWrites = maxWaitingWrites
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
    const records = changes.map(({ resource, key, after }) => {
      const name = recordName(resource, key)
      return { name, bytes: encodeRecord(name, after === undefined ? '' : encoded(after)) }
    })
    this.#next.add(changes, records)
    this.#waitingWrites += changes.length
    this.#writing ??= this.#writeGroups()
  }

  durable(revision: number): Promise<void> {
    if (revision <= this.#tables.revision) return Promise.resolve()
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
    await this.#tables.close()
    return true
  }

  async #writeGroups(): Promise<void> {
    try {
      for (;;) {
        // What this turn has yet to write joins the group. Mostly that is whoever waited for the last one.
        await restOfTurn()
        if (this.#next.changes.length > 0) await this.#writeGroup()
        else if (this.#tables.isLong && this.#closing === undefined) await this.#tables.shorten()
        else break
      }
    } catch (error) {
      this.#stop(error as Error)
    }
    this.#writing = undefined
  }

  async #writeGroup(): Promise<void> {
    const group = this.#next
    this.#next = new JournalGroup()
    await this.#tables.write(group)
    this.#waitingWrites -= group.changes.length
    this.#show(group.changes)
    this.#settle()
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
    const { revision } = this.#tables
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
