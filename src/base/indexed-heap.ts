import { assert } from './assert.ts'

/** Negative if `a` comes first. Without a tie-break in the comparator, the order of equal values is unspecified. */
export type Comparator<V> = (a: V, b: V) => number

/** An entry stores its own position, so that moving it does not touch the map. */
interface HeapEntry<K, V> {
  readonly key: K
  value: V
  place: number
}

/**
 * A binary min-heap whose entries are found, replaced and removed by key. Invariant: `slots[i].place === i` for every
 * slot, and no slot comes before its parent.
 */
export class IndexedHeap<K, V> {
  private readonly slots: HeapEntry<K, V>[] = []
  private readonly byKey = new Map<K, HeapEntry<K, V>>()
  private readonly compare: Comparator<V>

  constructor(compare: Comparator<V>) {
    this.compare = compare
  }

  get size(): number {
    return this.slots.length
  }

  has(key: K): boolean {
    return this.byKey.has(key)
  }

  get(key: K): V | undefined {
    return this.byKey.get(key)?.value
  }

  /** Adds an entry; the key must be new. */
  push(key: K, value: V): void {
    assert(!this.byKey.has(key), 'heap: key already exists')
    this.add(key, value)
  }

  /** Replaces the value of a key, or adds it, and restores the order. */
  update(key: K, value: V): void {
    const entry = this.byKey.get(key)
    if (entry === undefined) {
      this.add(key, value)
      return
    }
    entry.value = value
    this.restore(entry)
  }

  remove(key: K): V | undefined {
    const entry = this.byKey.get(key)
    return entry === undefined ? undefined : this.takeOut(entry)
  }

  peek(): V | undefined {
    return this.slots[0]?.value
  }

  peekKey(): K | undefined {
    return this.slots[0]?.key
  }

  pop(): V | undefined {
    const first = this.slots[0]
    return first === undefined ? undefined : this.takeOut(first)
  }

  clear(): void {
    this.slots.length = 0
    this.byKey.clear()
  }

  /** Entries in heap order, which is not sorted beyond the first. */
  *entries(): IterableIterator<readonly [K, V]> {
    for (const { key, value } of this.slots) yield [key, value]
  }

  [Symbol.iterator](): IterableIterator<readonly [K, V]> {
    return this.entries()
  }

  private add(key: K, value: V): void {
    const entry: HeapEntry<K, V> = { key, value, place: this.slots.length }
    this.slots.push(entry)
    this.byKey.set(key, entry)
    this.siftUp(entry)
  }

  private takeOut(entry: HeapEntry<K, V>): V {
    const last = this.slots.pop() as HeapEntry<K, V>
    this.byKey.delete(entry.key)
    if (last !== entry) {
      this.put(last, entry.place)
      this.restore(last)
    }
    return entry.value
  }

  private restore(entry: HeapEntry<K, V>): void {
    const { place } = entry
    this.siftUp(entry)
    if (entry.place === place) this.siftDown(entry)
  }

  private put(entry: HeapEntry<K, V>, place: number): void {
    this.slots[place] = entry
    entry.place = place
  }

  private siftUp(entry: HeapEntry<K, V>): void {
    let { place } = entry
    while (place > 0) {
      const parent = (place - 1) >> 1
      const above = this.slots[parent] as HeapEntry<K, V>
      if (this.compare(entry.value, above.value) >= 0) break
      this.put(above, place)
      place = parent
    }
    if (place !== entry.place) this.put(entry, place)
  }

  private siftDown(entry: HeapEntry<K, V>): void {
    const { slots } = this
    let { place } = entry
    for (;;) {
      let child = 2 * place + 1
      if (child >= slots.length) break
      let below = slots[child] as HeapEntry<K, V>
      const beside = slots[child + 1]
      if (beside !== undefined && this.compare(beside.value, below.value) < 0) {
        below = beside
        child++
      }
      if (this.compare(entry.value, below.value) <= 0) break
      this.put(below, place)
      place = child
    }
    if (place !== entry.place) this.put(entry, place)
  }
}
