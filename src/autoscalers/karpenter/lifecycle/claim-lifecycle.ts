import { findCondition, isConditionTrue, isNodeReady } from '../../../api/conditions.ts'
import type { NodeClaim } from '../../../api/objects/karpenter.ts'
import type { Node, Taint } from '../../../api/objects/node.ts'
import { quantity, quantitySign } from '../../../api/quantity.ts'
import { formatTaint, sameTaint, withoutTaint } from '../../../api/taints.ts'
import { formatTime, parseTime } from '../../../api/time.ts'
import { DeadlineQueue } from '../../../base/deadline-queue.ts'
import type { RandomStream } from '../../../base/random.ts'
import type { View } from '../../../runtime/view.ts'
import type { KarpenterCloud } from '../cloud/karpenter-cloud.ts'
import type { Drafts } from '../drafts.ts'
import {
  doNotSyncTaintsLabel,
  initializedLabel,
  kwokGroup,
  kwokNodeClasses,
  nodeClaims,
  registeredLabel,
  terminationFinalizer,
  terminationTimestampAnnotation,
  unregisteredTaint,
} from '../names.ts'
import { durationOf } from '../node-pool.ts'
import { isEphemeral } from '../state/state-node.ts'
import { withClaimCondition } from '../status-conditions.ts'
import type { RegistrationHealth } from './registration-health.ts'

// v1.14, nodeclaim/lifecycle: a claim is not reconciled again for this time after a write, so that the write is
// observed.
const restMs = 1_000
const launchTimeoutMs = 5 * 60_000
const registrationTimeoutMs = 15 * 60_000

export interface LifecycleContext {
  readonly view: View
  readonly cloud: KarpenterCloud
  readonly drafts: Drafts
  readonly random: RandomStream
  /** The time from launch to Node of classes other than KWOKNodeClass. */
  readonly bootMs: number
  readonly health: RegistrationHealth
  readonly now: number
  readonly wall: number
  /** The node of a claim, by provider id. */
  nodeOf(claim: NodeClaim): Node | undefined
}

/** Launches the machines of claims, registers and initializes their nodes, and deletes both. */
export class ClaimLifecycle {
  private readonly dirty = new Set<string>()
  private readonly restsUntil = new Map<string, number>()
  private readonly wakes = new DeadlineQueue<string>()

  touch(claim: string): void {
    this.dirty.add(claim)
  }

  step(context: LifecycleContext): void {
    const { now, drafts } = context
    for (const name of this.wakes.popDue(now)) this.dirty.add(name)
    for (const name of this.dirty) {
      const until = this.restsUntil.get(name) ?? 0
      this.wakes.delete(name)
      if (until > now) {
        this.wakes.set(name, until)
        continue
      }
      const claim = drafts.get(nodeClaims, name)
      if (claim === undefined) this.restsUntil.delete(name)
      else if (this.reconcile(claim, context)) this.restsUntil.set(name, now + restMs)
    }
    this.dirty.clear()
  }

  nextAt(): number {
    return this.wakes.nextAt() ?? Number.POSITIVE_INFINITY
  }

  /** Returns whether the claim was written. */
  private reconcile(claim: NodeClaim, context: LifecycleContext): boolean {
    if (claim.metadata.deletionTimestamp !== undefined) {
      finalize(claim, context)
      return false
    }
    const { drafts } = context
    const launched = launch(withFinalizer(claim), context)
    if (launched === undefined) return false
    const next = initialize(register(launched, context), context)
    this.watchLiveness(next, context)
    if (next === claim) return false
    drafts.set(nodeClaims, next)
    return next.status !== claim.status
  }

  private watchLiveness(claim: NodeClaim, { view, drafts, health, wall, now }: LifecycleContext): void {
    if (isTrue(claim, 'Registered')) return
    const isLaunched = isTrue(claim, 'Launched')
    const since = parseTime(
      findCondition(claim.status?.conditions, isLaunched ? 'Registered' : 'Launched')?.lastTransitionTime,
    )
    const left = (since ?? wall) + (isLaunched ? registrationTimeoutMs : launchTimeoutMs) - wall
    if (left > 0) {
      this.wakes.set(claim.metadata.name, now + left)
      return
    }
    health.note(claim, false, { view, drafts, wall })
    drafts.delete(nodeClaims, claim)
    drafts.metrics.claimDisrupted(claim, isLaunched ? 'registration_timeout' : 'launch_timeout')
  }
}

