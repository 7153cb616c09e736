import type { AnyPlugin, NodeState, ParsedPod } from '../contract/contract.ts'
import type { ColumnSources } from './plugin-columns.ts'

/** Runs the plain filter of a plugin once per class of rows. */
export function memoFilter(
  { name, filter }: Pick<AnyPlugin, 'name' | 'filter'>,
  pod: ParsedPod,
  state: unknown,
  { table, statuses }: Pick<ColumnSources, 'table' | 'statuses'>,
  classOf: (row: number) => number,
): (row: number) => number {
  return memoNumber(classOf, (row) => {
    const status = filter?.(pod, table.rows[row] as NodeState, state)
    return status === undefined ? 0 : statuses.idOf(name, status)
  })
}

/** Computes a number once per class of rows. */
export function memoNumber(
  classOf: (row: number) => number,
  compute: (row: number) => number,
): (row: number) => number {
  const values: (number | undefined)[] = []
  return (row) => {
    const id = classOf(row)
    let value = values[id]
    if (value === undefined) {
      value = compute(row)
      values[id] = value
    }
    return value
  }
}
