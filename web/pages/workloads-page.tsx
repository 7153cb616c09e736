import { useMemo } from 'preact/hooks'
import type { GangRow } from '../../src/wire/console-tables.ts'
import { live, now, revision } from '../model/live.ts'
import { useEarlier, useTransitions } from '../model/use-history.ts'
import { countText, shownText } from '../model/words.ts'
import { lowestSincePeak, nextDrain, readySeries, standingsOf, type WorkloadStanding } from '../model/workloads.ts'
import { ClampedText } from '../parts/clamped-text.tsx'
import { ageColumn, figureColumn, namespaceColumn } from '../parts/columns.tsx'
import { bound, Choice, Empty, Tag } from '../parts/controls.tsx'
import { isShownIn, NameFilters } from '../parts/namespace-select.tsx'
import { Page } from '../parts/page.tsx'
import { isPhone } from '../parts/phone.ts'
import { Sparkline } from '../parts/sparkline.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { go, queryState, workloadHref } from '../router.ts'

type KindChoice = 'all' | 'trouble' | 'gangs'

const search = queryState('search', '')
const namespace = queryState('namespace', '')
const shownKind = queryState<KindChoice>('kind', 'all')

const hourMs = 3_600_000
const samples = 49

/** A workload with its ready pods in the last hour. */
interface WorkloadRowShown extends WorkloadStanding {
  readonly series: readonly number[]
}

const isShort = ({ wanted, ready }: WorkloadStanding) => wanted !== undefined && ready < wanted

export const readyTone = (standing: WorkloadStanding) =>
  isShort(standing) ? (standing.ready === 0 ? 'bad' : 'warn') : 'good'

const columns: readonly Column<WorkloadRowShown>[] = [
  {
    id: 'name',
    title: 'Workload',
    width: 'minmax(96px, 1.6fr)',
    order: ({ name }) => name,
    cell: ({ key, name, namespace: inNamespace, kind, trouble }) => (
      <span class="two-lines">
        <a href={workloadHref(key)}>{name}</a>
        {trouble === '' ? (
          <small>{isPhone.value ? inNamespace : kind}</small>
        ) : (
          <small class="bad" title={trouble}>
            {isPhone.value ? '' : `${kind}: `}
            {trouble.startsWith('ProgressDeadlineExceeded') ? 'rollout stalled' : trouble.split(':', 1)[0]}
          </small>
        )}
      </span>
    ),
  },
  namespaceColumn(({ namespace: name }) => name),
  {
    id: 'ready',
    title: 'Ready',
    width: '88px',
    align: 'right',
    order: ({ ready, wanted = ready }) => (wanted === 0 ? 1 : ready / wanted),
    cell: (row) => (
      <Tag tone={readyTone(row)}>
        {row.ready}/{row.wanted ?? '?'}
      </Tag>
    ),
  },
  {
    id: 'series',
    onPhone: false,
    title: 'Last hour',
    width: '100px',
    order: ({ series }) => lowestSincePeak(series),
    cell: ({ series }) => (
      <Sparkline values={series} label={`Ready pods, lowest ${lowestSincePeak(series)}, now ${series.at(-1)}`} />
    ),
  },
  {
    id: 'lowest',
    onPhone: false,
    title: 'Lowest',
    width: '56px',
    align: 'right',
    order: ({ series, ready }) => lowestSincePeak(series) - ready,
    cell: ({ series }) => countText(lowestSincePeak(series)),
  },
  {
    id: 'zones',
    onPhone: false,
    title: 'Zones',
    width: 'minmax(100px, 1fr)',
    order: ({ zones }) => zones.size,
    cell: ({ zones }) => <ZoneSpread zones={zones} />,
  },
  figureColumn({ id: 'restarts', title: 'Restarts', width: '64px', of: ({ restarts }) => restarts, text: countText }),
  {
    id: 'budget',
    onPhone: false,
    title: 'Budget',
    width: '72px',
    order: ({ budgets }) => budgets[0]?.[6] ?? Number.MAX_SAFE_INTEGER,
    cell: ({ budgets }) =>
      budgets.length === 0 ? (
        <span class="muted">none</span>
      ) : (
        <a href={`#/budgets?search=${encodeURIComponent(budgets[0]?.[0] ?? '')}`} title={budgets[0]?.[1]}>
          {countText(budgets[0]?.[6] ?? 0)} left
        </a>
      ),
  },
  {
    id: 'drain',
    title: 'The next drain',
    width: 'minmax(112px, 1.7fr)',
    order: (row) => ['bad', 'warn', 'good', ''].indexOf(nextDrain(row).tone),
    cell: (row) => {
      const { tone, text } = nextDrain(row)
      return <ClampedText text={text} tone={tone} />
    },
  },
  ageColumn({ id: 'age', title: 'Age', width: '64px', sinceMs: ({ createdMs }) => createdMs }),
]

