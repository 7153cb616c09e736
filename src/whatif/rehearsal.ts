import type { KubeObject } from '../api/objects/meta.ts'
import { defaultSettings as lifecycleDefaults } from '../controllers/node-lifecycle/options.ts'
import { createVirtualCluster, type VirtualCluster } from '../controlplane/virtual.ts'
import type { Store } from '../store/contract.ts'
import type { Fact } from './fact.ts'
import type { Scenario } from './scenario.ts'
import type { PlannedStep } from './step.ts'
import { StepError, StepRunner } from './step-runner.ts'
import { factsOf } from './trace.ts'

export interface RehearsalOptions {
  readonly seed?: string
  /** `written`: Leases and statuses are renewed as real kubelets renew them. Default: computed, which comes to the same. */
  readonly heartbeats?: 'written' | 'computed'
  /** What is there before time begins, as it was found. */
  readonly store?: Store
  /** When the beginning is. */
  readonly startMs?: number
}

// Any instant would do; a whole second makes the times that Kubernetes writes to the second agree with the trace.
export const defaultStartMs = Date.UTC(2026, 0, 1)

const RENEW_MS = 10_000

/**
 * A scenario being played. The nodes of its cluster are there, Ready and untainted before time begins; time begins with the
 * creation of everything else.
 */
export class Rehearsal {
  readonly cluster: VirtualCluster
  readonly scenario: Scenario
  readonly facts: Fact[] = []
  readonly startMs: number
  private readonly endMs: number
  private readonly runner: StepRunner
  private isRecording = false

  constructor(scenario: Scenario, options: RehearsalOptions = {}) {
    this.scenario = scenario
    this.startMs = options.startMs ?? defaultStartMs
    this.endMs = this.startMs + scenario.untilMs
    const phases = phasesOf(scenario)
    this.cluster = createVirtualCluster({
      startMs: this.startMs - phases.controllersBeforeMs,
      settings: scenario.settings,
      seed: options.seed ?? '1',
      hollow: { ...scenario.hollow, heartbeats: options.heartbeats ?? 'computed' },
      callRates: 'upstream',
      ...(options.store === undefined ? {} : { store: options.store }),
    })
    this.runner = new StepRunner(this.cluster)
    this.cluster.driver.onChanges((changes, by, now) => {
      if (!this.isRecording) return
      for (const change of changes) for (const fact of factsOf(change, now - this.startMs, by)) this.facts.push(fact)
    })
    this.prepare(phases)
  }

  /** Milliseconds since the beginning. */
  get elapsedMs(): number {
    return this.cluster.clock.now() - this.startMs
  }

  get isOver(): boolean {
    return this.cluster.clock.now() >= this.endMs
  }

  /** Goes through at most so many instants; true while there is more to come. */
  proceed(instants: number): boolean {
    const { driver } = this.cluster
    for (let left = instants; left > 0; left--) {
      const next = driver.nextAt()
      if (next === undefined || next > this.endMs) {
        driver.advanceTo(this.endMs)
        return false
      }
      driver.advanceTo(Math.max(next, this.cluster.clock.now()))
    }
    return !this.isOver
  }

  finish(): this {
    while (this.proceed(10_000));
    return this
  }

  private prepare({ nodesBeforeMs }: Phases): void {
    const { driver } = this.cluster
    const nodes = this.scenario.cluster.filter(isNode)
    driver.at(this.startMs - nodesBeforeMs, () => this.create(nodes))
    driver.at(this.startMs, () => {
      this.isRecording = true
      this.create(this.scenario.cluster.filter((object) => !isNode(object)))
    })
    for (const planned of this.scenario.steps) driver.at(this.startMs + planned.atMs, () => this.take(planned))
    driver.advanceTo(this.startMs - 1)
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
    this.facts.push({ atMs, what: 'step', about: 'Step', key: step.kind, uid: '', detail: source })
    try {
      this.runner.take(step)
    } catch (error) {
      throw inContext(error, `${path}.${step.kind}`)
    }
  }
}

function isNode(object: KubeObject): boolean {
  return object.kind === 'Node' && object.apiVersion === 'v1'
}

function inContext(error: unknown, path: string): unknown {
  return error instanceof StepError ? new StepError(`${path}: ${error.message}`) : error
}

interface Phases {
  readonly controllersBeforeMs: number
  readonly nodesBeforeMs: number
}

/**
 * How the passes of the node monitor and the renewals of Leases lie against the beginning. In a real cluster that is a matter
 * of chance; here it is the mean: a step falls in the middle between two renewals, and a renewal in the middle between two
 * passes.
 */
function phasesOf({ settings, hollow }: Scenario): Phases {
  const period = settings.nodeLifecycle.nodeMonitorPeriodMs ?? lifecycleDefaults.nodeMonitorPeriodMs
  const renewal = hollow.leaseRenewIntervalMs ?? RENEW_MS
  const settledAfter = 4 * period + 5_000
  const nodesBeforeMs = renewal / 2 + Math.ceil(settledAfter / renewal) * renewal
  const offset = (renewal / 2 + period / 2) % period
  const controllersBeforeMs = (Math.ceil(nodesBeforeMs / period) + 1) * period - offset
  // Steps are mostly at whole seconds; nothing that only happens to be due then should coincide with them.
  const shift = Math.min(period, renewal, 1_000) / 4
  return { controllersBeforeMs: controllersBeforeMs - shift, nodesBeforeMs: nodesBeforeMs - shift }
}
