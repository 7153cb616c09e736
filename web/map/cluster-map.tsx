// biome-ignore-all lint/a11y/useFocusableInteractive: the list as a whole has the focus, and says which node is meant
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { ClusterModel } from '../model/cluster.ts'
import type { Filter } from '../model/filter.ts'
import { isQuiet, N, nodeStatus, P, podStateNames } from '../model/rows.ts'
import { counted, cpuText, memoryText, percentText } from '../model/words.ts'
import { theme } from '../parts/theme.ts'
import {
  type ArrowDirection,
  type DetailLevel,
  groupByZone,
  layoutMap,
  type MapLayout,
  neighbor,
  nodeAt,
  placeAt,
  placeOf,
  rectOf,
} from './layout.ts'
import { type Highlights, paintHighlights, paintMap, podBoxes, type Scene } from './paint.ts'
import { type ColorBy, fullness, type Measure, readPalette } from './palette.ts'

export interface ClusterMapProps {
  readonly cluster: ClusterModel
  /** Increases with every change of the cluster. */
  readonly revision: number
  readonly filter: Filter
  readonly colorBy: ColorBy
  readonly measure: Measure
  readonly level: DetailLevel | 'auto'
  readonly label: string
  readonly selected?: string | undefined
  readonly marked?: ReadonlySet<string>
  readonly onSelect?: (node: string) => void
  readonly onOpenNode: (node: string) => void
  readonly onOpenPod: (pod: string) => void
}

interface Pointed {
  readonly node: string
  readonly pod?: string
  readonly x: number
  readonly y: number
}

const arrows: ReadonlyMap<string, ArrowDirection> = new Map(
  Object.entries({
    ArrowLeft: 'left',
    ArrowRight: 'right',
    ArrowUp: 'up',
    ArrowDown: 'down',
  }),
)