function isTrue(claim: NodeClaim, type: string): boolean {
  return isConditionTrue(claim.status?.conditions, type)
}

function withFinalizer(claim: NodeClaim): NodeClaim {
  const finalizers = claim.metadata.finalizers ?? []
  if (finalizers.includes(terminationFinalizer)) return claim
  return { ...claim, metadata: { ...claim.metadata, finalizers: [...finalizers, terminationFinalizer] } }
}

/** Undefined if no machine can be launched. The claim is then deleted, and its pods are planned again. */
function launch(claim: NodeClaim, context: LifecycleContext): NodeClaim | undefined {
  if (isTrue(claim, 'Launched')) return claim
  const { cloud, drafts, now, wall, random } = context
  const launched = cloud.launch(claim, bootMsOf(claim, context), now, random)
  if (launched === undefined) {
    const message = `NodeClaim ${claim.metadata.name} event: insufficient capacity, no offering is available`
    drafts.event(claim, 'InsufficientCapacityError', message, { type: 'Warning' })
    drafts.delete(nodeClaims, claim)
    drafts.metrics.claimDisrupted(claim, 'insufficient_capacity')
    return undefined
  }
  const { node } = launched
  const next: NodeClaim = {
    ...claim,
    metadata: {
      ...claim.metadata,
      labels: { ...node.metadata.labels, ...claim.metadata.labels },
      annotations: { ...claim.metadata.annotations, ...node.metadata.annotations },
    },
    status: {
      ...claim.status,
      providerID: node.spec?.providerID ?? '',
      capacity: node.status?.capacity ?? {},
      allocatable: node.status?.allocatable ?? {},
    },
  }
  return withClaimCondition(next, { type: 'Launched', status: 'True' }, wall)
}

function bootMsOf({ spec }: NodeClaim, { view, bootMs }: LifecycleContext): number {
  if (spec.nodeClassRef.group !== kwokGroup) return bootMs
  return durationOf(view.get(kwokNodeClasses, spec.nodeClassRef.name)?.spec?.nodeRegistrationDelay) ?? 0
}

function register(claim: NodeClaim, { view, drafts, health, wall, nodeOf }: LifecycleContext): NodeClaim {
  if (isTrue(claim, 'Registered')) return claim
  const node = nodeOf(claim)
  if (node === undefined) {
    const message = 'Node not registered with cluster'
    return withClaimCondition(claim, { type: 'Registered', status: 'Unknown', reason: 'NodeNotFound', message }, wall)
  }
  drafts.set('nodes', synced(node, claim))
  const next = withClaimCondition(claim, { type: 'Registered', status: 'True' }, wall)
  drafts.metrics.nodeCreated(claim)
  health.note(claim, true, { view, drafts, wall })
  return { ...next, status: { ...next.status, nodeName: node.metadata.name } }
}

/** The node with all labels and taints of its claim, and without the taint that prevented pods until registration. */
function synced(node: Node, claim: NodeClaim): Node {
  const { metadata } = node
  const owner = {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    name: claim.metadata.name,
    uid: claim.metadata.uid ?? '',
    blockOwnerDeletion: true,
  }
  const finalizers = metadata.finalizers ?? []
  const own = node.spec?.taints ?? []
  const isSynced = metadata.labels?.[doNotSyncTaintsLabel] !== 'true'
  const wanted = isSynced ? [...(claim.spec.taints ?? []), ...(claim.spec.startupTaints ?? [])] : []
  const taints: Taint[] = [...withoutTaint(own, unregisteredTaint)]
  for (const taint of wanted) if (!taints.some((each) => sameTaint(each, taint))) taints.push(taint)
  return {
    ...node,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, ...claim.metadata.labels, [registeredLabel]: 'true' },
      annotations: { ...metadata.annotations, ...claim.metadata.annotations },
      finalizers: finalizers.includes(terminationFinalizer) ? finalizers : [...finalizers, terminationFinalizer],
      ownerReferences: [...(metadata.ownerReferences ?? []), owner],
    },
    spec: { ...node.spec, taints },
  }
}

