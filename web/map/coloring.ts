// The meaning of the color of a node on the map.
import type { NodeFigureRow } from '../../src/wire/console-tables.ts'
import type { ClusterModel, NodeCell } from '../model/cluster.ts'
import { F, flags, has, N, worstTaint } from '../model/rows.ts'
import { priceText } from '../model/words.ts'
import { type ColorName, healthColor } from './palette.ts'

export type Requested = 'cpu' | 'memory' | 'pods' | 'devices'
export type Used = 'cpu-used' | 'memory-used'
export type Measure = Requested | Used
export type ColorBy = Measure | 'health' | 'taints' | 'age' | 'cost'

export const colorNames: Readonly<Record<ColorBy, string>> = {
  cpu: 'CPU requested',
  memory: 'Memory requested',
  pods: 'Pods',
  devices: 'Devices requested',
  'cpu-used': 'CPU used',
  'memory-used': 'Memory used',
  health: 'Health',
  taints: 'Taints',
  age: 'Age',
  cost: 'Cost',
}

const measures: ReadonlySet<string> = new Set<Measure>([
  ...(['cpu', 'memory', 'pods', 'devices'] as const),
  ...(['cpu-used', 'memory-used'] as const),
])

/** Whether a color shows how much of a node is requested or used. */
export const isMeasure = (by: ColorBy): by is Measure => measures.has(by)

/** A color, its input, and its steps. */
export interface Coloring {
  readonly by: ColorBy
  /** For the age of nodes. */
  readonly nowMs: number
  readonly figures: ReadonlyMap<string, NodeFigureRow>
  /** The steps of prices in use; empty if the color is another. */
  readonly prices: readonly PriceStep[]
}

export function coloringOf(cluster: ClusterModel, by: ColorBy, nowMs = 0): Coloring {
  const figures = cluster.small.rows('figures')
  return { by, nowMs, figures, prices: by === 'cost' ? priceSteps(pricesOf(cluster)) : [] }
}

/** For maps without a choice of colors. */
export const byCpu: Coloring = { by: 'cpu', nowMs: 0, figures: new Map(), prices: [] }

/** The colors with data. */
export function colorsFor(cluster: ClusterModel): readonly ColorBy[] {
  const known = new Set<ColorBy>(['cpu', 'memory', 'pods', 'health', 'taints', 'age'])
  for (const { row } of cluster.nodes.values()) if ((row[N.devices] ?? 0) > 0) known.add('devices')
  for (const row of cluster.small.rows('figures').values()) {
    if (row[F.price] >= 0) known.add('cost')
    if (row[F.cpuMilli] >= 0) known.add('cpu-used').add('memory-used')
  }
  return (Object.keys(colorNames) as ColorBy[]).filter((color) => known.has(color))
}

function pricesOf(cluster: ClusterModel): readonly number[] {
  const all = new Set<number>()
  for (const [name, row] of cluster.small.rows('figures'))
    if (row[F.price] >= 0 && cluster.nodes.has(name)) all.add(row[F.price])
  return [...all].sort((a, b) => a - b)
}

export interface PriceStep {
  /** The highest price of the step. */
  readonly upTo: number
  readonly text: string
  readonly color: ColorName
}

const scale = ['util-0', 'util-1', 'util-2', 'util-3', 'util-4'] as const satisfies readonly ColorName[]

/** Up to five prices have a color each; more are divided into five ranges of the same width. */
export function priceSteps(prices: readonly number[]): readonly PriceStep[] {
  const [least = 0] = prices
  const most = prices.at(-1) ?? 0
  if (prices.length <= scale.length) {
    return prices.map((price, at) => ({
      upTo: price,
      text: at === prices.length - 1 ? `${priceText(price)} per hour` : priceText(price),
      color: scale[prices.length === 1 ? 2 : Math.round((at * (scale.length - 1)) / (prices.length - 1))] as ColorName,
    }))
  }
  const width = (most - least) / scale.length
  return scale.flatMap((color, at) => {
    const isLast = at === scale.length - 1
    const [from, upTo] = [least + at * width, isLast ? most : least + (at + 1) * width]
    const isUsed = prices.some((price) => price <= upTo && (at === 0 || price > from))
    const unit = isLast ? ' per hour' : ''
    return isUsed ? [{ upTo, text: `${priceText(from)}–${priceText(upTo)}${unit}`, color }] : []
  })
}

/** The utilization of a node: 0 to 1, or more if requests exceed its capacity. */
export function fullness(cell: NodeCell, measure: Requested): number {
  const { row } = cell
  switch (measure) {
    case 'cpu':
      return shareOf(cell.cpuMilli, row[N.cpuMilli])
    case 'memory':
      return shareOf(cell.memoryBytes, row[N.memoryBytes])
    case 'pods':
      return shareOf(cell.podCount, row[N.maxPods])
    case 'devices':
      return shareOf(cell.devices, row[N.devices] ?? 0)
  }
}

const shareOf = (used: number, of: number) => (of === 0 ? 0 : used / of)

/** The share that a color shows; undefined if it is unknown, or if the node has none of the resource. */
export function measured(cell: NodeCell, measure: Measure, { figures }: Coloring): number | undefined {
  const { row } = cell
  if (measure === 'devices') return (row[N.devices] ?? 0) === 0 ? undefined : fullness(cell, measure)
  if (measure !== 'cpu-used' && measure !== 'memory-used') return fullness(cell, measure)
  const known = figures.get(row[N.name])
  if (known === undefined || known[F.cpuMilli] < 0) return undefined
  return measure === 'cpu-used'
    ? shareOf(known[F.cpuMilli], row[N.cpuMilli])
    : shareOf(known[F.memoryBytes], row[N.memoryBytes])
}

/** The filled share of the tile of a node. */
export function filledShare(cell: NodeCell, coloring: Coloring): number {
  return isMeasure(coloring.by) ? Math.min(1, measured(cell, coloring.by, coloring) ?? 0) : 1
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

/** A node without data has the color of an empty cell. */
const unknownColor: ColorName = 'cell'

export function colorOf(cell: NodeCell, coloring: Coloring): ColorName {
  const { by, nowMs, figures, prices } = coloring
  if (isMeasure(by)) {
    const share = measured(cell, by, coloring)
    return share === undefined ? unknownColor : utilizationColor(share)
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
    case 'cost': {
      const price = figures.get(cell.row[N.name])?.[F.price] ?? -1
      return price < 0 ? unknownColor : (prices.find(({ upTo }) => price <= upTo)?.color ?? 'util-4')
    }
  }
}

export function utilizationColor(share: number): ColorName {
  if (share < 0.2) return 'util-0'
  if (share < 0.4) return 'util-1'
  if (share < 0.6) return 'util-2'
  return share < 0.85 ? 'util-3' : 'util-4'
}
