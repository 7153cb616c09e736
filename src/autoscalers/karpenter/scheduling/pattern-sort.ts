/**
 * Sorts in place by a pattern-defeating quicksort with the same order of equal items as Go's sort.Slice
 * (arXiv:2106.05123, with the constants of Go 1.19 and later). Upstream's choice among equal claims follows from it.
 */
export function patternSort<T>(items: T[], keyOf: (item: T) => number): void {
  const sort = new PatternSort(items, keyOf)
  sort.range(0, items.length, 32 - Math.clz32(items.length))
}

const longestInsertion = 12
const shortestNinther = 50
const shortestShift = 50
const mostShifts = 5
const swapsOfReversed = 12

class PatternSort<T> {
  private readonly items: T[]
  private readonly keyOf: (item: T) => number

  constructor(items: T[], keyOf: (item: T) => number) {
    this.items = items
    this.keyOf = keyOf
  }

  /** Sorts `[from, to)`. `limit`: the number of bad pivots after which heap sort is used. */
  range(from: number, to: number, limit: number): void {
    let [a, b, left] = [from, to, limit]
    let [isBalanced, isPartitioned] = [true, true]
    while (b - a > longestInsertion) {
      if (left === 0) {
        this.heapSort(a, b)
        return
      }
      if (!isBalanced) {
        this.scatter(a, b)
        left--
      }
      let { pivot, swaps } = this.pivotOf(a, b)
      if (swaps === swapsOfReversed) {
        this.items.splice(a, b - a, ...this.items.slice(a, b).reverse())
        pivot = b - 1 - (pivot - a)
        swaps = 0
      }
      if (isBalanced && isPartitioned && swaps === 0 && this.isNearlySorted(a, b)) return
      if (a > 0 && !this.less(a - 1, pivot)) {
        a = this.splitEqual(a, b, pivot)
        continue
      }
      const split = this.split(a, b, pivot)
      isPartitioned = split.wasPartitioned
      const [before, after] = [split.at - a, b - split.at]
      isBalanced = Math.min(before, after) >= Math.floor((b - a) / 8)
      if (before < after) {
        this.range(a, split.at, left)
        a = split.at + 1
      } else {
        this.range(split.at + 1, b, left)
        b = split.at
      }
    }
    for (let i = a + 1; i < b; i++) for (let j = i; j > a && this.less(j, j - 1); j--) this.swap(j, j - 1)
  }

  private less(a: number, b: number): boolean {
    return this.keyOf(this.items[a] as T) < this.keyOf(this.items[b] as T)
  }

  private swap(a: number, b: number): void {
    const item = this.items[a] as T
    this.items[a] = this.items[b] as T
    this.items[b] = item
  }

  /** The median of three items, or of nine in a long range, and the number of pairs that were out of order. */
  private pivotOf(a: number, b: number): { pivot: number; swaps: number } {
    const length = b - a
    const quarter = Math.floor(length / 4)
    let swaps = 0
    const ordered = (x: number, y: number): readonly [number, number] => {
      if (!this.less(y, x)) return [x, y]
      swaps++
      return [y, x]
    }
    const median = (x: number, y: number, z: number): number => {
      const [low, high] = ordered(x, y)
      const [middle] = ordered(high, z)
      return ordered(low, middle)[1]
    }
    let [i, j, k] = [a + quarter, a + 2 * quarter, a + 3 * quarter]
    if (length >= shortestNinther) {
      i = median(i - 1, i, i + 1)
      j = median(j - 1, j, j + 1)
      k = median(k - 1, k, k + 1)
    }
    return { pivot: median(i, j, k), swaps }
  }

  private split(a: number, b: number, pivot: number): { readonly at: number; readonly wasPartitioned: boolean } {
    this.swap(a, pivot)
    let [i, j] = [a + 1, b - 1]
    for (let isFirst = true; ; isFirst = false) {
      while (i <= j && this.less(i, a)) i++
      while (i <= j && !this.less(j, a)) j--
      if (i > j) {
        this.swap(j, a)
        return { at: j, wasPartitioned: isFirst }
      }
      this.swap(i++, j--)
    }
  }

  /** For ranges without smaller items: items that equal the pivot come first. */
  private splitEqual(a: number, b: number, pivot: number): number {
    this.swap(a, pivot)
    let [i, j] = [a + 1, b - 1]
    while (true) {
      while (i <= j && !this.less(a, i)) i++
      while (i <= j && this.less(a, j)) j--
      if (i > j) return i
      this.swap(i++, j--)
    }
  }

  /** Corrects a few pairs that are out of order. Returns true if the range is then sorted. */
  private isNearlySorted(a: number, b: number): boolean {
    let i = a + 1
    for (let shifts = 0; shifts < mostShifts; shifts++) {
      while (i < b && !this.less(i, i - 1)) i++
      if (i === b) return true
      if (b - a < shortestShift) return false
      this.swap(i, i - 1)
      if (i - a >= 2) for (let j = i - 1; j >= 1 && this.less(j, j - 1); j--) this.swap(j, j - 1)
      if (b - i >= 2) for (let j = i + 1; j < b && this.less(j, j - 1); j++) this.swap(j, j - 1)
    }
    return false
  }

  /** Moves three items in the middle to positions that depend only on the length. */
  private scatter(a: number, b: number): void {
    const length = b - a
    const mask = 2n ** BigInt(32 - Math.clz32(length)) - 1n
    let state = BigInt(length)
    const middle = a + Math.floor(length / 4) * 2
    for (let at = middle - 1; at <= middle + 1; at++) {
      state = BigInt.asUintN(64, state ^ (state << 13n))
      state ^= state >> 7n
      state = BigInt.asUintN(64, state ^ (state << 17n))
      const other = Number(state & mask)
      this.swap(at, a + (other >= length ? other - length : other))
    }
  }

  private heapSort(a: number, b: number): void {
    const size = b - a
    for (let i = Math.floor((size - 1) / 2); i >= 0; i--) this.siftDown(i, size, a)
    for (let i = size - 1; i >= 0; i--) {
      this.swap(a, a + i)
      this.siftDown(0, i, a)
    }
  }

  private siftDown(from: number, size: number, first: number): void {
    let root = from
    for (let child = 2 * root + 1; child < size; child = 2 * root + 1) {
      if (child + 1 < size && this.less(first + child, first + child + 1)) child++
      if (!this.less(first + root, first + child)) return
      this.swap(first + root, first + child)
      root = child
    }
  }
}
