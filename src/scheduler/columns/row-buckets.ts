/**
 * The rows of a class by score, highest first. Scores are small integers, so there is one list per score. All classes
 * of a plan share `positions`, because a row is in at most one of them.
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

  /** The highest score; -1 without rows. */
  get top(): number {
    return this.highest
  }

  /** The rows with the highest score. */
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

  /** Uses a larger array with the same positions. */
  moveTo(positions: Int32Array): void {
    this.positions = positions
  }

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
