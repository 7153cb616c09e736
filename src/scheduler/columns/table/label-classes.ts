import type { LabelColumn } from './label-column.ts'
import type { NodeTable } from './node-table.ts'

const shift = 2 ** 26

/** Assigns the same id to nodes with the same values of some labels. */
export class LabelClasses {
  private readonly columns: readonly LabelColumn[]
  private readonly levels: Map<number, number>[]

  constructor(table: NodeTable, keys: Iterable<string>) {
    this.columns = [...new Set(keys)].map((key) => table.label(key))
    this.levels = this.columns.slice(1).map(() => new Map())
  }

  of(row: number): number {
    const { columns } = this
    const [first] = columns
    if (first === undefined) return 0
    let id = first.ids[row] as number
    for (let i = 1; i < columns.length; i++) {
      const level = this.levels[i - 1] as Map<number, number>
      const key = id * shift + ((columns[i] as LabelColumn).ids[row] as number)
      let next = level.get(key)
      if (next === undefined) {
        next = level.size
        level.set(key, next)
      }
      id = next
    }
    return id
  }
}
