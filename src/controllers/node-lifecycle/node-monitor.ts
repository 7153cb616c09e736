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
import { runInLanes, type Work } from './lanes.ts'
import type { Moment } from './moment.ts'
import type { NoExecuteTaints } from './no-execute-taints.ts'
import { byName, hasOwnTaint, inferredHealth, inTurn, readyOf } from './node-reading.ts'
import { conditionsCall, type NodeWrites, onAnyFailure } from './node-writes.ts'
import type { NodeLifecycleSettings } from './options.ts'
import { PassSchedule } from './pass-schedule.ts'
import type { PodMarker } from './pod-marker.ts'
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
  /** How many nodes are attended to at a time. */
  readonly workers: number
  readonly observeNode: (seconds: number) => void
  readonly heartbeats?: ((node: string) => number | undefined) | undefined
  readonly resumed: boolean
}

/** One look at the nodes. It ends when everything it had to write is written or given up. */
export interface Pass {
  /** Its instant on the schedule. */
  readonly at: number
  readonly startedAt: number
  readonly isFirst: boolean
  /** The first pass of a controller that takes over from one that ran: nothing is new to it. */
  readonly resuming: boolean
}

type Finished = (moment: Moment) => void

interface LeaseSeen {
  readonly renewedAt: number
  readonly arrivedAt: number
}

/** What is known under a node's name. It outlives the node: the next one of the name inherits its health. */
interface Known extends Expiring {
  readonly name: string
  health: NodeHealth | undefined
  lease: LeaseSeen | undefined
}

/**
 * Watches the health of nodes (v1.36, nodelifecycle monitorNodeHealth). Upstream looks at every node in every pass; here a
 * pass looks at those that changed, those that it has to come back to, and those whose grace period could have run out,
 * which comes to the same, since for any other node a pass does nothing.
 */
export class NodeMonitor {
  private readonly options: NodeMonitorOptions
  private readonly schedule: PassSchedule
  private readonly known = new Map<string, Known>()
  private readonly expiries: ExpiryCalendar<Known>
  /** Changed since the last pass. */
  private readonly touched = new Set<string>()
  /** To be looked at by the next pass even if they do not change. */
  private readonly again = new Set<string>()
  /** Since when there is something for the next pass to do, apart from expiries. */
  private workAt = Number.POSITIVE_INFINITY
  /** Nodes with pods that could not be marked not ready. */
  private readonly unmarked = new Set<string>()
  private pass: Pass | undefined
  private endedPass: Pass | undefined
  private passes = 0
  /** Whether anything is known of the health of any node. */
  hasLooked = false

  constructor(options: NodeMonitorOptions) {
    this.options = options
    this.schedule = new PassSchedule(options.settings.nodeMonitorPeriodMs)
    this.expiries = new ExpiryCalendar(options.settings.nodeMonitorPeriodMs)
  }

  nodeChanged(name: string, after: Node | undefined, now: number): void {
    this.touched.add(name)
    this.workAt = Math.min(this.workAt, now)
    if (after === undefined) this.unmarked.delete(name)
    // Before any Lease of it: the name is then the very text that others know the node by, which makes finding it cheap.
    else this.knownAs(name)
  }

  leaseChanged(node: string, renewTime: string | undefined, now: number): void {
    const renewedAt = parseTime(renewTime) ?? Number.NEGATIVE_INFINITY
    const known = this.knownAs(node)
    if (known.lease?.renewedAt !== renewedAt) known.lease = { renewedAt, arrivedAt: now }
  }

  leaseGone(node: string): void {
    const known = this.known.get(node)
    if (known !== undefined) known.lease = undefined
  }

  /** Whether a node was ready when last noted; undefined for nodes of which nothing is known. */
  isReady(node: string): boolean | undefined {
    const ready = this.known.get(node)?.health?.ready
    return ready === undefined ? undefined : ready.status === 'True'
  }

  /** Makes the next pass look at these nodes. */
  lookAgain(nodes: Iterable<string>, now: number): void {
    for (const name of nodes) this.again.add(name)
    if (this.again.size > 0) this.workAt = Math.min(this.workAt, now)
  }

  /** As after a silence of everything: every node is taken to have been heard of at this pass. */
  resetProbes({ at }: Pass): void {
    for (const known of this.known.values()) {
      const { name, health } = known
      if (health === undefined) continue
      known.health = { ...health, probeAt: at, readyChangedAt: at }
      if (this.options.census.knows(name)) this.expiries.set(known, at + this.graceOf(health))
    }
  }

