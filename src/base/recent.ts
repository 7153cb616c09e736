const all = new Set<{ clear(): void }>()

/** Empties every `Recent` of the process: what it holds was made from large values, which it would keep alive. */
export function forgetRecent(): void {
  for (const each of all) each.clear()
}

/**
 * What was worked out for an object (by identity) or a text, for as long as it is likely to be asked again: pods of one template
 * share their spec. Bounded, and emptied rather than pruned; a weak map would burden the collector with every object.
 * For constants of modules: an instance is never released.
 */
export class Recent<K extends object | string, V> {
  readonly #limit: number
  readonly #entries = new Map<K, V>()

  constructor(limit = 4096) {
    this.#limit = limit
    all.add(this)
  }

  clear(): void {
    this.#entries.clear()
  }

  get(key: K): V | undefined {
    return this.#entries.get(key)
  }

  set(key: K, value: V): void {
    if (this.#entries.size >= this.#limit) this.#entries.clear()
    this.#entries.set(key, value)
  }
}
