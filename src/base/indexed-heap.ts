import { assert } from './assert.ts'

/** Negative when `a` comes first. Ties are left to the comparator: without a tie-break their order is unspecified. */
export type Comparator<V> = (a: V, b: V) => number

/**
 * A binary min-heap whose entries are found, replaced and removed by key.
 * Invariant: `places.get(keys[i]) === i` for every slot, and no slot comes before its parent.
 */
export class IndexedHeap<K, V> {
  private readonly keys: K[] = []
  private readonly values: V[] = []
  private readonly places = new Map<K, number>()
  private readonly compare: Comparator<V>

  constructor(compare: Comparator<V>) {
    this.compare = compare
  }

  get size(): number {
    return this.keys.length
  }

  has(key: K): boolean {
    return this.places.has(key)
  }

  get(key: K): V | undefined {
    const place = this.places.get(key)
    return place === undefined ? undefined : this.values[place]
  }

  /** Adds an entry; the key must be new. */
  push(key: K, value: V): void {
    assert(!this.places.has(key), 'heap: the key is already there')
    const place = this.keys.length
    this.keys.push(key)
    this.values.push(value)
    this.places.set(key, place)
    this.siftUp(place)
  }

  /** Replaces the value of a key, or adds it, and restores the order. */
  update(key: K, value: V): void {
    const place = this.places.get(key)
    if (place === undefined) {
      this.push(key, value)
      return
    }
    this.values[place] = value
    if (this.siftUp(place) === place) this.siftDown(place)
  }

  remove(key: K): V | undefined {
    const place = this.places.get(key)
    return place === undefined ? undefined : this.removeAt(place)
  }

  peek(): V | undefined {
    return this.values[0]
  }

  peekKey(): K | undefined {
    return this.keys[0]
  }

  pop(): V | undefined {
    return this.keys.length === 0 ? undefined : this.removeAt(0)
  }

  clear(): void {
    this.keys.length = 0
    this.values.length = 0
    this.places.clear()
  }

  /** Entries in heap order, which is not sorted beyond the first. */
  *entries(): IterableIterator<readonly [K, V]> {
    for (let i = 0; i < this.keys.length; i++) yield [this.keys[i] as K, this.values[i] as V]
  }

  [Symbol.iterator](): IterableIterator<readonly [K, V]> {
    return this.entries()
  }

  private removeAt(place: number): V {
    const key = this.keys[place] as K
    const value = this.values[place] as V
    const lastKey = this.keys.pop() as K
    const lastValue = this.values.pop() as V
    this.places.delete(key)
    if (place < this.keys.length) {
      this.put(place, lastKey, lastValue)
      if (this.siftUp(place) === place) this.siftDown(place)
    }
    return value
  }

  private put(place: number, key: K, value: V): void {
    this.keys[place] = key
    this.values[place] = value
    this.places.set(key, place)
  }

  private siftUp(start: number): number {
    const key = this.keys[start] as K
    const value = this.values[start] as V
    let place = start
    while (place > 0) {
      const parent = (place - 1) >> 1
      const above = this.values[parent] as V
      if (this.compare(value, above) >= 0) break
      this.put(place, this.keys[parent] as K, above)
      place = parent
    }
    if (place !== start) this.put(place, key, value)
    return place
  }

  private siftDown(start: number): void {
    const size = this.keys.length
    const key = this.keys[start] as K
    const value = this.values[start] as V
    let place = start
    for (;;) {
      let child = 2 * place + 1
      if (child >= size) break
      if (child + 1 < size && this.compare(this.values[child + 1] as V, this.values[child] as V) < 0) child++
      const below = this.values[child] as V
      if (this.compare(value, below) <= 0) break
      this.put(place, this.keys[child] as K, below)
      place = child
    }
    if (place !== start) this.put(place, key, value)
  }
}
