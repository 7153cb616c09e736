import { findCondition } from '../../api/conditions.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Counter } from '../../base/metrics.ts'
import { noExecuteFor } from './decide-taints.ts'
import { type NodeWrites, onConflict, taintCall } from './node-writes.ts'
import type { StepContext } from './step-context.ts'
import { TaintQueue } from './taint-queue.ts'
import { zoneKeyOf } from './zones.ts'

// v1.36, nodelifecycle/scheduler NodeEvictionPeriod.
const tickMs = 100
// The delay after which upstream retries a node without a Ready condition.
const undecidedMs = 50

export interface ZoneTainterOptions {
  readonly writes: NodeWrites
  readonly nodeEvictionRate: number
  /** node_collector_evictions_total, by zone. */
  readonly evictions: Counter
  readonly keepTimes: boolean
}

/**
 * Gives silent and unready nodes their NoExecute taint, zone by zone and at the zone's rate (v1.36, nodelifecycle
 * doNoExecuteTaintingPass). It checks its queues every 100 ms from its start; instants without work are skipped.
 */
export class ZoneTainter {
  private readonly options: ZoneTainterOptions
  private readonly queues = new Map<string, TaintQueue>()
  private startedAt: number | undefined
  private nextTickAt: number | undefined
  /** Writes without an answer yet; the next tick waits for them. */
  private writing = 0

  constructor(options: ZoneTainterOptions) {
    this.options = options
  }

  /** A zone that appears, or reappears after it had no nodes, starts with an empty queue and a token. */
  openZone(zone: string): void {
    this.queues.set(zone, new TaintQueue(this.options.nodeEvictionRate))
    this.options.evictions.with(zone)
  }

  queueOf(zone: string): TaintQueue {
    const queue = this.queues.get(zone)
    if (queue !== undefined) return queue
    this.openZone(zone)
    return this.queues.get(zone) as TaintQueue
  }

  setRate(zone: string, perSecond: number, now: number): void {
    this.queueOf(zone).limiter.swap(perSecond, now)
  }

  tick(context: StepContext): void {
    this.startedAt ??= context.now
    if (this.writing > 0 || this.nextTickAt === undefined || context.now < this.nextTickAt) return
    this.nextTickAt = undefined
    for (const queue of this.queues.values()) {
      for (let name = queue.take(context.now); name !== undefined; name = queue.take(context.now)) {
        this.taint(name, queue, context)
      }
    }
  }

  /** Called at the end of a step: nodes that were queued in the step wait for a later tick. */
  planTick(now: number): number | undefined {
    if (this.writing > 0) return undefined
    let next: number | undefined
    for (const queue of this.queues.values()) {
      const at = queue.nextAt()
      if (at !== undefined && (next === undefined || at < next)) next = at
    }
    this.nextTickAt = next === undefined ? undefined : this.tickAfter(now, next)
    return this.nextTickAt
  }

  private tickAfter(now: number, earliest: number): number {
    const start = this.startedAt ?? now
    const following = start + (Math.floor((now - start) / tickMs) + 1) * tickMs
    return Math.max(following, start + Math.ceil((earliest - start) / tickMs) * tickMs)
  }

  private taint(name: string, queue: TaintQueue, context: StepContext): void {
    const node = context.node(name)
    if (node === undefined) {
      queue.settled(name)
      return
    }
    const ready = findCondition(node.status?.conditions, 'Ready')
    if (ready === undefined) {
      queue.retry(name, context.now + undecidedMs)
      return
    }
    const swap = noExecuteFor(ready.status)
    if (swap === undefined) queue.settled(name)
    else this.write(node, { add: [swap.add], remove: [swap.remove] }, queue, context)
  }

  private write(node: Node, change: Parameters<typeof taintCall>[1], queue: TaintQueue, context: StepContext): void {
    const { writes, keepTimes, evictions } = this.options
    const { name } = node.metadata
    this.writing++
    writes.enqueue(
      {
        node: name,
        retries: onConflict,
        readsFirst: true,
        plan: (newest, { wall }) => taintCall(newest, change, wall, { keepTimes }),
        done: (succeeded, { now }) => {
          this.writing--
          if (!succeeded) {
            queue.retry(name, now)
            return
          }
          queue.settled(name)
          evictions.inc(1, zoneKeyOf(node.metadata.labels))
        },
      },
      context,
    )
  }
}
