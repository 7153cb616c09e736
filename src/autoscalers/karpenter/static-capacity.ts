import { isConditionTrue } from '../../api/conditions.ts'
import type { NodeClaim, NodePool } from '../../api/objects/karpenter.ts'
import { parseTime } from '../../api/time.ts'
import { DeadlineQueue } from '../../base/deadline-queue.ts'
import type { RandomStream } from '../../base/random.ts'
import type { Drafts } from './drafts.ts'
import { nodeClaims, nodePoolLabel, nodePools } from './names.ts'
import { durationOf, isStatic } from './node-pool.ts'
import { createClaims } from './provisioner.ts'
import { amountsOf } from './scheduling/amounts.ts'
import { type ClaimPlan, templateOf } from './scheduling/claim-template.ts'
import { isReady, type Situation } from './situation.ts'
import { evictionCost, isDaemon, isDoNotDisruptActive } from './state/pod-conditions.ts'
import type { StateNode } from './state/state-node.ts'

const recheckMs = 60_000

interface Counts {
  readonly running: number
  /** The number of nodes that are replaced but not yet deleted. */
  readonly pending: number
  readonly deleting: number
}

/** Maintains the number of nodes of pools with `replicas` (v1.14, static.provisioning and static.deprovisioning). */
export class StaticCapacity {
  private readonly due = new DeadlineQueue<string>()

  /** Records a change of the pool or one of its claims. */
  touch(pool: string, now: number): void {
    this.due.set(pool, now)
  }

  step(situation: Situation, drafts: Drafts, random: RandomStream): void {
    const { view, now } = situation
    for (const name of this.due.popDue(now)) {
      const pool = view.get(nodePools, name)
      if (pool === undefined || !isStatic(pool) || pool.metadata.deletionTimestamp !== undefined) continue
      reconcile(pool, situation, drafts, random)
      this.due.set(name, now + recheckMs)
    }
  }

  nextAt(): number {
    return this.due.nextAt() ?? Number.POSITIVE_INFINITY
  }
}

function reconcile(pool: NodePool, situation: Situation, drafts: Drafts, random: RandomStream): void {
  const { replicas = 0 } = pool.spec
  const { running, pending } = countsOf(pool, situation)
  if (running > replicas) {
    for (const claim of surplus(pool, running - replicas, situation)) drafts.delete(nodeClaims, claim)
    return
  }
  if (running + pending >= replicas || !isReady(pool, situation.view)) return
  const count = granted(pool, replicas - running, situation)
  const claims = Array.from({ length: count }, () => staticClaim(pool))
  createClaims(claims, situation, drafts, random, { reason: 'provisioned' })
}

/** A claim with only the template of the pool. The cloud selects the instance type. */
export function staticClaim(pool: NodePool): ClaimPlan {
  const template = templateOf(pool)
  return { template, requirements: template.requirements, types: [], requests: new Map(), pods: [] }
}

/** The number of wanted nodes that the limit of the pool allows. */
export function granted(pool: NodePool, wanted: number, situation: Situation): number {
  const limit = amountsOf(pool.spec.limits).get('nodes')
  if (limit === undefined) return wanted
  const { running, pending, deleting } = countsOf(pool, situation)
  return Math.max(0, Math.min(wanted, limit / 1000 - running - pending - deleting))
}

export function countsOf({ metadata }: NodePool, { view, state }: Situation): Counts {
  const counts = { running: 0, pending: 0, deleting: 0 }
  for (const claim of view.list(nodeClaims)) {
    if (claim.metadata.labels?.[nodePoolLabel] !== metadata.name) continue
    const isEnding =
      claim.metadata.deletionTimestamp !== undefined || isConditionTrue(claim.status?.conditions, 'InstanceTerminating')
    if (isEnding) counts.deleting++
    else if (state.byClaim(claim.metadata.name)?.isMarked === true) counts.pending++
    else counts.running++
  }
  return counts
}

/**
 * The claims to remove: first those without a machine, then those of empty nodes, then those with the lowest disruption
 * cost.
 */
function surplus(pool: NodePool, count: number, { view, state, wall }: Situation): readonly NodeClaim[] {
  const { name } = pool.metadata
  const unresolved = view
    .list(nodeClaims)
    .filter(
      ({ metadata, status }) =>
        metadata.labels?.[nodePoolLabel] === name &&
        (status?.providerID ?? '') === '' &&
        metadata.deletionTimestamp === undefined,
    )
  const nodes = state.nodes
    .filter((each) => each.pool === name && each.claim !== undefined && !each.isLeaving)
    .map((each) => ({ claim: each.claim as NodeClaim, ...disruptionOf(each) }))
    .sort((a, b) => Number(b.isEmpty) - Number(a.isEmpty) || Number(a.isKept) - Number(b.isKept) || a.cost - b.cost)
  return [...unresolved, ...nodes.map(({ claim }) => claim)].slice(0, count)

  function disruptionOf({ node, claim }: StateNode) {
    const pods = view.podsOn(node?.metadata.name ?? '')
    const isKept = pods.some((pod) => isDoNotDisruptActive(pod, wall))
    const isEmpty = pods.length === 0 || (pods.every(isDaemon) && !isKept)
    const evictions = pods.reduce((sum, pod) => sum + evictionCost(pod), 0)
    return { isEmpty, isKept, cost: evictions * lifetimeLeft(claim, wall) }
  }
}

/** The remaining share of the lifetime of the node; 1 if it does not expire. */
function lifetimeLeft(claim: NodeClaim | undefined, wall: number): number {
  const lifetime = durationOf(claim?.spec.expireAfter)
  const created = parseTime(claim?.metadata.creationTimestamp)
  if (lifetime === undefined || created === undefined || lifetime === 0) return 1
  return Math.min(1, Math.max(0, (lifetime - (wall - created)) / lifetime))
}
