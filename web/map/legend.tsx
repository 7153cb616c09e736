import type { ClusterModel } from '../model/cluster.ts'
import { flags, has, N, worstTaint } from '../model/rows.ts'
import { ageSteps, type Coloring, colorOf, isMeasure, measured } from './coloring.ts'

interface LegendEntry {
  readonly swatch: string
  readonly text: string
}

const shares: readonly LegendEntry[] = [
  { swatch: 'util-0', text: '< 20 %' },
  { swatch: 'util-1', text: '20–40' },
  { swatch: 'util-2', text: '40–60' },
  { swatch: 'util-3', text: '60–85' },
  { swatch: 'util-4', text: '> 85 %' },
]

const colorTexts: ReadonlyMap<string, string> = new Map([
  ['taint-none', 'no taint'],
  ['taint-prefer', 'PreferNoSchedule'],
  ['taint-noschedule', 'NoSchedule'],
  ['taint-noexecute', 'NoExecute'],
  ['cordoned', 'cordoned'],
  ['health-ready', 'ready'],
  ['health-pressure', 'under pressure'],
  ['health-notready', 'not ready'],
  ['health-unknown', 'no heartbeat'],
  ['health-new', 'new'],
])

/** What the colors mean, in order. */
function textsOf({ by, prices }: Coloring): ReadonlyMap<string, string> {
  if (by === 'age') return new Map(ageSteps.map(({ color, text }) => [color, text]))
  if (by === 'cost') return new Map([...prices.map(({ color, text }) => [color, text] as const), ['cell', 'unknown']])
  return colorTexts
}

/** The colors and marks that are in use on the map, and no others. */
export function MapLegend(props: {
  readonly cluster: ClusterModel
  readonly revision: number
  readonly coloring: Coloring
  /** Nodes that are outlined because the question names them. */
  readonly marked?: ReadonlySet<string>
}) {
  const { cluster, coloring, marked } = props
  const outlined = marked !== undefined && marked.size > 0 ? [{ swatch: 'ring-marked', text: 'in the question' }] : []
  const entries = [...colorsIn(cluster, coloring), ...outlined, ...marksIn(cluster, coloring)]
  return (
    <ul class="legend" aria-label="Legend">
      {entries.map(({ swatch, text }) => (
        <li key={`${swatch} ${text}`}>
          <span class={`swatch ${swatch}`} aria-hidden="true" />
          {text}
        </li>
      ))}
    </ul>
  )
}

function colorsIn(cluster: ClusterModel, coloring: Coloring): readonly LegendEntry[] {
  const { by } = coloring
  if (isMeasure(by)) {
    const isUnknown = [...cluster.nodes.values()].some((cell) => measured(cell, by, coloring) === undefined)
    return isUnknown ? [...shares, { swatch: 'cell', text: by === 'devices' ? 'none' : 'unknown' }] : shares
  }
  const used = new Set<string>()
  for (const cell of cluster.nodes.values()) used.add(colorOf(cell, coloring))
  return [...textsOf(coloring)].filter(([swatch]) => used.has(swatch)).map(([swatch, text]) => ({ swatch, text }))
}

function marksIn(cluster: ClusterModel, { by }: Coloring): readonly LegendEntry[] {
  const marks = new Map<string, string>()
  for (const { row, terminating, nominated } of cluster.nodes.values()) {
    if (has(row, flags.cordoned) && by !== 'taints') marks.set('mark-cordoned', 'cordoned')
    const taint = worstTaint(row)
    if (taint !== 'none' && by !== 'taints') marks.set(`corner-${taint.toLowerCase()}`, taint)
    if (row[N.health] === 1 && by !== 'health') marks.set('ring-notready', 'not ready')
    if (row[N.health] === 2 && by !== 'health') marks.set('ring-unknown', 'no heartbeat')
    if (row[N.health] === 3 && by !== 'health') marks.set('ring-new', 'new')
    if (terminating > 0) marks.set('spot-terminating', 'pods terminating')
    if (nominated.size > 0) marks.set('spot-nominated', 'pods nominated')
  }
  return [...marks].map(([swatch, text]) => ({ swatch, text }))
}
