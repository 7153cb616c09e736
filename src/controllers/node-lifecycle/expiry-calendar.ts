/** What has a place in the calendar. The calendar alone writes it. */
export interface Expiring {
  /** Absent: it has none. */
  expiresAt: number | undefined
}

interface Page<E> {
  /** Those that were entered here; one that has been entered elsewhere since counts no more. */
  readonly entries: E[]
  /** Nobody on this page is due before. */
  earliestAt: number
}

/**
 * When each node's grace period could run out, by pages of one period each. Thousands of nodes are entered anew all the
 * time and hardly any ever comes due, so entering must cost next to nothing: a page is a list, and no list is sorted.
 */
export class ExpiryCalendar<E extends Expiring> {
  private readonly pageMs: number
  private readonly pages = new Map<number, Page<E>>()

  constructor(pageMs: number) {
    this.pageMs = pageMs
  }

  set(entry: E, at: number): void {
    const before = entry.expiresAt
    if (before === at) return
    entry.expiresAt = at
    const number = this.pageOf(at)
    if (before === undefined || this.pageOf(before) !== number) this.enter(entry, number)
    this.bringForward(number, at)
  }

  delete(entry: E): void {
    entry.expiresAt = undefined
  }

  /** Takes out everyone who is due at `now`. */
  popDue(now: number): readonly E[] {
    const due: E[] = []
    for (const [number, page] of [...this.pages].sort(([a], [b]) => a - b)) {
      if (page.earliestAt > now) continue
      this.pages.delete(number)
      for (const entry of page.entries) {
        const { expiresAt: at } = entry
        if (at === undefined || this.pageOf(at) !== number) continue
        if (at > now) {
          this.enter(entry, number)
          this.bringForward(number, at)
          continue
        }
        entry.expiresAt = undefined
        due.push(entry)
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
    const page = this.pages.get(number) as Page<E>
    if (at < page.earliestAt) page.earliestAt = at
  }

  private enter(entry: E, number: number): void {
    const page = this.pages.get(number)
    if (page === undefined) this.pages.set(number, { entries: [entry], earliestAt: Number.POSITIVE_INFINITY })
    else page.entries.push(entry)
  }
}
