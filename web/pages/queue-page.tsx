import { useMemo, useState } from 'preact/hooks'
import type { QueueAnswer, QueueCounts, QueueItem } from '../../src/wire/console-wire.ts'
import { live, now } from '../model/live.ts'
import { usePolled } from '../model/poll.ts'
import { namespaceOf } from '../model/rows.ts'
import { essence } from '../model/scheduling-message.ts'
import { wakesText } from '../model/wake-words.ts'
import { counted, countText, untilText } from '../model/words.ts'
import { workloadKeyOf } from '../model/workloads.ts'
import { Card } from '../parts/card.tsx'
import { ClampedText } from '../parts/clamped-text.tsx'
import { ageColumn, figureColumn, NodeLink, podColumn } from '../parts/columns.tsx'
import { bound, Choice, Empty, Figure, Search, Tag, type Tone } from '../parts/controls.tsx'
import { groupedColumns, groupRows, toggled } from '../parts/grouped-rows.tsx'
import { isShownIn, NamespaceSelect, namespacesOf } from '../parts/namespace-select.tsx'
import { Page, Skeleton } from '../parts/page.tsx'
import { isPhone } from '../parts/phone.ts'
import { type Column, Table } from '../parts/table.tsx'
import { go, podHref, queryState } from '../router.ts'

type QueueFilter = keyof QueueCounts | 'all'

const search = queryState('search', '')
const namespace = queryState('namespace', '')
const place = queryState<QueueFilter>('place', 'all')

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
  unschedulable: 'waits for a change in the cluster',
  gated: 'not tried yet',
  inFlight: 'scheduling or binding in progress',
}

const placeTones: Readonly<Record<keyof QueueCounts, Tone>> = {
  active: 'accent',
  backoff: 'warn',
  unschedulable: 'bad',
  gated: 'odd',
  inFlight: 'good',
}

const columns: readonly Column<QueueItem>[] = [
  podColumn('minmax(116px, 1.5fr)'),
  {
    id: 'place',
    onPhone: false,
    title: 'Where',
    width: '112px',
    order: (item) => item.place,
    cell: (item) => <Tag tone={placeTones[item.place]}>{placeNames[item.place]}</Tag>,
  },
  {
    id: 'why',
    title: 'Why',
    width: 'minmax(160px, 3fr)',
    cell: (item) => (
      <ClampedText text={item.message} shown={whyOf(item)}>
        <small>{item.rejectedBy.length === 0 ? item.because : `rejected by ${item.rejectedBy.join(', ')}`}</small>
      </ClampedText>
    ),
  },
  {
    id: 'wakes',
    onPhone: false,
    title: 'Requeued by',
    width: 'minmax(180px, 1.9fr)',
    cell: (item) => (
      <ClampedText text={wakesText(item.wakesOn)}>
        <small>{item.place === 'gated' ? '' : retryText(item)}</small>
      </ClampedText>
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

export function retryText({ backoffUntil, retriedAt }: Pick<QueueItem, 'backoffUntil' | 'retriedAt'>): string {
  const present = now.value
  if (backoffUntil !== undefined && backoffUntil > present) return `backoff ends ${untilText(backoffUntil, present)}`
  return retriedAt === undefined ? '' : `next retry ${untilText(retriedAt, present)}`
}

/** Pods of one workload that wait for the same reason are one row. */
const groupColumns = groupedColumns(columns, {
  pod: ({ rows, title }) => (
    <span class="two-lines" title={title}>
      <span>{counted(rows.length, 'pod')}</span>
      <small>{isPhone.value ? title.split(' ')[1] : title}</small>
    </span>
  ),
  place: ({ rows }) => (
    <Tag tone={placeTones[rows[0]?.place ?? 'active']}>{placeNames[rows[0]?.place ?? 'active']}</Tag>
  ),
  why: ({ rows }) => columnCell('why', rows[0]),
  wakes: ({ rows }) => columnCell('wakes', rows[0]),
  since: ({ rows }) =>
    columnCell(
      'since',
      rows.reduce((a, b) => (b.since < a.since ? b : a)),
    ),
  attempts: ({ rows }) => countText(rows.reduce((sum, { attempts }) => sum + attempts, 0)),
  priority: ({ rows }) => columnCell('priority', rows[0]),
})

const columnCell = (id: string, item: QueueItem | undefined) =>
  item === undefined ? null : columns.find((column) => column.id === id)?.cell(item)

function groupOf(item: QueueItem): { readonly id: string; readonly title: string } | undefined {
  const pod = live.cluster.pods.get(item.pod)
  const workload = pod === undefined ? '' : workloadKeyOf(pod, live.cluster)
  if (workload === '') return undefined
  return { id: `${workload} ${item.place} ${whyOf(item)}`, title: workload.split('/').slice(1).join(' ') }
}

export function QueuePage() {
  const params = new URLSearchParams({ limit: '2000' })
  if (search.value !== '') params.set('search', search.value)
  if (place.value !== 'all') params.set('place', place.value)
  const { value, problem, isMissing } = usePolled<QueueAnswer>(`queue?${params}`)
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const entries = useMemo(
    () => (value?.entries ?? []).filter(({ pod }) => isShownIn(namespace, namespaceOf(pod))),
    [value, namespace.value],
  )
  const rows = useMemo(() => groupRows(entries, { groupOf, open }), [entries, open])
  if (isMissing)
    return (
      <Page title="Scheduling queue">
        <Empty title="No scheduler runs here">
          <span>
            <a href="#/pods?state=waiting">Pods that do not run yet</a> are listed with the others.
          </span>
        </Empty>
      </Page>
    )
  return (
    <Page
      fixed
      title="Scheduling queue"
      problem={problem}
      figures={<Counts counts={value?.counts} />}
      toolbar={
        <>
          <Search label="Filter pods" placeholder="Part of a name" {...bound(search)} />
          <NamespaceSelect
            state={namespace}
            names={namespacesOf((value?.entries ?? []).map(({ pod }) => namespaceOf(pod)))}
          />
          <Choice<QueueFilter>
            label="Where"
            hideLabel
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
        </>
      }
    >
      <div class="card fill">
        {value === undefined ? (
          <Skeleton />
        ) : (
          <Table
            label="Pods in the queue"
            isLinked
            columns={groupColumns}
            rows={rows}
            keyOf={(row) => (row.kind === 'row' ? row.row.pod : row.id)}
            rowHeight={66}
            onOpen={(row) => {
              if (row.kind === 'row') go(podHref(row.row.pod))
              else setOpen(toggled(open, row.id))
            }}
            empty={
              <Empty title={search.value === '' && place.value === 'all' ? 'The queue is empty' : 'No pod matches'}>
                Pending pods appear here, with the reason.
              </Empty>
            }
          />
        )}
      </div>
      {value === undefined ? null : <Nominations answer={value} />}
    </Page>
  )
}

/** Shown while the counts load, too, so that nothing moves when they arrive. */
function Counts({ counts }: { readonly counts: QueueCounts | undefined }) {
  return (
    <dl class="figures">
      {(Object.keys(placeNames) as (keyof QueueCounts)[]).map((one) => (
        <Figure key={one} name={placeNames[one]}>
          {counts === undefined ? '–' : countText(counts[one])}
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
