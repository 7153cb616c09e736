import { signal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { ClusterMap } from '../map/cluster-map.tsx'
import type { DetailLevel } from '../map/layout.ts'
import { MapLegend } from '../map/legend.tsx'
import { NodeTable } from '../map/node-table.tsx'
import type { ColorBy, Measure } from '../map/palette.ts'
import { totalsOf } from '../model/cluster.ts'
import { parseFilter } from '../model/filter.ts'
import { live, revision } from '../model/live.ts'
import { podState } from '../model/rows.ts'
import { counted, countText, cpuText, memoryText, percentText } from '../model/words.ts'
import { bound, Choice, Empty, Figure, Search } from '../parts/controls.tsx'
import { go, nodeHref, podHref } from '../router.ts'
import { NodeInspector } from './node-inspector.tsx'

// Kept while other pages are shown.
const search = signal('')
const colorBy = signal<ColorBy>('utilization')
const measure = signal<Measure>('cpu')
const level = signal<DetailLevel | 'auto' | 'table'>('auto')
const selected = signal<string | undefined>(undefined)

export function MapPage() {
  const at = revision.value
  const { cluster } = live
  const filter = useMemo(() => parseFilter(search.value), [search.value])
  const shown = selected.value !== undefined && cluster.nodes.has(selected.value) ? selected.value : undefined
  return (
    <main class="page fixed">
      <div class="head">
        <div class="title">
          <h1>Cluster</h1>
        </div>
        <Figures />
      </div>
      <div class="toolbar">
        <Search
          label="Filter nodes and pods"
          placeholder="Name, or app=web"
          {...bound(search)}
          problem={filter.problem}
        />
        <Choice<ColorBy>
          label="Color"
          {...bound(colorBy)}
          options={[
            { value: 'utilization', text: 'Utilization' },
            { value: 'taints', text: 'Taints' },
            { value: 'health', text: 'Health' },
          ]}
        />
        <Choice<Measure>
          label="Of"
          {...bound(measure)}
          options={[
            { value: 'cpu', text: 'CPU' },
            { value: 'memory', text: 'Memory' },
            { value: 'pods', text: 'Pods' },
          ]}
        />
        <Choice<DetailLevel | 'auto' | 'table'>
          label="Show as"
          {...bound(level)}
          options={[
            { value: 'auto', text: 'Auto', title: 'As large as fits' },
            { value: 'sheet', text: 'Names' },
            { value: 'card', text: 'Cards' },
            { value: 'tile', text: 'Tiles' },
            { value: 'dot', text: 'Dots' },
            { value: 'table', text: 'Table' },
          ]}
        />
      </div>
      {level.value === 'table' ? null : <MapLegend colorBy={colorBy.value} measure={measure.value} />}
      {cluster.nodes.size === 0 ? (
        <Empty title="There are no nodes">
          <span>
            Create hollow nodes with <code>berth up --nodes 5</code>, or apply Node objects labeled{' '}
            <code>berth.dev/hollow</code>.
          </span>
        </Empty>
      ) : (
        <div class="map-page">
          {level.value === 'table' ? (
            <NodeTable cluster={cluster} revision={at} filter={filter} />
          ) : (
            <ClusterMap
              cluster={cluster}
              revision={at}
              filter={filter}
              colorBy={colorBy.value}
              measure={measure.value}
              level={level.value}
              label="Nodes by zone"
              selected={shown}
              onSelect={(node) => {
                selected.value = node
              }}
              onOpenNode={(node) => go(nodeHref(node))}
              onOpenPod={(pod) => go(podHref(pod))}
            />
          )}
          {shown === undefined || level.value === 'table' ? null : (
            <NodeInspector
              name={shown}
              onClose={() => {
                selected.value = undefined
              }}
            />
          )}
        </div>
      )}
      <Unplaced />
    </main>
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
        <span class={pending > 0 ? 'warn' : ''}>{countText(pending)}</span>
      </Figure>
      <Figure name="Terminating">{countText(of(podState.terminating))}</Figure>
      <Figure name="CPU requested">
        {percentText(totals.cpuAllocatableMilli === 0 ? 0 : totals.cpuMilli / totals.cpuAllocatableMilli)}
        <small>
          {' '}
          {cpuText(totals.cpuMilli)} of {cpuText(totals.cpuAllocatableMilli)}
        </small>
      </Figure>
      <Figure name="Memory requested">
        {percentText(totals.memoryAllocatableBytes === 0 ? 0 : totals.memoryBytes / totals.memoryAllocatableBytes)}
        <small>
          {' '}
          {memoryText(totals.memoryBytes)} of {memoryText(totals.memoryAllocatableBytes)}
        </small>
      </Figure>
    </dl>
  )
}

/** Pods that are not on any node of the map. */
function Unplaced() {
  const { cluster } = live
  const { unplaced } = cluster
  if (unplaced.size === 0) return null
  const some = [...unplaced].slice(0, 6)
  return (
    <div class="waiting">
      <strong>{counted(unplaced.size, 'pod')} without a node:</strong>
      {some.map((key) => (
        <a key={key} href={podHref(key)}>
          {key}
        </a>
      ))}
      {unplaced.size > some.length ? (
        <a href="#/queue">and {countText(unplaced.size - some.length)} more in the queue</a>
      ) : null}
    </div>
  )
}
