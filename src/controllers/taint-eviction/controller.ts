import type { Outcome } from '../../api/call.ts'
import { semanticEqual } from '../../api/equality.ts'
import { keyOf, splitKey } from '../../api/object-key.ts'
import type { Status } from '../../api/objects/meta.ts'
import type { Node, Taint } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { defaultRelease } from '../../api/releases/release-of.ts'
import { tolerationOptions } from '../../api/tolerations.ts'
import { type Logger, silentLogger } from '../../base/log.ts'
import { type Counter, type Histogram, MetricRegistry } from '../../base/metrics.ts'
import {
  type CallAction,
  callAction,
  createActionIds,
  type ReadAction,
  readAction,
  recordEvent,
} from '../../runtime/actions.ts'
import type { Action, ChangeOf, Controller, StepInput, StepOutput } from '../../runtime/controller.ts'
import type { View } from '../../runtime/view.ts'
import { evictionMeters } from '../eviction-meters.ts'
import { type FixSet, noFixes } from '../fixes.ts'
import { decideEviction, type EvictionRules, type EvictionVerdict, noExecuteTaints } from './decide-eviction.ts'
import { deletePod, disruptionPatch, evictPod, stampTaints } from './eviction-calls.ts'
import { EvictionQueue, type EvictionRequest, type PlannedEviction } from './eviction-queue.ts'
import { boundAt, describeEviction, type PendingEviction } from './pending-eviction.ts'

export type { PendingEviction } from './pending-eviction.ts'

export interface TaintEvictionOptions {
  readonly release?: KubernetesRelease
  readonly fixes?: FixSet
  /** Fix `eviction-rate`: evictions per second. Default: 5. */
  readonly evictionsPerSecond?: number
  /**
   * A controller ran in this cluster before: countdowns continue from the timeAdded of the taints, instead of starting again as
   * after a restart.
   */
  readonly resumed?: boolean
  readonly metrics?: MetricRegistry
  readonly log?: Logger
}

export const taintEviction = 'taint-eviction-controller'

// v1.36, tainteviction: retries, and the sleep between them in deletePodHandler.
const tries = 5
const tryDelayMs = 10
// kubectl drain retries after the same delay if a disruption budget blocks an eviction.
const budgetDelayMs = 5_000
const firstPauseMs = 1_000
const longestPauseMs = 60_000

export function createTaintEviction(options: TaintEvictionOptions = {}): Controller {
  const state = new TaintEviction(options)
  return {
    name: taintEviction,
    watches: ['nodes', 'pods'],
    requestOrder: 'concurrent',
    step: (input) => state.step(input),
    ignores: (change) => change.resource === 'pods' && !concernsEviction(change),
    inspect: () => state.inspect(),
  }
}

interface SentRequest {
  readonly eviction: PlannedEviction
  readonly request: EvictionRequest
}

class TaintEviction {
  private readonly fixes: FixSet
  private readonly log: Logger
  private readonly deletions: Counter
  private readonly latency: Histogram
  private readonly tokenMs: number
  private readonly ids = createActionIds()
  private readonly taintedNodes = new Map<string, readonly Taint[]>()
  private readonly queue = new EvictionQueue()
  /** Fix `eviction-rate`: evictions that are due and wait for the rate limit. */
  private readonly rateQueue: PlannedEviction[] = []
  private nextTokenAt = Number.NEGATIVE_INFINITY
  private readonly inFlight = new Map<number, SentRequest>()
  /** The rules of the first step may differ from those of later steps. */
  private rules: EvictionRules
  private readonly lastingRules: EvictionRules
  private actions: Action[] = []
  private now = 0
  private wall = 0
  private view!: View

