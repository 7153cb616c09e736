import { describe, expect, it } from 'vitest'
import { type GroupedRow, groupedColumns, groupRows } from './grouped-rows.tsx'

interface Item {
  readonly name: string
  readonly of: string
  readonly restarts: number
}

const items: readonly Item[] = [
  { name: 'a1', of: 'a', restarts: 1 },
  { name: 'b1', of: 'b', restarts: 5 },
  { name: 'a2', of: 'a', restarts: 2 },
  { name: 'b2', of: 'b', restarts: 0 },
  { name: 'alone', of: '', restarts: 4 },
]
const groupOf = ({ of }: Item) => (of === '' ? undefined : { id: of, title: of })
const columns = groupedColumns<Item>(
  [{ id: 'restarts', title: 'Restarts', width: '1fr', order: ({ restarts }) => restarts, cell: ({ name }) => name }],
  { restarts: ({ rows }) => rows.length },
)
const textOf = (entry: GroupedRow<Item>) => (entry.kind === 'group' ? `[${entry.id}]` : entry.row.name)

function sorted(rows: readonly GroupedRow<Item>[]): readonly string[] {
  const by = columns[0]?.order as (row: GroupedRow<Item>) => number
  return [...rows].sort((x, y) => by(y) - by(x)).map(textOf)
}

describe('rows in groups', () => {
  it('groups are sorted by the sum of their rows', () => {
    expect(sorted(groupRows(items, { groupOf, open: new Set() }))).toEqual(['[b]', 'alone', '[a]'])
  })

  it('the rows of an open group stay below it', () => {
    expect(sorted(groupRows(items, { groupOf, open: new Set(['a']) }))).toEqual(['[b]', 'alone', '[a]', 'a1', 'a2'])
  })
})
