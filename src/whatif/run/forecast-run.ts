import type { ResourceSlice } from '../../api/objects/devices.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import { createHollowDevices } from '../../controllers/hollow-devices/controller.ts'
import { defaultSettings as lifecycleDefaults } from '../../controllers/node-lifecycle/options.ts'
import { controllerFactories } from '../../controlplane/controllers.ts'
import { createVirtualCluster, type VirtualCluster } from '../../controlplane/virtual.ts'
import type { Change, Controller } from '../../runtime/controller.ts'
import { Occupancy } from '../facts/occupancy.ts'
import type { PodTally } from '../facts/pod-tally.ts'
import { RunRecorder } from '../facts/run-recorder.ts'
import type { ExpectationResult } from '../report/forecast.ts'
import type { ForecastPlan } from '../scenario/forecast-plan.ts'
import type { PlannedStep, Step } from '../scenario/step.ts'
import { type AssumedGate, hasBindingConditions, withAssumedGates } from './assumed-gates.ts'
import { createDrainer, type DrainProgress } from './drain.ts'
import { ExpectationWatch } from './expectations.ts'
import { idleControllers } from './idle-controllers.ts'
import { createNodeUpgrade, type UpgradeProgress } from './node-upgrade.ts'
import { quietTimeOf } from './quiet-time.ts'
import { StepError, StepRunner } from './step-runner.ts'
import { hasUnreadStatuses } from './unread-statuses.ts'

export interface ForecastRunOptions {
  readonly seed?: string
  /** `written`: kubelets write Leases and statuses, as real kubelets do. Default: computed, with the same result. */
  readonly heartbeats?: 'written' | 'computed'
  /**
   * `stored`: the statuses of all workloads are stored. Default: statuses that no controller reads are not stored, with
   * the same facts.
   */
  readonly statuses?: 'stored'
  /** Set if steps may follow that the plan does not contain: every controller runs. */
  readonly isInteractive?: boolean
  /**
   * The time without changes after which no further change can happen. Default: computed; Infinity if the run is
   * interactive.
   */
  readonly quietMs?: number
  /** Receives the changes of the run, with the milliseconds since its start. */
  readonly observe?: (changes: readonly Change[], atMs: number) => void
  /** An existing count of the pods of the found cluster. Runs on the same store share it. */
  readonly tally?: PodTally
}

// An arbitrary time. It is a full second, so that timestamps of Kubernetes, which have no fractions, match the trace.
export const defaultStartMs = Date.UTC(2026, 0, 1)

const renewMs = 10_000

const noHistory = { steps: [], lengthMs: 0 } as const

/** The renewal interval of Leases: ten seconds, or less for a short grace period. */
function renewalOf({ settings, hollow }: Pick<ForecastPlan, 'settings' | 'hollow'>): number {
  const grace = settings.nodeLifecycle.nodeMonitorGracePeriodMs ?? lifecycleDefaults.nodeMonitorGracePeriodMs
  return hollow.leaseRenewIntervalMs ?? (grace >= 2 * renewMs ? renewMs : grace / 4)
}

/** The intervals at which kubelets renew their Leases, and at which the node monitor checks them. */
export function heartbeatsOf(plan: Pick<ForecastPlan, 'settings' | 'hollow'>) {
  const { nodeMonitorPeriodMs: monitorMs = lifecycleDefaults.nodeMonitorPeriodMs } = plan.settings.nodeLifecycle
  return { renewMs: renewalOf(plan), monitorMs }
}

/** One run of a plan in virtual time. */
export class ForecastRun {
  readonly cluster: VirtualCluster
  /** The plan with the gates that its objects need. */
  readonly plan: ForecastPlan
  readonly assumedGates: readonly AssumedGate[]
  readonly seed: string
  readonly startMs: number
  private readonly historyStartMs: number
  private endMs: number
  private readonly runner: StepRunner
  private readonly drainer = createDrainer()
  private readonly upgrader = createNodeUpgrade()
  private recorded: RunRecorder | undefined
  private watch: ExpectationWatch | undefined
  private occupied: Occupancy | undefined
  private readonly options: ForecastRunOptions
  private lastChangeMs = 0
  private readonly quietMs: number
  /** No further change can happen, so the rest of the time was skipped. */
  private isQuiet = false

  /** Creates the cluster and advances the clock to the start of the forecast. */
  static start(plan: ForecastPlan, options: ForecastRunOptions = {}): ForecastRun {
    const run = new ForecastRun(plan, options)
    run.prepare(phasesOf(plan))
    return run
  }