  constructor(options: TaintEvictionOptions) {
    this.fixes = options.fixes ?? noFixes
    this.log = options.log ?? silentLogger
    this.tokenMs = 1000 / (options.evictionsPerSecond ?? 5)
    const meters = evictionMeters(options.metrics ?? new MetricRegistry(), {
      prefix: 'taint_eviction_controller',
      controller: 'TaintEvictionController',
      interval:
        'between the time when a taint effect has been activated for the Pod and its deletion via TaintEvictionController',
    })
    this.deletions = meters.deletions
    this.latency = meters.latency
    const followEdits = this.fixes.has('toleration-edits')
    const countFromTaint = this.fixes.has('countdown-from-taint')
    const tolerations = tolerationOptions(options.release ?? defaultRelease)
    this.lastingRules = { followEdits, countFromTaint, ...tolerations }
    this.rules = { ...this.lastingRules, countFromTaint: countFromTaint || options.resumed === true }
  }

  step({ changes, results, now, wall, view }: StepInput): StepOutput {
    this.actions = []
    this.now = now
    this.wall = wall
    this.view = view
    for (const { id, outcome } of results) this.takeResult(id, outcome)

    this.takeChanges(changes)
    this.rules = this.lastingRules

    for (const eviction of this.queue.due(now)) this.timerFired(eviction)
    this.admitQueued()
    const wakeAt = Math.min(this.queue.nextAt() ?? Number.POSITIVE_INFINITY, this.nextAdmissionAt())
    const { actions } = this
    return wakeAt === Number.POSITIVE_INFINITY ? { actions } : { actions, wakeAt }
  }

  inspect(): readonly PendingEviction[] {
    return this.queue
      .list()
      .map((eviction) => describeEviction(eviction, this.queue.timerOf(eviction)))
      .sort((a, b) => a.fireAt - b.fireAt || (a.pod < b.pod ? -1 : 1))
  }

  /** Handles tainted nodes before pods (v1.36, tainteviction worker). */
  private takeChanges(changes: StepInput['changes']): void {
    let nodes: Set<string> | undefined
    for (const change of changes) {
      if (change.resource !== 'nodes' || !taintsChanged(change)) continue
      nodes ??= new Set()
      nodes.add(change.key)
    }
    if (nodes !== undefined) for (const name of nodes) this.nodeChanged(name)
    // Without tainted nodes and pending evictions, pods do not matter. This is the common case.
    if (this.taintedNodes.size === 0 && this.queue.size === 0) return
    for (const change of changes) if (change.resource === 'pods' && concernsEviction(change)) this.podChanged(change)
  }

  private nodeChanged(name: string): void {
    const node = this.view.get('nodes', name)
    if (node === undefined) {
      // Countdowns of its pods continue until the pods are deleted or the node returns.
      this.taintedNodes.delete(name)
      return
    }
    const taints = noExecuteTaints(node.spec?.taints)
    if (taints.length === 0) this.taintedNodes.delete(name)
    else this.taintedNodes.set(name, taints)
    if (this.fixes.has('countdown-from-taint')) this.stamp(node)
    // The common case: no NoExecute taint, and no eviction to cancel.
    if (taints.length === 0 && this.queue.size === 0) return
    for (const pod of this.view.podsOn(name)) this.decide(keyOf(pod), pod, name, taints)
  }

  private stamp(node: Node): void {
    const call = stampTaints(node, this.wall)
    if (call !== undefined) this.actions.push(callAction(this.ids, call))
  }

  private podChanged({ key, after }: ChangeOf<'pods'>): void {
    if (after === undefined) {
      if (this.queue.cancel(key)) this.announceCanceled(key)
      return
    }
    const node = after.spec.nodeName
    const taints = node === undefined ? undefined : this.taintedNodes.get(node)
    // A pod on an untainted node keeps a countdown of an earlier pod with its name, as upstream does.
    if (node === undefined || taints === undefined) return
    this.decide(key, after, node, taints)
  }

  private decide(key: string, pod: Pod, node: string, taints: readonly Taint[]): void {
    const present = this.queue.get(key)
    const verdict = decideEviction({
      taints,
      tolerations: pod.spec.tolerations,
      running: present?.countdown,
      now: this.now,
      wall: this.wall,
      boundAt: this.rules.countFromTaint === true && taints.some(isStamped) ? boundAt(pod) : undefined,
      rules: this.rules,
    })
    this.carryOut(verdict, key, node, present)
  }

