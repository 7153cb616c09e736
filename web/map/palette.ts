import type { PodRow } from '../../src/wire/console-wire.ts'
import type { NodeCell } from '../model/cluster.ts'
import { hasPressure, N, P, podState } from '../model/rows.ts'

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
