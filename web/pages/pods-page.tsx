import { signal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { PodRow } from '../../src/wire/console-wire.ts'
import { podColor } from '../map/palette.ts'
import { parseFilter } from '../model/filter.ts'
import { live, revision } from '../model/live.ts'
import { nameOf, namespaceOf, P, podStateNames } from '../model/rows.ts'
import { countText, cpuText, memoryText, shownText } from '../model/words.ts'
import { ageColumn, figureColumn, NodeLink, PodLink } from '../parts/columns.tsx'
import { bound, Choice, Empty, Search } from '../parts/controls.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { go, podHref } from '../router.ts'

type StateChoice = 'all' | 'waiting' | 'leaving' | 'trouble'

const search = signal('')
const chosen = signal<StateChoice>('all')

const choices: Readonly<Record<StateChoice, (state: number) => boolean>> = {
  all: () => true,
  waiting: (state) => state <= 2,
  trouble: (state) => state === 4 || state === 7,
  leaving: (state) => state === 5,
}

export const podColumns: readonly Column<PodRow>[] = [
  {
    id: 'name',
    title: 'Pod',
    width: 'minmax(200px, 2fr)',
    order: (pod) => nameOf(pod[P.key]),
    cell: (pod) => <PodLink pod={pod[P.key]} />,
  },
  {
    id: 'namespace',
    title: 'Namespace',
    width: 'minmax(90px, 0.8fr)',
    order: (pod) => namespaceOf(pod[P.key]),
    cell: (pod) => namespaceOf(pod[P.key]),
  },
  {
    id: 'state',
    title: 'State',
    width: '130px',
    order: (pod) => pod[P.state],
    cell: (pod) => <PodState pod={pod} />,
  },
  {
    id: 'node',
    title: 'Node',
    width: 'minmax(110px, 1fr)',
    order: (pod) => pod[P.node],
    cell: (pod) =>
      pod[P.node] === '' ? (
        <span class="muted">{pod[P.nominated] === '' ? '–' : `nominated: ${pod[P.nominated]}`}</span>
      ) : (
        <NodeLink node={pod[P.node]} />
      ),
  },
  figureColumn({ id: 'cpu', title: 'CPU', width: '70px', of: (pod) => pod[P.cpuMilli], text: cpuText }),
  figureColumn({ id: 'memory', title: 'Memory', width: '84px', of: (pod) => pod[P.memoryBytes], text: memoryText }),
  figureColumn({ id: 'priority', title: 'Priority', width: '84px', of: (pod) => pod[P.priority], text: countText }),
  ageColumn({ id: 'age', title: 'Age', width: '84px', sinceMs: (pod) => pod[P.createdMs] }),
]

export function PodState({ pod }: { readonly pod: PodRow }) {
  return (
    <span class="pod-state">
      <span class={`swatch ${podColor(pod)}`} aria-hidden="true" />
      {podStateNames[pod[P.state]]}
    </span>
  )
}

export function PodsPage() {
  const at = revision.value
  const { cluster } = live
  const filter = useMemo(() => parseFilter(search.value), [search.value])
  const rows = useMemo(() => {
    const wanted = choices[chosen.value]
    const found: PodRow[] = []
    for (const pod of cluster.pods.values()) if (wanted(pod[P.state]) && filter.pod(pod, cluster)) found.push(pod)
    return found
  }, [cluster, filter, chosen.value, at])
  return (
    <main class="page fixed">
      <div class="head">
        <div class="title">
          <h1>Pods</h1>
          <span class="muted">{shownText(rows.length, cluster.pods.size, 'pod')}</span>
        </div>
      </div>
      <div class="toolbar">
        <Search
          label="Filter pods"
          placeholder="Name, or label selector such as app=web"
          {...bound(search)}
          problem={filter.problem}
        />
        <Choice<StateChoice>
          label="State"
          {...bound(chosen)}
          options={[
            { value: 'all', text: 'All' },
            { value: 'waiting', text: 'Not running yet' },
            { value: 'trouble', text: 'Not ready or failed' },
            { value: 'leaving', text: 'Terminating' },
          ]}
        />
      </div>
      <div class="card fill">
        <Table
          label="Pods"
          columns={podColumns}
          rows={rows}
          keyOf={(pod) => pod[P.key]}
          onOpen={(pod) => go(podHref(pod[P.key]))}
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
    </main>
  )
}
