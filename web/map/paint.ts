import type { PodRow } from '../../src/wire/console-wire.ts'
import type { ClusterModel, NodeCell } from '../model/cluster.ts'
import type { Filter } from '../model/filter.ts'
import { flags, has, healthNames, isQuiet, N, nameOf, P, podState, shortTaint, worstTaint } from '../model/rows.ts'
import { cpuText, memoryText } from '../model/words.ts'
import { type Coloring, colorOf, filledShare } from './coloring.ts'
import { groupNotes } from './group-notes.ts'
import {
  frameHeader,
  type GroupBlock,
  type GroupFrame,
  header,
  type MapLayout,
  nodeAt,
  placeOf,
  placesBetween,
  type Rect,
  rectOf,
  showsPods,
} from './layout.ts'
import { type ColorName, healthColor, type Palette, podColor } from './palette.ts'
import { box, fitTail, fitText, grown, hatch, outline, textWidth } from './strokes.ts'

export interface Scene {
  readonly cluster: ClusterModel
  readonly layout: MapLayout
  readonly palette: Palette
  readonly coloring: Coloring
  /** The part of each name that differs. */
  readonly shortNames: ReadonlyMap<string, string>
  readonly filter: Filter
  /** Nodes that pass the filter; undefined: all. */
  readonly passing: ReadonlySet<string> | undefined
  /** Highlighted nodes. */
  readonly marked: ReadonlySet<string> | undefined
  readonly top: number
  readonly viewHeight: number
}

const font = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif"
const faint = 0.16

/** Draws the visible part of the map. */
export function paintMap(context: CanvasRenderingContext2D, scene: Scene): void {
  const { layout, top, viewHeight, palette } = scene
  context.clearRect(0, 0, layout.width, viewHeight)
  context.save()
  context.translate(0, -top)
  context.textBaseline = 'middle'
  for (const frame of layout.frames) paintFrame(context, scene, frame)
  for (const group of layout.groups) {
    if (group.y < top + viewHeight && group.y + header > top) paintGroup(context, scene, group)
  }
  for (const place of placesBetween(layout, top, top + viewHeight)) {
    const name = nodeAt(layout, place)
    const cell = name === undefined ? undefined : scene.cluster.nodes.get(name)
    if (name === undefined || cell === undefined) continue
    const rect = rectOf(layout, place)
    context.globalAlpha = scene.passing === undefined || scene.passing.has(name) ? 1 : faint
    paintCell(context, scene, cell, rect)
    context.globalAlpha = 1
    if (scene.marked?.has(name) === true)
      outline(
        context,
        grown(rect, rect.width > 100 ? 1.5 : 0.5),
        palette.bad,
        rect.width > 100 ? 2 : 1,
        rect.width > 100 ? 8 : 3,
      )
  }
  context.restore()
}

/** Draws the focus and hover marks on a separate canvas, so that thousands of cells need not be redrawn. */
export interface Highlights {
  readonly layout: MapLayout
  readonly palette: Palette
  readonly hovered: string | undefined
  readonly chosen: ReadonlySet<string>
  /** The rectangle that is being dragged. */
  readonly dragged: Rect | undefined
  readonly focused: string | undefined
  readonly top: number
  readonly viewHeight: number
}

export function paintHighlights(context: CanvasRenderingContext2D, highlights: Highlights): void {
  const { layout, palette, top, viewHeight, hovered, focused, chosen, dragged } = highlights
  context.clearRect(0, 0, layout.width, viewHeight)
  context.save()
  context.translate(0, -top)
  for (const name of chosen) {
    const place = placeOf(layout, name)
    if (place === undefined) continue
    const rect = rectOf(layout, place)
    outline(context, grown(rect, 1), palette.accent, 2, rect.width > 100 ? 8 : 3)
  }
  if (dragged !== undefined) {
    context.globalAlpha = 0.14
    context.fillStyle = palette.accent
    context.fillRect(dragged.x, dragged.y, dragged.width, dragged.height)
    context.globalAlpha = 1
    outline(context, dragged, palette.accent, 1, 2)
  }
  for (const [name, line] of [
    [hovered, 1.5],
    [focused, 2],
  ] as const) {
    const place = name === undefined ? undefined : placeOf(layout, name)
    if (place === undefined) continue
    const rect = rectOf(layout, place)
    outline(context, grown(rect, 1.5), palette.accent, line, rect.width > 100 ? 8 : 4)
  }
  context.restore()
}

