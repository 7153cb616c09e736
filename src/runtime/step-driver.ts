import type { Call, Outcome } from '../api/call.ts'
import { keyOf } from '../api/object-key.ts'
import type { KnownResource } from '../api/objects/resources.ts'
import { type Logger, silentLogger } from '../base/log.ts'
import type { MetricRegistry } from '../base/metrics.ts'
import type { Random } from '../base/random.ts'
import type { VirtualClock } from '../base/virtual-clock.ts'
import type { DirectClient } from '../client/contract.ts'
import type { CallAction, ReadAction } from './actions.ts'
import { describeCall, describeOutcome } from './call-text.ts'
import { additionsIn, type ChangeSource, type SourceChange } from './change-source.ts'
import type { Action, Answer, Ask, Change, Controller } from './controller.ts'
import { createDriverMetrics, type DriverMetrics } from './driver-metrics.ts'
import { createEventNames, type EventCall, type EventNames, type EventRecorder } from './event-recorder.ts'
import { answerRead } from './read-answer.ts'
import { createReadModel } from './read-model.ts'
import type { RequestLimits } from './request-limits.ts'
import { createRequestQueue } from './request-queue.ts'
import { Runner, RunnerTable } from './runner.ts'
import type { View } from './view.ts'

export interface StepDriverOptions {
  readonly client: DirectClient
  readonly source: ChangeSource
  readonly clock: VirtualClock
  readonly random: Random
  readonly controllers: readonly Controller[]
  readonly log?: Logger
  readonly metrics?: MetricRegistry
  /** Answers asks. Absent: ignorable asks are skipped, and other asks end the run. */
  readonly answer?: (ask: Ask, controller: string) => Answer['outcome'] | undefined
  /** Writes recorded events as upstream does. A forecast that does not use events can turn this off. */
  readonly events?: 'record' | 'drop'
  /** The host in the reporting instance of events. */
  readonly host?: string
  /**
   * The rate limit of a controller's client. Requests take no time in virtual time, but waiting for this limit does: it
   * determines how long the eviction of a zone takes. Default: no limit.
   */
  readonly requestLimits?: (controller: string) => RequestLimits | undefined
  /**
   * Updates of a status that only their controller reads. They wait for the rate limit like all requests, and the
   * controller sees their result, but they are not stored and other controllers do not see them.
   */
  readonly isUnread?: (call: Call) => boolean
  /** How many steps and calls one instant may take before it is an error. Default: grows with the cluster. */
  readonly maxPerInstant?: number
}

/** The origin of a group of changes: a controller, or the outside (a scenario, a test). */
export type ChangeObserver = (changes: readonly Change[], by: string | undefined, now: number) => void

/**
 * Runs controllers in virtual time. Changes are delivered in order, to the controllers in list order; their actions are
 * executed immediately, in order, and the results are input of the same instant. The clock moves only when the instant
 * is quiet: all changes and results are delivered and no wake-up is due. The same store, controllers, seed and outside
 * calls give the same history.
 */
export interface StepDriver {
  readonly view: View
  readonly clock: VirtualClock
  now(): number
  /** Runs the current instant until it is quiet. */
  settle(): void
  /**
   * Settles, then runs every instant up to `ms` at which anything is due. With `isEnough`, it stops after the first
   * instant for which `isEnough` returns true.
   */
  advanceTo(ms: number, isEnough?: () => boolean): void
  advance(ms: number): void
  /** The next time at which a controller or a hook is due, after the current instant is quiet. */
  nextAt(): number | undefined
  /** Runs `fn` at that time, before the controllers; it may write through the client. */
  at(ms: number, fn: () => void): () => void
  onChanges(observer: ChangeObserver): () => void
  add(controller: Controller): void
  remove(name: string): void
  /** Steps a controller although no object changed, because of a change outside the store. */
  wake(name: string): void
  /** Stops a controller without a loss of state; its input waits until it is released. */
  hold(name: string): void
  release(name: string): void
  isHeld(name: string): boolean
  /** Replaces a controller, in its place, with one without state: it gets all existing objects again. */
  restart(name: string, create: () => Controller): void
  controller(name: string): Controller | undefined
  /** The names of the controllers, in list order. */
  names(): readonly string[]
  /** Ends the subscription to the source. */
  close(): void
}

/** An instant that does not settle: controllers that react to each other endlessly. */
export class EndlessInstantError extends Error {
  override readonly name = 'EndlessInstantError'
}

/** An ask that has no answer in virtual time, and is not ignorable. */
export class UnanswerableAskError extends Error {
  override readonly name = 'UnanswerableAskError'
}

