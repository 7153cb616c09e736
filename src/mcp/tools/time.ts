import { WrongField } from '../../api/document-reader.ts'
import type { JsonObject } from '../../api/objects/meta.ts'
import { buildForecast } from '../../whatif/report/build-forecast.ts'
import type { Forecast } from '../../whatif/report/forecast.ts'
import { counted, span } from '../../whatif/report/phrases.ts'
import { ForecastRun } from '../../whatif/run/forecast-run.ts'
import { type Expectation, expectationKinds, readExpectations } from '../../whatif/scenario/expectation.ts'
import { baselineOf, type ForecastPlan } from '../../whatif/scenario/forecast-plan.ts'
import type { PlannedStep } from '../../whatif/scenario/step.ts'
import { stepKinds } from '../../whatif/scenario/step-reader.ts'
import type { WorkloadEntry } from '../../wire/forecast-entries.ts'
import { ToolError, type ToolOutcome } from '../answer.ts'
import { oneLine } from '../cluster-text.ts'
import { answered, plannedStepOf, type WrittenStep } from '../fork.ts'
import { countsText, happeningsSince, stateText } from '../happenings.ts'
import { fields, openFields } from '../input-schema.ts'
import { provenanceOf, provenanceText } from '../provenance.ts'
import { textTable } from '../text-table.ts'
import { durationOf, forecastMsOf, forkOf, forkOutput, forkValue, inputs, type Tool } from '../tool.ts'
import type { Work } from '../work.ts'
import type { KeptForecast } from '../workspace.ts'

const advanceTool: Tool = {
  name: 'advance',
  title: 'Advance the virtual time',
  description:
    'Advances the virtual time of a fork. The scheduler, the controllers and hollow kubelets act, and the answer reports the facts: ' +
    'pods bound, evicted, started or pending, and nodes that became NotReady. An hour takes seconds.',
  effect: 'changes',
  input: fields({ fork: inputs.fork, duration: { ...inputs.duration, default: '5m' } }),
  output: openFields(
    {
      ...forkOutput,
      counts: { type: 'object', description: 'How often each kind of fact occurred.' },
      facts: { type: 'array', items: { type: 'string' } },
      state: { type: 'object' },
    },
    ['fork', 'at', 'counts', 'state'],
  ),
  run: async (given, context) => {
    const fork = forkOf(given, context)
    const ms = durationOf(given, 'duration', '5m')
    const since = fork.run.recorder.facts.length
    await context.workspace.advance(fork, ms, context.work)
    const { counts, lines, state } = happeningsSince(fork, since)
    const shown = lines.slice(0, factsShown)
    return {
      says: [`Fork ${fork.id} advanced by ${span(ms)} to ${fork.at}. ${stateText(state)}`, countsText(counts)],
      data: [...shown, ...(lines.length > shown.length ? [`… and ${lines.length - shown.length} more`] : [])],
      value: { ...forkValue(fork), counts, facts: shown, state },
      truncated: lines.length > shown.length,
    }
  },
}

const factsShown = 40

