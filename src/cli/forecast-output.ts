// Prints a forecast: the verdict and the advice, expectations and notes, then workloads and nodes. Options add details.
import { answerLines } from '../whatif/report/answer-lines.ts'
import { cutEnd, usualWidth, wrapped } from '../whatif/report/fitted-text.ts'
import type { Forecast, ForecastNote, SeedRange } from '../whatif/report/forecast.ts'
import { counted, listed, span } from '../whatif/report/phrases.ts'
import { shortNames } from '../whatif/report/short-names.ts'
import { devicesText, nodesText, podsText, type TableOptions, timelineText, workloadsText } from './forecast-tables.ts'
import { anyWidth, plainPalette, type TextPalette } from './output.ts'

export interface ForecastTextOptions {
  /** Prints everything, with complete names. */
  readonly wide?: boolean
  /** Prints only the line of the verdict. */
  readonly brief?: boolean
  readonly timeline?: boolean
  readonly pods?: boolean
  readonly palette?: TextPalette
  /** Prints the baseline even if nothing happens in it. */
  readonly withBaseline?: boolean
}

export function forecastText(forecast: Forecast, options: ForecastTextOptions = {}): string {
  const { wide = false, brief = false, palette = plainPalette, withBaseline = false } = options
  const width = palette.width ?? usualWidth
  if (brief) return briefText(forecast, palette)
  const verdict = verdictText(forecast, width, palette)
  const tables: TableOptions = { wide, palette: wide ? anyWidth(palette) : palette }
  const isAsked = { timeline: wide || options.timeline === true, pods: wide || options.pods === true }
  const parts = [
    verdict +
      answerLines(forecast, width)
        .map((line) => `${line}\n`)
        .join('') +
      baselineText(forecast, withBaseline, width),
    aboutText(forecast, width, palette),
    notesText(forecast, isUrgent, { wide, palette }),
    workloadsText(forecast, tables),
    nodesText(forecast, tables),
    devicesText(forecast, tables),
    isAsked.timeline ? timelineText(forecast, tables) : '',
    isAsked.pods ? podsText(forecast, tables) : '',
    notesText(forecast, (note) => !isUrgent(note), { wide, palette }),
    endText(forecast, width) + moreText(forecast, isAsked),
  ]
  return parts.filter((part) => part !== '').join('\n')
}

const verdictColors = { SAFE: 'green', DEGRADED: 'yellow', BLOCKED: 'yellow', UNSAFE: 'red' } as const

/** The verdict follows the documented rules and ignores expectations, so a SAFE line also says that an expectation is not met. */
function verdictLine({ verdict, reason, nodes, expectations }: Forecast): string {
  const short = shortNames(nodes.map(({ node }) => node))
  const unmet = verdict === 'SAFE' ? expectations.filter(({ holds }) => !holds).length : 0
  const notMet = unmet === 0 ? '' : `${counted(unmet, 'expectation is', 'expectations are')} not met; `
  return `${verdict}: ${notMet}${short(reason)}.`
}

/** Numbers and names are not cut, so a long line takes two lines. */
function verdictText(forecast: Forecast, width: number, palette: TextPalette): string {
  return wrapped(verdictLine(forecast), width)
    .map((line) => `${painted(forecast, line, palette)}\n`)
    .join('')
}

/** One line, cut only in a terminal. */
function briefText(forecast: Forecast, palette: TextPalette): string {
  const line = verdictLine(forecast)
  return `${painted(forecast, cutEnd(line, palette.width ?? line.length), palette)}\n`
}

function painted({ verdict }: Forecast, line: string, palette: TextPalette): string {
  return line
    .replace(new RegExp(`^${verdict}(?=:)`), palette.paint(verdictColors[verdict], verdict))
    .replace(/\d+ expectations? (is|are) not met;/, (text) => palette.paint('red', text))
}

function baselineText({ baseline, nodes }: Forecast, isWanted: boolean, width: number): string {
  const { podsDeleted, podsMoved, podsPending: pending, workloadsBelowBudget } = baseline
  const removed = nodes.filter(({ state, changesAnyway }) => state === 'removed' && changesAnyway === true)
  if (!isWanted && podsDeleted + pending + workloadsBelowBudget + removed.length === 0) return ''
  const names = listed(
    removed.map(({ node }) => node),
    3,
  )
  const parts = [
    ...(removed.length === 0 ? [] : [`${counted(removed.length, 'node is', 'nodes are')} removed (${names})`]),
    ...(podsDeleted === 0 && !isWanted ? [] : [`${counted(podsDeleted, 'pod is', 'pods are')} deleted`]),
    ...(podsMoved === 0 && !isWanted ? [] : [`${podsMoved} moved`]),
    ...(pending === 0 && !isWanted ? [] : [`${counted(pending, 'pod remains', 'pods remain')} pending`]),
    ...(workloadsBelowBudget === 0 && !isWanted
      ? []
      : [`${counted(workloadsBelowBudget, 'disruption budget is', 'disruption budgets are')} violated`]),
  ]
  return paragraph(`Also without the change: ${parts.join(', ')}.`, undefined, width, plainPalette)
}

