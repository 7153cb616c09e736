import type { Call, Outcome } from '../api/call.ts'
import { keyOf } from '../api/object-key.ts'
import type { Status } from '../api/objects/meta.ts'
import type { KnownResource } from '../api/objects/resources.ts'
import type { Cancel, Clock } from '../base/clock.ts'
import { type Logger, silentLogger } from '../base/log.ts'
import type { MetricRegistry } from '../base/metrics.ts'
import type { Random } from '../base/random.ts'
import type { Client } from '../client/contract.ts'
import { CallLanes } from './call-lanes.ts'
import { describeCall, describeOutcome } from './call-text.ts'
import type { Action, Answer, Ask, Change, Controller } from './controller.ts'
import { createDriverMetrics, type DriverMetrics } from './driver-metrics.ts'
import { createEventNames, type EventCall, type EventNames, type EventRecorder } from './event-recorder.ts'
import { answerRead } from './read-answer.ts'
import { createReadModel } from './read-model.ts'
import { type InitialList, Reflector } from './reflector.ts'
import { Runner, RunnerTable } from './runner.ts'
import type { View } from './view.ts'

/**
 * Answers asks, which a client cannot answer. There is no time limit: at the ask's deadline the controller gets
 * `timeout`.
 */
export type Answerer = (ask: Ask, controller: string) => Promise<Answer['outcome']>

export interface RunDriverOptions {
  readonly client: Client
  readonly clock: Clock
  readonly random: Random
  readonly controllers: readonly Controller[]
  readonly log?: Logger
  readonly metrics?: MetricRegistry
  readonly answer?: Answerer
  readonly events?: 'record' | 'drop'
  /** The host in the reporting instance of events. */
  readonly host?: string
  /** The maximum number of calls in flight at the same time. Default: 64. */
  readonly maxInFlight?: number
  /** The maximum number of waiting calls; further calls get a 429. Default: 100,000. */
  readonly maxQueued?: number
  /** Default: stream. */
  readonly initialList?: InitialList
  /** Objects per page in paged lists. Default: 500. */
  readonly pageSize?: number
  /** Called when a controller threw. It is not stepped again; the caller decides whether the others continue. */
  readonly onCrash?: (controller: string, error: unknown) => void
}

export interface RunHealth {
  readonly state: 'new' | 'syncing' | 'running' | 'stopped'
  /** Watched resources whose state has not been delivered completely. */
  readonly unsynced: readonly string[]
  readonly inFlight: number
  readonly queued: number
  readonly crashed: readonly string[]
}

/**
 * Runs controllers in real time on any client. No controller is stepped before the state of all watched resources is
 * complete. From then on each controller gets the changes it watches, in the order of arrival, and the results of its
 * calls as they arrive; many calls are in flight at the same time. Time passes only through the given clock, so tests
 * can use a manual one.
 */
export interface RunDriver {
  readonly view: View
  start(): void
  /** Starts no further step or call; resolves when the calls in flight are answered. */
  stop(): Promise<void>
  /** Resolves when the first steps have been taken. */
  synced(): Promise<void>
  /** Resolves when there is nothing to do until time passes or the cluster changes. */
  idle(): Promise<void>
  health(): RunHealth
  /** Steps the controller although no watched object changed, because of a change outside the store. */
  wake(name: string): void
  onChanges(observer: (changes: readonly Change[], now: number) => void): () => void
  controller(name: string): Controller | undefined
}

export function createRunDriver(options: RunDriverOptions): RunDriver {
  return new RealTimeDriver(options)
}

// Input is processed between I/O callbacks without a timer in between, for at most this time in a row.
const stretchMs = 10

