import type { Call, Outcome } from '../api/call.ts'
import { keyOf } from '../api/object-key.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import { type Logger, silentLogger } from '../base/log.ts'
import type { Random } from '../base/random.ts'
import type { VirtualClock } from '../base/virtual-clock.ts'
import type { DirectClient } from '../client/contract.ts'
import { describeCall, describeOutcome } from './call-text.ts'
import type { Action, ActionResult, Answer, Ask, Change, Controller } from './controller.ts'
import {
  createEventNames,
  createEventRecorder,
  type EventCall,
  type EventNames,
  type EventRecorder,
} from './event-recorder.ts'
import { createReadModel } from './read-model.ts'
import type { View } from './view.ts'

/** Where changes come from: an in-memory store, or anything that delivers a write's changes within the call. */
export interface ChangeSource {
  readonly revision: number
  list(resource: string): readonly KubeObject[]
  watch(onChanges: (changes: readonly SourceChange[]) => void): { readonly cancel: () => void } | 'compacted'
}

export interface SourceChange {
  readonly resource: string
  readonly key: string
  readonly revision: number
  readonly before?: KubeObject
  readonly after?: KubeObject
}

export interface StepDriverOptions {
  readonly client: DirectClient
  readonly source: ChangeSource
  readonly clock: VirtualClock
  readonly random: Random
  readonly controllers: readonly Controller[]
  readonly log?: Logger
  /** Answers what the store cannot. Without one, ignorable asks are skipped and others end the run. */
  readonly answer?: (ask: Ask, controller: string) => Answer['outcome'] | undefined
  /** Recorded events are written as upstream writes them; a forecast that nobody reads events of can do without. */
  readonly events?: 'record' | 'drop'
  /** The host in the reporting instance of events. */
  readonly host?: string
  /** How many steps one instant may take before the run is declared endless. Default: grows with the cluster. */
  readonly maxStepsPerInstant?: number
}

/** Who caused a group of changes: a controller, or somebody outside (a scenario, a test). */
export type ChangeObserver = (changes: readonly Change[], by: string | undefined, now: number) => void

/**
 * Runs controllers in virtual time. Changes are delivered in order, to each controller in list order; its actions are
 * carried out at once, in order, and their results are input of the same instant. The clock moves only when the
 * instant is quiet: nothing changed that anybody has not seen, no result is outstanding, nobody wants to wake.
 * The same store, controllers, seed and calls from outside give the same history.
 */
export interface StepDriver {
  readonly view: View
  readonly clock: VirtualClock
  now(): number
  /** Runs the present instant until it is quiet. */
  settle(): void
  /** Settles, then goes through every instant up to `ms` at which anything is due. */
  advanceTo(ms: number): void
  advance(ms: number): void
  /** The next instant at which a controller wants to wake or a hook is due, once the present one is quiet. */
  nextAt(): number | undefined
  /** Runs `fn` at that instant, before the controllers; it may write through the client. */
  at(ms: number, fn: () => void): () => void
  onChanges(observer: ChangeObserver): () => void
  add(controller: Controller): void
  remove(name: string): void
  /** Replaces a controller, in its place, with one that remembers nothing: it is given all that exists again. */
  restart(name: string, create: () => Controller): void
  controller(name: string): Controller | undefined
  /** Ends the subscription to the source. */
  close(): void
}

/** An instant that does not come to rest: controllers that answer each other for ever. */
export class EndlessInstantError extends Error {
  override readonly name = 'EndlessInstantError'
}

/** A question that virtual time has no answer to, and that the asker did not mark as ignorable. */
export class UnanswerableAskError extends Error {
  override readonly name = 'UnanswerableAskError'
}

export function createStepDriver(options: StepDriverOptions): StepDriver {
  return new Driver(options)
}

interface Runner {
  readonly controller: Controller
  /** Made with the first event. A restarted controller has forgotten what it said before. */
  recorder?: EventRecorder
  readonly watched: ReadonlySet<string>
  readonly startMs: number
  changes: Change[]
  results: ActionResult[]
  answers: Answer[]
  wakeAt: number
  steps: number
}

const LAST_ACTIONS = 12
const NOTHING: never[] = []

class Driver implements StepDriver {
  readonly view = createReadModel()
  readonly clock: VirtualClock
  private readonly options: StepDriverOptions
  private readonly log: Logger
  private readonly runners: Runner[] = []
  private readonly watchers = new Map<string, Runner[]>()
  /** Resources that the view holds; each is watched by somebody. */
  private readonly loaded = new Set<string>()
  private readonly observers = new Set<ChangeObserver>()
  private readonly eventNames: EventNames
  private readonly subscription: { readonly cancel: () => void }
  private incoming: SourceChange[] = []
  private acting: string | undefined
  private busy = false
  private readonly lastActions: { readonly by: string; readonly call: Call; readonly outcome: Outcome }[] = []

