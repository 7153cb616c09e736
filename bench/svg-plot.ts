// Plots lines on logarithmic axes as one SVG file, readable in light and dark themes, without scripts or fonts.

export interface PlotLine {
  readonly name: string
  readonly points: readonly { readonly x: number; readonly y: number }[]
}

export interface Plot {
  readonly title: string
  /** Labels of the axes, with units. */
  readonly x: string
  readonly y: string
  readonly lines: readonly PlotLine[]
  /** Where and when the values were measured. */
  readonly note: string
}

const plotWidth = 800
const plotHeight = 400
const left = 72
const right = 250
const top = 44
const bottom = 66
// Each line ends at its name, so that colors are not needed to distinguish them.
const lineColors: readonly (readonly [light: string, dark: string])[] = [
  ['#1d4ed8', '#7aa2ff'],
  ['#b45309', '#f0b056'],
  ['#047857', '#4fd1a5'],
  ['#be185d', '#ff8ab8'],
  ['#6d28d9', '#c0a3ff'],
  ['#475569', '#b6c2d1'],
]

export function svgPlot({ title, x, y, lines, note }: Plot): string {
  const across = axis(
    lines.flatMap(({ points }) => points.map((point) => point.x)),
    [left, plotWidth - right],
  )
  const up = axis(
    lines.flatMap(({ points }) => points.map((point) => point.y)),
    [plotHeight - bottom, top],
  )
  const middle = (left + plotWidth - right) / 2
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${plotWidth} ${plotHeight}" role="img" aria-label="${escaped(title)}">`,
    `<style>${style(lines.length)}</style>`,
    `<rect class="ground" width="${plotWidth}" height="${plotHeight}" rx="6"/>`,
    text(left, 24, title, 'title'),
    ...across.ticks.map((tick) => {
      const at = across.at(tick)
      return `<path class="grid" d="M${at} ${top}V${plotHeight - bottom}"/>${text(at, plotHeight - bottom + 18, figure(tick), 'middle')}`
    }),
    ...up.ticks.map((tick) => {
      const at = up.at(tick)
      return `<path class="grid" d="M${left} ${at}H${plotWidth - right}"/>${text(left - 8, at + 4, figure(tick), 'end')}`
    }),
    text(middle, plotHeight - bottom + 38, x, 'middle'),
    `<text class="middle" transform="translate(18 ${(top + plotHeight - bottom) / 2}) rotate(-90)">${escaped(y)}</text>`,
    ...lines.map((line, number) => drawn(line, number, across, up)),
    ...names(lines, up),
    text(left, plotHeight - 10, note, 'note'),
    '</svg>',
    '',
  ].join('\n')
}

interface Axis {
  readonly ticks: readonly number[]
  at(value: number): number
}

const tickSteps = [1, 2, 5, 10]

/** The ticks 1, 2, 5, 10, 20, … that enclose the values; only powers of ten if there is little room. */
function axis(values: readonly number[], [from, to]: readonly [number, number]): Axis {
  const low = bound(Math.min(...values), (steps, value) => steps.findLast((step) => step <= value * 1.0001) ?? 1)
  const high = bound(Math.max(...values), (steps, value) => steps.find((step) => step >= value * 0.9999) ?? 10)
  const end = high > low ? high : low * 10
  const isLong = end / low > 1_000
  const ticks: number[] = []
  for (let decade = Math.floor(Math.log10(low)); 10 ** decade <= end * 1.0001; decade++) {
    for (const step of isLong ? [1] : [1, 2, 5]) ticks.push(step * 10 ** decade)
  }
  const span = Math.log10(end / low)
  return {
    ticks: ticks.filter((tick) => tick >= low * 0.9999 && tick <= end * 1.0001),
    at: (value) => Math.round((from + (Math.log10(value / low) / span) * (to - from)) * 10) / 10,
  }
}

function bound(value: number, choose: (steps: readonly number[], value: number) => number): number {
  const decade = 10 ** Math.floor(Math.log10(value))
  return choose(tickSteps, value / decade) * decade
}

function drawn({ points }: PlotLine, number: number, across: Axis, up: Axis): string {
  const places = points.map((point) => `${across.at(point.x)} ${up.at(point.y)}`)
  const dots = points.map(
    (point) => `<circle class="dot c${number}" cx="${across.at(point.x)}" cy="${up.at(point.y)}" r="3"/>`,
  )
  return `<path class="line c${number}" d="M${places.join('L')}"/>${dots.join('')}`
}

/** Names at the ends of the lines, moved apart if they would overlap. */
function names(lines: readonly PlotLine[], up: Axis): readonly string[] {
  const ends = lines
    .map(({ name, points }, number) => ({
      name,
      number,
      y: up.at(points.at(-1)?.y ?? 1),
      value: points.at(-1)?.y ?? 0,
    }))
    .sort((a, b) => a.y - b.y)
  let last = top - 14
  return ends.map(({ name, number, y, value }) => {
    last = Math.max(y, last + 15)
    return `<text class="name c${number}" x="${plotWidth - right + 10}" y="${last + 4}">${escaped(`${name}: ${figure(value)}`)}</text>`
  })
}

function text(x: number, y: number, words: string, kind: string): string {
  return `<text class="${kind}" x="${x}" y="${y}">${escaped(words)}</text>`
}

function figure(value: number): string {
  if (value >= 1000) return String(Math.round(value)).replaceAll(/\B(?=(\d{3})+$)/g, ',')
  return String(Number(value.toPrecision(2)))
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}

function style(lines: number): string {
  const colors = (dark: 0 | 1) =>
    lineColors
      .slice(0, lines)
      .map((pair, number) => `.c${number}{--c:${pair[dark]}}`)
      .join('')
  return (
    'text{font:12px system-ui,sans-serif;fill:var(--ink)}.title{font-weight:600;font-size:14px}.middle{text-anchor:middle}' +
    '.end{text-anchor:end}.note{font-size:10px;opacity:.75}.name{fill:var(--c);font-weight:600}.grid{stroke:var(--grid)}' +
    '.line{fill:none;stroke:var(--c);stroke-width:2}.dot{fill:var(--c)}.ground{fill:var(--ground)}' +
    `svg{--ink:#1f2937;--grid:#d7dce3;--ground:#fff}${colors(0)}` +
    `@media(prefers-color-scheme:dark){svg{--ink:#e5e7eb;--grid:#3a4250;--ground:#161b22}${colors(1)}}`
  )
}
