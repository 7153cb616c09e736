import { objectKey } from '../../api/object-key.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { groupNameOf } from '../../api/pod-claims.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import { defaultRelease } from '../../api/releases/release-of.ts'
import { IndexedHeap } from '../../base/indexed-heap.ts'
import { type BackoffHold, BackoffQueue } from './backoff-queue.ts'
import type { ClusterChange } from './cluster-event.ts'
import {
  backoffComplete,
  forceActivate,
  isWildcard,
  labelOf,
  pendingPodEvents,
  popFromBackoff,
  scheduleAttemptFailure,
  unschedulableTimeout,
} from './cluster-event.ts'
import { FlushSchedule } from './flush-schedule.ts'
import type { HintTable } from './hint-table.ts'
import type { PodNominator } from './nominator.ts'
import { isStillGated, passesPreEnqueue } from './pre-enqueue.ts'
import type { QueueOptions, Rejection } from './queue-options.ts'
import type { QueuedPod, QueuePlace } from './queued-pod.ts'
import { byPriority, createQueuedPod, keyOf, rejectorsOf, uidOf } from './queued-pod.ts'
import type { RequeueVerdict } from './requeue-judge.ts'
import { RequeueJudge } from './requeue-judge.ts'
import { createRequeuePolicy, type InFlightTracker, type RequeuePolicy } from './requeue-policy.ts'
import { UnschedulablePool } from './unschedulable-pool.ts'

/**
 * The pods that wait to be scheduled (v1.36, backend/queue). It is synchronous: `flush` does the work of upstream's
 * background loops, and `nextWakeAt` returns when to call it.
 */
export class SchedulingQueue {
  private readonly options: QueueOptions
  /** The behavior of the queue's mode. */
  readonly policy: RequeuePolicy
  private readonly popFromBackoff: boolean
  private readonly addedLabel: string
  private readonly updatedLabel: string
  /** From v1.37 on, a pod that is gated when it arrives keeps its nomination. */
  private readonly nominatesGated: boolean
  /** From v1.37 on a group is one entry of the queue, without plugins that rejected it: it waits like an error. */
  private readonly groupHold: BackoffHold
  /** Of each group the pod that entered the backoff last. */
  private readonly groupsInBackoff = new Map<string, QueuedPod>()
  private readonly maxUnschedulableMs: number
  private readonly judge: RequeueJudge
  private readonly active: IndexedHeap<string, QueuedPod>
  private readonly backoff: BackoffQueue
  private readonly pool: UnschedulablePool
  private readonly inFlight: InFlightTracker
  private readonly flying = new Map<string, QueuedPod>()
  private nextOrder = 0
  private readonly schedule: FlushSchedule

  constructor(options: QueueOptions) {
    this.options = options
    this.pool = new UnschedulablePool(options.hints)
    const { release = defaultRelease } = options
    this.policy = createRequeuePolicy(options.mode ?? 'hints', release)
    const events = pendingPodEvents(release)
    this.addedLabel = labelOf(events.added)
    this.updatedLabel = labelOf(events.unknownUpdated)
    this.nominatesGated = release.changes.has('TargetPodEvents')
    this.groupHold = atLeast(release, '1.37') ? 'untilExpiry' : 'untilChange'
    this.inFlight = this.policy.createTracker()
    this.popFromBackoff =
      options.popFromBackoff ?? (this.policy.popsFromBackoff && release.gates.has('SchedulerPopFromBackoffQ'))
    this.schedule = new FlushSchedule(this.popFromBackoff)
    this.maxUnschedulableMs = options.maxUnschedulableMs ?? 5 * 60_000
    this.judge = new RequeueJudge({ hints: options.hints, objects: options.objects })
    const compare = options.compare ?? byPriority
    this.active = new IndexedHeap(compare)
    this.backoff = new BackoffQueue({
      initialBackoffMs: options.initialBackoffMs ?? 1_000,
      maxBackoffMs: options.maxBackoffMs ?? 10_000,
      aligned: this.popFromBackoff,
      compare,
    })
  }

