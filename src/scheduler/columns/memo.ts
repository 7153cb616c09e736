import type { AnyPlugin, ParsedPod } from '../contract/contract.ts'
import type { ColumnSources } from './plugin-columns.ts'
import type { NodeRow } from './table/node-row.ts'

/** A filter of a plugin that looks at nothing but what `classOf` numbers; each number is asked about once. */
export function memoFilter(
  plugin: Pick<AnyPlugin, 'name' | 'filter'>,
  pod: ParsedPod,
  state: unknown,
  { table, statuses }: ColumnSources,
  classOf: (row: number) => number,
): (row: number) => number {
  const known: (number | undefined)[] = []
  return (row) => {
    const id = classOf(row)
    let status = known[id]
    if (status === undefined) {
      const answer = plugin.filter?.(pod, table.rows[row] as NodeRow, state)
      status = answer === undefined ? 0 : statuses.idOf(plugin.name, answer)
      known[id] = status
    }
    return status
  }
}

/** A number per row that depends on nothing but what `classOf` numbers. */
export function memoNumber(
  classOf: (row: number) => number,
  compute: (row: number) => number,
): (row: number) => number {
  const known: (number | undefined)[] = []
  return (row) => {
    const id = classOf(row)
    let value = known[id]
    if (value === undefined) {
      value = compute(row)
      known[id] = value
    }
    return value
  }
}