class RealTimeDriver implements RunDriver {
  readonly view = createReadModel()
  private readonly options: RunDriverOptions
  private readonly clock: Clock
  private readonly log: Logger
  private readonly metrics: DriverMetrics
  private readonly runners = new RunnerTable()
  private readonly reflectors = new Map<string, Reflector>()
  private readonly lanes: CallLanes
  private readonly events: { readonly random: Random; readonly names: EventNames; readonly host?: string }
  private readonly observers = new Set<(changes: readonly Change[], now: number) => void>()
  private readonly crashed = new Set<string>()
  private readonly forbidden = new Set<string>()
  private state: RunHealth['state'] = 'new'
  private incoming: Change[] = []
  private readonly revisions = new Map<string, number>()
  private asking = 0
  private turnPlanned = false
  /** Time spent in turns since the last turn that was started by the clock. */
  private workedMs = 0
  private wakeTimer: { readonly atMs: number; readonly cancel: Cancel } | undefined
  private syncWaiters: (() => void)[] = []
  private idleWaiters: (() => void)[] = []

  constructor(options: RunDriverOptions) {
    const { client, clock, random, host, maxInFlight = 64, maxQueued = 100_000 } = options
    this.options = options
    this.clock = clock
    this.log = options.log ?? silentLogger
    this.metrics = createDriverMetrics(options.metrics)
    this.lanes = new CallLanes({ client, maxInFlight, maxQueued })
    this.events = { random, names: createEventNames(random), ...(host === undefined ? {} : { host }) }
    for (const controller of options.controllers) {
      if (options.metrics !== undefined) controller.measure?.(options.metrics)
      this.runners.insert(new Runner(controller, [], clock.now()), this.runners.all.length)
    }
  }

  start(): void {
    if (this.state !== 'new') throw new Error('start() must be called once')
    this.state = 'syncing'
    for (const resource of this.runners.watchedResources())
      this.reflectors.set(resource, this.createReflector(resource))
    for (const reflector of this.reflectors.values()) reflector.start()
    this.planTurn()
  }

  private createReflector(resource: string): Reflector {
    const { client, clock, random, initialList = 'stream', pageSize = 500 } = this.options
    const reflector: Reflector = new Reflector({
      resource,
      client,
      clock,
      random: random.stream(`reflector ${resource}`),
      log: this.log,
      initialList,
      pageSize,
      onChanges: (changes, revision) => {
        if (this.reflectors.get(resource) === reflector) this.take(resource, changes, revision)
      },
      onState: () => this.planTurn(),
    })
    return reflector
  }

  /**
   * Resources that other controllers watch are already in the view and are copied from there; other resources are
   * delivered when they are read.
   */
  private rewatch(runner: Runner, watches: readonly string[]): void {
    for (const resource of this.runners.rewatch(runner, watches)) {
      if (this.reflectors.has(resource)) {
        for (const object of this.view.list(resource as KnownResource)) {
          runner.giveChange({ resource, key: keyOf(object), after: object } as Change)
        }
        continue
      }
      const reflector = this.createReflector(resource)
      this.reflectors.set(resource, reflector)
      reflector.start()
    }
    for (const [resource, reflector] of this.reflectors) {
      if (this.runners.isWatched(resource)) continue
      reflector.stop()
      this.reflectors.delete(resource)
      this.incoming = this.incoming.filter((change) => change.resource !== resource)
      this.revisions.delete(resource)
      this.view.drop(resource)
    }
    this.planTurn()
  }

  async stop(): Promise<void> {
    if (this.state === 'stopped') return
    this.state = 'stopped'
    for (const reflector of this.reflectors.values()) reflector.stop()
    this.wakeTimer?.cancel()
    this.wakeTimer = undefined
    await this.lanes.close()
    this.releaseWaiters()
  }

  synced(): Promise<void> {
    if (this.state === 'running' || this.state === 'stopped') return Promise.resolve()
    return new Promise((resolve) => this.syncWaiters.push(resolve))
  }

  idle(): Promise<void> {
    if (this.isIdle()) return Promise.resolve()
    return new Promise((resolve) => this.idleWaiters.push(resolve))
  }

  health(): RunHealth {
    const unsynced = [...this.reflectors].filter(([, reflector]) => !reflector.synced).map(([resource]) => resource)
    const { inFlight, queued } = this.lanes
    return { state: this.state, unsynced, inFlight, queued, crashed: [...this.crashed] }
  }

  wake(name: string): void {
    this.runners.find(name)?.wake()
    this.planTurn()
  }

