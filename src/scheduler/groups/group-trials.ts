import type { Random } from '../../base/random.ts'
import { type Attempt, type Attempts, type CycleLimits, unschedulableFailure } from '../attempt/attempt.ts'
import type { BindingCycles, Placement } from '../binding/binding-cycles.ts'
import type { KnownGroups, SchedulerContext } from '../context/context.ts'
import { type AttemptFailure, errored } from '../context/failure.ts'
import type { CycleResult, Explanation, PostFilterResult } from '../contract/contract.ts'
import { deepestHierarchy, minCountOf } from '../contract/groups.ts'
import { keepNomination } from '../contract/post-filter.ts'
import { type GroupStatus, groupErrorText, type PodOutcome, rejected } from './group-outcome.ts'
import { belowLevel, fittingLeaves, type GroupTree, leavesOf, type TreeResult, type TreeResults } from './group-tree.ts'
import { bestPlacement, scheduledPodsOf, topologyKeyOf, topologyPlacements } from './placements.ts'

/** Only the root of a hierarchy preempts. */
const silent: PostFilterResult = { status: { code: 'Unschedulable', reasons: [] }, nominating: keepNomination }

/** Reports whether enough pods or groups fit; `wait`: not yet, but some have not been tried. */
type Feasibility = { readonly kind: 'enough' } | { readonly kind: 'wait' | 'never'; readonly reason: string }

/** The result of a group, and the placements that are assumed for it: none if the group does not fit. */
interface Trial {
  readonly result: TreeResult
  readonly assumed: readonly Placement[]
}

/** The parts of the scheduler that a trial uses. */
export interface TrialSetting {
  readonly context: SchedulerContext
  readonly groups: KnownGroups
  readonly attempts: Attempts
  readonly bindings: BindingCycles
}

/**
 * Tries the pods of a hierarchy of groups in memory: a composite group fits if enough of its children do, a pod group if
 * enough of its pods do (v1.37, runRootSchedulingAlgorithm).
 */
export class GroupTrials {
  private readonly context: SchedulerContext
  private readonly groups: KnownGroups
  private readonly attempts: Attempts
  private readonly bindings: BindingCycles

  constructor({ context, groups, attempts, bindings }: TrialSetting) {
    this.context = context
    this.groups = groups
    this.attempts = attempts
    this.bindings = bindings
  }

  /** Tries the hierarchy and undoes all changes. A hierarchy that fits without any new pod is not schedulable. */
  run(root: GroupTree, random: Random): TreeResults {
    const results: TreeResults = new Map()
    const { result, assumed } = this.try(root, random, { skippedPostFilter: silent }, results)
    this.revert(assumed)
    if (result.status.kind === 'success' && !result.placesAny) {
      results.set(root.group.id, { ...result, status: rejected() })
    }
    return results
  }

  /**
   * Reports whether every pod still fits on the node that a trial found for it. Pods are assumed one after the other.
   */
  stillFit(assignments: readonly PodOutcome[], random: Random): boolean {
    const assumed: Placement[] = []
    const { ledger } = this.context.cache.cluster(this.context.objects).devices
    const fit = ledger.inGroupCycle(() =>
      assignments.every(({ attempt, node }) => {
        const limits: CycleLimits = { skippedPostFilter: silent, placement: new Set([node as string]) }
        const result = this.attempts.runCycle(attempt, random, limits)
        return result.kind === 'placed' && this.assume(attempt, result, assumed) === undefined
      }),
    )
    this.revert(assumed)
    return fit
  }

  private try(tree: GroupTree, random: Random, limits: CycleLimits, results: TreeResults): Trial {
    const { ledger } = this.context.cache.cluster(this.context.objects).devices
    if (tree.group.kind === 'compositepodgroup') {
      return this.inPlacements(tree, random, limits, results, (within, found) =>
        this.tryChildren(tree, random, within, found),
      )
    }
    return ledger.inGroupCycle(() => {
      if (!this.groups.features.placesByTopology) return this.tryPods(tree, random, limits, results)
      return this.inPlacements(tree, random, limits, results, (within, found) =>
        this.tryPods(tree, random, within, found),
      )
    })
  }

