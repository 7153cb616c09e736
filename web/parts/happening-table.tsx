import type { ComponentChildren } from 'preact'
import { nameOf } from '../model/rows.ts'
import { clockText } from '../model/words.ts'
import { nodeHref, podHref } from '../router.ts'
import { Name } from './controls.tsx'
import type { Happening } from './history.tsx'
import { type Column, Table } from './table.tsx'

const columns: readonly Column<Happening>[] = [
  { id: 'at', title: 'Time', width: '70px', cell: ({ at }) => <span class="muted">{clockText(at)}</span> },
  {
    id: 'about',
    title: 'What',
    width: 'minmax(120px, 1fr)',
    cell: ({ about }) =>
      about.kind === 'other' ? (
        about.key
      ) : (
        <a href={about.kind === 'node' ? nodeHref(about.key) : podHref(about.key)} title={about.key}>
          <Name text={about.kind === 'node' ? about.key : nameOf(about.key)} />
        </a>
      ),
  },
  {
    id: 'what',
    title: 'Happened',
    width: 'minmax(160px, 2fr)',
    cell: ({ what, tone, by }) => (
      <span class={tone} title={by === undefined ? what : `${what} (${by})`}>
        {what}
      </span>
    ),
  },
]

export function HappeningTable(props: { readonly rows: readonly Happening[]; readonly empty: ComponentChildren }) {
  return (
    <Table label="What happened" columns={columns} rows={props.rows} keyOf={keyOf} rowHeight={30} empty={props.empty} />
  )
}

const keys = new WeakMap<Happening, string>()
let made = 0

/** Happenings have no identity of their own; each gets one when it is first drawn. */
function keyOf(happening: Happening): string {
  let key = keys.get(happening)
  if (key === undefined) {
    key = String(++made)
    keys.set(happening, key)
  }
  return key
}
