import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { ObjectReader } from '../../scheduler/contract/contract.ts'
import type { ClusterSnapshot } from '../simulation/cluster-snapshot.ts'
import { HintingSimulator } from '../simulation/hinting-simulator.ts'
import { type BlockingReason, BudgetTracker, type DrainContext, podsToMove } from './drainability.ts'
import type { NodeCloud } from './node-cloud.ts'
import type { NodeGroups } from './node-group.ts'
import { readinessOf } from './node-readiness.ts'
import type { AutoscalerOptions } from './options.ts'
import { ResourceLimits } from './resource-limits.ts'
import { hasTaintKey, timedTaint, toBeDeletedTaint } from './taints.ts'
import { gpuResource, utilizationOf } from './utilization.ts'

/** The reason why a node is not removed (1.36, simulator UnremovableReason). */
export type UnremovableReason =
  | 'CurrentlyBeingDeleted'
  | 'ScaleDownDisabledAnnotation'
  | 'ScaleDownUnreadyDisabled'
  | 'NotUnderutilized'
  | 'NotUnneededLongEnough'
  | 'NotUnreadyLongEnough'
  | 'NodeGroupMinSizeReached'
  | 'NotAutoscaled'
  | 'MinimalResourceLimitExceeded'
  | 'RecentlyUnremovable'
  | 'NoPlaceToMovePods'
  | 'BlockedByPod'
  | 'BlockedByOnCompletionPod'
  | 'UnexpectedError'

export interface Unremovable {
  readonly node: string
  readonly reason: UnremovableReason
  readonly blockedBy?: { readonly pod: Pod; readonly reason: BlockingReason }
  readonly utilization?: number
}

/** A node that the cluster does not need. */
interface RemovableNode {
  readonly node: Node
  readonly pods: readonly Pod[]
  readonly isWaiting: boolean
  /** Set if not all of its pods can be evicted at the same time. */
  readonly isRisky: boolean
}

interface Unneeded extends RemovableNode {
  readonly since: number
}

export interface PlannerInput {
  readonly nodes: readonly Node[]
  readonly snapshot: ClusterSnapshot
  readonly objects: ObjectReader
  readonly budgets: BudgetTracker
  readonly deleting: ReadonlySet<string>
  /** Evicted pods whose replacements do not exist yet. */
  readonly evicted: readonly Pod[]
  readonly now: number
  readonly wall: number
}

const noScaleDown = 'cluster-autoscaler.kubernetes.io/scale-down-disabled'

/** Finds unneeded nodes and remembers since when they have been unneeded (1.36, core/scaledown/planner). */
export class ScaleDownPlanner {
  private readonly options: AutoscalerOptions
  private readonly groups: NodeGroups
  private readonly cloud: NodeCloud
  private readonly removals = new HintingSimulator()
  private readonly injections = new HintingSimulator()
  private unneeded = new Map<string, Unneeded>()
  /** The times until which nodes are not tried again after their removal failed in a simulation. */
  private readonly retryAt = new Map<string, number>()
  private reasons = new Map<string, Unremovable>()
  private ratios = new Map<string, number>()
  private lastUpdate: number | undefined
  private shortestLoopMs: number

  constructor(options: AutoscalerOptions, groups: NodeGroups, cloud: NodeCloud) {
    this.options = options
    this.groups = groups
    this.cloud = cloud
    this.shortestLoopMs = Math.max(1, options['scale-down-unneeded-time'])
  }

  /** The reasons why nodes are not removed, as of the last loop. */
  get unremovable(): ReadonlyMap<string, Unremovable> {
    return this.reasons
  }

  /** The requested share of nodes, as of the last loop in which they were candidates. */
  get utilization(): ReadonlyMap<string, number> {
    return this.ratios
  }

  get unneededNodes(): readonly Node[] {
    return [...this.unneeded.values()].map(({ node }) => node)
  }

  /** The time at which a node is tried again after its removal failed in a simulation. */
  get nextRetryAt(): number {
    return Math.min(Number.POSITIVE_INFINITY, ...this.retryAt.values())
  }

  unneededSince(node: string): number | undefined {
    return this.unneeded.get(node)?.since
  }

  forgetUnneeded(): void {
    this.unneeded = new Map()
  }

  candidates(nodes: readonly Node[]): readonly Node[] {
    return nodes.filter((node) => {
      const group = this.groups.of(node)
      return group !== undefined && this.cloud.targetOf(group) > group.min
    })
  }