function aboutText(
  { expectations, loops, interrupted, seconds, seeds }: Forecast,
  width: number,
  palette: TextPalette,
): string {
  const lines: readonly (readonly ['red' | 'yellow' | undefined, string])[] = [
    ...(interrupted ? [['yellow', `Interrupted: this is the forecast up to ${time(seconds)}.`] as const] : []),
    ...expectations
      .filter(({ holds }) => !holds)
      .map(({ path, kind, violation }) => {
        const when = time(violation?.seconds ?? 0)
        return ['red', `Expectation ${nameOf(path, kind)} not met at ${when}: ${violation?.text}`] as const
      }),
    ...expectations
      .filter(({ holds }) => holds)
      .map(({ path, kind }) => [undefined, `Expectation ${nameOf(path, kind)} met.`] as const),
    ...loops.map(({ text }) => ['yellow', `Loop: ${text}.`] as const),
    ...(seeds === undefined ? [] : seedLines(seeds).map((line) => [undefined, line] as const)),
  ]
  return lines.map(([style, text]) => paragraph(text, style, width, palette)).join('')
}

function paragraph(text: string, style: 'red' | 'yellow' | undefined, width: number, palette: TextPalette): string {
  return wrapped(text, width)
    .map((line) => `${palette.paint(style, line)}\n`)
    .join('')
}

/** Notes that could change the answer come before the tables, other notes after them. */
function isUrgent({ kind, matters }: ForecastNote): boolean {
  return kind === 'missing' ? matters === true : kind !== 'assumed'
}

function notesText(
  { notes, nodes }: Forecast,
  isShown: (note: ForecastNote) => boolean,
  { wide, palette }: TableOptions,
): string {
  const width = palette.width ?? usualWidth
  const short = wide ? (text: string) => text : shortNames(nodes.map(({ node }) => node))
  return notes
    .filter(isShown)
    .map((note) => {
      const text = `${noteTitles[note.kind]}: ${short(note.text)}.`
      return paragraph(text, isUrgent(note) ? 'yellow' : undefined, width, palette)
    })
    .join('')
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

/** The first word of a note. */
export const noteTitles: Readonly<Record<ForecastNote['kind'], string>> = {
  missing: 'Missing',
  assumed: 'Note',
  uncertain: 'Uncertain',
  blocked: 'Blocked',
}

/** `noPodPending` for `expect.noPodPending`, `noPodPending [1]` for an item of a list. */
function nameOf(path: string, kind: string): string {
  const index = /\[\d+\]/.exec(path)
  return index === null ? kind : `${kind} ${index[0]}`
}

function endText({ before, after, seconds }: Forecast, width: number): string {
  const share = (use: { readonly requested: number; readonly allocatable: number }) =>
    use.allocatable === 0 ? '–' : `${Math.round((100 * use.requested) / use.allocatable)}%`
  const change = (name: string, from: string | number, to: string | number) =>
    from === to ? `${name} ${from}` : `${name} ${from} → ${to}`
  const parts = [
    change('nodes ready', `${before.nodesReady}/${before.nodes}`, `${after.nodesReady}/${after.nodes}`),
    change('pods running', before.pods.running, after.pods.running),
    change('cpu', share(before.cpu), share(after.cpu)),
    change('memory', share(before.memory), share(after.memory)),
    change('room for pods', before.room, after.room),
  ]
  const text = `After ${time(seconds)}: ${parts.join(', ')}.`
  return wrapped(text, width)
    .map((line) => `${line}\n`)
    .join('')
}

function moreText(
  { timeline, pods, seed }: Forecast,
  isAsked: { readonly timeline: boolean; readonly pods: boolean },
): string {
  const options = [
    ...(isAsked.timeline || timeline.length === 0 ? [] : ['--timeline']),
    ...(isAsked.pods || pods.length === 0 ? [] : ['--pods']),
  ]
  return `Seed ${seed}.${options.length === 0 ? '' : ` Details: ${options.join(', ')}, -o wide.`}\n`
}

const time = (seconds: number): string => span(seconds * 1000)
