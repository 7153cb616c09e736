import type { Call, Outcome } from '../api/call.ts'
import { objectKey } from '../api/object-key.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import type { KnownResource } from '../api/objects/resources.ts'
import { controllerOf } from '../api/owner-references.ts'
import { DeadlineQueue } from '../base/deadline-queue.ts'
import type { MetricRegistry } from '../base/metrics.ts'
import type { Random } from '../base/random.ts'
import { type ActionIds, type CallAction, callAction, createActionIds } from './actions.ts'
import { type Awaited, awaitedBy, hasCaughtUp } from './catch-up.ts'
import type {
  Action,
  ActionResult,
  Answer,
  Ask,
  Change,
  ChangeOf,
  Controller,
  EventRecord,
  StepInput,
  StepOutput,
} from './controller.ts'
import { createQueueMeter } from './queue-metrics.ts'
import type { View } from './view.ts'
import { createRetryLimiter, type RetryLimits, WorkQueue } from './work-queue.ts'

export interface ReconcileContext {
  readonly view: View
  /** Monotonic. Elapsed time, deadlines and `wakeAt` are measured in it. */
  readonly now: number
  /** Wall time: for timestamps in objects, both written and read. */
  readonly wall: number
  readonly random: Random
  readonly ids: ActionIds
  call(call: Call, priority?: CallAction['priority']): CallAction
}

export interface ReconcileResult {
  /** The key is reconciled again only after every outcome has arrived and is visible in the view. */
  readonly actions?: readonly Action[]
  readonly events?: readonly EventRecord[]
  /** The answers are passed to `onAnswers`; the key is not reconciled again before they have arrived. */
  readonly asks?: readonly Ask[]
  /** The time at which to reconcile this key even if nothing changes. Replaces the previous value. */
  readonly wakeAt?: number
  /** Whether to reconcile the key again after its backoff delay. */
  readonly retry?: boolean
}

/** The outcome of one action, with its call. */
export interface KeyedResult extends ActionResult {
  readonly call: Call
}

/**
 * The next step for a key after all its actions are answered. Default: retry if any action failed, otherwise reset its
 * failures.
 */
export type AfterResults = 'done' | 'retry' | 'again'

/** The keys that a change concerns. */
export type Wake<R extends KnownResource> = (change: ChangeOf<R>, view: View) => string | readonly string[] | undefined

export interface Reconciler {
  readonly name: string
  /** The watched resources, each with the keys that a change concerns. */
  readonly wakes: { readonly [R in KnownResource]?: Wake<R> }
  reconcile(key: string, context: ReconcileContext): ReconcileResult | undefined
  /** As `ignores` of a controller: whether a change concerns no key and changes no state of the reconciler. */
  ignores?(change: Change): boolean
  /** Called once per key, when all its actions are answered, before the key may be reconciled again. */
  onResults?(key: string, results: readonly KeyedResult[], context: ReconcileContext): AfterResults | undefined
  onAnswers?(key: string, answers: readonly Answer[], context: ReconcileContext): void
  inspect?(now: number): unknown
}

export interface ReconcilerOptions {
  readonly retries?: RetryLimits
  /**
   * The maximum number of keys per step; further keys follow in further steps of the same instant, on a newer view.
   * Default: all.
   */
  readonly keysPerStep?: number
  /**
   * The maximum time that a key waits for the view to show its writes. Upstream's expectations expire after the same
   * time (v1.36, pkg/controller, ExpectationsTimeout).
   */
  readonly catchUpLimitMs?: number
}

/**
 * A Controller that works key by key. Instead of upstream's expectations, a key whose writes are not yet visible in the
 * view waits: `reconcile` always sees its own earlier writes.
 */
export function createReconcilerController(reconciler: Reconciler, options: ReconcilerOptions = {}): Controller {
  const adapter = new Adapter(reconciler, options)
  return {
    name: reconciler.name,
    watches: Object.keys(reconciler.wakes),
    step: (input) => adapter.step(input),
    ...(reconciler.ignores === undefined ? {} : { ignores: reconciler.ignores }),
    measure: (metrics) => adapter.measure(metrics),
    inspect: (now) => reconciler.inspect?.(now) ?? adapter.inspect(),
  }
}

/** A key between its actions and the time when the view shows them. */
interface InFlight {
  readonly key: string
  /** Calls and asks without an answer. */
  open: number
  readonly results: SettledResult[]
  answers: Answer[] | undefined
  awaited: Awaited[] | undefined
  readonly giveUpAt: number
  /** The reconciler requested a retry; successful actions do not cancel it. */
  readonly isRetried: boolean
}

/** A call or an ask in flight. */
interface Sent {
  readonly entry: InFlight
  /** Absent: an ask. */
  readonly call: Call | undefined
  readonly revision: number
}

interface SettledResult extends KeyedResult {
  /** The revision of the call's resource in the view when the call was made. */
  readonly revision: number
}

const none: readonly never[] = []
const nothing: StepOutput = { actions: none }
const undone: ReconcileResult = {}

