// `berth whatif fail --each-…`: the survivability table.
import { availableParallelism } from 'node:os'
import type { Node } from '../api/objects/node.ts'
import { labels } from '../api/well-known.ts'
import type { ForecastNote, Verdict } from '../whatif/report/forecast.ts'
import { counted, listed, span } from '../whatif/report/phrases.ts'
import { isAsBadAs } from '../whatif/report/verdict.ts'
import type { ForecastPlan } from '../whatif/scenario/forecast-plan.ts'
import type { FailureCase } from '../whatif/scenario/question.ts'
import {
  casesByLabel,
  type SurvivalPlan,
  type SurvivalRow,
  SurvivalRuns,
  worstFirst,
} from '../whatif/survival/survival.ts'
import { type CommandContext, type ExitCode, exitCodes, wrongQuestion } from './command.ts'
import { askElsewhere, canAskElsewhere, momentOf } from './console/worker.ts'
import type { ForecastOptions } from './forecast-command.ts'
import { choosePalette, renderTable, type TextPalette, toJson, toYaml } from './output.ts'

export interface EachOptions {
  readonly eachZone: boolean
  readonly eachNode: boolean
  readonly eachRack: boolean
  readonly rackLabel: string
  readonly whole: boolean
}

/** The failures that the options ask for; undefined if they name none. */
export function casesOf(options: EachOptions, nodes: readonly Node[]): readonly FailureCase[] | undefined {
  const { eachZone, eachNode, eachRack, rackLabel } = options
  const asked = [eachZone, eachNode, eachRack].filter(Boolean).length
  if (asked === 0) return undefined
  if (asked > 1) throw wrongQuestion('--each-zone, --each-node and --each-rack are mutually exclusive')
  if (eachNode) return nodes.map(({ metadata }) => ({ name: metadata.name, nodes: [metadata.name] }))
  const key = eachZone ? labels.zone : rackLabel
  const cases = casesByLabel(nodes, key)
  if (cases.length === 0) throw wrongQuestion(`no node has the label ${key}`)
  return cases
}

interface Survival {
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
  readonly pluginFiles: readonly string[]
  readonly notes: readonly ForecastNote[]
}

/** Plays all failures, in two threads if the cluster is large, and prints the table. */
export async function answerSurvival(
  { plan, cases, isWhole, pluginFiles, notes }: SurvivalQuestion,
  context: CommandContext<ForecastOptions>,
): Promise<ExitCode> {
  const { options, stdout, env } = context
  const { found } = plan
  if (found === undefined) throw wrongQuestion('--each-… needs a running cluster, a snapshot or a dump')
  const survivalPlan: SurvivalPlan = { ...plan, found, isWhole }
  const rows = worstFirst(await playAll(survivalPlan, cases, pluginFiles, context))
  const survival: Survival = {
    apiVersion: 'berth.dev/v1alpha1',
    kind: 'Survival',
    question: plan.title,
    seconds: plan.untilMs / 1000,
    notes,
    verdict: rows[0]?.verdict ?? 'SAFE',
    failures: rows,
  }
  if (options.output === 'json') stdout.write(toJson(survival))
  else if (options.output === 'yaml') stdout.write(toYaml(survival))
  else if (options.output === 'table' || options.output === 'wide')
    stdout.write(survivalText(survival, options.output === 'wide', choosePalette(stdout, env)))
  else throw wrongQuestion(`-o ${options.output} is not supported here; use table, wide, json or yaml`)
  const { failOn } = options
  const isBad = failOn !== 'never' && isAsBadAs(survival.verdict, failOn.toUpperCase() as Verdict)
  return isBad ? exitCodes.answerIsNo : exitCodes.done
}

// A smaller cluster is played faster than it is sent to threads.
const largeWork = 20_000

async function playAll(
  plan: SurvivalPlan,
  cases: readonly FailureCase[],
  pluginFiles: readonly string[],
  { options, stderr, interruption }: CommandContext<ForecastOptions>,
): Promise<readonly SurvivalRow[]> {
  const { store, takenAtMs } = plan.found
  const work = store.count('pods') * Math.min(cases.length, 20)
  const threads = Math.min(availableParallelism(), cases.length)
  const signal = interruption()
  let played = 0
  const show = () => {
    if (stderr.isTTY) stderr.write(`\r\u001b[K${played} of ${cases.length} failures`)
  }
  try {
    if (work < largeWork || threads < 2 || !canAskElsewhere()) {
      const runs = new SurvivalRuns(plan, options.seed)
      const rows: SurvivalRow[] = []
      for (const failure of cases) {
        if (signal.aborted) break
        rows.push(runs.play(failure))
        played++
        show()
        await new Promise((resolve) => setImmediate(resolve))
      }
      return rows
    }
    const moment = momentOf(store)
    const { settings, hollow, untilMs, without = [], isWhole = false } = plan
    const setup = { settings, hollow, untilMs, without, isWhole, pluginFiles }
    const parts = Array.from({ length: threads }, (_, thread) => cases.filter((_case, at) => at % threads === thread))
    const onProgress = () => {
      played++
      show()
    }
    const watch = { onProgress, isUnwanted: () => signal.aborted }
    const answers = await Promise.all(
      parts.map((part) =>
        askElsewhere(moment, { kind: 'failures', cases: part, setup, seed: options.seed, now: takenAtMs }, watch),
      ),
    )
    return answers.flatMap((rows) => rows as readonly SurvivalRow[])
  } finally {
    if (stderr.isTTY) stderr.write('\r\u001b[K')
  }
}

const mostRows = 25
const colors = { SAFE: 'green', DEGRADED: 'yellow', BLOCKED: 'yellow', UNSAFE: 'red' } as const

function survivalText({ failures, question, notes, verdict }: Survival, wide: boolean, palette: TextPalette): string {
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
  const remarks = notes.map(({ text }) => `${text[0]?.toUpperCase()}${text.slice(1)}.\n`).join('')
  return `${first}${table}${more}${remarks === '' ? '' : `\n${remarks}`}`
}
