import type { Random } from '../base/random.ts'
import type { Action, ActionResult, Answer, Change, Controller, StepOutput } from './controller.ts'
import { createEventRecorder, type EventNames, type EventRecorder } from './event-recorder.ts'
import type { RequestQueue } from './request-queue.ts'
import type { View } from './view.ts'

const nothing: never[] = []

/** A controller with the input that waits for its next step. */
export class Runner {
  readonly controller: Controller
  watched: ReadonlySet<string>
  /** Requests that wait for the rate limit. Absent: no limit. */
  readonly requests: RequestQueue | undefined
  /** Steps taken since the driver last reset the count. */
  steps = 0
  /** A restarted controller has forgotten its events, so each runner has its own recorder. */
  private ownRecorder: EventRecorder | undefined
  /** A held controller is not due: its input waits. */
  isHeld = false
  /** A change was not delivered since requests were last sent. */
  private hasIgnored = false
  private readonly startMs: number
  private changes: Change[]
  /** True while `changes` are the initial changes, which other runners share and which must not be modified. */
  private isShared: boolean
  private results: ActionResult[] = nothing
  private answers: Answer[] = nothing
  // The first step is taken even when no object exists.
  private wakeAt = Number.NEGATIVE_INFINITY

  constructor(controller: Controller, initial: readonly Change[], startMs: number, requests?: RequestQueue) {
    this.controller = controller
    this.requests = requests
    this.watched = new Set(controller.watches)
    this.changes = initial as Change[]
    this.isShared = true
    this.startMs = startMs
  }

  get name(): string {
    return this.controller.name
  }

  get recorder(): EventRecorder | undefined {
    return this.ownRecorder
  }

  giveChange(change: Change): void {
    if (this.controller.ignores?.(change) === true) {
      this.hasIgnored = true
      return
    }
    if (this.changes === nothing) {
      this.changes = [change]
      return
    }
    if (this.isShared) this.changes = this.changes.slice()
    this.isShared = false
    this.changes.push(change)
  }

  giveResult(result: ActionResult): void {
    if (this.results === nothing) this.results = [result]
    else this.results.push(result)
  }

  giveAnswer(answer: Answer): void {
    if (this.answers === nothing) this.answers = []
    this.answers.push(answer)
  }

  /** Makes the controller due, because its state was changed from outside. */
  wake(): void {
    this.wakeAt = Number.NEGATIVE_INFINITY
  }

  /** Whether a step or a request is due. */
  isDue(now: number): boolean {
    return !this.isHeld && (this.hasInput(now) || (this.requests !== undefined && this.maySend(this.requests, now)))
  }

  /** The actions to send now, of this step and of earlier steps. */
  send(actions: readonly Action[], now: number): readonly Action[] {
    this.hasIgnored = false
    return this.requests === undefined ? actions : this.requests.submit(actions, now)
  }

  /** Each change sends waiting requests, so an ignored change has the same effect as a delivered one. */
  private maySend({ nextAt }: RequestQueue, now: number): boolean {
    return nextAt <= now || (this.hasIgnored && nextAt !== Number.POSITIVE_INFINITY)
  }

  hasInput(now: number): boolean {
    return this.changes.length > 0 || this.results.length > 0 || this.answers.length > 0 || this.wakeAt <= now
  }

  /** When the next step, request or write of the recorder is due. Infinity: nothing is due. */
  nextAt(): number {
    if (this.isHeld) return Number.POSITIVE_INFINITY
    const recordAt = this.ownRecorder?.nextAt() ?? Number.POSITIVE_INFINITY
    return Math.min(this.wakeAt, recordAt, this.requests?.nextAt ?? Number.POSITIVE_INFINITY)
  }

  step(now: number, wall: number, random: Random, view: View): StepOutput {
    const { changes, results, answers } = this
    this.changes = nothing
    this.isShared = false
    this.results = nothing
    this.answers = nothing
    this.steps++
    const output = this.controller.step({ changes, results, answers, now, wall, random, view })
    this.wakeAt = output.wakeAt ?? Number.POSITIVE_INFINITY
    return output
  }

  recorderFor(options: { readonly random: Random; readonly names: EventNames; readonly host?: string }): EventRecorder {
    if (this.ownRecorder === undefined) {
      this.ownRecorder = createEventRecorder({ ...options, component: this.name, startMs: this.startMs })
    }
    return this.ownRecorder
  }
}

/** The controllers of a driver in list order, and the watchers of each resource. */
export class RunnerTable {
  readonly all: Runner[] = []
  private readonly watchers = new Map<string, Runner[]>()

  find(name: string): Runner | undefined {
    return this.all.find((runner) => runner.name === name)
  }

  placeOf(name: string): number {
    const place = this.all.findIndex((runner) => runner.name === name)
    if (place < 0) throw new Error(`controller ${name} not found`)
    return place
  }

  insert(runner: Runner, place: number): void {
    if (this.find(runner.name) !== undefined) throw new Error(`controller ${runner.name} already exists`)
    this.all.splice(place, 0, runner)
    this.indexWatchers()
  }

  removeAt(place: number): void {
    this.all.splice(place, 1)
    this.indexWatchers()
  }

  /** Returns the resources that the runner did not watch before. */
  rewatch(runner: Runner, resources: readonly string[]): readonly string[] {
    const before = runner.watched
    runner.watched = new Set(resources)
    this.indexWatchers()
    return [...runner.watched].filter((resource) => !before.has(resource))
  }

  isWatched(resource: string): boolean {
    return this.watchers.has(resource)
  }

  watchedResources(): IterableIterator<string> {
    return this.watchers.keys()
  }

  deliver(change: Change): void {
    const watchers = this.watchers.get(change.resource)
    if (watchers !== undefined) for (const runner of watchers) runner.giveChange(change)
  }

  nextAt(): number {
    let next = Number.POSITIVE_INFINITY
    for (const runner of this.all) {
      const at = runner.nextAt()
      if (at < next) next = at
    }
    return next
  }

  private indexWatchers(): void {
    this.watchers.clear()
    for (const runner of this.all) {
      for (const resource of runner.watched) {
        const known = this.watchers.get(resource)
        if (known === undefined) this.watchers.set(resource, [runner])
        else known.push(runner)
      }
    }
  }
}
