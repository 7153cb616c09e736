// biome-ignore-all lint/a11y/useFocusableInteractive: the list as a whole has the focus, and says which node is meant
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { ClusterModel } from '../model/cluster.ts'
import type { Filter } from '../model/filter.ts'
import { N, nodeStatus, P } from '../model/rows.ts'
import { percentText } from '../model/words.ts'
import { theme } from '../parts/theme.ts'
import { type Coloring, fullness } from './coloring.ts'
import { distinctNames, groupNodes } from './groups.ts'
import {
  type ArrowDirection,
  type CellSize,
  layoutMap,
  neighbor,
  nodeAt,
  nodesIn,
  placeAt,
  placeOf,
  type Rect,
  rectOf,
  titleAt,
} from './layout.ts'
import { MapTooltip, type Pointed } from './map-tooltip.tsx'
import { type Highlights, paintHighlights, paintMap, podBoxes, type Scene } from './paint.ts'
import { readPalette } from './palette.ts'

export interface ClusterMapProps {
  readonly cluster: ClusterModel
  /** Increases with every change of the cluster. */
  readonly revision: number
  readonly filter: Filter
  readonly coloring: Coloring
  /** The key to group by, a label or another, and the key of the second level. Empty: no grouping. */
  readonly groupBy?: string
  readonly thenBy?: string
  readonly label: string
  /** Selected nodes; one of them is shown in detail. */
  readonly chosen?: ReadonlySet<string>
  readonly marked?: ReadonlySet<string>
  /** Receives the size of the cells, which decides what they show. */
  readonly onSize?: (size: CellSize) => void
  /** Replaces the selection. */
  readonly onChoose?: (nodes: ReadonlySet<string>) => void
  readonly onOpenNode: (node: string) => void
  readonly onOpenPod: (pod: string) => void
}

const arrows: ReadonlyMap<string, ArrowDirection> = new Map(
  Object.entries({
    ArrowLeft: 'left',
    ArrowRight: 'right',
    ArrowUp: 'up',
    ArrowDown: 'down',
  }),
)

const nothing: ReadonlySet<string> = new Set()
/** A shorter movement is a click. */
const dragPixels = 5

