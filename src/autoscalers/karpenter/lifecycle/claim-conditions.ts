import { findCondition, isConditionTrue } from '../../../api/conditions.ts'
import type { ClaimRequirement, NodeClaim, NodePool } from '../../../api/objects/karpenter.ts'
import type { StringMap } from '../../../api/objects/meta.ts'
import type { Pod } from '../../../api/objects/pod.ts'
import { formatTime, parseTime } from '../../../api/time.ts'
import { labels } from '../../../api/well-known.ts'
import { DeadlineQueue } from '../../../base/deadline-queue.ts'
import type { Change } from '../../../runtime/controller.ts'
import type { View } from '../../../runtime/view.ts'
import type { Catalog } from '../catalog/instance-type.ts'
import type { Drafts } from '../drafts.ts'
import { hashAnnotation, hashVersionAnnotation, nodeClaims, nodePoolLabel, nodePools } from '../names.ts'
import { consolidateAfterOf, durationOf, isStatic } from '../node-pool.ts'
import { Requirement } from '../scheduling/requirement.ts'
import { Requirements } from '../scheduling/requirements.ts'
import { isDaemon, isTerminal } from '../state/pod-conditions.ts'
import { withClaimCondition, withoutClaimCondition } from '../status-conditions.ts'

const podEventMs = 10_000
const recheckMs = 5 * 60_000
const typeCheckAgeMs = 60 * 60_000
const mostKnown = 1_000

/** Sets the conditions of drift, consolidation and expiration of claims (v1.14, nodeclaim/disruption, expiration). */
export class ClaimConditions {
  private readonly dirty = new Set<string>()
  private readonly wakes = new DeadlineQueue<string>()
  private readonly matches: KnownMatches = new Map()

  touch(claim: string): void {
    this.dirty.add(claim)
  }

  step(view: View, drafts: Drafts, catalog: Catalog, now: number, wall: number): void {
    for (const name of this.wakes.popDue(now)) this.dirty.add(name)
    for (const name of this.dirty) {
      this.wakes.delete(name)
      const claim = drafts.get(nodeClaims, name)
      if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) continue
      const wait = this.reconcile(claim, view, drafts, catalog, wall)
      if (Number.isFinite(wait)) this.wakes.set(name, now + wait)
    }
    this.dirty.clear()
  }

  nextAt(): number {
    return this.wakes.nextAt() ?? Number.POSITIVE_INFINITY
  }

  /** The time until the result may change. */
  private reconcile(claim: NodeClaim, view: View, drafts: Drafts, catalog: Catalog, wall: number): number {
    const expiresIn = untilExpired(claim, wall)
    if (expiresIn <= 0) {
      drafts.delete(nodeClaims, claim)
      drafts.metrics.claimDisrupted(claim, 'expired')
      return Number.POSITIVE_INFINITY
    }
    const pool = view.get(nodePools, claim.metadata.labels?.[nodePoolLabel] ?? '')
    if (pool === undefined) return expiresIn
    const drifted = withDrift(claim, pool, catalog, wall, this.matches)
    const { claim: next, wait } = isStatic(pool)
      ? { claim: drifted, wait: Number.POSITIVE_INFINITY }
      : withConsolidatable(drifted, pool, wall)
    if (next !== claim) drafts.set(nodeClaims, next)
    return Math.min(expiresIn, wait, recheckMs)
  }
}

function untilExpired({ metadata, spec }: NodeClaim, wall: number): number {
  const after = durationOf(spec.expireAfter)
  const created = parseTime(metadata.creationTimestamp)
  return after === undefined || created === undefined ? Number.POSITIVE_INFINITY : created + after - wall
}

function withDrift(claim: NodeClaim, pool: NodePool, catalog: Catalog, wall: number, known: KnownMatches): NodeClaim {
  const isLaunched = isConditionTrue(claim.status?.conditions, 'Launched')
  const reason = isLaunched ? driftReason(claim, pool, catalog, wall, known) : undefined
  if (reason === undefined) return withoutClaimCondition(claim, 'Drifted')
  return withClaimCondition(claim, { type: 'Drifted', status: 'True', reason, message: reason }, wall)
}

