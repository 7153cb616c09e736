import type { Outcome } from '../api/call.ts'
import type { Lease } from '../api/objects/node.ts'
import { failedWith } from '../api/status.ts'
import { formatMicroTime } from '../api/time.ts'
import type { Cancel, Clock } from '../base/clock.ts'
import { type Logger, silentLogger } from '../base/log.ts'
import type { MetricRegistry } from '../base/metrics.ts'
import type { Random } from '../base/random.ts'
import type { Client } from '../client/contract.ts'

export interface LeaderElectionOptions {
  readonly client: Client
  readonly clock: Clock
  readonly random: Random
  readonly log?: Logger
  readonly metrics?: MetricRegistry
  /** Identifies this process; must be unique among the candidates. */
  readonly identity: string
  readonly lease: { readonly namespace: string; readonly name: string }
  /** Other processes may become leader after this time without a renewal. Default: 15 s. */
  readonly leaseDurationMs?: number
  /** A leader that has not renewed for this time stops. Default: 10 s. */
  readonly renewDeadlineMs?: number
  /** Default: 2 s. */
  readonly retryPeriodMs?: number
  readonly onStartedLeading: () => void
  /**
   * Must stop all work immediately; another process may start `leaseDurationMs - renewDeadlineMs` later at the
   * earliest.
   */
  readonly onStoppedLeading: () => Promise<void> | void
  readonly onNewLeader?: (identity: string) => void
}

/**
 * Leader election with a Lease, with upstream's constants and record (v1.36, client-go tools/leaderelection), so that
 * berth and upstream can compete for one lease. Clocks of different machines are never compared: the age of a lease is
 * measured from the time at which this process saw it change. The leader's deadline is measured from the time before
 * its last successful renewal was sent, so it has always stopped before another process may start.
 */
export interface LeaderElection {
  start(): void
  /** Stops leading, then releases the lease so that another process can take it immediately. */
  stop(): Promise<void>
  /** To be checked before each write: false from the deadline on, even if the timer is late. */
  isLeader(): boolean
  /** The last known holder of the lease. */
  leader(): string | undefined
}

export function createLeaderElection(options: LeaderElectionOptions): LeaderElection {
  return new Election(options)
}

const resource = 'leases.coordination.k8s.io'
// Standbys wait between one and 2.2 retry periods, so that they do not all try at the same time.
const jitterFactor = 1.2

class Election implements LeaderElection {
  private readonly options: LeaderElectionOptions
  private readonly log: Logger
  private readonly leaseDurationMs: number
  private readonly renewDeadlineMs: number
  private readonly retryPeriodMs: number
  private state: 'new' | 'standby' | 'leading' | 'between-terms' | 'stopping' | 'stopped' = 'new'
  /** Responses to requests of an earlier term are ignored. */
  private term = 0
  /** The lease as last read or written, and the time at which this process last saw its record change. */
  private observed: Lease | undefined
  private observedAt = Number.NEGATIVE_INFINITY
  private reported: string | undefined
  private lastFailure: string | undefined
  /** Set while the work of a lost term stops. */
  private ending: Promise<void> | undefined
  private retryTimer: Cancel | undefined
  private deadlineTimer: Cancel | undefined
  private deadlineAt = Number.NEGATIVE_INFINITY

  constructor(options: LeaderElectionOptions) {
    this.options = options
    this.log = options.log ?? silentLogger
    this.leaseDurationMs = options.leaseDurationMs ?? 15_000
    this.renewDeadlineMs = options.renewDeadlineMs ?? 10_000
    this.retryPeriodMs = options.retryPeriodMs ?? 2000
    if (this.leaseDurationMs <= this.renewDeadlineMs)
      throw new Error('leaseDuration must be greater than renewDeadline')
    if (this.renewDeadlineMs <= this.retryPeriodMs * jitterFactor) {
      throw new Error('renewDeadline must be greater than retryPeriod*JitterFactor')
    }
  }

  start(): void {
    if (this.state !== 'new') throw new Error('start() must be called once')
    this.state = 'standby'
    this.masterStatus(0)
    void this.attempt()
  }

  async stop(): Promise<void> {
    if (this.state === 'stopped' || this.state === 'stopping') return
    const wasLeading = this.state === 'leading'
    this.state = 'stopping'
    this.term++
    this.retryTimer?.()
    this.deadlineTimer?.()
    await this.ending
    if (wasLeading) {
      this.masterStatus(0)
      await this.options.onStoppedLeading()
      await this.release()
    }
    this.state = 'stopped'
  }

  isLeader(): boolean {
    return this.state === 'leading' && this.options.clock.now() < this.deadlineAt
  }

  leader(): string | undefined {
    return this.observed?.spec?.holderIdentity || undefined
  }

  private async attempt(): Promise<void> {
    const sentAt = this.options.clock.now()
    const { term } = this
    // A client must not reject. If it does, this process does not count as holder of the lease.
    const holds = await this.acquireOrRenew().catch(() => false)
    this.reportLeader()
    // If the response arrives after the deadline, this process has stopped leading and has started to acquire the lease
    // again.
    if (term !== this.term) return
    if (holds) this.lead(sentAt)
    this.planAttempt()
  }

  private planAttempt(): void {
    const { clock, random } = this.options
    const jitter = this.state === 'leading' ? 0 : jitterFactor * random.stream('leader-election').next()
    this.retryTimer = clock.at(clock.now() + this.retryPeriodMs * (1 + jitter), () => void this.attempt())
  }

