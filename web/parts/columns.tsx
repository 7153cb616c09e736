import { now } from '../model/live.ts'
import { shortNode } from '../model/node-names.ts'
import { nameOf, namespaceOf } from '../model/rows.ts'
import { spanText } from '../model/words.ts'
import { nodeHref, podHref } from '../router.ts'
import { Name } from './controls.tsx'
import type { Column } from './table.tsx'

export function PodLink({ pod }: { readonly pod: string }) {
  return (
    <a href={podHref(pod)} title={pod}>
      <Name text={nameOf(pod)} />
    </a>
  )
}

export function NodeLink({ node }: { readonly node: string }) {
  return (
    <a href={nodeHref(node)} title={node}>
      {shortNode(node)}
    </a>
  )
}

/** The pod of a row, above its namespace. */
export function podColumn<Row extends { readonly pod: string }>(width: string): Column<Row> {
  return {
    id: 'pod',
    title: 'Pod',
    width,
    order: ({ pod }) => pod,
    cell: ({ pod }) => (
      <span class="two-lines">
        <PodLink pod={pod} />
        <small>{namespaceOf(pod)}</small>
      </span>
    ),
  }
}

export function namespaceColumn<Row>(of: (row: Row) => string): Column<Row> {
  return { id: 'namespace', onPhone: false, title: 'Namespace', width: 'minmax(96px, 0.8fr)', order: of, cell: of }
}

/** A number, shown as `text` and sorted by value. */
export function figureColumn<Row>(column: {
  readonly id: string
  readonly title: string
  readonly width: string
  readonly of: (row: Row) => number
  readonly text: (figure: number) => string
}): Column<Row> {
  const { of, text, ...rest } = column
  return { ...rest, onPhone: false, align: 'right', order: of, cell: (row) => text(of(row)) }
}

/** The age of an instant; the youngest come first. */
export function ageColumn<Row>(column: {
  readonly id: string
  readonly title: string
  readonly width: string
  readonly sinceMs: (row: Row) => number
}): Column<Row> {
  const { sinceMs, ...rest } = column
  return {
    ...rest,
    onPhone: false,
    align: 'right',
    order: (row) => -sinceMs(row),
    cell: (row) => spanText(now.value - sinceMs(row)),
  }
}