  constructor(options: StepDriverOptions) {
    this.options = options
    this.clock = options.clock
    this.log = options.log ?? silentLogger
    this.eventNames = createEventNames(options.random)
    const subscription = options.source.watch((changes) => this.take(changes))
    if (subscription === 'compacted') throw new Error('the store refuses a watch from its own present')
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
    return this.runners.find((runner) => runner.controller.name === name)?.controller
  }

  at(ms: number, fn: () => void): () => void {
    return this.clock.at(ms, fn)
  }

  onChanges(observer: ChangeObserver): () => void {
    this.observers.add(observer)
    return () => this.observers.delete(observer)
  }

  add(controller: Controller): void {
    this.insert(controller, this.runners.length)
  }

  remove(name: string): void {
    const place = this.runners.findIndex((runner) => runner.controller.name === name)
    if (place < 0) throw new Error(`no controller named ${name} runs here`)
    this.runners.splice(place, 1)
    this.indexWatchers()
    this.dropUnwatched()
  }

  restart(name: string, create: () => Controller): void {
    const place = this.runners.findIndex((runner) => runner.controller.name === name)
    if (place < 0) throw new Error(`no controller named ${name} runs here`)
    this.runners.splice(place, 1)
    this.insert(create(), place)
    this.dropUnwatched()
  }

  nextAt(): number | undefined {
    let next = this.clock.nextDeadline() ?? Number.POSITIVE_INFINITY
    for (const { wakeAt, recorder } of this.runners) {
      next = Math.min(next, wakeAt, recorder?.nextAt() ?? Number.POSITIVE_INFINITY)
    }
    return next === Number.POSITIVE_INFINITY ? undefined : next
  }

  advance(ms: number): void {
    this.advanceTo(this.clock.now() + ms)
  }

  advanceTo(ms: number): void {
    this.settle()
    for (let next = this.nextAt(); next !== undefined && next <= ms; next = this.nextAt()) {
      this.clock.advanceTo(Math.max(next, this.clock.now()))
      this.settle()
    }
    this.clock.advanceTo(ms)
  }

  settle(): void {
    // A hook or an observer that settles would run controllers in the middle of a step.
    if (this.busy) throw new Error('the step driver cannot be settled from within itself')
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
    let left = this.options.maxStepsPerInstant ?? this.defaultLimit()
    for (const runner of this.runners) {
      runner.steps = 0
      const recordAt = runner.recorder?.nextAt()
      if (recordAt !== undefined && recordAt <= this.clock.now())
        this.writeEvents(runner, runner.recorder?.wake(this.clock.now()))
    }
    for (let quiet = false; !quiet; ) {
      quiet = true
      for (const runner of this.runners) {
        if (!this.isDue(runner)) continue
        quiet = false
        if (left-- <= 0) throw this.endless()
        this.step(runner)
      }
    }
  }

  private isDue(runner: Runner): boolean {
    return (
      runner.changes.length > 0 ||
      runner.results.length > 0 ||
      runner.answers.length > 0 ||
      runner.wakeAt <= this.clock.now()
    )
  }

  private step(runner: Runner): void {
    const { controller, changes, results, answers } = runner
    runner.changes = NOTHING
    runner.results = NOTHING
    runner.answers = NOTHING
    runner.wakeAt = Number.POSITIVE_INFINITY
    runner.steps++
    const { random } = this.options
    const output = controller.step({ changes, results, answers, now: this.clock.now(), random, view: this.view })
    if (output.wakeAt !== undefined) runner.wakeAt = output.wakeAt
    this.acting = controller.name
    if (output.actions !== undefined) for (const action of output.actions) this.act(runner, action)
    if (output.asks !== undefined) for (const ask of output.asks) this.answer(runner, ask)
    this.acting = undefined
  }

  private act(runner: Runner, action: Action): void {
    if (action.kind === 'event') {
      if (this.options.events !== 'drop') {
        const recorder = this.recorderOf(runner)
        this.writeEvents(runner, recorder.record(action.event, this.clock.now()))
      }
      return
    }
    const outcome = this.options.client.callNow(action.call)
    this.lastActions.push({ by: runner.controller.name, call: action.call, outcome })
    if (this.lastActions.length > LAST_ACTIONS) this.lastActions.shift()
    if (runner.results === NOTHING) runner.results = []
    runner.results.push({ id: action.id, outcome })
    this.flush()
  }

  private recorderOf(runner: Runner): EventRecorder {
    if (runner.recorder === undefined) {
      const { random, host } = this.options
      runner.recorder = createEventRecorder({
        component: runner.controller.name,
        random,
        names: this.eventNames,
        startMs: runner.startMs,
        ...(host === undefined ? {} : { host }),
      })
    }
    return runner.recorder
  }

