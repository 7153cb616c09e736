import type { Database } from 'lmdb'
import type { StoreChange } from '../contract.ts'
import { type JournalRoot, type LoadedJournal, openTables, stateName } from './file.ts'
import {
  encodeRecord,
  isDeletion,
  type JournalRecord,
  type JournalState,
  journalFormat,
  splitRecords,
} from './record.ts'

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
  /** For each name in the log, the last entry that has it. */
  readonly #latest: Map<string, number>
  #logBytes: number
  #state: JournalState

  constructor(root: JournalRoot, { state, latest, logBytes }: LoadedJournal, maxLogBytes: number) {
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
    let { next, objects, revision } = this.#state
    let groupBytes = 0
    for (const { memory, from, to, names } of entries) {
      void this.#log.put(next, Buffer.from(memory, from, to - from))
      for (const name of names) this.#latest.set(name, next)
      groupBytes += to - from
      next++
    }
    for (const change of changes) {
      if (change.before === undefined) objects++
      if (change.after === undefined) objects--
      revision = change.revision
    }
    this.#logBytes += groupBytes
    // Twice what came in, so that the log becomes shorter, and no transaction much longer than its group.
    const oldest = this.#fold(2 * groupBytes + maxEntryBytes, burstFactor * this.#maxLogBytes)
    await this.#commit({ format: journalFormat, revision, objects, oldest, next })
  }

  /** Moves some of a long log; back when that is on disk. What the journal holds is the same before and after. */
  shorten(): Promise<void> {
    return this.#commit({ ...this.#state, oldest: this.#fold(idleFoldBytes, this.#maxLogBytes) })
  }

  async #commit(state: JournalState): Promise<void> {
    try {
      // Every put has the promise of its transaction.
      await this.#states.put(stateName, encodeRecord(stateName, JSON.stringify(state)))
    } catch (error) {
      throw await causeOf(error)
    }
    this.#state = state
  }

  close(): Promise<void> {
    return this.#root.close()
  }

  /** Moves entries of earlier groups into the table of objects while the log is too long; answers which is the oldest now. */
  #fold(maxBytes: number, maxLogBytes: number): number {
    const enoughBytes = Math.max(maxLogBytes, this.#logBytes - maxBytes)
    const moved = new Map<string, JournalRecord>()
    let { oldest, next } = this.#state
    for (; this.#logBytes > enoughBytes && oldest < next; oldest++) {
      const bytes = this.#log.getBinary(oldest) as Buffer
      for (const record of splitRecords(bytes) ?? []) {
        if (this.#latest.get(record.name) === oldest) moved.set(record.name, record)
      }
      void this.#log.remove(oldest)
      this.#logBytes -= bytes.length
    }
    // In their order neighbours share pages, and lmdb finds the next where it left the last.
    for (const name of [...moved.keys()].sort()) {
      const record = moved.get(name) as JournalRecord
      if (isDeletion(record)) void this.#objects.remove(name)
      else void this.#objects.put(name, record.bytes)
      this.#latest.delete(name)
    }
    return oldest
  }
}

/** lmdb rejects with a general error that holds a promise which is rejected with the reason. */
async function causeOf(error: unknown): Promise<Error> {
  const { commitError } = error as { readonly commitError?: Promise<never> }
  if (commitError === undefined) return error as Error
  return commitError.catch((cause: Error) => cause)
}
