// Prints the comparison of two forecasts.
import type { ForecastDiff, NodeRow, NumberRow, ObjectRow } from '../whatif/report/diff.ts'
import { type Column, type Palette, plainPalette, renderTable } from './output.ts'

const MOST_ROWS = 40

const changeTexts: Readonly<Record<ObjectRow['change'], string>> = {
  moved: 'moved',
  earlier: 'earlier',
  later: 'later',
  'deleted only in A': 'deleted only in A',
  'deleted only in B': 'deleted only in B',
  'placed otherwise': 'placed differently',
  'pending otherwise': 'pending in one only',
}

export function diffText(
  diff: ForecastDiff,
  { wide = false, palette = plainPalette }: { readonly wide?: boolean; readonly palette?: Palette } = {},
): string {
  const head = `A: ${diff.a}\nB: ${diff.b}\n`
  if (diff.isSame) return `${head}\nNo differences.\n`
  const numbers: readonly Column<NumberRow>[] = [
    { header: 'WHAT', cell: ({ what }) => what },
    { header: 'A', cell: ({ a }) => a, align: 'right' },
    { header: 'B', cell: ({ b }) => b, align: 'right', style: ({ a, b }) => (a === b ? undefined : 'yellow') },
  ]
  const objects: readonly Column<ObjectRow>[] = [
    { header: 'OBJECT', cell: ({ object }) => object },
    { header: 'CHANGE', cell: ({ change }) => changeTexts[change] },
    { header: 'A', cell: ({ a }) => a },
    { header: 'B', cell: ({ b }) => b },
  ]
  const nodes: readonly Column<NodeRow>[] = [
    { header: 'NODE', cell: ({ node }) => node },
    { header: 'A', cell: ({ a }) => a },
    { header: 'B', cell: ({ b }) => b },
  ]
  const table = <Row>(columns: readonly Column<Row>[], rows: readonly Row[]): readonly string[] => {
    if (rows.length === 0) return []
    const shown = wide ? rows : rows.slice(0, MOST_ROWS)
    const more = rows.length - shown.length
    return [renderTable(columns, shown, palette) + (more === 0 ? '' : `… and ${more} more: -o wide\n`)]
  }
  return [head, ...table(numbers, diff.numbers), ...table(objects, diff.objects), ...table(nodes, diff.nodes)].join(
    '\n',
  )
}