  get nominator(): PodNominator {
    return this.options.nominator
  }

  /** No pod is unschedulable or in flight, so `moveAll` has no effect. */
  get awaitsNothing(): boolean {
    return this.pool.size === 0 && this.inFlight.isIdle && !this.backoff.holdsAny
  }

  /** Adds a new pod. */
  add(pod: Pod, now: number): void {
    const queued = this.admitted(pod, now)
    const known = this.find(queued.key)
    if (known !== undefined) this.takeOut(known)
    if (this.nominatesGated) this.nominator.add(queued.parsed)
    if (!this.joinsGroup(queued, now)) this.toActive(queued, this.addedLabel, now)
  }

  /** Pops the next pod. It is in flight until `done` or `requeue`. */
  pop(now: number): QueuedPod | undefined {
    let pod = this.active.pop()
    if (pod === undefined) {
      if (!this.popFromBackoff) return undefined
      pod = this.backoff.popEarly(now)
      if (pod === undefined) return undefined
      this.options.metrics?.incoming('active', popFromBackoff)
    }
    return this.takeOff(pod, now)
  }

  /** Pops a pod wherever it waits; undefined when it is gated or not queued (v1.36, PopSpecificPod). */
  popSpecific(key: string, now: number): QueuedPod | undefined {
    const pod = this.find(key)
    if (pod === undefined || (pod.place !== 'active' && !this.force(pod, now))) return undefined
    this.active.remove(key)
    return this.takeOff(pod, now)
  }

  /** Ends an attempt of a pod that does not return to the queue. */
  done(uid: string): void {
    this.flying.delete(uid)
    this.inFlight.done(uid)
  }

  /** Returns a pod after a failed attempt: to backoff when a change during the attempt may help. */
  requeue(pod: QueuedPod, rejection: Rejection, now: number): void {
    const { unschedulablePlugins, pendingPlugins } = rejection
    pod.unschedulablePlugins = unschedulablePlugins
    pod.pendingPlugins = pendingPlugins
    this.replacePod(pod, rejection.pod)
    if (this.find(pod.key) === undefined) {
      this.countFailure(pod, rejection, now)
      pod.backoffUntil = undefined
      pod.wasFlushed = false
      pod.flushedAt = undefined
      this.options.metrics?.rejected(pod)
      const verdict = rejection.group === 'scheduled' ? 'immediately' : this.verdictInFlight(pod)
      this.enqueue(pod, verdict, scheduleAttemptFailure, now)
    }
    this.done(pod.uid)
  }

  private countFailure(pod: QueuedPod, { group, unschedulablePlugins, pendingPlugins }: Rejection, now: number): void {
    if (group === 'scheduled') {
      // The rest of a group that is scheduled is tried again at once, in its place (v1.37, AddAttemptedPodGroupIfNeeded).
      pod.errorCount = 0
      pod.unschedulableCount = 0
      return
    }
    const isError = unschedulablePlugins.length === 0 && pendingPlugins.length === 0
    if (group === undefined ? isError : group === 'error') pod.errorCount++
    else {
      pod.unschedulableCount++
      pod.errorCount = 0
    }
    this.stamp(pod, now)
  }

  /**
   * Updates a pending pod; `changes` are the events of the update. The legacy queue retries on every change, so its
   * caller passes a change only if the specification changed.
   */
  update(before: Pod, after: Pod, changes: readonly ClusterChange[], now: number): void {
    if (this.inFlight.has(uidOf(after))) {
      for (const change of changes) this.inFlight.record(change)
      return
    }
    const pod = this.find(keyOf(after))
    if (pod === undefined) {
      const queued = this.admitted(after, now)
      if (this.nominatesGated) this.nominator.add(queued.parsed)
      this.toActive(queued, this.updatedLabel, now)
      return
    }
    this.replacePod(pod, after)
    this.nominator.update(before, pod.parsed)
    if (pod.place === 'active') this.active.update(pod.key, pod)
    else if (pod.place === 'backoff') this.backoff.reorder(pod)
    else {
      this.pool.noteUpdate(pod)
      this.updatePooled(pod, changes, now)
    }
  }

