import { useMemo, useState } from 'preact/hooks'
import type { PodRow } from '../../src/wire/console-wire.ts'
import { podColor } from '../map/palette.ts'
import { parseFilter } from '../model/filter.ts'
import { live, revision } from '../model/live.ts'
import { nameOf, namespaceOf, P, podState, statusOf } from '../model/rows.ts'
import { counted, countText, cpuText, memoryText, shownText } from '../model/words.ts'
import { workloadKeyOf } from '../model/workloads.ts'
import { ageColumn, figureColumn, NodeLink, namespaceColumn, PodLink } from '../parts/columns.tsx'
import { bound, Choice, Empty, Search } from '../parts/controls.tsx'
import { type GroupedRow, groupedColumns, groupRows, toggled } from '../parts/grouped-rows.tsx'
import { NamespaceSelect, namespacesOf } from '../parts/namespace-select.tsx'
import { Page } from '../parts/page.tsx'
import { isPhone } from '../parts/phone.ts'
import { type Column, Table } from '../parts/table.tsx'
import { go, podHref, queryState } from '../router.ts'

type StateChoice = 'all' | 'waiting' | 'leaving' | 'trouble'

const search = queryState('search', '')
const namespace = queryState('namespace', '')
const chosen = queryState<StateChoice>('state', 'all')
const grouped = queryState<'yes' | 'no'>('grouped', 'yes')

const choices: Readonly<Record<StateChoice, (pod: PodRow) => boolean>> = {
  all: () => true,
  waiting: (pod) => pod[P.state] <= 2,
  trouble: (pod) => pod[P.state] === 4 || pod[P.state] === 7 || (pod[P.restarts] ?? 0) > 0,
  leaving: (pod) => pod[P.state] === 5,
}

/** The order by state code: failed and not ready, then pending, then terminating, then the others. */
const ranks = [1, 1, 1, 3, 0, 2, 3, 0] as const

export const podColumns: readonly Column<PodRow>[] = [
  {
    id: 'name',
    title: 'Pod',
    width: 'minmax(150px, 2.4fr)',
    order: (pod) => nameOf(pod[P.key]),
    cell: (pod) => <PodLink pod={pod[P.key]} />,
  },
  namespaceColumn((pod) => namespaceOf(pod[P.key])),
  {
    id: 'state',
    title: 'Status',
    width: 'minmax(156px, 1.2fr)',
    order: (pod) => `${ranks[pod[P.state]]} ${statusOf(pod)}`,
    cell: (pod) => <PodState pod={pod} />,
  },
  figureColumn({
    id: 'restarts',
    title: 'Restarts',
    width: '68px',
    of: (pod) => pod[P.restarts] ?? 0,
    text: countText,
  }),
  {
    id: 'node',
    onPhone: false,
    title: 'Node',
    width: 'minmax(100px, 1fr)',
    order: (pod) => pod[P.node],
    cell: (pod) =>
      pod[P.node] === '' ? (
        <span class="muted">{pod[P.nominated] === '' ? '–' : `nominated: ${pod[P.nominated]}`}</span>
      ) : (
        <NodeLink node={pod[P.node]} />
      ),
  },
  figureColumn({ id: 'cpu', title: 'CPU', width: '60px', of: (pod) => pod[P.cpuMilli], text: cpuText }),
  figureColumn({ id: 'memory', title: 'Memory', width: '72px', of: (pod) => pod[P.memoryBytes], text: memoryText }),
  figureColumn({ id: 'priority', title: 'Priority', width: '64px', of: (pod) => pod[P.priority], text: countText }),
  ageColumn({ id: 'age', title: 'Age', width: '72px', sinceMs: (pod) => pod[P.createdMs] }),
]

/** The column STATUS of kubectl. It does not show whether a running pod is ready; the column READY does. */
const labelOf = (pod: PodRow): string =>
  pod[P.state] === podState.notReady && statusOf(pod) === 'Running' ? 'Running, not ready' : statusOf(pod)

/** The state of a pod, as a color and in words. */
export function PodState({ pod }: { readonly pod: PodRow }) {
  return (
    <span class="pod-state">
      <span class={`swatch ${podColor(pod)}`} aria-hidden="true" />
      <span class="label" title={labelOf(pod)}>
        {labelOf(pod)}
      </span>
    </span>
  )
}

