import { WrongField } from '../api/document-reader.ts'
import type { JsonObject } from '../api/objects/meta.ts'
import { createRandom } from '../base/random.ts'
import { VirtualClock } from '../base/virtual-clock.ts'
import { createInProcessClient } from '../client/in-process-client.ts'
import { packs } from '../controllers/hollow-kubelet/packs.ts'
import type { Settings } from '../controlplane/settings.ts'
import type { VirtualCluster } from '../controlplane/virtual.ts'
import { createRegistry } from '../registry/registry.ts'
import { EndlessInstantError, type StepDriver, UnanswerableAskError } from '../runtime/step-driver.ts'
import { span } from '../whatif/report/phrases.ts'
import { ForecastRun } from '../whatif/run/forecast-run.ts'
import { StepError, StepRunner } from '../whatif/run/step-runner.ts'
import type { ForecastPlan } from '../whatif/scenario/forecast-plan.ts'
import { type FoundAutoscalers, withFoundAutoscalers } from '../whatif/scenario/found-autoscalers.ts'
import type { PlannedStep, Step } from '../whatif/scenario/step.ts'
import { readStep } from '../whatif/scenario/step-reader.ts'
import type { ClusterInput } from '../whatif/snapshot/found-cluster.ts'
import { learnedStages } from '../whatif/snapshot/startup-times.ts'
import { ToolError } from './answer.ts'
import type { Work } from './work.ts'

/** A cluster that a client opened. It never changes. */
export interface Snapshot {
  readonly id: string
  /** The file name that the client passed, or `live cluster`. */
  readonly source: string
  /** The SHA-256 of the file, so that a reviewer can compare it. */
  readonly hash: string
  readonly input: ClusterInput
}

export interface ForkSettings {
  readonly settings: Settings
  /** The flags that differ from those of the server, for scenarios. */
  readonly flags: Readonly<Record<string, unknown>>
  readonly seed: string
  /** How webhooks are answered. Default: they do not answer, and their failurePolicy applies. */
  readonly webhooks?: NonNullable<ForecastPlan['webhooks']>
}

/** A change as it is written in a scenario: `{ at: '0.001s', drain: { node: 'node-3' } }`. */
export type WrittenStep = JsonObject & { readonly at: string }

// Time in which the pods of manifests are scheduled before the first change.
const settleMs = 120_000

/**
 * A disposable cluster in virtual time. It is determined by its snapshot, settings, seed and changes: another fork of it,
 * a forecast on it and a replay of its scenario start from the snapshot and take the same changes at the same times.
 */
export class Fork {
  readonly id: string
  readonly parent: string | undefined
  readonly snapshot: Snapshot
  readonly how: ForkSettings
  readonly written: WrittenStep[] = []
  readonly run: ForecastRun
  private readonly planned: PlannedStep[] = []

  private constructor(given: Pick<Fork, 'id' | 'parent' | 'snapshot' | 'how'>, run: ForecastRun) {
    this.id = given.id
    this.parent = given.parent
    this.snapshot = given.snapshot
    this.how = given.how
    this.run = run
  }

  static open(id: string, snapshot: Snapshot, how: ForkSettings): Fork {
    const plan = planOf(snapshot, how, id)
    const run = answered(() => ForecastRun.start(plan, { seed: how.seed, isInteractive: true }))
    return new Fork({ id, parent: undefined, snapshot, how }, run)
  }

  /** Repeats the changes of this fork up to its current time, with other settings if they are given. */
  async fork(id: string, how: ForkSettings, work: Work): Promise<Fork> {
    const plan = { ...planOf(this.snapshot, how, id), steps: [...this.planned] }
    const run = answered(() => ForecastRun.start(plan, { seed: how.seed, isInteractive: true }))
    const fork = new Fork({ id, parent: this.id, snapshot: this.snapshot, how }, run)
    fork.written.push(...this.written)
    fork.planned.push(...this.planned)
    await fork.advanceTo(this.elapsedMs, work)
    return fork
  }

  /** Virtual time since the snapshot. */
  get elapsedMs(): number {
    return this.run.elapsedMs
  }

  /** `+1h15m` */
  get at(): string {
    return `+${span(this.elapsedMs)}`
  }

  /** Applies a change, first to a copy, so that a rejected change has no effect. */
  async perform(change: JsonObject): Promise<void> {
    const atMs = Math.floor(this.elapsedMs) + 1
    const written = { at: `${atMs / 1000}s`, ...change }
    const planned = await plannedStepOf(written, '')
    answered(() => {
      this.rehearse(planned.step)
      this.run.takeNow(planned)
    })
    this.written.push(written)
    this.planned.push(planned)
  }

  /** Advances the time. If the work is stopped, the time stays at the instant that was reached. */
  async advanceTo(elapsedMs: number, work: Work): Promise<void> {
    await advance(this.run, this.run.startMs + elapsedMs, work)
  }