  update(input: PlannerInput): void {
    const { snapshot, nodes, deleting, now } = input
    if (this.lastUpdate !== undefined)
      this.shortestLoopMs = Math.max(1, Math.min(this.shortestLoopMs, now - this.lastUpdate))
    this.lastUpdate = now
    this.reasons = new Map()
    this.ratios = new Map()
    snapshot.fork()
    try {
      this.injections.trySchedule(snapshot, input.evicted, { breakOnFailure: true, isAcceptable: () => true })
      const destinations = new Set(nodes.map(({ metadata }) => metadata.name).filter((name) => !deleting.has(name)))
      const candidates = this.candidates(nodes).filter(({ metadata }) => !deleting.has(metadata.name))
      this.categorize(this.sorted(candidates, input), destinations, input)
    } finally {
      snapshot.revert()
    }
    this.removals.dropOldHints()
    this.injections.dropOldHints()
  }

  /** The nodes to delete now: those without pods to move, and those to drain. */
  nodesToDelete(input: PlannerInput, deletionsIn: (group: string) => number) {
    // Upcoming nodes count as well.
    const limits = new ResourceLimits(
      this.options,
      input.snapshot.nodes.map(({ node }) => node),
    )
    const sizes = new Map(this.groups.all.map((group) => [group.name, this.cloud.targetOf(group)]))
    const empty: Node[] = []
    const drain: Unneeded[] = []
    // Upstream uses the order of a map; here it is the order of the nodes.
    const unneededNodes = input.nodes.flatMap(({ metadata }) => this.unneeded.get(metadata.name) ?? [])
    const inOrder = unneededNodes.sort((a, b) => Math.min(a.pods.length, 1) - Math.min(b.pods.length, 1))
    for (const unneeded of inOrder) {
      const { node, pods } = unneeded
      const reason = this.keepReason(unneeded, { limits, sizes, deletionsIn, now: input.now })
      if (reason !== undefined) this.reasons.set(node.metadata.name, { node: node.metadata.name, reason })
      else if (pods.length === 0) empty.push(node)
      else drain.push(unneeded)
    }
    const byRisk = [...drain.filter(({ isRisky }) => !isRisky), ...drain.filter(({ isRisky }) => isRisky)]
    return { empty, drain: byRisk.map(({ node }) => node) }
  }

  private keepReason(
    { node, since, isWaiting }: Unneeded,
    {
      limits,
      sizes,
      deletionsIn,
      now,
    }: {
      limits: ResourceLimits
      sizes: Map<string, number>
      deletionsIn: (group: string) => number
      now: number
    },
  ): UnremovableReason | undefined {
    const { options } = this
    const { isReady } = readinessOf(node)
    const waitMs = options[isReady ? 'scale-down-unneeded-time' : 'scale-down-unready-time']
    if (waitMs > 0 && since + waitMs >= now) return isReady ? 'NotUnneededLongEnough' : 'NotUnreadyLongEnough'
    const group = this.groups.of(node)
    if (group === undefined) return 'NotAutoscaled'
    const size = sizes.get(group.name) ?? 0
    if (size - deletionsIn(group.name) <= group.min) return 'NodeGroupMinSizeReached'
    if (!limits.canRemove(node)) return 'MinimalResourceLimitExceeded'
    limits.add(node, -1)
    sizes.set(group.name, size - 1)
    return isWaiting ? 'BlockedByOnCompletionPod' : undefined
  }

