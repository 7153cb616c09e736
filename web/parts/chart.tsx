import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { clockText, spanText } from '../model/words.ts'
import { theme } from './theme.ts'

export interface ChartLine {
  readonly name: string
  /** A custom property: `--pod-running`. */
  readonly color: string
  readonly values: readonly number[]
}

export interface ChartProps {
  readonly label: string
  /** Milliseconds, in order. */
  readonly times: readonly number[]
  readonly lines: readonly ChartLine[]
  readonly height: number
  /** The selected instant. */
  readonly mark?: number | undefined
  readonly onPick?: (atMs: number) => void
  /** The time at which the past ends and the forecast starts. */
  readonly boundary?: number | undefined
  /** The width of the figures on the left, so that charts and lanes below each other share an axis. */
  readonly left?: number
  /** Shows times as durations since this instant instead of times of day. */
  readonly since?: number
}

// As in pages.css, where a slider below a chart begins and ends with its axis.
const chartLeft = 44
const chartRight = 28

/** Counts over time, drawn as steps, because nothing changes between two samples. */
export function Chart(props: ChartProps) {
  const host = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | undefined>(undefined)
  const [library, setLibrary] = useState<typeof uPlot>()
  const latest = useRef(props)
  latest.current = props

  useEffect(() => {
    void import('uplot').then(({ default: loaded }) => setLibrary(() => loaded))
  }, [])
  // Reserves the space until the library is loaded, so that nothing moves.
  useLayoutEffect(() => {
    if (host.current !== null) host.current.style.minHeight = `${props.height}px`
  }, [props.height])
  const names = props.lines.map(({ name }) => name).join('\n')
  useEffect(() => {
    const { current } = host
    if (current === null || library === undefined) return undefined
    const made = createPlot(library, current, latest)
    plot.current = made
    const observer = new ResizeObserver(() =>
      made.setSize({ width: current.clientWidth, height: latest.current.height }),
    )
    observer.observe(current)
    return () => {
      observer.disconnect()
      made.destroy()
      plot.current = undefined
    }
  }, [library, theme.value, names, props.height, props.left])
  useEffect(() => plot.current?.setData(dataOf(props)), [library, props.times, props.lines])
  useEffect(() => plot.current?.redraw(false), [props.mark, props.boundary])

  const last = props.lines.map(({ name, values }) => `${name} ${values.at(-1) ?? 0}`).join(', ')
  return (
    <figure class="chart">
      <div ref={host} role="img" aria-label={`${props.label}. At the end: ${last}.`} />
      <figcaption>
        <ul class="legend">
          {props.lines.map(({ name, color }) => (
            <li key={name}>
              <Swatch color={color} />
              {name}
            </li>
          ))}
        </ul>
      </figcaption>
    </figure>
  )
}

function Swatch({ color }: { readonly color: string }) {
  const element = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    if (element.current !== null) element.current.style.background = `var(${color})`
  }, [color])
  return <span ref={element} class="swatch line" aria-hidden="true" />
}

/** Seconds since the start of the chart, so that ticks are at round values. */
const secondsOf = (ms: number, { since = 0 }: ChartProps) => (ms - since) / 1000

const dataOf = (props: ChartProps) =>
  [props.times.map((ms) => secondsOf(ms, props)), ...props.lines.map(({ values }) => [...values])] as uPlot.AlignedData

function createPlot(library: typeof uPlot, host: HTMLElement, latest: { readonly current: ChartProps }): uPlot {
  const style = getComputedStyle(document.documentElement)
  const color = (name: string) => style.getPropertyValue(name).trim()
  const axis = {
    stroke: color('--muted'),
    font: `11px ${color('--sans')}`,
    grid: { stroke: color('--line'), width: 1 },
    ticks: { stroke: color('--line'), width: 1, size: 4 },
  }
  const { lines, height } = latest.current
  const made = new library(
    {
      width: host.clientWidth,
      height,
      legend: { show: false },
      // Half of the last label extends beyond the end.
      padding: [8, chartRight, 0, 0],
      cursor: { y: false, drag: { x: false, y: false } },
      scales: { x: { time: false }, y: { range: (_plot, _min, max) => [0, Math.max(4, Math.ceil(max * 1.1))] } },
      axes: [
        {
          ...axis,
          values: (_plot, splits) => splits.map((seconds) => timeText(seconds, latest.current)),
          incrs: [1, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200],
          space: 80,
          size: 26,
        },
        {
          ...axis,
          size: latest.current.left ?? chartLeft,
          incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000],
        },
      ],
      series: [
        {},
        ...lines.map((line) => ({
          label: line.name,
          stroke: color(line.color),
          width: 2,
          points: { show: false },
          paths: library.paths.stepped?.({ align: 1 }) ?? null,
        })),
      ] as uPlot.Series[],
      hooks: {
        draw: [
          (plot) => drawLine(plot, latest.current, latest.current.boundary, color('--muted'), [4, 4]),
          (plot) => drawLine(plot, latest.current, latest.current.mark, color('--accent')),
        ],
      },
    },
    dataOf(latest.current),
    host,
  )
  made.over.addEventListener('click', (event) => {
    const bounds = made.over.getBoundingClientRect()
    const seconds = made.posToVal(event.clientX - bounds.left, 'x')
    latest.current.onPick?.(seconds * 1000 + (latest.current.since ?? 0))
  })
  return made
}

const shortMs = 10 * 60_000

function timeText(seconds: number, { since, times }: ChartProps): string {
  if (since === undefined) {
    // With seconds if two labels would be the same otherwise.
    const isShort = (times.at(-1) ?? 0) - (times[0] ?? 0) < shortMs
    return clockText(seconds * 1000).slice(0, isShort ? 8 : 5)
  }
  return seconds === 0 ? 'now' : `+${spanText(seconds * 1000).replace(/ 00[sm]$/, '')}`
}

function drawLine(
  plot: uPlot,
  props: ChartProps,
  at: number | undefined,
  color: string,
  dash: readonly number[] = [],
): void {
  if (at === undefined) return
  const x = Math.round(plot.valToPos(secondsOf(at, props), 'x', true))
  const { ctx, bbox } = plot
  ctx.save()
  ctx.strokeStyle = color
  ctx.lineWidth = 2 * devicePixelRatio
  ctx.setLineDash(dash.map((length) => length * devicePixelRatio))
  ctx.beginPath()
  ctx.moveTo(x, bbox.top)
  ctx.lineTo(x, bbox.top + bbox.height)
  ctx.stroke()
  ctx.restore()
}
