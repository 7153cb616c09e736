// Prints a forecast: five lines of summary, then expectations and notes, the timeline, and the pods.

import { condense, type TimelineRow, tallied } from '../whatif/facts/timeline.ts'
import type { Forecast, PodEntry, SeedRange } from '../whatif/report/forecast.ts'
import { counted, listed, span } from '../whatif/report/phrases.ts'
import { type OutputColumn, plainPalette, renderTable, type TextPalette } from './output.ts'

export interface ForecastTextOptions {
  /** Prints every line of the timeline and every pod. */
  readonly wide?: boolean
  readonly palette?: TextPalette
  /** Prints what happens without the change even if that is nothing. */
  readonly withBaseline?: boolean
}

const mostLines = 40
const mostPods = 30

export function forecastText(
  forecast: Forecast,
  { wide = false, palette = plainPalette, withBaseline = false }: ForecastTextOptions = {},
): string {
  const parts = [
    `${verdictText(forecast, palette)}${forecast.answer.lines.map((line) => `${line}\n`).join('')}${baselineText(forecast, withBaseline)}`,
    aboutText(forecast, palette),
    timelineText(forecast, wide, palette),
    podsText(forecast, wide, palette),
    endText(forecast),
  ]
  return parts.filter((part) => part !== '').join('\n')
}

const verdictColors = { SAFE: 'green', DEGRADED: 'yellow', BLOCKED: 'yellow', UNSAFE: 'red' } as const

function verdictText({ verdict, reason }: Forecast, palette: TextPalette): string {
  return `${palette.paint(verdictColors[verdict], verdict)}: ${reason}.\n`
}

function baselineText({ baseline }: Forecast, isWanted: boolean): string {
  const { podsDeleted, podsPending, podsMoved, workloadsBelowBudget } = baseline
  if (!isWanted && podsDeleted + podsPending + workloadsBelowBudget === 0) return ''
  const parts = [
    `${counted(podsDeleted, 'pod is', 'pods are')} deleted`,
    `${podsMoved} moved`,
    `${podsPending} pending`,
    `${counted(workloadsBelowBudget, 'disruption budget is', 'disruption budgets are')} violated`,
  ]
  return `Happens without the change, too: ${parts.join(', ')}.\n`
}

function aboutText(
  { expectations, loops, notes, interrupted, seconds, drains, seeds }: Forecast,
  palette: TextPalette,
): string {
  const lines = [
    ...(interrupted ? [palette.paint('yellow', `Interrupted: this is the forecast up to ${time(seconds)}.`)] : []),
    ...expectations
      .filter(({ holds }) => !holds)
      .map(({ path, kind, violation }) =>
        palette.paint(
          'red',
          `Expectation ${nameOf(path, kind)} not met at ${time(violation?.seconds ?? 0)}: ${violation?.text}`,
        ),
      ),
    ...expectations.filter(({ holds }) => holds).map(({ path, kind }) => `Expectation ${nameOf(path, kind)} met.`),
    ...loops.map(({ text }) => palette.paint('yellow', `Loop: ${text}.`)),
    ...(drains?.blocked ?? []).map(({ node, pod, since, why }) => {
      return palette.paint('yellow', `Drain blocked since ${time(since)}: ${pod} on ${node}: ${why}.`)
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
  const recovery = wellAgain === undefined ? 'not always recovered' : `recovered at ${range(wellAgain, time)}`
  const shown = varying.slice(0, 5).map(({ fact, times }) => `${fact} (${range(times)})`)
  return [
    `${runs} seeds: ${range(deleted)} deleted, ${range(pending)} pending at the end, ${recovery}; ${certain} of ${facts} facts are the same in every run.`,
    ...(sure.length === 0 ? [] : [`Same in every run: ${sure.join(', ')}.`]),
    ...(open.length === 0 ? [] : [`Varies between runs: ${open.join(', ')}.`]),
    ...(shown.length === 0
      ? []
      : [`Facts that vary: ${shown.join(', ')}${varying.length > 5 ? ` and ${varying.length - 5} more` : ''}.`]),
  ]
}

const noteTitles: Readonly<Record<Forecast['notes'][number]['kind'], string>> = {
  missing: 'Missing',
  assumed: 'Assumed',
  uncertain: 'Uncertain',
  blocked: 'Blocked',
}

/** `noPodPending` for `expect.noPodPending`, `noPodPending [1]` for an item of a list. */
function nameOf(path: string, kind: string): string {
  const index = /\[\d+\]/.exec(path)
  return index === null ? kind : `${kind} ${index[0]}`
}

function timelineText({ timeline }: Forecast, wide: boolean, palette: TextPalette): string {
  const rows = condense(timeline)
  if (rows.length === 0) return 'Nothing happens.\n'
  const shown = wide ? rows : rows.slice(0, mostLines)
  const columns: readonly OutputColumn<TimelineRow>[] = [
    { header: 'TIME', cell: ({ seconds }) => time(seconds), align: 'right' },
    { header: 'EVENT', cell: ({ what }) => (wide ? what : shortened(what, 100)), style: ({ what }) => styleOf(what) },
    {
      header: 'OBJECTS',
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
  if (/^(deleted|not ready|Ready is (Unknown|False)|unschedulable)/.test(what)) return 'red' as const
  return /^(bound|Ready is True|uncordoned)/.test(what) ? ('green' as const) : undefined
}

function podsText({ pods, timeline }: Forecast, wide: boolean, palette: TextPalette): string {
  const byName = new Map(pods.map((entry) => [entry.pod, entry]))
  const replacements = new Set(pods.map(({ replacement }) => replacement).filter((name) => name !== undefined))
  const firstStep = timeline.find(({ what }) => what === 'step')?.t ?? 0
  // A replacement is shown in the row of the pod that it replaces. Pods created before the first step are left out.
  const reported = pods.filter(({ pod, deleted, pending, created = -1 }) => {
    if (deleted !== undefined || pending !== undefined) return true
    return created >= firstStep && !replacements.has(pod)
  })
  if (reported.length === 0) return ''
  const shown = wide ? reported : reported.slice(0, mostPods)
  const successor = ({ replacement }: PodEntry) => (replacement === undefined ? undefined : byName.get(replacement))
  const columns: readonly OutputColumn<PodEntry>[] = [
    { header: 'POD', cell: ({ pod }) => pod },
    { header: 'NODE', cell: ({ from, node }) => from ?? node },
    { header: 'DELETED', cell: ({ deleted }) => at(deleted), align: 'right' },
    {
      header: 'REASON',
      cell: ({ cause, pending }) => cause ?? (pending === undefined ? '' : shortened(pending, wide ? 1000 : 60)),
    },
    { header: 'REPLACED BY', cell: (entry) => entry.replacement },
    { header: 'NEW NODE', cell: (entry) => successor(entry)?.node },
    {
      header: 'BOUND',
      cell: (entry) => at(entry.deleted === undefined ? entry.bound : successor(entry)?.bound),
      align: 'right',
    },
  ]
  const more = reported.length - shown.length
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
