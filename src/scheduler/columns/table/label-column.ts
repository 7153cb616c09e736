const noRows: readonly number[] = []

/** One label of all nodes as ids: 0 for nodes without the label, else a small dense id per distinct value. */
export class LabelColumn {
  readonly key: string
  ids: Int32Array
  private readonly valueIds = new Map<string, number>()
  private readonly values: string[] = ['']
  private readonly rows: number[][] = [[]]
  /** The number of distinct values on existing nodes. */
  distinct = 0
  /** Increases when a value is added to its first node or removed from its last node. */
  version = 0

  constructor(key: string, capacity: number) {
    this.key = key
    this.ids = new Int32Array(capacity)
  }

  /** All value ids are below this. */
  get size(): number {
    return this.values.length
  }

  valueOf(id: number): string {
    return this.values[id] as string
  }

  idOf(value: string): number | undefined {
    return this.valueIds.get(value)
  }

  rowsOf(id: number): readonly number[] {
    return this.rows[id] ?? noRows
  }

  grow(capacity: number): void {
    const grown = new Int32Array(capacity)
    grown.set(this.ids)
    this.ids = grown
  }

  set(row: number, value: string | undefined): void {
    const before = this.ids[row] as number
    const after = value === undefined ? 0 : this.intern(value)
    if (before === after) return
    if (before !== 0) this.leave(row, before)
    this.ids[row] = after
    if (after !== 0) this.enter(row, after)
  }

  private intern(value: string): number {
    let id = this.valueIds.get(value)
    if (id === undefined) {
      id = this.values.length
      this.values.push(value)
      this.rows.push([])
      this.valueIds.set(value, id)
    }
    return id
  }

  private enter(row: number, id: number): void {
    const rows = this.rows[id] as number[]
    if (rows.length === 0) {
      this.distinct++
      this.version++
    }
    rows.push(row)
  }

  private leave(row: number, id: number): void {
    const rows = this.rows[id] as number[]
    const at = rows.indexOf(row)
    const last = rows.pop() as number
    if (at < rows.length) rows[at] = last
    if (rows.length === 0) {
      this.distinct--
      this.version++
    }
  }
}
