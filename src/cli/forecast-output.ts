// How a forecast is printed for people: the answer in five lines, then what to know, the timeline, and each pod.

import { condense, type TimelineRow, tallied } from '../whatif/facts/timeline.ts'
import type { Forecast, PodEntry, SeedRange } from '../whatif/report/forecast.ts'
import { listed, span } from '../whatif/report/phrases.ts'
import { type Column, type Palette, plainPalette, renderTable } from './output.ts'

export interface ForecastTextOptions {
  /** Every line of the timeline and every pod. */
  readonly wide?: boolean
  readonly palette?: Palette
}

const MOST_LINES = 40
const MOST_PODS = 30

export function forecastText(
  forecast: Forecast,
  { wide = false, palette = plainPalette }: ForecastTextOptions = {},
): string {
  const parts = [
    `${forecast.answer.lines.map((line) => `${line}\n`).join('')}`,
    aboutText(forecast, palette),
    timelineText(forecast, wide, palette),
    podsText(forecast, wide, palette),
    endText(forecast),
  ]
  return parts.filter((part) => part !== '').join('\n')
}

function aboutText(
  { expectations, loops, notes, interrupted, seconds, drains, seeds }: Forecast,
  palette: Palette,
): string {
  const lines = [
    ...(interrupted ? [palette.paint('yellow', `Interrupted: this is the forecast up to ${time(seconds)}.`)] : []),
    ...expectations
      .filter(({ holds }) => !holds)
      .map(({ path, kind, violation }) =>
        palette.paint(
          'red',
          `Expected ${nameOf(path, kind)}, but at ${time(violation?.seconds ?? 0)}: ${violation?.text}`,
        ),
      ),
    ...expectations.filter(({ holds }) => holds).map(({ path, kind }) => `Expected ${nameOf(path, kind)}: it holds.`),
    ...loops.map(({ text }) => palette.paint('yellow', `Loop: ${text}.`)),
    ...(drains?.blocked ?? []).map(({ node, pod, since, why }) => {
      return palette.paint('yellow', `Blocked since ${time(since)}: ${pod} on ${node}: ${why}.`)
    }),
    ...(seeds === undefined ? [] : seedLines(seeds)),
    ...notes.map(({ kind, text }) => `${noteTitles[kind]}: ${text}.`),
  ]
  return lines.map((line) => `${line}\n`).join('')
}

function seedLines(seeds: SeedRange): readonly string[] {
  const { runs, deleted, pending, wellAgain, certain, facts, sure, open, varying } = seeds
  const range = ([least, most]: readonly [number, number], as: (value: number) => string = String) =>
    least === most ? as(least) : `${as(least)} to ${as(most)}`
  const well = wellAgain === undefined ? 'not always well again' : `well again at ${range(wellAgain, time)}`
  const shown = varying.slice(0, 5).map(({ fact, times }) => `${fact} (${range(times)})`)
  return [
    `Over ${runs} seeds: ${range(deleted)} deleted, ${range(pending)} left pending, ${well}; ${certain} of ${facts} facts are certain.`,
    ...(sure.length === 0 ? [] : [`The same in every run: ${sure.join(', ')}.`]),
    ...(open.length === 0 ? [] : [`Not the same in every run: ${open.join(', ')}.`]),
    ...(shown.length === 0
      ? []
      : [`What turns on a draw: ${shown.join(', ')}${varying.length > 5 ? ` and ${varying.length - 5} more` : ''}.`]),
  ]
}

const noteTitles: Readonly<Record<Forecast['notes'][number]['kind'], string>> = {
  missing: 'Missing',
  assumed: 'Assumed',
  uncertain: 'Uncertain',
  blocked: 'Blocked',
}

/** `expect.noPodPending` is said as `noPodPending`; in a list its place is said too. */
function nameOf(path: string, kind: string): string {
  const place = /\[\d+\]/.exec(path)
  return place === null ? kind : `${kind} ${place[0]}`
}

