import type { Node } from '../../api/objects/node.ts'
import { parseTime } from '../../api/time.ts'
import { type Instant, shownAt } from '../../base/clock.ts'
import type { FixSet } from '../fixes.ts'
import {
  countRenewalOnly,
  decideHealth,
  type HealthVerdict,
  healthAfterWrite,
  type NodeHealth,
  type Renewal,
} from './decide-health.ts'
import { type Expiring, ExpiryCalendar } from './expiry-calendar.ts'
import { type LaneWork, runInLanes } from './lanes.ts'
import type { NoExecuteTaints } from './no-execute-taints.ts'
import { byName, hasOwnTaint, inferredHealth, inTurn, readyOf } from './node-reading.ts'
import { conditionsCall, type NodeWrites, onAnyFailure } from './node-writes.ts'
import type { NodeLifecycleSettings } from './options.ts'
import { PassSchedule } from './pass-schedule.ts'
import type { PodMarker } from './pod-marker.ts'
import type { StepContext } from './step-context.ts'
import type { ZoneCensus } from './zone-census.ts'
import type { ZoneTainter } from './zone-tainter.ts'

export interface NodeMonitorOptions {
  readonly settings: NodeLifecycleSettings
  readonly fixes: FixSet
  readonly census: ZoneCensus
  readonly tainter: ZoneTainter
  readonly taints: NoExecuteTaints
  readonly writes: NodeWrites
  readonly marker: PodMarker
  /** The maximum number of nodes that are handled at a time. */
  readonly workers: number
  readonly observeNode: (seconds: number) => void
  readonly heartbeats?: ((node: string) => number | undefined) | undefined
  readonly resumed: boolean
}

/** One monitoring pass. It ends when all its writes have succeeded or have been abandoned. */
export interface MonitorPass {
  /** The instant of the pass on the schedule. */
  readonly at: number
  readonly startedAt: number
  readonly isFirst: boolean
  /** The first pass after taking over from another controller: no node is new. */
  readonly resuming: boolean
}

type Finished = (context: StepContext) => void

interface LeaseSeen {
  readonly renewedAt: number
  readonly arrivedAt: number
}

/** The state of a node by its name. It outlives the node: a later node with the same name inherits its health. */
interface NodeRecord extends Expiring {
  readonly name: string
  health: NodeHealth | undefined
  lease: LeaseSeen | undefined
}

/**
 * Monitors the health of nodes (v1.36, nodelifecycle monitorNodeHealth). Upstream examines every node in every pass. Here a pass
 * examines the nodes that changed, those that an earlier pass left for it, and those whose grace period may be over. The result is
 * the same, because a pass does nothing for any other node.
 */
export class NodeMonitor {
  private readonly options: NodeMonitorOptions
  private readonly schedule: PassSchedule
  private readonly records = new Map<string, NodeRecord>()
  private readonly expiries: ExpiryCalendar<NodeRecord>
  /** Changed since the last pass. */
  private readonly touched = new Set<string>()
  /** Examined by the next pass even if they do not change. */
  private readonly again = new Set<string>()
  /** The time since which the next pass has work, apart from expiries. */
  private workAt = Number.POSITIVE_INFINITY
  /** Nodes with pods that could not be marked not ready. */
  private readonly unmarked = new Set<string>()
  private pass: MonitorPass | undefined
  private endedPass: MonitorPass | undefined
  private passes = 0
  /** Whether the health of any node is known. */
  hasExamined = false

  constructor(options: NodeMonitorOptions) {
    this.options = options
    this.schedule = new PassSchedule(options.settings.nodeMonitorPeriodMs)
    this.expiries = new ExpiryCalendar(options.settings.nodeMonitorPeriodMs)
  }

  nodeChanged(name: string, after: Node | undefined, now: number): void {
    this.touched.add(name)
    this.workAt = Math.min(this.workAt, now)
    if (after === undefined) this.unmarked.delete(name)
    // The record is created before the Lease is read: the name is then the same string object as elsewhere, which makes
    // lookups cheap.
    else this.recordOf(name)
  }

