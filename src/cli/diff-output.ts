// Prints the comparison of two forecasts.
import type { ForecastDiff, NodeDifference, NumberRow, ObjectRow } from '../whatif/report/diff.ts'
import { type OutputColumn, plainPalette, renderTable, type TextPalette } from './output.ts'

const mostRows = 40

export function diffText(
  diff: ForecastDiff,
  { wide = false, palette = plainPalette }: { readonly wide?: boolean; readonly palette?: TextPalette } = {},
): string {
  const head = `A: ${diff.a}\nB: ${diff.b}\n`
  if (diff.isSame) return `${head}\nNo differences.\n`
  const numbers: readonly OutputColumn<NumberRow>[] = [
    { header: 'WHAT', cell: ({ what }) => what },
    { header: 'A', cell: ({ a }) => a, align: 'right' },
    { header: 'B', cell: ({ b }) => b, align: 'right', style: ({ a, b }) => (a === b ? undefined : 'yellow') },
  ]
  const objects: readonly OutputColumn<ObjectRow>[] = [
    { header: 'OBJECT', cell: ({ object }) => object },
    { header: 'CHANGE', cell: ({ change }) => change },
    { header: 'A', cell: ({ a }) => a },
    { header: 'B', cell: ({ b }) => b },
  ]
  const nodes: readonly OutputColumn<NodeDifference>[] = [
    { header: 'NODE', cell: ({ node }) => node },
    { header: 'A', cell: ({ a }) => a },
    { header: 'B', cell: ({ b }) => b },
  ]
  const table = <Row>(columns: readonly OutputColumn<Row>[], rows: readonly Row[]): readonly string[] => {
    if (rows.length === 0) return []
    const shown = wide ? rows : rows.slice(0, mostRows)
    const more = rows.length - shown.length
    return [renderTable(columns, shown, palette) + (more === 0 ? '' : `… and ${more} more: -o wide\n`)]
  }
  return [head, ...table(numbers, diff.numbers), ...table(objects, diff.objects), ...table(nodes, diff.nodes)].join(
    '\n',
  )
}
