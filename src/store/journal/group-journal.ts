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
   * Opens the journal again after a failure, when the tables are closed. What it answers holds what is on disk, and the
   * disk is known to work. Rejects while it does not.
   */
  readonly reopen: () => Promise<JournalTables>
}

interface Waiter {
  readonly revision: number
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

/** The disk failed. `group`: what was being written, and may be on disk or not. */
interface Outage {
  readonly group: JournalGroup
  readonly revision: number
  readonly beganAt: number
  message: string
}

const retryMs = 1000
/** lmdb's limit on keys is 1978 bytes; a UTF-16 unit takes up to three of them. */
const maxKeyUnits = 640
const closedMessage = 'the store is closed'

/**
 * Group commit: while one group is being written the next collects, so groups grow as the disk slows down. One group
 * is one lmdb transaction, and only one is under way at a time, so what is on disk is always a prefix of the writes.
 *
 * When a group cannot be written, everything that is not on disk is taken back, writes are refused, and the journal is
 * opened again from time to time until that works.
 */
export class GroupJournal implements Journal {
  readonly #options: GroupJournalOptions
  #tables: JournalTables
  #owner: JournalOwner | undefined
  #next = new JournalGroup()
  #waitingWrites = 0
  #waiters: Waiter[] = []
  #writing: Promise<void> | undefined
  #outage: Outage | undefined
  #failures = 0
  #cancelRetry: () => void = () => {}
  #retrying: Promise<void> | undefined
  #closing: Promise<boolean> | undefined

  constructor(options: GroupJournalOptions) {
    this.#options = options
    this.#tables = options.tables
  }

  attach(owner: JournalOwner): void {
    this.#owner = owner
  }

  get trouble(): string | undefined {
    return this.#outage?.message
  }

  /** How often the disk failed. */
  get failures(): number {
    return this.#failures
  }

  refuses(writes: readonly StoreWrite[]): Pick<StoreRefusal, 'kind' | 'message'> | undefined {
    if (this.#closing !== undefined) return { kind: 'read-only', message: closedMessage }
    if (this.#outage !== undefined) return { kind: 'read-only', message: this.#outage.message }
    if (this.#waitingWrites + writes.length > this.#options.maxWaitingWrites) {
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
    if (this.#outage !== undefined) return Promise.reject(new StoreUnavailable(this.#outage.message))
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
    this.#cancelRetry()
    await this.#retrying
    await this.#tables.close()
    return true
  }

  async #writeGroups(): Promise<void> {
    for (;;) {
      // What this turn has yet to write joins the group: mostly requests that waited for the last one.
      await restOfTurn()
      const group = this.#next
      const isEmpty = group.changes.length === 0
      if (isEmpty && (!this.#tables.isLong || this.#closing !== undefined)) break
      this.#next = new JournalGroup()
      try {
        if (isEmpty) await this.#tables.shorten()
        else await this.#tables.write(group)
      } catch (error) {
        this.#fail(error as Error, group)
        break
      }
      if (!isEmpty) this.#land(group)
    }
    this.#writing = undefined
  }

  #land({ changes }: JournalGroup): void {
    this.#waitingWrites -= changes.length
    this.#tell((owner) => owner.landed(changes))
    this.#settle()
  }

  /** A watcher that throws is a defect, not a failure of the disk: the writes after it are written and shown. */
  #tell(tell: (owner: JournalOwner) => void): void {
    try {
      if (this.#owner !== undefined) tell(this.#owner)
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
  #fail(cause: Error, group: JournalGroup): void {
    const { clock, log } = this.#options
    const message = messageOf(cause)
    const { revision } = this.#tables
    this.#outage = { group, revision, beganAt: clock.now(), message }
    this.#failures++
    const lost = [...group.changes, ...this.#next.changes]
    this.#next = new JournalGroup()
    this.#waitingWrites = 0
    this.#tell((owner) => owner.lost(lost))
    const waiters = this.#waiters
    this.#waiters = []
    for (const waiter of waiters) waiter.reject(new StoreUnavailable(message))
    log.error({ why: cause.message, revision, lost: lost.length }, 'the journal cannot be written: writes are refused')
    this.#retryLater()
  }

  #retryLater(): void {
    const { clock } = this.#options
    if (this.#closing !== undefined) return
    this.#cancelRetry = clock.at(clock.now() + retryMs, () => {
      this.#retrying = this.#retry(this.#outage as Outage)
    })
  }

  async #retry(outage: Outage): Promise<void> {
    try {
      await this.#tables.close()
      const tables = await this.#options.reopen()
      this.#tables = tables
      this.#resume(outage)
    } catch (error) {
      outage.message = messageOf(error as Error)
      this.#retryLater()
    }
  }

  /** The group that failed is on disk as a whole or not at all. */
  #resume({ group, revision, beganAt }: Outage): void {
    const { clock, log } = this.#options
    const isFound = this.#tables.revision !== revision
    if (isFound && this.#tables.revision !== group.changes.at(-1)?.revision) {
      throw new Error(`it holds revision ${this.#tables.revision} where ${revision} was written: it was replaced`)
    }
    this.#outage = undefined
    if (isFound) this.#tell((owner) => owner.found(group.changes))
    const fields = { revision: this.#tables.revision, found: isFound ? group.changes.length : 0 }
    // As a warning, so that a log that shows the beginning shows the end.
    log.warn({ ...fields, outageMs: clock.now() - beganAt }, 'the journal can be written again: writes are accepted')
  }
}

const messageOf = (cause: Error) => `the journal cannot be written: ${cause.message}`
