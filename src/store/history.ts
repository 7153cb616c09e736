import type { StoreChange } from './contract.ts'

/**
 * The most recent changes, one per revision without a gap, in a ring: remembering a change never moves another.
 * Invariant: it holds exactly the revisions from `compacted + 1` to `newest`.
 */
export class History {
  readonly #ring: (StoreChange | undefined)[] = []
  readonly #limit: number
  readonly #origin: number
  #compacted: number
  #newest: number

  /** `origin`: the revision of the state that history begins after. */
  constructor(limit: number, origin: number) {
    this.#limit = limit
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
    this.#ring[this.#slot(change.revision)] = change
    if (this.#newest - this.#compacted > this.#limit) this.#compacted = this.#newest - this.#limit
  }

  compact(revision: number): void {
    const upTo = Math.min(revision, this.#newest)
    for (let gone = this.#compacted + 1; gone <= upTo; gone++) this.#ring[this.#slot(gone)] = undefined
    this.#compacted = Math.max(this.#compacted, upTo)
  }

  /** Forgets the changes after `revision`: they were taken back. */
  retract(revision: number): void {
    if (this.#limit > 0) {
      for (let gone = this.#newest; gone > revision; gone--) this.#ring[this.#slot(gone)] = undefined
    }
    this.#newest = revision
    this.#compacted = Math.min(this.#compacted, revision)
  }

  /** The changes after `from` up to and including `to`, in order. */
  between(from: number, to: number): StoreChange[] {
    const changes: StoreChange[] = []
    for (let revision = from + 1; revision <= to; revision++) changes.push(this.#at(revision))
    return changes
  }

  /** What each key of the resource held at `revision`, for the keys that changed since. */
  since(resource: string, revision: number): Map<string, StoreChange['before']> {
    const held = new Map<string, StoreChange['before']>()
    for (let walked = this.#newest; walked > revision; walked--) {
      const change = this.#at(walked)
      if (change.resource === resource) held.set(change.key, change.before)
    }
    return held
  }

  #slot(revision: number): number {
    return (revision - this.#origin - 1) % this.#limit
  }

  #at(revision: number): StoreChange {
    return this.#ring[this.#slot(revision)] as StoreChange
  }
}
