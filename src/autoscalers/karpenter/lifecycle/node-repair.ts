import { findCondition } from '../../../api/conditions.ts'
import type { NodeClaim } from '../../../api/objects/karpenter.ts'
import type { Node } from '../../../api/objects/node.ts'
import { formatTime, parseTime } from '../../../api/time.ts'
import { DeadlineQueue } from '../../../base/deadline-queue.ts'
import type { View } from '../../../runtime/view.ts'
import type { Drafts } from '../drafts.ts'
import { kwokGroup, nodeClaims, nodePoolLabel, nodePools, terminationTimestampAnnotation } from '../names.ts'

interface RepairPolicy {
  readonly type: string
  readonly status: string
  readonly toleratedMs: number
}

const minuteMs = 60_000
const blockedMs = 5 * minuteMs
/** The maximum share of unhealthy nodes. In a pool with more of them, no node is repaired. */
const mostUnhealthy = 0.2

const policy = (type: string, status: string, minutes: number): RepairPolicy => ({
  type,
  status,
  toleratedMs: minutes * minuteMs,
})

// By the group of the node class, as the cloud providers define them: kwok v1.14, AWS v1.8.
const policies: ReadonlyMap<string, readonly RepairPolicy[]> = new Map([
  [kwokGroup, [policy('Ready', 'False', 10), policy('Ready', 'Unknown', 10)]],
  [
    'karpenter.k8s.aws',
    [
      policy('Ready', 'False', 30),
      policy('Ready', 'Unknown', 30),
      policy('AcceleratedHardwareReady', 'False', 10),
      policy('StorageReady', 'False', 30),
      policy('NetworkingReady', 'False', 30),
      policy('KernelReady', 'False', 30),
      policy('ContainerRuntimeReady', 'False', 30),
    ],
  ],
])

const noPolicies: readonly RepairPolicy[] = []

export interface RepairContext {
  readonly view: View
  readonly drafts: Drafts
  readonly now: number
  readonly wall: number
  claimOf(node: Node): NodeClaim | undefined
}

/** Replaces nodes that have been unhealthy for too long, with the gate NodeRepair (v1.14, node/health). */
export class NodeRepair {
  private readonly due = new DeadlineQueue<string>()

  /** Records a possible change of the conditions of the node. */
  touch(name: string, now: number): void {
    this.due.set(name, now)
  }

  step(context: RepairContext): void {
    const { now, view } = context
    for (const name of this.due.popDue(now)) {
      const node = view.get('nodes', name)
      const wait = node === undefined ? undefined : reconcile(node, context)
      if (wait !== undefined) this.due.set(name, now + wait)
    }
  }

  nextAt(): number {
    return this.due.nextAt() ?? Number.POSITIVE_INFINITY
  }
}

/** The time after which the node is checked again. */
function reconcile(node: Node, { view, drafts, wall, claimOf }: RepairContext): number | undefined {
  const claim = claimOf(node)
  if (claim === undefined) return undefined
  const own = policies.get(claim.spec.nodeClassRef.group) ?? noPolicies
  const repairAt = Math.min(...own.flatMap((each) => unhealthyUntil(node, each) ?? []))
  if (!Number.isFinite(repairAt)) return undefined
  if (wall < repairAt) return repairAt - wall
  const pool = claim.metadata.labels?.[nodePoolLabel]
  const peers = view
    .list('nodes')
    .filter(({ metadata }) => pool === undefined || metadata.labels?.[nodePoolLabel] === pool)
  const unhealthy = peers.filter((peer) => own.some((each) => unhealthyUntil(peer, each) !== undefined)).length
  if (unhealthy > Math.ceil(mostUnhealthy * peers.length)) {
    const reason =
      pool === undefined
        ? 'more then 20% nodes are unhealthy in the cluster'
        : 'more than 20% nodes are unhealthy in the nodepool'
    const about = [node, claim, ...(pool === undefined ? [] : [view.get(nodePools, pool)])]
    for (const object of about)
      drafts.event(node, 'NodeRepairBlocked', reason, { type: 'Warning', about: object?.metadata.uid ?? '' })
    return blockedMs
  }
  remove(claim, drafts, wall)
  return undefined
}

function unhealthyUntil(node: Node, { type, status, toleratedMs }: RepairPolicy): number | undefined {
  const condition = findCondition(node.status?.conditions, type)
  if (condition?.status !== status) return undefined
  return (parseTime(condition.lastTransitionTime) ?? 0) + toleratedMs
}

/** The removal does not wait for the pods of an unhealthy node: its grace period ends now. */
function remove(claim: NodeClaim, drafts: Drafts, wall: number): void {
  const { annotations = {}, deletionTimestamp } = claim.metadata
  const until = parseTime(annotations[terminationTimestampAnnotation])
  if (until === undefined || until >= wall) {
    const ended = { ...annotations, [terminationTimestampAnnotation]: formatTime(wall) }
    drafts.set(nodeClaims, { ...claim, metadata: { ...claim.metadata, annotations: ended } })
  }
  if (deletionTimestamp !== undefined) return
  drafts.delete(nodeClaims, claim)
  drafts.metrics.claimDisrupted(claim, 'unhealthy')
}
