/** A map of bounded size that removes the least recently used entry. */
export class LruMap<V> {
  private readonly entries = new Map<string, V>()
  private readonly limit: number
  // The entries that it passes are removed immediately, so its next entry is always the oldest one. A new iterator
  // would first have to skip the slots of all removed entries.
  private oldest: IterableIterator<string> = this.entries.keys()

  constructor(limit: number) {
    this.limit = limit
  }

  get size(): number {
    return this.entries.size
  }

  get(key: string): V | undefined {
    const value = this.entries.get(key)
    if (value !== undefined) {
      this.entries.delete(key)
      this.entries.set(key, value)
    }
    return value
  }

  set(key: string, value: V): void {
    this.entries.delete(key)
    this.entries.set(key, value)
    if (this.entries.size <= this.limit) return
    let next = this.oldest.next()
    if (next.done === true) {
      this.oldest = this.entries.keys()
      next = this.oldest.next()
    }
    this.entries.delete(next.value)
  }

  delete(key: string): void {
    this.entries.delete(key)
  }

  [Symbol.iterator](): IterableIterator<[string, V]> {
    return this.entries[Symbol.iterator]()
  }
}