  delete(pod: Pod): void {
    this.nominator.delete(uidOf(pod))
    const queued = this.find(keyOf(pod))
    if (queued === undefined) return
    this.takeOut(queued)
    this.options.metrics?.forgotten(queued)
  }

  /**
   * Moves the pods that a change of the cluster may make schedulable.
   * @param admits Selects pods, for events that concern only some of them.
   */
  moveAll(change: ClusterChange, now: number, admits?: (pod: QueuedPod) => boolean): void {
    if (this.awaitsNothing) return
    this.backoff.releaseHeld()
    if (isWildcard(change.event)) {
      this.move([...this.pool.all()], change, now, admits)
      return
    }
    const candidates: QueuedPod[] = []
    let ofInterest = false
    for (const profile of this.options.hints.profiles()) {
      const hints = this.options.hints.hintsFor(profile, change.event)
      if (hints.plugins.length === 0) continue
      ofInterest = true
      this.pool.concerned(profile, hints, change, candidates)
    }
    if (ofInterest) this.move(candidates, change, now, admits)
  }

  /** Moves pods to the active queue. A pod in flight is retried when its attempt fails. */
  activate(pods: Iterable<Pod>, now: number): void {
    for (const pod of pods) {
      const queued = this.find(keyOf(pod))
      if (queued !== undefined && queued.place !== 'active' && this.force(queued, now)) continue
      if (this.inFlight.has(uidOf(pod))) this.inFlight.record({ event: forceActivate, after: pod })
      this.inFlight.requestMove()
    }
  }

  /** Ends backoffs, and retries pods that were unschedulable for too long. */
  flush(now: number): void {
    const { backoff, pool } = this.schedule.advance(now)
    if (backoff !== undefined) {
      for (const pod of this.backoff.popCompleted(backoff)) {
        this.toActive(pod, backoffComplete, now, { skipsPreEnqueue: this.popFromBackoff, wasPooled: false })
      }
    }
    if (pool !== undefined) this.flushPool(pool, now)
  }

  /** The next time at which `pop` or `flush` has an effect without further changes. */
  nextWakeAt(now: number): number | undefined {
    if (this.active.size > 0 || (this.popFromBackoff && this.backoff.poppable > 0)) return now
    const completion = this.backoff.nextCompletionAt()
    const oldest = this.pool.oldest()
    const backoff = completion === undefined ? undefined : this.schedule.nextBackoffTick(completion)
    const pool =
      oldest === undefined ? undefined : this.schedule.nextPoolTick(oldest + this.maxUnschedulableMs + 1, now)
    return backoff === undefined || pool === undefined ? (backoff ?? pool) : Math.min(backoff, pool)
  }

  get(key: string): QueuedPod | undefined {
    return this.find(key)
  }

  inFlightPod(uid: string): QueuedPod | undefined {
    return this.flying.get(uid)
  }

  /** The number of pods by place, as in `scheduler_pending_pods`. */
  counts(): Readonly<Record<'active' | 'backoff' | 'unschedulable' | 'gated', number>> {
    const gated = this.pool.gatedCount
    return { active: this.active.size, backoff: this.backoff.size, unschedulable: this.pool.size - gated, gated }
  }

  /** All pods including pods in flight, in no particular order. */
  *pods(): IterableIterator<QueuedPod> {
    for (const [, pod] of this.active) yield pod
    yield* this.backoff.pods()
    yield* this.pool.all()
    yield* this.flying.values()
  }

  get hints(): HintTable {
    return this.options.hints
  }

  /** When a pod in the pool is retried without an event. */
  flushedAt(pod: QueuedPod): number {
    const since = Math.max(pod.queuedAt, pod.flushedAt ?? 0)
    return this.schedule.poolTickAt(since + this.maxUnschedulableMs + 1, since)
  }

  /** The latest end of the backoff of a pod. */
  backoffEndsAt(pod: QueuedPod): number | undefined {
    return pod.place === 'backoff' ? this.backoff.expiryOf(pod) : undefined
  }

