import type { StoreChange, StoreWatcher } from './contract.ts'

interface Subscription {
  readonly watcher: StoreWatcher
  /** The last revision this watcher was shown, or started after. */
  seen: number
}

/**
 * Shows groups of changes to every watcher in revision order. A watcher that commits while it is being shown something
 * does not overtake the others: the new group waits until the present one has reached all of them.
 */
export class Watchers {
  readonly #subscriptions = new Set<Subscription>()
  #waiting: (readonly StoreChange[])[] = []
  #delivering = false
  readonly #errors: unknown[] = []
  /** The last revision of the group that was shown last, or is being shown. */
  #shown: number

  constructor(shown: number) {
    this.#shown = shown
  }

  get shown(): number {
    return this.#shown
  }

  /** `missed`: the changes between `from` and what has been shown already. */
  add(watcher: StoreWatcher, from: number, missed: readonly StoreChange[]): { readonly cancel: () => void } {
    const subscription: Subscription = { watcher, seen: Math.max(from, this.#shown) }
    this.#subscriptions.add(subscription)
    if (missed.length > 0) this.#alone(() => watcher(missed))
    return { cancel: () => void this.#subscriptions.delete(subscription) }
  }

  show(changes: readonly StoreChange[]): void {
    if (this.#delivering) {
      this.#waiting.push(changes)
      return
    }
    this.#delivering = true
    this.#deliver(changes)
    this.#deliverWaiting()
  }

  /** Then shows what was committed meanwhile. What is thrown on the way surfaces only when all have been shown all. */
  #alone(work: () => void): void {
    if (this.#delivering) {
      work()
      return
    }
    this.#delivering = true
    try {
      work()
    } catch (error) {
      this.#errors.push(error)
    }
    this.#deliverWaiting()
  }

  #deliverWaiting(): void {
    if (this.#waiting.length > 0) {
      for (let next = 0; next < this.#waiting.length; next++) {
        this.#deliver(this.#waiting[next] as readonly StoreChange[])
      }
      this.#waiting = []
    }
    this.#delivering = false
    if (this.#errors.length > 0) throw this.#errors.splice(0)[0]
  }

  #deliver(group: readonly StoreChange[]): void {
    const first = (group[0] as StoreChange).revision
    const last = (group[group.length - 1] as StoreChange).revision
    this.#shown = last
    for (const subscription of this.#subscriptions) {
      const { seen } = subscription
      if (seen >= last) continue
      subscription.seen = last
      try {
        subscription.watcher(seen < first ? group : group.slice(seen - first + 1))
      } catch (error) {
        // A watcher that throws is a bug, and no reason to keep the change from the others.
        this.#errors.push(error)
      }
    }
  }
}
