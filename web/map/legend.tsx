import type { ColorBy, Measure } from './palette.ts'

interface LegendEntry {
  readonly swatch: string
  readonly text: string
}

const nodeEntries: Readonly<Record<ColorBy, readonly LegendEntry[]>> = {
  utilization: [
    { swatch: 'util-0', text: 'below 20 %' },
    { swatch: 'util-1', text: '20 to 40 %' },
    { swatch: 'util-2', text: '40 to 60 %' },
    { swatch: 'util-3', text: '60 to 85 %' },
    { swatch: 'util-4', text: 'above' },
  ],
  taints: [
    { swatch: 'taint-none', text: 'no taint' },
    { swatch: 'taint-prefer', text: 'PreferNoSchedule' },
    { swatch: 'taint-noschedule', text: 'NoSchedule' },
    { swatch: 'taint-noexecute', text: 'NoExecute' },
  ],
  health: [
    { swatch: 'health-ready', text: 'ready' },
    { swatch: 'health-pressure', text: 'under pressure' },
    { swatch: 'health-notready', text: 'not ready' },
    { swatch: 'health-unknown', text: 'unknown' },
    { swatch: 'health-new', text: 'new' },
  ],
}

const podEntries: readonly LegendEntry[] = [
  { swatch: 'pod-running', text: 'running' },
  { swatch: 'pod-starting', text: 'starting' },
  { swatch: 'pod-notready', text: 'not ready' },
  { swatch: 'pod-terminating', text: 'terminating' },
  { swatch: 'pod-nominated', text: 'nominated' },
]

const measures: Readonly<Record<Measure, string>> = { cpu: 'CPU', memory: 'Memory', pods: 'Pods' }

export function MapLegend({ colorBy, measure }: { readonly colorBy: ColorBy; readonly measure: Measure }) {
  const title = colorBy === 'utilization' ? `Nodes, ${measures[measure]} requested` : 'Nodes'
  return (
    <ul class="legend" aria-label="Legend">
      <li>{title}</li>
      {[...nodeEntries[colorBy], { swatch: 'cordoned', text: 'cordoned' }].map(entryItem)}
      <li>·</li>
      <li>Pods</li>
      {podEntries.map(entryItem)}
    </ul>
  )
}

function entryItem({ swatch, text }: LegendEntry) {
  return (
    <li key={swatch}>
      <span class={`swatch ${swatch}`} aria-hidden="true" />
      {text}
    </li>
  )
}