  /** The lease was renewed by a request sent at `sentAt`. */
  private lead(sentAt: number): void {
    const { clock, onStartedLeading, identity } = this.options
    const deadlineAt = sentAt + this.renewDeadlineMs
    if (deadlineAt <= clock.now()) return
    this.deadlineAt = deadlineAt
    this.deadlineTimer?.()
    this.deadlineTimer = clock.at(deadlineAt, () => {
      this.ending = this.loseLease()
    })
    if (this.state === 'leading') return
    this.state = 'leading'
    this.masterStatus(1)
    this.log.info({ identity }, 'became leader')
    onStartedLeading()
  }

  private async loseLease(): Promise<void> {
    if (this.state !== 'leading') return
    this.state = 'between-terms'
    this.masterStatus(0)
    this.term++
    this.retryTimer?.()
    this.log.error({ identity: this.options.identity }, 'lease not renewed in time; stopped leading')
    await this.options.onStoppedLeading()
    if (this.state !== 'between-terms') return
    this.state = 'standby'
    void this.attempt()
  }

  private async acquireOrRenew(): Promise<boolean> {
    const { client, lease, identity } = this.options
    if (this.state === 'leading' && this.observed !== undefined) {
      // The leader writes over the last known record without reading it first.
      if (this.take(await this.write(this.observed, this.record(this.observed)))) return true
    }
    const read = await client.call({ verb: 'get', resource: resource, ...lease })
    if (failedWith(read, 'NotFound')) {
      const object = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: lease, spec: this.record() }
      return this.take(await client.call({ verb: 'create', resource: resource, namespace: lease.namespace, object }))
    }
    if (!read.ok || read.kind !== 'object') return this.logFailure(read)
    this.lastFailure = undefined
    const found = read.object as Lease
    if (!sameRecord(found, this.observed)) this.observedAt = this.options.clock.now()
    this.observed = found
    const holder = found.spec?.holderIdentity ?? ''
    const validForMs = (found.spec?.leaseDurationSeconds ?? 0) * 1000
    if (holder !== '' && holder !== identity && this.observedAt + validForMs > this.options.clock.now()) return false
    return this.take(await this.write(found, this.record(found)))
  }

  private record(before?: Lease): NonNullable<Lease['spec']> {
    const { identity, clock } = this.options
    const mine = before?.spec?.holderIdentity === identity
    const time = formatMicroTime(clock.wall())
    return {
      holderIdentity: identity,
      leaseDurationSeconds: Math.floor(this.leaseDurationMs / 1000),
      acquireTime: mine ? (before?.spec?.acquireTime ?? time) : time,
      renewTime: time,
      leaseTransitions: (before?.spec?.leaseTransitions ?? 0) + (before === undefined || mine ? 0 : 1),
    }
  }

  private write(before: Lease, spec: NonNullable<Lease['spec']>): Promise<Outcome> {
    const { client, lease } = this.options
    // The resourceVersion is a precondition: of two concurrent writes, one is rejected.
    return client.call({ verb: 'update', resource: resource, ...lease, object: { ...before, spec } as Lease })
  }

  private take(written: Outcome): boolean {
    if (!written.ok || written.kind !== 'object') {
      // Another candidate may be faster. This is normal.
      return written.ok || written.status.code !== 409 ? this.logFailure(written) : false
    }
    this.observed = written.object as Lease
    this.observedAt = this.options.clock.now()
    return true
  }

  /** Logged once per reason, because the problem may last long. */
  private logFailure(outcome: Outcome): false {
    const why = outcome.ok ? `unexpected outcome ${outcome.kind}` : outcome.status.message
    if (why !== this.lastFailure) this.log.warn({ lease: this.options.lease, why }, 'cannot access the lease; retrying')
    this.lastFailure = why
    return false
  }

  private async release(): Promise<void> {
    const { client, lease, identity, clock } = this.options
    const read = await client.call({ verb: 'get', resource: resource, ...lease })
    if (!read.ok || read.kind !== 'object') return
    const found = read.object as Lease
    if (found.spec?.holderIdentity !== identity) return
    const time = formatMicroTime(clock.wall())
    const { leaseTransitions = 0 } = found.spec
    const spec = { holderIdentity: '', leaseDurationSeconds: 1, acquireTime: time, renewTime: time, leaseTransitions }
    this.take(await this.write(found, spec))
    this.log.info({ identity }, 'released the lease')
  }

  private masterStatus(value: number): void {
    const description = {
      name: 'leader_election_master_status',
      help: '1 if this process holds the lease of that name, 0 if it is a standby',
      labels: ['name'],
    }
    this.options.metrics?.gauge(description).set(value, this.options.lease.name)
  }

  private reportLeader(): void {
    const leader = this.leader()
    if (leader === undefined || leader === this.reported) return
    this.reported = leader
    this.options.onNewLeader?.(leader)
  }
}

function sameRecord(a: Lease, b: Lease | undefined): boolean {
  return (
    b !== undefined &&
    a.spec?.holderIdentity === b.spec?.holderIdentity &&
    a.spec?.renewTime === b.spec?.renewTime &&
    a.spec?.acquireTime === b.spec?.acquireTime &&
    a.spec?.leaseTransitions === b.spec?.leaseTransitions &&
    a.spec?.leaseDurationSeconds === b.spec?.leaseDurationSeconds
  )
}
