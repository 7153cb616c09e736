import type { StoreChange, StoreWatcher } from './contract.ts'

interface Subscription {
  readonly watcher: StoreWatcher
  /** The last revision that this watcher received, or the revision after which it started. */
  seen: number
}

/**
 * Delivers groups of changes to every watcher in revision order. A watcher that commits during a delivery does not
 * overtake the others: the new group waits until the current one has reached all of them.
 */
export class Watchers {
  private readonly subscriptions = new Set<Subscription>()
  private waiting: (readonly StoreChange[])[] = []
  private delivering = false
  private readonly errors: unknown[] = []
  /** The last revision of the last group that was delivered or is being delivered. */
  private shownRevision: number

  constructor(shown: number) {
    this.shownRevision = shown
  }

  get shown(): number {
    return this.shownRevision
  }

  /** `missed`: the changes between `from` and the last delivered revision. */
  add(watcher: StoreWatcher, from: number, missed: readonly StoreChange[]): { readonly cancel: () => void } {
    const subscription: Subscription = { watcher, seen: Math.max(from, this.shownRevision) }
    this.subscriptions.add(subscription)
    if (missed.length > 0) this.alone(() => watcher(missed))
    return { cancel: () => void this.subscriptions.delete(subscription) }
  }

  show(changes: readonly StoreChange[]): void {
    if (this.delivering) {
      this.waiting.push(changes)
      return
    }
    this.delivering = true
    this.deliver(changes)
    this.deliverWaiting()
  }

  /**
   * Runs a delivery, then delivers the commits of the meantime. Errors are thrown after all watchers received all
   * changes.
   */
  private alone(work: () => void): void {
    if (this.delivering) {
      work()
      return
    }
    this.delivering = true
    try {
      work()
    } catch (error) {
      this.errors.push(error)
    }
    this.deliverWaiting()
  }

  private deliverWaiting(): void {
    if (this.waiting.length > 0) {
      for (let next = 0; next < this.waiting.length; next++) {
        this.deliver(this.waiting[next] as readonly StoreChange[])
      }
      this.waiting = []
    }
    this.delivering = false
    if (this.errors.length > 0) throw this.errors.splice(0)[0]
  }

  private deliver(group: readonly StoreChange[]): void {
    const first = (group[0] as StoreChange).revision
    const last = (group[group.length - 1] as StoreChange).revision
    this.shownRevision = last
    for (const subscription of this.subscriptions) {
      const { seen } = subscription
      if (seen >= last) continue
      subscription.seen = last
      try {
        subscription.watcher(seen < first ? group : group.slice(seen - first + 1))
      } catch (error) {
        // A watcher that throws is a bug; the others must still get the change.
        this.errors.push(error)
      }
    }
  }
}