export function createStepDriver(options: StepDriverOptions): StepDriver {
  return new VirtualTimeDriver(options)
}

const lastActions = 12
const noActions: readonly Action[] = []
const firstLimit = 100_000

class VirtualTimeDriver implements StepDriver {
  readonly view = createReadModel()
  readonly clock: VirtualClock
  private readonly options: StepDriverOptions
  private readonly log: Logger
  private readonly metrics: DriverMetrics
  private readonly runners = new RunnerTable()
  /** Resources in the view; each is watched by a controller. */
  private readonly loaded = new Set<string>()
  private readonly observers = new Set<ChangeObserver>()
  private readonly events: { readonly random: Random; readonly names: EventNames; readonly host?: string }
  private readonly subscription: { readonly cancel: () => void }
  private additions = { revision: Number.NaN, of: new Map<string, readonly Change[]>() }
  private incoming: SourceChange[] = []
  private acting: string | undefined
  private busy = false
  /** Steps and calls that the current instant may still take. */
  private left = 0
  private isExtended = false
  private readonly lastActions: { readonly by: string; readonly call: Call; readonly outcome: Outcome }[] = []

  constructor(options: StepDriverOptions) {
    const { random, host } = options
    this.options = options
    this.clock = options.clock
    this.log = options.log ?? silentLogger
    this.metrics = createDriverMetrics(options.metrics)
    this.events = { random, names: createEventNames(random), ...(host === undefined ? {} : { host }) }
    const subscription = options.source.watch((changes) => this.take(changes))
    if (subscription === 'compacted') throw new Error('the store does not accept a watch from its current revision')
    this.subscription = subscription
    for (const controller of options.controllers) this.add(controller)
  }

  now(): number {
    return this.clock.now()
  }

  close(): void {
    this.subscription.cancel()
  }

  controller(name: string): Controller | undefined {
    return this.runners.find(name)?.controller
  }

  names(): readonly string[] {
    return this.runners.all.map(({ name }) => name)
  }

  at(ms: number, fn: () => void): () => void {
    return this.clock.at(ms, fn)
  }

  onChanges(observer: ChangeObserver): () => void {
    this.observers.add(observer)
    return () => this.observers.delete(observer)
  }

  add(controller: Controller): void {
    this.insert(controller, this.runners.all.length)
  }

  remove(name: string): void {
    // The view must include earlier writes as long as their resource is watched.
    this.flush()
    this.runners.removeAt(this.runners.placeOf(name))
    this.dropUnwatched()
  }

  wake(name: string): void {
    this.runners.find(name)?.wake()
  }

  hold(name: string): void {
    const runner = this.runners.find(name)
    if (runner !== undefined) runner.isHeld = true
  }

  release(name: string): void {
    const runner = this.runners.find(name)
    if (runner !== undefined) runner.isHeld = false
  }

  isHeld(name: string): boolean {
    return this.runners.find(name)?.isHeld === true
  }

  restart(name: string, create: () => Controller): void {
    this.flush()
    const place = this.runners.placeOf(name)
    this.runners.removeAt(place)
    this.insert(create(), place)
    this.dropUnwatched()
  }

  nextAt(): number | undefined {
    const next = Math.min(this.clock.nextDeadline() ?? Number.POSITIVE_INFINITY, this.runners.nextAt())
    return next === Number.POSITIVE_INFINITY ? undefined : next
  }

  advance(ms: number): void {
    this.advanceTo(this.clock.now() + ms)
  }

  advanceTo(ms: number, isEnough?: () => boolean): void {
    this.settle()
    if (isEnough?.() === true) return
    for (let next = this.nextAt(); next !== undefined && next <= ms; next = this.nextAt()) {
      this.clock.advanceTo(Math.max(next, this.clock.now()))
      this.settle()
      if (isEnough?.() === true) return
    }
    this.clock.advanceTo(ms)
  }

  settle(): void {
    // A hook or an observer that settles would run controllers in the middle of a step.
    if (this.busy) throw new Error('settle() must not be called from within a step')
    this.busy = true
    try {
      this.runInstant()
    } finally {
      this.busy = false
      this.acting = undefined
    }
  }

  private runInstant(): void {
    this.flush()
    this.additions.of.clear()
    const now = this.clock.now()
    for (const runner of this.runners.all) {
      runner.steps = 0
      const { recorder } = runner
      if (recorder !== undefined && (recorder.nextAt() ?? Number.POSITIVE_INFINITY) <= now) {
        this.writeEvents(recorder, recorder.wake(now))
      }
    }
    this.left = this.options.maxPerInstant ?? firstLimit
    this.isExtended = this.options.maxPerInstant !== undefined
    for (let quiet = false; !quiet; ) {
      quiet = true
      for (const runner of this.runners.all) {
        if (!runner.isDue(now)) continue
        quiet = false
        this.run(runner)
      }
    }
  }

