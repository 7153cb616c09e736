import type { Call, Outcome } from '../../api/call.ts'
import { updateStatusCall } from '../../api/object-calls.ts'
import type { Json, JsonObject, StringMap } from '../../api/objects/meta.ts'
import type { Node, NodeCondition } from '../../api/objects/node.ts'
import { DeadlineQueue } from '../../base/deadline-queue.ts'
import { applyTaintChange, type TaintChange } from './decide-taints.ts'
import type { StepContext } from './step-context.ts'

/** One write to a node. It is planned when its turn comes, on the newest version of the node. */
export interface NodeWrite {
  readonly node: string
  /** Undefined: the node is up to date. */
  plan(node: Node, context: StepContext): Call | undefined
  readonly retries: RetryRule
  /** Reports whether upstream reads the node from the API server before it plans this write. */
  readonly readsFirst: boolean
  done(succeeded: boolean, context: StepContext): void
}

export interface RetryRule {
  readonly on: 'conflict' | 'any-failure'
  readonly tries: number
  delayMs(context: StepContext): number
}

/** v1.36, pkg/controller UpdateTaintBackoff and UpdateLabelBackoff: five tries, 100 to 200 ms apart. */
export const onConflict: RetryRule = { on: 'conflict', tries: 5, delayMs: (context) => 100 * (1 + context.jitter()) }

/** v1.36, nodelifecycle retrySleepTime and NodeHealthUpdateRetry: 20 ms apart for 100 ms. */
export const onAnyFailure: RetryRule = { on: 'any-failure', tries: 6, delayMs: () => 20 }

interface Line {
  readonly writes: NodeWrite[]
  failures: number
}

/**
 * Writes to nodes, one at a time per node, so that each write starts from the result of the previous one. The node is
 * read again before a retry.
 */
export class NodeWrites {
  private readonly lines = new Map<string, Line>()
  private readonly pauses = new DeadlineQueue<string>()
  /** The nodes that writes returned. The view may be older. */
  private readonly written = new Map<string, Node>()

  enqueue(write: NodeWrite, context: StepContext): void {
    const line = this.lines.get(write.node)
    if (line !== undefined) {
      line.writes.push(write)
      return
    }
    this.lines.set(write.node, { writes: [write], failures: 0 })
    this.start(write.node, context)
  }

  wake(context: StepContext): void {
    for (const name of this.pauses.popDue(context.now)) {
      context.call({ verb: 'get', resource: 'nodes', name }, (outcome, later) => {
        const node = outcome.ok && outcome.kind === 'object' ? (outcome.object as Node) : undefined
        this.begin(name, node, later)
      })
    }
  }

  nextAt(): number | undefined {
    return this.pauses.nextAt()
  }

  private start(name: string, context: StepContext): void {
    const [write] = (this.lines.get(name) as Line).writes as [NodeWrite]
    const go = (later: StepContext) => this.begin(name, this.newest(name, later), later)
    if (write.readsFirst) context.read(name, go)
    else go(context)
  }

  private begin(name: string, node: Node | undefined, context: StepContext): void {
    const [write] = (this.lines.get(name) as Line).writes as [NodeWrite]
    if (node === undefined) {
      this.finish(name, false, context)
      return
    }
    const call = write.plan(node, context)
    if (call === undefined) this.finish(name, true, context)
    else context.call(call, (outcome, later) => this.answered(name, outcome, later))
  }

  private answered(name: string, outcome: Outcome, context: StepContext): void {
    const line = this.lines.get(name) as Line
    const { retries } = line.writes[0] as NodeWrite
    if (outcome.ok) {
      if (outcome.kind === 'object') this.written.set(name, outcome.object as Node)
      this.finish(name, true, context)
      return
    }
    const worthwhile = retries.on === 'any-failure' || outcome.status.reason === 'Conflict'
    line.failures++
    if (!worthwhile || line.failures >= retries.tries) this.finish(name, false, context)
    else this.pauses.set(name, context.now + retries.delayMs(context))
  }

  private finish(name: string, succeeded: boolean, context: StepContext): void {
    const line = this.lines.get(name) as Line
    const write = line.writes.shift() as NodeWrite
    line.failures = 0
    const more = line.writes.length > 0
    if (!more) this.lines.delete(name)
    write.done(succeeded, context)
    if (more) this.start(name, context)
  }

  private newest(name: string, context: StepContext): Node | undefined {
    const seen = context.node(name)
    const written = this.written.get(name)
    if (written === undefined) return seen
    if (seen !== undefined && seen.metadata.uid === written.metadata.uid && versionOf(seen) < versionOf(written)) {
      return written
    }
    this.written.delete(name)
    return seen
  }
}

function versionOf({ metadata }: Node): number {
  return Number(metadata.resourceVersion ?? 0)
}

/** The list of taints as a whole, on condition that the node has not changed since (v1.36, PatchNodeTaints). */
export function taintCall(
  node: Node,
  change: TaintChange,
  now: number,
  rule: { readonly keepTimes: boolean },
): Call | undefined {
  const before = node.spec?.taints ?? []
  const after = applyTaintChange(before, change, now, rule)
  if (after === before) return undefined
  const { name, resourceVersion } = node.metadata
  const taints: Json = after.length === 0 ? null : after.map((taint): JsonObject => ({ ...taint }))
  const patch: JsonObject = {
    spec: { taints },
    ...(resourceVersion === undefined ? {} : { metadata: { resourceVersion } }),
  }
  return { verb: 'patch', resource: 'nodes', name, patch: { kind: 'strategic', patch } }
}

export function labelCall(node: Node, labels: StringMap): Call {
  const patch: JsonObject = { metadata: { labels } }
  return { verb: 'patch', resource: 'nodes', name: node.metadata.name, patch: { kind: 'strategic', patch } }
}

export function conditionsCall(node: Node, conditions: readonly NodeCondition[]): Call {
  return updateStatusCall('nodes', { ...node, status: { ...node.status, conditions } } as Node)
}