  private force(pod: QueuedPod, now: number): boolean {
    const skipsPreEnqueue = pod.place === 'backoff' && this.popFromBackoff
    this.takeOut(pod)
    return this.toActive(pod, labelOf(forceActivate), now, { skipsPreEnqueue, wasPooled: true })
  }

  private flushPool(tick: number, now: number): void {
    const left = this.pool.leftAloneFor(this.maxUnschedulableMs, tick)
    if (left.length === 0) return
    for (const pod of left) {
      this.pool.remove(pod.key)
      pod.wasFlushed = true
      pod.flushedAt = now
      this.pool.add(pod)
    }
    this.move(left, { event: unschedulableTimeout }, now)
  }

  private move(
    pods: readonly QueuedPod[],
    change: ClusterChange,
    now: number,
    admits?: (pod: QueuedPod) => boolean,
  ): void {
    for (const pod of pods) {
      if (admits !== undefined && !admits(pod)) continue
      // Only registered events of the gating plugin can ungate the pod. A flush always tries.
      if (pod.gatingPlugin !== undefined && !isWildcard(change.event)) {
        if (!this.options.hints.registered(pod.profile, pod.gatingPlugin, change.event)) continue
      }
      const verdict = this.judge.verdict(pod, change)
      if (verdict === 'skip') continue
      if (this.staysGated(pod)) {
        // The pod would return to the pool at once. Many pods may share a gate, so they are not moved.
        this.options.metrics?.incoming('unschedulable', labelOf(change.event))
        continue
      }
      this.pool.remove(pod.key)
      this.enqueue(pod, verdict, labelOf(change.event), now)
    }
    this.inFlight.record(change)
  }

  private verdictInFlight(pod: QueuedPod): RequeueVerdict {
    if (rejectorsOf(pod).length === 0) return 'afterBackoff'
    // There are no hints for groups yet (v1.36, determineSchedulingHintForInFlightPod).
    if (this.isGrouped(pod)) return 'afterBackoff'
    return this.inFlight.verdict(pod, this.judge)
  }

  private updatePooled(pod: QueuedPod, changes: readonly ClusterChange[], now: number): void {
    for (const change of changes) {
      const verdict = this.policy.retriesOnUpdate ? 'afterBackoff' : this.judge.verdict(pod, change)
      if (verdict === 'skip') continue
      this.pool.remove(pod.key)
      if (this.enqueue(pod, verdict, labelOf(change.event), now, true)) return
    }
  }

  /** Adds a pod to the place that the verdict requires. Returns whether it left the pool. */
  private enqueue(pod: QueuedPod, verdict: RequeueVerdict, label: string, now: number, wasPooled = false): boolean {
    if (verdict === 'skip') {
      this.toPool(pod, label, now, wasPooled)
      return false
    }
    // The backoff may have ended while the pod was in the pool. The legacy queue does not check this after a failed
    // attempt, but then the backoff has just started.
    if (verdict === 'afterBackoff' && this.backoff.isBackingOff(pod, now)) {
      return this.toBackoff(pod, label, now, wasPooled)
    }
    return this.toActive(pod, label, now, { skipsPreEnqueue: false, wasPooled })
  }

  private toActive(
    pod: QueuedPod,
    label: string,
    now: number,
    from: { readonly skipsPreEnqueue: boolean; readonly wasPooled: boolean } = {
      skipsPreEnqueue: false,
      wasPooled: false,
    },
  ): boolean {
    if (!from.skipsPreEnqueue && !this.passesPreEnqueue(pod)) {
      pod.wasFlushed = false
      this.toPool(pod, label, now, from.wasPooled)
      return false
    }
    if (pod.firstAttemptAt === undefined) {
      pod.firstAttemptAt = now
      pod.firstAttemptOrder = this.nextOrder++
    }
    this.place(pod, 'active', label, now)
    this.active.push(pod.key, pod)
    this.options.metrics?.incoming('active', label)
    if (!this.nominatesGated && (label === this.addedLabel || label === this.updatedLabel)) {
      this.nominator.add(pod.parsed)
    }
    return true
  }

