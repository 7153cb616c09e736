import type { JsonObject } from '../api/objects/meta.ts'
import { EndlessInstantError } from '../runtime/step-driver.ts'
import { findLoops } from '../whatif/facts/loops.ts'
import { selectsPod } from '../whatif/facts/pod-selection.ts'
import { type Shortage, WorkloadAvailability } from '../whatif/facts/workload-availability.ts'
import { judgeRun, loopsNotIn } from '../whatif/report/build-forecast.ts'
import { comparedExpectations } from '../whatif/report/compared-expectations.ts'
import { causedBy, impactOf } from '../whatif/report/impact.ts'
import { ForecastRun } from '../whatif/run/forecast-run.ts'
import { shortageText } from '../whatif/run/lasting-states.ts'
import { StepError } from '../whatif/run/step-runner.ts'
import type { PlannedStep } from '../whatif/scenario/step.ts'
import { readStep } from '../whatif/scenario/step-reader.ts'
import { noFiles, type SearchBase } from './search-base.ts'

/** An expectation that a case violates. */
export interface CaseViolation {
  readonly expectation: string
  /** The workload or pod of the violation. It identifies equal violations. */
  readonly subject: string
  /** Completes "… leaves". */
  readonly effect: string
  /** The text in a forecast. */
  readonly text: string
  readonly atMs: number
}

/** The outcome of a case: plain data. */
export interface CaseResult {
  readonly violation?: CaseViolation
  /** The distance to a violation: 1 is the state before the case, 0 is a violation. */
  readonly margin: number
  /** The maximum number of ready pods that each workload lost, by the index of the workload. */
  readonly losses: readonly (readonly [workload: number, lost: number])[]
  /** The features that the case reached, for the coverage. */
  readonly features: readonly string[]
  /** The times at which nodes and pods changed, in seconds. */
  readonly changedAt: readonly number[]
  /** The steps cannot run in this cluster. */
  readonly impossible?: string
}

export async function runCase(base: SearchBase, steps: readonly JsonObject[]): Promise<CaseResult> {
  const planned: PlannedStep[] = []
  for (const [at, step] of steps.entries()) planned.push(await readStep(step, `steps[${at}]`, noFiles))
  planned.sort((a, b) => a.atMs - b.atMs)
  try {
    return play(base, planned)
  } catch (error) {
    if (error instanceof StepError) return { ...nothing, impossible: error.message }
    if (error instanceof EndlessInstantError) return { ...nothing, margin: 0, violation: endless(error) }
    throw error
  }
}

const nothing: CaseResult = { margin: 1, losses: [], features: [], changedAt: [] }

function endless({ message }: EndlessInstantError): CaseViolation {
  const [text = ''] = message.split('\n')
  return { expectation: 'noLoop', subject: 'controllers', effect: 'controllers in an endless loop', text, atMs: 0 }
}

function play(base: SearchBase, steps: readonly PlannedStep[]): CaseResult {
  const { plan, input, tally, workloads, expect, quietMs } = base
  const availability = new WorkloadAvailability(workloads)
  const run = ForecastRun.start(
    { ...plan, steps, expect },
    { seed: input.seed, tally, quietMs, observe: (changes, atMs) => availability.take(changes, atMs) },
  ).finish()
  availability.judge()
  const violation = shortageIn(base, availability, run.elapsedMs) ?? brokenIn(base, run)
  const losses = availability.fewest.flatMap((fewest, at) => {
    const lost = (workloads.all[at]?.ready ?? 0) - fewest
    return lost > 0 ? [[at, lost] as const] : []
  })
  return {
    ...(violation === undefined ? {} : { violation }),
    margin: violation === undefined ? marginOf(base, availability, run) : 0,
    losses,
    features: featuresOf(base, losses, run),
    changedAt: changeTimes(run),
  }
}

