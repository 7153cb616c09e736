// `berth whatif fail --each-…`: the survivability table.
import type { Worker } from 'node:worker_threads'
import type { Node } from '../api/objects/node.ts'
import { labels } from '../api/well-known.ts'
import type { ForecastNote, Verdict } from '../whatif/report/forecast.ts'
import { counted, listed, span } from '../whatif/report/phrases.ts'
import { isAsBadAs } from '../whatif/report/verdict.ts'
import { unansweredNotes } from '../whatif/report/webhook-notes.ts'
import type { ForecastPlan } from '../whatif/scenario/forecast-plan.ts'
import type { FailureCase } from '../whatif/scenario/question.ts'
import { casesByLabel, type SurvivalPlan, type SurvivalRow, worstFirst } from '../whatif/survival/survival.ts'
import { type CommandContext, type ExitCode, exitCodes, wrongQuestion } from './command.ts'
import type { ForecastOptions } from './forecast-command.ts'
import { noteTitles } from './forecast-output.ts'
import { anyWidth, choosePalette, printValue, renderTable, type TextPalette, wrapLines } from './output.ts'
import { playSurvival } from './survival-pool.ts'
import { saveRecording, webhookSettingsOf } from './webhook-options.ts'

export interface EachOptions {
  readonly eachZone: boolean
  readonly eachNode: boolean
  readonly eachRack: boolean
  readonly rackLabel: string
  readonly whole: boolean
}

/** The failures that the options select; undefined without such an option. */
export function casesOf(options: EachOptions, nodes: readonly Node[]): readonly FailureCase[] | undefined {
  const { eachZone, eachNode, eachRack, rackLabel } = options
  const asked = [eachZone, eachNode, eachRack].filter(Boolean).length
  if (asked === 0) return undefined
  if (asked > 1) throw wrongQuestion('--each-zone, --each-node and --each-rack are mutually exclusive')
  if (eachNode) return nodes.map(({ metadata }) => ({ name: metadata.name, nodes: [metadata.name] }))
  const key = eachZone ? labels.zone : rackLabel
  const cases = casesByLabel(nodes, key)
  if (cases.length === 0)
    throw wrongQuestion(
      `no node has the label ${key}${eachRack ? '; name the label of the racks with --rack-label' : ''}`,
    )
  return cases
}

export interface Survival {
  readonly apiVersion: 'berth.dev/v1alpha1'
  readonly kind: 'Survival'
  readonly question: string
  readonly seconds: number
  readonly notes: readonly ForecastNote[]
  /** The worst verdict. */
  readonly verdict: Verdict
  /** The worst first. */
  readonly failures: readonly SurvivalRow[]
}

export interface SurvivalQuestion {
  readonly plan: ForecastPlan
  readonly cases: readonly FailureCase[]
  readonly isWhole: boolean
  /** Absent: one per core, if the cluster is large. */
  readonly threads?: number | undefined
  readonly pluginFiles: readonly string[]
  /** A thread that reads the cluster of the plan. */
  readonly reader?: Worker | undefined
  readonly notes: readonly ForecastNote[]
}

/** Runs all failures, on all cores if the cluster is large, and prints the table. */
export async function answerSurvival(
  question: SurvivalQuestion,
  context: CommandContext<ForecastOptions>,
): Promise<ExitCode> {
  const { options, stdout, env } = context
  const { plan, isWhole, notes } = question
  const { found } = plan
  if (found === undefined) throw wrongQuestion('--each-… needs a running cluster, a snapshot or a dump')
  const settings = await webhookSettingsOf(options, context)
  const survivalPlan: SurvivalPlan = { ...plan, ...settings, found, isWhole }
  const rows = worstFirst(await playAll(survivalPlan, question, context))
  await saveRecording(options, settings.webhooks, context)
  const survival = survivalOf(plan, rows, notes)
  if (!['table', 'wide', 'json', 'yaml'].includes(options.output))
    throw wrongQuestion(`-o ${options.output} is not supported here; use table, wide, json or yaml`)
  printValue(stdout, options.output, survival, () =>
    survivalText(survival, options.output === 'wide', choosePalette(stdout, env)),
  )
  const { failOn } = options
  const isBad = failOn !== 'never' && isAsBadAs(survival.verdict, failOn.toUpperCase() as Verdict)
  return isBad ? exitCodes.answerIsNo : exitCodes.done
}