class Adapter {
  private readonly reconciler: Reconciler
  private readonly queue: WorkQueue
  private readonly ids = createActionIds()
  private readonly call: ReconcileContext['call'] = (call, priority) => callAction(this.ids, call, priority)
  private readonly wakeups = new DeadlineQueue<string>()
  /** By the id of the action or ask. */
  private readonly sent = new Map<number, Sent>()
  /** Keys with all of their results, whose writes are not yet in the view. */
  private catchingUp: InFlight[] = []
  private readonly keysPerStep: number
  private readonly catchUpLimitMs: number

  constructor(reconciler: Reconciler, options: ReconcilerOptions) {
    this.reconciler = reconciler
    this.queue = new WorkQueue(createRetryLimiter(options.retries))
    this.keysPerStep = options.keysPerStep ?? Number.POSITIVE_INFINITY
    this.catchUpLimitMs = options.catchUpLimitMs ?? 300_000
  }

  step(input: StepInput): StepOutput {
    const { now, view } = input
    this.queue.now = now
    this.wake(input.changes, view)
    if (this.isIdle(input)) return this.idle(now)
    return this.work(input)
  }

  /**
   * Whether the changes concern no key and nothing is due. This is the common case, because controllers share
   * resources.
   */
  private isIdle({ now, results, answers }: StepInput): boolean {
    return (
      results.length === 0 &&
      answers.length === 0 &&
      this.catchingUp.length === 0 &&
      this.queue.size === 0 &&
      (this.queue.nextAt() ?? Number.POSITIVE_INFINITY) > now &&
      (this.wakeups.nextAt() ?? Number.POSITIVE_INFINITY) > now
    )
  }

  private idle(now: number): StepOutput {
    const wakeAt = this.nextAt(now)
    return wakeAt === undefined ? nothing : { actions: none, wakeAt }
  }

  private work(input: StepInput): StepOutput {
    const { now, wall, view, random } = input
    const context: ReconcileContext = { view, now, wall, random, ids: this.ids, call: this.call }
    for (const result of input.results) this.takeResult(result)
    for (const answer of input.answers) this.takeAnswer(answer)
    if (this.catchingUp.length > 0) this.releaseAll(context)
    if ((this.wakeups.nextAt() ?? Number.POSITIVE_INFINITY) <= now) {
      for (const key of this.wakeups.popDue(now)) this.queue.add(key)
    }
    this.queue.advance(now)

    const actions: Action[] = []
    const asks: Ask[] = []
    for (let left = this.keysPerStep; left > 0; left--) {
      const key = this.queue.take()
      if (key === undefined) break
      this.process(key, context, actions, asks)
    }
    const wakeAt = this.nextAt(now)
    if (asks.length === 0) return wakeAt === undefined ? { actions } : { actions, wakeAt }
    return wakeAt === undefined ? { actions, asks } : { actions, asks, wakeAt }
  }

  measure(metrics: MetricRegistry): void {
    this.queue.measure(createQueueMeter(metrics, this.reconciler.name, () => this.queue.size))
  }

  inspect(): unknown {
    return {
      ready: this.queue.size,
      inFlight: [...new Set([...Array.from(this.sent.values(), ({ entry }) => entry), ...this.catchingUp])].map(
        ({ key }) => key,
      ),
      wakeups: Object.fromEntries(this.wakeups.entries()),
      retries: Object.fromEntries(this.queue.delays()),
    }
  }

  private wake(changes: readonly Change[], view: View): void {
    let resource: string | undefined
    let wake: Wake<KnownResource> | undefined
    for (const change of changes) {
      // Changes of one resource arrive in sequence.
      if (change.resource !== resource) {
        resource = change.resource
        wake = this.reconciler.wakes[change.resource] as Wake<KnownResource> | undefined
      }
      const keys = wake?.(change, view)
      if (keys === undefined) continue
      if (typeof keys === 'string') this.queue.add(keys)
      else for (const key of keys) this.queue.add(key)
    }
  }

  private process(key: string, context: ReconcileContext, actions: Action[], asks: Ask[]): void {
    const result = this.reconciler.reconcile(key, context) ?? undone
    const { wakeAt } = result
    if (wakeAt === undefined) this.wakeups.delete(key)
    else this.wakeups.set(key, wakeAt)

    const { actions: wanted = none, events = none, asks: asked = none } = result
    for (const action of wanted) actions.push(action)
    for (const event of events) actions.push({ kind: 'event', event })
    for (const ask of asked) asks.push(ask)
    if (result.retry === true) this.queue.addRateLimited(key, context.now)
    // Most keys need no action.
    if (asked.length === 0 && !wanted.some(({ kind }) => kind === 'call')) {
      if (result.retry !== true) this.queue.forget(key)
      this.queue.done(key)
      return
    }
    this.takeOff(key, result, context)
  }

  /** Records the calls and asks sent for a key. */
  private takeOff(key: string, result: ReconcileResult, context: ReconcileContext): void {
    const entry: InFlight = {
      key,
      open: 0,
      results: [],
      answers: undefined,
      awaited: undefined,
      giveUpAt: context.now + this.catchUpLimitMs,
      isRetried: result.retry === true,
    }
    for (const action of result.actions ?? none) {
      if (action.kind !== 'call') continue
      this.sent.set(action.id, { entry, call: action.call, revision: context.view.revisionOf(action.call.resource) })
      entry.open++
    }
    for (const { id } of result.asks ?? none) {
      this.sent.set(id, { entry, call: undefined, revision: 0 })
      entry.open++
    }
  }