  /** The instant of the next pass with anything to do. */
  nextAt(): number | undefined {
    if (this.pass !== undefined) return undefined
    if (this.passes === 0) return Number.NEGATIVE_INFINITY
    const expiry = this.expiries.nextAt() ?? Number.POSITIVE_INFINITY
    const earliest = Math.min(expiry, this.workAt)
    return earliest === Number.POSITIVE_INFINITY ? undefined : this.schedule.next(earliest)
  }

  wake(moment: Moment): void {
    this.lookAgain(this.options.taints.takeFailed(), moment.now)
    const next = this.nextAt()
    if (next !== undefined && next <= moment.now) this.runPass(moment)
  }

  /** The pass that has ended since the last call, if one has: all its nodes have been examined. */
  takeEndedPass(): Pass | undefined {
    const pass = this.endedPass
    this.endedPass = undefined
    return pass
  }

  inspect(): readonly { readonly node: string; readonly health: NodeHealth; readonly expiresAt: number | undefined }[] {
    return [...this.known.values()].flatMap(({ name: node, health, expiresAt }) =>
      health === undefined || !this.options.census.knows(node) ? [] : [{ node, health, expiresAt }],
    )
  }

  private runPass(moment: Moment): void {
    const { now } = moment
    const isFirst = this.passes++ === 0
    const at = isFirst ? now : this.schedule.upTo(now)
    this.schedule.ended(at)
    const pass: Pass = { at, startedAt: now, isFirst, resuming: isFirst && this.options.resumed }
    this.pass = pass
    const changed = new Set([...this.touched, ...this.again])
    const touched = [...this.touched].sort()
    this.touched.clear()
    this.again.clear()
    this.workAt = Number.POSITIVE_INFINITY

    this.welcome(touched, changed, pass, moment)
    const seen: Instant = { now: at, wall: shownAt(at, moment) }
    const verdicts: [Node, HealthVerdict][] = []
    for (const name of changed) {
      const node = moment.node(name)
      if (node !== undefined) verdicts.push([node, this.judge(node, pass, seen)])
    }
    for (const known of this.expiries.popDue(at)) {
      // A node that has been heard of, and did not change, is as the last pass that looked at it left it.
      if (this.wasHeard(known, at)) continue
      const node = moment.node(known.name)
      if (node !== undefined) verdicts.push([node, this.judge(node, pass, seen)])
    }
    const work: Work<[Node, HealthVerdict]> = ([node, verdict], now, finished) =>
      this.attend(node, verdict, pass, now, finished)
    runInLanes(inTurn(verdicts), this.options.workers, moment, work, (later) => this.endPass(pass, later))
  }

  private attend(node: Node, first: HealthVerdict, pass: Pass, moment: Moment, finished: Finished): void {
    // In a pass that takes long, the node may have been heard of since it began.
    const isLate = moment.now > pass.startedAt && first.write !== undefined
    const found = isLate ? (moment.node(node.metadata.name) ?? node) : node
    const verdict = isLate ? this.judge(found, pass, moment) : first
    if (verdict.write === undefined) this.conclude(found, verdict, pass, moment, finished)
    else this.writeConditions(found, verdict, pass, moment, finished)
  }

  /** Whether a node of which nothing else changed has given a sign of life that makes its silence shorter than it seemed. */
  private wasHeard(known: Known, now: number): boolean {
    const renewal = this.renewalOf(known)
    if (known.health === undefined || renewal === undefined) return false
    const health = countRenewalOnly(known.health, renewal)
    if (health === undefined) return false
    const expiresAt = health.probeAt + this.graceOf(health)
    if (expiresAt <= now) return false
    known.health = health
    this.expiries.set(known, expiresAt)
    return true
  }

