import type { PodRow } from '../../src/wire/console-wire.ts'
import type { NodeCell } from '../model/cluster.ts'
import { flags, has, hasPressure, N, P, podState, worstTaint } from '../model/rows.ts'

export type Measure = 'cpu' | 'memory' | 'pods' | 'devices'
export type ColorBy = Measure | 'health' | 'taints' | 'age'

const measures: ReadonlySet<string> = new Set<Measure>(['cpu', 'memory', 'pods', 'devices'])

/** Whether a color shows how much of a node is requested. */
export const isMeasure = (by: ColorBy): by is Measure => measures.has(by)

const names = [
  'surface',
  'text',
  'muted',
  'line',
  'line-strong',
  'accent',
  'bad',
  'warn',
  'util-0',
  'util-1',
  'util-2',
  'util-3',
  'util-4',
  'cell',
  'cell-line',
  'taint-none',
  'taint-prefer',
  'taint-noschedule',
  'taint-noexecute',
  'cordoned',
  'health-ready',
  'health-pressure',
  'health-notready',
  'health-unknown',
  'health-new',
  'pod-running',
  'pod-starting',
  'pod-notready',
  'pod-terminating',
  'pod-nominated',
  'pod-done',
] as const

export type ColorName = (typeof names)[number]
export type Palette = Readonly<Record<ColorName, string>>

/** The colors of the current theme, as canvases need them. */
export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement)
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()])) as Palette
}

/** The utilization of a node: 0 to 1, or more if requests exceed its capacity. */
export function fullness(cell: NodeCell, measure: Measure): number {
  const { row } = cell
  switch (measure) {
    case 'cpu':
      return row[N.cpuMilli] === 0 ? 0 : cell.cpuMilli / row[N.cpuMilli]
    case 'memory':
      return row[N.memoryBytes] === 0 ? 0 : cell.memoryBytes / row[N.memoryBytes]
    case 'pods':
      return row[N.maxPods] === 0 ? 0 : cell.podCount / row[N.maxPods]
    case 'devices':
      return (row[N.devices] ?? 0) === 0 ? 0 : cell.devices / (row[N.devices] as number)
  }
}

const hourMs = 3_600_000

/** Steps of the age of a node, for its color and the legend. */
export const ageSteps = [
  { under: hourMs, text: 'under 1 h', color: 'util-4' },
  { under: 24 * hourMs, text: 'under 1 d', color: 'util-3' },
  { under: 7 * 24 * hourMs, text: 'under 7 d', color: 'util-2' },
  { under: 30 * 24 * hourMs, text: 'under 30 d', color: 'util-1' },
  { under: Number.POSITIVE_INFINITY, text: 'older', color: 'util-0' },
] as const satisfies readonly { readonly under: number; readonly text: string; readonly color: ColorName }[]

function ageColor(ms: number): ColorName {
  return ageSteps.find(({ under }) => ms < under)?.color ?? 'util-0'
}

export function colorOf(cell: NodeCell, by: ColorBy, nowMs: number): ColorName {
  if (isMeasure(by)) {
    if (by === 'devices' && (cell.row[N.devices] ?? 0) === 0) return 'cell'
    return utilizationColor(fullness(cell, by))
  }
  switch (by) {
    case 'age':
      return ageColor(nowMs - cell.row[N.createdMs])
    case 'taints': {
      const worst = worstTaint(cell.row)
      if (worst === 'NoExecute') return 'taint-noexecute'
      if (has(cell.row, flags.cordoned)) return 'cordoned'
      if (worst === 'NoSchedule') return 'taint-noschedule'
      return worst === 'PreferNoSchedule' ? 'taint-prefer' : 'taint-none'
    }
    case 'health':
      return healthColor(cell)
  }
}

export function utilizationColor(share: number): ColorName {
  if (share < 0.2) return 'util-0'
  if (share < 0.4) return 'util-1'
  if (share < 0.6) return 'util-2'
  return share < 0.85 ? 'util-3' : 'util-4'
}

export function healthColor({ row }: NodeCell): ColorName {
  switch (row[N.health]) {
    case 0:
      return hasPressure(row) ? 'health-pressure' : 'health-ready'
    case 1:
      return 'health-notready'
    case 2:
      return 'health-unknown'
    default:
      return 'health-new'
  }
}

export function podColor(pod: PodRow): ColorName {
  switch (pod[P.state]) {
    case podState.running:
      return 'pod-running'
    case podState.notReady:
      return 'pod-notready'
    case podState.terminating:
      return 'pod-terminating'
    case podState.succeeded:
    case podState.failed:
      return 'pod-done'
    default:
      return 'pod-starting'
  }
}
