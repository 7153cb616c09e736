/** Rows to look at again, each once. */
export class DirtyRows {
  private marks: Uint8Array
  private rows: number[] = []

  constructor(capacity: number) {
    this.marks = new Uint8Array(capacity)
  }

  get count(): number {
    return this.rows.length
  }

  grow(capacity: number): void {
    if (capacity <= this.marks.length) return
    const grown = new Uint8Array(capacity)
    grown.set(this.marks)
    this.marks = grown
  }

  mark(row: number): void {
    if (this.marks[row] === 1) return
    this.marks[row] = 1
    this.rows.push(row)
  }

  /** Visits and clears them. */
  drain(visit: (row: number) => void): void {
    const { rows, marks } = this
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] as number
      marks[row] = 0
      visit(row)
    }
    rows.length = 0
  }
}