  /** Steps a controller if it has input, and sends the requests that the rate limit allows now. */
  private run(runner: Runner): void {
    const asks: Ask[] = []
    const isSequential = runner.controller.requestOrder === 'sequential'
    const sent = isSequential ? this.runInSequence(runner, asks) : this.runConcurrently(runner, asks)
    this.acting = runner.name
    for (const action of sent) this.act(runner, action)
    for (const ask of asks) this.answer(runner, ask)
    this.acting = undefined
  }

  /** All requests of a step are made before the answers to its reads arrive. The view does not change in between. */
  private runConcurrently(runner: Runner, asks: Ask[]): readonly Action[] {
    const now = this.clock.now()
    let sent = runner.send(runner.hasInput(now) ? this.step(runner, asks) : noActions, now)
    for (let reads = sent.filter(isRead); reads.length > 0; reads = sent.filter(isRead)) {
      for (const read of reads) this.answerRead(runner, read)
      const next = runner.send(this.step(runner, asks), now)
      sent = [...sent.filter((action) => !isRead(action)), ...next]
    }
    return sent
  }

  /** Each read is answered before the next request is made. */
  private runInSequence(runner: Runner, asks: Ask[]): readonly Action[] {
    const now = this.clock.now()
    const sent: Action[] = []
    for (const action of runner.send(noActions, now)) {
      if (isRead(action)) this.answerRead(runner, action)
      else sent.push(action)
    }
    const make = (actions: readonly Action[]): void => {
      for (const action of actions) {
        if (runner.send([action], now).length === 0) continue
        if (!isRead(action)) sent.push(action)
        else {
          this.answerRead(runner, action)
          make(this.step(runner, asks))
        }
      }
    }
    if (runner.hasInput(now)) make(this.step(runner, asks))
    return sent
  }

  private answerRead(runner: Runner, read: ReadAction): void {
    runner.giveResult({ id: read.id, outcome: answerRead(this.view, read) })
  }

  private step(runner: Runner, asks: Ask[]): readonly Action[] {
    if (this.left-- <= 0) this.extend()
    const output = runner.step(this.clock.now(), this.clock.wall(), this.options.random, this.view)
    this.metrics.stepped(runner.name)
    if (output.watches !== undefined) {
      this.acting = runner.name
      this.rewatch(runner, output.watches)
      this.acting = undefined
    }
    if (output.asks !== undefined) asks.push(...output.asks)
    return output.actions ?? noActions
  }

  private act(runner: Runner, action: Action): void {
    if (action.kind === 'read') return
    if (action.kind === 'event') {
      if (this.options.events === 'drop') return
      const recorder = runner.recorderFor(this.events)
      this.writeEvents(recorder, recorder.record(action.event, this.clock.now()))
      return
    }
    if (this.left-- <= 0) this.extend()
    if (this.options.isUnread?.(action.call) === true) {
      this.pretend(runner, action)
      return
    }
    const outcome = this.options.client.callNow(action.call)
    this.metrics.called(runner.name, action.call, outcome)
    this.lastActions.push({ by: runner.name, call: action.call, outcome })
    if (this.lastActions.length > lastActions) this.lastActions.shift()
    runner.giveResult({ id: action.id, outcome })
    this.flush()
  }

  /** Shows a controller the effect of its update, without the update. */
  private pretend(runner: Runner, { id, call }: CallAction): void {
    if (call.verb !== 'update') throw new Error(`${runner.name}: only updates can be unread, not ${describeCall(call)}`)
    const { object: after } = call
    const key = keyOf(after)
    const before = this.view.get(call.resource as KnownResource, key)
    runner.giveResult({ id, outcome: { ok: true, kind: 'object', object: after } })
    if (before !== undefined) runner.giveChange({ resource: call.resource, key, before, after } as Change)
  }

