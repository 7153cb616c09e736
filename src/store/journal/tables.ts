import type { Database } from 'lmdb'
import type { StoreChange } from '../contract.ts'
import { faultsForTests } from './faults.ts'
import { type JournalRoot, type LoadedJournal, openTables, stateName } from './file.ts'
import {
  encodeRecord,
  isDeletion,
  type JournalRecord,
  type JournalState,
  journalFormat,
  splitRecords,
} from './record.ts'
import { Room } from './room.ts'

/** For estimates; lmdb's default. */
const pageBytes = 4096

/** A few pages: large enough to be written in one go, small enough to find room in the gaps of the file. */
const maxEntryBytes = 60 * 1024

/** What is moved out of the log at a time when nothing else is to be written: whoever comes meanwhile waits for it. */
const idleFoldBytes = 4 * maxEntryBytes

/** While writes come one on the other the log may become so much longer, and what is too much is moved afterwards. */
const burstFactor = 4

/** Records that lie one behind the other in memory: one entry of the log, and nothing has to be copied for it. */
interface LogEntry {
  readonly memory: ArrayBufferLike
  readonly from: number
  to: number
  readonly names: string[]
}

/** The writes that will go to disk together. */
export class JournalGroup {
  readonly changes: StoreChange[] = []
  readonly entries: LogEntry[] = []

  add(changes: readonly StoreChange[], records: readonly JournalRecord[]): void {
    for (const change of changes) this.changes.push(change)
    for (const record of records) this.#addRecord(record)
  }

  #addRecord({ name, bytes }: JournalRecord): void {
    const { buffer: memory, byteOffset: from, length } = bytes
    const last = this.entries.at(-1)
    const isBehind = last?.memory === memory && last.to === from && from + length - last.from <= maxEntryBytes
    if (last === undefined || !isBehind) {
      this.entries.push({ memory, from, to: from + length, names: [name] })
    } else {
      last.to += length
      last.names.push(name)
    }
  }
}

/**
 * The journal's tables, written in transactions. A group goes to the end of a log, because its objects lie all over the
 * table of objects, and a page for each is far more to write than they are themselves. A log that is long enough gives
 * its oldest entries to the table of objects, less what is newer in the log: at rest, and along with the groups when the
 * log is far too long. So what the journal holds is the table of objects, and over it the entries of the log in their order.
 */
export class JournalTables {
  readonly #root: JournalRoot
  readonly #states: Database<Buffer, string>
  readonly #objects: Database<Buffer, string>
  readonly #log: Database<Buffer, number>
  readonly #maxLogBytes: number
  readonly #room: Room
  /** For each name in the log, the last entry that has it. */
  readonly #latest: Map<string, number>
  readonly #fault = faultsForTests()
  #logBytes: number
  #state: JournalState
  #closed: Promise<void> | undefined

  constructor(file: string, root: JournalRoot, { state, latest, logBytes }: LoadedJournal, maxLogBytes: number) {
    const { states, objects, log } = openTables(root)
    if (states === undefined || objects === undefined || log === undefined) throw new Error('a table cannot be made')
    this.#root = root
    this.#states = states
    this.#objects = objects
    this.#log = log
    this.#maxLogBytes = maxLogBytes
    this.#latest = latest
    this.#logBytes = logBytes
    this.#state = state
    this.#room = new Room(file, () => usedBytes(root))
  }

  /** The last revision that is on disk. */
  get revision(): number {
    return this.#state.revision
  }

  /** The log is longer than it should be at rest. */
  get isLong(): boolean {
    return this.#logBytes > this.#maxLogBytes && this.#state.oldest < this.#state.next
  }

