import type { Pod } from '../../api/objects/pod.ts'
import { groupNameOf } from '../../api/pod-claims.ts'
import { defaultRelease } from '../../api/releases/release-of.ts'
import { IndexedHeap } from '../../base/indexed-heap.ts'
import { BackoffQueue } from './backoff-queue.ts'
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
import { type GroupPlaces, GroupQueue } from './group-queue.ts'
import type { HintTable } from './hint-table.ts'
import type { PodNominator } from './nominator.ts'
import { asNew, meant, type Origin } from './origin.ts'
import { countEntries, countPending, type EntryCounts, type PendingCounts } from './pending-counts.ts'
import { entryPassesPreEnqueue, passesPreEnqueue, staysGated } from './pre-enqueue.ts'
import type { QueueOptions, Rejection } from './queue-options.ts'
import type { QueuedEntry, QueuedGroup, QueuedPod, QueuePlace } from './queued-pod.ts'
import { byPriority, createQueuedPod, isGroup, keyOf, podsOf, rejectorsOf, somePod, uidOf } from './queued-pod.ts'
import type { RequeueVerdict } from './requeue-judge.ts'
import { RequeueJudge } from './requeue-judge.ts'
import { createRequeuePolicy, type InFlightTracker, type RequeuePolicy } from './requeue-policy.ts'
import { UnschedulablePool } from './unschedulable-pool.ts'