  leaseChanged(node: string, renewTime: string | undefined, now: number): void {
    const renewedAt = parseTime(renewTime) ?? Number.NEGATIVE_INFINITY
    const record = this.recordOf(node)
    if (record.lease?.renewedAt !== renewedAt) record.lease = { renewedAt, arrivedAt: now }
  }

  leaseDeleted(node: string): void {
    const record = this.records.get(node)
    if (record !== undefined) record.lease = undefined
  }

  /** Reports whether a node was ready when it was last examined; undefined: unknown. */
  isReady(node: string): boolean | undefined {
    const ready = this.records.get(node)?.health?.ready
    return ready === undefined ? undefined : ready.status === 'True'
  }

  /** Makes the next pass examine these nodes. */
  examineAgain(nodes: Iterable<string>, now: number): void {
    for (const name of nodes) this.again.add(name)
    if (this.again.size > 0) this.workAt = Math.min(this.workAt, now)
  }

  /** After all zones were silent: counts this pass as a heartbeat of every node. */
  resetProbes({ at }: MonitorPass): void {
    for (const record of this.records.values()) {
      const { name, health } = record
      if (health === undefined) continue
      record.health = { ...health, probeAt: at, readyChangedAt: at }
      if (this.options.census.knows(name)) this.expiries.set(record, at + this.graceOf(health))
    }
  }

  /** The instant of the next pass that has work. */
  nextAt(): number | undefined {
    if (this.pass !== undefined) return undefined
    if (this.passes === 0) return Number.NEGATIVE_INFINITY
    const expiry = this.expiries.nextAt() ?? Number.POSITIVE_INFINITY
    const earliest = Math.min(expiry, this.workAt)
    return earliest === Number.POSITIVE_INFINITY ? undefined : this.schedule.next(earliest)
  }

  wake(context: StepContext): void {
    this.examineAgain(this.options.taints.takeFailed(), context.now)
    const next = this.nextAt()
    if (next !== undefined && next <= context.now) this.runPass(context)
  }

  /** The pass that has ended since the last call, if any: all its nodes have been examined. */
  takeEndedPass(): MonitorPass | undefined {
    const pass = this.endedPass
    this.endedPass = undefined
    return pass
  }

  inspect(): readonly { readonly node: string; readonly health: NodeHealth; readonly expiresAt: number | undefined }[] {
    return [...this.records.values()].flatMap(({ name: node, health, expiresAt }) =>
      health === undefined || !this.options.census.knows(node) ? [] : [{ node, health, expiresAt }],
    )
  }

  private runPass(context: StepContext): void {
    const { now } = context
    const isFirst = this.passes++ === 0
    const at = isFirst ? now : this.schedule.upTo(now)
    this.schedule.ended(at)
    const pass: MonitorPass = { at, startedAt: now, isFirst, resuming: isFirst && this.options.resumed }
    this.pass = pass
    const changed = new Set([...this.touched, ...this.again])
    const touched = [...this.touched].sort()
    this.touched.clear()
    this.again.clear()
    this.workAt = Number.POSITIVE_INFINITY

    this.registerNodes(touched, changed, pass, context)
    const seen: Instant = { now: at, wall: shownAt(at, context) }
    const verdicts: [Node, HealthVerdict][] = []
    for (const name of changed) {
      const node = context.node(name)
      if (node !== undefined) verdicts.push([node, this.judge(node, pass, seen)])
    }
    for (const record of this.expiries.popDue(at)) {
      // The state of a node with a heartbeat and no change does not change.
      if (this.hasHeartbeat(record, at)) continue
      const node = context.node(record.name)
      if (node !== undefined) verdicts.push([node, this.judge(node, pass, seen)])
    }
    const work: LaneWork<[Node, HealthVerdict]> = ([node, verdict], now, finished) =>
      this.handle(node, verdict, pass, now, finished)
    runInLanes(inTurn(verdicts), this.options.workers, context, work, (later) => this.endPass(pass, later))
  }

