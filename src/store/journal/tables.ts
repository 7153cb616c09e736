import type { Database } from 'lmdb'
import type { StoreChange } from '../contract.ts'
import { faultsForTests } from './faults.ts'
import { type JournalRoot, type LoadedJournal, openTables, stateName, statusOf } from './file.ts'
import {
  encodeRecord,
  isDeletion,
  type JournalRecord,
  type JournalState,
  journalFormat,
  mixedVersion,
  splitRecords,
} from './record.ts'
import { Room } from './room.ts'

/** For estimates; lmdb's default. */
const pageBytes = 4096

/** A few pages: large enough for one sequential write, small enough to fit into gaps of the file. */
const maxEntryBytes = 60 * 1024

/** The number of bytes that are folded at a time at rest. Writes that arrive in the meantime wait. */
const idleFoldBytes = 4 * maxEntryBytes

/** Under continuous writes the log may grow by this factor; the excess is folded afterwards. */
const burstFactor = 4

/** Records that are adjacent in memory: one entry of the log, written without copying. */
interface LogEntry {
  readonly memory: ArrayBufferLike
  readonly from: number
  to: number
  readonly names: string[]
}

/** The writes of one transaction. */
export class JournalGroup {
  readonly changes: StoreChange[] = []
  readonly entries: LogEntry[] = []

  add(changes: readonly StoreChange[], records: readonly JournalRecord[]): void {
    for (const change of changes) this.changes.push(change)
    for (const record of records) this.addRecord(record)
  }

