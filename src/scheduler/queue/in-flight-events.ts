import type { ClusterChange } from './cluster-event.ts'
import type { QueuedPod } from './queued-pod.ts'
import type { RequeueJudge, RequeueVerdict } from './requeue-judge.ts'
import type { InFlightTracker } from './requeue-policy.ts'

/**
 * Pods in flight and the changes since they were popped. When a pod is rejected, these changes are checked, because one
 * of them may have made it schedulable. All pods share one list of changes, and each pod has its start position.
 * Changes that no pod needs are dropped.
 */
export class InFlightEvents implements InFlightTracker {
  private changes: ClusterChange[] = []
  /** The number of changes dropped so far. */
  private dropped = 0
  // In the order of their start, so the first entry needs the oldest changes.
  private readonly starts = new Map<string, number>()

  get isIdle(): boolean {
    return this.starts.size === 0
  }

  get podCount(): number {
    return this.starts.size
  }

  get changeCount(): number {
    return this.changes.length
  }

  has(uid: string): boolean {
    return this.starts.has(uid)
  }

  start(uid: string): void {
    this.starts.set(uid, this.dropped + this.changes.length)
  }

  record(change: ClusterChange): void {
    if (this.starts.size > 0) this.changes.push(change)
  }

  /** The changes since the pod was popped. */
  since(uid: string): readonly ClusterChange[] {
    const start = this.starts.get(uid)
    return start === undefined ? [] : this.changes.slice(start - this.dropped)
  }

  done(uid: string): void {
    if (!this.starts.delete(uid)) return
    const oldest = this.starts.values().next()
    if (oldest.done) {
      this.dropped += this.changes.length
      if (this.changes.length > 0) this.changes = []
      return
    }
    const unneeded = oldest.value - this.dropped
    // Removal from the front is linear, so it waits until half of the list can be removed.
    if (unneeded * 2 > this.changes.length) {
      this.changes.splice(0, unneeded)
      this.dropped += unneeded
    }
  }

  requestMove(): void {}

  verdict(pod: QueuedPod, judge: RequeueJudge): RequeueVerdict {
    return judge.overall(pod, this.since(pod.uid))
  }

  pods(): Iterable<string> {
    return this.starts.keys()
  }
}
