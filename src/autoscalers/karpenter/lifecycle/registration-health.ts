import { findCondition, isConditionTrue } from '../../../api/conditions.ts'
import type { NodeClaim, NodePool } from '../../../api/objects/karpenter.ts'
import type { View } from '../../../runtime/view.ts'
import type { Drafts } from '../drafts.ts'
import { nodePoolLabel, nodePools } from '../names.ts'
import { withPoolCondition } from '../status-conditions.ts'

// v1.14, nodepoolhealth: a pool is unhealthy if two of its last four registrations failed.
const remembered = 4
const unhealthyFailures = 2

const type = 'NodeRegistrationHealthy'

/** Tracks whether the nodes of each pool register, by the latest outcomes. */
export class RegistrationHealth {
  /** The latest outcomes, by uid of the pool. */
  private readonly outcomes = new Map<string, readonly boolean[]>()

  /** Records that a claim of the pool was registered or abandoned. */
  note(
    claim: NodeClaim,
    isRegistered: boolean,
    { view, drafts, wall }: { readonly view: View; readonly drafts: Drafts; readonly wall: number },
  ): void {
    const name = claim.metadata.labels?.[nodePoolLabel] ?? ''
    const pool = drafts.get(nodePools, name) ?? view.get(nodePools, name)
    const uid = pool?.metadata.uid ?? ''
    const isOwned = claim.metadata.ownerReferences?.some((owner) => owner.kind === 'NodePool' && owner.uid === uid)
    if (pool === undefined || isOwned !== true) return
    const next = [...(this.outcomes.get(uid) ?? []), isRegistered].slice(-remembered)
    this.outcomes.set(uid, next)
    const isHealthy = isHealthyAfter(next)
    const condition = findCondition(pool.status?.conditions, type)
    if (isRegistered && isHealthy) drafts.set(nodePools, withPoolCondition(pool, { type, status: 'True' }, wall))
    if (!isRegistered && !isHealthy && condition?.status !== 'False')
      drafts.set(nodePools, withPoolCondition(pool, { type, status: 'False', ...causeOf(claim) }, wall))
  }

  /** The pool before any node of its current template registers. */
  withInitial(pool: NodePool, classGeneration: number | undefined, wall: number): NodePool {
    const uid = pool.metadata.uid ?? ''
    const condition = findCondition(pool.status?.conditions, type)
    if ((this.outcomes.get(uid) ?? []).length === 0) {
      if (condition?.status === 'True') this.outcomes.set(uid, [true])
      if (condition?.status === 'False')
        this.outcomes.set(
          uid,
          Array.from({ length: unhealthyFailures }, () => false),
        )
    }
    const seen = pool.status?.nodeClassObservedGeneration
    const isSame =
      condition !== undefined &&
      (classGeneration === undefined || seen === classGeneration) &&
      (condition.observedGeneration ?? 0) === (pool.metadata.generation ?? 0)
    if (isSame) return pool
    this.outcomes.delete(uid)
    const unknown = { type, status: 'Unknown' as const, reason: 'AwaitingReconciliation' }
    const message = 'object is awaiting reconciliation'
    const next = withPoolCondition(pool, { ...unknown, message }, wall)
    if (classGeneration === undefined) return next
    return { ...next, status: { ...next.status, nodeClassObservedGeneration: classGeneration } }
  }
}

function isHealthyAfter(outcomes: readonly boolean[]): boolean {
  return outcomes.filter((isRegistered) => !isRegistered).length < unhealthyFailures
}

function causeOf({ status }: NodeClaim): { readonly reason: string; readonly message: string } {
  if (isConditionTrue(status?.conditions, 'Launched'))
    return { reason: 'RegistrationFailed', message: 'Failed to register node' }
  const { reason = '', message = '' } = findCondition(status?.conditions, 'Launched') ?? {}
  return { reason, message }
}
