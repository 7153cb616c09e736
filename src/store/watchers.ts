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
    if (missed.length > 0) watcher(missed)
    return { cancel: () => void this.#subscriptions.delete(subscription) }
  }

  /** A watcher that throws is a bug; the others are shown the change all the same, then the error surfaces. */
  show(changes: readonly StoreChange[]): void {
    if (this.#delivering) {
      this.#waiting.push(changes)
      return
    }
    this.#delivering = true
    const errors: unknown[] = []
    let group: readonly StoreChange[] | undefined = changes
    let next = 0
    while (group !== undefined) {
      this.#deliver(group, errors)
      group = this.#waiting[next++]
    }
    this.#waiting = []
    this.#delivering = false
    if (errors.length > 0) throw errors[0]
  }

  #deliver(group: readonly StoreChange[], errors: unknown[]): void {
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
        errors.push(error)
      }
    }
  }
}