  private addRecord({ name, bytes }: JournalRecord): void {
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
 * The journal's tables, written in transactions. A group is appended to a log, because its objects are spread over the
 * table of objects, and writing one page per object would be much more than the objects themselves. A long log is
 * folded: its oldest entries move to the table of objects, except for objects with a newer entry in the log. Folding
 * happens at rest, and together with groups when the log is far too long. The content of the journal is the table of
 * objects, overlaid by the entries of the log in their order.
 */
export class JournalTables {
  private readonly root: JournalRoot
  private readonly states: Database<Buffer, string>
  private readonly objects: Database<Buffer, string>
  private readonly log: Database<Buffer, number>
  private readonly maxLogBytes: number
  private readonly room: Room
  /** For each name in the log, its last entry. */
  private readonly latest: Map<string, number>
  private readonly fault = faultsForTests()
  private logBytes: number
  private state: JournalState
  /** The number of the last transaction; undefined if transactions are not numbered as expected. */
  private transaction: number | undefined
  private closed: Promise<void> | undefined

  constructor(file: string, root: JournalRoot, { state, latest, logBytes }: LoadedJournal, maxLogBytes: number) {
    const { states, objects, log } = openTables(root)
    if (states === undefined || objects === undefined || log === undefined) throw new Error('a table cannot be created')
    this.root = root
    this.states = states
    this.objects = objects
    this.log = log
    this.maxLogBytes = maxLogBytes
    this.latest = latest
    this.logBytes = logBytes
    this.state = state
    this.transaction = statusOf(root).lastTxnId
    const { pageSize } = root.getStats() as { readonly pageSize: number }
    this.room = new Room(file, () => (statusOf(root).lastPageNumber + 1) * pageSize)
  }

  /** The last revision that is on disk. */
  get revision(): number {
    return this.state.revision
  }

  /** True if the log is longer than its limit at rest. */
  get isLong(): boolean {
    return this.logBytes > this.maxLogBytes && this.state.oldest < this.state.next
  }

  /** Resolves when the group is on disk. All writes to lmdb in one turn of the event loop are one transaction. */
  async write({ changes, entries }: JournalGroup): Promise<void> {
    if (this.fault !== undefined) await this.fault('before')
    let { next, objects, revision, versions = 0 } = this.state
    let groupBytes = 0
    for (const { from, to } of entries) groupBytes += to - from
    // Twice the size of the group, so that the log becomes shorter, and no transaction is much longer than its group.
    const fold = this.planFold(groupBytes, 2 * groupBytes + maxEntryBytes, burstFactor * this.maxLogBytes)
    this.room.ensure(roomFor(groupBytes, entries.length, fold))
    for (const { memory, from, to, names } of entries) {
      pass(this.log.put(next, Buffer.from(memory, from, to - from)))
      for (const name of names) this.latest.set(name, next)
      next++
    }
    for (const change of changes) {
      if (change.before === undefined) objects++
      else versions = mixedVersion(versions, change.before)
      if (change.after === undefined) objects--
      else versions = mixedVersion(versions, change.after)
      revision = change.revision
    }
    this.logBytes += groupBytes
    this.fold(fold)
    await this.commit({ format: journalFormat, revision, objects, versions, oldest: fold.oldest, next })
  }

  /** Folds part of a long log; resolves when that is on disk. The content of the journal does not change. */
  async shorten(): Promise<void> {
    const fold = this.planFold(0, idleFoldBytes, this.maxLogBytes)
    this.room.ensure(roomFor(0, 0, fold))
    this.fold(fold)
    const { revision, objects, versions = 0, next } = this.state
    await this.commit({ format: journalFormat, revision, objects, versions, oldest: fold.oldest, next })
  }

  private async commit(state: JournalState): Promise<void> {
    const { format, revision, objects, versions = 0, oldest, next } = state
    const transaction = this.transaction === undefined ? undefined : this.transaction + 1
    // JSON has no undefined members.
    const written = { format, revision, objects, versions, oldest, next, transaction } as JournalState
    try {
      // Every put returns the promise of its transaction.
      await this.states.put(stateName, encodeRecord(stateName, JSON.stringify(written)))
    } catch (error) {
      throw await causeOf(error)
    }
    if (transaction !== undefined && statusOf(this.root).lastTxnId !== transaction) {
      // lmdb used more than one transaction. This must not make the state invalid.
      this.transaction = undefined
      return this.commit(state)
    }
    this.transaction = transaction
    if (this.fault !== undefined) await this.fault('after')
    this.state = written
  }

  close(): Promise<void> {
    this.room.close()
    this.closed ??= this.root.close()
    return this.closed
  }

  /** The entries of earlier groups to fold into the table of objects while the log is too long. */
  private planFold(groupBytes: number, maxBytes: number, maxLogBytes: number): LogFold {
    const enoughBytes = Math.max(maxLogBytes, this.logBytes + groupBytes - maxBytes)
    const records: JournalRecord[] = []
    let { oldest, next } = this.state
    let bytes = 0
    for (; this.logBytes + groupBytes - bytes > enoughBytes && oldest < next; oldest++) {
      const entry = this.log.getBinary(oldest) as Buffer
      for (const record of splitRecords(entry) ?? []) {
        if (this.latest.get(record.name) === oldest) records.push(record)
      }
      bytes += entry.length
    }
    return { oldest, bytes, records }
  }

  /** Objects that the group itself writes again stay in the log. */
  private fold({ oldest, bytes, records }: LogFold): void {
    for (let entry = this.state.oldest; entry < oldest; entry++) pass(this.log.remove(entry))
    this.logBytes -= bytes
    const moved = new Map<string, JournalRecord>()
    for (const record of records) {
      if ((this.latest.get(record.name) as number) < oldest) moved.set(record.name, record)
    }
    // Sorted, because neighbors share pages, and lmdb searches from its last position.
    for (const name of [...moved.keys()].sort()) {
      const record = moved.get(name) as JournalRecord
      if (isDeletion(record)) pass(this.objects.remove(name))
      else pass(this.objects.put(name, record.bytes))
      this.latest.delete(name)
    }
  }
}

/** A part of the log to fold: entries up to `oldest`, and the newest of their records. */
interface LogFold {
  readonly oldest: number
  readonly bytes: number
  readonly records: readonly JournalRecord[]
}

/**
 * An upper limit of what a transaction adds to the file: its records in whole pages, and copies of the pages it
 * changes.
 */
function roomFor(groupBytes: number, entries: number, { bytes, records }: LogFold): number {
  return groupBytes + bytes + pageBytes * (64 + 4 * entries + 2 * records.length)
}

/** The transaction's promise is awaited once, for all its writes. */
function pass(promise: Promise<boolean>): void {
  promise.catch(() => {})
}

/** lmdb rejects with a general error that contains a promise, which rejects with the cause. */
async function causeOf(error: unknown): Promise<Error> {
  const { commitError } = error as { readonly commitError?: Promise<never> }
  if (commitError === undefined) return error as Error
  return commitError.catch((cause: Error) => cause)
}
