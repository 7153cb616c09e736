import { closeSync, existsSync, fsyncSync, openSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../base/clock.ts'
import { type Logger, silentLogger } from '../../base/log.ts'
import { RealClock } from '../../base/real-clock.ts'
import { Refusal } from '../../base/refusal.ts'
import type { Store } from '../contract.ts'
import { createStore, type StoreOptions } from '../memory-store.ts'
import { ignoreInnerRejections } from './commit-failure.ts'
import { proveDisk, rewriteInPlace } from './disk.ts'
import { emptyJournal, type LoadedJournal, openFile, readJournal } from './file.ts'
import { makeFolder, makePrivateFile } from './folder.ts'
import { GroupJournal } from './group-journal.ts'
import { lockDirectory } from './lock.ts'
import { JournalGroup, JournalTables } from './tables.ts'

export interface OpenStoreOptions extends Pick<StoreOptions, 'historyLimit' | 'historyBytes' | 'limits'> {
  /** The data directory. It is created if missing. One process at a time can use it. */
  readonly dir: string
  /**
   * The maximum number of writes that wait for the disk. Above it, a commit is refused as `full`. A caller that awaits
   * `durable` before it writes more never reaches it.
   */
  readonly maxWaitingWrites?: number
  /** Maximum length of the log at rest. Under continuous writes it may grow to four times this length. */
  readonly maxLogBytes?: number
  readonly log?: Logger
  /** For the retries after a disk failure. */
  readonly clock?: Clock
}

export interface DurableStore extends Store {
  /** The number of failures of the disk since the store was opened. */
  diskFailures(): number
  /** Waits for the last write, then releases the directory. Later writes are refused. */
  close(): Promise<void>
}

const defaultMaxWaitingWrites = 100_000
const defaultMaxLogBytes = 32 * 1024 * 1024

/**
 * A store whose writes survive the process. Throws if the directory is in use, or if its journal is damaged or has a
 * newer format; the journal is then unchanged.
 */
export async function openStore(options: OpenStoreOptions): Promise<DurableStore> {
  const {
    dir,
    log = silentLogger,
    clock = new RealClock(),
    maxWaitingWrites = defaultMaxWaitingWrites,
    maxLogBytes = defaultMaxLogBytes,
    ...storeOptions
  } = options
  ignoreInnerRejections()
  makeFolder(dir)
  const lock = lockDirectory(dir, log)
  try {
    const file = join(dir, 'journal.mdb')
    const loaded = existsSync(file) ? await readJournal(file) : emptyJournal()
    for (const path of [file, `${file}-lock`]) makePrivateFile(path)
    const journal = new GroupJournal({
      tables: await beginTables(file, loaded, maxLogBytes),
      maxWaitingWrites,
      clock,
      log,
      reopen: async () => {
        await proveDisk(dir)
        const found = await readJournal(file)
        await rewriteInPlace(file)
        return beginTables(file, found, maxLogBytes)
      },
    })
    syncDirectory(dir)
    const initial = { revision: loaded.state.revision, objects: loaded.objects }
    const close = async () => {
      if (await journal.close()) lock.release()
    }
    const store = createStore({ ...storeOptions, journal, initial })
    return Object.assign(store, { close, diskFailures: () => journal.failures })
  } catch (error) {
    lock.release()
    throw asRefusal(error, dir)
  }
}

/** Converts errors of a full or failing disk, which are not bugs, to a Refusal. */
function asRefusal(error: unknown, dir: string): unknown {
  const isOfSystem = error instanceof Error && 'syscall' in error
  return isOfSystem ? new Refusal(`the journal in ${dir} cannot be opened: ${error.message}`) : error
}

/** Writes the format before any other record. */
async function beginTables(file: string, loaded: LoadedJournal, maxLogBytes: number): Promise<JournalTables> {
  const root = openFile(file, 'write')
  try {
    const tables = new JournalTables(file, root, loaded, maxLogBytes)
    await tables.write(new JournalGroup())
    return tables
  } catch (error) {
    await root.close()
    throw error
  }
}

/** A new file is durable only when its directory entry is on disk. */
function syncDirectory(dir: string): void {
  const descriptor = openSync(dir, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
