/** An entry of the calendar. Only the calendar writes `expiresAt`. */
export interface Expiring {
  /** Absent: not in the calendar. */
  expiresAt: number | undefined
}

interface CalendarPage<E> {
  /** Entries of this page. An entry that has moved to another page is ignored. */
  readonly entries: E[]
  /** No node of this page is due earlier. */
  earliestAt: number
}

/**
 * The end of the grace period of each node, by pages of one monitoring period each. Thousands of nodes move constantly
 * and few ever expire, so a move must be cheap: a page is an unsorted list.
 */
export class ExpiryCalendar<E extends Expiring> {
  private readonly pageMs: number
  private readonly pages = new Map<number, CalendarPage<E>>()

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

  /** Removes and returns the entries that are due at `now`. */
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

  /** No node is due before this instant. */
  nextAt(): number | undefined {
    let next: number | undefined
    for (const { earliestAt } of this.pages.values()) if (next === undefined || earliestAt < next) next = earliestAt
    return next
  }

  private pageOf(at: number): number {
    return Math.floor(at / this.pageMs)
  }

  private bringForward(number: number, at: number): void {
    const page = this.pages.get(number) as CalendarPage<E>
    if (at < page.earliestAt) page.earliestAt = at
  }

  private enter(entry: E, number: number): void {
    const page = this.pages.get(number)
    if (page === undefined) this.pages.set(number, { entries: [entry], earliestAt: Number.POSITIVE_INFINITY })
    else page.entries.push(entry)
  }
}
