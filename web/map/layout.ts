// The layout of the map. Groups are in strips, in order, with the largest cells that fit.

export type DetailLevel = 'sheet' | 'card' | 'tile' | 'dot'

export interface CellSize {
  readonly level: DetailLevel
  readonly width: number
  readonly height: number
  readonly gap: number
}

/** Whether cells of this size show the pods of their nodes. */
export const showsPods = ({ level, height }: CellSize) => (level === 'tile' ? height > 50 : level !== 'dot')

/** Whether cells of this size have the name, the health and the taints of their node in words. */
export const isWorded = ({ level }: CellSize) => level === 'sheet' || level === 'card'

export interface NodeGroup {
  /** The group of the first level, if there are two levels; otherwise empty. */
  readonly parent: string
  readonly title: string
  /** In display order. */
  readonly nodes: readonly string[]
}

export interface GroupBlock extends NodeGroup, Rect {
  readonly columns: number
}

/** The frame of a group of the first level. */
export interface GroupFrame extends Rect {
  readonly title: string
}

export interface MapLayout {
  readonly size: CellSize
  readonly width: number
  readonly height: number
  readonly groups: readonly GroupBlock[]
  readonly frames: readonly GroupFrame[]
  /** The place of each node. */
  readonly places: ReadonlyMap<string, CellPlace>
}