function shortageIn(
  { availability: expectations, baseline }: SearchBase,
  { shortages }: WorkloadAvailability,
  endMs: number,
): CaseViolation | undefined {
  for (const { kind, forMs, pods } of expectations) {
    const found = shortages.find((shortage) => {
      const { namespace, labels, name } = shortage.workload
      if (baseline.short.has(name) || (shortage.untilMs ?? endMs) - shortage.fromMs <= forMs) return false
      return selectsPod(pods, { metadata: { namespace, labels } } as never)
    })
    if (found !== undefined) {
      const { workload, fromMs } = found
      const text = shortageText(found, endMs)
      return { expectation: kind, subject: workload.name, effect: shortageEffect(found, text), text, atMs: fromMs }
    }
  }
  return undefined
}

/** `checkout with 0 of 3 ready for 6m10s` */
function shortageEffect({ workload }: Shortage, text: string): string {
  const [said = ''] = text.split(';')
  return said.replace(`${workload.namespace}/${workload.own} has`, `${workload.namespace}/${workload.own} with`)
}

function brokenIn({ baseline, expect }: SearchBase, run: ForecastRun): CaseViolation | undefined {
  if (expect.length === 0) return undefined
  const loops = loopsNotIn(findLoops(run.recorder, run.elapsedMs), baseline.loops)
  const caused = causedBy(impactOf(run), baseline.facts.impact)
  const judged = judgeRun(run, { caused, loops, baseline: baseline.facts })
  const compared = comparedExpectations(run, { caused, loops, baseline: baseline.run, ...judged })
  const broken = compared.find(({ holds }) => !holds)
  if (broken === undefined) return undefined
  const { kind, violation } = broken
  const text = violation?.text ?? ''
  return {
    expectation: kind,
    subject: subjectOf(text),
    effect: effectOf(kind, text, subjectOf(text)),
    text,
    atMs: (violation?.seconds ?? 0) * 1000,
  }
}

/** The name of the workload of a pod with a generated name does not differ from case to case. */
function subjectOf(text: string): string {
  const [first = ''] = text.split(' ')
  return first.replace(/(-[a-z0-9]{8,10})?-[a-z0-9]{5}$/, '')
}

function effectOf(kind: string, text: string, subject: string): string {
  const [said = ''] = text.split(': ')
  if (kind === 'noPodPending' || kind === 'noPodStuck') {
    const [pod = ''] = text.split(' ')
    const who = pod === subject ? pod : `a pod of ${subject}`
    return `${who}${said.slice(pod.length).replace(' is ', ' ')}`
  }
  return kind === 'noLoop' ? `a loop: ${text}` : text
}

function marginOf({ workloads }: SearchBase, { fewest }: WorkloadAvailability, run: ForecastRun): number {
  let margin = 1
  workloads.all.forEach(({ required, ready }, at) => {
    if (required === 0) return
    margin = Math.min(margin, ((fewest[at] ?? 0) - required + 1) / (ready - required + 1))
  })
  // Pending pods and the time to recovery distinguish cases with equal losses.
  const { wellAgainMs, tally } = run.recorder
  const recovery = (wellAgainMs ?? run.elapsedMs) / run.plan.untilMs
  return Math.max(0.001, margin - 0.1 * recovery - (tally.states.pending > 0 ? 0.2 : 0))
}

function featuresOf({ workloads }: SearchBase, losses: CaseResult['losses'], run: ForecastRun): readonly string[] {
  const counts = new Map<string, number>()
  for (const { what } of run.recorder.facts) counts.set(what, (counts.get(what) ?? 0) + 1)
  return [
    ...losses.map(([at, lost]) => `${workloads.all[at]?.name} loses ${lost}`),
    ...[...counts].map(([what, count]) => `${what} ${2 ** Math.ceil(Math.log2(count))}`),
  ]
}

function changeTimes({ recorder }: ForecastRun): readonly number[] {
  const times = new Set<number>()
  for (const { atMs, what } of recorder.facts) if (what !== 'step') times.add(Math.floor(atMs / 1000))
  return [...times].slice(0, 200)
}
