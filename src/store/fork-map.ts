interface Bucket<Value> {
  /** Whoever made it, and alone may change it. */
  readonly owner: object
  readonly map: Map<string, Value>
}

const firstBuckets = 16
const growth = 4
/** What the first write to a bucket after a fork copies, on average at most. */
const entriesPerBucket = 64

/**
 * A map that can be forked at the price of a list of its buckets. Both sides go on with the same buckets, and copy one
 * when they first write to it: no write ever copies much, and reads cost the same after any number of forks.
 */
export class ForkMap<Value> {
  #buckets: (Bucket<Value> | undefined)[] = new Array(firstBuckets).fill(undefined)
  #owner: object = {}
  #size = 0
  #lastKey = ''
  #lastHash = hashOf('')

  get size(): number {
    return this.#size
  }

  get(key: string): Value | undefined {
    return this.#buckets[this.#indexOf(key)]?.map.get(key)
  }

  set(key: string, value: Value): void {
    const { map } = this.#own(this.#indexOf(key))
    const before = map.size
    map.set(key, value)
    this.#size += map.size - before
    if (this.#size > this.#buckets.length * entriesPerBucket) this.#grow()
  }

  delete(key: string): void {
    if (this.#own(this.#indexOf(key)).map.delete(key)) this.#size--
  }

  fork(): ForkMap<Value> {
    const fork = new ForkMap<Value>()
    fork.#buckets = this.#buckets.slice()
    fork.#size = this.#size
    // Nobody owns the buckets made so far any more.
    this.#owner = {}
    return fork
  }

  #indexOf(key: string): number {
    // Who writes a key has mostly just read it. Texts that are the same to the end are seldom others.
    const last = this.#lastKey
    const isLast = key.length === last.length && endOf(key) === endOf(last) && key === last
    if (!isLast) {
      this.#lastHash = hashOf(key)
      this.#lastKey = key
    }
    return this.#lastHash & (this.#buckets.length - 1)
  }

  #own(index: number): Bucket<Value> {
    const bucket = this.#buckets[index]
    if (bucket?.owner === this.#owner) return bucket
    const own = { owner: this.#owner, map: new Map(bucket?.map) }
    this.#buckets[index] = own
    return own
  }

  #grow(): void {
    const old = this.#buckets
    this.#buckets = new Array(old.length * growth).fill(undefined)
    for (const bucket of old) {
      if (bucket === undefined) continue
      for (const [key, value] of bucket.map) this.#own(this.#indexOf(key)).map.set(key, value)
    }
  }
}

const endOf = (key: string): number => key.charCodeAt(key.length - 1)

/** FNV-1a, with the high bits brought down to where the index is taken from. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193)
  return hash ^ (hash >>> 15)
}