function timelineText({ timeline }: Forecast, wide: boolean, palette: Palette): string {
  const rows = condense(timeline)
  if (rows.length === 0) return 'Nothing happens.\n'
  const shown = wide ? rows : rows.slice(0, MOST_LINES)
  const columns: readonly Column<TimelineRow>[] = [
    { header: 'TIME', cell: ({ seconds }) => time(seconds), align: 'right' },
    { header: 'WHAT', cell: ({ what }) => (wide ? what : shortened(what, 100)), style: ({ what }) => styleOf(what) },
    {
      header: 'WHO',
      cell: ({ objects }) =>
        listed(
          tallied(objects).filter((name) => name !== ''),
          wide ? 1000 : 5,
        ) || ' ',
    },
  ]
  const more = rows.length - shown.length
  return renderTable(columns, shown, palette) + (more === 0 ? '' : `… and ${more} more lines: -o wide\n`)
}

function styleOf(what: string) {
  if (what.startsWith('step:')) return 'bold' as const
  if (/^(deleted|not ready|Ready is (Unknown|False)|cannot)/.test(what)) return 'red' as const
  return /^(bound|Ready is True|uncordoned)/.test(what) ? ('green' as const) : undefined
}

function podsText({ pods, timeline }: Forecast, wide: boolean, palette: Palette): string {
  const byName = new Map(pods.map((entry) => [entry.pod, entry]))
  const replacements = new Set(pods.map(({ replacement }) => replacement).filter((name) => name !== undefined))
  const firstStep = timeline.find(({ what }) => what === 'step')?.t ?? 0
  // A pod that took another's place is told of there, and one that was there before anything happened nowhere.
  const told = pods.filter(({ pod, deleted, pending, created = -1 }) => {
    if (deleted !== undefined || pending !== undefined) return true
    return created >= firstStep && !replacements.has(pod)
  })
  if (told.length === 0) return ''
  const shown = wide ? told : told.slice(0, MOST_PODS)
  const successor = ({ replacement }: PodEntry) => (replacement === undefined ? undefined : byName.get(replacement))
  const columns: readonly Column<PodEntry>[] = [
    { header: 'POD', cell: ({ pod }) => pod },
    { header: 'NODE', cell: ({ from, node }) => from ?? node },
    { header: 'DELETED', cell: ({ deleted }) => at(deleted), align: 'right' },
    {
      header: 'WHY',
      cell: ({ cause, pending }) => cause ?? (pending === undefined ? '' : shortened(pending, wide ? 1000 : 60)),
    },
    { header: 'REPLACED BY', cell: (entry) => entry.replacement },
    { header: 'ON', cell: (entry) => successor(entry)?.node },
    {
      header: 'BOUND',
      cell: (entry) => at(entry.deleted === undefined ? entry.bound : successor(entry)?.bound),
      align: 'right',
    },
  ]
  const more = told.length - shown.length
  return renderTable(columns, shown, palette) + (more === 0 ? '' : `… and ${more} more pods: -o wide\n`)
}

function endText({ before, after, seconds, seed }: Forecast): string {
  const share = (use: { readonly requested: number; readonly allocatable: number }) =>
    use.allocatable === 0 ? '–' : `${Math.round((100 * use.requested) / use.allocatable)}%`
  const change = (name: string, from: string | number, to: string | number) =>
    from === to ? `${name} ${from}` : `${name} ${from} → ${to}`
  const parts = [
    change('nodes ready', `${before.nodesReady}/${before.nodes}`, `${after.nodesReady}/${after.nodes}`),
    change('pods running', before.pods.running, after.pods.running),
    change('cpu', share(before.cpu), share(after.cpu)),
    change('memory', share(before.memory), share(after.memory)),
    change('room for', before.room, after.room),
  ]
  return `${time(seconds)} of virtual time, seed ${seed}: ${parts.join(', ')} more pods.\n`
}

const time = (seconds: number): string => span(seconds * 1000)
const at = (seconds: number | undefined): string | undefined => (seconds === undefined ? undefined : time(seconds))

function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`
}
