/** A set of small non-negative integers, 32 per word. Grows when a bit beyond its end is set. */
export class BitSet {
  private words: Uint32Array

  constructor(capacity = 0) {
    this.words = new Uint32Array((capacity + 31) >>> 5)
  }

  /** The set {0, …, n - 1}. */
  static full(n: number): BitSet {
    const all = new BitSet(n)
    all.setAll(n)
    return all
  }

  static of(bits: Iterable<number>): BitSet {
    const set = new BitSet()
    for (const bit of bits) set.set(bit)
    return set
  }

  has(bit: number): boolean {
    const word = this.words[bit >>> 5]
    return word !== undefined && (word & (1 << (bit & 31))) !== 0
  }

  set(bit: number): void {
    const index = bit >>> 5
    if (index >= this.words.length) this.grow(index + 1)
    this.words[index] = (this.words[index] as number) | (1 << (bit & 31))
  }

  clear(bit: number): void {
    const index = bit >>> 5
    if (index < this.words.length) this.words[index] = (this.words[index] as number) & ~(1 << (bit & 31))
  }

  assign(bit: number, present: boolean): void {
    if (present) this.set(bit)
    else this.clear(bit)
  }

  /** Adds 0 to n - 1. */
  setAll(n: number): void {
    const whole = n >>> 5
    const rest = n & 31
    const needed = whole + (rest === 0 ? 0 : 1)
    if (needed > this.words.length) this.grow(needed)
    this.words.fill(0xffffffff, 0, whole)
    if (rest !== 0) this.words[whole] = (this.words[whole] as number) | (2 ** rest - 1)
  }

  clearAll(): void {
    this.words.fill(0)
  }

  count(): number {
    const words = this.words
    let total = 0
    for (let i = 0; i < words.length; i++) total += popCount(words[i] as number)
    return total
  }

  isEmpty(): boolean {
    const words = this.words
    for (let i = 0; i < words.length; i++) if (words[i] !== 0) return false
    return true
  }

  /** Keeps the members that are also in `other`. */
  and(other: BitSet): this {
    const mine = this.words
    const theirs = other.words
    const shared = Math.min(mine.length, theirs.length)
    for (let i = 0; i < shared; i++) mine[i] = (mine[i] as number) & (theirs[i] as number)
    mine.fill(0, shared)
    return this
  }

  /** Adds the members of `other`. */
  or(other: BitSet): this {
    const theirs = other.words
    if (theirs.length > this.words.length) this.grow(theirs.length)
    const mine = this.words
    for (let i = 0; i < theirs.length; i++) mine[i] = (mine[i] as number) | (theirs[i] as number)
    return this
  }

  /** Removes the members of `other`. */
  andNot(other: BitSet): this {
    const mine = this.words
    const theirs = other.words
    const shared = Math.min(mine.length, theirs.length)
    for (let i = 0; i < shared; i++) mine[i] = (mine[i] as number) & ~(theirs[i] as number)
    return this
  }

  /** The smallest member >= `from`. */
  firstSet(from = 0): number | undefined {
    const words = this.words
    let index = from >>> 5
    if (index >= words.length) return undefined
    let word = (words[index] as number) & (0xffffffff << (from & 31))
    while (word === 0) {
      index++
      if (index >= words.length) return undefined
      word = words[index] as number
    }
    return (index << 5) + lowestBit(word)
  }

  /** The smallest non-member >= `from`; it always exists. */
  firstClear(from = 0): number {
    const words = this.words
    let index = from >>> 5
    if (index >= words.length) return from
    let word = ~(words[index] as number) & (0xffffffff << (from & 31))
    while (word === 0) {
      index++
      if (index >= words.length) return index << 5
      word = ~(words[index] as number)
    }
    return (index << 5) + lowestBit(word)
  }

  /** Visits the members in ascending order. The set must not change in the meantime. */
  forEach(visit: (bit: number) => void): void {
    const words = this.words
    for (let i = 0; i < words.length; i++) {
      let word = words[i] as number
      while (word !== 0) {
        visit((i << 5) + lowestBit(word))
        word &= word - 1
      }
    }
  }

  toArray(): number[] {
    const members: number[] = []
    this.forEach((bit) => {
      members.push(bit)
    })
    return members
  }

  clone(): BitSet {
    const copy = new BitSet()
    copy.words = this.words.slice()
    return copy
  }

  /** Makes this set equal to `other` without allocating if it is large enough. */
  copyFrom(other: BitSet): this {
    if (other.words.length > this.words.length) this.words = other.words.slice()
    else {
      this.words.set(other.words)
      this.words.fill(0, other.words.length)
    }
    return this
  }

  equals(other: BitSet): boolean {
    const [short, long] = this.words.length < other.words.length ? [this.words, other.words] : [other.words, this.words]
    for (let i = 0; i < short.length; i++) if (short[i] !== long[i]) return false
    for (let i = short.length; i < long.length; i++) if (long[i] !== 0) return false
    return true
  }

  private grow(wordsNeeded: number): void {
    const grown = new Uint32Array(Math.max(wordsNeeded, this.words.length * 2, 4))
    grown.set(this.words)
    this.words = grown
  }
}

function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word)
}

function popCount(word: number): number {
  let n = word - ((word >>> 1) & 0x55555555)
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333)
  return Math.imul((n + (n >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