  onChanges(observer: (changes: readonly Change[], now: number) => void): () => void {
    this.observers.add(observer)
    return () => this.observers.delete(observer)
  }

  controller(name: string): Controller | undefined {
    return this.runners.find(name)?.controller
  }

  private take(resource: string, changes: readonly Change[], revision: number): void {
    if (this.state === 'stopped') return
    for (const change of changes) this.incoming.push(change)
    this.revisions.set(resource, revision)
    this.planTurn()
  }

  /** Everything that arrives before the next turn is processed in it. */
  private planTurn(): void {
    if (this.turnPlanned || this.state === 'stopped') return
    this.turnPlanned = true
    if (this.workedMs < stretchMs) {
      Promise.resolve().then(() => this.turn())
      return
    }
    // The clock's next callback runs after the timers and sockets that are due.
    this.workedMs = 0
    this.clock.at(this.clock.now(), () => this.turn())
  }

  private turn(): void {
    this.turnPlanned = false
    if (this.state === 'stopped' || this.state === 'new') return
    const beganAt = this.clock.now()
    this.flush()
    if (this.state === 'syncing' && [...this.reflectors.values()].every((reflector) => reflector.synced)) {
      this.state = 'running'
      this.log.info(
        { controllers: this.runners.all.map((runner) => runner.name) },
        'caches synced; starting controllers',
      )
    }
    if (this.state === 'running') {
      for (const runner of this.runners.all) this.runIfDue(runner, beganAt)
      this.planWake()
      for (const resolve of this.syncWaiters.splice(0)) resolve()
    }
    this.workedMs += this.clock.now() - beganAt
    if (this.isIdle()) for (const resolve of this.idleWaiters.splice(0)) resolve()
  }

  private runIfDue(runner: Runner, now: number): void {
    if (this.crashed.has(runner.name)) return
    const { recorder } = runner
    if (recorder !== undefined && (recorder.nextAt() ?? Number.POSITIVE_INFINITY) <= now) {
      this.writeEvents(recorder, recorder.wake(now))
    }
    if (!runner.isDue(now)) return
    try {
      // Reads are answered immediately, so that all writes of a step are sent together, as if there had been no reads.
      for (let hasReads = true; hasReads; ) hasReads = this.step(runner, now)
    } catch (error) {
      this.crashed.add(runner.name)
      const why = error instanceof Error ? error.stack : String(error)
      this.log.error({ controller: runner.name, error: why }, 'controller crashed; not restarting it')
      this.options.onCrash?.(runner.name, error)
    }
  }

  /** Returns whether answers to reads wait for the next step. */
  private step(runner: Runner, now: number): boolean {
    const { actions, asks, watches } = runner.step(now, this.clock.wall(), this.options.random, this.view)
    this.metrics.stepped(runner.name)
    if (watches !== undefined) this.rewatch(runner, watches)
    if (actions !== undefined) for (const action of actions) this.act(runner, action)
    if (asks !== undefined) for (const ask of asks) this.ask(runner, ask)
    return actions?.some(({ kind }) => kind === 'read') ?? false
  }

  private act(runner: Runner, action: Action): void {
    if (action.kind === 'event') {
      if (this.options.events === 'drop') return
      const recorder = runner.recorderFor(this.events)
      this.writeEvents(recorder, recorder.record(action.event, this.clock.now(), this.clock.wall()))
      return
    }
    if (action.kind === 'read') {
      runner.giveResult({ id: action.id, outcome: answerRead(this.view, action) })
      return
    }
    this.lanes.submit(action.call, action.priority ?? 'normal', (outcome) => {
      this.metrics.called(runner.name, action.call, outcome)
      if (!outcome.ok) this.logFailure(runner, action, outcome)
      runner.giveResult({ id: action.id, outcome })
      this.planTurn()
    })
  }

  private logFailure(runner: Runner, action: Action & { kind: 'call' }, outcome: Outcome): void {
    const call = describeCall(action.call)
    if (!outcome.ok && outcome.status.code === 403) this.warnForbidden(runner.name, action.call, outcome.status)
    this.log.debug({ controller: runner.name, call, outcome: describeOutcome(outcome) }, 'call failed')
  }

