import type { ClusterModel } from '../model/cluster.ts'
import { flags, has, N, worstTaint } from '../model/rows.ts'
import { ageSteps, type ColorBy, colorOf, isMeasure } from './palette.ts'

interface LegendEntry {
  readonly swatch: string
  readonly text: string
}

export const colorNames: Readonly<Record<ColorBy, string>> = {
  cpu: 'CPU requested',
  memory: 'Memory requested',
  pods: 'Pods',
  devices: 'Devices requested',
  health: 'Health',
  taints: 'Taints',
  age: 'Age',
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
  ...ageSteps.map(({ color, text }) => [color, text] as const),
])

/** The colors and marks that are in use on the map, and no others. */
export function MapLegend(props: {
  readonly cluster: ClusterModel
  readonly revision: number
  readonly colorBy: ColorBy
  readonly nowMs?: number
}) {
  const { cluster, colorBy, nowMs = 0 } = props
  const entries = [...(isMeasure(colorBy) ? shares : colorsIn(cluster, colorBy, nowMs)), ...marksIn(cluster, colorBy)]
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

function colorsIn(cluster: ClusterModel, by: ColorBy, nowMs: number): readonly LegendEntry[] {
  const used = new Set<string>()
  for (const cell of cluster.nodes.values()) used.add(colorOf(cell, by, nowMs))
  return [...colorTexts].filter(([swatch]) => used.has(swatch)).map(([swatch, text]) => ({ swatch, text }))
}

function marksIn(cluster: ClusterModel, by: ColorBy): readonly LegendEntry[] {
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
