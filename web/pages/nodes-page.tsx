import { useMemo } from 'preact/hooks'
import type { PoolRow } from '../../src/wire/console-tables.ts'
import { groupNodes, poolLabelOf, shortKey } from '../map/groups.ts'
import { NodeTable } from '../map/node-table.tsx'
import type { ClusterModel, NodeCell } from '../model/cluster.ts'
import { parseFilter } from '../model/filter.ts'
import { live, revision } from '../model/live.ts'
import { flags, has, N } from '../model/rows.ts'
import { counted, countText, cpuText, memoryText, shownText } from '../model/words.ts'
import { Requested } from '../parts/bar.tsx'
import { figureColumn } from '../parts/columns.tsx'
import { bound, Choice, Empty, Search, Tag } from '../parts/controls.tsx'
import { Page } from '../parts/page.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { go, queryState } from '../router.ts'

type View = 'nodes' | 'pools'

const search = queryState('search', '')
const view = queryState<View>('view', 'nodes')

/** The nodes with one value of the label of pools, and the limits of its autoscaler. */
interface PoolShown {
  readonly name: string
  readonly selector: string
  readonly cells: readonly NodeCell[]
  readonly pool: PoolRow | undefined
}

const total = (cells: readonly NodeCell[], of: (cell: NodeCell) => number) =>
  cells.reduce((sum, cell) => sum + of(cell), 0)

const limitsText = ([, , , min, max]: PoolRow) =>
  max < 0 ? 'no limit of nodes' : `${countText(min)} to ${counted(max, 'node')}`

const columns: readonly Column<PoolShown>[] = [
  { id: 'name', title: 'Pool', width: 'minmax(96px, 1.2fr)', order: ({ name }) => name, cell: ({ name }) => name },
  figureColumn({
    id: 'nodes',
    title: 'Nodes',
    width: '56px',
    of: ({ cells, pool }) => cells.length || (pool?.[2] ?? 0),
    text: countText,
  }),
  {
    id: 'ready',
    title: 'Not ready',
    width: '80px',
    align: 'right',
    order: ({ cells }) => cells.filter(({ row }) => row[N.health] !== 0).length,
    cell: ({ cells }) => {
      const count = cells.filter(({ row }) => row[N.health] !== 0).length
      return count === 0 ? '0' : <Tag tone="bad">{countText(count)}</Tag>
    },
  },
  figureColumn({
    id: 'cordoned',
    title: 'Cordoned',
    width: '76px',
    of: ({ cells }) => cells.filter(({ row }) => has(row, flags.cordoned)).length,
    text: countText,
  }),
  {
    id: 'cpu',
    title: 'CPU requested',
    width: 'minmax(104px, 1fr)',
    order: ({ cells }) =>
      total(cells, ({ cpuMilli }) => cpuMilli) /
      Math.max(
        1,
        total(cells, ({ row }) => row[N.cpuMilli]),
      ),
    cell: ({ cells }) => {
      const used = total(cells, ({ cpuMilli }) => cpuMilli)
      const of = total(cells, ({ row }) => row[N.cpuMilli])
      return <Requested what="CPU" used={used} of={of} text={cpuText} />
    },
  },
  {
    id: 'memory',
    onPhone: false,
    title: 'Memory requested',
    width: 'minmax(120px, 1fr)',
    order: ({ cells }) => total(cells, ({ memoryBytes }) => memoryBytes),
    cell: ({ cells }) => {
      const used = total(cells, ({ memoryBytes }) => memoryBytes)
      const of = total(cells, ({ row }) => row[N.memoryBytes])
      return <Requested what="Memory" used={used} of={of} text={memoryText} />
    },
  },
  figureColumn({
    id: 'pods',
    title: 'Pods',
    width: '56px',
    of: ({ cells }) => total(cells, ({ podCount }) => podCount),
    text: countText,
  }),
  {
    id: 'limits',
    onPhone: false,
    title: 'Autoscaler',
    width: 'minmax(150px, 1.6fr)',
    cell: ({ pool }) =>
      pool === undefined ? (
        <span class="muted">no limits known</span>
      ) : (
        <span class={pool[5] === '' ? '' : 'bad'} title={`${limitsText(pool)}${pool[5] === '' ? '' : `; ${pool[5]}`}`}>
          {pool[5] === '' ? limitsText(pool) : pool[5].startsWith('at its') ? pool[5] : `adds no nodes: ${pool[5]}`}
        </span>
      ),
  },
]

