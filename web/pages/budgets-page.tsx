import { useMemo } from 'preact/hooks'
import type { BudgetRow } from '../../src/wire/console-tables.ts'
import { live, revision } from '../model/live.ts'
import { nameOf, namespaceOf } from '../model/rows.ts'
import { countText, shownText } from '../model/words.ts'
import { standingsOf, type WorkloadStanding } from '../model/workloads.ts'
import { Bar } from '../parts/bar.tsx'
import { ageColumn, figureColumn, namespaceColumn } from '../parts/columns.tsx'
import { Empty, Tag, type Tone } from '../parts/controls.tsx'
import { isShownIn, NameFilters } from '../parts/namespace-select.tsx'
import { Page } from '../parts/page.tsx'
import { isPhone } from '../parts/phone.ts'
import { type Column, Table } from '../parts/table.tsx'
import { queryState, workloadHref } from '../router.ts'

const search = queryState('search', '')
const namespace = queryState('namespace', '')

interface BudgetShown {
  readonly row: BudgetRow
  readonly workloads: readonly WorkloadStanding[]
}

function stateOf([, , , healthy, desired, expected, allowed]: BudgetRow): {
  readonly tone: Tone
  readonly text: string
} {
  if (expected === 0) return { tone: '', text: 'selects no pod' }
  if (healthy < desired) return { tone: 'bad', text: `${desired - healthy} too few` }
  if (allowed === 0) return { tone: 'warn', text: 'blocks every drain' }
  return { tone: 'good', text: allowed >= expected ? 'allows all' : `${countText(allowed)} at a time` }
}

const columns: readonly Column<BudgetShown>[] = [
  {
    id: 'name',
    title: 'Budget',
    width: 'minmax(96px, 1fr)',
    order: ({ row }) => nameOf(row[0]),
    cell: ({ row }) =>
      isPhone.value ? (
        <span class="two-lines">
          <span>{nameOf(row[0])}</span>
          <small>{namespaceOf(row[0])}</small>
        </span>
      ) : (
        nameOf(row[0])
      ),
  },
  namespaceColumn(({ row }) => namespaceOf(row[0])),
  { id: 'rule', onPhone: false, title: 'Rule', width: '132px', order: ({ row }) => row[1], cell: ({ row }) => row[1] },
  {
    id: 'healthy',
    onPhone: false,
    title: 'Healthy / desired / all',
    width: 'minmax(176px, 1.4fr)',
    order: ({ row: [, , , healthy, desired] }) => healthy - desired,
    cell: ({ row: [, , , healthy, desired, expected] }) => (
      <span class="usage-line">
        <Bar
          label={`${healthy} of ${expected} pods are healthy, ${desired} must be`}
          parts={[
            { share: Math.min(healthy, desired) / Math.max(1, expected), tone: healthy < desired ? 'full' : 'used' },
            { share: Math.max(0, healthy - desired) / Math.max(1, expected), tone: 's1' },
          ]}
        />
        <span class="of-three">
          {countText(healthy)} / {countText(desired)} / {countText(expected)}
        </span>
      </span>
    ),
  },
  figureColumn({ id: 'allowed', title: 'Allowed', width: '64px', of: ({ row }) => row[6], text: countText }),
  {
    id: 'drain',
    title: 'The next drain',
    width: '132px',
    order: ({ row }) => ['bad', 'warn', '', 'good'].indexOf(stateOf(row).tone),
    cell: ({ row }) => <Tag tone={stateOf(row).tone}>{stateOf(row).text}</Tag>,
  },
  {
    id: 'workloads',
    onPhone: false,
    title: 'Protects',
    width: 'minmax(112px, 1.2fr)',
    cell: ({ workloads }) =>
      workloads.length === 0
        ? '–'
        : workloads.map(({ key, kind, name }) => (
            <a key={key} href={workloadHref(key)}>
              {kind} {name}{' '}
            </a>
          )),
  },
  ageColumn({ id: 'age', title: 'Age', width: '68px', sinceMs: ({ row }) => row[7] }),
]

export function BudgetsPage() {
  const at = revision.value
  const { cluster } = live
  const all = cluster.small.rows('budgets')
  const rows = useMemo(() => {
    const protectedBy = new Map<string, WorkloadStanding[]>()
    for (const standing of standingsOf(cluster))
      for (const [key] of standing.budgets) protectedBy.set(key, [...(protectedBy.get(key) ?? []), standing])
    const text = search.value.toLowerCase()
    return [...all.values()]
      .filter(([key]) => isShownIn(namespace, namespaceOf(key)))
      .filter(([key]) => key.toLowerCase().includes(text))
      .map((row): BudgetShown => ({ row, workloads: protectedBy.get(row[0]) ?? [] }))
  }, [cluster, at, search.value, namespace.value])
  return (
    <Page
      fixed
      title="Disruption budgets"
      aside={shownText(rows.length, all.size, 'budget')}
      toolbar={
        <NameFilters
          label="Filter budgets"
          search={search}
          namespace={namespace}
          names={[...all.keys()].map(namespaceOf)}
        />
      }
    >
      <div class="card fill">
        <Table
          label="Disruption budgets"
          isLinked
          columns={columns}
          rows={rows}
          keyOf={({ row }) => row[0]}
          rowHeight={40}
          initialOrder={{ column: 'drain', descending: false }}
          empty={
            <Empty title={all.size === 0 ? 'There are no disruption budgets' : 'No budget matches'}>
              Without a PodDisruptionBudget, a drain evicts all pods of a node at once.
            </Empty>
          }
        />
      </div>
    </Page>
  )
}
