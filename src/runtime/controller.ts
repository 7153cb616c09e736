import type { Call, GetCall, ListCall, Outcome } from '../api/call.ts'
import type { ObjectReference } from '../api/objects/meta.ts'
import type { KnownResource, ObjectOf, ResourceName } from '../api/objects/resources.ts'
import type { MetricRegistry } from '../base/metrics.ts'
import type { Random } from '../base/random.ts'
import type { View } from './view.ts'

/** One object that appeared (no `before`), changed, or went (no `after`). */
export type Change = { [R in KnownResource]: ChangeOf<R> }[KnownResource]

export interface ChangeOf<R extends ResourceName> {
  readonly resource: R
  readonly key: string
  readonly before?: ObjectOf<R>
  readonly after?: ObjectOf<R>
}

/**
 * What a controller wants done. Actions on one object are carried out in the order given; actions on different objects
 * may overtake each other. The outcome of every call and read comes back in `results` under the id, exactly once.
 */
export type Action =
  | {
      readonly kind: 'call'
      readonly id: number
      readonly call: Call
      /** Binds go before status updates go before events when a client is rate-limited. Default: normal. */
      readonly priority?: 'high' | 'normal' | 'low'
    }
  /**
   * A get that upstream's controller sends at this point. Drivers answer it from the view without a request; in virtual time it
   * waits for the rate limit as any other request does.
   */
  | { readonly kind: 'read'; readonly id: number; readonly resource: KnownResource; readonly key: string }
  | { readonly kind: 'event'; readonly event: EventRecord }

/** An event to be recorded as upstream would: combined, counted and rate-limited by the recorder. */
export interface EventRecord {
  readonly regarding: ObjectReference
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
  readonly related?: ObjectReference
  /** events.k8s.io (the scheduler) has an action and series; core/v1 has counts. */
  readonly action?: string
  readonly api: 'core' | 'events'
  /** Absent: the controller's name. */
  readonly component?: string
  /** core: the machine that reports, where that means something (kubelets). */
  readonly host?: string
}

export interface ActionResult {
  readonly id: number
  readonly outcome: Outcome
}

/** A question only the outside can answer. A time-out is an answer too. */
export interface Ask {
  readonly id: number
  readonly deadlineAt: number
  readonly request:
    | { readonly kind: 'read'; readonly call: GetCall | ListCall }
    | {
        readonly kind: 'http'
        readonly method: string
        readonly url: string
        readonly body?: string
        readonly headers?: Readonly<Record<string, string>>
        readonly tls?: Readonly<Record<string, unknown>>
        readonly ignorable?: boolean
      }
    | { readonly kind: 'cloud'; readonly request: unknown }
}

export interface Answer {
  readonly id: number
  readonly outcome:
    | { readonly kind: 'ok'; readonly value: unknown }
    | { readonly kind: 'failed'; readonly message: string }
    | { readonly kind: 'timeout' }
    /** Virtual time only: nobody to ask; the ask was marked ignorable. */
    | { readonly kind: 'skipped' }
}

export interface StepInput {
  /** In the order they happened. The first step is given everything that exists, as additions. */
  readonly changes: readonly Change[]
  readonly results: readonly ActionResult[]
  readonly answers: readonly Answer[]
  /** Milliseconds since the epoch. It never jumps: elapsed time, deadlines and `wakeAt` are counted in it. */
  readonly now: number
  /** What the clock on the wall shows at `now`: for timestamps in objects, those written and those read. */
  readonly wall: number
  readonly random: Random
  /** The shared read model; it includes all of `changes`, and does not move during the step. */
  readonly view: View
}

export interface StepOutput {
  readonly actions?: readonly Action[]
  readonly asks?: readonly Ask[]
  /** The next instant this controller wants a step even if nothing changes; replaces what it asked for before. */
  readonly wakeAt?: number
  /**
   * From now on the controller is told about this instead; what exists of a resource that is new to it comes as
   * additions. For controllers of all resources: custom ones come and go.
   */
  readonly watches?: readonly ResourceName[]
}

/**
 * `concurrent`: first come, first served; all requests of a step are made before the first of its reads is answered.
 * `sequential`: first come, first served; a read is answered before the next request is made. `by-resource`: the resources take
 * turns, for a controller that emits all its requests at once; upstream's workers wait for each answer, so the many requests of
 * one worker do not delay the single request of another.
 */
export type RequestOrder = 'concurrent' | 'sequential' | 'by-resource'

export interface Controller {
  readonly name: string
  /** What it must be told about at first. Everything watched by any controller is in the shared view. */
  readonly watches: readonly ResourceName[]
  step(input: StepInput): StepOutput
  /** How its requests wait for a rate limit in virtual time. Default: `by-resource`. */
  readonly requestOrder?: RequestOrder
  /** Counts from now on, under upstream's names, where it does not do so by itself. Virtual time does without. */
  measure?(metrics: MetricRegistry): void
  /** What it holds in memory, as data: for `/debug/*`, `berth queue`, `berth evictions`. */
  inspect?(now: number): unknown
}