  private handle(node: Node, first: HealthVerdict, pass: MonitorPass, context: StepContext, finished: Finished): void {
    // In a long pass, a heartbeat may have arrived since it started.
    const isLate = context.now > pass.startedAt && first.write !== undefined
    const found = isLate ? (context.node(node.metadata.name) ?? node) : node
    const verdict = isLate ? this.judge(found, pass, context) : first
    if (verdict.write === undefined) this.conclude(found, verdict, pass, context, finished)
    else this.writeConditions(found, verdict, pass, context, finished)
  }

  /** Reports whether a heartbeat of an otherwise unchanged node has extended its grace period. */
  private hasHeartbeat(record: NodeRecord, now: number): boolean {
    const renewal = this.renewalOf(record)
    if (record.health === undefined || renewal === undefined) return false
    const health = countRenewalOnly(record.health, renewal)
    if (health === undefined) return false
    const expiresAt = health.probeAt + this.graceOf(health)
    if (expiresAt <= now) return false
    record.health = health
    this.expiries.set(record, expiresAt)
    return true
  }

  /** Handles nodes that are new, deleted, or in a zone without a state. */
  private registerNodes(
    touched: readonly string[],
    names: ReadonlySet<string>,
    pass: MonitorPass,
    context: StepContext,
  ): void {
    const { census, tainter, fixes } = this.options
    const added: Node[] = []
    for (const name of names) {
      const node = context.node(name)
      if (node === undefined) continue
      if (!census.knows(name)) added.push(node)
      else this.openZoneOf(node)
    }
    for (const node of added.sort(byName)) {
      const { name } = node.metadata
      const zone = this.openZoneOf(node)
      if (pass.resuming) continue
      announce(node.metadata, 'RegisteredNode', `Registered Node ${name} in Controller`, context)
      // The taints of an earlier controller are removed and decided again; with this fix they stay while the node is not ready.
      const stands = fixes.has('countdown-from-taint') && readyOf(node)?.status !== 'True'
      if (!stands) this.options.taints.remove(node, context)
      else if (hasOwnTaint(node)) tainter.queueOf(zone).adopt(name)
    }
    for (const name of touched) {
      if (!census.knows(name) || context.node(name) !== undefined) continue
      announce({ name, uid: census.uidOf(name) }, 'RemovingNode', `Removing Node ${name} from Controller`, context)
      census.forget(name)
      this.expiries.delete(this.recordOf(name))
    }
  }

  private openZoneOf(node: Node): string {
    const { census, tainter } = this.options
    const zone = census.place(node)
    if (!census.states.has(zone)) {
      census.states.set(zone, 'Initial')
      tainter.openZone(zone)
    }
    return zone
  }

  private judge(node: Node, pass: MonitorPass, { now, wall }: Instant): HealthVerdict {
    const { name } = node.metadata
    const { settings } = this.options
    const record = this.recordOf(name)
    const renewal = this.renewalOf(record)
    let saved = record.health
    if (saved === undefined && pass.resuming) saved = inferredHealth(node, renewal, { now, wall })
    const verdict = decideHealth({
      node,
      saved,
      renewal,
      now,
      wall,
      monitorGraceMs: settings.nodeMonitorGracePeriodMs,
      startupGraceMs: settings.nodeStartupGracePeriodMs,
    })
    this.note(record, verdict, now)
    return verdict
  }

  private note(record: NodeRecord, { health, expiresAt }: HealthVerdict, now: number): void {
    record.health = health
    this.hasExamined = true
    if (health.renewal === 'forgotten') this.examineAgain([record.name], now)
    if (expiresAt === undefined) this.expiries.delete(record)
    else this.expiries.set(record, expiresAt)
  }

