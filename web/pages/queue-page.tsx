import { signal } from '@preact/signals'
import type { QueueAnswer, QueueCounts, QueueItem } from '../../src/wire/console-wire.ts'
import { now } from '../model/live.ts'
import { usePolled } from '../model/poll.ts'
import { counted, countText, untilText } from '../model/words.ts'
import { Card } from '../parts/card.tsx'
import { ageColumn, figureColumn, NodeLink, podColumn } from '../parts/columns.tsx'
import { bound, Choice, Empty, Figure, Search, Tag, type Tone } from '../parts/controls.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { go, podHref } from '../router.ts'

type QueueFilter = keyof QueueCounts | 'all'

const search = signal('')
const place = signal<QueueFilter>('all')

export const placeNames: Readonly<Record<keyof QueueCounts, string>> = {
  active: 'Active',
  backoff: 'Backoff',
  unschedulable: 'Unschedulable',
  gated: 'Gated',
  inFlight: 'In flight',
}

const placeMeanings: Readonly<Record<keyof QueueCounts, string>> = {
  active: 'tried next',
  backoff: 'waits before the next try',
  unschedulable: 'waits for something to change',
  gated: 'not to be tried yet',
  inFlight: 'being placed now',
}

const placeTones: Readonly<Record<keyof QueueCounts, Tone>> = {
  active: 'accent',
  backoff: 'warn',
  unschedulable: 'bad',
  gated: 'odd',
  inFlight: 'good',
}

const columns: readonly Column<QueueItem>[] = [
  podColumn('minmax(150px, 1fr)'),
  {
    id: 'place',
    title: 'Where',
    width: '112px',
    order: (item) => item.place,
    cell: (item) => <Tag tone={placeTones[item.place]}>{placeNames[item.place]}</Tag>,
  },
  {
    id: 'why',
    title: 'Why',
    width: 'minmax(240px, 3fr)',
    cell: (item) => (
      <span class="two-lines">
        <span class="clamped" title={item.message}>
          {whyOf(item)}
        </span>
        <small>{item.rejectedBy.length === 0 ? item.because : `rejected by ${item.rejectedBy.join(', ')}`}</small>
      </span>
    ),
  },
  {
    id: 'wakes',
    title: 'Requeued by',
    width: 'minmax(180px, 1.6fr)',
    cell: (item) => (
      <span class="two-lines">
        <span class="clamped" title={wakesText(item)}>
          {wakesText(item)}
        </span>
        <small>{retryText(item)}</small>
      </span>
    ),
  },
  ageColumn({ id: 'since', title: 'Since', width: '72px', sinceMs: ({ since }) => since }),
  figureColumn({ id: 'attempts', title: 'Tries', width: '48px', of: ({ attempts }) => attempts, text: String }),
  figureColumn({ id: 'priority', title: 'Priority', width: '64px', of: ({ priority }) => priority, text: countText }),
]

function whyOf(item: QueueItem): string {
  if (item.place === 'gated') return `gated by ${item.gatedBy ?? 'a scheduling gate'}`
  return item.message === undefined ? item.because : essence(item.message)
}

/** A FailedScheduling message without the parts that are the same for all pods. */
export function essence(message: string): string {
  return message.replace(/^0\/\d+ nodes are available: /, '').replace(/\.? preemption: .*$/, '')
}

export function wakesText({ wakesOn }: Pick<QueueItem, 'wakesOn'>): string {
  const events = [...new Set(Object.values(wakesOn).flat())]
  return events.length === 0 ? '–' : events.join(', ')
}

export function retryText({ backoffUntil, retriedAt }: Pick<QueueItem, 'backoffUntil' | 'retriedAt'>): string {
  const present = now.value
  if (backoffUntil !== undefined && backoffUntil > present) return `backoff ends ${untilText(backoffUntil, present)}`
  return retriedAt === undefined ? '' : `next retry ${untilText(retriedAt, present)}`
}

export function QueuePage() {
  const params = new URLSearchParams({ limit: '2000' })
  if (search.value !== '') params.set('search', search.value)
  if (place.value !== 'all') params.set('place', place.value)
  const { value, problem } = usePolled<QueueAnswer>(`queue?${params}`)
  return (
    <main class="page fixed">
      <div class="head">
        <div class="title">
          <h1>Scheduling queue</h1>
        </div>
        {value === undefined ? null : <Counts counts={value.counts} />}
      </div>
      <div class="toolbar">
        <Search label="Filter pods" placeholder="Part of a name" {...bound(search)} />
        <Choice<QueueFilter>
          label="Where"
          {...bound(place)}
          options={[
            { value: 'all', text: 'All' },
            ...(Object.keys(placeNames) as (keyof QueueCounts)[]).map((one) => ({
              value: one,
              text: placeNames[one],
              title: placeMeanings[one],
            })),
          ]}
        />
        {value !== undefined && value.total > value.entries.length ? (
          <span class="muted">
            the first {countText(value.entries.length)} of {countText(value.total)}
          </span>
        ) : null}
      </div>
      {problem === undefined ? null : <div class="note bad">{problem}</div>}
      <div class="card fill">
        <Table
          label="Pods in the queue"
          columns={columns}
          rows={value?.entries ?? []}
          keyOf={({ pod }) => pod}
          rowHeight={66}
          onOpen={({ pod }) => go(podHref(pod))}
          empty={
            value === undefined ? (
              <Empty title="Loading…" />
            ) : (
              <Empty title={search.value === '' && place.value === 'all' ? 'The queue is empty' : 'No pod matches'}>
                Pods that wait to be placed appear here, with what stands in their way.
              </Empty>
            )
          }
        />
      </div>
      {value === undefined ? null : <Nominations answer={value} />}
    </main>
  )
}

function Counts({ counts }: { readonly counts: QueueCounts }) {
  return (
    <dl class="figures">
      {(Object.keys(placeNames) as (keyof QueueCounts)[]).map((one) => (
        <Figure key={one} name={placeNames[one]}>
          {countText(counts[one])}
        </Figure>
      ))}
    </dl>
  )
}

function Nominations({ answer }: { readonly answer: QueueAnswer }) {
  const { nominations, bindings } = answer
  if (nominations.length + bindings.length === 0) return null
  return (
    <Card
      label="Nominations and bindings"
      title="Nominated and binding"
      aside={`${counted(nominations.length, 'nomination')}, ${counted(bindings.length, 'binding')}`}
    >
      <ul class="body lines">
        {nominations.slice(0, 50).map(({ pod, node, victims }) => (
          <li key={pod}>
            <a href={podHref(pod)}>{pod}</a> is nominated for <NodeLink node={node} />
            {victims.length === 0 ? (
              <span class="muted"> and waits for its victims to terminate</span>
            ) : (
              <>
                {' '}
                and waits for{' '}
                {victims.map((victim) => (
                  <>
                    <a key={victim} href={podHref(victim)}>
                      {victim}
                    </a>{' '}
                  </>
                ))}
                to leave
              </>
            )}
          </li>
        ))}
        {bindings.slice(0, 50).map(({ pod, node, waitsFor }) => (
          <li key={pod}>
            <a href={podHref(pod)}>{pod}</a> is being bound to <NodeLink node={node} />
            {waitsFor.length === 0 ? '' : `, which waits for ${waitsFor.join(', ')}`}
          </li>
        ))}
      </ul>
    </Card>
  )
}
