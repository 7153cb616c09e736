// Shared by all commands that forecast: the options, the run with progress and Ctrl-C, and the output.
import { setImmediate } from 'node:timers/promises'
import { loadPageCode } from '../controlplane/ports-console.ts'
import { EndlessInstantError, UnanswerableAskError } from '../runtime/step-driver.ts'
import { formatTrace } from '../whatif/facts/fact.ts'
import { buildForecast } from '../whatif/report/build-forecast.ts'
import type { Forecast, ForecastNote, Verdict } from '../whatif/report/forecast.ts'
import { span } from '../whatif/report/phrases.ts'
import { forecastPage } from '../whatif/report/report-page.ts'
import type { PageCode } from '../whatif/report/self-contained-page.ts'
import { type PodRequests, podRequests } from '../whatif/report/shown-forecast.ts'
import { isAsBadAs } from '../whatif/report/verdict.ts'
import { ForecastRun } from '../whatif/run/forecast-run.ts'
import { rangeOfSeeds } from '../whatif/run/seeds.ts'
import { StepError } from '../whatif/run/step-runner.ts'
import { baselineOf, type ForecastPlan } from '../whatif/scenario/forecast-plan.ts'
import { dumpCommand } from '../whatif/snapshot/snapshot-resources.ts'
import {
  type CommandContext,
  choice,
  type ExitCode,
  exitCodes,
  flag,
  grouped,
  integer,
  type OptionValues,
  type Ports,
  text,
  wrongQuestion,
} from './command.ts'
import { forecastJunit, forecastMarkdown } from './forecast-documents.ts'
import { forecastText } from './forecast-output.ts'
import { forecastSarif } from './forecast-sarif.ts'
import { choosePalette, toJson, toYaml } from './output.ts'
import { scannedFile } from './sarif.ts'
import { saveRecording, webhookOptions, webhookSettingsOf } from './webhook-options.ts'

export const forecastFormats = ['table', 'wide', 'json', 'yaml', 'html', 'markdown', 'junit', 'sarif', 'trace'] as const

const failures = ['degraded', 'blocked', 'unsafe'] as const

/** Options of commands that forecast. */
export function forecastOptions() {
  return { ...outputOptions(), ...grouped('Webhook options', webhookOptions) }
}

export function outputOptions() {
  return {
    output: choice({ short: 'o', summary: 'Output format', choices: forecastFormats, default: 'table' }),
    seed: text({ summary: 'Random seed', default: '1' }),
    seeds: integer({ summary: 'Repeat with N other seeds and report what varies', min: 2, max: 1000 }),
    failOn: choice({
      summary: 'Exit with 1 if the verdict is this or worse',
      choices: ['never', ...failures],
      default: 'never',
    }),
    strict: flag({ summary: 'Exit with 2 if the input lacks a kind that could change the answer' }),
    brief: flag({ summary: 'Print one line: the verdict and its reason' }),
    timeline: flag({ summary: 'Also print the events in order of time' }),
    pods: flag({ summary: 'Also print each affected pod' }),
    withBaseline: flag({ summary: 'Also print the impact without the change' }),
  }
}

export type ForecastOptions = OptionValues<ReturnType<typeof forecastOptions>>

interface AnswerOptions {
  readonly context: CommandContext<ForecastOptions>
  readonly notes?: readonly ForecastNote[]
  /** Printed before the error of a step. */
  readonly prefix?: string
}

/** Runs a plan and prints the forecast. The exit code is 1 if an expectation is not met. */
export async function answerPlan(
  given: ForecastPlan,
  { context, notes = [], prefix = '' }: AnswerOptions,
): Promise<ExitCode> {
  const plan = { ...given, ...(await webhookSettingsOf(context.options, context)) }
  try {
    return await printForecast(plan, { context, notes, prefix })
  } finally {
    await saveRecording(context.options, plan.webhooks, context)
  }
}

async function printForecast(
  plan: ForecastPlan,
  { context, notes, prefix }: Required<AnswerOptions>,
): Promise<ExitCode> {
  const { options, stdout, env } = context
  const { forecastRun, interrupted, endless } = await play(plan, options.seed, context, prefix)
  if (options.output === 'trace') {
    stdout.write(formatTrace(forecastRun.recorder.facts))
    return exitCodeOf(forecastRun.expectations())
  }
  const baseline = interrupted ? undefined : await playBaseline(plan, forecastRun.elapsedMs, context)
  const forecast = await withSeeds(
    buildForecast(forecastRun, {
      notes: [...notes, ...endlessNotes(endless)],
      interrupted,
      ...(baseline === undefined ? {} : { baseline }),
    }),
    { plan, context, prefix, baseline },
  )
  if (options.strict) refuseGaps(forecast)
  stdout.write(forecastOutput(forecast, { context, env, requests: podRequests(forecastRun.recorder) }))
  const { failOn } = options
  const isBad = failOn !== 'never' && isAsBadAs(forecast.verdict, failOn.toUpperCase() as Verdict)
  return isBad ? exitCodes.answerIsNo : exitCodeOf(forecast.expectations)
}

function refuseGaps({ notes }: Forecast): void {
  const gaps = notes.filter(({ matters }) => matters === true)
  if (gaps.length === 0) return
  const kinds = gaps.map(({ about }) => about).join(', ')
  throw wrongQuestion(
    `--strict: the input lacks ${kinds}, which could change the answer: ${gaps[0]?.text}; create it with: ${dumpCommand} > dump.json`,
  )
}

