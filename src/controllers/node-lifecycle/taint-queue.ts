import { DeadlineQueue } from '../../base/deadline-queue.ts'
import { TaintLimiter } from './taint-limiter.ts'

/**
 * The nodes of one zone that are to be given a NoExecute taint, one at a time (v1.36, nodelifecycle/scheduler
 * RateLimitedTimedQueue). A node that was dealt with stays known, so that it is not queued again until it is removed.
 * Nodes queued at one instant come in the order in which they were queued; upstream's order among them is chance.
 */
export class TaintQueue {
  readonly limiter: TaintLimiter
  private readonly waiting = new DeadlineQueue<string>()
  private readonly known = new Set<string>()
  /** Taken by `take` and not yet answered for. */
  private readonly taken = new Set<string>()

  constructor(perSecond: number) {
    this.limiter = new TaintLimiter(perSecond)
  }

  /** Whether the node was new here. */
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

  /** Takes note of a node that was dealt with by somebody else. */
  adopt(node: string): void {
    this.known.add(node)
  }

  /** Queued, or being tainted at this moment. */
  isPending(node: string): boolean {
    return this.waiting.has(node) || this.taken.has(node)
  }

  /** The node whose turn it is. Asking costs the token even if the first node may not be touched yet, as upstream's does. */
  take(now: number): string | undefined {
    if (this.waiting.size === 0 || !this.limiter.tryAccept(now)) return undefined
    const node = this.waiting.popOneDue(now)
    if (node !== undefined) this.taken.add(node)
    return node
  }

  settled(node: string): void {
    this.taken.delete(node)
  }

  /** The node could not be dealt with: it goes behind those that are due by then. */
  retry(node: string, at: number): void {
    if (!this.taken.delete(node) || !this.known.has(node)) return
    this.waiting.delete(node)
    this.waiting.set(node, at)
  }

  /** When something may happen here next; undefined while nothing can. */
  nextAt(): number | undefined {
    return this.waiting.size === 0 ? undefined : this.limiter.nextAt
  }

  list(): readonly string[] {
    return [...this.waiting.entries()].sort((a, b) => a[1] - b[1]).map(([node]) => node)
  }
}