/** Shown only if an autoscaler plans changes. */
const planColumn: Column<PoolShown> = {
  id: 'plans',
  title: 'Planned',
  width: 'minmax(120px, 1.2fr)',
  order: ({ pool }) => pool?.[6] ?? '',
  cell: ({ pool }) => <span title={pool?.[6]}>{pool?.[6] || '–'}</span>,
}

function poolsOf(cluster: ClusterModel, label: string | undefined): readonly PoolShown[] {
  const known = [...cluster.small.rows('pools').values()]
  const used = new Set<string>()
  const shown = (label === undefined ? [] : groupNodes(cluster, label, '')).map(({ title, nodes }): PoolShown => {
    const pool = known.find(([key, selector]) => selector === `${label}=${title}` || key.endsWith(`/${title}`))
    if (pool !== undefined) used.add(pool[0])
    const cells = nodes.map((name) => cluster.nodes.get(name)).filter((cell) => cell !== undefined)
    return { name: title, selector: `${label}=${title}`, cells, pool }
  })
  const others = known.filter(([key]) => !used.has(key))
  return [
    ...shown,
    ...others.map((pool) => ({ name: pool[0], selector: pool[1], cells: cellsWith(cluster, pool[1]), pool })),
  ]
}

/** The nodes with a label `key=value`; empty without a label. */
function cellsWith(cluster: ClusterModel, selector: string): readonly NodeCell[] {
  const at = selector.indexOf('=')
  if (at < 0) return []
  const [key, value] = [selector.slice(0, at), selector.slice(at + 1)]
  return [...cluster.nodes.values()].filter(({ row }) => cluster.labelsOf(row[N.labels])[key] === value)
}

export function NodesPage() {
  const at = revision.value
  const { cluster } = live
  const text = search.value
  const filter = useMemo(() => parseFilter(text), [text])
  const label = useMemo(() => poolLabelOf(cluster), [cluster, cluster.shape])
  const pools = useMemo(() => poolsOf(cluster, label), [cluster, at, label])
  // The filter finds a pool by its name and by its nodes.
  const shownPools = pools.filter(
    ({ name, cells }) => text === '' || name.includes(text) || cells.some((cell) => filter.node(cell, cluster)),
  )
  const nodes = useMemo(
    () => [...cluster.nodes.values()].filter((cell) => filter.node(cell, cluster)),
    [cluster, filter, at],
  )
  return (
    <Page
      fixed
      title="Nodes"
      aside={
        view.value === 'pools'
          ? shownText(shownPools.length, pools.length, 'pool')
          : shownText(nodes.length, cluster.nodes.size, 'node')
      }
      toolbar={
        <>
          <Search label="Filter nodes" placeholder="Name, or pool=web" {...bound(search)} problem={filter.problem} />
          <Choice<View>
            label="Show"
            hideLabel
            {...bound(view)}
            options={[
              { value: 'nodes', text: 'Nodes' },
              { value: 'pools', text: 'Pools', title: label === undefined ? 'No label names pools' : `By ${label}` },
            ]}
          />
        </>
      }
    >
      {view.value === 'pools' ? (
        <div class="card fill">
          <Table
            label="Pools"
            isLinked
            columns={pools.some(({ pool }) => (pool?.[6] ?? '') !== '') ? [...columns, planColumn] : columns}
            rows={shownPools}
            keyOf={({ name }) => name}
            rowHeight={40}
            initialOrder={{ column: 'name', descending: false }}
            onOpen={({ selector }) => go(`#/nodes?search=${encodeURIComponent(selector)}`)}
            empty={
              <Empty title="No pools">
                <span>
                  Nodes have none of the labels by which clouds name pools, such as <code>karpenter.sh/nodepool</code>.
                </span>
              </Empty>
            }
          />
        </div>
      ) : (
        <NodeTable
          cluster={cluster}
          rows={nodes}
          {...(label === undefined ? {} : { pool: { label, title: shortKey(label) } })}
        />
      )}
    </Page>
  )
}