/** Runs the same cluster without the steps, to find what happens anyway. Undefined if the run was interrupted or has no end. */
async function playBaseline(
  plan: ForecastPlan,
  elapsedMs: number,
  context: CommandContext<ForecastOptions>,
): Promise<ForecastRun | undefined> {
  if (plan.steps.length === 0) return undefined
  const { forecastRun, interrupted } = await play(baselineOf(plan, elapsedMs), context.options.seed, context)
  return interrupted ? undefined : forecastRun
}

/** Repeats the run with other seeds, if --seeds is set. */
async function withSeeds(
  forecast: Forecast,
  {
    plan,
    context,
    prefix,
    baseline,
  }: {
    readonly plan: ForecastPlan
    readonly context: CommandContext<ForecastOptions>
    readonly prefix: string
    readonly baseline: ForecastRun | undefined
  },
): Promise<Forecast> {
  const { seed, seeds } = context.options
  if (seeds === undefined || forecast.interrupted) return forecast
  const all = [forecast]
  for (let run = 2; run <= seeds; run++) {
    const { forecastRun, interrupted } = await play(plan, `${seed}-${run}`, context, prefix)
    if (interrupted) break
    all.push(buildForecast(forecastRun, baseline === undefined ? {} : { baseline }))
  }
  return { ...forecast, seeds: rangeOfSeeds(all) }
}

interface PrintOptions {
  readonly context: CommandContext<ForecastOptions>
  readonly env: Ports['env']
  readonly requests: PodRequests
}

function forecastOutput(forecast: Forecast, { context, env, requests }: PrintOptions): string {
  const { stdout, options } = context
  switch (options.output) {
    case 'json':
      return toJson(forecast)
    case 'yaml':
      return toYaml(forecast)
    case 'markdown':
      return forecastMarkdown(forecast)
    case 'junit':
      return forecastJunit(forecast)
    case 'sarif':
      return toJson(forecastSarif(forecast, scannedFile(options as Parameters<typeof scannedFile>[0])))
    case 'html':
      return forecastPage(forecast, { code: pageCode(), requests })
    default:
      return forecastText(forecast, {
        wide: options.output === 'wide',
        brief: options.brief,
        timeline: options.timeline,
        pods: options.pods,
        withBaseline: options.withBaseline,
        palette: choosePalette(stdout, env),
      })
  }
}

function pageCode(): PageCode {
  const code = loadPageCode()
  if (code === undefined) throw wrongQuestion('-o html: the browser code is not built; run npm run build')
  return code
}

function exitCodeOf(expectations: readonly { readonly holds: boolean }[]): ExitCode {
  return expectations.every(({ holds }) => holds) ? exitCodes.done : exitCodes.answerIsNo
}

// Large enough that returning to the event loop costs little, small enough for a quick response to Ctrl-C.
const instantsAtOnce = 200
const progressMs = 500

interface RunResult {
  readonly forecastRun: ForecastRun
  readonly interrupted: boolean
  /** The error if controllers reacted to each other forever at the last instant. */
  readonly endless?: string
}

function endlessNotes(endless: string | undefined): readonly ForecastNote[] {
  if (endless === undefined) return []
  const [first = ''] = endless.split('\n')
  return [{ kind: 'uncertain', text: `the forecast ends here: ${first.replace(/; the last actions were:$/, '')}` }]
}

/** Runs a plan to its end, or until Ctrl-C. */
export async function play(
  plan: ForecastPlan,
  seed: string,
  ports: Pick<Ports, 'stderr' | 'interruption' | 'now'>,
  prefix = '',
): Promise<RunResult> {
  const progress = createProgress(plan, ports)
  const signal = ports.interruption()
  let forecastRun: ForecastRun | undefined
  try {
    forecastRun = ForecastRun.start(plan, { seed })
    let goesOn = true
    while (goesOn && !signal.aborted) {
      goesOn = forecastRun.proceed(instantsAtOnce)
      progress.show(forecastRun)
      if (goesOn) await setImmediate()
    }
    return { forecastRun, interrupted: goesOn }
  } catch (error) {
    if (error instanceof EndlessInstantError && forecastRun !== undefined)
      return { forecastRun, interrupted: true, endless: error.message }
    if (error instanceof StepError || error instanceof UnanswerableAskError)
      throw wrongQuestion(`${prefix}${error.message}`)
    throw error
  } finally {
    progress.end()
  }
}

/** A progress line that is overwritten; prints nothing without a terminal. */
function createProgress(plan: ForecastPlan, { stderr, now }: Pick<Ports, 'stderr' | 'now'>) {
  const startedAt = now()
  let shownAt = startedAt
  let isShown = false
  return {
    show(forecastRun: ForecastRun) {
      const present = now()
      if (!stderr.isTTY || present - shownAt < progressMs) return
      shownAt = present
      isShown = true
      const speed = Math.round(forecastRun.elapsedMs / Math.max(1, present - startedAt))
      const { facts } = forecastRun.recorder
      stderr.write(
        `\r\u001b[K${span(forecastRun.elapsedMs)} of ${span(plan.untilMs)}, ${facts.length} facts, ${speed}× real time`,
      )
    },
    end() {
      if (isShown) stderr.write('\r\u001b[K')
    },
  }
}