  /** The plan of a forecast that starts at the current time of the fork. */
  forecastPlan(title: string, question: Pick<ForecastPlan, 'steps' | 'untilMs' | 'expect'>): ForecastPlan {
    const hasPast = this.elapsedMs > 0
    return {
      ...planOf(this.snapshot, this.how, title),
      ...(hasPast ? { history: { steps: [...this.planned], lengthMs: this.elapsedMs } } : {}),
      ...question,
    }
  }

  /** An API server on a copy of the objects, so that its writes have no effect on the fork. */
  copy(): Pick<VirtualCluster, 'store' | 'registry' | 'client' | 'clock'> {
    const { store: real, clock: time } = this.run.cluster
    const store = real.fork()
    const clock = new VirtualClock(time.wall())
    const random = createRandom('rehearsal')
    const registry = createRegistry({ store, clock, random, options: { release: this.how.settings.release } })
    return { store, registry, clock, client: createInProcessClient(registry) }
  }

  /** A rejected request must leave no trace, including the random numbers that it used. */
  private rehearse(step: Step): void {
    const nothing = () => {}
    const runner = new StepRunner({
      ...this.run.cluster,
      ...this.copy(),
      kubelet: undefined,
      driver: { wake: nothing, at: nothing } as unknown as StepDriver,
      stockedOut: new Set(),
      restart: nothing,
      pause: nothing,
      interruptApi: nothing,
      revive: nothing,
    })
    runner.take(step)
    // The code above omits the drain, but its nodes must exist.
    if ('nodes' in step) runner.resolve(step.nodes)
  }
}

function planOf({ input }: Snapshot, { settings, webhooks }: ForkSettings, title: string): ForecastPlan {
  const plan = forkPlan(input, settings, title)
  return webhooks === undefined ? plan : { ...plan, webhooks }
}

/** The plan of a fork without changes. */
export function forkPlan(input: ClusterInput, settings: Settings, title: string): ForecastPlan {
  const isFound = input.cluster.store.count('nodes') > 0
  const { autoscaling } = autoscalersIn(input)
  return {
    title,
    settings,
    ...(autoscaling === undefined ? {} : { autoscaling }),
    // The same startup times as in `berth whatif`, so that both have the same answer.
    hollow: { stages: isFound ? learnedStages(packs.forecast, input.cluster.store) : packs.forecast },
    events: 'record',
    ...(isFound ? { found: input.cluster } : { settleMs }),
    create: input.manifests,
    steps: [],
    untilMs: 0,
    expect: [],
    without: input.without,
  }
}

/** The autoscalers of a running cluster act on its forks, as in `berth whatif`. */
export function autoscalersIn({ cluster }: ClusterInput): FoundAutoscalers {
  return cluster.store.count('nodes') > 0 ? withFoundAutoscalers({}, cluster) : { notes: [] }
}

/** Runs the cluster up to a time, in pieces. */
export async function advance(run: ForecastRun, toMs: number, work: Work): Promise<void> {
  const { driver, clock } = run.cluster
  const fromMs = clock.now()
  for (;;) {
    const isDone = answered(() => {
      const next = driver.nextAt()
      const isLast = next === undefined || next > toMs
      driver.advanceTo(isLast ? toMs : Math.max(next, clock.now()))
      return isLast
    })
    if (isDone) return
    await work.pause({ done: clock.now() - fromMs, total: toMs - fromMs })
  }
}

/** Reads a written step. */
export async function plannedStepOf(written: unknown, path: string): Promise<PlannedStep> {
  try {
    return await readStep(written, path, noFiles)
  } catch (error) {
    if (error instanceof WrongField)
      throw new ToolError(`${error.message}; a step is for example {"drain": {"node": "node-3"}}`)
    throw error
  }
}

async function noFiles(file: string): Promise<never> {
  throw new ToolError(`${JSON.stringify(file)} is a file name; pass the objects themselves`)
}

/** Runs a part of the simulation, and converts its errors to answers. */
export function answered<T>(run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (error instanceof StepError) throw new ToolError(serverErrorText(error))
    if (error instanceof EndlessInstantError || error instanceof UnanswerableAskError)
      throw new ToolError(`the simulation cannot continue: ${error.message}`)
    throw error
  }
}

/** The error in the format of kubectl. */
function serverErrorText({ message, status }: StepError): string {
  if (status === undefined) return message
  const { kind = '', name = '' } = status.details ?? {}
  if (status.reason === 'Invalid') return `The ${kind} "${name}" is invalid: ${shortened(message, kind, name)}`
  return `Error from server (${status.reason ?? 'Unknown'}): ${message}`
}

/** The message without the prefix `Pod "web" is invalid: `. */
function shortened(message: string, kind: string, name: string): string {
  const group = message.indexOf(`"${name}" is invalid: `)
  return group < 0 || kind === '' ? message : message.slice(group + `"${name}" is invalid: `.length)
}
