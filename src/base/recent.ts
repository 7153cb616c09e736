const all = new Set<{ clear(): void }>()

/** Clears every `Recent` of the process: the results were computed from large values, which it would keep alive. */
export function forgetRecent(): void {
  for (const each of all) each.clear()
}

/**
 * Results computed for an object (by identity) or a string, kept for as long as they are likely to be needed again:
 * pods of one template share their spec. Bounded, and cleared instead of pruned; a weak map would burden the garbage
 * collector with every object. For module constants: an instance is never released.
 */
export class Recent<K extends object | string, V> {
  private readonly limit: number
  private readonly entries = new Map<K, V>()

  constructor(limit = 4096) {
    this.limit = limit
    all.add(this)
  }

  clear(): void {
    this.entries.clear()
  }

  get(key: K): V | undefined {
    return this.entries.get(key)
  }

  set(key: K, value: V): void {
    if (this.entries.size >= this.limit) this.entries.clear()
    this.entries.set(key, value)
  }
}
