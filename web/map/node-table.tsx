import { useMemo } from 'preact/hooks'
import type { ClusterModel, NodeCell } from '../model/cluster.ts'
import { naturalKey } from '../model/node-names.ts'
import { N, nodeStatus, shortTaint } from '../model/rows.ts'
import { cpuText, memoryText } from '../model/words.ts'
import { Requested } from '../parts/bar.tsx'
import { ageColumn, figureColumn, NodeLink } from '../parts/columns.tsx'
import { Empty, Tag } from '../parts/controls.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { go, nodeHref } from '../router.ts'
import { fullness } from './coloring.ts'

const columns: readonly Column<NodeCell>[] = [
  {
    id: 'name',
    title: 'Node',
    width: 'minmax(112px, 1.2fr)',
    order: (cell) => naturalKey(cell.row[N.name]),
    cell: (cell) => <NodeLink node={cell.row[N.name]} />,
  },
  {
    id: 'zone',
    onPhone: false,
    title: 'Zone',
    width: '92px',
    order: (cell) => cell.row[N.zone],
    cell: (cell) => cell.row[N.zone],
  },
  {
    id: 'status',
    title: 'Status',
    width: 'minmax(84px, 1fr)',
    order: (cell) => nodeStatus(cell.row),
    cell: (cell) => <Tag tone={cell.row[N.health] === 0 ? '' : 'bad'}>{nodeStatus(cell.row)}</Tag>,
  },
  {
    id: 'cpu',
    title: 'CPU requested',
    width: 'minmax(112px, 150px)',
    order: (cell) => fullness(cell, 'cpu'),
    cell: (cell) => <Requested what="CPU" used={cell.cpuMilli} of={cell.row[N.cpuMilli]} text={cpuText} />,
  },
  {
    id: 'memory',
    onPhone: false,
    title: 'Memory requested',
    width: 'minmax(128px, 150px)',
    order: (cell) => fullness(cell, 'memory'),
    cell: (cell) => <Requested what="Memory" used={cell.memoryBytes} of={cell.row[N.memoryBytes]} text={memoryText} />,
  },
  figureColumn({ id: 'pods', title: 'Pods', width: '52px', of: (cell) => cell.podCount, text: String }),
  {
    id: 'taints',
    onPhone: false,
    title: 'Taints',
    width: 'minmax(104px, 1.6fr)',
    order: (cell) => cell.row[N.taints].length,
    cell: (cell) =>
      cell.row[N.taints].map((taint) => (
        <Tag key={taint} tone="warn" mono title={taint}>
          {shortTaint(taint)}
        </Tag>
      )),
  },
  ageColumn({ id: 'age', title: 'Age', width: '72px', sinceMs: (cell) => cell.row[N.createdMs] }),
]

function withPool(
  cluster: ClusterModel,
  pool: { readonly label: string; readonly title: string } | undefined,
): readonly Column<NodeCell>[] {
  if (pool === undefined) return columns
  const poolOf = (cell: NodeCell) => cluster.labelsOf(cell.row[N.labels])[pool.label] ?? ''
  const column = {
    id: 'pool',
    onPhone: false,
    title: 'Pool',
    width: 'minmax(80px, 0.7fr)',
    order: poolOf,
    cell: poolOf,
  }
  return columns.flatMap((one) => (one.id === 'zone' ? [column, one] : [one]))
}

export function NodeTable(props: {
  readonly cluster: ClusterModel
  readonly rows: readonly NodeCell[]
  /** The label that names the pool of a node. */
  readonly pool?: { readonly label: string; readonly title: string }
}) {
  const { cluster, rows, pool } = props
  const shown = useMemo(() => withPool(cluster, pool), [cluster, pool?.label])
  return (
    <div class="card fill">
      <Table
        label="Nodes"
        isLinked
        columns={shown}
        rows={rows}
        keyOf={(cell) => cell.row[N.name]}
        initialOrder={{ column: 'name', descending: false }}
        onOpen={(cell) => go(nodeHref(cell.row[N.name]))}
        empty={<Empty title="No node matches">Try another name or selector.</Empty>}
      />
    </div>
  )
}