  /** Tries the group in every placement, and selects the best (v1.37, podGroupSchedulingPlacementAlgorithm). */
  private inPlacements(
    tree: GroupTree,
    random: Random,
    limits: CycleLimits,
    results: TreeResults,
    tryIn: (limits: CycleLimits, results: TreeResults) => Trial,
  ): Trial {
    const end = (status: GroupStatus): Trial => ended(results, { tree, pods: [], status, placesAny: false })
    const { cache, objects } = this.context
    const cluster = cache.cluster(objects)
    const within = limits.placement
    const nodes = within === undefined ? cluster.nodes : cluster.nodes.filter(({ name }) => within.has(name))
    const known = scheduledPodsOf(
      [...leavesOf(tree)].map(({ group }) => group.key),
      this.context,
    )
    const deep = topologyKeyOf(tree.group.object) === undefined ? undefined : belowLevel(tree, deepestHierarchy)
    if (deep !== undefined) {
      return end({ kind: 'error', message: `exceeded maximum hierarchy depth at ${deep.group.id}` })
    }
    const generated = topologyPlacements(tree.group.object, nodes, known)
    if (generated.kind === 'error') return end({ kind: 'error', message: generated.message })
    const { placements } = generated
    if (placements.length === 0) {
      return end({ kind: 'rejected', isGeneric: false, reasons: ['no feasible placements found'] })
    }
    const { metrics } = this.context
    const [one] = [...leavesOf(tree)].flatMap(({ attempts }) => attempts)
    const profile = one?.run.profile.schedulerName ?? ''
    // Upstream counts the placements of pod groups, and not those of composite groups.
    const isCounted = tree.group.kind === 'podgroup'
    if (isCounted) metrics.groups.placementsGenerated(profile, placements.length)
    const found: { readonly results: TreeResults; readonly pods: readonly PodOutcome[]; nodes: typeof nodes }[] = []
    let first: TreeResults | undefined
    for (const { nodes: names } of placements) {
      const own: TreeResults = new Map()
      const { result, assumed } = tryIn(names === undefined ? limits : { ...limits, placement: names }, own)
      this.revert(assumed)
      if (result.status.kind === 'error') return ended(results, result)
      first ??= own
      if (isCounted) {
        metrics.groups.placementEvaluated(result.status.kind === 'success' ? 'feasible' : 'infeasible', profile)
      }
      if (result.status.kind !== 'success') continue
      const pods = [...fittingLeaves(tree, own)].flatMap((leaf) => leaf.pods)
      found.push({ results: own, pods, nodes: names ? nodes.filter(({ name }) => names.has(name)) : nodes })
    }
    if (found.length === 0) {
      for (const [id, one] of first ?? []) results.set(id, one)
      const one = results.get(tree.group.id) as TreeResult
      const reason = `0/${placements.length} placements are available, first placement status: ${groupErrorText(one.status)}`
      return ended(results, { ...one, status: rejected(reason) })
    }
    const best = bestPlacement(found, known.length, random)
    // Other groups of the hierarchy take the placement of this group into account.
    const assumed = this.groups.features.composes ? this.assumeAll(best.pods) : []
    if (typeof assumed === 'string') {
      return end({ kind: 'error', message: `failed to assume the subtree: ${assumed}` })
    }
    for (const [id, one] of best.results) results.set(id, one)
    return { result: results.get(tree.group.id) as TreeResult, assumed }
  }

  /** Tries the children in order, as long as enough of them may fit (v1.37, compositePodGroupSchedulingDefaultAlgorithm). */
  private tryChildren(tree: GroupTree, random: Random, limits: CycleLimits, results: TreeResults): Trial {
    const minCount = minCountOf(tree.group)
    let scheduled = 0
    let remaining = tree.children.length
    let feasibility = feasibilityOf(minCount, scheduled, remaining)
    let placesAny = false
    const assumed: Placement[] = []
    for (const child of tree.children) {
      if (feasibility.kind === 'never') break
      const { result, assumed: ofChild } = this.try(child, random, limits, results)
      if (result.status.kind === 'error') {
        this.revert(assumed)
        const message = `composite pod group evaluation failed due to child error: ${result.status.message}`
        return ended(results, { tree, pods: [], status: { kind: 'error', message }, placesAny: false })
      }
      assumed.push(...ofChild)
      placesAny ||= result.placesAny
      remaining--
      if (result.status.kind === 'success') scheduled++
      feasibility = feasibilityOf(minCount, scheduled, remaining)
    }
    if (feasibility.kind === 'enough') {
      return ended(results, { tree, pods: [], status: { kind: 'success' }, placesAny }, assumed)
    }
    this.revert(assumed)
    const status: GroupStatus = {
      kind: 'rejected',
      isGeneric: feasibility.kind === 'wait',
      reasons: [feasibility.reason],
    }
    return ended(results, { tree, pods: [], status, placesAny: false })
  }