  private constructor(given: ForecastPlan, options: ForecastRunOptions) {
    const { plan, assumed } = withAssumedGates(given)
    this.plan = plan
    this.assumedGates = assumed
    this.options = options
    this.seed = options.seed ?? '1'
    const { found, without = [], history = noHistory } = plan
    const steps = [...history.steps, ...plan.steps]
    const { isInteractive = false } = options
    const isUnread = !isInteractive && options.statuses === undefined && hasUnreadStatuses(plan)
    const idle = found === undefined || isInteractive ? [] : idleControllers(found.store, { ...plan, steps })
    const absent = new Set([...without, ...idle, ...(isUnread ? ['deployment'] : [])])
    this.quietMs = options.quietMs ?? (isInteractive ? Number.POSITIVE_INFINITY : quietTimeOf(plan))
    const { controllersBeforeMs } = phasesOf(plan)
    this.historyStartMs = found?.takenAtMs ?? defaultStartMs
    this.startMs = this.historyStartMs + history.lengthMs
    this.endMs = this.startMs + plan.untilMs
    this.cluster = createVirtualCluster({
      startMs: this.historyStartMs - controllersBeforeMs,
      settings: plan.settings,
      // A forecast on the state of another forecast must not generate the same names and uids again.
      seed: found === undefined ? this.seed : `${this.seed} ${found.takenAtMs}`,
      controllers: Object.keys(controllerFactories).filter((name) => !absent.has(name)),
      hollow: {
        ...plan.hollow,
        leaseRenewIntervalMs: renewalOf(plan),
        heartbeats: options.heartbeats ?? 'computed',
        adopt: found === undefined ? 'healthy' : 'as-found',
      },
      ...(plan.autoscaling === undefined ? {} : { autoscaling: plan.autoscaling }),
      load: { loads: plan.load ?? [], originMs: this.startMs, isObserved: found !== undefined },
      callRates: 'upstream',
      ...(plan.webhooks === undefined ? {} : { webhooks: plan.webhooks }),
      events: plan.events ?? 'drop',
      ...(found === undefined ? {} : { store: found.store, resumed: true }),
      // Only an interactive run has watches that may start in the past.
      ...(isInteractive ? {} : { historyLimit: 0 }),
      ...(isUnread ? { replicaSetStatuses: 'unread' } : {}),
    })
    this.runner = new StepRunner(this.cluster, {
      drain: (nodes, how) => this.act(this.drainer, () => this.drainer.begin(nodes, how)),
      upgrade: (nodes, strategy) => this.act(this.upgrader, () => this.upgrader.begin(nodes, strategy, this.slices())),
    })
    // The drivers of the cluster do not run. Their devices are ready for binding when they are allocated.
    if (hasBindingConditions(plan)) this.cluster.driver.add(createHollowDevices({ serves: 'all' }))
  }

  private slices(): readonly ResourceSlice[] {
    return this.cluster.store.list('resourceslices.resource.k8s.io') as readonly ResourceSlice[]
  }

  /** Adds the controller of a step when the first step needs it. */
  private act(controller: Controller, begin: () => void): void {
    const { driver } = this.cluster
    if (driver.controller(controller.name) === undefined) driver.add(controller)
    begin()
    driver.wake(controller.name)
  }

  get recorder(): RunRecorder {
    return started(this.recorded)
  }

  /** The occupancy of nodes at the start. */
  get before(): Occupancy {
    return started(this.occupied)
  }

  get drains(): DrainProgress {
    const { drained, open, blocked, ...rest } = this.drainer.progress()
    const upgrade = this.upgrader.drains()
    return {
      drained: [...drained, ...upgrade.drained],
      open: [...open, ...upgrade.open],
      blocked: [...blocked, ...upgrade.blocked],
      ...rest,
    }
  }

  /** The progress of an upgrade of nodes; undefined without such a step. */
  get upgrade(): UpgradeProgress | undefined {
    return this.upgrader.progress()
  }

  /** The results of the expectations so far. */
  expectations(): readonly ExpectationResult[] {
    return this.watch?.results(this.elapsedMs, this.recorder) ?? []
  }

  /** Milliseconds since the start. */
  get elapsedMs(): number {
    return this.isQuiet ? this.plan.untilMs : this.cluster.clock.now() - this.startMs
  }

  /** Runs at most `instants` instants. Returns false at the end of the plan, or when no further change can happen. */
  proceed(instants: number): boolean {
    const { driver, clock } = this.cluster
    for (let left = instants; left > 0; left--) {
      const next = driver.nextAt()
      if (next === undefined || next > this.endMs) {
        driver.advanceTo(this.endMs)
        return false
      }
      if (next - this.startMs - this.lastChangeMs > this.quietMs && this.isRecovered()) {
        this.isQuiet = true
        return false
      }
      driver.advanceTo(Math.max(next, clock.now()))
      this.endWithUpgrade()
    }
    return clock.now() < this.endMs
  }

  /** The duration of an upgrade is not known in advance. The plan only limits it. */
  private endWithUpgrade(): void {
    const { afterUpgradeMs } = this.plan
    const endedMs = afterUpgradeMs === undefined ? undefined : this.upgrader.endedAt()
    if (endedMs !== undefined) this.endMs = Math.min(this.endMs, endedMs + (afterUpgradeMs ?? 0))
  }

