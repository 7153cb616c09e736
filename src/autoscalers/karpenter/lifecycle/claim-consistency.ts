import { findCondition, isConditionTrue } from '../../../api/conditions.ts'
import type { NodeClaim } from '../../../api/objects/karpenter.ts'
import type { Node } from '../../../api/objects/node.ts'
import { quantity, quantityMilli } from '../../../api/quantity.ts'
import { DeadlineQueue } from '../../../base/deadline-queue.ts'
import type { Drafts } from '../drafts.ts'
import { nodeClaims } from '../names.ts'
import { withClaimCondition } from '../status-conditions.ts'

// v1.14, nodeclaim/consistency
const scanMs = 10 * 60_000
const leastShare = 0.9

interface ConsistencyContext {
  readonly drafts: Drafts
  readonly now: number
  readonly wall: number
  nodeOf(claim: NodeClaim): Node | undefined
}

/** Compares nodes with their claims, at most every ten minutes. */
export class ClaimConsistency {
  private readonly dirty = new Set<string>()
  private readonly scannedAt = new Map<string, number>()
  private readonly wakes = new DeadlineQueue<string>()

  /** Records a change of the claim or its node. */
  touch(claim: string): void {
    this.dirty.add(claim)
  }

  step(context: ConsistencyContext): void {
    const { drafts, now } = context
    for (const name of this.wakes.popDue(now)) this.dirty.add(name)
    for (const name of this.dirty) {
      const claim = drafts.get(nodeClaims, name)
      if (claim === undefined) {
        this.scannedAt.delete(name)
        this.wakes.delete(name)
      } else if ((claim.status?.providerID ?? '') !== '') this.look(claim, context)
    }
    this.dirty.clear()
  }

  nextAt(): number {
    return this.wakes.nextAt() ?? Number.POSITIVE_INFINITY
  }

  private look(claim: NodeClaim, { drafts, now, wall, nodeOf }: ConsistencyContext): void {
    const { name } = claim.metadata
    const node = nodeOf(claim)
    const last = this.scannedAt.get(name)
    const isDue = last === undefined || now - last >= scanMs
    if (node === undefined) {
      // A claim is checked when it is launched, and usually has no node at that time.
      if (isDue) this.scannedAt.set(name, now)
      return
    }
    const next = checked(claim, node, drafts, wall, isDue)
    if (isDue) {
      this.scannedAt.set(name, now)
      if (next !== claim) drafts.set(nodeClaims, next)
    } else if (next !== claim) this.wakes.set(name, last + scanMs)
  }
}

/** The claim with the condition that results from its node. */
function checked(claim: NodeClaim, node: Node, drafts: Drafts, wall: number, publishes: boolean): NodeClaim {
  const issues = shapeIssues(claim, node)
  const type = 'ConsistentStateFound'
  if (issues.length === 0) {
    const isKnown = isConditionTrue(claim.status?.conditions, type)
    return isKnown ? claim : withClaimCondition(claim, { type, status: 'True' }, wall)
  }
  if (publishes) for (const issue of issues) drafts.event(claim, 'FailedConsistencyCheck', issue, { type: 'Warning' })
  if (findCondition(claim.status?.conditions, type)?.status === 'False') return claim
  const cause = { reason: 'ConsistencyCheckFailed', message: 'Consistency Check Failed' }
  return withClaimCondition(claim, { type, status: 'False', ...cause }, wall)
}

/** Reports resources of which the node has much less than the launched machine. */
function shapeIssues({ metadata, spec, status }: NodeClaim, node: Node): readonly string[] {
  if (metadata.deletionTimestamp !== undefined || !isConditionTrue(status?.conditions, 'Initialized')) return []
  return Object.entries(spec.resources?.requests ?? {}).flatMap(([resource, requested]) => {
    const expected = amount(status?.capacity?.[resource])
    if (amount(requested) === 0 || expected === 0) return []
    const found = node.status?.capacity?.[resource] ?? '0'
    const share = amount(found) / expected
    if (share >= leastShare) return []
    const percent = (share * 100).toFixed(1)
    return [
      `expected ${status?.capacity?.[resource]} of resource ${resource}, but found ${found} (${percent}% of expected)`,
    ]
  })
}

function amount(text: string | undefined): number {
  return text === undefined ? 0 : quantityMilli(quantity(text))
}
