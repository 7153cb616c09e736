import type { Node, NodeCondition } from '../../api/objects/node.ts'
import { hasTaint } from '../../api/taints.ts'
import { noExecuteFor, notReady, type TaintChange, unreachable } from './decide-taints.ts'
import { hasOwnTaint } from './node-reading.ts'
import { type NodeWrites, onConflict, taintCall } from './node-writes.ts'
import type { StepContext } from './step-context.ts'
import type { ZoneCensus } from './zone-census.ts'
import type { ZoneTainter } from './zone-tainter.ts'

export interface NoExecuteTaintsOptions {
  readonly census: ZoneCensus
  readonly tainter: ZoneTainter
  readonly writes: NodeWrites
  /** Fix `countdown-from-taint`: a taint that stays keeps its timeAdded. */
  readonly keepTimes: boolean
}

/** Queues unhealthy nodes for their NoExecute taint, and removes the taints of healthy nodes immediately. */
export class NoExecuteTaints {
  private readonly options: NoExecuteTaintsOptions
  private readonly failed = new Set<string>()

  constructor(options: NoExecuteTaintsOptions) {
    this.options = options
  }

  /** v1.36, nodelifecycle processTaintBaseEviction. `isResumed`: another controller tainted the node before. */
  decide(
    node: Node,
    { status }: NodeCondition,
    { isResumed }: { readonly isResumed: boolean },
    context: StepContext,
  ): void {
    const { name } = node.metadata
    const queue = this.options.tainter.queueOf(this.options.census.place(node))
    const swap = noExecuteFor(status)
    if (swap === undefined) {
      this.remove(node, context)
    } else if (hasTaint(node.spec?.taints, swap.remove)) {
      // The replacement of one taint by the other does not wait for the rate limit, which applies to nodes that become
      // unhealthy.
      this.write(node, { add: [swap.add], remove: [swap.remove] }, context)
    } else if (hasTaint(node.spec?.taints, swap.add)) {
      if (isResumed) queue.adopt(name)
      else queue.add(name, context.now)
    } else if (!queue.isPending(name)) {
      queue.remove(name)
      queue.add(name, context.now)
    }
  }

  /** Removes both NoExecute taints from a node, and the node from the queue of its zone. */
  remove(node: Node, context: StepContext): void {
    const { census, tainter } = this.options
    if (hasOwnTaint(node)) this.write(node, { add: [], remove: [unreachable, notReady] }, context)
    tainter.queueOf(census.place(node)).remove(node.metadata.name)
  }

  /** The nodes that could not be written since the last call. */
  takeFailed(): readonly string[] {
    if (this.failed.size === 0) return []
    const names = [...this.failed]
    this.failed.clear()
    return names
  }

  private write(node: Node, change: TaintChange, context: StepContext): void {
    const { writes, keepTimes } = this.options
    const { name } = node.metadata
    writes.enqueue(
      {
        node: name,
        retries: onConflict,
        readsFirst: true,
        plan: (newest, { wall }) => taintCall(newest, change, wall, { keepTimes }),
        done: (succeeded) => {
          if (!succeeded) this.failed.add(name)
        },
      },
      context,
    )
  }
}