export interface Rect {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface CellPlace {
  readonly group: number
  readonly index: number
}

export const header = 26
export const frameHeader = 24
export const padding = 12
const groupGap = 14

interface LevelRange {
  readonly level: DetailLevel
  /** Width over height. */
  readonly aspect: number
  readonly min: number
  readonly max: number
  readonly gap: number
}

const levels: readonly LevelRange[] = [
  { level: 'sheet', aspect: 340 / 172, min: 320, max: 640, gap: 12 },
  { level: 'card', aspect: 212 / 120, min: 196, max: 320, gap: 10 },
  { level: 'tile', aspect: 1.2, min: 30, max: 180, gap: 3 },
  { level: 'dot', aspect: 1, min: 7, max: 40, gap: 2 },
]

/** Cells as large as fit; if not even the smallest fit, the map scrolls. */
export function layoutMap(groups: readonly NodeGroup[], width: number, height: number): MapLayout {
  const area: Rect = { x: padding, y: padding / 2, width: width - 2 * padding, height: height - padding }
  if (groups.length === 0 || area.width <= 0) return finished([], [], sizeOf(levels[1] as LevelRange, 212), width, 0)
  for (const range of levels) {
    const found = area.height <= 0 ? undefined : filling(groups, area, range, { titleWidth: leastTitle })
    if (found === undefined) continue
    // Complete titles, and then groups side by side, may make cells a little smaller, but not reduce the level of detail.
    const worth = found.size.width * 0.9
    const titled = filling(groups, area, range, { titleWidth: wholeTitle })
    const isTitled = titled !== undefined && titled.size.width >= worth
    const style = { titleWidth: isTitled ? wholeTitle : leastTitle, isOneStrip: true }
    const beside = filling(groups, area, range, style)
    const best = beside !== undefined && beside.size.width >= worth ? beside : isTitled ? titled : found
    return finished(best.blocks, best.frames, best.size, width, height)
  }
  return scrolling(groups, width)
}

interface Packed {
  readonly blocks: readonly (NodeGroup & Rect)[]
  readonly frames: readonly GroupFrame[]
}

/** The groups of one parent are side by side in its frame. */
type Family = readonly [parent: string, groups: readonly NodeGroup[]]

/** The largest cells of this level with which all groups fit; undefined if they would be too small. */
function filling(
  groups: readonly NodeGroup[],
  area: Rect,
  range: LevelRange,
  style: Style,
): (Packed & { size: CellSize }) | undefined {
  const families = familiesOf(groups)
  let low = range.min
  let high = range.max
  let best: (Packed & { size: CellSize }) | undefined
  while (low <= high) {
    const width = Math.floor((low + high) / 2)
    const size = sizeOf(range, width)
    const packed = packedBest(families, area, size, style)
    if (packed === undefined) high = width - 1
    else {
      best = { ...packed, size }
      low = width + 1
    }
  }
  return best
}

function familiesOf(groups: readonly NodeGroup[]): readonly Family[] {
  const parents = [...new Set(groups.map(({ parent }) => parent))]
  if (parents.length === 1 && parents[0] === '') return groups.map((group) => ['', [group]])
  return parents.map((parent) => [parent, groups.filter((group) => group.parent === parent)])
}

/** The first number of rows of cells per strip with which everything fits. */
function packedBest(families: readonly Family[], area: Rect, size: CellSize, style: Style): Packed | undefined {
  const pitch = size.height + size.gap
  for (let rows = Math.floor((area.height - header) / pitch); rows >= 1; rows--) {
    const packed = packedIn(families, area, { ...style, size, rows })
    if (packed !== undefined) return packed
  }
  return undefined
}

/** The width of a group that its title needs. */
type TitleWidth = (title: string) => number
/** A shortened title. */
const leastTitle: TitleWidth = () => 64
/** The whole title, if it is not very long. */
const wholeTitle: TitleWidth = (title) => Math.min(128, Math.max(leastTitle(title), 8 * title.length))

interface Style {
  readonly titleWidth: TitleWidth
  /** Whether all groups must stand beside each other. */
  readonly isOneStrip?: boolean
}

interface Strips extends Style {
  readonly size: CellSize
  /** Rows of cells in each strip. */
  readonly rows: number
}

/** Strips below each other, each with groups from left to right. */
function packedIn(
  families: readonly Family[],
  area: Rect,
  { size, rows, titleWidth, isOneStrip }: Strips,
): Packed | undefined {
  const isNested = families.some(([parent]) => parent !== '')
  const inner = isNested ? { left: 8, top: frameHeader, bottom: 6 } : { left: 0, top: 0, bottom: 0 }
  const tall = header + rows * (size.height + size.gap) - size.gap + inner.top + inner.bottom
  const blocks: (NodeGroup & Rect)[] = []
  const frames: GroupFrame[] = []
  let x = area.x
  let y = area.y
  for (const [parent, groups] of families) {
    const widths = groups.map(({ nodes, title }) => {
      const columns = Math.ceil(nodes.length / rows)
      return Math.max(Math.min(titleWidth(title), area.width), columns * (size.width + size.gap) - size.gap)
    })
    const wide = widths.reduce((sum, width) => sum + width + groupGap, -groupGap) + 2 * inner.left
    if (wide > area.width) return undefined
    if (x + wide > area.x + area.width) {
      if (isOneStrip === true) return undefined
      x = area.x
      y += tall + groupGap
    }
    if (y + tall > area.y + area.height) return undefined
    if (isNested) frames.push({ title: parent, x, y, width: wide, height: tall })
    let left = x + inner.left
    for (const [at, group] of groups.entries()) {
      const width = widths[at] as number
      blocks.push({ ...group, x: left, y: y + inner.top, width, height: tall - inner.top - inner.bottom })
      left += width + groupGap
    }
    x += wide + groupGap
  }
  return { blocks, frames }
}

function sizeOf({ level, aspect, gap }: LevelRange, width: number): CellSize {
  return { level, width, height: Math.max(1, Math.floor(width / aspect)), gap: width < 12 ? 1 : gap }
}

function finished(
  blocks: readonly (NodeGroup & Rect)[],
  frames: readonly GroupFrame[],
  size: CellSize,
  width: number,
  height: number,
): MapLayout {
  const groups = blocks.map((block) => ({
    ...block,
    columns: Math.max(1, Math.floor((block.width + size.gap + 0.01) / (size.width + size.gap))),
  }))
  const places = new Map<string, CellPlace>()
  for (const [group, { nodes }] of groups.entries())
    for (const [index, node] of nodes.entries()) places.set(node, { group, index })
  return { size, width, height, groups, frames, places }
}

const smallest: CellSize = { level: 'dot', width: 11, height: 11, gap: 1 }

/** Small cells in strips below each other, as low as possible: a narrow screen, or more nodes than pixels. */
function scrolling(groups: readonly NodeGroup[], width: number): MapLayout {
  const area: Rect = { x: padding, y: padding / 2, width: width - 2 * padding, height: Number.POSITIVE_INFINITY }
  const families = groups.map(({ parent, title, nodes }): Family => {
    const whole = parent === '' ? title : `${parent} · ${title}`
    return ['', [{ parent: '', title: whole, nodes }]]
  })
  const most = groups.reduce((high, { nodes }) => Math.max(high, nodes.length), 1)
  let best: readonly (NodeGroup & Rect)[] = []
  let least = Number.POSITIVE_INFINITY
  for (let rows = 1; ; rows = Math.min(most, Math.ceil(rows * 1.2))) {
    const blocks = packedIn(families, area, { size: smallest, rows, titleWidth: wholeTitle })?.blocks
    const end = blocks?.at(-1)
    if (blocks !== undefined && end !== undefined && end.y + end.height < least) {
      best = blocks
      least = end.y + end.height
    }
    if (rows === most) break
  }
  return finished(best, [], smallest, width, best.length === 0 ? 0 : least + padding / 2)
}

export function rectOf({ size, groups }: MapLayout, { group, index }: CellPlace): Rect {
  const block = groups[group] as GroupBlock
  return {
    x: block.x + (index % block.columns) * (size.width + size.gap),
    y: block.y + header + Math.floor(index / block.columns) * (size.height + size.gap),
    width: size.width,
    height: size.height,
  }
}

/** The cell under a point of the whole map. */
export function placeAt(layout: MapLayout, x: number, y: number): CellPlace | undefined {
  const { size, groups } = layout
  const group = groups.findIndex((block) => contains(block, x, y))
  const block = groups[group]
  if (block === undefined) return undefined
  const column = Math.floor((x - block.x) / (size.width + size.gap))
  const row = Math.floor((y - block.y - header) / (size.height + size.gap))
  if (column < 0 || column >= block.columns || row < 0) return undefined
  const place = { group, index: row * block.columns + column }
  if (place.index >= block.nodes.length) return undefined
  return contains(rectOf(layout, place), x, y) ? place : undefined
}

/** The index of the group whose title is under a point. */
export function titleAt({ groups }: MapLayout, x: number, y: number): number | undefined {
  const at = groups.findIndex((block) => contains({ ...block, height: header }, x, y))
  return at < 0 ? undefined : at
}

const contains = (rect: Rect, x: number, y: number) =>
  x >= rect.x && x < rect.x + rect.width && y >= rect.y && y < rect.y + rect.height

/** The nodes whose cells overlap a rectangle. */
export function nodesIn(layout: MapLayout, { x, y, width, height }: Rect): readonly string[] {
  const found: string[] = []
  for (const place of placesBetween(layout, y, y + height)) {
    const rect = rectOf(layout, place)
    const overlaps = rect.x < x + width && rect.x + rect.width > x && rect.y < y + height && rect.y + rect.height > y
    const node = overlaps ? nodeAt(layout, place) : undefined
    if (node !== undefined) found.push(node)
  }
  return found
}

export function placeOf({ places }: MapLayout, node: string): CellPlace | undefined {
  return places.get(node)
}

export function nodeAt({ groups }: MapLayout, { group, index }: CellPlace): string | undefined {
  return groups[group]?.nodes[index]
}

/** Every cell that overlaps the range from `top` to `bottom`. */
export function* placesBetween(layout: MapLayout, top: number, bottom: number): Generator<CellPlace> {
  const step = layout.size.height + layout.size.gap
  for (const [group, block] of layout.groups.entries()) {
    if (block.y > bottom || block.y + block.height < top) continue
    const start = block.y + header
    const first = Math.max(0, Math.floor((top - start) / step)) * block.columns
    const last = Math.min(block.nodes.length, (Math.floor((bottom - start) / step) + 1) * block.columns)
    for (let index = first; index < last; index++) yield { group, index }
  }
}

export type ArrowDirection = 'left' | 'right' | 'up' | 'down'

/** The target of an arrow key: the nearest cell in that direction; cells in a straight line are preferred. */
export function neighbor(layout: MapLayout, from: CellPlace, direction: ArrowDirection): CellPlace {
  const here = centerOf(rectOf(layout, from))
  const isAcross = direction === 'left' || direction === 'right'
  const sign = direction === 'left' || direction === 'up' ? -1 : 1
  let best = from
  let least = Number.POSITIVE_INFINITY
  for (const [group, { nodes }] of layout.groups.entries()) {
    for (let index = 0; index < nodes.length; index++) {
      const there = centerOf(rectOf(layout, { group, index }))
      const ahead = sign * (isAcross ? there.x - here.x : there.y - here.y)
      const aside = Math.abs(isAcross ? there.y - here.y : there.x - here.x)
      if (ahead < 1) continue
      const far = ahead + 4 * aside
      if (far >= least) continue
      least = far
      best = { group, index }
    }
  }
  return best
}

const centerOf = ({ x, y, width, height }: Rect) => ({ x: x + width / 2, y: y + height / 2 })
