import type { ClusterChange } from './cluster-event.ts'
import type { QueuedPod } from './queued-pod.ts'
import type { RequeueJudge, RequeueVerdict } from './requeue-judge.ts'
import type { InFlightTracker } from './requeue-policy.ts'

/**
 * Pods that are being scheduled, and what happened meanwhile. A pod that is rejected looks through the changes since
 * it was taken from the queue: one of them may already have removed the obstacle.
 *
 * Changes are kept in one list for all pods; each pod remembers where the list ended when it was taken. What no pod
 * needs any more is dropped from the front.
 */
export class InFlightEvents implements InFlightTracker {
  private changes: ClusterChange[] = []
  /** The number of changes dropped from the front so far. */
  private dropped = 0
  // In the order of their start, so that the first entry is the one that needs the oldest changes.
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

  /** What happened since the pod was taken from the queue. */
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
    // Shifting the list costs its length, so it waits until half of it can go.
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