  private carryOut(verdict: EvictionVerdict, pod: string, node: string, present: PlannedEviction | undefined): void {
    const { now } = this
    switch (verdict.kind) {
      case 'leave':
        return
      case 'cancel':
        if (this.queue.cancel(pod)) this.announceCanceled(pod)
        return
      case 'evict':
        if (present !== undefined && present.stage !== 'counting') return
        if (this.queue.cancel(pod)) this.announceCanceled(pod)
        this.begin({ pod, node, cause: verdict.cause, createdAt: now, fireAt: now, ...fresh })
        return
      case 'count-down': {
        const { countdown } = verdict
        const { cause, createdAt, fireAt } = countdown
        if (present !== undefined && present.stage !== 'counting' && (!this.isWaiting(present) || fireAt <= now)) return
        this.queue.cancel(pod)
        // An eviction that is due immediately has no timer to cancel (v1.36, tainteviction createWorker).
        if (fireAt <= now) this.begin({ pod, node, cause, createdAt, fireAt: now, ...fresh })
        else this.schedule({ pod, node, countdown, cause, createdAt, fireAt, ...fresh })
      }
    }
  }

  /**
   * Reports whether an eviction waits after its countdown. This happens only under a fix, and only such evictions can
   * be postponed.
   */
  private isWaiting({ stage }: PlannedEviction): boolean {
    return this.fixes.has('toleration-edits') && stage !== 'deleting'
  }

  private schedule(eviction: PlannedEviction): void {
    this.queue.add(eviction)
    this.queue.wakeAt(eviction, eviction.fireAt)
  }

  /**
   * The path of an eviction from the end of its countdown:
   *
   *     fire → (queue, under fix `eviction-rate`) → startDeletion → send read → mark → delete → finish
   *
   * Each request is sent after the previous one has been answered; a failure leads back to `send` after a delay.
   */
  private begin(eviction: PlannedEviction): void {
    this.queue.add(eviction)
    this.fire(eviction)
  }

  private timerFired(eviction: PlannedEviction): void {
    if (eviction.stage === 'deleting') this.send(eviction, this.firstRequest)
    else this.fire(eviction)
  }

  /** Called when the countdown, or the delay after a failure, has ended. */
  private fire(eviction: PlannedEviction): void {
    if (!this.fixes.has('eviction-rate')) {
      this.startDeletion(eviction)
      return
    }
    eviction.stage = 'queued'
    this.rateQueue.push(eviction)
  }

  private admitQueued(): void {
    while (this.rateQueue.length > 0 && this.nextTokenAt <= this.now) {
      const eviction = this.rateQueue.shift() as PlannedEviction
      if (eviction.stage !== 'queued' || this.queue.get(eviction.pod) !== eviction) continue
      this.nextTokenAt = this.now + this.tokenMs
      this.startDeletion(eviction)
    }
  }

  private nextAdmissionAt(): number {
    return this.rateQueue.length === 0 ? Number.POSITIVE_INFINITY : this.nextTokenAt
  }

  private startDeletion(eviction: PlannedEviction): void {
    if (!eviction.announced) this.announce(eviction.pod, `Marking for deletion Pod ${eviction.pod}`)
    eviction.announced = true
    eviction.stage = 'deleting'
    this.send(eviction, this.firstRequest)
  }

  private get firstRequest(): EvictionRequest {
    return this.fixes.has('eviction-budgets') ? { kind: 'evict' } : { kind: 'read' }
  }

  private send(eviction: PlannedEviction, request: EvictionRequest): void {
    const action = this.actionFor(eviction.pod, request)
    this.inFlight.set(action.id, { eviction, request })
    this.actions.push(action)
  }

