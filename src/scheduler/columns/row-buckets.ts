/**
 * The rows of one class by their own score, highest first. Scores are small integers, so a list for each will do.
 * `positions` is shared by all classes of a plan: a row is in one of them at most.
 */
export class RowBuckets {
  private readonly buckets: (number[] | undefined)[] = []
  private positions: Int32Array
  private highest = -1
  private rows = 0

  constructor(positions: Int32Array) {
    this.positions = positions
  }

  get size(): number {
    return this.rows
  }

  /** The highest score any row has; -1 when there are none. */
  get top(): number {
    return this.highest
  }

  /** The rows that have it. */
  get best(): readonly number[] {
    return this.buckets[this.highest] ?? []
  }

  add(row: number, score: number): void {
    let bucket = this.buckets[score]
    if (bucket === undefined) {
      while (this.buckets.length < score) this.buckets.push(undefined)
      bucket = []
      this.buckets[score] = bucket
    }
    this.positions[row] = bucket.length
    bucket.push(row)
    this.rows++
    if (score > this.highest) this.highest = score
  }

  remove(row: number, score: number): void {
    const bucket = this.buckets[score] as number[]
    const last = bucket.pop() as number
    if (last !== row) {
      const at = this.positions[row] as number
      bucket[at] = last
      this.positions[last] = at
    }
    this.rows--
    if (bucket.length === 0 && score === this.highest) this.descend()
  }

  /** The same positions in a larger array. */
  moveTo(positions: Int32Array): void {
    this.positions = positions
  }

  /** Visits all rows. */
  forEach(visit: (row: number, score: number) => void): void {
    this.buckets.forEach((bucket, score) => {
      for (const row of bucket ?? []) visit(row, score)
    })
  }

  private descend(): void {
    let score = this.highest - 1
    while (score >= 0 && (this.buckets[score]?.length ?? 0) === 0) score--
    this.highest = score
  }
}