  /** Runs a step that the plan does not contain. A plan with the same step at the same time has the same history. */
  takeNow(planned: PlannedStep): void {
    const { driver } = this.cluster
    const atMs = this.startMs + planned.atMs
    driver.at(atMs, () => this.take(planned))
    driver.advanceTo(atMs)
  }

  finish(): this {
    while (this.proceed(10_000));
    return this
  }

  /** Reports whether all steps have run and no pod is missing. */
  private isRecovered(): boolean {
    const { clock } = this.cluster
    const isIdle = clock.nextDeadline() === undefined && this.drains.open.length === 0
    return isIdle && this.recorder.wellAgainMs !== undefined
  }

  private prepare({ nodesBeforeMs, objectsBeforeMs }: Phases): void {
    const { driver } = this.cluster
    const { create, steps, history } = this.plan
    const nodes = create.filter(isNode)
    const others = create.filter((object) => !isNode(object))
    driver.onChanges((changes, by, now) => {
      if (this.recorded === undefined) return
      this.recorded.take(changes, by, now)
      this.watch?.take(changes, now, this.recorded)
      const atMs = now - this.startMs
      if (changes.some(({ resource }) => resource === 'pods' || resource === 'nodes')) this.lastChangeMs = atMs
      this.options.observe?.(changes, atMs)
    })
    if (nodes.length > 0) driver.at(this.historyStartMs - nodesBeforeMs, () => this.create(nodes))
    // The first reactions of controllers to a found cluster are part of the forecast.
    const isFound = this.plan.found !== undefined
    if (isFound && history === undefined) this.begin()
    driver.at(this.historyStartMs - objectsBeforeMs, () => {
      if (objectsBeforeMs === 0 && !isFound && history === undefined) this.begin()
      this.create(others)
    })
    for (const { step, atMs, path } of history?.steps ?? [])
      driver.at(this.historyStartMs + atMs, () => this.run(step, path))
    if (objectsBeforeMs > 0 || history !== undefined) driver.at(this.startMs, () => this.begin())
    for (const planned of steps) driver.at(this.startMs + planned.atMs, () => this.take(planned))
    driver.advanceTo(this.historyStartMs)
  }

  private begin(): void {
    const { store } = this.cluster
    const { expect, steps } = this.plan
    this.recorded = new RunRecorder(this.startMs, store, this.options.tally?.copy())
    this.occupied = new Occupancy(store, this.recorded.tally)
    const lastStepMs = steps.at(-1)?.atMs ?? 0
    if (expect.length > 0) this.watch = new ExpectationWatch(expect, this.startMs, store, lastStepMs)
  }

  private create(objects: readonly KubeObject[]): void {
    for (const object of objects) {
      try {
        this.runner.apply(object)
      } catch (error) {
        throw inContext(error, `cluster: ${object.kind} ${object.metadata.name}`)
      }
    }
  }

  private take({ step, atMs, path, source }: PlannedStep): void {
    this.recorder.step(atMs, step.kind, source)
    this.run(step, path)
  }

  private run(step: Step, path: string): void {
    try {
      this.runner.take(step)
    } catch (error) {
      throw inContext(error, path)
    }
  }
}

function started<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the forecast run has not started')
  return value
}

function isNode(object: KubeObject): boolean {
  return object.kind === 'Node' && object.apiVersion === 'v1'
}

function inContext(error: unknown, path: string): unknown {
  return error instanceof StepError && path !== '' ? new StepError(`${path}: ${error.message}`, error.status) : error
}

interface Phases {
  readonly controllersBeforeMs: number
  readonly nodesBeforeMs: number
  readonly objectsBeforeMs: number
}

const present: Phases = { controllersBeforeMs: 0, nodesBeforeMs: 0, objectsBeforeMs: 0 }

/**
 * The offsets of node monitor passes and Lease renewals to the start. In a real cluster they are random; here they have their
 * mean: a step is in the middle between two renewals, and a renewal in the middle between two passes.
 */
function phasesOf(plan: ForecastPlan): Phases {
  if (plan.found !== undefined) return present
  const { settings, settleMs = 0 } = plan
  const period = settings.nodeLifecycle.nodeMonitorPeriodMs ?? lifecycleDefaults.nodeMonitorPeriodMs
  const renewal = renewalOf(plan)
  const settledAfter = 4 * period + 5_000 + settleMs
  const nodesBeforeMs = renewal / 2 + Math.ceil(settledAfter / renewal) * renewal
  const offset = (renewal / 2 + period / 2) % period
  const controllersBeforeMs = (Math.ceil(nodesBeforeMs / period) + 1) * period - offset
  // Most steps are at full seconds. Periodic work must not coincide with them by accident.
  const shift = Math.min(period, renewal, 1_000) / 4
  return {
    controllersBeforeMs: controllersBeforeMs - shift,
    nodesBeforeMs: nodesBeforeMs - shift,
    objectsBeforeMs: settleMs,
  }
}
