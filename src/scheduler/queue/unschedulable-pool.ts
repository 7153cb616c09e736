import { DeadlineQueue } from '../../base/deadline-queue.ts'
import type { ClusterChange } from './cluster-event.ts'
import type { EventHints, HintTable } from './hint-table.ts'
import type { QueuedEntry } from './queued-pod.ts'
import { podsOf, type QueuedPod, rejectorsOf } from './queued-pod.ts'

/**
 * Rejected and gated pods, indexed by the plugins that rejected them, so that an event evaluates only the pods that it
 * may concern.
 */
export class UnschedulablePool {
  private readonly pods = new Map<string, QueuedEntry>()
  /** By profile, by plugin. */
  private readonly rejectedBy = new Map<string, Map<string, Set<QueuedEntry>>>()
  /** By profile, plugin and the name of an object that pods wait for. */
  private readonly awaiting = new Map<string, Set<QueuedEntry>>()
  private readonly hints: HintTable
  // The time at which each pod was last tried or flushed, oldest first.
  private readonly waitingSince = new DeadlineQueue<string>()
  private stamp = 0
  gatedCount = 0

  constructor(hints: HintTable) {
    this.hints = hints
  }

  get size(): number {
    return this.pods.size
  }

  get(key: string): QueuedEntry | undefined {
    return this.pods.get(key)
  }

  add(pod: QueuedEntry): void {
    this.pods.set(pod.key, pod)
    this.waitingSince.set(pod.key, waitingSince(pod))
    if (pod.gatingPlugin !== undefined) this.gatedCount++
    for (const plugin of rejectorsOf(pod)) this.indexed(pod.profile, plugin).add(pod)
    for (const one of podsOf(pod)) this.await(pod, one)
  }

  /** Indexes a pod that was added to a group in the pool. */
  addMember(group: QueuedEntry, member: QueuedPod): void {
    for (const plugin of rejectorsOf(member)) this.indexed(group.profile, plugin).add(group)
    this.await(group, member)
  }

  /** Must be called after a change of the object of a pod. */
  noteUpdate(pod: QueuedEntry): void {
    this.stopAwaiting(pod)
    for (const one of podsOf(pod)) this.await(pod, one)
  }

  /** Must be called before the plugins or times of the pod change. */
  remove(key: string): QueuedEntry | undefined {
    const pod = this.pods.get(key)
    if (pod === undefined) return undefined
    this.pods.delete(key)
    this.waitingSince.delete(key)
    if (pod.gatingPlugin !== undefined) this.gatedCount--
    const index = this.rejectedBy.get(pod.profile)
    for (const plugin of rejectorsOf(pod)) index?.get(plugin)?.delete(pod)
    this.stopAwaiting(pod)
    return pod
  }

  /** The pods that a change may help; undefined if no plugin registers for it. */
  concernedBy(change: ClusterChange): QueuedEntry[] | undefined {
    const concerned: QueuedEntry[] = []
    let isOfInterest = false
    for (const profile of this.hints.profiles()) {
      const hints = this.hints.hintsFor(profile, change.event)
      if (hints.plugins.length === 0) continue
      isOfInterest = true
      this.concerned(profile, hints, change, concerned)
    }
    return isOfInterest ? concerned : undefined
  }

  /** The pods of a profile that a change may help, each once. */
  private concerned(
    profile: string,
    { plugins, awaited }: EventHints,
    change: ClusterChange,
    into: QueuedEntry[],
  ): void {
    if (this.pods.size === 0) return
    const index = this.rejectedBy.get(profile)
    if (index === undefined) return
    const stamp = ++this.stamp
    for (const plugin of plugins) {
      const name = awaited.get(plugin)?.ofChange(change)
      const pods = name === undefined ? index.get(plugin) : this.awaiting.get(nameIn(profile, plugin, name))
      if (pods === undefined) continue
      for (const pod of pods) {
        if (pod.seen === stamp) continue
        pod.seen = stamp
        into.push(pod)
      }
    }
  }

  /** Pods that were neither tried nor flushed for longer than `ms`, which are flushed now. */
  flush(ms: number, tick: number, now: number): readonly QueuedEntry[] {
    const left = this.leftAloneFor(ms, tick)
    for (const pod of left) {
      this.remove(pod.key)
      pod.wasFlushed = true
      pod.flushedAt = now
      this.add(pod)
    }
    return left
  }

  private leftAloneFor(ms: number, now: number): QueuedEntry[] {
    const due = this.waitingSince.popDue(now - ms - 1)
    return due.map((key) => {
      const pod = this.pods.get(key) as QueuedEntry
      this.waitingSince.set(key, waitingSince(pod))
      return pod
    })
  }

  /** The time at which the oldest pod was last tried or flushed. */
  oldest(): number | undefined {
    return this.waitingSince.nextAt()
  }

  all(): Iterable<QueuedEntry> {
    return this.pods.values()
  }

  private await(entry: QueuedEntry, pod: QueuedPod): void {
    for (const plugin of rejectorsOf(pod)) {
      const names = this.hints.awaitedBy(pod.profile, plugin)?.ofPod(pod.parsed.pod) ?? []
      if (names.length === 0) continue
      entry.awaited = [...entry.awaited, ...names.map((name) => nameIn(pod.profile, plugin, name))]
    }
    for (const name of entry.awaited) {
      const entries = this.awaiting.get(name)
      if (entries === undefined) this.awaiting.set(name, new Set([entry]))
      else entries.add(entry)
    }
  }

  private stopAwaiting(pod: QueuedEntry): void {
    for (const name of pod.awaited) {
      const pods = this.awaiting.get(name)
      pods?.delete(pod)
      if (pods?.size === 0) this.awaiting.delete(name)
    }
    pod.awaited = nothing
  }

  private indexed(profile: string, plugin: string): Set<QueuedEntry> {
    let index = this.rejectedBy.get(profile)
    if (index === undefined) {
      index = new Map()
      this.rejectedBy.set(profile, index)
    }
    let pods = index.get(plugin)
    if (pods === undefined) {
      pods = new Set()
      index.set(plugin, pods)
    }
    return pods
  }
}

const nothing: readonly string[] = []

function nameIn(profile: string, plugin: string, name: string): string {
  return `${profile} ${plugin} ${name}`
}

function waitingSince(pod: QueuedEntry): number {
  return pod.flushedAt !== undefined && pod.flushedAt > pod.queuedAt ? pod.flushedAt : pod.queuedAt
}