  /** Back when the group is on disk. All that lmdb is given in one turn of the event loop is one transaction. */
  async write({ changes, entries }: JournalGroup): Promise<void> {
    if (this.#fault !== undefined) await this.#fault('before')
    let { next, objects, revision } = this.#state
    let groupBytes = 0
    for (const { from, to } of entries) groupBytes += to - from
    // Twice what came in, so that the log becomes shorter, and no transaction much longer than its group.
    const fold = this.#planFold(groupBytes, 2 * groupBytes + maxEntryBytes, burstFactor * this.#maxLogBytes)
    this.#room.ensure(roomFor(groupBytes, entries.length, fold))
    for (const { memory, from, to, names } of entries) {
      pass(this.#log.put(next, Buffer.from(memory, from, to - from)))
      for (const name of names) this.#latest.set(name, next)
      next++
    }
    for (const change of changes) {
      if (change.before === undefined) objects++
      if (change.after === undefined) objects--
      revision = change.revision
    }
    this.#logBytes += groupBytes
    this.#fold(fold)
    await this.#commit({ format: journalFormat, revision, objects, oldest: fold.oldest, next })
  }

  /** Moves some of a long log; back when that is on disk. What the journal holds is the same before and after. */
  async shorten(): Promise<void> {
    const fold = this.#planFold(0, idleFoldBytes, this.#maxLogBytes)
    this.#room.ensure(roomFor(0, 0, fold))
    this.#fold(fold)
    await this.#commit({ ...this.#state, oldest: fold.oldest })
  }

  async #commit(state: JournalState): Promise<void> {
    try {
      // Every put has the promise of its transaction.
      await this.#states.put(stateName, encodeRecord(stateName, JSON.stringify(state)))
    } catch (error) {
      throw await causeOf(error)
    }
    if (this.#fault !== undefined) await this.#fault('after')
    this.#state = state
  }

  close(): Promise<void> {
    this.#room.close()
    this.#closed ??= this.#root.close()
    return this.#closed
  }

  /** Which entries of earlier groups go into the table of objects while the log is too long. */
  #planFold(groupBytes: number, maxBytes: number, maxLogBytes: number): Fold {
    const enoughBytes = Math.max(maxLogBytes, this.#logBytes + groupBytes - maxBytes)
    const records: JournalRecord[] = []
    let { oldest, next } = this.#state
    let bytes = 0
    for (; this.#logBytes + groupBytes - bytes > enoughBytes && oldest < next; oldest++) {
      const entry = this.#log.getBinary(oldest) as Buffer
      for (const record of splitRecords(entry) ?? []) {
        if (this.#latest.get(record.name) === oldest) records.push(record)
      }
      bytes += entry.length
    }
    return { oldest, bytes, records }
  }

  /** What the group itself writes again stays in the log. */
  #fold({ oldest, bytes, records }: Fold): void {
    for (let entry = this.#state.oldest; entry < oldest; entry++) pass(this.#log.remove(entry))
    this.#logBytes -= bytes
    const moved = new Map<string, JournalRecord>()
    for (const record of records) {
      if ((this.#latest.get(record.name) as number) < oldest) moved.set(record.name, record)
    }
    // In their order neighbors share pages, and lmdb finds the next where it left the last.
    for (const name of [...moved.keys()].sort()) {
      const record = moved.get(name) as JournalRecord
      if (isDeletion(record)) pass(this.#objects.remove(name))
      else pass(this.#objects.put(name, record.bytes))
      this.#latest.delete(name)
    }
  }
}

/** A part of the log that is moved: entries up to `oldest`, and what is newest of their records. */
interface Fold {
  readonly oldest: number
  readonly bytes: number
  readonly records: readonly JournalRecord[]
}

function usedBytes(root: JournalRoot): number {
  const { lastPageNumber, pageSize } = root.getStats() as { readonly lastPageNumber: number; readonly pageSize: number }
  return (lastPageNumber + 1) * pageSize
}

/** At most what a transaction adds to the file: its records in whole pages, and copies of the pages it changes. */
function roomFor(groupBytes: number, entries: number, { bytes, records }: Fold): number {
  return groupBytes + bytes + pageBytes * (64 + 4 * entries + 2 * records.length)
}

/** The transaction's promise is awaited once, for all of its writes. */
function pass(promise: Promise<boolean>): void {
  promise.catch(() => {})
}

/** lmdb rejects with a general error that holds a promise which is rejected with the reason. */
async function causeOf(error: unknown): Promise<Error> {
  const { commitError } = error as { readonly commitError?: Promise<never> }
  if (commitError === undefined) return error as Error
  return commitError.catch((cause: Error) => cause)
}