function paintFrame(context: CanvasRenderingContext2D, { palette }: Scene, frame: GroupFrame): void {
  outline(context, { ...frame, y: frame.y + 0.5 }, palette.line, 1, 6)
  context.fillStyle = palette.text
  context.font = `650 12px ${font}`
  fitText(context, frame.title, frame.x + 8, frame.y + frameHeader / 2 + 1, frame.width - 16)
}

function paintGroup(context: CanvasRenderingContext2D, scene: Scene, group: GroupBlock): void {
  const { palette } = scene
  const y = group.y + header / 2 - 1
  context.fillStyle = palette.text
  context.font = `600 12px ${font}`
  const wide = Math.min(group.width, context.measureText(group.title).width)
  fitText(context, group.title, group.x, y, group.width)
  let x = group.x + wide + 10
  context.font = `11px ${font}`
  // The most important notes come first: a narrow group omits the last ones.
  for (const { text, isBad } of groupNotes(scene.cluster, group.nodes, scene.coloring)) {
    const { width } = context.measureText(text)
    if (x + width > group.x + group.width) break
    context.fillStyle = isBad ? palette.bad : palette.muted
    context.fillText(text, x, y)
    x += width + 10
  }
}

function paintCell(context: CanvasRenderingContext2D, scene: Scene, cell: NodeCell, rect: Rect): void {
  switch (scene.layout.size.level) {
    case 'sheet':
    case 'card':
      paintCard(context, scene, cell, rect)
      return
    case 'tile':
      paintTile(context, scene, cell, rect)
      return
    case 'dot':
      paintDot(context, scene, cell, rect)
      return
  }
}

function paintDot(context: CanvasRenderingContext2D, scene: Scene, cell: NodeCell, rect: Rect): void {
  const { palette, coloring } = scene
  const { x, y, width, height } = rect
  context.fillStyle = palette.cell
  context.fillRect(x, y, width, height)
  const filled = filledShare(cell, coloring)
  const tall = Math.max(filled > 0 ? 1 : 0, Math.round(height * filled))
  context.fillStyle = palette[colorOf(cell, coloring)]
  context.fillRect(x, y + height - tall, width, tall)
  paintMarks(context, scene, cell, rect)
}

/** Marks that must be visible at any size and color: not ready, tainted, cordoned, pods leaving or expected. */
function paintMarks(context: CanvasRenderingContext2D, scene: Scene, cell: NodeCell, rect: Rect): void {
  const { palette } = scene
  const { x, y, width, height } = rect
  if (has(cell.row, flags.cordoned)) hatch(context, rect, palette.surface)
  paintEdge(context, scene, cell, rect)
  const dot = Math.max(1.5, Math.min(3, width * 0.14))
  if (cell.terminating > 0) spot(context, x + dot + 1.5, y + height - dot - 1.5, dot, palette, 'pod-terminating')
  if (cell.nominated.size > 0) spot(context, x + dot + 1.5, y + dot + 1.5, dot, palette, 'pod-nominated')
}

