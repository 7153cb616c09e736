import { DeadlineQueue } from '../../base/deadline-queue.ts'
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
  // When each pod was last tried or flushed, oldest first.
  private readonly waitingSince = new DeadlineQueue<string>()
  private stamp = 0
  gatedCount = 0

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
    return pod
  }

  /** The pods of a profile that any of these plugins rejected, each once. */
  rejectedByAny(profile: string, plugins: readonly string[], into: QueuedPod[]): void {
    if (this.pods.size === 0) return
    const index = this.rejectedBy.get(profile)
    if (index === undefined) return
    const stamp = ++this.stamp
    for (const plugin of plugins) {
      const pods = index.get(plugin)
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

function waitingSince(pod: QueuedPod): number {
  return pod.flushedAt !== undefined && pod.flushedAt > pod.queuedAt ? pod.flushedAt : pod.queuedAt
}
