const firstSlots = 16

/**
 * A map that can be forked. Both sides share the same arrays, and copy an array as a whole on their first write to it.
 * The first write takes a moment for many entries, but no later write copies anything, and reads cost the same after
 * any number of forks. The arrays are flat, with open addressing, because a lookup in a large map misses the CPU cache:
 * fewer cache lines are touched than in a Map.
 */
export class ForkMap<Value> {
  /** Zero in a slot that was never used: a search ends there. */
  private hashes = new Int32Array(firstSlots)
  /** Undefined in an empty or deleted slot. */
  private keys: (string | undefined)[] = new Array(firstSlots).fill(undefined)
  private values: (Value | undefined)[] = new Array(firstSlots).fill(undefined)
  private ownsKeys = true
  private ownsValues = true
  private count = 0
  /** Slots that are not zero. */
  private used = 0
  private lastKey = ''
  private lastSlot = -1

  get size(): number {
    return this.count
  }

  get(key: string): Value | undefined {
    const slot = this.find(key)
    return slot < 0 ? undefined : this.values[slot]
  }

  /** The string instance with which the key was first set. */
  keyOf(key: string): string | undefined {
    const slot = this.find(key)
    return slot < 0 ? undefined : this.keys[slot]
  }

  set(key: string, value: Value): void {
    let slot = this.find(key)
    if (slot < 0) slot = this.add(key)
    this.ownValues()
    this.values[slot] = value
  }

  delete(key: string): void {
    const slot = this.find(key)
    if (slot < 0) return
    this.ownKeys()
    this.ownValues()
    this.keys[slot] = undefined
    this.values[slot] = undefined
    this.count--
    this.lastSlot = -1
  }

  fork(): ForkMap<Value> {
    const fork = new ForkMap<Value>()
    fork.hashes = this.hashes
    fork.keys = this.keys
    fork.values = this.values
    fork.count = this.count
    fork.used = this.used
    fork.ownsKeys = false
    fork.ownsValues = false
    this.ownsKeys = false
    this.ownsValues = false
    return fork
  }

  /** The slot of the key; negative: absent. */
  private find(key: string): number {
    // A writer has usually just read the same key. Equal strings of the same length are usually the same string.
    const last = this.lastKey
    if (key.length === last.length && endOf(key) === endOf(last) && key === last) return this.lastSlot
    const hash = hashOf(key)
    const mask = this.hashes.length - 1
    let slot = hash & mask
    let found = this.hashes[slot]
    while (found !== 0 && (found !== hash || this.keys[slot] !== key)) {
      slot = (slot + 1) & mask
      found = this.hashes[slot]
    }
    this.lastKey = key
    this.lastSlot = found === 0 ? -1 : slot
    return this.lastSlot
  }

  /** The key must be absent. */
  private add(key: string): number {
    if ((this.used + 1) * 3 > this.hashes.length * 2) this.rehash()
    this.ownKeys()
    const hash = hashOf(key)
    const slot = freeSlot(this.keys, hash)
    if (this.hashes[slot] === 0) this.used++
    this.hashes[slot] = hash
    this.keys[slot] = key
    this.count++
    this.lastKey = key
    this.lastSlot = slot
    return slot
  }

  private ownKeys(): void {
    if (this.ownsKeys) return
    this.hashes = this.hashes.slice()
    this.keys = this.keys.slice()
    this.ownsKeys = true
  }

  private ownValues(): void {
    if (this.ownsValues) return
    this.values = this.values.slice()
    this.ownsValues = true
  }

  private rehash(): void {
    const [hashes, keys, values] = [this.hashes, this.keys, this.values]
    let slots = firstSlots
    while ((this.count + 1) * 2 > slots) slots *= 2
    this.hashes = new Int32Array(slots)
    this.keys = new Array(slots).fill(undefined)
    this.values = new Array(slots).fill(undefined)
    this.ownsKeys = true
    this.ownsValues = true
    this.used = this.count
    for (let at = 0; at < keys.length; at++) {
      if (keys[at] === undefined) continue
      const hash = hashes[at] as number
      const slot = freeSlot(this.keys, hash)
      this.hashes[slot] = hash
      this.keys[slot] = keys[at]
      this.values[slot] = values[at]
    }
  }
}

function freeSlot(keys: readonly (string | undefined)[], hash: number): number {
  const mask = keys.length - 1
  let slot = hash & mask
  while (keys[slot] !== undefined) slot = (slot + 1) & mask
  return slot
}

const endOf = (key: string): number => key.charCodeAt(key.length - 1)

/** FNV-1a, with the high bits folded into the low bits, which select the slot. Never zero. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193)
  hash ^= hash >>> 15
  return hash === 0 ? 1 : hash
}