/** An outline for nodes that are not ready, a corner for those with taints. */
function paintEdge(context: CanvasRenderingContext2D, { palette, coloring }: Scene, cell: NodeCell, rect: Rect): void {
  const { x, y, width } = rect
  if (coloring.by !== 'health' && cell.row[N.health] !== 0) {
    outline(context, grown(rect, -0.75), palette[healthColor(cell)], 1.5, 1)
  }
  const taint = worstTaint(cell.row)
  if (coloring.by === 'taints' || taint === 'none') return
  const side = Math.max(4, Math.min(8, width * 0.4))
  context.fillStyle = palette[taintColor(taint)]
  context.beginPath()
  context.moveTo(x + width - side, y)
  context.lineTo(x + width, y)
  context.lineTo(x + width, y + side)
  context.fill()
}

function taintColor(taint: string): ColorName {
  if (taint === 'NoExecute') return 'taint-noexecute'
  return taint === 'NoSchedule' ? 'taint-noschedule' : 'taint-prefer'
}

function spot(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  radius: number,
  palette: Palette,
  color: ColorName,
): void {
  context.beginPath()
  context.arc(x, y, radius + 1, 0, 7)
  context.fillStyle = palette.surface
  context.fill()
  context.beginPath()
  context.arc(x, y, radius, 0, 7)
  context.fillStyle = palette[color]
  context.fill()
}

function paintTile(context: CanvasRenderingContext2D, scene: Scene, cell: NodeCell, rect: Rect): void {
  const { palette, coloring, shortNames } = scene
  const { x, y, width, height } = rect
  box(context, rect, 3, palette.surface, palette['cell-line'])
  // Drawn first, so that the name stays readable.
  if (has(cell.row, flags.cordoned)) hatch(context, grown(rect, -1), palette['cell-line'])
  const isTall = showsPods(scene.layout.size)
  const tall = isTall ? 8 : Math.max(5, Math.round(height * 0.34))
  const gauge = { x: x + 4, y: isTall ? y + 20 : y + height - tall - 4, width: width - 8, height: tall }
  context.fillStyle = palette.cell
  context.fillRect(gauge.x, gauge.y, gauge.width, gauge.height)
  const filled = filledShare(cell, coloring)
  context.fillStyle = palette[colorOf(cell, coloring)]
  context.fillRect(gauge.x, gauge.y, gauge.width * filled, gauge.height)
  context.fillStyle = cell.row[N.health] === 0 ? palette.text : palette.bad
  context.font = `${width > 60 ? 11 : 10}px ${font}`
  const name = cell.row[N.name]
  const middle = isTall ? y + 11 : y + (height - tall - 4) / 2 + 1
  fitTail(context, shortNames.get(name) ?? name, x + 4, middle, width - 10)
  if (isTall) for (const { pod, box: place } of podBoxes(scene, cell, rect)) paintPod(context, scene, pod, place)
  paintEdge(context, scene, cell, rect)
  if (isTall) return
  const row = y + height - tall - 9
  if (cell.terminating > 0) spot(context, x + width - 6, row, 2, palette, 'pod-terminating')
  if (cell.nominated.size > 0) spot(context, x + width - 12, row, 2, palette, 'pod-nominated')
}