const forecastTool: Tool = {
  name: 'forecast',
  title: 'Forecast a change',
  description:
    'Forecasts the effect of a change without applying it: runs a copy of the fork with the change and one without it, and reports the ' +
    'difference: a verdict (SAFE, DEGRADED, BLOCKED, UNSAFE) with its reason, the pods that the change deletes, moves or leaves ' +
    'pending, the effect on each workload, and the budgets that block a drain. The fork does not change. Steps are those of a ' +
    `scenario: an object with exactly one of ${stepKinds.join(', ')}, and optionally \`at\`.`,
  effect: 'reads',
  input: fields(
    {
      fork: inputs.fork,
      change: {
        type: 'array',
        description:
          'The steps, for example [{"drain": {"node": "node-3"}}], [{"fail": {"zone": "zone-a"}}], ' +
          '[{"patch": {"target": "poddisruptionbudget/shop/web", "patch": {"spec": {"minAvailable": 1}}}}, {"at": "10s", "drain": {"node": "node-3"}}], ' +
          '[{"scale": {"target": "deployment/default/web", "replicas": 9}}], [{"apply": [{…manifest…}]}]. Targets are KIND/NAMESPACE/NAME or KIND/NAME.',
        items: { type: 'object' },
        maxItems: 100,
      },
      for: { ...inputs.duration, description: 'Virtual time to forecast.', default: '1h' },
      expect: {
        type: 'object',
        description: `Conditions that must be met, for example {"noNewPending": true, "drainedWithin": "10m"}: ${expectationKinds.join(', ')}.`,
      },
    },
    ['change'],
  ),
  output: openFields(
    {
      ...forkOutput,
      id: { type: 'string', description: 'The forecast can be read again as berth://forecasts/{id}.' },
      verdict: { type: 'string', enum: ['SAFE', 'DEGRADED', 'BLOCKED', 'UNSAFE'] },
      reason: { type: 'string' },
      caused: { type: 'object', description: 'The effects of the change.' },
      baseline: { type: 'object', description: 'The effects without the change.' },
      workloads: { type: 'array' },
      devices: { type: 'array', description: 'Devices that the change allocates or releases.' },
      upgrade: { type: 'object', description: 'The progress of an upgrade of nodes.' },
      cost: { type: 'object', description: 'Cost of the nodes per hour, if prices are known.' },
      expectations: { type: 'array' },
      provenance: { type: 'object' },
    },
    ['fork', 'at', 'id', 'verdict', 'reason', 'caused', 'baseline', 'provenance'],
  ),
  run: async (given, context) => {
    const { workspace, work } = context
    workspace.checkMemory()
    const fork = forkOf(given, context)
    const untilMs = forecastMsOf(given, context, ' in one call')
    const written = (given['change'] as readonly JsonObject[]).map((step) => ({ at: '0s', ...step }) as WrittenStep)
    const steps: PlannedStep[] = []
    for (const [at, step] of written.entries()) steps.push(await plannedStepOf(step, `change[${at}]`))
    const late = steps.find(({ atMs }) => atMs > untilMs)
    if (late !== undefined) throw new ToolError(`${late.path}.at: must not be later than for`)
    const expect = expectationsIn(given['expect'])
    const plan = fork.forecastPlan(titleOf(written), {
      steps: steps.toSorted((a, b) => a.atMs - b.atMs),
      untilMs,
      expect,
    })
    const forecast = await forecastOf(plan, fork.how.seed, work)
    const notes = fork.snapshot.input.notes
    const kept = workspace.keep({
      fork: fork.id,
      forecast: { ...forecast, notes: [...notes, ...forecast.notes] },
      provenance: provenanceOf(fork),
      steps: written,
    })
    return forecastAnswer(kept, forkValue(fork))
  },
}

export function expectationsIn(value: unknown): readonly Expectation[] {
  if (value === undefined) return []
  try {
    return readExpectations(value, 'expect')
  } catch (error) {
    if (error instanceof WrongField) throw new ToolError(error.message)
    throw error
  }
}

async function forecastOf(plan: ForecastPlan, seed: string, work: Work): Promise<Forecast> {
  const isAlone = plan.steps.length === 0
  const total = plan.untilMs * (isAlone ? 1 : 2)
  const forecastRun = await played(plan, seed, (done) => work.pause({ done, total }))
  if (isAlone) return buildForecast(forecastRun)
  const baseline = await played(baselineOf(plan), seed, (done) => work.pause({ done: plan.untilMs + done, total }))
  return buildForecast(forecastRun, { baseline })
}

async function played(
  plan: ForecastPlan,
  seed: string,
  pause: (done: number) => ReturnType<Work['pause']>,
): Promise<ForecastRun> {
  const run = answered(() => ForecastRun.start(plan, { seed }))
  while (answered(() => run.proceed(1))) await pause(Math.max(0, run.elapsedMs))
  return run
}

const titleLength = 200

/** `drain node-3; patch poddisruptionbudget/shop/web` */
export function titleOf(steps: readonly WrittenStep[]): string {
  const parts = steps.map(({ at: _, ...step }) => {
    const [[kind = '', value] = []] = Object.entries(step)
    return `${kind} ${targetIn(value)}`.trim()
  })
  const title = parts.join('; ') || 'no change'
  return title.length > titleLength ? `${title.slice(0, titleLength)}…` : title
}