  private toBackoff(pod: QueuedPod, label: string, now: number, wasPooled: boolean): boolean {
    if (this.popFromBackoff && !this.passesPreEnqueue(pod)) {
      pod.wasFlushed = false
      this.toPool(pod, label, now, wasPooled)
      return false
    }
    this.place(pod, 'backoff', label, now)
    this.backoff.add(pod, now, this.isGrouped(pod) ? this.groupHold : 'none')
    if (this.groupHold === 'untilExpiry') this.noteGroup(pod)
    this.options.metrics?.incoming('backoff', label)
    return true
  }

  private toPool(pod: QueuedPod, label: string, now: number, wasPooled: boolean): void {
    if (!wasPooled) {
      this.place(pod, 'unschedulable', label, now)
      this.options.metrics?.incoming('unschedulable', label)
    }
    pod.place = 'unschedulable'
    this.pool.add(pod)
  }

  private staysGated(pod: QueuedPod): boolean {
    if (pod.gatingPlugin === undefined) return false
    if (!isStillGated(pod, this.options.profiles.get(pod.profile)?.preEnqueue ?? [], this.options)) return false
    pod.wasFlushed = false
    return true
  }

  private passesPreEnqueue(pod: QueuedPod): boolean {
    const plugins = this.options.profiles.get(pod.profile)?.preEnqueue ?? []
    return passesPreEnqueue(pod, plugins, this.options)
  }

  private noteGroup(pod: QueuedPod): void {
    const group = groupOf(pod)
    if (group !== undefined) this.groupsInBackoff.set(group, pod)
  }

  /** A new pod of a group in backoff waits with it (v1.37, addToPodGroupIfExists). */
  private joinsGroup(pod: QueuedPod, now: number): boolean {
    const group = this.groupHold === 'untilExpiry' && this.isGrouped(pod) ? groupOf(pod) : undefined
    const member = group === undefined ? undefined : this.groupsInBackoff.get(group)
    if (group === undefined || member === undefined) return false
    if (member.place !== 'backoff' || this.find(member.key) !== member || !this.backoff.isBackingOff(member, now)) {
      this.groupsInBackoff.delete(group)
      return false
    }
    pod.unschedulableCount = member.unschedulableCount
    pod.errorCount = member.errorCount
    pod.backoffUntil = this.backoff.expiryOf(member)
    this.toBackoff(pod, this.addedLabel, now, false)
    return true
  }

  private isGrouped({ parsed }: QueuedPod): boolean {
    return this.options.hasGroups === true && groupNameOf(parsed.pod) !== undefined
  }

  private takeOff(pod: QueuedPod, now: number): QueuedPod {
    pod.attempts++
    this.place(pod, 'inFlight', 'Pop', now)
    this.flying.set(pod.uid, pod)
    this.inFlight.start(pod.uid)
    this.options.metrics?.forgotten(pod)
    return pod
  }

  private takeOut(pod: QueuedPod): void {
    if (pod.place === 'active') this.active.remove(pod.key)
    else if (pod.place === 'backoff') this.backoff.remove(pod.key)
    else this.pool.remove(pod.key)
  }

  private find(key: string): QueuedPod | undefined {
    return this.active.get(key) ?? this.backoff.get(key) ?? this.pool.get(key)
  }

  private place(pod: QueuedPod, place: QueuePlace, label: string, now: number): void {
    pod.place = place
    pod.placedAt = now
    pod.placedBy = label
  }

  private stamp(pod: QueuedPod, now: number): void {
    pod.queuedAt = now
    pod.order = this.nextOrder++
  }

  private replacePod(queued: QueuedPod, pod: Pod): void {
    queued.parsed = this.options.parser.parse(pod, queued.parsed)
  }

  private admitted(pod: Pod, now: number): QueuedPod {
    return createQueuedPod(this.options.parser.parse(pod), now, this.nextOrder++)
  }
}

function groupOf({ parsed: { pod } }: QueuedPod): string | undefined {
  const name = groupNameOf(pod)
  return name === undefined ? undefined : objectKey(pod.metadata.namespace, name)
}
