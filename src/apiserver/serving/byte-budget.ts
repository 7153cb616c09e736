/** The memory of the server for one client: a response that is not read yet, or an incomplete body. */
export interface HeldBytes {
  readonly bytes: number
  /** The client has read or sent something: it is now the last to be closed. */
  progressed(): void
  set(bytes: number): void
  release(): void
}

interface HeldEntry {
  bytes: number
  progressAt: number
  readonly close: () => void
}

interface Shared {
  readonly bytes: number
  holders: number
}

/**
 * The total bytes that wait for clients. Above the limit, the clients without progress for the longest time are closed.
 * A client that reads is never closed while another client does not read.
 */
export class ByteBudget {
  readonly limit: number
  private readonly now: () => number
  /** Ordered by their last progress, the slowest first. */
  private readonly entries = new Set<HeldEntry>()
  private readonly shared = new Map<object, Shared>()
  private heldBytes = 0
  private closed = 0

  constructor(options: { readonly limit: number; readonly now: () => number }) {
    this.limit = options.limit
    this.now = options.now
  }

  get total(): number {
    return this.heldBytes
  }

  /** The number of clients that were closed to stay within the limit. */
  get closedCount(): number {
    return this.closed
  }

  /** A quarter of the limit is reserved for clients that have started. */
  get hasRoom(): boolean {
    return this.heldBytes < this.limit * 0.75
  }

  hold(bytes: number, close: () => void): HeldBytes {
    const entry: HeldEntry = { bytes: 0, progressAt: this.now(), close }
    const { entries } = this
    const set = (next: number) => {
      if (!entries.has(entry)) return
      this.heldBytes += next - entry.bytes
      entry.bytes = next
      if (this.heldBytes > this.limit) this.relieve()
    }
    entries.add(entry)
    set(bytes)
    return {
      get bytes() {
        return entry.bytes
      },
      set,
      progressed: () => {
        if (!entries.delete(entry)) return
        entry.progressAt = this.now()
        entries.add(entry)
      },
      release: () => {
        if (entries.delete(entry)) this.heldBytes -= entry.bytes
      },
    }
  }

  /** An object that several clients wait for counts once. */
  share(object: object, bytes: number): void {
    const known = this.shared.get(object)
    if (known !== undefined) {
      known.holders++
      return
    }
    this.shared.set(object, { bytes, holders: 1 })
    this.heldBytes += bytes
    if (this.heldBytes > this.limit) this.relieve()
  }

  unshare(object: object): void {
    const known = this.shared.get(object)
    if (known === undefined || --known.holders > 0) return
    this.shared.delete(object)
    this.heldBytes -= known.bytes
  }

  /** Makes room for waiting requests: closes clients without progress for `stalledMs`, the slowest first. */
  makeRoom(stalledMs: number): void {
    const before = this.now() - stalledMs
    for (const entry of this.entries) {
      if (this.hasRoom || entry.progressAt > before) return
      if (entry.bytes > 0) this.close(entry)
    }
  }

  private relieve(): void {
    for (const entry of this.entries) {
      if (this.heldBytes <= this.limit) return
      if (entry.bytes > 0) this.close(entry)
    }
  }

  private close(entry: HeldEntry): void {
    this.closed++
    if (this.entries.delete(entry)) this.heldBytes -= entry.bytes
    entry.close()
  }
}
