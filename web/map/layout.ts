/**
 * How much of a node is drawn: a sheet with bars and its pods by name, a card with bars and pods, a tile with a gauge and
 * pods, or a dot with a gauge.
 */
export type DetailLevel = 'sheet' | 'card' | 'tile' | 'dot'

export interface CellSize {
  readonly level: DetailLevel
  readonly width: number
  readonly height: number
  readonly gap: number
}

export interface ZoneNodes {
  readonly zone: string
  /** In display order. */
  readonly nodes: readonly string[]
}

export interface ZoneBlock extends ZoneNodes {
  readonly left: number
  readonly top: number
  readonly width: number
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

export const header = 34
export const padding = 16
const zoneGap = 16
const mostBeside = 4

const sheet: CellSize = { level: 'sheet', width: 340, height: 172, gap: 12 }
const card: CellSize = { level: 'card', width: 212, height: 120, gap: 10 }
const tile: CellSize = { level: 'tile', width: 76, height: 52, gap: 6 }
const dots: readonly CellSize[] = [26, 22, 18, 15, 12, 10].map((side) => ({
  level: 'dot',
  width: side,
  height: side,
  gap: side > 14 ? 3 : 2,
}))

/**
 * The largest cells of the requested or any level of detail with which everything is visible; otherwise the map
 * scrolls.
 */
export function layoutMap(
  zones: readonly ZoneNodes[],
  width: number,
  height: number,
  wanted: DetailLevel | 'auto',
): MapLayout {
  const sizes = [sheet, card, tile, ...dots].filter(({ level }) => wanted === 'auto' || level === wanted)
  let layout = emptyLayout(width)
  for (const size of sizes) {
    layout = layoutWith(zones, width, size)
    if (layout.height <= height) return layout
  }
  return layout
}

function emptyLayout(width: number): MapLayout {
  return { size: card, width, height: 0, zones: [] }
}

/** Zones below each other, or several next to each other if that needs less height. */
function layoutWith(zones: readonly ZoneNodes[], width: number, size: CellSize): MapLayout {
  let best: MapLayout | undefined
  for (let beside = 1; beside <= Math.min(zones.length, mostBeside); beside++) {
    const share = (width - 2 * padding - (beside - 1) * zoneGap) / beside
    if (beside > 1 && share < size.width) break
    const layout = layoutInColumns(zones, width, size, beside, share)
    if (best === undefined || layout.height < best.height) best = layout
  }
  return best ?? emptyLayout(width)
}

function layoutInColumns(
  zones: readonly ZoneNodes[],
  width: number,
  given: CellSize,
  beside: number,
  share: number,
): MapLayout {
  const columns = Math.max(1, Math.floor((share + given.gap) / (given.width + given.gap)))
  const size = { ...given, width: stretched(given, share, columns) }
  const blocks: ZoneBlock[] = []
  let top = padding / 2
  for (let from = 0; from < zones.length; from += beside) {
    const row = zones.slice(from, from + beside).map((zone, at): ZoneBlock => {
      const rows = Math.ceil(zone.nodes.length / columns)
      const height = header + rows * (size.height + size.gap) - size.gap
      return { ...zone, left: padding + at * (share + zoneGap), top, width: share, height, columns }
    })
    blocks.push(...row)
    top += Math.max(...row.map(({ height }) => height)) + zoneGap
  }
  return { size, width, height: top - zoneGap + padding, zones: blocks }
}

/** The rest of a row makes its cells wider, but dots stay square. */
function stretched({ level, width, gap }: CellSize, share: number, columns: number): number {
  if (level === 'dot') return width
  return Math.max(width, Math.min(Math.floor(width * 1.3), Math.floor((share + gap) / columns) - gap))
}

export function rectOf({ size, zones }: MapLayout, { zone, index }: CellPlace): Rect {
  const block = zones[zone] as ZoneBlock
  return {
    x: block.left + (index % block.columns) * (size.width + size.gap),
    y: block.top + header + Math.floor(index / block.columns) * (size.height + size.gap),
    width: size.width,
    height: size.height,
  }
}

/** The cell under a point of the whole map. */
export function placeAt(layout: MapLayout, x: number, y: number): CellPlace | undefined {
  const { size, zones } = layout
  const zone = zones.findIndex(
    ({ left, top, width, height }) => y >= top && y < top + height && x >= left && x < left + width,
  )
  const block = zones[zone]
  if (block === undefined) return undefined
  const column = Math.floor((x - block.left) / (size.width + size.gap))
  const row = Math.floor((y - block.top - header) / (size.height + size.gap))
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

/** Every cell that overlaps the range from `top` to `bottom`. */
export function* placesBetween(layout: MapLayout, top: number, bottom: number): Generator<CellPlace> {
  const step = layout.size.height + layout.size.gap
  for (const [zone, block] of layout.zones.entries()) {
    if (block.top > bottom || block.top + block.height < top) continue
    const start = block.top + header
    const first = Math.max(0, Math.floor((top - start) / step)) * block.columns
    const last = Math.min(block.nodes.length, (Math.floor((bottom - start) / step) + 1) * block.columns)
    for (let index = first; index < last; index++) yield { zone, index }
  }
}

export type ArrowDirection = 'left' | 'right' | 'up' | 'down'

/** The target of an arrow key: the nearest cell in that direction; cells in a straight line are preferred. */
export function neighbor(layout: MapLayout, from: CellPlace, direction: ArrowDirection): CellPlace {
  const here = centreOf(rectOf(layout, from))
  const isAcross = direction === 'left' || direction === 'right'
  const sign = direction === 'left' || direction === 'up' ? -1 : 1
  let best = from
  let least = Number.POSITIVE_INFINITY
  for (const [zone, { nodes }] of layout.zones.entries()) {
    for (let index = 0; index < nodes.length; index++) {
      const there = centreOf(rectOf(layout, { zone, index }))
      const ahead = sign * (isAcross ? there.x - here.x : there.y - here.y)
      const aside = Math.abs(isAcross ? there.y - here.y : there.x - here.x)
      if (ahead < 1) continue
      const far = ahead + 4 * aside
      if (far >= least) continue
      least = far
      best = { zone, index }
    }
  }
  return best
}

const centreOf = ({ x, y, width, height }: Rect) => ({ x: x + width / 2, y: y + height / 2 })

const byName = new Intl.Collator('en', { numeric: true }).compare

/** Nodes by zone, both in natural order; nodes without a zone come last. */
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