/** The nodes of a cluster by zone on a canvas: a few dozen as cards, thousands as dots. */
export function ClusterMap(props: ClusterMapProps) {
  const { cluster, filter } = props
  const frame = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const overlay = useRef<HTMLCanvasElement>(null)
  const [size, setSize] = useState({ width: 0, height: 0 })
  const [pointed, setPointed] = useState<Pointed>()
  const [focused, setFocused] = useState<string>()
  const [hasFocus, setHasFocus] = useState(false)
  const top = useRef(0)
  const pending = useRef(0)
  const zones = useMemo(
    () => groupByZone([...cluster.nodes.values()].map(({ row }) => ({ name: row[N.name], zone: row[N.zone] }))),
    [cluster, cluster.shape],
  )
  const layout = useMemo(
    () => layoutMap(zones, size.width, size.height, props.level),
    [zones, size.width, size.height, props.level],
  )
  const passing = useMemo(() => passingNodes(cluster, filter), [cluster, filter, props.revision])
  const palette = useMemo(readPalette, [theme.value])

  const scene = (): Scene => ({
    cluster,
    layout,
    palette,
    colorBy: props.colorBy,
    measure: props.measure,
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
    selected: props.selected,
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
  useEffect(draw, [
    cluster,
    props.revision,
    layout,
    palette,
    passing,
    filter,
    props.colorBy,
    props.measure,
    props.marked,
  ])
  useEffect(drawHighlights, [layout, palette, pointed?.node, focused, hasFocus, props.selected])

  const onScroll = () => {
    top.current = frame.current?.scrollTop ?? 0
    draw()
  }
  const onMove = (event: MouseEvent) => setPointed(pointedAt(event, frame.current, latest.current()))
  const onKeyDown = (event: KeyboardEvent) => {
    const direction = arrows.get(event.key)
    const place = focused === undefined ? undefined : placeOf(layout, focused)
    if (direction !== undefined && layout.zones.length > 0) {
      event.preventDefault()
      const next = place === undefined ? { zone: 0, index: 0 } : neighbor(layout, place, direction)
      const node = nodeAt(layout, next)
      setFocused(node)
      if (node !== undefined) props.onSelect?.(node)
      reveal(frame.current, rectOf(layout, next))
    }
    if (event.key === 'Enter' && focused !== undefined) props.onOpenNode(focused)
  }
  const onClick = (event: MouseEvent) => {
    const hit = pointedAt(event, frame.current, latest.current())
    if (hit === undefined) return
    setFocused(hit.node)
    if (hit.pod !== undefined) props.onOpenPod(hit.pod)
    else if (props.onSelect === undefined) props.onOpenNode(hit.node)
    else props.onSelect(hit.node)
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
        aria-label={`${props.label}. Arrow keys move, Enter opens a node.`}
        aria-activedescendant={focused === undefined ? undefined : 'map-focus'}
        onScroll={onScroll}
        onMouseMove={onMove}
        onMouseLeave={() => setPointed(undefined)}
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
        <span class="hidden-text" id="map-focus" role="option" aria-selected={focused !== undefined}>
          {focused === undefined ? 'No node selected' : sentenceOf(cluster, focused)}
        </span>
      </div>
      {pointed === undefined ? null : <Tooltip cluster={cluster} pointed={pointed} measure={props.measure} />}
    </div>
  )
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

function Tooltip({
  cluster,
  pointed,
}: {
  readonly cluster: ClusterModel
  readonly pointed: Pointed
  readonly measure: Measure
}) {
  const element = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const { current } = element
    if (current?.parentElement == null) return
    const room = current.parentElement.clientWidth - current.offsetWidth - 8
    const below = pointed.y + 18
    const fits = below + current.offsetHeight < current.parentElement.clientHeight
    current.style.left = `${Math.max(4, Math.min(room, pointed.x + 14))}px`
    current.style.top = `${fits ? below : Math.max(4, pointed.y - current.offsetHeight - 12)}px`
  })
  const cell = cluster.nodes.get(pointed.node)
  const pod = pointed.pod === undefined ? undefined : cluster.pods.get(pointed.pod)
  if (cell === undefined) return null
  return (
    <div ref={element} class="tooltip" aria-hidden="true">
      {pod === undefined ? (
        <>
          <strong>{pointed.node}</strong>
          <span class="muted">{nodeStatus(cell.row)}</span>
          <span>
            CPU {cpuText(cell.cpuMilli)} of {cpuText(cell.row[N.cpuMilli])} ({percentText(fullness(cell, 'cpu'))})
          </span>
          <span>
            Memory {memoryText(cell.memoryBytes)} of {memoryText(cell.row[N.memoryBytes])} (
            {percentText(fullness(cell, 'memory'))})
          </span>
          <span>
            {cell.row[N.maxPods] === 0
              ? counted(cell.podCount, 'pod')
              : `${cell.podCount} of ${counted(cell.row[N.maxPods], 'pod')}`}
            {cell.terminating === 0 ? '' : `, ${cell.terminating} terminating`}
            {cell.nominated.size === 0 ? '' : `, ${cell.nominated.size} nominated`}
          </span>
          {cell.row[N.taints].map((taint) => (
            <code key={taint}>{taint}</code>
          ))}
        </>
      ) : (
        <>
          <strong>{isQuiet(pod[P.key]) ? `A pod on ${pod[P.node]}` : pod[P.key]}</strong>
          <span class="muted">
            {isQuiet(pod[P.key])
              ? 'nothing happens to it'
              : `${pod[P.node] === '' ? 'Nominated' : podStateNames[pod[P.state]]} · ${pod[P.owner] === '' ? 'no controller' : pod[P.owner]}`}
          </span>
          <span>
            CPU {cpuText(pod[P.cpuMilli])} · memory {memoryText(pod[P.memoryBytes])} · priority {pod[P.priority]}
          </span>
        </>
      )}
    </div>
  )
}

export type { MapLayout }
