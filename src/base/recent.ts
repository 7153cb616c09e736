/**
 * What was worked out for an object (by identity) or a text, for as long as it is likely to be asked again: pods of one template
 * share their spec. Bounded, and emptied rather than pruned; a weak map would burden the collector with every object.
 */
export class Recent<K extends object | string, V> {
  readonly #limit: number
  readonly #entries = new Map<K, V>()

  constructor(limit = 4096) {
    this.#limit = limit
  }

  get(key: K): V | undefined {
    return this.#entries.get(key)
  }

  set(key: K, value: V): void {
    if (this.#entries.size >= this.#limit) this.#entries.clear()
    this.#entries.set(key, value)
  }
}
