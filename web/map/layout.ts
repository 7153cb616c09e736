/** How much of a node is drawn: a card with bars and pods, a tile with a gauge and pods, or a dot with a gauge. */
export type Level = 'card' | 'tile' | 'dot'

export interface CellSize {
  readonly level: Level
  readonly width: number
  readonly height: number
  readonly gap: number
}

export interface ZoneNodes {
  readonly zone: string
  /** In the order they are shown. */
  readonly nodes: readonly string[]
}

export interface ZoneBlock extends ZoneNodes {
  readonly top: number
  readonly height: number
  readonly columns: number
}

export interface MapLayout {
  readonly size: CellSize
  readonly width: number
  readonly height: number
  readonly zones: readonly ZoneBlock[]
}

export interface Rect {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface CellPlace {
  readonly zone: number
  readonly index: number
}

export const HEADER = 34
export const PADDING = 16
const ZONE_GAP = 14

const CARD: CellSize = { level: 'card', width: 212, height: 120, gap: 10 }
const TILE: CellSize = { level: 'tile', width: 76, height: 52, gap: 6 }
const DOTS: readonly CellSize[] = [26, 22, 18, 15, 12, 10].map((side) => ({
  level: 'dot',
  width: side,
  height: side,
  gap: side > 14 ? 3 : 2,
}))

/** The largest cells of the wanted level, or of any, with which everything can be seen at once; otherwise one scrolls. */
export function layoutMap(
  zones: readonly ZoneNodes[],
  width: number,
  height: number,
  wanted: Level | 'auto',
): MapLayout {
  const sizes = [CARD, TILE, ...DOTS].filter(({ level }) => wanted === 'auto' || level === wanted)
  let layout: MapLayout | undefined
  for (const size of sizes) {
    layout = layoutWith(zones, width, size)
    if (layout.height <= height) return layout
  }
  return layout as MapLayout
}

function layoutWith(zones: readonly ZoneNodes[], width: number, size: CellSize): MapLayout {
  const room = width - 2 * PADDING + size.gap
  const columns = Math.max(1, Math.floor(room / (size.width + size.gap)))
  let top = PADDING / 2
  const blocks = zones.map((zone): ZoneBlock => {
    const rows = Math.ceil(zone.nodes.length / columns)
    const height = HEADER + rows * (size.height + size.gap) - size.gap
    const block = { ...zone, top, height, columns }
    top += height + ZONE_GAP
    return block
  })
  return { size, width, height: top - ZONE_GAP + PADDING, zones: blocks }
}

export function rectOf({ size, zones }: MapLayout, { zone, index }: CellPlace): Rect {
  const block = zones[zone] as ZoneBlock
  return {
    x: PADDING + (index % block.columns) * (size.width + size.gap),
    y: block.top + HEADER + Math.floor(index / block.columns) * (size.height + size.gap),
    width: size.width,
    height: size.height,
  }
}

/** The cell under a point of the whole map. */
export function placeAt(layout: MapLayout, x: number, y: number): CellPlace | undefined {
  const { size, zones } = layout
  const zone = zones.findIndex(({ top, height }) => y >= top && y < top + height)
  const block = zones[zone]
  if (block === undefined) return undefined
  const column = Math.floor((x - PADDING) / (size.width + size.gap))
  const row = Math.floor((y - block.top - HEADER) / (size.height + size.gap))
  if (column < 0 || column >= block.columns || row < 0) return undefined
  const place = { zone, index: row * block.columns + column }
  if (place.index >= block.nodes.length) return undefined
  const rect = rectOf(layout, place)
  return x < rect.x + rect.width && y < rect.y + rect.height ? place : undefined
}

export function placeOf({ zones }: MapLayout, node: string): CellPlace | undefined {
  for (const [zone, { nodes }] of zones.entries()) {
    const index = nodes.indexOf(node)
    if (index >= 0) return { zone, index }
  }
  return undefined
}

export function nodeAt({ zones }: MapLayout, { zone, index }: CellPlace): string | undefined {
  return zones[zone]?.nodes[index]
}

/** Every cell that touches the stretch from `top` to `bottom`. */
export function* placesBetween(layout: MapLayout, top: number, bottom: number): Generator<CellPlace> {
  const step = layout.size.height + layout.size.gap
  for (const [zone, block] of layout.zones.entries()) {
    if (block.top > bottom || block.top + block.height < top) continue
    const start = block.top + HEADER
    const first = Math.max(0, Math.floor((top - start) / step)) * block.columns
    const last = Math.min(block.nodes.length, (Math.floor((bottom - start) / step) + 1) * block.columns)
    for (let index = first; index < last; index++) yield { zone, index }
  }
}

export type Direction = 'left' | 'right' | 'up' | 'down'

/** Where an arrow key leads: along the row, to the row above or below, and on into the next zone. */
export function neighbour({ zones }: MapLayout, from: CellPlace, direction: Direction): CellPlace {
  const block = zones[from.zone] as ZoneBlock
  const { columns, nodes } = block
  if (direction === 'left' || direction === 'right') {
    const index = from.index + (direction === 'left' ? -1 : 1)
    if (index >= 0 && index < nodes.length) return { zone: from.zone, index }
    const zone = zones[from.zone + (direction === 'left' ? -1 : 1)]
    if (zone === undefined) return from
    return direction === 'left'
      ? { zone: from.zone - 1, index: zone.nodes.length - 1 }
      : { zone: from.zone + 1, index: 0 }
  }
  const index = from.index + (direction === 'up' ? -columns : columns)
  if (index >= 0 && index < nodes.length) return { zone: from.zone, index }
  const column = from.index % columns
  if (direction === 'up') {
    const above = zones[from.zone - 1]
    if (above === undefined) return from
    const rows = Math.ceil(above.nodes.length / above.columns)
    return { zone: from.zone - 1, index: Math.min(above.nodes.length - 1, (rows - 1) * above.columns + column) }
  }
  const lastRow = Math.floor((nodes.length - 1) / columns)
  if (Math.floor(from.index / columns) < lastRow) return { zone: from.zone, index: nodes.length - 1 }
  const below = zones[from.zone + 1]
  return below === undefined ? from : { zone: from.zone + 1, index: Math.min(below.nodes.length - 1, column) }
}

const byName = new Intl.Collator('en', { numeric: true }).compare

/** Nodes by zone, both in the order people count in; nodes without a zone come last. */
export function groupByZone(nodes: Iterable<{ readonly name: string; readonly zone: string }>): readonly ZoneNodes[] {
  const zones = new Map<string, string[]>()
  for (const { name, zone } of nodes) {
    const list = zones.get(zone)
    if (list === undefined) zones.set(zone, [name])
    else list.push(name)
  }
  return [...zones]
    .sort(([a], [b]) => (a === '' ? 1 : b === '' ? -1 : byName(a, b)))
    .map(([zone, names]) => ({ zone, nodes: names.sort(byName) }))
}