  private takeResult({ id, outcome }: ActionResult): void {
    const sent = this.sent.get(id)
    if (sent?.call === undefined) return
    const { entry, call, revision } = sent
    this.sent.delete(id)
    entry.results.push({ id, outcome, call, revision })
    const awaited = awaitedBy(call, outcome)
    if (awaited !== undefined && Object.hasOwn(this.reconciler.wakes, awaited.resource)) {
      if (entry.awaited === undefined) entry.awaited = [awaited]
      else entry.awaited.push(awaited)
    }
    this.close(entry)
  }

  private takeAnswer(answer: Answer): void {
    const sent = this.sent.get(answer.id)
    if (sent === undefined || sent.call !== undefined) return
    const { entry } = sent
    this.sent.delete(answer.id)
    if (entry.answers === undefined) entry.answers = [answer]
    else entry.answers.push(answer)
    this.close(entry)
  }

  private close(entry: InFlight): void {
    entry.open--
    if (entry.open === 0) this.catchingUp.push(entry)
  }

  /** Releases the keys whose results have all arrived, once the view shows their writes. */
  private releaseAll(context: ReconcileContext): void {
    const closed = this.catchingUp
    this.catchingUp = []
    for (const entry of closed) {
      if (context.now < entry.giveUpAt && !isVisible(entry, context.view)) this.catchingUp.push(entry)
      else this.release(entry, context)
    }
  }

  private release(entry: InFlight, context: ReconcileContext): void {
    const { view, now } = context
    const { key } = entry
    if (entry.answers !== undefined) {
      this.reconciler.onAnswers?.(key, entry.answers, context)
      this.queue.add(key)
    }
    const after = this.reconciler.onResults?.(key, entry.results, context) ?? this.decideAfter(entry, view)
    if (after === 'retry') this.queue.addRateLimited(key, now)
    else if (after === 'again') this.queue.add(key)
    else if (!entry.isRetried) this.queue.forget(key)
    this.queue.done(key)
  }

  private decideAfter({ results }: InFlight, view: View): AfterResults {
    if (results.every(succeeded)) return 'done'
    // A conflict means that the view is behind. Once it has changed, retry immediately; before that, an immediate retry
    // would conflict again.
    const moved = results.every(
      (result) => succeeded(result) || (isConflict(result.outcome) && this.hasMoved(result, view)),
    )
    return moved ? 'again' : 'retry'
  }

  /** Whether the view shows another state of the call's object than when the call was made. */
  private hasMoved({ call, revision }: SettledResult, view: View): boolean {
    const name =
      call.verb === 'create' ? (call.name ?? call.object.metadata.name) : 'name' in call ? call.name : undefined
    if (name === undefined) return false
    const object = view.get(call.resource as KnownResource, objectKey(call.namespace, name))
    // The object of a write existed.
    if (object === undefined) return call.verb !== 'create' && Object.hasOwn(this.reconciler.wakes, call.resource)
    return Number(object.metadata.resourceVersion ?? 0) > revision
  }

  private nextAt(now: number): number | undefined {
    if (this.queue.size > 0) return now
    let next = Math.min(
      this.queue.nextAt() ?? Number.POSITIVE_INFINITY,
      this.wakeups.nextAt() ?? Number.POSITIVE_INFINITY,
    )
    for (const { giveUpAt } of this.catchingUp) next = Math.min(next, giveUpAt)
    return next === Number.POSITIVE_INFINITY ? undefined : next
  }
}

function isVisible({ awaited }: InFlight, view: View): boolean {
  return awaited === undefined || awaited.every((one) => hasCaughtUp(one, view))
}

/** Deleting an object that does not exist is a success. */
function succeeded({ call, outcome }: KeyedResult): boolean {
  return outcome.ok || (call.verb === 'delete' && outcome.status.reason === 'NotFound')
}

function isConflict(outcome: Outcome): boolean {
  return !outcome.ok && outcome.status.reason === 'Conflict'
}

/** Wakes the key of the object itself. */
export function itself(change: { readonly key: string }): string {
  return change.key
}

/** Wakes the controlling owner before the change and the one after it, if they are of this kind. */
export function controllerOfKind(kind: string): (change: Change) => readonly string[] {
  const ownerOf = (object: KubeObject | undefined): string | undefined => {
    const owner = object === undefined ? undefined : controllerOf(object)
    return owner?.kind === kind ? objectKey(object?.metadata.namespace, owner.name) : undefined
  }
  return ({ before, after }) => {
    const present = ownerOf(after)
    const isSame = before === undefined || before.metadata.ownerReferences === after?.metadata.ownerReferences
    const former = isSame ? undefined : ownerOf(before)
    if (former === undefined || former === present) return present === undefined ? none : [present]
    return present === undefined ? [former] : [former, present]
  }
}
