export type RequestKind = 'readOnly' | 'mutating'

/** The classification of a request. */
export interface Flow {
  /** All requests of a user share the seats of this user. */
  readonly user: string
  readonly kind: RequestKind
  /**
   * `probe`: health checks, which are always answered. `exempt`: the administrators (system:masters), who need no seat,
   * as in upstream's exempt priority level. `normal`: all others.
   */
  readonly level: 'probe' | 'exempt' | 'normal'
  readonly matched?: MatchedFlow | undefined
}

/** The uids of the flow schema and the priority level of a request, which its response names. */
export interface MatchedFlow {
  readonly schema: string
  readonly level: string
}

export type FlowRejection = 'queue-full' | 'time-out'

export interface FlowLimits {
  /** --max-requests-inflight and --max-mutating-requests-inflight; 0: no limit. */
  readonly readsInFlight: number
  readonly writesInFlight: number
  /** The number of requests of one user that may wait for a seat. */
  readonly queueLength: number
  readonly queueWaitMs: number
}

interface Waiting {
  readonly flow: Flow
  readonly until: number
  readonly settle: (rejection: FlowRejection | undefined) => void
}

/**
 * The requests in progress, and the requests that wait for a seat. One user cannot take more than half of the seats.
 */
export class FlowControl {
  readonly rejected: Record<FlowRejection, number> = { 'queue-full': 0, 'time-out': 0 }
  private readonly limits: FlowLimits
  private readonly now: () => number
  private readonly hasRoom: () => boolean
  private readonly executing: Record<RequestKind, number> = { readOnly: 0, mutating: 0 }
  /** The requests in progress that are not exempt. */
  private readonly seated: Record<RequestKind, number> = { readOnly: 0, mutating: 0 }
  private readonly seats: Record<RequestKind, Map<string, number>> = { readOnly: new Map(), mutating: new Map() }
  /** By user. The first user is the next one to get a seat. */
  private readonly queues: Record<RequestKind, Map<string, Waiting[]>> = { readOnly: new Map(), mutating: new Map() }
  private readonly queued: Record<RequestKind, number> = { readOnly: 0, mutating: 0 }

  constructor(options: { readonly limits: FlowLimits; readonly now: () => number; readonly hasRoom: () => boolean }) {
    this.limits = options.limits
    this.now = options.now
    this.hasRoom = options.hasRoom
  }

  inFlight(kind: RequestKind): number {
    return this.executing[kind]
  }

  inQueue(kind: RequestKind): number {
    return this.queued[kind]
  }

  get isWaiting(): boolean {
    return this.queued.readOnly + this.queued.mutating > 0
  }

  /** Undefined: the request may be handled now, and `leave` must be called afterwards. */
  enter(flow: Flow): undefined | Promise<FlowRejection | undefined> {
    if (this.mayRun(flow)) {
      this.take(flow)
      return undefined
    }
    return this.wait(flow)
  }

  leave(flow: Flow): void {
    const { kind } = flow
    this.executing[kind]--
    if (flow.level === 'normal') {
      this.seated[kind]--
      const seats = this.seats[kind]
      const left = (seats.get(flow.user) ?? 1) - 1
      if (left === 0) seats.delete(flow.user)
      else seats.set(flow.user, left)
    }
    if (this.isWaiting) this.dispatch()
  }

  /**
   * Rejects requests that have waited too long, and admits requests that can start. Called periodically, and when there
   * is room.
   */
  dispatch(): void {
    const now = this.now()
    for (const kind of ['readOnly', 'mutating'] as const) {
      const queues = this.queues[kind]
      // Each turn admits one request of a user; then the next user follows.
      for (let idle = 0; idle < queues.size; ) {
        const [user, queue] = queues.entries().next().value as [string, Waiting[]]
        queues.delete(user)
        const first = queue[0] as Waiting
        const isLate = first.until <= now
        const runs = !isLate && this.mayRun(first.flow)
        if (isLate || runs) {
          queue.shift()
          this.queued[kind]--
          idle = 0
        } else idle++
        if (queue.length > 0) queues.set(user, queue)
        if (runs) this.take(first.flow)
        if (isLate) this.rejected['time-out']++
        if (isLate || runs) first.settle(isLate ? 'time-out' : undefined)
      }
    }
  }

  private mayRun({ user, kind, level }: Flow): boolean {
    if (level === 'probe') return true
    if (!this.hasRoom()) return false
    const limit = kind === 'readOnly' ? this.limits.readsInFlight : this.limits.writesInFlight
    if (level === 'exempt' || limit === 0) return true
    if (this.seated[kind] >= limit) return false
    return (this.seats[kind].get(user) ?? 0) < Math.ceil(limit / 2)
  }

  private take({ user, kind, level }: Flow): void {
    this.executing[kind]++
    if (level !== 'normal') return
    this.seated[kind]++
    const seats = this.seats[kind]
    seats.set(user, (seats.get(user) ?? 0) + 1)
  }

  private wait(flow: Flow): Promise<FlowRejection | undefined> {
    const queues = this.queues[flow.kind]
    const queue = queues.get(flow.user) ?? []
    if (queue.length >= this.limits.queueLength) {
      this.rejected['queue-full']++
      return Promise.resolve('queue-full')
    }
    queues.set(flow.user, queue)
    this.queued[flow.kind]++
    return new Promise((settle) => {
      queue.push({ flow, until: this.now() + this.limits.queueWaitMs, settle })
    })
  }
}
