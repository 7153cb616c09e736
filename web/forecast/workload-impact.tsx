import type { WorkloadEntry } from '../../src/wire/forecast-entries.ts'
import { countText, momentText, spanText } from '../model/words.ts'
import { figureColumn, namespaceColumn } from '../parts/columns.tsx'
import { Name, Tag } from '../parts/controls.tsx'
import { isPhone } from '../parts/phone.ts'
import { type Column, Table } from '../parts/table.tsx'
import { workloadHref } from '../router.ts'

const spanOrNone = (seconds: number) => (seconds === 0 ? '–' : spanText(seconds * 1000))

const columns: readonly Column<WorkloadEntry>[] = [
  {
    id: 'name',
    title: 'Workload',
    width: 'minmax(96px, 1.4fr)',
    order: ({ name }) => name,
    cell: ({ namespace, kind, name }) => (
      <a href={workloadHref(`${namespace}/${kind}/${name}`)} title={`${kind} ${namespace}/${name}`}>
        {isPhone.value ? <Name text={name} /> : `${kind} ${name}`}
      </a>
    ),
  },
  namespaceColumn(({ namespace }) => namespace),
  {
    id: 'ready',
    title: 'Ready',
    width: '96px',
    align: 'right',
    order: ({ ready }) => ready.after - ready.before,
    cell: ({ ready, replicas }) => (
      <Tag tone={ready.after < Math.min(ready.before, replicas) ? 'bad' : 'good'}>
        {countText(ready.before)} → {countText(ready.after)}
      </Tag>
    ),
  },
  {
    id: 'lowest',
    title: 'Lowest',
    width: 'minmax(112px, 0.8fr)',
    order: ({ lowestReady, ready }) => lowestReady.count - ready.before,
    cell: ({ lowestReady, ready }) =>
      lowestReady.count >= ready.before ? (
        <span class="muted">{countText(lowestReady.count)}</span>
      ) : (
        <span class={lowestReady.count === 0 ? 'bad' : 'warn'}>
          {countText(lowestReady.count)} at +{momentText(lowestReady.at * 1000)}
        </span>
      ),
  },
  {
    id: 'budget',
    onPhone: false,
    title: 'Below budget',
    width: '96px',
    align: 'right',
    order: ({ timeBelowBudget }) => timeBelowBudget,
    cell: ({ timeBelowBudget }) => (
      <span class={timeBelowBudget > 0 ? 'bad' : 'muted'}>{spanOrNone(timeBelowBudget)}</span>
    ),
  },
  {
    id: 'down',
    onPhone: false,
    title: 'Down',
    width: '80px',
    align: 'right',
    order: ({ timeDown }) => timeDown,
    cell: ({ timeDown }) => <span class={timeDown > 0 ? 'bad' : 'muted'}>{spanOrNone(timeDown)}</span>,
  },
  figureColumn({ id: 'deleted', title: 'Deleted', width: '68px', of: ({ deleted }) => deleted, text: countText }),
  figureColumn({ id: 'moved', title: 'Moved', width: '60px', of: ({ moved }) => moved, text: countText }),
  figureColumn({ id: 'lost', title: 'Lost', width: '50px', of: ({ lost }) => lost, text: countText }),
  {
    id: 'pending',
    onPhone: false,
    title: 'Pending at the end',
    width: 'minmax(130px, 1.3fr)',
    order: ({ pending }) => pending.reduce((sum, { count }) => sum + count, 0),
    cell: ({ pending }) =>
      pending.length === 0 ? (
        <span class="muted">–</span>
      ) : (
        <span class="warn" title={pending.map(({ count, reason }) => `${count}: ${reason}`).join('\n')}>
          {pending.map(({ count, reason }) => `${count}: ${reason}`).join('; ')}
        </span>
      ),
  },
]

const plainColumns = columns.map((column) =>
  column.id === 'name'
    ? {
        ...column,
        cell: ({ kind, name }: WorkloadEntry) => (isPhone.value ? <Name text={name} /> : `${kind} ${name}`),
      }
    : column,
)

/** The effect of a change on each workload, the worst first. */
export function WorkloadImpact({
  linked = true,
  workloads,
  maxHeight = 230,
}: {
  readonly workloads: readonly WorkloadEntry[]
  readonly maxHeight?: number
  /** Whether workloads have a page. */
  readonly linked?: boolean
}) {
  // The verdict already shows it.
  if (workloads.length === 0) return null
  return (
    <Table
      label="Workloads in the forecast"
      columns={linked ? columns : plainColumns}
      rows={workloads}
      keyOf={({ namespace, kind, name }) => `${namespace}/${kind}/${name}`}
      rowHeight={34}
      maxHeight={maxHeight}
      empty={null}
    />
  )
}