  /** Tries the pods in order, as long as enough of them may get a node (v1.37, podGroupSchedulingDefaultAlgorithm). */
  private tryPods(tree: GroupTree, random: Random, limits: CycleLimits, results: TreeResults): Trial {
    const minCount = minCountOf(tree.group)
    let scheduled = this.groups.states.counts(tree.group.key)?.scheduled ?? 0
    let remaining = tree.attempts.length
    let feasibility = feasibilityOf(minCount, scheduled, remaining)
    const pods: PodOutcome[] = []
    const assumed: Placement[] = []
    for (const attempt of tree.attempts) {
      if (feasibility.kind === 'never') break
      const outcome = this.tryPod(attempt, random, limits, assumed)
      pods.push(outcome)
      if (outcome.failure?.kind === 'error') {
        this.revert(assumed)
        const message = `failed to schedule other pod from a pod group: ${outcome.failure.message}`
        return ended(results, { tree, pods, status: { kind: 'error', message }, placesAny: false })
      }
      remaining--
      if (outcome.failure === undefined) scheduled++
      feasibility = feasibilityOf(minCount, scheduled, remaining)
    }
    if (feasibility.kind === 'enough') {
      return ended(results, { tree, pods, status: { kind: 'success' }, placesAny: assumed.length > 0 }, assumed)
    }
    this.revert(assumed)
    // The error of the group precedes the reason only if no pod was tried.
    const isGeneric = pods.length === 0
    const status: GroupStatus = { kind: 'rejected', isGeneric, reasons: [feasibility.reason] }
    return ended(results, { tree, pods, status, placesAny: false })
  }

  private tryPod(attempt: Attempt, random: Random, limits: CycleLimits, assumed: Placement[]): PodOutcome {
    const result = this.attempts.runCycle(attempt, random, limits)
    const seen = this.observe(attempt, result, random, limits)
    const failure = this.assume(attempt, result, assumed)
    if (failure !== undefined) return { attempt, result, seen, failure }
    return { attempt, result, seen, ...(result.kind === 'placed' ? { node: result.node } : {}) }
  }

  /** Lets plugins read the pod before it is assumed. */
  private observe(
    { queued: { parsed }, run }: Attempt,
    result: CycleResult,
    random: Random,
    limits: CycleLimits,
  ): ReadonlyMap<string, unknown> {
    const seen = new Map<string, unknown>()
    if (result.kind === 'error') return seen
    const { preFilter, postFilter } = run.profile
    const { cache, objects } = this.context
    const diagnosis = result.kind === 'unschedulable' ? result.diagnosis : undefined
    const endedBy = preFilter.findIndex(({ name }) => name === diagnosis?.preFilter?.plugin)
    let explained: Explanation | undefined
    // A placed pod has no diagnosis, and few pods need one.
    const rejectedBy = (node: string): string | undefined => {
      if (diagnosis !== undefined) return diagnosis.statusOf(node).plugin
      explained ??= run.scheduling.explain(parsed, { objects, random, ...limits })
      return explained.rejected.get(node)?.plugin
    }
    for (const { name, groupPostFilter } of postFilter) {
      if (groupPostFilter === undefined) continue
      if (endedBy >= 0 && preFilter.findIndex((plugin) => plugin.name === name) > endedBy) continue
      seen.set(name, groupPostFilter.observe(parsed, rejectedBy, cache.cluster(objects)))
    }
    return seen
  }

  private assume(attempt: Attempt, result: CycleResult, assumed: Placement[]): AttemptFailure | undefined {
    if (result.kind === 'error') return { ...errored(result.message), nominating: result.nominating }
    if (result.kind === 'unschedulable') return unschedulableFailure(result)
    const found = this.attempts.assume(attempt, result.node, result.states)
    if (found.kind === 'failed') return found.failure
    assumed.push(found.placement)
    return undefined
  }

  /** Assumes the pods that fit again. If one of them no longer fits, returns its error and assumes nothing. */
  private assumeAll(pods: readonly PodOutcome[]): readonly Placement[] | string {
    const assumed: Placement[] = []
    for (const { attempt, result, failure: known } of pods) {
      if (known !== undefined) continue
      const failure = this.assume(attempt, result, assumed)
      if (failure === undefined) continue
      this.revert(assumed)
      return failure.message
    }
    return assumed
  }

  private revert(assumed: readonly Placement[]): void {
    for (const placement of assumed.toReversed()) this.bindings.release(placement)
  }
}

function ended(results: TreeResults, result: TreeResult, assumed: readonly Placement[] = []): Trial {
  results.set(result.tree.group.id, result)
  return { result, assumed }
}

/** v1.37, plugins/gangscheduling PlacementFeasible. */
function feasibilityOf(minCount: number, scheduled: number, remaining: number): Feasibility {
  const count = `minCount (${minCount})`
  const progress = `${scheduled} scheduled, ${remaining} remaining`
  if (remaining + scheduled < minCount) return { kind: 'never', reason: `${count} cannot be satisfied: ${progress}` }
  if (scheduled < minCount) return { kind: 'wait', reason: `${count} is not yet satisfied: ${progress}` }
  return { kind: 'enough' }
}
