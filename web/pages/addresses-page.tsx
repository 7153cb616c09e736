import type { CidrAnswer, CidrBlock, CidrRange } from '../../src/api/console-wire.ts'
import { AddressMap } from '../map/address-map.tsx'
import { growthOf } from '../model/growth.ts'
import { live, now, revision } from '../model/live.ts'
import { usePolled } from '../model/poll.ts'
import { counted, countText, percentText } from '../model/words.ts'
import { Empty, Figure, Tag } from '../parts/controls.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { nodeHref } from '../router.ts'

export function AddressesPage() {
  const { value, problem } = usePolled<CidrAnswer>('cidrs', 2_000)
  return (
    <main class="page">
      <div class="head">
        <div class="title">
          <h1>Addresses</h1>
          <span class="muted">the blocks that nodes get their pods’ addresses from</span>
        </div>
      </div>
      {problem === undefined ? null : <div class="note bad">{problem}</div>}
      {value === undefined ? <Empty title="Loading…" /> : <Ranges answer={value} />}
    </main>
  )
}

function Ranges({ answer }: { readonly answer: CidrAnswer }) {
  if (answer.ranges.length === 0) {
    return (
      <Empty title="Nobody hands out blocks here">
        <span>
          The node IPAM controller does not run, or <code>--allocate-node-cidrs</code> is not set.
        </span>
      </Empty>
    )
  }
  return (
    <>
      {answer.waiting.length === 0 ? null : (
        <div class="note bad">
          {counted(answer.waiting.length, 'node has', 'nodes have')} no block because there is none left:{' '}
          {answer.waiting.slice(0, 10).join(', ')}
        </div>
      )}
      {answer.outOfRange.map(({ node, cidrs, why }) => (
        <div key={node} class="note warn">
          <a href={nodeHref(node)}>{node}</a> has {cidrs.join(', ')}: {why}
        </div>
      ))}
      {answer.ranges.map((range) => (
        <RangeCard key={range.range} range={range} />
      ))}
    </>
  )
}

function RangeCard({ range }: { readonly range: CidrRange }) {
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
        <dl class="figures">
          <Figure name="Used">
            {countText(range.used)}
            <small>
              {' '}
              of {countText(range.max)} ({percentText(range.used / range.max)})
            </small>
          </Figure>
          <Figure name="Free">{countText(free)}</Figure>
          <Figure name="Next">
            <span class="mono">{range.next}</span>
          </Figure>
          <Figure name="Forecast">
            <Forecast free={free} />
          </Figure>
        </dl>
        <AddressMap range={range} />
        <ul class="legend" aria-label="Legend">
          {(['node', 'reserved', 'service', 'leaked', 'duplicate', 'free'] as const).map((kind) => (
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

const kindNames = {
  node: 'held by a node',
  reserved: 'on its way to a node',
  service: 'for services',
  leaked: 'leaked',
  duplicate: 'held twice',
  free: 'free',
} as const

/** From how fast nodes came in the time that is known: when there is no block left. */
function Forecast({ free }: { readonly free: number }) {
  void revision.value
  const growth = growthOf(live.cluster, now.value)
  const room = `room for ${counted(free, 'more node')}`
  return (
    <>
      {room}
      <small> {growth === undefined ? '' : `· ${growth.text(free)}`}</small>
    </>
  )
}

const holderColumns: readonly Column<CidrBlock>[] = [
  {
    id: 'cidr',
    title: 'Block',
    width: 'minmax(140px, 1fr)',
    order: ([place]) => place,
    cell: ([, cidr]) => <span class="mono">{cidr}</span>,
  },
  {
    id: 'kind',
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
    title: 'Who has it',
    width: 'minmax(160px, 2fr)',
    order: ([, , , holders]) => holders[0] ?? '',
    cell: ([, , kind, holders]) =>
      kind === 'service'
        ? 'services'
        : holders.map((holder) => (
            <a key={holder} href={nodeHref(holder)}>
              {holder}{' '}
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