/**
 * The pods that wait to be scheduled (v1.36, backend/queue). An entry is a pod, or the pods of a group. It is synchronous: `flush` does the work of upstream's
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
  /** Absent: pods of groups are entries like other pods. */
  readonly groups: GroupQueue | undefined
  private readonly maxUnschedulableMs: number
  private readonly judge: RequeueJudge
  private readonly active: IndexedHeap<string, QueuedEntry>
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
    this.groups = options.hierarchies && new GroupQueue(options.hierarchies, this.groupPlaces())
  }

  private groupPlaces(): GroupPlaces {
    return {
      find: (id) => this.entry(id) as QueuedGroup | undefined,
      takeOut: (group) => this.takeOut(group),
      putBack: (group, verdict, now) => this.enqueue(group, verdict, this.addedLabel, now),
      admitMember: (group, pod, now) => {
        if (group.place === 'unschedulable') this.pool.addMember(group, pod)
        else if (!passesPreEnqueue(pod, this.options)) return false
        else if (group.place === 'active') this.noteFirstAttempt(pod, now)
        this.place(pod, group.place, this.addedLabel, now)
        this.options.metrics?.joined(group.place as Exclude<QueuePlace, 'inFlight'>, this.addedLabel, 1)
        return true
      },
      activate: (group, now) => this.toActive(group, this.addedLabel, now),
      backOff: (group, now) => {
        if (this.backoff.isBackingOff(group, now)) this.toBackoff(group, scheduleAttemptFailure, now, asNew)
        else this.toActive(group, scheduleAttemptFailure, now)
      },
      setAside: (pod, now) => this.place(pod, 'unschedulable', this.addedLabel, now),
      stamp: (group, now) => this.stamp(group, now),
    }
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
    if (known !== undefined) this.remove(known, now)
    if (this.nominatesGated) this.nominator.add(queued.parsed)
    if (this.groups?.owns(pod) === true) this.groups.join(queued, now)
    else this.toActive(queued, this.addedLabel, now)
  }

  /** Pops the next entry. A pod is in flight until `done` or `requeue`, and a group until its pods are and `returned`. */
  pop(now: number): QueuedEntry | undefined {
    let pod = this.active.pop()
    if (pod === undefined) {
      if (!this.popFromBackoff) return undefined
      pod = this.backoff.popEarly(now)
      if (pod === undefined) return undefined
      this.options.metrics?.incoming('active', popFromBackoff, pod)
    }
    this.takeOff(pod, now)
    return pod
  }

  /** Pops a pod wherever it waits; undefined when it is gated or not queued (v1.36, PopSpecificPod). */
  popSpecific(key: string, now: number): QueuedPod | undefined {
    const pod = this.find(key)
    if (pod === undefined || (pod.place !== 'active' && !this.force(pod, now))) return undefined
    this.active.remove(key)
    this.takeOff(pod, now)
    return pod
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
      if (this.groups?.owns(pod.parsed.pod) === true) this.groups.join(pod, now)
      else this.enqueue(pod, this.verdictInFlight(pod), scheduleAttemptFailure, now)
    }
    this.done(pod.uid)
  }

  private countFailure(pod: QueuedPod, { unschedulablePlugins, pendingPlugins }: Rejection, now: number): void {
    if (unschedulablePlugins.length === 0 && pendingPlugins.length === 0) pod.errorCount++
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
      if (this.groups?.owns(after) === true) this.groups.join(queued, now)
      else this.toActive(queued, this.updatedLabel, now)
      return
    }
    this.replacePod(pod, after)
    this.nominator.update(before, pod.parsed)
    const entry = this.entryOf(pod)
    if (entry?.place === 'active') this.active.update(entry.key, entry)
    else if (entry?.place === 'backoff') this.backoff.reorder(entry)
    else if (entry !== undefined) {
      this.pool.noteUpdate(entry)
      this.updatePooled(entry, pod, changes, now)
    }
  }

  delete(pod: Pod, now: number): void {
    this.nominator.delete(uidOf(pod))
    const queued = this.find(keyOf(pod))
    if (queued === undefined) return
    this.remove(queued, now)
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
    const candidates = this.pool.concernedBy(change)
    if (candidates !== undefined) this.move(candidates, change, now, admits)
  }

  /** Moves pods to the active queue. A pod in flight is retried when its attempt fails. */
  activate(pods: Iterable<Pod>, now: number): void {
    for (const pod of pods) {
      const queued = this.groups?.owns(pod) === true ? this.groups.entryOf(pod) : this.entry(keyOf(pod))
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

  counts(): PendingCounts {
    const { active, backoff, pool, groups } = this
    if (groups !== undefined) return countPending(active, backoff.pods(), pool.all(), groups.incomplete())
    const gated = pool.gatedCount
    return { active: active.size, backoff: backoff.size, unschedulable: pool.size - gated, gated }
  }

  entryCounts(): EntryCounts {
    return countEntries(this.active, this.backoff.pods(), this.pool.all())
  }

  /** All pods including pods in flight, in no particular order. */
  *pods(): IterableIterator<QueuedPod> {
    for (const [, entry] of this.active) yield* podsOf(entry)
    for (const entry of this.backoff.pods()) yield* podsOf(entry)
    for (const entry of this.pool.all()) yield* podsOf(entry)
    if (this.groups !== undefined) yield* this.groups.incomplete()
    yield* this.flying.values()
  }

  get hints(): HintTable {
    return this.options.hints
  }

  /** The time at which a pod in the pool is retried without an event. */
  flushedAt(pod: QueuedPod): number {
    const { queuedAt, flushedAt = 0 } = pod.group ?? pod
    const since = Math.max(queuedAt, flushedAt)
    return this.schedule.poolTickAt(since + this.maxUnschedulableMs + 1, since)
  }

  /** The latest end of the backoff of a pod. */
  backoffEndsAt(pod: QueuedPod): number | undefined {
    return pod.place === 'backoff' ? this.backoff.expiryOf(pod.group ?? pod) : undefined
  }

  private force(pod: QueuedEntry, now: number): boolean {
    const skipsPreEnqueue = pod.place === 'backoff' && this.popFromBackoff
    this.takeOut(pod)
    return this.toActive(pod, labelOf(forceActivate), now, { skipsPreEnqueue, wasPooled: true })
  }

  private flushPool(tick: number, now: number): void {
    const left = this.pool.flush(this.maxUnschedulableMs, tick, now)
    if (left.length > 0) this.move(left, { event: unschedulableTimeout }, now)
  }

  private move(
    pods: readonly QueuedEntry[],
    change: ClusterChange,
    now: number,
    admits?: (pod: QueuedPod) => boolean,
  ): void {
    for (const pod of pods) {
      if (admits !== undefined && !somePod(pod, admits)) continue
      // Only registered events of the gating plugin can ungate the pod. A flush always tries.
      if (pod.gatingPlugin !== undefined && !isWildcard(change.event)) {
        if (!this.options.hints.registered(pod.profile, pod.gatingPlugin, change.event)) continue
      }
      const verdict = this.judge.ofEntry(pod, change)
      if (verdict === 'skip') continue
      if (staysGated(pod, this.options)) {
        pod.wasFlushed = false
        // The pod would return to the pool immediately. Many pods may share a gate, so they are not moved.
        this.options.metrics?.incoming('unschedulable', labelOf(change.event), pod, meant[verdict])
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

  private updatePooled(entry: QueuedEntry, pod: QueuedPod, changes: readonly ClusterChange[], now: number): void {
    for (const change of changes) {
      const verdict = this.policy.retriesOnUpdate ? 'afterBackoff' : this.judge.verdict(pod, change)
      if (verdict === 'skip') continue
      this.pool.remove(entry.key)
      if (this.enqueue(entry, verdict, labelOf(change.event), now, true)) return
    }
  }

  /** Adds an entry to the place that the verdict requires. Returns whether it left the pool. */
  private enqueue(pod: QueuedEntry, verdict: RequeueVerdict, label: string, now: number, wasPooled = false): boolean {
    const from: Origin = { skipsPreEnqueue: false, wasPooled, meant: meant[verdict] }
    if (verdict === 'skip') {
      this.toPool(pod, label, now, from)
      return false
    }
    // The backoff may have ended while the pod was in the pool. The legacy queue does not check this after a failed
    // attempt, but then the backoff has just started.
    if (verdict === 'afterBackoff' && this.backoff.isBackingOff(pod, now)) {
      return this.toBackoff(pod, label, now, from)
    }
    return this.toActive(pod, label, now, from)
  }

  private toActive(pod: QueuedEntry, label: string, now: number, from: Origin = asNew): boolean {
    if (!from.skipsPreEnqueue && !entryPassesPreEnqueue(pod, this.options)) {
      pod.wasFlushed = false
      this.toPool(pod, label, now, from)
      return false
    }
    if (isGroup(pod)) for (const member of pod.members.values()) this.noteFirstAttempt(member, now)
    else this.noteFirstAttempt(pod, now)
    this.place(pod, 'active', label, now)
    this.active.push(pod.key, pod)
    this.options.metrics?.incoming('active', label, pod, from.meant)
    if (!this.nominatesGated && (label === this.addedLabel || label === this.updatedLabel)) {
      this.nominator.add(pod.parsed)
    }
    return true
  }

  private noteFirstAttempt(pod: QueuedPod, now: number): void {
    if (pod.firstAttemptAt !== undefined) return
    pod.firstAttemptAt = now
    pod.firstAttemptOrder = this.nextOrder++
  }

  private toBackoff(pod: QueuedEntry, label: string, now: number, from: Origin): boolean {
    if (this.popFromBackoff && !entryPassesPreEnqueue(pod, this.options)) {
      pod.wasFlushed = false
      this.toPool(pod, label, now, from)
      return false
    }
    this.place(pod, 'backoff', label, now)
    // A group has no plugins that rejected it, so it waits like an error.
    this.backoff.add(pod, now, !isGroup(pod) && this.isGrouped(pod) ? 'untilChange' : 'none')
    this.options.metrics?.incoming('backoff', label, pod, from.meant)
    return true
  }

  private toPool(pod: QueuedEntry, label: string, now: number, from: Origin): void {
    if (!from.wasPooled) {
      this.place(pod, 'unschedulable', label, now)
      this.options.metrics?.incoming('unschedulable', label, pod, from.meant)
    }
    pod.place = 'unschedulable'
    this.pool.add(pod)
  }

  private isGrouped({ parsed }: QueuedPod): boolean {
    return this.options.hasGroups === true && groupNameOf(parsed.pod) !== undefined
  }

  private takeOff(entry: QueuedEntry, now: number): void {
    entry.attempts++
    this.place(entry, 'inFlight', 'Pop', now)
    if (!isGroup(entry)) {
      this.fly(entry)
      return
    }
    for (const pod of entry.members.values()) {
      pod.attempts++
      this.fly(pod)
    }
    this.groups?.popped(entry)
  }

  private fly(pod: QueuedPod): void {
    this.flying.set(pod.uid, pod)
    this.inFlight.start(pod.uid)
    this.options.metrics?.forgotten(pod)
  }

  /** Removes a pod, also from the entry of its group. */
  private remove(pod: QueuedPod, now: number): void {
    if (this.groups?.owns(pod.parsed.pod) === true) this.groups.leave(pod, now)
    else this.takeOut(pod)
  }

  private takeOut(entry: QueuedEntry): void {
    if (entry.place === 'active') this.active.remove(entry.key)
    else if (entry.place === 'backoff') this.backoff.remove(entry.key)
    else this.pool.remove(entry.key)
  }

  private find(key: string): QueuedPod | undefined {
    return this.groups?.get(key) ?? (this.entry(key) as QueuedPod | undefined)
  }

  private entry(key: string): QueuedEntry | undefined {
    return this.active.get(key) ?? this.backoff.get(key) ?? this.pool.get(key)
  }

  /** The entry that a pod is, or is part of; undefined for a pod of a group in no entry. */
  private entryOf(pod: QueuedPod): QueuedEntry | undefined {
    return this.groups?.owns(pod.parsed.pod) === true ? pod.group : pod
  }

  private place(entry: QueuedEntry, place: QueuePlace, label: string, now: number): void {
    entry.place = place
    entry.placedAt = now
    entry.placedBy = label
    if (!isGroup(entry)) return
    for (const pod of entry.members.values()) this.place(pod, place, label, now)
  }

  private stamp(pod: QueuedEntry, now: number): void {
    pod.queuedAt = now
    pod.order = this.nextOrder++
  }

  private replacePod(queued: QueuedPod, pod: Pod): void {
    queued.parsed = this.options.parser.parse(pod, queued.parsed)
    queued.priority = queued.parsed.priority
  }

  private admitted(pod: Pod, now: number): QueuedPod {
    return createQueuedPod(this.options.parser.parse(pod), now, this.nextOrder++)
  }
}
