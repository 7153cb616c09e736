import { useMemo, useState } from 'preact/hooks'
import { ClusterMap } from '../map/cluster-map.tsx'
import { type ColorBy, coloringOf, colorNames, colorsFor } from '../map/coloring.ts'
import { groupingKeys, poolLabelOf, shortKey } from '../map/groups.ts'
import type { CellSize } from '../map/layout.ts'
import { MapLegend } from '../map/legend.tsx'
import { NodeTable } from '../map/node-table.tsx'
import { type ClusterModel, totalsOf } from '../model/cluster.ts'
import { parseFilter } from '../model/filter.ts'
import { attention, live, now, revision } from '../model/live.ts'
import { podState } from '../model/rows.ts'
import { selection } from '../model/selection.ts'
import { counted, countText, cpuText, memoryText, percentText, priceText } from '../model/words.ts'
import { AttentionList } from '../parts/attention-list.tsx'
import { bound, Empty, Figure, Search } from '../parts/controls.tsx'
import { Page } from '../parts/page.tsx'
import { isPhone } from '../parts/phone.ts'
import { Select } from '../parts/select.tsx'
import { go, nodeHref, podHref, queryState } from '../router.ts'
import { SelectionPanel } from './selection-panel.tsx'

const search = queryState('search', '')
const colorBy = queryState<ColorBy>('color', 'cpu')
const groupBy = queryState('group', 'auto')
const thenBy = queryState('then', '')

export function HomePage() {
  const at = revision.value
  const { cluster } = live
  const totals = totalsOf(cluster)
  const calm = `${counted(totals.nodesReady, 'node is', 'nodes are')} ready, ${counted(cluster.podsByState[podState.running] ?? 0, 'pod runs', 'pods run')}`
  return (
    <Page title="Cluster" fixed={!isPhone.value} figures={<Figures />}>
      <AttentionList items={attention.value} calm={calm} />
      {cluster.nodes.size === 0 ? (
        <Empty title="There are no nodes">
          <span>
            Create hollow nodes with <code>berth up --nodes 5</code>, or apply Node objects labeled{' '}
            <code>berth.dev/hollow</code>.
          </span>
        </Empty>
      ) : isPhone.value ? (
        <NodeList cluster={cluster} at={at} />
      ) : (
        <NodeMap cluster={cluster} at={at} />
      )}
    </Page>
  )
}

/** Nodes on a phone. */
function NodeList({ cluster, at }: { readonly cluster: ClusterModel; readonly at: number }) {
  const text = search.value
  const filter = useMemo(() => parseFilter(text), [text])
  const rows = useMemo(
    () => [...cluster.nodes.values()].filter((cell) => filter.node(cell, cluster)),
    [cluster, filter, at],
  )
  return (
    <>
      <div class="toolbar">
        <Search label="Filter nodes" placeholder="Name, or pool=web" {...bound(search)} problem={filter.problem} />
      </div>
      <NodeTable cluster={cluster} rows={rows} />
    </>
  )
}

/** The map of the nodes, with one line of controls above and the legend below. */
function NodeMap({ cluster, at }: { readonly cluster: ClusterModel; readonly at: number }) {
  const text = search.value
  const [size, setSize] = useState<CellSize>()
  const filter = useMemo(() => parseFilter(text), [text])
  const keys = useMemo(() => groupingKeys(cluster), [cluster, cluster.shape])
  const pool = useMemo(() => poolLabelOf(cluster), [cluster, cluster.shape])
  const by = groupBy.value === 'auto' ? (pool ?? 'zone') : groupBy.value
  const options = [
    { value: 'zone', text: 'zone' },
    ...keys.map((key) => ({ value: key, text: shortKey(key) })),
    { value: 'kubelet', text: 'kubelet version' },
    { value: 'health', text: 'health' },
    { value: 'taint', text: 'taint' },
  ]
  const figures = cluster.small.revision
  const colors = useMemo(() => colorsFor(cluster), [cluster, cluster.shape, figures])
  // Ages of nodes need an update only once an hour.
  const hour = Math.floor(now.value / 3_600_000) * 3_600_000
  const color = colors.includes(colorBy.value) ? colorBy.value : 'cpu'
  const coloring = useMemo(() => coloringOf(cluster, color, hour), [cluster, cluster.shape, figures, color, hour])
  return (
    <section class="map-page" aria-label="Nodes">
      <div class="toolbar">
        <Search
          label="Filter nodes and pods"
          placeholder="Name, or app=web"
          {...bound(search)}
          problem={filter.problem}
        />
        <Select label="Group by" options={options} {...bound(groupBy)} value={by} />
        <Select
          label="then"
          options={[{ value: '', text: '–' }, ...options.filter(({ value }) => value !== by)]}
          {...bound(thenBy)}
        />
        <Select<ColorBy>
          label="Color"
          options={colors.map((value) => ({ value, text: colorNames[value] }))}
          {...bound(colorBy)}
          value={color}
        />
        {text === '' ? null : (
          <button
            type="button"
            class="button"
            onClick={() => {
              const matching = [...cluster.nodes].filter(([, cell]) => filter.node(cell, cluster))
              selection.value = new Set(matching.map(([name]) => name))
            }}
          >
            Select matching
          </button>
        )}
      </div>
      <div class="map-area">
        <ClusterMap
          cluster={cluster}
          revision={at}
          filter={filter}
          coloring={coloring}
          groupBy={by}
          thenBy={thenBy.value}
          label={`Nodes by ${shortKey(by)}`}
          onSize={setSize}
          chosen={selection.value}
          onChoose={(nodes) => {
            selection.value = nodes
          }}
          onOpenNode={(node) => go(nodeHref(node))}
          onOpenPod={(pod) => go(podHref(pod))}
        />
        <SelectionPanel />
      </div>
      <div class="under-map">
        <MapLegend cluster={cluster} size={size} revision={at} coloring={coloring} />
        <span class="muted hint">Drag to select several; a title selects its group</span>
      </div>
    </section>
  )
}

function Figures() {
  const { cluster } = live
  const totals = totalsOf(cluster)
  const of = (state: number) => cluster.podsByState[state] ?? 0
  const pending = of(podState.pending) + of(podState.gated)
  return (
    <dl class="figures">
      <Figure name="Nodes ready">
        <span class={totals.nodesReady < totals.nodes ? 'bad' : ''}>{countText(totals.nodesReady)}</span>
        <small> of {countText(totals.nodes)}</small>
      </Figure>
      <Figure name="Pods running">
        {countText(of(podState.running))}
        <small> of {countText(cluster.pods.size)}</small>
      </Figure>
      <Figure name="Pending">
        <a href="#/queue" class={pending > 0 ? 'warn' : 'plain'}>
          {countText(pending)}
        </a>
      </Figure>
      {totals.pricePerHour === undefined ? null : (
        <Figure name="Cost per hour">{priceText(totals.pricePerHour)}</Figure>
      )}
      <Figure name="CPU requested">
        {percentText(totals.cpuAllocatableMilli === 0 ? 0 : totals.cpuMilli / totals.cpuAllocatableMilli)}
        <small> of {cpuText(totals.cpuAllocatableMilli)}</small>
      </Figure>
      <Figure name="Memory requested">
        {percentText(totals.memoryAllocatableBytes === 0 ? 0 : totals.memoryBytes / totals.memoryAllocatableBytes)}
        <small> of {memoryText(totals.memoryAllocatableBytes)}</small>
      </Figure>
    </dl>
  )
}