  private writeEvents(recorder: EventRecorder, calls: readonly EventCall[]): void {
    if (calls.length === 0) return
    const left = [...calls]
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const outcome = this.options.client.callNow(next.call)
      left.push(...recorder.settle(next.id, outcome, this.clock.now()))
    }
    this.flush()
  }

  private answer(runner: Runner, ask: Ask): void {
    const outcome = this.options.answer?.(ask, runner.name) ?? this.defaultAnswer(runner, ask)
    runner.giveAnswer({ id: ask.id, outcome })
    this.flush()
  }

  private defaultAnswer(runner: Runner, ask: Ask): Answer['outcome'] {
    const { request } = ask
    if (request.kind === 'read') return { kind: 'ok', value: this.options.client.callNow(request.call) }
    if (request.kind === 'http' && request.ignorable === true) {
      this.log.warn({ controller: runner.name, url: request.url }, 'skipped: asks have no answer in virtual time')
      return { kind: 'skipped' }
    }
    const what = request.kind === 'http' ? `${request.method} ${request.url}` : 'the cloud'
    throw new UnanswerableAskError(`${runner.name} asks ${what}, which has no answer in virtual time`)
  }

  /** Called by the source, within a write. */
  private take(changes: readonly SourceChange[]): void {
    for (const change of changes) this.incoming.push(change)
  }

  /** Applies the written changes to the view and delivers them to the controllers that watch them. */
  private flush(): void {
    while (this.incoming.length > 0) {
      // A source's change has all fields of a Change; its resource may be one that our types do not list.
      const changes = this.incoming as unknown as Change[]
      const { revision } = this.incoming[this.incoming.length - 1] as SourceChange
      this.incoming = []
      const seen = this.seenOf(changes)
      this.view.apply(seen, revision)
      for (const change of seen) this.runners.deliver(change)
      for (const observer of this.observers) observer(changes, this.acting, this.clock.now())
    }
  }

  private seenOf(changes: readonly Change[]): readonly Change[] {
    for (const { resource } of changes) {
      if (!this.runners.isWatched(resource)) return changes.filter((change) => this.runners.isWatched(change.resource))
    }
    return changes
  }

  private insert(controller: Controller, place: number): void {
    this.flush()
    const resources = [...new Set<string>(controller.watches)]
    const [first = [], ...rest] = resources
      .map((resource) => this.additionsOf(resource))
      .filter(({ length }) => length > 0)
    const additions = rest.length === 0 ? first : first.concat(...rest)
    const limits = this.options.requestLimits?.(controller.name)
    const requests = limits && createRequestQueue(limits, controller.requestOrder)
    this.runners.insert(new Runner(controller, additions, this.clock.now(), requests), place)
    for (const resource of resources) {
      if (!this.loaded.has(resource)) this.view.apply(this.additionsOf(resource), this.options.source.revision)
      this.loaded.add(resource)
    }
  }

  private rewatch(runner: Runner, watches: readonly string[]): void {
    this.flush()
    for (const resource of this.runners.rewatch(runner, watches)) {
      const additions = this.additionsOf(resource)
      if (!this.loaded.has(resource)) this.view.apply(additions, this.options.source.revision)
      this.loaded.add(resource)
      for (const change of additions) runner.giveChange(change)
    }
    this.dropUnwatched()
  }

  /** Controllers that start at the same time share their initial changes. */
  private additionsOf(resource: string): readonly Change[] {
    const { source } = this.options
    if (this.additions.revision !== source.revision) this.additions = { revision: source.revision, of: new Map() }
    let additions = this.additions.of.get(resource)
    if (additions === undefined) {
      additions = additionsIn(source, resource)
      this.additions.of.set(resource, additions)
    }
    return additions
  }

  private dropUnwatched(): void {
    for (const resource of this.loaded) {
      if (this.runners.isWatched(resource)) continue
      this.view.drop(resource)
      this.loaded.delete(resource)
    }
  }

  /** The objects are counted only when the first limit is reached, not in every instant. */
  private extend(): void {
    if (this.isExtended) throw this.endless()
    this.isExtended = true
    let objects = 0
    for (const resource of this.runners.watchedResources()) objects += this.view.count(resource)
    if (objects === 0) throw this.endless()
    this.left = 20 * objects - 1
  }

  private endless(): EndlessInstantError {
    const busiest = this.runners.all
      .filter((runner) => runner.steps > 0)
      .sort((a, b) => b.steps - a.steps)
      .map((runner) => `${runner.name} (${runner.steps} steps)`)
    const actions = this.lastActions.map(
      ({ by, call, outcome }) => `  ${by}: ${describeCall(call)} → ${describeOutcome(outcome)}`,
    )
    return new EndlessInstantError(
      `the instant ${new Date(this.clock.now()).toISOString()} does not settle: ${busiest.join(', ')}; ` +
        `the last actions were:\n${actions.join('\n')}`,
    )
  }
}

function isRead(action: Action): action is ReadAction {
  return action.kind === 'read'
}
