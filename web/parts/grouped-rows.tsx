import type { ComponentChildren } from 'preact'
import type { Column } from './table.tsx'

/** A row, or a group of rows with the same id. */
export type GroupedRow<Row> =
  | {
      readonly kind: 'row'
      readonly row: Row
      /** The open group that the row belongs to. */
      readonly inside?: RowGroup<Row>
    }
  | RowGroup<Row>

export interface RowGroup<Row> {
  readonly kind: 'group'
  readonly id: string
  readonly title: string
  readonly rows: readonly Row[]
  readonly isOpen: boolean
}

/** Merges rows with the same id into a group, followed by its rows if it is open. Keeps the order of the first rows. */
export function groupRows<Row>(
  rows: readonly Row[],
  how: {
    /** Rows with the same id form a group; undefined: the row is not in a group. */
    readonly groupOf: (row: Row) => { readonly id: string; readonly title: string } | undefined
    readonly open: ReadonlySet<string>
  },
): readonly GroupedRow<Row>[] {
  const groups = new Map<string, { readonly title: string; readonly rows: Row[] }>()
  const order: (string | Row)[] = []
  for (const row of rows) {
    const group = how.groupOf(row)
    if (group === undefined) {
      order.push(row)
      continue
    }
    const known = groups.get(group.id)
    if (known !== undefined) {
      known.rows.push(row)
      continue
    }
    groups.set(group.id, { title: group.title, rows: [row] })
    order.push(group.id)
  }
  return order.flatMap((entry): readonly GroupedRow<Row>[] => {
    if (typeof entry !== 'string') return [{ kind: 'row', row: entry }]
    const { title, rows: members } = groups.get(entry) as { readonly title: string; readonly rows: Row[] }
    if (members.length === 1) return [{ kind: 'row', row: members[0] as Row }]
    const isOpen = how.open.has(entry)
    const group: RowGroup<Row> = { kind: 'group', id: entry, title, rows: members, isOpen }
    return isOpen ? [group, ...members.map((row) => ({ kind: 'row' as const, row, inside: group }))] : [group]
  })
}

/** Columns for rows and groups. A group has its own cells where they are given; the first column opens and closes it. */
export function groupedColumns<Row>(
  columns: readonly Column<Row>[],
  cells: Readonly<Record<string, (group: RowGroup<Row>) => ComponentChildren>>,
): readonly Column<GroupedRow<Row>>[] {
  return columns.map(({ order, cell, ...column }, at) => ({
    ...column,
    ...(order === undefined ? {} : { order: groupOrder(order, cells[column.id] !== undefined) }),
    cell: (entry) => {
      if (entry.kind === 'row')
        return entry.inside !== undefined && at === 0 ? <span class="inner">{cell(entry.row)}</span> : cell(entry.row)
      const content = cells[column.id]?.(entry) ?? ''
      if (at > 0) return content
      return (
        <span class="group-title in-line">
          <span aria-hidden="true">{entry.isOpen ? '▾' : '▸'}</span>
          <span class="label" title={entry.title}>
            {content}
          </span>
        </span>
      )
    },
  }))
}

/** Sorts a group by its sum or its highest figure; its rows stay below it. */
function groupOrder<Row>(order: (row: Row) => number | string, isSum: boolean) {
  const known = new WeakMap<RowGroup<Row>, number | string>()
  const of = (group: RowGroup<Row>): number | string => {
    const values = group.rows.map(order)
    const figures = values.filter((value) => typeof value === 'number')
    if (figures.length < values.length) return values[0] ?? ''
    return isSum ? figures.reduce((sum, value) => sum + value, 0) : figures.reduce((a, b) => Math.max(a, b), -Infinity)
  }
  return (entry: GroupedRow<Row>): number | string => {
    const group = entry.kind === 'group' ? entry : entry.inside
    if (group === undefined) return order((entry as { readonly row: Row }).row)
    const value = known.get(group) ?? of(group)
    known.set(group, value)
    return value
  }
}

/** The open groups after one was opened or closed. */
export function toggled(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(set)
  if (!next.delete(id)) next.add(id)
  return next
}