/** Pods of one workload with the same status are one row. */
const groupColumns = groupedColumns(podColumns, {
  name: ({ rows, title }) => (
    <span title={title}>
      {isPhone.value ? `${countText(rows.length)} × ${title.split(' ')[1]}` : `${countText(rows.length)} × ${title}`}
    </span>
  ),
  namespace: ({ rows }) => namespaceOf(rows[0]?.[P.key] ?? ''),
  state: ({ rows }) => (rows[0] === undefined ? null : <PodState pod={rows[0]} />),
  restarts: ({ rows }) => countText(rows.reduce((sum, pod) => sum + (pod[P.restarts] ?? 0), 0)),
  node: ({ rows }) => {
    const nodes = new Set(rows.map((pod) => pod[P.node]).filter((node) => node !== ''))
    return <span class="muted">{nodes.size === 0 ? '–' : counted(nodes.size, 'node')}</span>
  },
  cpu: ({ rows }) => cpuText(rows.reduce((sum, pod) => sum + pod[P.cpuMilli], 0)),
  memory: ({ rows }) => memoryText(rows.reduce((sum, pod) => sum + pod[P.memoryBytes], 0)),
})

export function PodsPage() {
  const at = revision.value
  const { cluster } = live
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const text = search.value
  const filter = useMemo(() => parseFilter(text), [text])
  const found = useMemo(() => {
    const wanted = choices[chosen.value] ?? choices.all
    const prefix = namespace.value === '' ? '' : `${namespace.value}/`
    const byRank: PodRow[][] = [[], [], [], []]
    for (const pod of cluster.pods.values())
      if (wanted(pod) && pod[P.key].startsWith(prefix) && filter.pod(pod, cluster))
        byRank[ranks[pod[P.state]]]?.push(pod)
    return byRank.flat()
  }, [cluster, filter, chosen.value, namespace.value, at])
  const rows = useMemo(
    () =>
      groupRows(found, {
        groupOf: (pod) => {
          const workload = grouped.value === 'yes' ? workloadKeyOf(pod, cluster) : ''
          return workload === ''
            ? undefined
            : { id: `${workload} ${labelOf(pod)}`, title: workload.split('/').slice(1).join(' ') }
        },
        open,
      }),
    [found, open, grouped.value],
  )
  const namespaces = useMemo(
    () => namespacesOf([...cluster.pods.keys()].map(namespaceOf)),
    [cluster, cluster.pods.size],
  )
  const show = (row: GroupedRow<PodRow>) => {
    if (row.kind === 'row') go(podHref(row.row[P.key]))
    else setOpen(toggled(open, row.id))
  }
  return (
    <Page
      fixed
      title="Pods"
      aside={shownText(found.length, cluster.pods.size, 'pod')}
      toolbar={
        <>
          <Search label="Filter pods" placeholder="Name, or app=web" {...bound(search)} problem={filter.problem} />
          <NamespaceSelect state={namespace} names={namespaces} />
          <Choice<StateChoice>
            label="State"
            hideLabel
            {...bound(chosen)}
            options={[
              { value: 'all', text: 'All' },
              { value: 'waiting', text: 'Waiting', title: 'Not running yet' },
              { value: 'trouble', text: 'In trouble', title: 'Not ready, failed or restarted' },
              { value: 'leaving', text: 'Terminating' },
            ]}
          />
          <Choice<'yes' | 'no'>
            label="Rows"
            hideLabel
            {...bound(grouped)}
            options={[
              { value: 'yes', text: 'Grouped', title: 'Pods of one workload with the same status are one row' },
              { value: 'no', text: 'One by one' },
            ]}
          />
        </>
      }
    >
      <div class="card fill">
        <Table
          label="Pods"
          isLinked
          columns={groupColumns}
          rows={rows}
          keyOf={(row) => (row.kind === 'row' ? row.row[P.key] : row.id)}
          onOpen={show}
          empty={
            cluster.pods.size === 0 ? (
              <Empty title="There are no pods">
                <code>kubectl create deployment web --image=nginx --replicas=3</code>
              </Empty>
            ) : (
              <Empty title="No pod matches">Try another name, selector or state.</Empty>
            )
          }
        />
      </div>
    </Page>
  )
}
