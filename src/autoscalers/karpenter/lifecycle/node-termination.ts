import { findCondition, isNodeReady } from '../../../api/conditions.ts'
import type { NodeClaim } from '../../../api/objects/karpenter.ts'
import type { Node } from '../../../api/objects/node.ts'
import type { Pod } from '../../../api/objects/pod.ts'
import { withTaint } from '../../../api/taints.ts'
import { parseTime } from '../../../api/time.ts'
import { DeadlineQueue } from '../../../base/deadline-queue.ts'
import type { View } from '../../../runtime/view.ts'
import type { Drafts } from '../drafts.ts'
import {
  disruptedTaint,
  kwokGroup,
  nodeClaims,
  terminationFinalizer,
  terminationTimestampAnnotation,
} from '../names.ts'
import { isDaemon, isEvictable, isTerminating, isWaitingEviction } from '../state/pod-conditions.ts'
import { type ConditionChange, withClaimCondition } from '../status-conditions.ts'
import type { EvictionQueue } from './eviction-queue.ts'

// v1.14, node/termination: the drain is checked every second and takes at least five seconds, so that pods that were
// bound before the scheduler saw the taint are also evicted.
const pollMs = 1_000
const leastDrainMs = 5_000

export interface TerminationContext {
  readonly view: View
  readonly drafts: Drafts
  readonly evictions: EvictionQueue
  readonly now: number
  readonly wall: number
  claimOf(node: Node): NodeClaim | undefined
  /** Reports whether the cloud has reclaimed the machine. */
  isGone(providerID: string): boolean
}

/** Drains nodes that are being deleted, and removes their finalizer. */
export class NodeTermination {
  /** The time of the next check of each node. */
  private readonly due = new DeadlineQueue<string>()

  touch(node: Node, now: number): void {
    const { name, deletionTimestamp, finalizers } = node.metadata
    if (deletionTimestamp === undefined || !(finalizers?.includes(terminationFinalizer) ?? false)) return
    if (!this.due.has(name)) this.due.set(name, now)
  }

  step(context: TerminationContext): void {
    const { now, view } = context
    for (const name of this.due.popDue(now)) {
      const node = context.drafts.get('nodes', name)
      const isGone = node === undefined || view.get('nodes', name) === undefined || finalize(node, context)
      if (!isGone) this.due.set(name, now + pollMs)
    }
  }

  nextAt(): number {
    return this.due.nextAt() ?? Number.POSITIVE_INFINITY
  }
}

/** Returns whether the node is deleted. */
function finalize(node: Node, context: TerminationContext): boolean {
  const { drafts, wall } = context
  const claim = context.claimOf(node)
  if (claim !== undefined && claim.metadata.deletionTimestamp === undefined) drafts.delete(nodeClaims, claim)
  // For a node that is being deleted, the kwok provider reports that its machine does not exist.
  const isKwok = claim?.spec.nodeClassRef.group === kwokGroup
  const isGone = isKwok || context.isGone(node.spec?.providerID ?? '')
  if (isGone && !isNodeReady(node)) return release(node, context)
  const taints = withTaint(node.spec?.taints, disruptedTaint)
  if (taints !== node.spec?.taints) drafts.set('nodes', { ...node, spec: { ...node.spec, taints } })
  const until = parseTime(claim?.metadata.annotations?.[terminationTimestampAnnotation])
  const waiting = drain(node, until, context)
  const drained = claim === undefined ? undefined : findCondition(claim.status?.conditions, 'Drained')
  if (claim !== undefined && drained === undefined)
    setCondition(claim, { type: 'Drained', status: 'Unknown', reason: 'Draining', message: 'Draining' }, context)
  if (waiting > 0) {
    drafts.event(node, 'FailedDraining', `Failed to drain node, ${waiting} pods are waiting to be evicted`, {
      type: 'Warning',
    })
    return false
  }
  const since = parseTime(drained?.lastTransitionTime)
  if (claim !== undefined && drained?.status !== 'True') {
    if (since === undefined || wall - since < leastDrainMs) return false
    setCondition(claim, { type: 'Drained', status: 'True' }, context)
    drafts.metrics.nodeDrained(node)
  }
  const isAttached = hasAttachments(node, context)
  const hasTime = until === undefined || wall <= until
  if (claim !== undefined) setCondition(claim, detachment(isAttached, hasTime), context)
  if (isAttached && hasTime) return false
  if (claim !== undefined) setCondition(claim, { type: 'InstanceTerminating', status: 'True' }, context)
  return release(context.drafts.get('nodes', node.metadata.name) ?? node, context)
}

