import type { NodePool } from '../../api/objects/karpenter.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { DeadlineQueue } from '../../base/deadline-queue.ts'
import type { RandomStream } from '../../base/random.ts'
import { podsToMove } from './disruption/simulate.ts'
import type { Drafts } from './drafts.ts'
import { nodeClaims, nodePools } from './names.ts'
import type { KarpenterOptions } from './options.ts'
import { amountsOf } from './scheduling/amounts.ts'
import { type ClaimPlan, claimOf } from './scheduling/claim-template.ts'
import type { SchedulingResults } from './scheduling/pod-scheduler.ts'
import { schedulePods } from './scheduling/schedule-pods.ts'
import { ignoredPods, pendingPods, type Situation } from './situation.ts'

// v1.14, provisioning: pods and disrupted nodes trigger a new plan again after ten seconds.
const repeatMs = 10_000

/** Collects triggers for a short time, and then starts one plan for all of them. */
export class Batcher {
  private readonly options: KarpenterOptions
  private readonly triggered = new Set<string>()
  private readonly repeats = new DeadlineQueue<string>()
  private window: { readonly maxAt: number; idleAt: number } | undefined

  constructor(options: KarpenterOptions) {
    this.options = options
  }

  /** Records that something needs a node, from now until `release`. */
  trigger(id: string, now: number): void {
    this.repeats.set(id, now + repeatMs)
    if (this.triggered.has(id)) return
    this.triggered.add(id)
    const { batchIdleMs, batchMaxMs } = this.options
    if (this.window === undefined) this.window = { maxAt: now + batchMaxMs, idleAt: now + batchIdleMs }
    else this.window.idleAt = now + batchIdleMs
  }

  release(id: string): void {
    this.repeats.delete(id)
  }

  /** Reports whether a window ends now. */
  takeDue(now: number): boolean {
    for (const id of this.repeats.popDue(now)) this.trigger(id, now)
    if (this.window === undefined || Math.min(this.window.maxAt, this.window.idleAt) > now) return false
    this.window = undefined
    this.triggered.clear()
    return true
  }

  nextAt(): number {
    const next = this.window === undefined ? Number.POSITIVE_INFINITY : Math.min(this.window.maxAt, this.window.idleAt)
    return Math.min(next, this.repeats.nextAt() ?? next)
  }
}

/** Plans for pending pods and for pods of terminating nodes, and creates the claims. */
export function provision(situation: Situation, drafts: Drafts, random: RandomStream): void {
  const { lists } = situation.state
  const pods = [...pendingPods(situation), ...podsToMove(lists.leaving, situation)]
  drafts.metrics.ignored(ignoredPods(situation))
  if (pods.length === 0) return
  const { failures } = situation.state
  const results = schedulePods(situation, { pods, reservedMode: 'strict', failures })
  if (results === undefined) return
  drafts.metrics.planned([...results.errors.values()].filter(({ misfit }) => misfit.isReserved !== true).length)
  if (results.errors.size === 0) failures.clear()
  for (const { pod, misfit } of results.errors.values()) {
    if (misfit.isReserved !== true)
      drafts.event(pod, 'FailedScheduling', () => `Failed to schedule pod, ${misfit.reason()}`, { type: 'Warning' })
  }
  nominate(results, situation, drafts)
  createClaims(results.claims, situation, drafts, random, { reason: 'provisioned', notesPods: true })
}

/** Nodes with planned pods are not disrupted for some time. */
export function nominate({ existing }: SchedulingResults, { options, now }: Situation, drafts: Drafts): void {
  const windowMs = Math.max(2 * options.batchMaxMs, 10_000)
  for (const { state, pods } of existing) {
    if (pods.length === 0) continue
    state.nominatedUntil = now + windowMs
    const names = [
      state.claim === undefined ? [] : `nodeclaim/${state.claim.metadata.name}`,
      state.node === undefined ? [] : `node/${state.node.metadata.name}`,
    ].flat()
    for (const pod of pods) noteNomination(pod, names.join(', '), drafts)
  }
}

function noteNomination(pod: Pod, where: string, drafts: Drafts): void {
  drafts.event(pod, 'Nominated', `Pod should schedule on: ${where}`)
}

/** Creates the claims of pools within their limits, and returns their names. */
export function createClaims(
  claims: readonly ClaimPlan[],
  situation: Situation,
  drafts: Drafts,
  random: RandomStream,
  { reason, notesPods = false }: { readonly reason: string; readonly notesPods?: boolean },
): readonly (string | undefined)[] {
  const { view, cloud, state } = situation
  return claims.map((planned) => {
    const pool = view.get(nodePools, planned.template.pool.metadata.name)
    if (pool === undefined || exceedsLimits(pool, situation)) return undefined
    const made = claimOf(planned, cloud.catalog.wellKnown)
    const name = `${pool.metadata.name}-${random.alphanumeric(5)}`
    const { generateName, ...metadata } = made.metadata
    drafts.create(nodeClaims, { ...made, metadata: { ...metadata, name, ...(generateName ? { generateName } : {}) } })
    state.expectClaim(name)
    drafts.metrics.claimCreated(made, reason)
    if (notesPods) for (const pod of planned.pods) noteNomination(pod, `nodeclaim/${name}`, drafts)
    return name
  })
}

function exceedsLimits({ metadata, spec }: NodePool, { state }: Situation): boolean {
  const limits = amountsOf(spec.limits)
  if (limits.size === 0) return false
  const used = new Map<string, number>()
  for (const node of state.nodes) {
    if (node.pool !== metadata.name || node.isLeaving) continue
    for (const [name, amount] of node.capacity) used.set(name, (used.get(name) ?? 0) + amount)
  }
  return [...limits].some(([name, limit]) => (used.get(name) ?? 0) > limit)
}
