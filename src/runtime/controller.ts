import type { Call, GetCall, ListCall, Outcome } from '../api/call.ts'
import type { ObjectReference } from '../api/objects/meta.ts'
import type { KnownResource, ObjectOf, ResourceName } from '../api/objects/resources.ts'
import type { MetricRegistry } from '../base/metrics.ts'
import type { Random } from '../base/random.ts'
import type { View } from './view.ts'

/** One object that was added (no `before`), modified, or deleted (no `after`). */
export type Change = { [R in KnownResource]: ChangeOf<R> }[KnownResource]

export interface ChangeOf<R extends ResourceName> {
  readonly resource: R
  readonly key: string
  readonly before?: ObjectOf<R>
  readonly after?: ObjectOf<R>
}

/**
 * A request of a controller. Actions on one object are sent in the given order; actions on different objects may be
 * sent in another order. The outcome of every call and read is returned in `results` under its id, exactly once.
 */
export type Action =
  | {
      readonly kind: 'call'
      readonly id: number
      readonly call: Call
      /** Under a rate limit, binds go first, then status updates, then events. Default: normal. */
      readonly priority?: 'high' | 'normal' | 'low'
    }
  /**
   * A get that upstream's controller sends at this point. Drivers answer it from the view without a request; in virtual
   * time it waits for the rate limit like any other request.
   */
  | { readonly kind: 'read'; readonly id: number; readonly resource: KnownResource; readonly key: string }
  | { readonly kind: 'event'; readonly event: EventRecord }

/** An event to record. The recorder combines, counts and rate-limits events as upstream does. */
export interface EventRecord {
  readonly regarding: ObjectReference
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
  readonly related?: ObjectReference
  /** events.k8s.io events (scheduler) have an action and a series; core/v1 events have counts. */
  readonly action?: string
  readonly api: 'core' | 'events'
  /** Default: the controller's name. */
  readonly component?: string
  /** core/v1 only: the reporting host (kubelets). */
  readonly host?: string
}

export interface ActionResult {
  readonly id: number
  readonly outcome: Outcome
}

/** A question that only the outside can answer. A timeout is also an answer. */
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
    /** Virtual time only: the ask was ignorable and has no answer. */
    | { readonly kind: 'skipped' }
}

export interface StepInput {
  /** In the order in which they happened. The first step gets all existing objects, as additions. */
  readonly changes: readonly Change[]
  readonly results: readonly ActionResult[]
  readonly answers: readonly Answer[]
  /** Milliseconds since the epoch, monotonic. Elapsed time, deadlines and `wakeAt` are measured in it. */
  readonly now: number
  /** The wall time at `now`: for timestamps in objects, both written and read. */
  readonly wall: number
  readonly random: Random
  /** The shared read model. It includes all of `changes` and does not change during the step. */
  readonly view: View
}

export interface StepOutput {
  readonly actions?: readonly Action[]
  readonly asks?: readonly Ask[]
  /** The next time at which this controller needs a step even if nothing changes. Replaces the previous value. */
  readonly wakeAt?: number
  /**
   * Replaces the list of watched resources. Existing objects of a newly watched resource arrive as additions. For
   * controllers of all resources, because CustomResourceDefinitions can be created and deleted.
   */
  readonly watches?: readonly ResourceName[]
}

/**
 * `concurrent`: in order of arrival; all requests of a step are made before the first of its reads is answered.
 * `sequential`: in order of arrival; a read is answered before the next request is made. `by-resource`: the resources
 * take turns, for a controller that emits all its requests at once; upstream's workers wait for each answer, so the
 * many requests of one worker do not delay the single request of another.
 */
export type RequestOrder = 'concurrent' | 'sequential' | 'by-resource'

export interface Controller {
  readonly name: string
  /** The resources to watch initially. Every resource watched by any controller is in the shared view. */
  readonly watches: readonly ResourceName[]
  step(input: StepInput): StepOutput
  /**
   * Whether a change has no effect on the controller in any of its states. In virtual time such changes are not
   * delivered and cause no step, because most changes of pods concern only a few controllers. Absent: it ignores no
   * change.
   */
  ignores?(change: Change): boolean
  /** How its requests wait for a rate limit in virtual time. Default: `by-resource`. */
  readonly requestOrder?: RequestOrder
  /** Called once to register metrics under upstream's names. Not called in virtual time. */
  measure?(metrics: MetricRegistry): void
  /** The internal state as data, for `/debug/*`, `berth queue` and `berth evictions`. */
  inspect?(now: number): unknown
}
