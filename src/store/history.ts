import type { StoreChange } from './contract.ts'

/**
 * The most recent changes, one per revision without a gap, in a ring buffer: adding a change never moves another.
 * Invariant: it holds exactly the revisions from `compacted + 1` to `newest`.
 */
export class History {
  readonly #ring: (StoreChange | undefined)[] = []
  readonly #limit: number
  readonly #maxBytes: number
  readonly #origin: number
  #compacted: number
  #newest: number
  #bytes = 0

  /** `origin`: the revision of the initial state. `maxBytes`: limit for objects that only the history holds. */
  constructor(limit: number, origin: number, maxBytes = Number.POSITIVE_INFINITY) {
    this.#limit = limit
    this.#maxBytes = maxBytes
    this.#origin = origin
    this.#compacted = origin
    this.#newest = origin
  }

  get compacted(): number {
    return this.#compacted
  }

  push(change: StoreChange): void {
    this.#newest = change.revision
    if (this.#limit === 0) {
      this.#compacted = this.#newest
      return
    }
    if (this.#newest - this.#compacted > this.#limit) this.#forgetOldest()
    this.#ring[this.#slot(change.revision)] = change
    this.#bytes += bytesOf(change)
    while (this.#bytes > this.#maxBytes && this.#compacted < this.#newest) this.#forgetOldest()
  }

  compact(revision: number): void {
    const upTo = Math.min(revision, this.#newest)
    while (this.#compacted < upTo) this.#forgetOldest()
  }

  /** Drops the changes after `revision`: they were rolled back. */
  retract(revision: number): void {
    for (let gone = this.#newest; gone > Math.max(revision, this.#compacted); gone--) this.#forget(gone)
    this.#newest = revision
    this.#compacted = Math.min(this.#compacted, revision)
  }

  /** The changes after `from` up to and including `to`, in order. */
  between(from: number, to: number): StoreChange[] {
    const changes: StoreChange[] = []
    for (let revision = from + 1; revision <= to; revision++) changes.push(this.#at(revision))
    return changes
  }

  /** The value of each key of the resource at `revision`, for the keys that changed since. */
  since(resource: string, revision: number): Map<string, StoreChange['before']> {
    const held = new Map<string, StoreChange['before']>()
    for (let walked = this.#newest; walked > revision; walked--) {
      const change = this.#at(walked)
      if (change.resource === resource) held.set(change.key, change.before)
    }
    return held
  }

  #forgetOldest(): void {
    this.#compacted++
    this.#forget(this.#compacted)
  }

  #forget(revision: number): void {
    this.#bytes -= bytesOf(this.#at(revision))
    this.#ring[this.#slot(revision)] = undefined
  }

  #slot(revision: number): number {
    return (revision - this.#origin - 1) % this.#limit
  }

  #at(revision: number): StoreChange {
    return this.#ring[this.#slot(revision)] as StoreChange
  }
}

/** The size of a change itself, and of the objects that only it keeps alive. */
const bytesOf = ({ removedBytes = 0 }: StoreChange): number => 256 + removedBytes
