import { findCondition } from '../../api/conditions.ts'
import { semanticEqual } from '../../api/equality.ts'
import type { Node, NodeCondition } from '../../api/objects/node.ts'
import { formatTime, parseTime } from '../../api/time.ts'
import { reachedAt } from '../../base/clock.ts'
import { extended } from '../../base/extended.ts'

/**
 * The state of a node between passes. Times are those of the controller: `probeAt` is the time of the pass that saw the
 * last heartbeat, not a time of the node's clock.
 */
export interface NodeHealth {
  readonly probeAt: number
  readonly readyChangedAt: number
  /** The Ready condition when it was last read or written. */
  readonly ready?: NodeCondition | undefined
  /** The newest renewal of the node's Lease that was counted; 'forgotten' makes the next pass count it again. */
  readonly renewal?: number | 'forgotten' | undefined
}

/** The newest heartbeat outside of the node's status: a renewed Lease, or a computed renewal in virtual time. */
export interface Renewal {
  /** Higher for a newer renewal. */
  readonly renewedAt: number
  /** The first pass that could see it, which may be the next one. */
  readonly seenAt: number
}

export interface HealthQuestion {
  readonly node: Node
  readonly saved: NodeHealth | undefined
  readonly renewal: Renewal | undefined
  /** The instant of the pass. */
  readonly now: number
  /** The wall time of the pass. Default: the same. */
  readonly wall?: number
  readonly monitorGraceMs: number
  readonly startupGraceMs: number
}

export interface HealthVerdict {
  readonly health: NodeHealth
  /** The observed Ready condition. For a node without one, the status is Unknown since its creation. */
  readonly observed: NodeCondition
  /** The Ready condition as it is or will be after `write`; absent while a new node has none. */
  readonly current: NodeCondition | undefined
  /** The conditions to write; set if the grace period has ended and the status does not show it yet. */
  readonly write?: readonly NodeCondition[]
  /** The time at which the verdict changes without a further heartbeat; absent: never. */
  readonly expiresAt?: number
}

// NetworkUnavailable is not included, because the control plane writes it and not the kubelet.
const heartbeatConditions = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure']

/** v1.36, nodelifecycle tryUpdateNodeHealth. */
export function decideHealth(question: HealthQuestion): HealthVerdict {
  const { node, now } = question
  const ready = findCondition(node.status?.conditions, 'Ready')
  const observed = ready ?? neverReady(node)
  const graceMs = ready === undefined ? question.startupGraceMs : question.monitorGraceMs
  const health = countRenewal(noteStatus(question, ready), question)
  const expiresAt = health.probeAt + graceMs
  // Upstream requires that more than the grace period has passed. Its passes drift by their duration, so the pass a
  // whole number of periods later is always late enough. Passes here do not drift, so an equal time counts.
  if (now < expiresAt) return { health, observed, current: ready, ...(isUnknown(ready) ? {} : { expiresAt }) }
  const conditions = silencedConditions(node, question.wall ?? now)
  const current = findCondition(conditions, 'Ready') as NodeCondition
  if (semanticEqual(current, observed)) return { health, observed, current }
  return { health, observed, current, write: conditions }
}

/**
 * As above for a node whose status has not changed: only its Lease can have been renewed. Undefined: the Lease was not
 * renewed.
 */
export function countRenewalOnly(saved: NodeHealth, { renewedAt, seenAt }: Renewal): NodeHealth | undefined {
  const { renewal, probeAt, readyChangedAt, ready } = saved
  if (renewal === 'forgotten' || (renewal !== undefined && renewedAt <= renewal)) return undefined
  return { probeAt: seenAt > probeAt ? seenAt : probeAt, readyChangedAt, ready, renewal: renewedAt }
}

/** The state of a node after the write of a verdict has succeeded. */
export function healthAfterWrite(
  { health, current }: HealthVerdict,
  renewal: Renewal | undefined,
  now: number,
): NodeHealth {
  return { probeAt: health.probeAt, readyChangedAt: now, ready: current, renewal: renewal?.renewedAt }
}

function noteStatus({ node, saved, now, wall = now }: HealthQuestion, ready: NodeCondition | undefined): NodeHealth {
  if (ready === undefined) {
    const created = reachedAt(parseTime(node.metadata.creationTimestamp) ?? wall, { now, wall })
    // A new node inherits the probe time of an earlier node of the same name, however old it is.
    if (saved !== undefined) return { ...saved, ready: undefined }
    return { probeAt: created, readyChangedAt: created }
  }
  const renewal = 'forgotten'
  if (saved?.ready === undefined) return { probeAt: now, readyChangedAt: now, ready, renewal }
  if (saved.ready.lastHeartbeatTime === ready.lastHeartbeatTime) return saved
  const changed = saved.ready.lastTransitionTime !== ready.lastTransitionTime
  return { probeAt: now, readyChangedAt: changed ? now : saved.readyChangedAt, ready, renewal }
}

/**
 * As upstream, a new status drops the remembered Lease, so the next pass counts a Lease that was not renewed as a heartbeat: a
 * status update without a renewal starts another grace period.
 */
function countRenewal(noted: NodeHealth, { saved, renewal, now }: HealthQuestion): NodeHealth {
  if (renewal === undefined) return { ...noted, renewal: undefined }
  const { renewedAt, seenAt } = renewal
  const counted = { ...noted, probeAt: now, renewal: renewedAt }
  if (saved === undefined || saved.renewal === 'forgotten') return counted
  if (noted.renewal === 'forgotten') return seenAt === now ? counted : noted
  if (saved.renewal !== undefined && renewedAt <= saved.renewal) return noted
  // Upstream's pass at `seenAt` would have counted it.
  return { ...counted, probeAt: Math.max(noted.probeAt, seenAt) }
}

function neverReady(node: Node): NodeCondition {
  const created = node.metadata.creationTimestamp
  const since = created === undefined ? {} : { lastHeartbeatTime: created, lastTransitionTime: created }
  return { type: 'Ready', status: 'Unknown', ...since }
}

function isUnknown(ready: NodeCondition | undefined): boolean {
  return ready?.status === 'Unknown'
}

function silencedConditions(node: Node, wall: number): readonly NodeCondition[] {
  const at = formatTime(wall)
  const before = node.status?.conditions ?? []
  const after = before.map((condition) => {
    if (!heartbeatConditions.includes(condition.type) || condition.status === 'Unknown') return condition
    return extended(condition, {
      status: 'Unknown' as const,
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
      lastTransitionTime: at,
    })
  })
  for (const type of heartbeatConditions) {
    if (before.some((condition) => condition.type === type)) continue
    const created = node.metadata.creationTimestamp
    after.push({
      type,
      status: 'Unknown',
      reason: 'NodeStatusNeverUpdated',
      message: 'Kubelet never posted node status.',
      ...(created === undefined ? {} : { lastHeartbeatTime: created }),
      lastTransitionTime: at,
    })
  }
  return after
}