/** The nodes of a cluster in groups on a canvas: a few dozen as cards, thousands as dots. */
export function ClusterMap(props: ClusterMapProps) {
  const { cluster, filter, groupBy = 'zone', thenBy = '', chosen = nothing } = props
  const frame = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const overlay = useRef<HTMLCanvasElement>(null)
  const [size, setSize] = useState({ width: 0, height: 0 })
  const [pointed, setPointed] = useState<Pointed>()
  const [focused, setFocused] = useState<string>()
  const [hasFocus, setHasFocus] = useState(false)
  const top = useRef(0)
  const pending = useRef(0)
  const drag = useRef<{ x: number; y: number; rect: Rect | undefined } | undefined>(undefined)
  const groups = useMemo(() => groupNodes(cluster, groupBy, thenBy), [cluster, cluster.shape, groupBy, thenBy])
  const layout = useMemo(() => layoutMap(groups, size.width, size.height), [groups, size.width, size.height])
  useEffect(() => {
    if (size.width > 0) props.onSize?.(layout.size)
  }, [layout])
  const shortNames = useMemo(() => new Map(groups.flatMap(({ nodes }) => [...distinctNames(nodes)])), [groups])
  const passing = useMemo(() => passingNodes(cluster, filter), [cluster, filter, props.revision])
  const palette = useMemo(readPalette, [theme.value])

  const scene = (): Scene => ({
    cluster,
    layout,
    palette,
    coloring: props.coloring,
    shortNames,
    filter,
    passing,
    marked: props.marked,
    top: top.current,
    viewHeight: size.height,
  })
  const highlights = (): Highlights => ({
    layout,
    palette,
    hovered: pointed?.node,
    focused: hasFocus ? focused : undefined,
    chosen,
    dragged: drag.current?.rect,
    top: top.current,
    viewHeight: size.height,
  })
  const latest = useRef(scene)
  latest.current = scene
  const latestHighlights = useRef(highlights)
  latestHighlights.current = highlights
  const draw = () => {
    if (pending.current !== 0) return
    pending.current = requestAnimationFrame(() => {
      pending.current = 0
      paintNow(canvas.current, latest.current())
      drawHighlights()
    })
  }
  const drawHighlights = () => {
    const now = latestHighlights.current()
    const context = fitCanvas(overlay.current, now.layout.width, now.viewHeight)
    if (context !== undefined) paintHighlights(context, now)
  }

  useLayoutEffect(() => observeSize(frame.current, setSize), [])
  useEffect(() => () => cancelAnimationFrame(pending.current), [])
  useEffect(draw, [cluster, props.revision, layout, palette, passing, filter, props.coloring, props.marked])
  useEffect(drawHighlights, [layout, palette, pointed?.node, focused, hasFocus, chosen])

  const onScroll = () => {
    top.current = frame.current?.scrollTop ?? 0
    draw()
  }
  const choose = (nodes: readonly string[], isAdded: boolean) => {
    if (!isAdded) return props.onChoose?.(new Set(nodes))
    const next = new Set(chosen)
    const isPresent = nodes.every((node) => next.has(node))
    for (const node of nodes) {
      if (isPresent) next.delete(node)
      else next.add(node)
    }
    props.onChoose?.(next)
  }
  const onMove = (event: PointerEvent) => {
    const began = drag.current
    if (began !== undefined) {
      const { x, y } = pointOn(event, frame.current)
      const rect = {
        x: Math.min(x, began.x),
        y: Math.min(y, began.y),
        width: Math.abs(x - began.x),
        height: Math.abs(y - began.y),
      }
      if (rect.width + rect.height > dragPixels) began.rect = rect
      drawHighlights()
      return
    }
    setPointed(pointedAt(event, frame.current, latest.current()))
  }
  const onDown = (event: PointerEvent) => {
    if (props.onChoose === undefined || event.button !== 0 || event.pointerType === 'touch') return
    drag.current = { ...pointOn(event, frame.current), rect: undefined }
    setPointed(undefined)
  }
  const onUp = (event: PointerEvent) => {
    const rect = drag.current?.rect
    drag.current = undefined
    if (rect === undefined) return
    choose(
      nodesIn(layout, rect).filter((node) => passing?.has(node) !== false),
      isAdding(event),
    )
    wasDragged.current = true
    drawHighlights()
  }
  const wasDragged = useRef(false)
  const onKeyDown = (event: KeyboardEvent) => {
    const direction = arrows.get(event.key)
    const place = focused === undefined ? undefined : placeOf(layout, focused)
    if (direction !== undefined && layout.groups.length > 0) {
      event.preventDefault()
      const next = place === undefined ? { group: 0, index: 0 } : neighbor(layout, place, direction)
      const node = nodeAt(layout, next)
      setFocused(node)
      if (node !== undefined && props.onChoose !== undefined && event.shiftKey) choose([...chosen, node], false)
      reveal(frame.current, rectOf(layout, next))
    }
    if (event.key === ' ' && focused !== undefined) {
      event.preventDefault()
      choose([focused], true)
    }
    if (event.key === 'Escape') choose([], false)
    if (event.key === 'Enter' && focused !== undefined) props.onOpenNode(focused)
  }
  const onClick = (event: MouseEvent) => {
    if (wasDragged.current) {
      wasDragged.current = false
      return
    }
    const hit = pointedAt(event, frame.current, latest.current())
    if (hit === undefined) {
      const { x, y } = pointOn(event, frame.current)
      const group = titleAt(layout, x, y)
      if (group !== undefined) choose(layout.groups[group]?.nodes ?? [], isAdding(event))
      else choose([], false)
      return
    }
    setFocused(hit.node)
    if (hit.pod !== undefined && !isAdding(event)) props.onOpenPod(hit.pod)
    else if (props.onChoose === undefined) props.onOpenNode(hit.node)
    else choose([hit.node], isAdding(event))
  }

  return (
    <div class="map-wrap">
      <canvas ref={canvas} />
      <canvas ref={overlay} />
      <div
        ref={frame}
        class="map"
        role="listbox"
        tabIndex={0}
        aria-label={`${props.label}. Arrow keys move, Space selects, Enter opens a node.`}
        aria-multiselectable={props.onChoose !== undefined}
        aria-activedescendant={focused === undefined ? undefined : 'map-focus'}
        onScroll={onScroll}
        onPointerMove={onMove}
        onPointerDown={onDown}
        onPointerUp={onUp}
        onPointerLeave={(event) => {
          onUp(event)
          setPointed(undefined)
        }}
        onClick={onClick}
        onDblClick={(event) => {
          const hit = pointedAt(event, frame.current, latest.current())
          if (hit !== undefined) props.onOpenNode(hit.node)
        }}
        onKeyDown={onKeyDown}
        onFocus={() => setHasFocus(true)}
        onBlur={() => setHasFocus(false)}
      >
        <Tall height={layout.height} />
        <span
          class="hidden-text"
          id="map-focus"
          role="option"
          aria-selected={focused !== undefined && chosen.has(focused)}
        >
          {focused === undefined ? 'No node selected' : sentenceOf(cluster, focused)}
        </span>
      </div>
      {pointed === undefined ? null : <MapTooltip cluster={cluster} pointed={pointed} />}
    </div>
  )
}