/** The table of the failures of a plan, the worst first. */
export function survivalOf(
  { title, untilMs }: Pick<ForecastPlan, 'title' | 'untilMs'>,
  rows: readonly SurvivalRow[],
  notes: readonly ForecastNote[],
): Survival {
  return {
    apiVersion: 'berth.dev/v1alpha1',
    kind: 'Survival',
    question: title,
    seconds: untilMs / 1000,
    notes: [...notes, ...unansweredNotes(rows.flatMap(({ unanswered = [] }) => unanswered))],
    verdict: rows[0]?.verdict ?? 'SAFE',
    failures: rows,
  }
}

async function playAll(
  plan: SurvivalPlan,
  { cases, pluginFiles, reader, threads }: Pick<SurvivalQuestion, 'cases' | 'pluginFiles' | 'reader' | 'threads'>,
  { options, stderr, interruption }: CommandContext<ForecastOptions>,
): Promise<readonly SurvivalRow[]> {
  let played = 0
  const onPlayed = () => {
    played++
    if (stderr.isTTY) stderr.write(`\r\u001b[K${played} of ${cases.length} failures`)
  }
  try {
    const { seed } = options
    return await playSurvival({ plan, seed, pluginFiles, reader, cases, threads, signal: interruption(), onPlayed })
  } finally {
    if (stderr.isTTY) stderr.write('\r\u001b[K')
  }
}

const mostRows = 25
const colors = { SAFE: 'green', DEGRADED: 'yellow', BLOCKED: 'yellow', UNSAFE: 'red' } as const

export function survivalText(
  { failures, question, notes, verdict }: Survival,
  wide: boolean,
  palette: TextPalette,
): string {
  const counts = (['UNSAFE', 'BLOCKED', 'DEGRADED', 'SAFE'] as const)
    .map((each) => ({ each, count: failures.filter((row) => row.verdict === each).length }))
    .filter(({ count }) => count > 0)
  const first = `${palette.paint(colors[verdict], verdict)}: of ${counted(failures.length, 'failure')}, ${counts
    .map(({ each, count }) => `${count} ${count === 1 ? 'is' : 'are'} ${each}`)
    .join(', ')} (${question}).\n\n`
  const shown = wide ? failures : failures.slice(0, mostRows)
  const table = renderTable<SurvivalRow>(
    [
      { header: 'FAILURE', cell: (row) => row.failure },
      { header: 'VERDICT', cell: (row) => row.verdict, style: (row) => colors[row.verdict] },
      { header: 'EVICTED', cell: (row) => String(row.caused.podsDeleted), align: 'right' },
      { header: 'PENDING', cell: (row) => String(row.caused.podsPending), align: 'right' },
      { header: 'STUCK', cell: (row) => String(row.stuck), align: 'right' },
      {
        header: 'RECOVERED',
        cell: (row) => (row.recovered === undefined ? 'no' : span(row.recovered * 1000)),
        align: 'right',
      },
      {
        header: 'BELOW BUDGET',
        cell: (row) => (wide ? row.belowBudget.join(', ') : listed(row.belowBudget, 2)),
      },
    ],
    shown,
    palette,
  )
  const more = failures.length > shown.length ? `… and ${failures.length - shown.length} more failures: -o wide\n` : ''
  const remarks = notes.map((note) => `${noteTitles[note.kind]}: ${note.text}.\n`).join('')
  return `${first}${table}${more}${remarks === '' ? '' : `\n${wrapLines(remarks, wide ? anyWidth(palette) : palette)}`}`
}
