import type { KubeObject } from '../../api/objects/meta.ts'
import { defaultSettings as lifecycleDefaults } from '../../controllers/node-lifecycle/options.ts'
import { controllerFactories } from '../../controlplane/controllers.ts'
import { createVirtualCluster, type VirtualCluster } from '../../controlplane/virtual.ts'
import { Chronicle } from '../facts/chronicle.ts'
import { Occupancy } from '../facts/occupancy.ts'
import type { ExpectationResult } from '../report/forecast.ts'
import type { Plan } from '../scenario/plan.ts'
import type { PlannedStep } from '../scenario/step.ts'
import { createDrainer, DRAIN, type DrainProgress } from './drain.ts'
import { ExpectationWatch } from './expectations.ts'
import { idleControllers } from './idle-controllers.ts'
import { StepError, StepRunner } from './step-runner.ts'

export interface RehearsalOptions {
  readonly seed?: string
  /** `written`: Leases and statuses are renewed as real kubelets renew them. Default: computed, which comes to the same. */
  readonly heartbeats?: 'written' | 'computed'
}

// Any instant would do; a whole second makes the times that Kubernetes writes to the second agree with the trace.
export const defaultStartMs = Date.UTC(2026, 0, 1)

const RENEW_MS = 10_000

/** How often kubelets renew their Leases: every ten seconds, or often enough for a grace period that this could not meet. */
function renewalOf({ settings, hollow }: Plan): number {
  const grace = settings.nodeLifecycle.nodeMonitorGracePeriodMs ?? lifecycleDefaults.nodeMonitorGracePeriodMs
  return hollow.leaseRenewIntervalMs ?? (grace >= 2 * RENEW_MS ? RENEW_MS : grace / 4)
}

/** A plan being played. */
export class Rehearsal {
  readonly cluster: VirtualCluster
  readonly plan: Plan
  readonly seed: string
  readonly startMs: number
  private readonly endMs: number
  private readonly runner: StepRunner
  private readonly drainer = createDrainer()
  private written: Chronicle | undefined
  private watch: ExpectationWatch | undefined
  private occupied: Occupancy | undefined

  constructor(plan: Plan, options: RehearsalOptions = {}) {
    this.plan = plan
    this.seed = options.seed ?? '1'
    const { found, without = [] } = plan
    const idle = found === undefined ? [] : idleControllers(found.store, plan)
    const phases = found === undefined ? phasesOf(plan) : PRESENT
    this.startMs = found?.takenAtMs ?? defaultStartMs
    this.endMs = this.startMs + plan.untilMs
    this.cluster = createVirtualCluster({
      startMs: this.startMs - phases.controllersBeforeMs,
      settings: plan.settings,
      // Who forecasts from a forecast must not draw the same names and identities again.
      seed: found === undefined ? this.seed : `${this.seed} ${found.takenAtMs}`,
      controllers: Object.keys(controllerFactories).filter((name) => !without.includes(name) && !idle.includes(name)),
      hollow: {
        ...plan.hollow,
        leaseRenewIntervalMs: renewalOf(plan),
        heartbeats: options.heartbeats ?? 'computed',
        adopt: found === undefined ? 'healthy' : 'as-found',
      },
      callRates: 'upstream',
      ...(found === undefined ? {} : { store: found.store, resumed: true }),
    })
    this.runner = new StepRunner(this.cluster, (nodes, how) => {
      if (this.cluster.driver.controller(DRAIN) === undefined) this.cluster.driver.add(this.drainer)
      this.drainer.begin(nodes, how)
      this.cluster.driver.wake(DRAIN)
    })
    this.prepare(phases)
  }

  get chronicle(): Chronicle {
    return this.written as Chronicle
  }

  /** How nodes were occupied at the beginning. */
  get before(): Occupancy {
    return this.occupied as Occupancy
  }

  /** How far the draining of nodes has come. */
  get drains(): DrainProgress {
    return this.drainer.progress()
  }