/** The pods in each zone; the fewest and the most if there are more zones than fit. */
export function ZoneSpread({ zones }: { readonly zones: ReadonlyMap<string, number> }) {
  const counts = [...zones.values()]
  const [fewest, most] = [Math.min(...counts), Math.max(...counts)]
  if (counts.length > 4 || counts.join('').length > 9)
    return (
      <span title={[...zones].map(([zone, count]) => `${zone === '' ? 'no zone' : zone}: ${count}`).join('\n')}>
        {fewest === most ? countText(most) : `${countText(fewest)}–${countText(most)}`}
        <span class="muted"> in {countText(counts.length)}</span>
      </span>
    )
  return (
    <span class="spread">
      {[...zones].map(([zone, count]) => (
        <span key={zone} title={`${zone === '' ? 'no zone' : zone}: ${count}`}>
          {count}
        </span>
      ))}
    </span>
  )
}

export function WorkloadsPage() {
  const at = revision.value
  const { cluster } = live
  const earlier = useEarlier()
  // New samples every ten seconds: an hour is 360 of them.
  const tick = Math.floor(now.value / 10_000)
  const transitions = useTransitions(earlier, tick)
  const standings = useMemo(() => standingsOf(cluster), [cluster, at])
  const series = useMemo(() => {
    const to = tick * 10_000 + 10_000
    const from = Math.max(to - hourMs, earlier?.completeSince ?? to - hourMs)
    return readySeries(cluster, standings, transitions, { from: Math.min(from, to - 60_000), to, samples })
  }, [cluster, standings, transitions])
  const rows = useMemo(() => {
    const text = search.value.toLowerCase()
    return standings
      .filter((one) => isShownIn(namespace, one.namespace))
      .filter((one) => text === '' || one.key.toLowerCase().includes(text))
      .filter(
        (one) => shownKind.value !== 'trouble' || isShort(one) || one.trouble !== '' || nextDrain(one).tone === 'bad',
      )
      .map((one): WorkloadRowShown => ({ ...one, series: series.get(one.key) ?? [one.ready] }))
  }, [standings, series, search.value, namespace.value, shownKind.value])
  const gangs = cluster.small.rows('gangs')
  const gangRows = [...gangs.values()].filter(
    ([key]) =>
      isShownIn(namespace, key.split('/', 1)[0] ?? '') && key.toLowerCase().includes(search.value.toLowerCase()),
  )
  const showsGangs = shownKind.value === 'gangs'
  return (
    <Page
      fixed
      title="Workloads"
      aside={
        showsGangs
          ? shownText(gangRows.length, gangs.size, 'pod group')
          : shownText(rows.length, standings.length, 'workload')
      }
      toolbar={
        <>
          <NameFilters
            label="Filter workloads"
            search={search}
            namespace={namespace}
            names={standings.map((one) => one.namespace)}
          />
          <Choice<KindChoice>
            label="Show"
            hideLabel
            {...bound(shownKind)}
            options={[
              { value: 'all', text: 'All' },
              {
                value: 'trouble',
                text: 'In trouble',
                title: 'Fewer ready pods than desired, stuck, or blocking a drain',
              },
              ...(gangs.size === 0 ? [] : [{ value: 'gangs' as const, text: 'Pod groups' }]),
            ]}
          />
        </>
      }
    >
      <div class="card fill">
        {showsGangs ? (
          <Table
            label="Pod groups"
            columns={gangColumns}
            rows={gangRows}
            keyOf={([key]) => key}
            empty={<Empty title={gangs.size === 0 ? 'There are no pod groups' : 'No pod group matches'} />}
          />
        ) : (
          <Table
            label="Workloads"
            isLinked
            columns={columns}
            rows={rows}
            keyOf={({ key }) => key}
            rowHeight={46}
            initialOrder={{ column: 'ready', descending: false }}
            onOpen={({ key }) => go(workloadHref(key))}
            empty={
              <Empty title={standings.length === 0 ? 'There are no workloads' : 'No workload matches'}>
                <code>kubectl create deployment web --image=nginx --replicas=3</code>
              </Empty>
            }
          />
        )}
      </div>
    </Page>
  )
}

const gangColumns: readonly Column<GangRow>[] = [
  { id: 'name', title: 'Pod group', width: 'minmax(160px, 1fr)', order: ([key]) => key, cell: ([key]) => key },
  figureColumn({ id: 'min', title: 'Together', width: '90px', of: ([, min]) => min, text: countText }),
  figureColumn({ id: 'pods', title: 'Pods', width: '80px', of: ([, , pods]) => pods, text: countText }),
  figureColumn({ id: 'placed', title: 'Placed', width: '80px', of: ([, , , placed]) => placed, text: countText }),
  { id: 'topology', title: 'In one', width: 'minmax(120px, 0.8fr)', cell: ([, , , , topology]) => topology || '–' },
  { id: 'trouble', title: 'Waits for', width: 'minmax(200px, 2fr)', cell: ([, , , , , , trouble]) => trouble || '–' },
  ageColumn({ id: 'age', title: 'Age', width: '84px', sinceMs: ([, , , , , createdMs]) => createdMs }),
]