  /** Nodes that are new, gone, or in a zone that has no state. */
  private welcome(touched: readonly string[], names: ReadonlySet<string>, pass: Pass, moment: Moment): void {
    const { census, tainter, fixes } = this.options
    const added: Node[] = []
    for (const name of names) {
      const node = moment.node(name)
      if (node === undefined) continue
      if (!census.knows(name)) added.push(node)
      else this.openZoneOf(node)
    }
    for (const node of added.sort(byName)) {
      const { name } = node.metadata
      const zone = this.openZoneOf(node)
      if (pass.resuming) continue
      announce(node.metadata, 'RegisteredNode', `Registered Node ${name} in Controller`, moment)
      // What an earlier controller decided is taken back and decided anew; with this fix it stands while it is true.
      const stands = fixes.has('countdown-from-taint') && readyOf(node)?.status !== 'True'
      if (!stands) this.options.taints.remove(node, moment)
      else if (hasOwnTaint(node)) tainter.queueOf(zone).adopt(name)
    }
    for (const name of touched) {
      if (!census.knows(name) || moment.node(name) !== undefined) continue
      announce({ name, uid: census.uidOf(name) }, 'RemovingNode', `Removing Node ${name} from Controller`, moment)
      census.forget(name)
      this.expiries.delete(this.knownAs(name))
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

  private judge(node: Node, pass: Pass, { now, wall }: Instant): HealthVerdict {
    const { name } = node.metadata
    const { settings } = this.options
    const known = this.knownAs(name)
    const renewal = this.renewalOf(known)
    let saved = known.health
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
    this.note(known, verdict, now)
    return verdict
  }

  private note(known: Known, { health, expiresAt }: HealthVerdict, now: number): void {
    known.health = health
    this.hasLooked = true
    if (health.renewal === 'forgotten') this.lookAgain([known.name], now)
    if (expiresAt === undefined) this.expiries.delete(known)
    else this.expiries.set(known, expiresAt)
  }

  private knownAs(name: string): Known {
    let known = this.known.get(name)
    if (known === undefined) {
      known = { name, health: undefined, lease: undefined, expiresAt: undefined }
      this.known.set(name, known)
    }
    return known
  }

  private renewalOf({ name, lease }: Known): Renewal | undefined {
    const beat = this.options.heartbeats?.(name)
    if (beat !== undefined) return { renewedAt: beat, seenAt: this.schedule.after(beat) }
    return lease && { renewedAt: lease.renewedAt, seenAt: this.schedule.after(lease.arrivedAt) }
  }

  private writeConditions(node: Node, first: HealthVerdict, pass: Pass, moment: Moment, finished: Finished): void {
    const { name } = node.metadata
    let verdict = first
    let newest = node
    this.options.writes.enqueue(
      {
        node: name,
        retries: onAnyFailure,
        readsFirst: false,
        plan: (found, moment) => {
          if (found.metadata.resourceVersion !== newest.metadata.resourceVersion)
            verdict = this.judge(found, pass, moment)
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
            const known = this.knownAs(name)
            const health = healthAfterWrite(verdict, this.renewalOf(known), later.now)
            this.note(known, { ...verdict, health }, later.now)
          }
          this.conclude(newest, verdict, pass, later, finished)
        },
      },
      moment,
    )
  }

  /** A node whose status could not be written counts for nothing until the next pass. */
  private giveUp(name: string, { now }: Moment): void {
    this.options.census.uncount(name)
    this.lookAgain([name], now)
  }

  private conclude(
    node: Node,
    { observed, current }: HealthVerdict,
    pass: Pass,
    moment: Moment,
    finished: Finished,
  ): void {
    const { name, uid } = node.metadata
    this.options.census.count(node, current?.status !== 'True')
    this.options.observeNode((moment.now - pass.startedAt) / 1000)
    const unmarked = this.unmarked.delete(name)
    if (current === undefined) {
      finished(moment)
      return
    }
    this.options.taints.decide(node, current, { isResumed: pass.resuming }, moment)
    const fell = current.status !== 'True' && observed.status === 'True'
    if (fell) {
      moment.notify({
        regarding: { apiVersion: 'v1', kind: 'Node', name, ...(uid === undefined ? {} : { uid }) },
        type: 'Normal',
        reason: 'NodeNotReady',
        message: `Node ${name} status is now: NodeNotReady`,
      })
    }
    if (!fell && !(unmarked && observed.status !== 'True')) {
      finished(moment)
      return
    }
    this.options.marker.mark(moment.podsOn(name), name, moment, (allWritten, later) => {
      if (!allWritten) {
        this.unmarked.add(name)
        this.lookAgain([name], later.now)
      }
      finished(later)
    })
  }

  private endPass(pass: Pass, moment: Moment): void {
    if (moment.now > pass.startedAt) this.schedule.ended(moment.now)
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
  moment: Moment,
): void {
  moment.notify({
    regarding: { apiVersion: 'v1', kind: 'Node', name, ...(uid === undefined ? {} : { uid }) },
    type: 'Normal',
    reason,
    message: `Node ${name} event: ${event}`,
  })
}
