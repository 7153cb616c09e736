import { DeadlineQueue } from '../../base/deadline-queue.ts'
import type { ClusterChange } from './cluster-event.ts'
import type { EventHints, HintTable } from './hint-table.ts'
import type { QueuedPod } from './queued-pod.ts'
import { rejectorsOf } from './queued-pod.ts'

/**
 * Rejected and gated pods, indexed by the plugins that rejected them, so that an event evaluates only the pods that it
 * may concern.
 */
export class UnschedulablePool {
  private readonly pods = new Map<string, QueuedPod>()
  /** By profile, by plugin. */
  private readonly rejectedBy = new Map<string, Map<string, Set<QueuedPod>>>()
  /** By profile, plugin and the name of an object that pods wait for. */
  private readonly awaiting = new Map<string, Set<QueuedPod>>()
  private readonly hints: HintTable
  // When each pod was last tried or flushed, oldest first.
  private readonly waitingSince = new DeadlineQueue<string>()
  private stamp = 0
  gatedCount = 0

  constructor(hints: HintTable) {
    this.hints = hints
  }

  get size(): number {
    return this.pods.size
  }

  get(key: string): QueuedPod | undefined {
    return this.pods.get(key)
  }

  add(pod: QueuedPod): void {
    this.pods.set(pod.key, pod)
    this.waitingSince.set(pod.key, waitingSince(pod))
    if (pod.gatingPlugin !== undefined) this.gatedCount++
    for (const plugin of rejectorsOf(pod)) this.indexed(pod.profile, plugin).add(pod)
    this.await(pod)
  }

  /** Must be called after a change of the object of a pod. */
  noteUpdate(pod: QueuedPod): void {
    this.stopAwaiting(pod)
    this.await(pod)
  }

  /** Must be called before the plugins or times of the pod change. */
  remove(key: string): QueuedPod | undefined {
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

  /** The pods of a profile that a change may help, each once. */
  concerned(profile: string, { plugins, awaited }: EventHints, change: ClusterChange, into: QueuedPod[]): void {
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

  /** Pods that were neither tried nor flushed for longer than `ms`. */
  leftAloneFor(ms: number, now: number): QueuedPod[] {
    const due = this.waitingSince.popDue(now - ms - 1)
    return due.map((key) => {
      const pod = this.pods.get(key) as QueuedPod
      this.waitingSince.set(key, waitingSince(pod))
      return pod
    })
  }

  /** When the oldest pod was last tried or flushed. */
  oldest(): number | undefined {
    return this.waitingSince.nextAt()
  }

  all(): Iterable<QueuedPod> {
    return this.pods.values()
  }

  private await(pod: QueuedPod): void {
    for (const plugin of rejectorsOf(pod)) {
      const names = this.hints.awaitedBy(pod.profile, plugin)?.ofPod(pod.parsed.pod) ?? []
      if (names.length > 0) pod.awaited = [...pod.awaited, ...names.map((name) => nameIn(pod.profile, plugin, name))]
    }
    for (const name of pod.awaited) {
      const pods = this.awaiting.get(name)
      if (pods === undefined) this.awaiting.set(name, new Set([pod]))
      else pods.add(pod)
    }
  }

  private stopAwaiting(pod: QueuedPod): void {
    for (const name of pod.awaited) {
      const pods = this.awaiting.get(name)
      pods?.delete(pod)
      if (pods?.size === 0) this.awaiting.delete(name)
    }
    pod.awaited = nothing
  }

  private indexed(profile: string, plugin: string): Set<QueuedPod> {
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

function waitingSince(pod: QueuedPod): number {
  return pod.flushedAt !== undefined && pod.flushedAt > pod.queuedAt ? pod.flushedAt : pod.queuedAt
}