function paintCard(context: CanvasRenderingContext2D, scene: Scene, cell: NodeCell, rect: Rect): void {
  const { palette, coloring } = scene
  const { x, y, width } = rect
  const { row } = cell
  box(context, rect, 7, palette.surface, palette['cell-line'])
  if (has(row, flags.cordoned)) {
    context.save()
    context.globalAlpha *= 0.35
    hatch(context, grown(rect, -1), palette['cell-line'])
    context.restore()
  }
  // The edge has the selected color, so that cards and dots show the same.
  context.fillStyle = palette[colorOf(cell, coloring)]
  context.beginPath()
  context.roundRect(x, y, 6, rect.height, [7, 0, 0, 7])
  context.fill()
  context.beginPath()
  context.arc(x + 20, y + 16, 4.5, 0, 7)
  context.fillStyle = palette[healthColor(cell)]
  context.fill()
  context.fillStyle = palette.text
  context.font = `600 13px ${font}`
  const status = cardStatus(cell)
  const right = status === '' ? 0 : textWidth(context, status, `11px ${font}`) + 8
  fitText(context, row[N.name], x + 30, y + 16.5, width - 42 - right)
  if (status !== '') {
    context.font = `11px ${font}`
    context.fillStyle = row[N.health] === 0 ? palette.muted : palette.bad
    context.textAlign = 'right'
    context.fillText(status, x + width - 10, y + 16.5)
    context.textAlign = 'left'
  }
  paintGauge(context, scene, 'CPU', cell.cpuMilli, row[N.cpuMilli], cpuText, { ...rect, y: y + 37 })
  paintGauge(context, scene, 'Mem', cell.memoryBytes, row[N.memoryBytes], memoryText, { ...rect, y: y + 55 })
  const isSheet = scene.layout.size.level === 'sheet'
  for (const { pod, box: place } of podBoxes(scene, cell, rect)) {
    if (isSheet) paintNamedPod(context, scene, pod, place)
    else paintPod(context, scene, pod, place)
  }
  const hidden = hiddenPods(scene, cell, rect)
  const bottom = y + rect.height - 12
  context.font = `11px ${font}`
  context.fillStyle = palette.muted
  if (hidden > 0) {
    context.textAlign = 'right'
    context.fillText(`+${hidden} pods`, x + width - 10, bottom)
    context.textAlign = 'left'
  }
  if (cell.pods.size + cell.nominated.size === 0) context.fillText('no pods', x + 16, y + 80)
  const taints = row[N.taints]
  if (taints.length === 0) return
  context.fillStyle = palette.warn
  const more = taints.length > 1 ? ` +${taints.length - 1}` : ''
  fitText(context, `${shortTaint(taints[0] as string)}${more}`, x + 16, bottom, width - (hidden > 0 ? 80 : 26))
}

/** A pod with its name; the end of a name distinguishes pods of one workload. */
function paintNamedPod(context: CanvasRenderingContext2D, scene: Scene, pod: PodRow, place: Rect): void {
  const { palette, filter, cluster } = scene
  const side = 10
  paintPod(context, scene, pod, { x: place.x, y: place.y + (place.height - side) / 2, width: side, height: side })
  const before = context.globalAlpha
  if (filter.text !== '' && filter.problem === undefined && !filter.pod(pod, cluster)) context.globalAlpha *= 0.3
  context.font = `11px ${font}`
  context.fillStyle = pod[P.state] === podState.terminating ? palette.muted : palette.text
  fitText(context, podLabel(pod[P.key]), place.x + side + 6, place.y + place.height / 2 + 0.5, place.width - side - 10)
  context.globalAlpha = before
}

function cardStatus({ row }: NodeCell): string {
  if (row[N.health] !== 0) return healthNames[row[N.health]]
  if (has(row, flags.cordoned)) return 'cordoned'
  if (has(row, flags.memoryPressure)) return 'memory pressure'
  if (has(row, flags.diskPressure)) return 'disk pressure'
  return has(row, flags.pidPressure) ? 'PID pressure' : ''
}

function paintGauge(
  context: CanvasRenderingContext2D,
  { palette }: Scene,
  name: string,
  used: number,
  of: number,
  text: (value: number) => string,
  { x, y, width }: Rect,
): void {
  const left = x + 46
  const room = width - 46 - 92
  context.font = `11px ${font}`
  context.fillStyle = palette.muted
  context.fillText(name, x + 16, y)
  context.fillStyle = palette.cell
  context.fillRect(left, y - 4, room, 8)
  const share = of === 0 ? 0 : used / of
  context.fillStyle = share > 0.95 ? palette['health-pressure'] : palette['util-3']
  context.fillRect(left, y - 4, room * Math.min(1, share), 8)
  context.fillStyle = palette.text
  context.textAlign = 'right'
  context.fillText(`${withoutSameUnit(text(used), text(of))} / ${text(of)}`, x + width - 10, y)
  context.textAlign = 'left'
}

