import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/log.ts'
import { type StoreChange, type StoreRefusal, StoreUnavailable, type StoreWrite } from '../contract.ts'
import { encoded } from '../encoded.ts'
import type { Journal, JournalOwner } from '../memory-store.ts'
import { encodeRecord, recordName } from './record.ts'
import { JournalGroup, type JournalTables } from './tables.ts'
import { restOfTurn } from './turn.ts'

export interface GroupJournalOptions {
  readonly tables: JournalTables
  readonly maxWaitingWrites: number
  readonly clock: Clock
  readonly log: Logger
  /**
   * Reopens the journal after a failure, when the tables are closed. The result has the content of the disk, which
   * works again. Rejects while the disk does not work.
   */
  readonly reopen: () => Promise<JournalTables>
}

interface Waiter {
  readonly revision: number
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

/** The disk failed. `group`: the writes in progress, which may or may not be on disk. */
interface Outage {
  readonly group: JournalGroup
  readonly revision: number
  readonly beganAt: number
  message: string
}

const retryMs = 1000
/** lmdb limits keys to 1978 bytes; a UTF-16 unit takes up to three of them. */
const maxKeyUnits = 640
const closedMessage = 'the store is closed'

/**
 * Group commit: while one group is written the next collects, so groups grow as the disk slows down. One group is one
 * lmdb transaction, and only one is in progress at a time, so the disk always holds a prefix of the writes. If a group
 * cannot be written, all writes that are not on disk are rolled back, writes are refused, and the journal is reopened
 * periodically until that succeeds.
 */
export class GroupJournal implements Journal {
  private readonly options: GroupJournalOptions
  private tables: JournalTables
  private owner: JournalOwner | undefined
  private next = new JournalGroup()
  private waitingWrites = 0
  private waiters: Waiter[] = []
  private writing: Promise<void> | undefined
  private outage: Outage | undefined
  private failureCount = 0
  private cancelRetry: () => void = () => {}
  private retrying: Promise<void> | undefined
  private closing: Promise<boolean> | undefined

  constructor(options: GroupJournalOptions) {
    this.options = options
    this.tables = options.tables
  }

  attach(owner: JournalOwner): void {
    this.owner = owner
  }

  get trouble(): string | undefined {
    return this.outage?.message
  }

  /** The number of failures of the disk. */
  get failures(): number {
    return this.failureCount
  }

  refuses(writes: readonly StoreWrite[]): Pick<StoreRefusal, 'kind' | 'message'> | undefined {
    if (this.closing !== undefined) return { kind: 'read-only', message: closedMessage }
    if (this.outage !== undefined) return { kind: 'read-only', message: this.outage.message }
    if (this.waitingWrites + writes.length > this.options.maxWaitingWrites) {
      return { kind: 'full', message: `${this.waitingWrites} writes are waiting for the disk` }
    }
    for (const { resource, key } of writes) {
      if (resource.length + key.length > maxKeyUnits) {
        return { kind: 'full', message: `the key ${resource}/${key} is too long for the journal` }
      }
    }
    return undefined
  }

  append(changes: readonly StoreChange[]): void {
    // All are encoded before one is added, so that a transaction is never written partially.
    const records = changes.map(({ resource, key, after }) => {
      const name = recordName(resource, key)
      return { name, bytes: encodeRecord(name, after === undefined ? '' : encoded(after)) }
    })
    this.next.add(changes, records)
    this.waitingWrites += changes.length
    this.writing ??= this.writeGroups()
  }

  durable(revision: number): Promise<void> {
    if (revision <= this.tables.revision) return Promise.resolve()
    if (this.outage !== undefined) return Promise.reject(new StoreUnavailable(this.outage.message))
    return new Promise((resolve, reject) => this.waiters.push({ revision, resolve, reject }))
  }

  /** Returns whether this call closed it. */
  async close(): Promise<boolean> {
    if (this.closing !== undefined) {
      await this.closing
      return false
    }
    this.closing = this.closeTables()
    return this.closing
  }

  private async closeTables(): Promise<boolean> {
    await this.writing
    this.cancelRetry()
    await this.retrying
    await this.tables.close()
    return true
  }

  private async writeGroups(): Promise<void> {
    for (;;) {
      // Later writes of this turn join the group. Most of them are requests that waited for the previous group.
      await restOfTurn()
      const group = this.next
      const isEmpty = group.changes.length === 0
      if (isEmpty && (!this.tables.isLong || this.closing !== undefined)) break
      this.next = new JournalGroup()
      try {
        if (isEmpty) await this.tables.shorten()
        else await this.tables.write(group)
      } catch (error) {
        this.fail(error as Error, group)
        break
      }
      if (!isEmpty) this.land(group)
    }
    this.writing = undefined
  }

  private land({ changes }: JournalGroup): void {
    this.waitingWrites -= changes.length
    this.tell((owner) => owner.landed(changes))
    this.settle()
  }

  /** A watcher that throws is a bug, not a disk failure. Later writes are still written and shown. */
  private tell(tell: (owner: JournalOwner) => void): void {
    try {
      if (this.owner !== undefined) tell(this.owner)
    } catch (error) {
      void Promise.reject(error)
    }
  }

  private settle(): void {
    const { revision } = this.tables
    const waiting: Waiter[] = []
    for (const waiter of this.waiters) {
      if (waiter.revision <= revision) waiter.resolve()
      else waiting.push(waiter)
    }
    this.waiters = waiting
  }

  /** No write after a failed group may reach the disk, because that would leave a gap. */
  private fail(cause: Error, group: JournalGroup): void {
    const { clock, log } = this.options
    const message = messageOf(cause)
    const { revision } = this.tables
    this.outage = { group, revision, beganAt: clock.now(), message }
    this.failureCount++
    const lost = [...group.changes, ...this.next.changes]
    this.next = new JournalGroup()
    this.waitingWrites = 0
    this.tell((owner) => owner.lost(lost))
    const waiters = this.waiters
    this.waiters = []
    for (const waiter of waiters) waiter.reject(new StoreUnavailable(message))
    log.error({ why: cause.message, revision, lost: lost.length }, 'the journal cannot be written; refusing writes')
    this.retryLater()
  }

  private retryLater(): void {
    const { clock } = this.options
    if (this.closing !== undefined) return
    this.cancelRetry = clock.at(clock.now() + retryMs, () => {
      this.retrying = this.retry(this.outage as Outage)
    })
  }

  private async retry(outage: Outage): Promise<void> {
    try {
      await this.tables.close()
      const tables = await this.options.reopen()
      this.tables = tables
      this.resume(outage)
    } catch (error) {
      outage.message = messageOf(error as Error)
      this.retryLater()
    }
  }

  /** The failed group is on disk completely or not at all. */
  private resume({ group, revision, beganAt }: Outage): void {
    const { clock, log } = this.options
    const isFound = this.tables.revision !== revision
    if (isFound && this.tables.revision !== group.changes.at(-1)?.revision) {
      throw new Error(`it has revision ${this.tables.revision}; expected ${revision}: the file was replaced`)
    }
    this.outage = undefined
    if (isFound) this.tell((owner) => owner.found(group.changes))
    const fields = { revision: this.tables.revision, found: isFound ? group.changes.length : 0 }
    // The level is a warning, so that a log with the start of the outage also has its end.
    log.warn({ ...fields, outageMs: clock.now() - beganAt }, 'the journal can be written again; accepting writes')
  }
}

const messageOf = (cause: Error) => `the journal cannot be written: ${cause.message}`