function detachment(isAttached: boolean, hasTime: boolean): ConditionChange {
  const type = 'VolumesDetached'
  if (!isAttached) return { type, status: 'True' }
  const reason = hasTime ? 'AwaitingVolumeDetachment' : 'TerminationGracePeriodElapsed'
  return { type, status: hasTime ? 'Unknown' : 'False', reason, message: reason }
}

function setCondition(claim: NodeClaim, condition: ConditionChange, { drafts, wall }: TerminationContext): void {
  const now = drafts.get(nodeClaims, claim.metadata.name) ?? claim
  drafts.set(nodeClaims, withClaimCondition(now, condition, wall))
}

function release(node: Node, { drafts, wall }: TerminationContext): boolean {
  const finalizers = (node.metadata.finalizers ?? []).filter((each) => each !== terminationFinalizer)
  drafts.set('nodes', { ...node, metadata: { ...node.metadata, finalizers } })
  drafts.metrics.nodeTerminated(node, wall)
  return true
}

/** Evicts the next group of pods, and returns the number of remaining pods. */
function drain(node: Node, until: number | undefined, context: TerminationContext): number {
  const { view, drafts, evictions, now, wall } = context
  const pods = view.podsOn(node.metadata.name).filter((pod) => isWaitingEviction(pod, wall))
  if (until !== undefined) for (const pod of pods) deleteInTime(pod, until, context)
  if (pods.length === 0) return 0
  const claim = context.claimOf(node)
  const cause = findCondition(claim?.status?.conditions, 'DisruptionReason')
  const reason = cause?.status === 'True' ? (cause.reason ?? '') : 'Forceful Termination'
  const groups = pods.map(groupOf)
  const next = Math.min(...groups)
  for (const [at, pod] of pods.entries())
    if (groups[at] === next && isEvictable(pod, wall)) evictions.add(pod, reason, now)
  evictions.step(view, drafts, now)
  return pods.length
}

const critical: ReadonlySet<string> = new Set(['system-cluster-critical', 'system-node-critical'])
const isCritical = ({ spec }: Pod): boolean => critical.has(spec.priorityClassName ?? '')

/** As in a graceful node shutdown, a group is evicted only after the previous groups are deleted. */
const groupOf = (pod: Pod): number => (isCritical(pod) ? 2 : 0) + (isDaemon(pod) ? 1 : 0)

/**
 * Deletes a pod early enough that its grace period ends with the grace period of the node. Budgets do not prevent it.
 */
function deleteInTime(pod: Pod, until: number, { drafts, wall }: TerminationContext): void {
  const graceMs = (pod.spec.terminationGracePeriodSeconds ?? 30) * 1000
  const deleted = parseTime(pod.metadata.deletionTimestamp)
  const isLate = deleted !== undefined && deleted > until
  if ((isTerminating(pod) && !isLate) || wall <= until - graceMs) return
  const seconds = Math.max(1, Math.trunc((until - wall) / 1000))
  drafts.delete('pods', pod, seconds)
}

/** Volumes of drained pods are detached before the machine is deleted. */
function hasAttachments(node: Node, { view, wall }: TerminationContext): boolean {
  const { name } = node.metadata
  const attached = view.list('volumeattachments.storage.k8s.io').filter(({ spec }) => spec.nodeName === name)
  if (attached.length === 0) return false
  const staying = view.podsOn(name).filter((pod) => !isWaitingEviction(pod, wall))
  const kept = new Set(
    staying.flatMap((pod) =>
      (pod.spec.volumes ?? []).flatMap(({ persistentVolumeClaim }) => {
        const key = `${pod.metadata.namespace ?? 'default'}/${persistentVolumeClaim?.claimName ?? ''}`
        return view.get('persistentvolumeclaims', key)?.spec.volumeName ?? []
      }),
    ),
  )
  return attached.some(({ spec }) => {
    const volume = spec.source?.persistentVolumeName
    return volume !== undefined && !kept.has(volume)
  })
}
