import type { Call, Outcome } from '../../api/call.ts'
import type { Json, JsonObject, StringMap } from '../../api/objects/meta.ts'
import type { Node, NodeCondition } from '../../api/objects/node.ts'
import { DeadlineQueue } from '../../base/deadline-queue.ts'
import { applyTaintChange, type TaintChange } from './decide-taints.ts'
import type { Moment } from './moment.ts'

/** One thing to be written to a node. It is planned anew on whatever the node has become when its turn comes. */
export interface NodeWrite {
  readonly node: string
  /** Undefined: the node is already as it should be. */
  plan(node: Node, moment: Moment): Call | undefined
  readonly retries: RetryRule
  /** Whether upstream reads the node from the API server before it plans this. */
  readonly readsFirst: boolean
  done(succeeded: boolean, moment: Moment): void
}

export interface RetryRule {
  readonly on: 'conflict' | 'any-failure'
  readonly tries: number
  delayMs(moment: Moment): number
}

/** v1.36, pkg/controller UpdateTaintBackoff and UpdateLabelBackoff: five tries, 100 to 200 ms apart. */
export const onConflict: RetryRule = { on: 'conflict', tries: 5, delayMs: (moment) => 100 * (1 + moment.jitter()) }

/** v1.36, nodelifecycle retrySleepTime and NodeHealthUpdateRetry: 20 ms apart for 100 ms. */
export const onAnyFailure: RetryRule = { on: 'any-failure', tries: 6, delayMs: () => 20 }

interface Line {
  readonly writes: NodeWrite[]
  failures: number
}

/**
 * Writes to nodes, one at a time per node, so that each starts from what the one before has left. Before a second try the
 * node is read again.
 */
export class NodeWrites {
  private readonly lines = new Map<string, Line>()
  private readonly pauses = new DeadlineQueue<string>()
  /** What writes have returned, for as long as the view may be behind it. */
  private readonly written = new Map<string, Node>()

  enqueue(write: NodeWrite, moment: Moment): void {
    const line = this.lines.get(write.node)
    if (line !== undefined) {
      line.writes.push(write)
      return
    }
    this.lines.set(write.node, { writes: [write], failures: 0 })
    this.start(write.node, moment)
  }

  wake(moment: Moment): void {
    for (const name of this.pauses.popDue(moment.now)) {
      moment.call({ verb: 'get', resource: 'nodes', name }, (outcome, later) => {
        const node = outcome.ok && outcome.kind === 'object' ? (outcome.object as Node) : undefined
        this.begin(name, node, later)
      })
    }
  }

  nextAt(): number | undefined {
    return this.pauses.nextAt()
  }

  private start(name: string, moment: Moment): void {
    const [write] = (this.lines.get(name) as Line).writes as [NodeWrite]
    const go = (later: Moment) => this.begin(name, this.newest(name, later), later)
    if (write.readsFirst) moment.read(name, go)
    else go(moment)
  }

  private begin(name: string, node: Node | undefined, moment: Moment): void {
    const [write] = (this.lines.get(name) as Line).writes as [NodeWrite]
    if (node === undefined) {
      this.finish(name, false, moment)
      return
    }
    const call = write.plan(node, moment)
    if (call === undefined) this.finish(name, true, moment)
    else moment.call(call, (outcome, later) => this.answered(name, outcome, later))
  }

  private answered(name: string, outcome: Outcome, moment: Moment): void {
    const line = this.lines.get(name) as Line
    const { retries } = line.writes[0] as NodeWrite
    if (outcome.ok) {
      if (outcome.kind === 'object') this.written.set(name, outcome.object as Node)
      this.finish(name, true, moment)
      return
    }
    const worthwhile = retries.on === 'any-failure' || outcome.status.reason === 'Conflict'
    line.failures++
    if (!worthwhile || line.failures >= retries.tries) this.finish(name, false, moment)
    else this.pauses.set(name, moment.now + retries.delayMs(moment))
  }

  private finish(name: string, succeeded: boolean, moment: Moment): void {
    const line = this.lines.get(name) as Line
    const write = line.writes.shift() as NodeWrite
    line.failures = 0
    const more = line.writes.length > 0
    if (!more) this.lines.delete(name)
    write.done(succeeded, moment)
    if (more) this.start(name, moment)
  }

  private newest(name: string, moment: Moment): Node | undefined {
    const seen = moment.node(name)
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

/** The list of taints as a whole, on condition that nobody else has written since (v1.36, PatchNodeTaints). */
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
  const object: Node = { ...node, status: { ...node.status, conditions } }
  return { verb: 'update', resource: 'nodes', name: node.metadata.name, subresource: 'status', object }
}
