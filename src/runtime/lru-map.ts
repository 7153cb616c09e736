/** A map of bounded size that forgets what was used longest ago. */
export class LruMap<V> {
  private readonly entries = new Map<string, V>()
  private readonly limit: number

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
    for (const oldest of this.entries.keys()) {
      this.entries.delete(oldest)
      return
    }
  }

  delete(key: string): void {
    this.entries.delete(key)
  }

  [Symbol.iterator](): IterableIterator<[string, V]> {
    return this.entries[Symbol.iterator]()
  }
}
