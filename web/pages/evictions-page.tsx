import { signal } from '@preact/signals'
import type { EvictionAnswer, EvictionItem, SilentNode, ZoneSummary } from '../../src/wire/console-wire.ts'
import { now } from '../model/live.ts'
import { usePolled } from '../model/poll.ts'
import { healthNames } from '../model/rows.ts'
import { agoText, counted, countText, spanText, untilText } from '../model/words.ts'
import { Bar } from '../parts/bar.tsx'
import { Card } from '../parts/card.tsx'
import { NodeLink, podColumn } from '../parts/columns.tsx'
import { bound, Empty, Search, Tag, type Tone } from '../parts/controls.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { go, podHref } from '../router.ts'

const search = signal('')

const columns: readonly Column<EvictionItem>[] = [
  {
    id: 'when',
    title: 'Deleted',
    width: '80px',
    order: ({ fireAt }) => fireAt,
    cell: (item) => (
      <span class={item.fireAt - now.value < 10_000 ? 'bad strong' : 'strong'}>
        {untilText(item.fireAt, now.value)}
      </span>
    ),
  },
  { id: 'countdown', onPhone: false, title: 'Countdown', width: '96px', cell: (item) => <Countdown item={item} /> },
  podColumn('minmax(120px, 1.3fr)'),
  {
    id: 'node',
    title: 'Node',
    width: 'minmax(92px, 1fr)',
    order: ({ node }) => node,
    cell: ({ node }) => <NodeLink node={node} />,
  },
  {
    id: 'taint',
    onPhone: false,
    title: 'Taint',
    width: 'minmax(170px, 1fr)',
    cell: ({ taints }) => (
      <code title={taints.join(' ')}>{taints.map((taint) => taint.replace('node.kubernetes.io/', '')).join(' ')}</code>
    ),
  },
  {
    id: 'toleration',
    onPhone: false,
    title: 'Toleration',
    width: 'minmax(244px, 1.7fr)',
    cell: ({ tolerations }) =>
      tolerations.length === 0 ? (
        <span class="muted">not tolerated</span>
      ) : (
        <code title={tolerations.join(', ')}>
          {tolerations.map((one) => one.replace('node.kubernetes.io/', '')).join(', ')}
        </code>
      ),
  },
  {
    id: 'stage',
    onPhone: false,
    title: 'Stage',
    width: '76px',
    cell: ({ stage, failures }) => (failures === 0 ? stage : `${stage}, ${counted(failures, 'failure')}`),
  },
]

function Countdown({ item }: { readonly item: EvictionItem }) {
  const whole = item.fireAt - item.createdAt
  const left = Math.max(0, item.fireAt - now.value)
  const share = whole <= 0 ? 1 : 1 - left / whole
  return (
    <Bar
      slim
      label={`${spanText(left)} of ${spanText(whole)} left`}
      parts={[{ share, tone: left < 10_000 ? 'full' : 'used' }]}
    />
  )
}

export function EvictionsPage() {
  const params = new URLSearchParams({ limit: '5000', ...(search.value === '' ? {} : { search: search.value }) })
  const { value, problem } = usePolled<EvictionAnswer>(`evictions?${params}`)
  return (
    <main class="page fixed">
      <div class="head">
        <div class="title">
          <h1>Evictions</h1>
        </div>
        <span class="muted">
          {value === undefined ? '' : counted(value.total, 'countdown')}
          {value !== undefined && value.total > value.entries.length
            ? `, the first ${countText(value.entries.length)} shown`
            : ''}
        </span>
      </div>
      {problem === undefined ? null : <div class="note bad">{problem}</div>}
      {value === undefined ? null : <Zones zones={value.zones} />}
      {value === undefined || value.silent.length === 0 ? null : <Silent nodes={value.silent} />}
      <div class="toolbar">
        <Search label="Filter pods and nodes" placeholder="Part of a pod’s or node’s name" {...bound(search)} />
      </div>
      <div class="card fill">
        <Table
          label="Countdowns"
          isLinked
          columns={columns}
          rows={value?.entries ?? []}
          keyOf={({ pod }) => pod}
          rowHeight={48}
          initialOrder={{ column: 'when', descending: false }}
          onOpen={({ pod }) => go(podHref(pod))}
          empty={
            <Empty title={value === undefined ? 'Loading…' : 'No pod is about to be evicted'}>
              When a node gets a NoExecute taint, its pods count down here until their tolerationSeconds are over.
            </Empty>
          }
        />
      </div>
    </main>
  )
}

const zoneTones: ReadonlyMap<string, Tone> = new Map(
  Object.entries({
    Normal: 'good',
    PartialDisruption: 'warn',
    FullDisruption: 'bad',
  }),
)

const zoneMeanings: ReadonlyMap<string, string> = new Map(
  Object.entries({
    Initial: 'not known yet',
    Normal: 'nodes are tainted at the usual rate',
    PartialDisruption: 'many nodes are silent; evictions are slowed down',
    FullDisruption: 'the whole zone is silent',
  }),
)

const byName = (a: ZoneSummary, b: ZoneSummary) => (a.zone < b.zone ? -1 : 1)

function Zones({ zones }: { readonly zones: readonly ZoneSummary[] }) {
  if (zones.length === 0) return null
  return (
    <ul class="zones" aria-label="Zones">
      {[...zones].sort(byName).map((zone) => (
        <li key={zone.zone} class="card">
          <span class="zone-name">
            <strong>{zone.zone === '' ? 'no zone' : zone.zone}</strong>
            <Tag tone={zoneTones.get(zone.state) ?? ''} title={zoneMeanings.get(zone.state) ?? ''}>
              {zone.state}
            </Tag>
          </span>
          <Bar
            label={`${zone.unhealthy} of ${zone.size} nodes not ready`}
            parts={[{ share: zone.size === 0 ? 0 : zone.unhealthy / zone.size, tone: 'full' }]}
            slim
          />
          <span class="muted">
            {zone.unhealthy} of {counted(zone.size, 'node')} not ready · {rateText(zone.perSecond)}
            {zone.waiting === 0 ? '' : ` · ${counted(zone.waiting, 'node waits', 'nodes wait')}`}
          </span>
        </li>
      ))}
    </ul>
  )
}

function rateText(perSecond: number): string {
  if (perSecond === 0) return 'no evictions'
  return perSecond < 1 ? `one node every ${spanText(1000 / perSecond)}` : `${perSecond} nodes per second`
}

function Silent({ nodes }: { readonly nodes: readonly SilentNode[] }) {
  const shown = nodes.slice(0, 12)
  return (
    <Card title="Silent nodes" aside={countText(nodes.length)}>
      <ul class="body lines columns">
        {shown.map(({ node, health, lastSeen, expiresAt }) => (
          <li key={node}>
            <NodeLink node={node} /> <Tag tone={health === 0 ? 'warn' : 'bad'}>{healthNames[health]}</Tag>{' '}
            <span class="muted">
              {lastSeen === undefined ? 'no heartbeat yet' : `last heartbeat ${agoText(lastSeen, now.value)}`}
              {expiresAt === undefined ? '' : `, marked unhealthy ${untilText(expiresAt, now.value)}`}
            </span>
          </li>
        ))}
        {nodes.length > shown.length ? <li class="muted">and {countText(nodes.length - shown.length)} more</li> : null}
      </ul>
    </Card>
  )
}
