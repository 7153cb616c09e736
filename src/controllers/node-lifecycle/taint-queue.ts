import { DeadlineQueue } from '../../base/deadline-queue.ts'
import { TaintLimiter } from './taint-limiter.ts'

/**
 * The nodes of one zone that wait for their NoExecute taint, one at a time (v1.36, nodelifecycle/scheduler
 * RateLimitedTimedQueue). A node that was tainted stays known, so that it is not queued again until it is removed.
 * Nodes queued at one instant come in the order in which they were queued; upstream's order among them is random.
 */
export class TaintQueue {
  readonly limiter: TaintLimiter
  private readonly waiting = new DeadlineQueue<string>()
  private readonly known = new Set<string>()
  /** Nodes that `take` returned and that are not settled yet. */
  private readonly taken = new Set<string>()

  constructor(perSecond: number) {
    this.limiter = new TaintLimiter(perSecond)
  }

  /** Returns whether the node was not in the queue. */
  add(node: string, now: number): boolean {
    if (this.known.has(node)) return false
    this.known.add(node)
    this.waiting.set(node, now)
    return true
  }

  remove(node: string): boolean {
    this.waiting.delete(node)
    this.taken.delete(node)
    return this.known.delete(node)
  }

  /** Records a node that another controller tainted. */
  adopt(node: string): void {
    this.known.add(node)
  }

  /** Reports whether the node is queued, or is being tainted. */
  isPending(node: string): boolean {
    return this.waiting.has(node) || this.taken.has(node)
  }

  /** The next node. As upstream, this consumes a token even if no node is due yet. */
  take(now: number): string | undefined {
    if (this.waiting.size === 0 || !this.limiter.tryAccept(now)) return undefined
    const node = this.waiting.popOneDue(now)
    if (node !== undefined) this.taken.add(node)
    return node
  }

  settled(node: string): void {
    this.taken.delete(node)
  }

  /** Queues a node again that could not be tainted, behind the nodes that are due by then. */
  retry(node: string, at: number): void {
    if (!this.taken.delete(node) || !this.known.has(node)) return
    this.waiting.delete(node)
    this.waiting.set(node, at)
  }

  /** The time at which the next node may be tainted; undefined: never at the current rate. */
  nextAt(): number | undefined {
    return this.waiting.size === 0 ? undefined : this.limiter.nextAt
  }

  list(): readonly string[] {
    return [...this.waiting.entries()].sort((a, b) => a[1] - b[1]).map(([node]) => node)
  }
}
