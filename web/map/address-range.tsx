import type { ComponentChildren } from 'preact'
import type { CidrBlock, CidrRange } from '../../src/wire/console-wire.ts'
import { shortNode } from '../model/node-names.ts'
import { counted, countText, percentText } from '../model/words.ts'
import { Bar } from '../parts/bar.tsx'
import { Empty, Figure, Tag } from '../parts/controls.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { nodeHref } from '../router.ts'
import { AddressMap } from './address-map.tsx'

/** A range of addresses as a picture and as a list. */
export function RangeCard({
  range,
  children,
}: {
  readonly range: CidrRange
  /** The forecast of its exhaustion. */
  readonly children?: ComponentChildren
}) {
  const free = range.max - range.used
  const leaked = range.blocks.filter(([, , kind]) => kind === 'leaked').length
  const duplicate = range.blocks.filter(([, , kind]) => kind === 'duplicate').length
  return (
    <section class="card" aria-label={`Range ${range.range}`}>
      <header>
        <h2>
          <span class="mono">{range.range}</span>
          {range.name === undefined ? null : <span class="muted"> {range.name}</span>}
        </h2>
        <span class="tags">
          <Tag>
            blocks of <span class="mono">/{range.maskSize}</span>
          </Tag>
          {leaked === 0 ? null : <Tag tone="odd">{counted(leaked, 'leaked block')}</Tag>}
          {duplicate === 0 ? null : <Tag tone="bad">{counted(duplicate, 'duplicate')}</Tag>}
        </span>
      </header>
      <div class="body stack">
        <RangeBar range={range} />
        <dl class="figures">
          <Figure name="Used">
            {countText(range.used)}
            <small>
              {' '}
              of {countText(range.max)} ({percentText(range.used / range.max)})
            </small>
          </Figure>
          <Figure name="Free">{countText(free)}</Figure>
          {range.next === '' ? null : (
            <Figure name="Next">
              <span class="mono">{range.next}</span>
            </Figure>
          )}
          {children === undefined ? null : <Figure name="Forecast">{children}</Figure>}
        </dl>
        <AddressMap range={range} />
        <ul class="legend" aria-label="Legend">
          {kindsIn(range).map((kind) => (
            <li key={kind}>
              <span class={`swatch ${kind}`} aria-hidden="true" />
              {kindNames[kind]}
            </li>
          ))}
        </ul>
        <Holders range={range} />
      </div>
    </section>
  )
}

const kindOrder = ['node', 'reserved', 'service', 'leaked', 'duplicate'] as const

function kindsIn({ blocks, used, max }: CidrRange): readonly (CidrBlock[2] | 'free')[] {
  const found = new Set(blocks.map(([, , kind]) => kind))
  return [...kindOrder.filter((kind) => found.has(kind)), ...(used < max ? (['free'] as const) : [])]
}

/** The number of blocks of each kind. */
function RangeBar({ range: { blocks, used, max } }: { readonly range: CidrRange }) {
  const parts = kindOrder.map((kind) => ({
    share: blocks.filter((block) => block[2] === kind).length / Math.max(1, max),
    tone: kind,
  }))
  return <Bar label={`${countText(used)} of ${countText(max)} blocks are used`} parts={parts} />
}

const kindNames = {
  node: 'held by a node',
  reserved: 'being written to a node',
  service: 'for services',
  leaked: 'leaked',
  duplicate: 'held twice',
  free: 'free',
} as const

const holderColumns: readonly Column<CidrBlock>[] = [
  {
    id: 'cidr',
    title: 'Block',
    width: 'minmax(110px, 1fr)',
    order: ([place]) => place,
    cell: ([, cidr]) => <span class="mono">{cidr}</span>,
  },
  {
    id: 'kind',
    onPhone: false,
    title: 'State',
    width: 'minmax(140px, 1fr)',
    order: ([, , kind]) => kind,
    cell: ([, , kind]) => (
      <span class="pod-state">
        <span class={`swatch ${kind}`} aria-hidden="true" />
        {kindNames[kind]}
      </span>
    ),
  },
  {
    id: 'holders',
    title: 'Node',
    width: 'minmax(160px, 2fr)',
    order: ([, , , holders]) => holders[0] ?? '',
    cell: ([, , kind, holders]) =>
      kind === 'service'
        ? 'services'
        : holders.map((holder) => (
            <a key={holder} href={nodeHref(holder)} title={holder}>
              {shortNode(holder)}{' '}
            </a>
          )),
  },
]

function Holders({ range }: { readonly range: CidrRange }) {
  return (
    <Table
      label={`Blocks of ${range.range}`}
      columns={holderColumns}
      rows={range.blocks}
      keyOf={([place]) => String(place)}
      rowHeight={32}
      maxHeight={280}
      empty={<Empty title="Every block is free" />}
    />
  )
}
