import type { StoreChange } from './contract.ts'

/**
 * The most recent changes, one per revision without gaps, in a ring buffer: adding a change never moves another one.
 * Invariant: it holds exactly the revisions from `compacted + 1` to `newest`.
 */
export class History {
  private readonly ring: (StoreChange | undefined)[] = []
  private readonly limit: number
  private readonly maxBytes: number
  private readonly origin: number
  private compactedAt: number
  private newest: number
  private bytes = 0

  /** `origin`: the revision of the initial state. `maxBytes`: limit for objects that only the history holds. */
  constructor(limit: number, origin: number, maxBytes = Number.POSITIVE_INFINITY) {
    this.limit = limit
    this.maxBytes = maxBytes
    this.origin = origin
    this.compactedAt = origin
    this.newest = origin
  }

  get compacted(): number {
    return this.compactedAt
  }

  push(change: StoreChange): void {
    this.newest = change.revision
    if (this.limit === 0) {
      this.compactedAt = this.newest
      return
    }
    if (this.newest - this.compactedAt > this.limit) this.forgetOldest()
    this.ring[this.slot(change.revision)] = change
    this.bytes += bytesOf(change)
    while (this.bytes > this.maxBytes && this.compactedAt < this.newest) this.forgetOldest()
  }

  compact(revision: number): void {
    const upTo = Math.min(revision, this.newest)
    while (this.compactedAt < upTo) this.forgetOldest()
  }

  /** Drops the changes after `revision`: they were rolled back. */
  retract(revision: number): void {
    for (let gone = this.newest; gone > Math.max(revision, this.compactedAt); gone--) this.forget(gone)
    this.newest = revision
    this.compactedAt = Math.min(this.compactedAt, revision)
  }

  /** The changes after `from` up to and including `to`, in order. */
  between(from: number, to: number): StoreChange[] {
    const changes: StoreChange[] = []
    for (let revision = from + 1; revision <= to; revision++) changes.push(this.at(revision))
    return changes
  }

  /** The value of each key of the resource at `revision`, for the keys that changed since. */
  since(resource: string, revision: number): Map<string, StoreChange['before']> {
    const held = new Map<string, StoreChange['before']>()
    for (let walked = this.newest; walked > revision; walked--) {
      const change = this.at(walked)
      if (change.resource === resource) held.set(change.key, change.before)
    }
    return held
  }

  private forgetOldest(): void {
    this.compactedAt++
    this.forget(this.compactedAt)
  }

  private forget(revision: number): void {
    this.bytes -= bytesOf(this.at(revision))
    this.ring[this.slot(revision)] = undefined
  }

  private slot(revision: number): number {
    return (revision - this.origin - 1) % this.limit
  }

  private at(revision: number): StoreChange {
    return this.ring[this.slot(revision)] as StoreChange
  }
}

/** The size of a change, and of the objects that only this change keeps alive. */
const bytesOf = ({ removedBytes = 0 }: StoreChange): number => 256 + removedBytes