  private recordOf(name: string): NodeRecord {
    let record = this.records.get(name)
    if (record === undefined) {
      record = { name, health: undefined, lease: undefined, expiresAt: undefined }
      this.records.set(name, record)
    }
    return record
  }

  private renewalOf({ name, lease }: NodeRecord): Renewal | undefined {
    const beat = this.options.heartbeats?.(name)
    if (beat !== undefined) return { renewedAt: beat, seenAt: this.schedule.after(beat) }
    return lease && { renewedAt: lease.renewedAt, seenAt: this.schedule.after(lease.arrivedAt) }
  }

  private writeConditions(
    node: Node,
    first: HealthVerdict,
    pass: MonitorPass,
    context: StepContext,
    finished: Finished,
  ): void {
    const { name } = node.metadata
    let verdict = first
    let newest = node
    this.options.writes.enqueue(
      {
        node: name,
        retries: onAnyFailure,
        readsFirst: false,
        plan: (found, context) => {
          if (found.metadata.resourceVersion !== newest.metadata.resourceVersion)
            verdict = this.judge(found, pass, context)
          newest = found
          return verdict.write === undefined ? undefined : conditionsCall(found, verdict.write)
        },
        done: (succeeded, later) => {
          if (!succeeded) {
            this.giveUp(name, later)
            finished(later)
            return
          }
          if (verdict.write !== undefined) {
            const record = this.recordOf(name)
            const health = healthAfterWrite(verdict, this.renewalOf(record), later.now)
            this.note(record, { ...verdict, health }, later.now)
          }
          this.conclude(newest, verdict, pass, later, finished)
        },
      },
      context,
    )
  }

  /** A node whose status could not be written is not counted until the next pass. */
  private giveUp(name: string, { now }: StepContext): void {
    this.options.census.uncount(name)
    this.examineAgain([name], now)
  }

  private conclude(
    node: Node,
    { observed, current }: HealthVerdict,
    pass: MonitorPass,
    context: StepContext,
    finished: Finished,
  ): void {
    const { name, uid } = node.metadata
    this.options.census.count(node, current?.status !== 'True')
    this.options.observeNode((context.now - pass.startedAt) / 1000)
    const unmarked = this.unmarked.delete(name)
    if (current === undefined) {
      finished(context)
      return
    }
    this.options.taints.decide(node, current, { isResumed: pass.resuming }, context)
    const fell = current.status !== 'True' && observed.status === 'True'
    if (fell) {
      context.notify({
        regarding: { apiVersion: 'v1', kind: 'Node', name, ...(uid === undefined ? {} : { uid }) },
        type: 'Normal',
        reason: 'NodeNotReady',
        message: `Node ${name} status is now: NodeNotReady`,
      })
    }
    if (!fell && !(unmarked && observed.status !== 'True')) {
      finished(context)
      return
    }
    this.options.marker.mark(context.podsOn(name), name, context, (allWritten, later) => {
      if (!allWritten) {
        this.unmarked.add(name)
        this.examineAgain([name], later.now)
      }
      finished(later)
    })
  }

  private endPass(pass: MonitorPass, context: StepContext): void {
    if (context.now > pass.startedAt) this.schedule.ended(context.now)
    this.pass = undefined
    this.endedPass = pass
  }

  private graceOf({ ready }: NodeHealth): number {
    const { nodeMonitorGracePeriodMs, nodeStartupGracePeriodMs } = this.options.settings
    return ready === undefined ? nodeStartupGracePeriodMs : nodeMonitorGracePeriodMs
  }
}

function announce(
  { name, uid }: { readonly name: string; readonly uid?: string | undefined },
  reason: string,
  event: string,
  context: StepContext,
): void {
  context.notify({
    regarding: { apiVersion: 'v1', kind: 'Node', name, ...(uid === undefined ? {} : { uid }) },
    type: 'Normal',
    reason,
    message: `Node ${name} event: ${event}`,
  })
}