  private actionFor(pod: string, request: EvictionRequest): CallAction | ReadAction {
    switch (request.kind) {
      case 'read':
        return readAction(this.ids, 'pods', pod)
      case 'mark':
        return callAction(this.ids, request.call)
      case 'delete':
        return callAction(this.ids, deletePod(pod))
      case 'evict':
        return callAction(this.ids, evictPod(pod))
    }
  }

  private takeResult(id: number, outcome: Outcome): void {
    const sent = this.inFlight.get(id)
    if (sent === undefined) return
    this.inFlight.delete(id)
    const { eviction, request } = sent
    if (!outcome.ok) this.requestFailed(eviction, request, outcome.status)
    else if (request.kind === 'read') this.send(eviction, afterRead(outcome, this.wall))
    else if (request.kind === 'mark') this.send(eviction, { kind: 'delete' })
    else this.finish(eviction)
  }

  private finish(eviction: PlannedEviction): void {
    this.deletions.inc()
    this.latency.observe((this.now - eviction.fireAt) / 1000)
    this.queue.finish(eviction)
  }

  private requestFailed(eviction: PlannedEviction, { kind }: EvictionRequest, { reason = '', message }: Status): void {
    // It is expected that the pod may have been deleted in the meantime.
    if (kind !== 'read') this.log.warn({ pod: eviction.pod, reason, message }, 'eviction failed')
    if (kind === 'evict' && reason === 'TooManyRequests') this.pause(eviction, 'held', budgetDelayMs)
    else this.failed(eviction, reason)
  }

  private failed(eviction: PlannedEviction, reason: string): void {
    eviction.failures++
    const persistent = this.fixes.has('eviction-retries')
    if (persistent && reason === 'NotFound') this.queue.finish(eviction)
    else if (eviction.failures < tries) this.queue.wakeAt(eviction, this.now + tryDelayMs)
    else if (!persistent) this.queue.finish(eviction)
    else this.pause(eviction, 'retrying', pauseAfter(eviction.failures))
  }

  private pause(eviction: PlannedEviction, stage: 'held' | 'retrying', ms: number): void {
    // The eviction was canceled during the call.
    if (this.queue.get(eviction.pod) !== eviction) return
    eviction.stage = stage
    if (stage === 'held') eviction.failures = 0
    this.queue.wakeAt(eviction, this.now + ms)
  }

  private announceCanceled(pod: string): void {
    this.announce(pod, `Cancelling deletion of Pod ${pod}`)
  }

  private announce(pod: string, message: string): void {
    const regarding = { apiVersion: 'v1', kind: 'Pod', ...splitKey(pod) }
    this.actions.push(recordEvent({ regarding, type: 'Normal', reason: 'TaintManagerEviction', message, api: 'core' }))
  }
}

const fresh = { stage: 'counting', failures: 0, announced: false } as const

function afterRead(outcome: Outcome, wall: number): EvictionRequest {
  const mark = outcome.ok && outcome.kind === 'object' ? disruptionPatch(outcome.object as Pod, wall) : undefined
  return mark === undefined ? { kind: 'delete' } : { kind: 'mark', call: mark }
}

function pauseAfter(failures: number): number {
  return Math.min(firstPauseMs * 2 ** (failures - tries), longestPauseMs)
}

function taintsChanged({ before, after }: ChangeOf<'nodes'>): boolean {
  if (before === undefined || after === undefined) return true
  const old = before.spec?.taints
  const young = after.spec?.taints
  return old !== young && !semanticEqual(noExecuteTaints(old), noExecuteTaints(young))
}

/** Reports whether the node or the tolerations of a pod changed. */
function concernsEviction({ before, after }: ChangeOf<'pods'>): boolean {
  if (before === undefined || after === undefined) return true
  if (before.spec === after.spec) return false
  if (before.spec.nodeName !== after.spec.nodeName) return true
  return !semanticEqual(before.spec.tolerations, after.spec.tolerations)
}

function isStamped(taint: Taint): boolean {
  return taint.timeAdded !== undefined
}