function initialize(claim: NodeClaim, { drafts, wall, nodeOf }: LifecycleContext): NodeClaim {
  if (isTrue(claim, 'Initialized')) return claim
  const waits = (reason: string, message: string) =>
    withClaimCondition(claim, { type: 'Initialized', status: 'Unknown', reason, message }, wall)
  if (!isTrue(claim, 'Registered')) return waits('AwaitingReconciliation', 'object is awaiting reconciliation')
  const name = claim.status?.nodeName ?? ''
  const node = drafts.get('nodes', name) ?? nodeOf(claim)
  if (node === undefined) return waits('NodeNotFound', 'Node not registered with cluster')
  if (!isNodeReady(node)) return waits('NodeNotReady', 'Node status is NotReady')
  const taints = node.spec?.taints ?? []
  const startup = taints.find((taint) => claim.spec.startupTaints?.some((each) => sameTaint(each, taint)))
  if (startup !== undefined)
    return waits('StartupTaintsExist', `StartupTaint ${JSON.stringify(formatTaint(startup))} still exists`)
  const passing = taints.find(isEphemeral)
  if (passing !== undefined)
    return waits(
      'KnownEphemeralTaintsExist',
      `KnownEphemeralTaint ${JSON.stringify(formatTaint(passing))} still exists`,
    )
  const missing = Object.entries(claim.spec.resources?.requests ?? {}).find(
    ([resource, amount]) => isPositive(amount) && !isPositive(node.status?.allocatable?.[resource]),
  )
  if (missing !== undefined)
    return waits('ResourceNotRegistered', `Resource ${JSON.stringify(missing[0])} was requested but not registered`)
  const labels = { ...node.metadata.labels, [initializedLabel]: 'true' }
  drafts.set('nodes', { ...node, metadata: { ...node.metadata, labels } })
  return withClaimCondition(claim, { type: 'Initialized', status: 'True' }, wall)
}

function isPositive(amount: string | undefined): boolean {
  return amount !== undefined && quantitySign(quantity(amount)) !== 0
}

/** Deletes the node and then the machine of a claim that is being deleted. */
function finalize(claim: NodeClaim, { drafts, cloud, wall, nodeOf }: LifecycleContext): void {
  const { finalizers = [], annotations = {}, deletionTimestamp } = claim.metadata
  if (!finalizers.includes(terminationFinalizer)) return
  let next = claim
  const graceMs = durationOf(claim.spec.terminationGracePeriod)
  if (graceMs !== undefined && annotations[terminationTimestampAnnotation] === undefined) {
    const until = formatTime((parseTime(deletionTimestamp) ?? wall) + graceMs)
    const added = { ...annotations, [terminationTimestampAnnotation]: until }
    next = { ...next, metadata: { ...next.metadata, annotations: added } }
    drafts.event(claim, 'TerminationGracePeriodExpiring', `All pods will be deleted by ${until}`, { type: 'Warning' })
  }
  const node = isTrue(claim, 'Registered') ? nodeOf(claim) : undefined
  if (node !== undefined) {
    if (node.metadata.deletionTimestamp === undefined) drafts.delete('nodes', node)
    if (next !== claim) drafts.set(nodeClaims, next)
    return
  }
  cloud.cancel(claim.metadata.name)
  if ((claim.status?.providerID ?? '') !== '')
    next = withClaimCondition(next, { type: 'InstanceTerminating', status: 'True' }, wall)
  drafts.metrics.claimTerminated(claim, wall)
  const left = finalizers.filter((each) => each !== terminationFinalizer)
  drafts.set(nodeClaims, { ...next, metadata: { ...next.metadata, finalizers: left } })
}
