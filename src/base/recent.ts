const all = new Set<{ clear(): void }>()

/** Clears every `Recent` of the process: the results were computed from large values, which it would keep alive. */
export function forgetRecent(): void {
  for (const each of all) each.clear()
}

/** After this number of results without reuse, only some results are kept. */
const unusedLimit = 128
/** After that, one of this number of results is kept. A power of two. */
const sampling = 16

/**
 * Results computed for an object (by identity) or a string, kept for as long as they are likely to be needed again:
 * pods of one template share their spec. The number of results is bounded: a full map is cleared, not pruned. A weak
 * map would burden the garbage collector with every object. For module constants: an instance is never released.
 *
 * While keys do not repeat (every pod another spec), keeping their results only costs: the map grows, and objects of
 * finished requests live until they are moved to the old generation. Then most results are not kept, until a key
 * repeats.
 */
export class Recent<K extends object | string, V> {
  private readonly limit: number
  private readonly entries = new Map<K, V>()
  private unused = 0

  constructor(limit = 4096) {
    this.limit = limit
    all.add(this)
  }

  clear(): void {
    this.entries.clear()
    this.unused = 0
  }

  get(key: K): V | undefined {
    const value = this.entries.get(key)
    if (value !== undefined) this.unused = 0
    return value
  }

  set(key: K, value: V): void {
    if (++this.unused > unusedLimit && this.unused % sampling !== 0) return
    if (this.entries.size >= this.limit) this.entries.clear()
    this.entries.set(key, value)
  }
}