  private writeEvents(runner: Runner, calls: readonly EventCall[] | undefined): void {
    if (calls === undefined || calls.length === 0) return
    const recorder = this.recorderOf(runner)
    const left = [...calls]
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const outcome = this.options.client.callNow(next.call)
      left.push(...recorder.settle(next.id, outcome, this.clock.now()))
    }
    this.flush()
  }

  private answer(runner: Runner, ask: Ask): void {
    const outcome = this.options.answer?.(ask, runner.controller.name) ?? this.defaultAnswer(runner, ask)
    if (runner.answers === NOTHING) runner.answers = []
    runner.answers.push({ id: ask.id, outcome })
    this.flush()
  }

  private defaultAnswer(runner: Runner, ask: Ask): Answer['outcome'] {
    const { request } = ask
    if (request.kind === 'read') return { kind: 'ok', value: this.options.client.callNow(request.call) }
    if (request.kind === 'http' && request.ignorable === true) {
      this.log.warn({ controller: runner.controller.name, url: request.url }, 'skipped: nobody to ask in virtual time')
      return { kind: 'skipped' }
    }
    const what = request.kind === 'http' ? `${request.method} ${request.url}` : 'the cloud'
    throw new UnanswerableAskError(`${runner.controller.name} asks ${what}, which has no answer in virtual time`)
  }

  /** Called by the source, within a write. */
  private take(changes: readonly SourceChange[]): void {
    for (const change of changes) this.incoming.push(change)
  }

  /** Moves what was written into the view and in front of the controllers that watch it. */
  private flush(): void {
    while (this.incoming.length > 0) {
      // A source's change has every field of a Change; its resource may be one that our types do not list.
      const changes = this.incoming as unknown as Change[]
      const revision = (this.incoming[this.incoming.length - 1] as SourceChange).revision
      this.incoming = []
      const seen = changes.filter((change) => this.watchers.has(change.resource))
      this.view.apply(seen, revision)
      for (const change of seen) {
        for (const runner of this.watchers.get(change.resource) ?? NOTHING) {
          if (runner.changes === NOTHING) runner.changes = []
          runner.changes.push(change)
        }
      }
      for (const observer of this.observers) observer(changes, this.acting, this.clock.now())
    }
  }

  private insert(controller: Controller, place: number): void {
    if (this.controller(controller.name) !== undefined) {
      throw new Error(`a controller named ${controller.name} already runs here`)
    }
    this.flush()
    const watched = new Set<string>(controller.watches)
    const changes: Change[] = []
    const fresh: Change[] = []
    for (const resource of watched) {
      const isNew = !this.loaded.has(resource)
      for (const object of this.options.source.list(resource)) {
        const change = addition(resource, object)
        changes.push(change)
        if (isNew) fresh.push(change)
      }
      this.loaded.add(resource)
    }
    this.view.apply(fresh, this.options.source.revision)
    this.runners.splice(place, 0, {
      controller,
      watched,
      startMs: this.clock.now(),
      changes,
      results: NOTHING,
      answers: NOTHING,
      // The first step is taken even when nothing exists.
      wakeAt: Number.NEGATIVE_INFINITY,
      steps: 0,
    })
    this.indexWatchers()
  }

  private indexWatchers(): void {
    this.watchers.clear()
    for (const runner of this.runners) {
      for (const resource of runner.watched) {
        const known = this.watchers.get(resource)
        if (known === undefined) this.watchers.set(resource, [runner])
        else known.push(runner)
      }
    }
  }

  private dropUnwatched(): void {
    for (const resource of this.loaded) {
      if (this.watchers.has(resource)) continue
      this.view.drop(resource)
      this.loaded.delete(resource)
    }
  }

  private defaultLimit(): number {
    let objects = 0
    for (const resource of this.watchers.keys()) objects += this.view.count(resource)
    return 100_000 + 20 * objects
  }

  private endless(): EndlessInstantError {
    const busiest = this.runners
      .filter((runner) => runner.steps > 0)
      .sort((a, b) => b.steps - a.steps)
      .map((runner) => `${runner.controller.name} (${runner.steps} steps)`)
    const actions = this.lastActions.map(
      ({ by, call, outcome }) => `  ${by}: ${describeCall(call)} → ${describeOutcome(outcome)}`,
    )
    return new EndlessInstantError(
      `the instant ${new Date(this.clock.now()).toISOString()} does not come to rest: ${busiest.join(', ')}; ` +
        `the last actions were:\n${actions.join('\n')}`,
    )
  }
}

function addition(resource: string, object: KubeObject): Change {
  return { resource, key: keyOf(object), after: object } as Change
}