const isAdding = (event: MouseEvent) => event.shiftKey || event.ctrlKey || event.metaKey

function pointOn(event: MouseEvent, frame: HTMLDivElement | null): { readonly x: number; readonly y: number } {
  const bounds = frame?.getBoundingClientRect()
  return { x: event.clientX - (bounds?.left ?? 0), y: event.clientY - (bounds?.top ?? 0) + (frame?.scrollTop ?? 0) }
}

function passingNodes(cluster: ClusterModel, filter: Filter): ReadonlySet<string> | undefined {
  if (filter.text === '' || filter.problem !== undefined) return undefined
  const passing = new Set<string>()
  for (const [name, cell] of cluster.nodes) if (filter.node(cell, cluster)) passing.add(name)
  return passing
}

function observeSize(element: HTMLDivElement | null, set: (size: { width: number; height: number }) => void) {
  if (element === null) return undefined
  const read = () => set({ width: element.clientWidth, height: element.clientHeight })
  read()
  const observer = new ResizeObserver(read)
  observer.observe(element)
  return () => observer.disconnect()
}

function paintNow(canvas: HTMLCanvasElement | null, scene: Scene): void {
  const context = fitCanvas(canvas, scene.layout.width, scene.viewHeight)
  if (context !== undefined) paintMap(context, scene)
}

/** The canvas in its shown size, in device pixels. */
function fitCanvas(
  canvas: HTMLCanvasElement | null,
  width: number,
  height: number,
): CanvasRenderingContext2D | undefined {
  if (canvas === null) return undefined
  const ratio = devicePixelRatio
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio)
    canvas.height = Math.round(height * ratio)
    canvas.style.width = `${width}px`
    canvas.style.height = `${height}px`
  }
  const context = canvas.getContext('2d') ?? undefined
  context?.setTransform(ratio, 0, 0, ratio, 0, 0)
  return context
}

function pointedAt(event: MouseEvent, frame: HTMLDivElement | null, scene: Scene): Pointed | undefined {
  if (frame === null) return undefined
  const bounds = frame.getBoundingClientRect()
  const x = event.clientX - bounds.left
  const y = event.clientY - bounds.top + frame.scrollTop
  const place = placeAt(scene.layout, x, y)
  const node = place === undefined ? undefined : nodeAt(scene.layout, place)
  const cell = node === undefined ? undefined : scene.cluster.nodes.get(node)
  if (place === undefined || node === undefined || cell === undefined) return undefined
  const hit = podBoxes(scene, cell, rectOf(scene.layout, place)).find(
    ({ box }) => x >= box.x - 1 && x <= box.x + box.width + 1 && y >= box.y - 1 && y <= box.y + box.height + 1,
  )
  return {
    node,
    ...(hit === undefined ? {} : { pod: hit.pod[P.key] }),
    x: event.clientX - bounds.left,
    y: event.clientY - bounds.top,
  }
}

function reveal(frame: HTMLDivElement | null, { y, height }: { readonly y: number; readonly height: number }): void {
  if (frame === null) return
  if (y < frame.scrollTop + 40) frame.scrollTop = y - 40
  else if (y + height > frame.scrollTop + frame.clientHeight) frame.scrollTop = y + height - frame.clientHeight + 12
}

/** Makes the frame scroll over the whole map; the canvas itself stays in place. */
function Tall({ height }: { readonly height: number }) {
  const element = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (element.current !== null) element.current.style.height = `${height}px`
  }, [height])
  return <div ref={element} class="tall" />
}

function sentenceOf(cluster: ClusterModel, name: string): string {
  const cell = cluster.nodes.get(name)
  if (cell === undefined) return `${name} is gone`
  const { row } = cell
  const taints = row[N.taints].length === 0 ? '' : `, taints ${row[N.taints].join(' ')}`
  return `${name}, ${row[N.zone]}, ${nodeStatus(row)}, CPU ${percentText(fullness(cell, 'cpu'))}, memory ${percentText(fullness(cell, 'memory'))}, ${cell.podCount} pods${taints}`
}