/** The difference between the node and a new node of its pool. */
export function driftReason(
  claim: NodeClaim,
  pool: NodePool,
  catalog: Catalog,
  wall: number,
  known: KnownMatches = new Map(),
): string | undefined {
  const { labels: own = {}, annotations = {} } = claim.metadata
  const wanted = pool.metadata.annotations ?? {}
  const hash = annotations[hashAnnotation]
  const wantedHash = wanted[hashAnnotation]
  const version = annotations[hashVersionAnnotation]
  const isSameVersion = version !== undefined && version === wanted[hashVersionAnnotation]
  if (isSameVersion && hash !== undefined && wantedHash !== undefined && hash !== wantedHash) return 'NodePoolDrifted'
  if (!meets(own, pool.spec.template.spec.requirements, known)) return 'RequirementsDrifted'
  if (wall - (parseTime(claim.metadata.creationTimestamp) ?? wall) <= typeCheckAgeMs) return undefined
  return isKnownOffered(own, catalog) ? undefined : 'InstanceTypeNotFound'
}

// The labels of a claim and the catalog rarely change.
const offered = new WeakMap<Catalog, WeakMap<StringMap, boolean>>()

function isKnownOffered(own: StringMap, catalog: Catalog): boolean {
  let known = offered.get(catalog)
  if (known === undefined) {
    known = new WeakMap()
    offered.set(catalog, known)
  }
  let answer = known.get(own)
  if (answer === undefined) {
    answer = isOffered(own, Requirements.fromLabels(own), catalog)
    known.set(own, answer)
  }
  return answer
}

/** Cached results by requirements. Labels of claims rarely change. */
type KnownMatches = Map<readonly ClaimRequirement[] | undefined, WeakMap<StringMap, boolean>>

function meets(own: StringMap, wanted: readonly ClaimRequirement[] | undefined, known: KnownMatches): boolean {
  let matches = known.get(wanted)
  if (matches === undefined) {
    // Only the current requirements of each pool are needed.
    if (known.size > mostKnown) known.clear()
    matches = new WeakMap()
    known.set(wanted, matches)
  }
  const before = matches.get(own)
  if (before !== undefined) return before
  const isMet = Requirements.fromLabels(own).isCompatible(Requirements.fromFields(wanted))
  matches.set(own, isMet)
  return isMet
}

function isOffered(own: StringMap, labeled: Requirements, catalog: Catalog): boolean {
  const type = catalog.byName.get(own[labels.instanceType] ?? '')
  const capacityType = 'karpenter.sh/capacity-type'
  // Reserved capacity may have become on-demand capacity.
  const wanted =
    own[capacityType] === 'reserved'
      ? labeled.replacing(Requirement.in(capacityType, ['reserved', 'on-demand']))
      : labeled
  return type?.offerings.some(({ requirements }) => wanted.isCompatible(requirements, catalog.wellKnown)) ?? false
}

function withConsolidatable(claim: NodeClaim, pool: NodePool, wall: number) {
  const without = (wait: number) => ({ claim: withoutClaimCondition(claim, 'Consolidatable'), wait })
  const after = consolidateAfterOf(pool)
  const initialized = findCondition(claim.status?.conditions, 'Initialized')
  if (after === undefined || initialized?.status !== 'True') return without(Number.POSITIVE_INFINITY)
  const since = parseTime(claim.status?.lastPodEventTime) ?? parseTime(initialized.lastTransitionTime) ?? wall
  const wait = since + after - wall
  if (after > 0 && wait > 0) return without(wait)
  const set = withClaimCondition(claim, { type: 'Consolidatable', status: 'True' }, wall)
  return { claim: set, wait: Number.POSITIVE_INFINITY }
}

/** Pods that are bound, end or are deleted delay the consolidation of a node. Returns the claim of the node. */
export function notePodEvent(
  change: Extract<Change, { resource: 'pods' }>,
  claimOf: (node: string) => NodeClaim | undefined,
  drafts: Drafts,
  wall: number,
): void {
  const { before, after } = change
  if (after === undefined || (after.spec.nodeName ?? '') === '' || isDaemon(after)) return
  if (!isPodEvent(before, after)) return
  const claim = claimOf(after.spec.nodeName as string)
  const last = parseTime(claim?.status?.lastPodEventTime)
  if (claim === undefined || (last !== undefined && wall - last < podEventMs)) return
  drafts.set(nodeClaims, { ...claim, status: { ...claim.status, lastPodEventTime: formatTime(wall) } })
}

function isPodEvent(before: Pod | undefined, after: Pod): boolean {
  if (before === undefined) return true
  const isBound = (before.spec.nodeName ?? '') === ''
  const isEnding = before.metadata.deletionTimestamp === undefined && after.metadata.deletionTimestamp !== undefined
  return isBound || isEnding || (!isTerminal(before) && isTerminal(after))
}
