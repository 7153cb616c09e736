const partsOnly = 1
const wholeRow = 2

/** Rows to evaluate again, each once, in the order in which they were marked. */
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

  /** Any property of the row may have changed. */
  mark(row: number): void {
    if (this.marks[row] === 0) this.rows.push(row)
    this.marks[row] = wholeRow
  }

  /** Only the parts of the row may have changed. */
  markClass(row: number): void {
    if (this.marks[row] !== 0) return
    this.marks[row] = partsOnly
    this.rows.push(row)
  }

  /** Visits the rows and clears the marks. */
  drain(visit: (row: number, classOnly: boolean) => void): void {
    const { rows, marks } = this
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] as number
      const classOnly = marks[row] === partsOnly
      marks[row] = 0
      visit(row, classOnly)
    }
    rows.length = 0
  }
}