/** `1.3 / 32 Gi` rather than `1.3 Gi / 32 Gi`. */
function withoutSameUnit(used: string, of: string): string {
  const [amount = used, unit] = used.split(' ')
  return unit !== undefined && of.endsWith(` ${unit}`) ? amount : used
}

interface PodBox {
  readonly pod: PodRow
  readonly box: Rect
}

interface PodArea {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
  /** The distance from one to the next, horizontally and vertically. */
  readonly stepX: number
  readonly stepY: number
  readonly columns: number
  readonly rows: number
}

function podArea({ layout }: Scene, rect: Rect): PodArea | undefined {
  const { x, y } = rect
  const across = (step: number, margin: number) => Math.floor((rect.width - margin) / step)
  switch (layout.size.level) {
    case 'sheet':
      return {
        left: x + 16,
        top: y + 70,
        width: (rect.width - 26) / 2,
        height: 16,
        stepX: (rect.width - 22) / 2,
        stepY: 16.5,
        columns: 2,
        rows: Math.max(5, Math.floor((rect.height - 90) / 16.5)),
      }
    case 'card':
      return {
        left: x + 16,
        top: y + 70,
        width: 10,
        height: 10,
        stepX: 13,
        stepY: 13,
        columns: across(13, 26),
        rows: Math.max(2, Math.floor((rect.height - 94) / 13)),
      }
    case 'tile':
      return showsPods(layout.size)
        ? {
            left: x + 4,
            top: y + 33,
            width: 6,
            height: 6,
            stepX: 7.5,
            stepY: 7.5,
            columns: across(7.5, 6),
            rows: Math.max(1, Math.floor((rect.height - 36) / 7.5)),
          }
        : undefined
    case 'dot':
      return undefined
  }
}

/** The positions of a node's pods: those that use resources, and expected ones. */
export function podBoxes(scene: Scene, cell: NodeCell, rect: Rect): readonly PodBox[] {
  const area = podArea(scene, rect)
  if (area === undefined) return []
  return podsShown(scene, cell)
    .slice(0, area.columns * area.rows)
    .map((pod, at) => ({
      pod,
      box: {
        x: area.left + (at % area.columns) * area.stepX,
        y: area.top + Math.floor(at / area.columns) * area.stepY,
        width: area.width,
        height: area.height,
      },
    }))
}

function hiddenPods(scene: Scene, cell: NodeCell, rect: Rect): number {
  const area = podArea(scene, rect)
  return area === undefined ? 0 : Math.max(0, podsShown(scene, cell).length - area.columns * area.rows)
}

function podsShown({ cluster }: Scene, cell: NodeCell): readonly PodRow[] {
  const rows: PodRow[] = []
  for (const key of [...cell.pods].sort()) {
    const pod = cluster.pods.get(key)
    if (pod !== undefined) rows.push(pod)
  }
  for (const key of cell.nominated) {
    const pod = cluster.pods.get(key)
    if (pod !== undefined) rows.push(pod)
  }
  return rows
}

function paintPod(context: CanvasRenderingContext2D, scene: Scene, pod: PodRow, place: Rect): void {
  const { palette, filter, cluster } = scene
  const before = context.globalAlpha
  if (filter.text !== '' && filter.problem === undefined && !filter.pod(pod, cluster)) context.globalAlpha *= 0.3
  const { x, y, width, height } = place
  if (pod[P.node] === '') {
    context.setLineDash([2, 2])
    outline(context, grown(place, -0.75), palette['pod-nominated'], 1.5, 2)
    context.setLineDash([])
  } else {
    context.fillStyle = palette[podColor(pod)]
    context.beginPath()
    context.roundRect(x, y, width, height, width > 8 ? 2 : 1)
    context.fill()
    if (pod[P.state] === podState.terminating) hatch(context, place, palette.surface)
  }
  context.globalAlpha = before
}

const podLabel = (key: string) => (isQuiet(key) ? 'unchanged' : nameOf(key))