function targetIn(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(targetIn).join(', ')
  if (typeof value !== 'object' || value === null) return ''
  const { node, nodes, zone, region, rack, selector, target, targets, taint, replicas, kind, metadata } =
    value as Record<string, unknown>
  if (typeof kind === 'string') return `${kind}/${(metadata as { name?: string } | undefined)?.name ?? ''}`
  const place = node ?? nodes ?? zone ?? region ?? rack ?? selector ?? target ?? targets
  const more = taint ?? replicas
  return `${Array.isArray(place) ? place.join(', ') : String(place ?? '')}${more === undefined ? '' : ` ${String(more)}`}`
}

const workloadsShown = 20
const devicesShown = 20

function forecastAnswer({ id, forecast, provenance }: KeptForecast, at: ReturnType<typeof forkValue>): ToolOutcome {
  const { verdict, reason, caused, baseline, workloads, expectations, drains, answer, notes, question, seconds } =
    forecast
  const { devices, upgrade, cost } = forecast
  const shown = workloads.slice(0, workloadsShown)
  const unmet = expectations.filter(({ holds }) => !holds)
  const blocked = drains?.blocked ?? []
  return {
    says: [
      `${verdict}. Forecast ${id} on fork ${at.fork} at ${at.at}, for ${span(seconds * 1000)}.`,
      `Caused by the change: ${impactText(caused)}. Happens anyway: ${impactText(baseline)}.`,
      ...(expectations.length === 0
        ? []
        : [`Expectations: ${expectations.length - unmet.length} of ${expectations.length} met.`]),
      provenanceText(provenance),
    ],
    data: [
      `Question: ${oneLine(question)}`,
      `Reason: ${oneLine(reason)}`,
      ...answer.lines.map((line) => `- ${oneLine(line)}`),
      ...unmet.map(({ kind, violation }) => `- not met: ${oneLine(`${kind}: ${violation?.text ?? ''}`)}`),
      ...blocked.slice(0, 20).map(({ node, pod, why }) => `- blocked: ${oneLine(`${pod} on ${node}: ${why}`)}`),
      ...(shown.length === 0 ? [] : workloadTable(shown)),
      ...(workloads.length > shown.length ? [`… and ${workloads.length - shown.length} more workloads`] : []),
      // The tool open has reported the assumptions.
      ...notes.filter(({ kind }) => kind !== 'assumed').map(({ kind, text }) => `- ${kind}: ${oneLine(text)}`),
    ],
    value: {
      ...at,
      id,
      verdict,
      reason,
      caused,
      baseline,
      workloads: shown.map(workloadValue),
      expectations: expectations.map(({ kind, holds, violation }) => ({
        kind,
        holds,
        ...(violation && { violation }),
      })),
      ...(devices === undefined ? {} : { devices: devices.slice(0, devicesShown) }),
      ...(upgrade === undefined ? {} : { upgrade }),
      ...(cost === undefined ? {} : { cost }),
      ...(drains === undefined ? {} : { drains: { open: drains.open, blocked: blocked.slice(0, 20) } }),
      provenance,
    },
    truncated: workloads.length > shown.length || (devices?.length ?? 0) > devicesShown,
  }
}

const impactText = ({ podsDeleted, podsMoved, podsPending, workloadsBelowBudget }: Forecast['caused']): string =>
  `${counted(podsDeleted, 'pod')} deleted, ${podsMoved} moved, ${podsPending} pending at the end, ${counted(workloadsBelowBudget, 'budget')} violated`

function workloadTable(workloads: readonly WorkloadEntry[]): readonly string[] {
  return textTable(
    ['WORKLOAD', 'READY', 'LOWEST', 'DOWN', 'DELETED', 'MOVED', 'LOST', 'PENDING'],
    workloads.map(
      ({ kind, namespace, name, ready, replicas, lowestReady, timeDown, deleted, moved, lost, pending }) => [
        oneLine(`${kind.toLowerCase()}/${namespace}/${name}`),
        `${ready.before}->${ready.after}/${replicas}`,
        `${lowestReady.count} at ${span(lowestReady.at * 1000)}`,
        timeDown === 0 ? '0s' : span(timeDown * 1000),
        String(deleted),
        String(moved),
        String(lost),
        pending.map(({ reason, count }) => oneLine(`${count}: ${reason}`)).join('; ') || '0',
      ],
    ),
  )
}

function workloadValue(entry: WorkloadEntry): object {
  const { terminating, ...rest } = entry
  return { ...rest, ...(terminating.length === 0 ? {} : { terminating: terminating.length }) }
}

export const timeTools: readonly Tool[] = [advanceTool, forecastTool]
