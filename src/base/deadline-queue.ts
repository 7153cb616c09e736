import { IndexedHeap } from './indexed-heap.ts'

interface Deadline {
  readonly atMs: number
  readonly order: number
}

function earlier(a: Deadline, b: Deadline): number {
  return a.atMs - b.atMs || a.order - b.order
}

/**
 * Keys with a deadline each. They are due in order of time, and at the same time in the order in which they were set.
 */
export class DeadlineQueue<K> {
  private readonly heap = new IndexedHeap<K, Deadline>(earlier)
  private nextOrder = 0

  get size(): number {
    return this.heap.size
  }

  has(key: K): boolean {
    return this.heap.has(key)
  }

  /** The deadline of a key. */
  get(key: K): number | undefined {
    return this.heap.get(key)?.atMs
  }

  /** Sets or moves a key's deadline; setting the same time again keeps its position among keys with this time. */
  set(key: K, atMs: number): void {
    if (this.heap.get(key)?.atMs === atMs) return
    this.heap.update(key, { atMs, order: this.nextOrder++ })
  }

  delete(key: K): boolean {
    return this.heap.remove(key) !== undefined
  }

  clear(): void {
    this.heap.clear()
  }

  nextAt(): number | undefined {
    return this.heap.peek()?.atMs
  }

  /** Removes and returns the key that is due first, if any is due at `now`. */
  popOneDue(now: number): K | undefined {
    const first = this.heap.peek()
    if (first === undefined || first.atMs > now) return undefined
    const key = this.heap.peekKey()
    this.heap.pop()
    return key
  }

  /** Removes and returns all keys that are due at `now`. */
  popDue(now: number): K[] {
    const due: K[] = []
    for (let first = this.heap.peek(); first !== undefined && first.atMs <= now; first = this.heap.peek()) {
      due.push(this.heap.peekKey() as K)
      this.heap.pop()
    }
    return due
  }

  /** Keys and deadlines in unspecified order. */
  *entries(): IterableIterator<readonly [K, number]> {
    for (const [key, deadline] of this.heap) yield [key, deadline.atMs]
  }
}
