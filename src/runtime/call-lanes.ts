import type { Call, Outcome } from '../api/call.ts'
import { objectKey } from '../api/object-key.ts'
import { failure } from '../api/status.ts'
import { Fifo } from '../base/fifo.ts'
import type { Client } from '../client/contract.ts'
import type { CallAction } from './actions.ts'

type CallPriority = NonNullable<CallAction['priority']>

export interface CallLanesOptions {
  readonly client: Client
  /** The maximum number of calls in flight at the same time. */
  readonly maxInFlight: number
  /** The maximum number of waiting calls. Further calls get a 429 immediately. */
  readonly maxQueued: number
}

interface LaneCall {
  readonly call: Call
  readonly priority: CallPriority
  readonly lane: string | undefined
  readonly onOutcome: (outcome: Outcome) => void
}

// One of this number of calls is taken from the next lower priority, so that no priority starves.
const fairShare = 32

/**
 * Sends calls concurrently. Calls on the same object are sent one after another in the order of submission; other calls
 * are ordered by priority. Every submitted call is answered exactly once, unless the lanes are closed first.
 */
export class CallLanes {
  private readonly options: CallLanesOptions
  /** Objects with a call that is ready or in flight, each with the calls that wait for it, if any. */
  private readonly lanes = new Map<string, Fifo<LaneCall> | undefined>()
  private readonly ready: Record<CallPriority, Fifo<LaneCall>> = {
    high: new Fifo(),
    normal: new Fifo(),
    low: new Fifo(),
  }
  private flying = 0
  private waiting = 0
  private sinceFair = 0
  private closed = false
  private readonly drained: (() => void)[] = []

  constructor(options: CallLanesOptions) {
    this.options = options
  }

  get inFlight(): number {
    return this.flying
  }

  get queued(): number {
    return this.waiting
  }

  submit(call: Call, priority: CallPriority, onOutcome: (outcome: Outcome) => void): void {
    if (this.closed) return
    if (this.waiting >= this.options.maxQueued) {
      const refused = failure('TooManyRequests', 'too many queued calls', { retryAfterSeconds: 1 })
      Promise.resolve().then(() => onOutcome(refused))
      return
    }
    const job: LaneCall = { call, priority, lane: laneOf(call), onOutcome }
    this.waiting++
    if (job.lane === undefined) this.ready[priority].push(job)
    else {
      const lane = this.lanes.get(job.lane)
      if (lane !== undefined) lane.push(job)
      else if (this.lanes.has(job.lane)) this.lanes.set(job.lane, new Fifo(job))
      else {
        this.lanes.set(job.lane, undefined)
        this.ready[priority].push(job)
      }
    }
    this.pump()
  }

  /** Starts no further calls. Resolves when the calls in flight are answered; waiting calls are dropped. */
  close(): Promise<void> {
    this.closed = true
    this.waiting = 0
    for (const fifo of Object.values(this.ready)) fifo.clear()
    this.lanes.clear()
    return this.flying === 0 ? Promise.resolve() : new Promise((resolve) => this.drained.push(resolve))
  }

  private pump(): void {
    while (!this.closed && this.flying < this.options.maxInFlight) {
      const job = this.nextJob()
      if (job === undefined) return
      this.waiting--
      this.flying++
      this.options.client.call(job.call).then(
        (outcome) => this.finish(job, outcome),
        // A client must not reject, but the controller needs a result in any case.
        (error) => this.finish(job, failure('InternalError', String(error))),
      )
    }
  }

  private nextJob(): LaneCall | undefined {
    const { high, normal, low } = this.ready
    if (++this.sinceFair >= fairShare) {
      this.sinceFair = 0
      return low.shift() ?? normal.shift() ?? high.shift()
    }
    return high.shift() ?? normal.shift() ?? low.shift()
  }

  private finish(job: LaneCall, outcome: Outcome): void {
    this.flying--
    if (this.closed) {
      if (this.flying === 0) for (const resolve of this.drained.splice(0)) resolve()
      return
    }
    if (job.lane !== undefined) {
      const next = this.lanes.get(job.lane)?.shift()
      if (next === undefined) this.lanes.delete(job.lane)
      else this.ready[next.priority].push(next)
    }
    job.onOutcome(outcome)
    this.pump()
  }
}

function laneOf(call: Call): string | undefined {
  switch (call.verb) {
    case 'list':
    case 'deletecollection':
      return undefined
    case 'create': {
      const name = call.name ?? call.object.metadata.name
      // A generated name cannot collide with another call.
      return name ? `${call.resource} ${objectKey(call.namespace, name)}` : undefined
    }
    default:
      return `${call.resource} ${objectKey(call.namespace, call.name)}`
  }
}
