import type { ClusterModel } from '../model/cluster.ts'
import { flags, has, N, podState, worstTaint } from '../model/rows.ts'
import { ageSteps, type Coloring, colorOf, isMeasure, measured } from './coloring.ts'
import { type CellSize, isWorded, showsPods } from './layout.ts'
import { healthColor } from './palette.ts'

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

/** The meaning of the colors, in order. */
function textsOf({ by, prices }: Coloring): ReadonlyMap<string, string> {
  if (by === 'age') return new Map(ageSteps.map(({ color, text }) => [color, text]))
  if (by === 'cost') return new Map([...prices.map(({ color, text }) => [color, text] as const), ['cell', 'unknown']])
  return colorTexts
}

/** Only the colors and marks that the map uses. */
export function MapLegend(props: {
  readonly cluster: ClusterModel
  /** Of the cells; undefined: not known yet. */
  readonly size: CellSize | undefined
  readonly revision: number
  readonly coloring: Coloring
  /** Nodes that are outlined because the question names them. */
  readonly marked?: ReadonlySet<string>
}) {
  const { cluster, coloring, marked } = props
  const outlined = marked !== undefined && marked.size > 0 ? [{ swatch: 'ring-marked', text: 'in the question' }] : []
  const marks = props.size === undefined ? [] : marksIn(cluster, coloring, props.size)
  const entries = [...colorsIn(cluster, coloring), ...outlined, ...marks]
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

const healthTexts = (
  ['health-ready', 'health-pressure', 'health-notready', 'health-unknown', 'health-new'] as const
).map((color) => ({ color, text: colorTexts.get(color) as string }))

const podTexts = [
  { state: podState.running, swatch: 'pod-running', text: 'pod running' },
  { state: podState.starting, swatch: 'pod-starting', text: 'pod starting' },
  { state: podState.notReady, swatch: 'pod-notready', text: 'pod not ready' },
  { state: podState.terminating, swatch: 'pod-terminating', text: 'pod terminating' },
] as const

const order = ['health', 'ring', 'corner-noexecute', 'corner-noschedule', 'corner', 'mark', 'spot', 'pod']

const orderOf = ({ swatch }: LegendEntry) => order.findIndex((start) => swatch.startsWith(start))

/** The marks, in the same order on every map. */
export function marksIn(cluster: ClusterModel, { by }: Coloring, size: CellSize): readonly LegendEntry[] {
  const marks = new Map<string, string>()
  const healths = new Set<string>()
  const pods = new Map<string, string>()
  const hasPods = showsPods(size)
  for (const cell of cluster.nodes.values()) {
    const { row, terminating, nominated } = cell
    if (has(row, flags.cordoned) && by !== 'taints') marks.set('mark-cordoned', 'cordoned')
    if (nominated.size > 0)
      pods.set(hasPods ? 'pod-nominated' : 'spot-nominated', hasPods ? 'pod nominated' : 'pods nominated')
    if (isWorded(size)) {
      healths.add(healthColor(cell))
      continue
    }
    const taint = worstTaint(row)
    if (taint !== 'none' && by !== 'taints') marks.set(`corner-${taint.toLowerCase()}`, taint)
    if (row[N.health] === 1 && by !== 'health') marks.set('ring-notready', 'not ready')
    if (row[N.health] === 2 && by !== 'health') marks.set('ring-unknown', 'no heartbeat')
    if (row[N.health] === 3 && by !== 'health') marks.set('ring-new', 'new')
    if (terminating > 0 && !hasPods) marks.set('spot-terminating', 'pods terminating')
  }
  if (by !== 'health')
    for (const { color, text } of healthTexts) if (healths.has(color)) marks.set(`${color} round`, text)
  if (hasPods)
    for (const { state, swatch, text } of podTexts) if ((cluster.podsByState[state] ?? 0) > 0) marks.set(swatch, text)
  return [...marks, ...pods].map(([swatch, text]) => ({ swatch, text })).sort((a, b) => orderOf(a) - orderOf(b))
}
