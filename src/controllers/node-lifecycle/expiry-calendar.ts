interface Page {
  /** Those that were entered here; one that has been entered elsewhere since counts no more. */
  readonly names: string[]
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
  private readonly instants = new Map<string, number>()

  constructor(pageMs: number) {
    this.pageMs = pageMs
  }

  get(name: string): number | undefined {
    return this.instants.get(name)
  }

  set(name: string, at: number): void {
    const before = this.instants.get(name)
    if (before === at) return
    this.instants.set(name, at)
    const number = this.pageOf(at)
    if (before === undefined || this.pageOf(before) !== number) this.enter(name, number)
    const page = this.pages.get(number) as Page
    if (at < page.earliestAt) page.earliestAt = at
  }

  delete(name: string): void {
    this.instants.delete(name)
  }

  /** Takes out every name that is due at `now`. */
  popDue(now: number): readonly string[] {
    const due: string[] = []
    for (const [number, page] of [...this.pages].sort(byNumber)) {
      if (page.earliestAt > now) continue
      this.pages.delete(number)
      for (const name of page.names) {
        const at = this.instants.get(name)
        if (at === undefined || this.pageOf(at) !== number) continue
        if (at > now) {
          this.keep(name, number, at)
          continue
        }
        this.instants.delete(name)
        due.push(name)
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

  private keep(name: string, number: number, at: number): void {
    this.enter(name, number)
    const page = this.pages.get(number) as Page
    if (at < page.earliestAt) page.earliestAt = at
  }

  private enter(name: string, number: number): void {
    const page = this.pages.get(number)
    if (page === undefined) this.pages.set(number, { names: [name], earliestAt: Number.POSITIVE_INFINITY })
    else page.names.push(name)
  }
}

function byNumber([a]: [number, Page], [b]: [number, Page]): number {
  return a - b
}
