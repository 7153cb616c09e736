/** A node's place in the calendar; it stays with the node. */
interface Entry {
  readonly name: string
  /** Absent: it has none. */
  at: number | undefined
}

interface Page {
  /** Those that were entered here; one that has been entered elsewhere since counts no more. */
  readonly entries: Entry[]
  /** Nobody on this page is due before. */
  earliestAt: number
}

/**
 * When each node's grace period could run out, by pages of one period each. Thousands of nodes are entered anew all the
 * time and hardly any ever comes due, so entering must cost next to nothing: a page is a list, and no list is sorted.
 */
export class ExpiryCalendar {
  private readonly pageMs: number
  private readonly pages = new Map<number, Page>()
  private readonly entries = new Map<string, Entry>()

  constructor(pageMs: number) {
    this.pageMs = pageMs
  }

  get(name: string): number | undefined {
    return this.entries.get(name)?.at
  }

  set(name: string, at: number): void {
    let entry = this.entries.get(name)
    if (entry === undefined) {
      entry = { name, at: undefined }
      this.entries.set(name, entry)
    }
    const before = entry.at
    if (before === at) return
    entry.at = at
    const number = this.pageOf(at)
    if (before === undefined || this.pageOf(before) !== number) this.enter(entry, number)
    this.bringForward(number, at)
  }

  delete(name: string): void {
    const entry = this.entries.get(name)
    if (entry !== undefined) entry.at = undefined
  }

  /** Takes out every name that is due at `now`. */
  popDue(now: number): readonly string[] {
    const due: string[] = []
    for (const [number, page] of [...this.pages].sort(byNumber)) {
      if (page.earliestAt > now) continue
      this.pages.delete(number)
      for (const entry of page.entries) {
        const { at } = entry
        if (at === undefined || this.pageOf(at) !== number) continue
        if (at > now) {
          this.enter(entry, number)
          this.bringForward(number, at)
          continue
        }
        entry.at = undefined
        due.push(entry.name)
      }
    }
    return due
  }

  /** Nobody is due before this instant. */
  nextAt(): number | undefined {
    let next: number | undefined
    for (const { earliestAt } of this.pages.values()) if (next === undefined || earliestAt < next) next = earliestAt
    return next
  }

  private pageOf(at: number): number {
    return Math.floor(at / this.pageMs)
  }

  private bringForward(number: number, at: number): void {
    const page = this.pages.get(number) as Page
    if (at < page.earliestAt) page.earliestAt = at
  }

  private enter(entry: Entry, number: number): void {
    const page = this.pages.get(number)
    if (page === undefined) this.pages.set(number, { entries: [entry], earliestAt: Number.POSITIVE_INFINITY })
    else page.entries.push(entry)
  }
}

function byNumber([a]: [number, Page], [b]: [number, Page]): number {
  return a - b
}