  /** Sorts empty nodes first, then nodes that were already unneeded. */
  private sorted(nodes: readonly Node[], input: PlannerInput): readonly Node[] {
    const context: DrainContext = {
      options: this.options,
      budgets: new BudgetTracker([], neverCalled),
      wall: input.wall,
    }
    const rank = ({ metadata: { name } }: Node): number => {
      const moving = podsToMove(input.snapshot.podsOn(name), context)
      const isEmpty = moving.kind === 'movable' && moving.pods.length === 0
      const isWaiting = moving.kind === 'movable' && moving.onCompletion.length > 0
      return (isEmpty ? 0 : 4) + (isEmpty && isWaiting ? 2 : 0) + (this.unneeded.has(name) ? 0 : 1)
    }
    return nodes
      .map((node) => ({ node, rank: rank(node) }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ node }) => node)
  }

  private categorize(candidates: readonly Node[], destinations: Set<string>, input: PlannerInput): void {
    const { now } = input
    const removable: RemovableNode[] = []
    for (const [name, until] of this.retryAt)
      if (until <= now || input.snapshot.node(name) === undefined) this.retryAt.delete(name)
    const most = this.mostUnneeded()
    // The utilization is computed before pods move in the simulation.
    const eligible = candidates.filter((node) => {
      const kept = this.ineligible(node, input)
      if (kept !== undefined) this.reasons.set(node.metadata.name, kept)
      return kept === undefined
    })
    for (const node of eligible) {
      const { name } = node.metadata
      if (removable.length >= most) break
      const outcome = this.tryRemoval(node, destinations, input)
      if ('reason' in outcome) {
        this.reasons.set(name, outcome)
        this.retryAt.set(name, now + this.options['unremovable-node-recheck-timeout'])
        continue
      }
      destinations.delete(name)
      input.budgets.remove(outcome.pods)
      removable.push(outcome)
    }
    this.unneeded = new Map(
      removable.map((one) => [
        one.node.metadata.name,
        { ...one, since: this.unneeded.get(one.node.metadata.name)?.since ?? now },
      ]),
    )
  }

  /**
   * The limit of unneeded nodes: nodes that cannot be deleted soon are not searched for (1.36, planner
   * unneededNodesLimit).
   */
  private mostUnneeded(): number {
    const parallel = this.options['max-scale-down-parallelism']
    const waitMs = Math.max(this.options['scale-down-unneeded-time'], this.shortestLoopMs)
    const upper = parallel * Math.floor(waitMs / this.shortestLoopMs) + parallel
    return Math.min(upper, this.unneeded.size + 2 * parallel)
  }

  private ineligible(node: Node, { snapshot, wall }: PlannerInput): Unremovable | undefined {
    const { options } = this
    const { name } = node.metadata
    const because = (reason: UnremovableReason, utilization?: number): Unremovable => ({
      node: name,
      reason,
      ...(utilization === undefined ? {} : { utilization }),
    })
    const state = snapshot.node(name)
    if (state === undefined) return because('UnexpectedError')
    if (this.retryAt.has(name)) return because('RecentlyUnremovable')
    if (hasTaintKey(node, toBeDeletedTaint)) return because('CurrentlyBeingDeleted')
    if (node.metadata.annotations?.[noScaleDown] === 'true') return because('ScaleDownDisabledAnnotation')
    const used = utilizationOf(state, snapshot.devices, options, wall)
    if (used === undefined) return because('UnexpectedError')
    if (!options['scale-down-unready-enabled'] && !readinessOf(node).isReady) return because('ScaleDownUnreadyDisabled')
    this.ratios.set(name, used.ratio)
    const isGpu = used.resource === gpuResource
    const threshold = options[isGpu ? 'scale-down-gpu-utilization-threshold' : 'scale-down-utilization-threshold']
    return used.ratio > threshold ? because('NotUnderutilized', used.ratio) : undefined
  }

  /** Removes the node in the simulation if all its pods fit on other nodes. */
  private tryRemoval(node: Node, destinations: ReadonlySet<string>, input: PlannerInput): RemovableNode | Unremovable {
    const { snapshot, objects, budgets, wall } = input
    const { name } = node.metadata
    const moving = podsToMove(snapshot.podsOn(name), { options: this.options, budgets, objects, wall })
    if (moving.kind === 'blocked') {
      return { node: name, reason: 'BlockedByPod', blockedBy: { pod: moving.pod, reason: moving.reason } }
    }
    snapshot.fork()
    const leaving = new Set(moving.pods)
    for (const pod of snapshot.podsOn(name)) {
      if (leaving.has(pod)) snapshot.unschedulePod(pod)
      else snapshot.dropPod(pod)
    }
    // The node stays with a taint until its pods are deleted, so topology domains still count it.
    const taints = [...(node.spec?.taints ?? []), timedTaint(toBeDeletedTaint, 'NoSchedule', wall)]
    snapshot.updateNode(node, { ...node, spec: { ...node.spec, taints } })
    const placed = this.removals.trySchedule(snapshot, moving.pods, {
      breakOnFailure: true,
      isAcceptable: (state) => state.name !== name && destinations.has(state.name),
    })
    if (placed.length < moving.pods.length) {
      snapshot.revert()
      return { node: name, reason: 'NoPlaceToMovePods' }
    }
    snapshot.removeNode(name)
    snapshot.commit()
    return {
      node,
      pods: moving.pods,
      isWaiting: moving.onCompletion.length > 0,
      isRisky: !budgets.allowsInParallel(moving.pods),
    }
  }
}

function neverCalled(): never {
  throw new Error('no budgets were given')
}