  /** What became of what the plan expects, so far. */
  expectations(): readonly ExpectationResult[] {
    return this.watch?.results(this.elapsedMs, this.chronicle) ?? []
  }

  /** Milliseconds since the beginning. */
  get elapsedMs(): number {
    return this.cluster.clock.now() - this.startMs
  }

  /** Goes through at most so many instants; true while there is more to come. */
  proceed(instants: number): boolean {
    const { driver, clock } = this.cluster
    for (let left = instants; left > 0; left--) {
      const next = driver.nextAt()
      if (next === undefined || next > this.endMs) {
        driver.advanceTo(this.endMs)
        return false
      }
      driver.advanceTo(Math.max(next, clock.now()))
    }
    return clock.now() < this.endMs
  }

  finish(): this {
    while (this.proceed(10_000));
    return this
  }

  private prepare({ nodesBeforeMs, objectsBeforeMs }: Phases): void {
    const { driver } = this.cluster
    const { create, steps } = this.plan
    const nodes = create.filter(isNode)
    const others = create.filter((object) => !isNode(object))
    driver.onChanges((changes, by, now) => {
      if (this.written === undefined) return
      this.written.take(changes, by, now)
      this.watch?.take(changes, now, this.written)
    })
    if (nodes.length > 0) driver.at(this.startMs - nodesBeforeMs, () => this.create(nodes))
    // What controllers do as soon as they see a cluster that was found belongs to the story.
    const isFound = this.plan.found !== undefined
    if (isFound) this.begin()
    driver.at(this.startMs - objectsBeforeMs, () => {
      if (objectsBeforeMs === 0 && !isFound) this.begin()
      this.create(others)
    })
    if (objectsBeforeMs > 0) driver.at(this.startMs, () => this.begin())
    for (const planned of steps) driver.at(this.startMs + planned.atMs, () => this.take(planned))
    driver.advanceTo(this.startMs)
  }

  private begin(): void {
    const { store } = this.cluster
    const { expect, steps } = this.plan
    this.written = new Chronicle(this.startMs, store)
    this.occupied = new Occupancy(store, this.written.tally)
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
    this.chronicle.step(atMs, step.kind, source)
    try {
      this.runner.take(step)
    } catch (error) {
      throw inContext(error, path)
    }
  }
}

function isNode(object: KubeObject): boolean {
  return object.kind === 'Node' && object.apiVersion === 'v1'
}

function inContext(error: unknown, path: string): unknown {
  return error instanceof StepError && path !== '' ? new StepError(`${path}: ${error.message}`) : error
}

interface Phases {
  readonly controllersBeforeMs: number
  readonly nodesBeforeMs: number
  readonly objectsBeforeMs: number
}

const PRESENT: Phases = { controllersBeforeMs: 0, nodesBeforeMs: 0, objectsBeforeMs: 0 }

/**
 * How the passes of the node monitor and the renewals of Leases lie against the beginning. In a real cluster that is a matter
 * of chance; here it is the mean: a step falls in the middle between two renewals, and a renewal in the middle between two
 * passes.
 */
function phasesOf(plan: Plan): Phases {
  const { settings, settleMs = 0 } = plan
  const period = settings.nodeLifecycle.nodeMonitorPeriodMs ?? lifecycleDefaults.nodeMonitorPeriodMs
  const renewal = renewalOf(plan)
  const settledAfter = 4 * period + 5_000 + settleMs
  const nodesBeforeMs = renewal / 2 + Math.ceil(settledAfter / renewal) * renewal
  const offset = (renewal / 2 + period / 2) % period
  const controllersBeforeMs = (Math.ceil(nodesBeforeMs / period) + 1) * period - offset
  // Steps are mostly at whole seconds; nothing that only happens to be due then should coincide with them.
  const shift = Math.min(period, renewal, 1_000) / 4
  return {
    controllersBeforeMs: controllersBeforeMs - shift,
    nodesBeforeMs: nodesBeforeMs - shift,
    objectsBeforeMs: settleMs,
  }
}