  /** Warns once for each kind of call, because a permission stays missing until it is granted. */
  private warnForbidden(controller: string, call: Call, status: Status): void {
    const { verb, resource, subresource = '' } = call
    const kind = `${controller} ${verb} ${resource} ${subresource}`
    if (this.forbidden.has(kind)) return
    this.forbidden.add(kind)
    this.log.warn({ controller, verb, resource, subresource, why: status.message }, 'forbidden')
  }

  private writeEvents(recorder: EventRecorder, calls: readonly EventCall[]): void {
    for (const { id, call } of calls) {
      this.lanes.submit(call, 'low', (outcome) => {
        if (!outcome.ok && outcome.status.code === 403) this.warnForbidden('events', call, outcome.status)
        this.writeEvents(recorder, recorder.settle(id, outcome, this.clock.now(), this.clock.wall()))
        // A failed write may have set a retry time.
        this.planTurn()
      })
    }
  }

  private ask(runner: Runner, ask: Ask): void {
    this.asking++
    let isOpen = true
    const close = (outcome: Answer['outcome']): void => {
      if (!isOpen) return
      isOpen = false
      this.asking--
      cancelDeadline()
      runner.giveAnswer({ id: ask.id, outcome })
      this.planTurn()
    }
    const cancelDeadline = this.clock.at(ask.deadlineAt, () => close({ kind: 'timeout' }))
    this.answerOf(ask, runner.name).then(close, (error) => close({ kind: 'failed', message: String(error) }))
  }

  private async answerOf(ask: Ask, controller: string): Promise<Answer['outcome']> {
    const { request } = ask
    if (request.kind === 'read') return { kind: 'ok', value: await this.options.client.call(request.call) }
    if (this.options.answer !== undefined) return this.options.answer(ask, controller)
    if (request.kind === 'http' && request.ignorable === true) return { kind: 'skipped' }
    return { kind: 'failed', message: `asks of kind ${request.kind} cannot be answered here` }
  }

  private flush(): void {
    if (this.incoming.length === 0 && this.revisions.size === 0) return
    const changes = this.incoming
    this.incoming = []
    this.view.apply(changes)
    for (const [resource, revision] of this.revisions) this.view.reached(resource, revision)
    this.revisions.clear()
    for (const change of changes) this.runners.deliver(change)
    if (changes.length > 0) for (const observer of this.observers) observer(changes, this.clock.now())
  }

  /** One timer for the earliest wake-up of all controllers. */
  private planWake(): void {
    const atMs = this.nextAt()
    if (this.wakeTimer?.atMs === atMs) return
    this.wakeTimer?.cancel()
    this.wakeTimer = undefined
    if (atMs <= this.clock.now()) this.planTurn()
    else if (atMs < Number.POSITIVE_INFINITY)
      this.wakeTimer = { atMs, cancel: this.clock.at(atMs, () => this.onWakeTime()) }
  }

  private onWakeTime(): void {
    this.wakeTimer = undefined
    this.workedMs = 0
    this.planTurn()
  }

  private nextAt(): number {
    let next = Number.POSITIVE_INFINITY
    for (const runner of this.runners.all) {
      if (!this.crashed.has(runner.name)) next = Math.min(next, runner.nextAt())
    }
    return next
  }

  private isIdle(): boolean {
    if (this.state === 'stopped' || this.state === 'new') return true
    // While disconnected, the driver only waits.
    if (this.state === 'syncing') {
      return !this.turnPlanned && [...this.reflectors.values()].every((one) => one.synced || one.waiting)
    }
    return (
      !this.turnPlanned &&
      this.lanes.inFlight === 0 &&
      this.lanes.queued === 0 &&
      this.asking === 0 &&
      this.incoming.length === 0
    )
  }

  private releaseWaiters(): void {
    for (const resolve of this.syncWaiters.splice(0)) resolve()
    for (const resolve of this.idleWaiters.splice(0)) resolve()
  }
}
