import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { type Happening, matchingHappenings } from '../model/happenings.ts'
import { shortNode } from '../model/node-names.ts'
import { nameOf } from '../model/rows.ts'
import { clockText, countText, momentText } from '../model/words.ts'
import { nodeHref, podHref } from '../router.ts'
import { Card } from './card.tsx'
import { Empty, Name } from './controls.tsx'
import { FilterLine } from './filter-line.tsx'
import { type Column, Table } from './table.tsx'

const columnsSince = (since: number | undefined): readonly Column<Happening>[] => [
  {
    id: 'at',
    title: 'Time',
    width: since === undefined ? '70px' : '84px',
    cell: ({ at }) => <span class="muted">{since === undefined ? clockText(at) : momentText(at - since)}</span>,
  },
  {
    id: 'about',
    title: 'What',
    width: 'minmax(96px, 1fr)',
    cell: ({ about }) =>
      about.kind === 'other' ? (
        <span title={about.key}>{about.key}</span>
      ) : (
        <a href={about.kind === 'node' ? nodeHref(about.key) : podHref(about.key)} title={about.key}>
          <Name text={about.kind === 'node' ? shortNode(about.key) : nameOf(about.key)} />
        </a>
      ),
  },
  {
    id: 'what',
    title: 'Happened',
    width: 'minmax(110px, 2fr)',
    cell: ({ what, tone, by }) => (
      <span class={tone} title={by === undefined ? what : `${what} (${by})`}>
        {what}
      </span>
    ),
  },
]

export interface HappeningCardProps {
  readonly title: string
  readonly rows: readonly Happening[]
  readonly empty: ComponentChildren
  /** Shows times as durations since this instant instead of times of day. */
  readonly since?: number
  readonly order?: string
  readonly onOpen?: (happening: Happening) => void
}

/** The changes, one line each, with a filter. */
export function HappeningCard({ title, rows, empty, since, order = 'the newest first', onOpen }: HappeningCardProps) {
  const [text, setText] = useState('')
  const shown = useMemo(() => matchingHappenings(rows, text), [rows, text])
  const columns = useMemo(() => columnsSince(since), [since])
  return (
    <Card
      class="map-card"
      label="What happened"
      title={title}
      aside={shown.length === rows.length ? order : `${countText(shown.length)} of ${countText(rows.length)}`}
    >
      <FilterLine
        label="Filter what happened"
        placeholder="A name, or bound, tainted, …"
        value={text}
        onChange={setText}
      />
      <Table
        label="What happened"
        columns={columns}
        rows={shown}
        keyOf={keyOf}
        rowHeight={30}
        {...(onOpen === undefined ? {} : { onOpen })}
        empty={rows.length > 0 ? <Empty title="Nothing matches" /> : empty}
      />
    </Card>
  )
}

const keys = new WeakMap<Happening, string>()
let made = 0

/** Entries have no identity, so each gets an id when it is first drawn. */
function keyOf(happening: Happening): string {
  let key = keys.get(happening)
  if (key === undefined) {
    key = String(++made)
    keys.set(happening, key)
  }
  return key
}
