import { findCondition } from '../../api/conditions.ts'
import type { Node, NodeCondition, Taint } from '../../api/objects/node.ts'
import { hasTaint } from '../../api/taints.ts'
import { parseTime } from '../../api/time.ts'
import { type Instant, reachedAt } from '../../base/clock.ts'
import type { HealthVerdict, NodeHealth, Renewal } from './decide-health.ts'
import { notReady, unreachable } from './decide-taints.ts'

/** The health that the previous controller must have recorded: the newest heartbeat or status. */
export function inferredHealth(node: Node, renewal: Renewal | undefined, at: Instant): NodeHealth | undefined {
  const ready = readyOf(node)
  if (ready === undefined) return undefined
  const beat = parseTime(ready.lastHeartbeatTime)
  const renewed = renewal === undefined || !Number.isFinite(renewal.renewedAt) ? undefined : renewal.renewedAt
  // Kubelets that renew Leases write their status every five minutes only. Where no Lease is known, an old status says
  // nothing, and a node whose status is ready counts as ready.
  if (renewed === undefined && (beat === undefined || ready.status === 'True')) return undefined
  const newest = Math.max(beat ?? Number.NEGATIVE_INFINITY, renewed ?? Number.NEGATIVE_INFINITY)
  const probeAt = Math.min(at.now, reachedAt(newest, at))
  const changed = parseTime(ready.lastTransitionTime)
  return { probeAt, readyChangedAt: changed === undefined ? probeAt : reachedAt(changed, at), ready, renewal: renewed }
}

export function hasOwnTaint(node: Node): boolean {
  const taints: readonly Taint[] | undefined = node.spec?.taints
  return hasTaint(taints, unreachable) || hasTaint(taints, notReady)
}

export function readyOf(node: Node): NodeCondition | undefined {
  return findCondition(node.status?.conditions, 'Ready')
}

export function byName(a: Node, b: Node): number {
  return a.metadata.name < b.metadata.name ? -1 : 1
}

/**
 * Healthy nodes in any order, then the other nodes: untainted nodes first, by name. Their order is visible in the taint
 * queues. Upstream's order is random.
 */
export function inTurn(verdicts: readonly [Node, HealthVerdict][]): readonly [Node, HealthVerdict][] {
  const unhealthy = verdicts.filter(([, { current }]) => current?.status !== 'True')
  if (unhealthy.length < 2) return verdicts
  const healthy = verdicts.filter(([, { current }]) => current?.status === 'True')
  const byTurn = ([a]: [Node, HealthVerdict], [b]: [Node, HealthVerdict]) =>
    Number(hasOwnTaint(a)) - Number(hasOwnTaint(b)) || byName(a, b)
  return [...healthy, ...unhealthy.sort(byTurn)]
}
