import { labelMatcher } from '../../api/label-selector.ts'
import { keyOf } from '../../api/object-key.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod, PodDisruptionBudget } from '../../api/objects/pod.ts'
import { labels } from '../../api/well-known.ts'
import { MetricRegistry } from '../../base/metrics.ts'
import type { ActionIds } from '../../runtime/actions.ts'
import type { Action, ActionResult, Change, StepInput } from '../../runtime/controller.ts'
import type { View } from '../../runtime/view.ts'
import { ClusterSnapshot, type NodeTemplate } from '../simulation/cluster-snapshot.ts'
import { HintingSimulator } from '../simulation/hinting-simulator.ts'
import { AutoscalerMetrics } from './autoscaler-metrics.ts'
import { ClusterState } from './cluster-state.ts'
import type { ClusterAutoscalerOptions } from './controller.ts'
import { decideMinSizes, decideScaleUp, type ScaleUpInput } from './decide-scale-up.ts'
import { Deletions } from './deletions.ts'
import { type BlockingReason, BudgetTracker, podsToMove } from './drainability.ts'
import { priorityConfigMap, readPriorities } from './group-priorities.ts'
import { LoopReport } from './loop-report.ts'
import { isMissingReplica } from './missing-replica.ts'
import { type NodeGroup, NodeGroups } from './node-group.ts'
import { readinessOf } from './node-readiness.ts'
import { copyOf, isDaemonSetPod, NodeTemplates } from './node-templates.ts'
import { areAllNew, isExpendable, isOldEnough, isRecreated, PendingPods, priorityOf } from './pending-pods.ts'
import { type PlannerInput, ScaleDownPlanner, type Unremovable, type UnremovableReason } from './scale-down-planner.ts'
import type { GroupResize } from './similar-groups.ts'
import { type SoftTaintChange, softTaintChanges } from './soft-taints.ts'
import { decideCleanup } from './start-cleanup.ts'
import { type StatusInput, StatusReport } from './status-report.ts'
import { deletionCandidate, timedTaint, toBeDeletedTaint } from './taints.ts'

interface LoopInput extends StepInput {
  readonly nodes: readonly Node[]
  readonly templates: ReadonlyMap<string, NodeTemplate>
}

export interface ExplainedNode {
  readonly group: NodeGroup
  /** Undefined: the node is not a candidate, because its group is at its minimum size. */
  readonly verdict?:
    | 'unneeded'
    | { readonly reason: UnremovableReason; readonly pod?: string; readonly because?: BlockingReason }
  readonly utilization?: number
}

/** The loops of the autoscaler, one after the other (1.36, core StaticAutoscaler RunOnce). */
export class AutoscalerLoop {
  readonly deletions: Deletions
  private readonly settings: ClusterAutoscalerOptions & { readonly ids: ActionIds }
  private readonly groups: NodeGroups
  private readonly state: ClusterState
  private readonly planner: ScaleDownPlanner
  private readonly templates = new NodeTemplates()
  private readonly pending = new PendingPods()
  private readonly packing = new HintingSimulator()
  private readonly report: LoopReport
  private readonly metrics: AutoscalerMetrics
  private readonly status = new StatusReport()
  /** The nodes that were candidates in the last loop that looked for candidates, and the time of that loop. */
  private candidates: StatusInput['candidates']
  private snapshot: ClusterSnapshot | undefined
  private hasResumed = false
  private lastScaleUpAt = Number.NEGATIVE_INFINITY
  private lastDeleteAt = Number.NEGATIVE_INFINITY
  private lastFailureAt = Number.NEGATIVE_INFINITY

  constructor(settings: ClusterAutoscalerOptions & { readonly ids: ActionIds }) {
    this.settings = settings
    this.groups = new NodeGroups(settings.groups)
    this.state = new ClusterState(this.groups, settings.cloud, settings.options)
    this.planner = new ScaleDownPlanner(settings.options, this.groups, settings.cloud)
    this.deletions = new Deletions(settings.options, settings.ids)
    this.report = new LoopReport(settings.options, settings.ids)
    const { metrics = new MetricRegistry(), options, groups } = settings
    this.metrics = new AutoscalerMetrics(metrics, options, groups)
  }

  /** Returns whether a pod became unschedulable. */
  take(change: Change, view: View): boolean {
    const { profile, options } = this.settings
    this.snapshot ??= new ClusterSnapshot(profile, view, (pod) => !isExpendable(pod, options))
    this.snapshot.take(change, view)
    return this.pending.take(change)
  }

  takeResult(result: ActionResult, now: number): void {
    if (this.deletions.take(result, now)) this.metrics.evicted(1, 'succeeded')
  }

  /** Reports whether nothing is in progress and nothing waits: another loop would make the same decisions. */
  isAtRest(now: number): boolean {
    return (
      now < this.planner.nextRetryAt &&
      this.pending.size === 0 &&
      this.deletions.nodes.size === 0 &&
      this.planner.unneededNodes.length === 0 &&
      this.settings.cloud.unregistered().length === 0
    )
  }

  run(input: StepInput, actions: Action[]): { readonly isProductive: boolean } {
    const outcome = this.runOnce(input, actions)
    if (this.settings.options['write-status-configmap']) actions.push(this.writeStatus(input))
    return outcome
  }

  private writeStatus({ now, wall, view }: StepInput): Action {
    const { groups, state, candidates } = this
    return this.report.writeStatus(this.status.next({ groups: groups.all, state, candidates, now, wall }), wall, view)
  }

  private runOnce(input: StepInput, actions: Action[]): { readonly isProductive: boolean } {
    const { cloud, options } = this.settings
    const { view, now, wall } = input
    const { snapshot } = this
    if (snapshot === undefined) return { isProductive: false }
    const nodes = view.list('nodes').map((node) => this.templates.withDevices(node, this.groups.of(node), snapshot))
    const counts = this.countByGroup(nodes)
    if (!this.hasResumed) {
      this.resume(input, counts)
      this.cleanUp(nodes, input, actions)
    }
    cloud.refresh(counts, this.groups.all)
    const templates = this.templates.compute({
      groups: this.groups,
      nodes,
      snapshot,
      daemonSets: view.list('daemonsets.apps'),
      wall,
      forcesDaemonSets: options['force-ds'],
    })
    this.metrics.begin(nodes, wall)
    for (const { failure, ...notice } of this.state.update(nodes, now, wall)) {
      actions.push(this.report.note(notice))
      if (failure !== undefined) this.metrics.failed(failure)
    }
    this.metrics.state(this.state)
    const old = this.state.removeOldUnregistered(now)
    this.metrics.unregisteredRemoved(old.length)
    for (const notice of old) actions.push(this.report.note(notice))
    if (!this.state.isHealthy) {
      this.planner.forgetUnneeded()
      actions.push(this.report.note({ type: 'Warning', reason: 'ClusterUnhealthy', message: 'Cluster is unhealthy' }))
      return { isProductive: false }
    }
    this.state.removeFailed()
    if (this.state.fixSizes(now)) return { isProductive: false }
    snapshot.fork()
    try {
      return this.decide({ ...input, nodes, templates }, snapshot, actions)
    } finally {
      snapshot.revert()
      this.packing.dropOldHints()
    }
  }

  /** The ResourceSlices of a new node of the group. */
  devicesOf(group: NodeGroup, node: string) {
    return this.templates.devicesOf(group, node)
  }

  /** Continues the work of the cluster's own autoscaler: machines that are starting, and backoffs. */
  private resume({ now, wall, random }: StepInput, counts: ReadonlyMap<string, number>): void {
    this.hasResumed = true
    for (const group of this.groups.all) {
      const missing = (group.foundTarget ?? 0) - (counts.get(group.name) ?? 0)
      if (missing > 0) {
        this.settings.cloud.increase(group, missing, now, random.stream('cluster-autoscaler-nodes'))
        this.state.registerScaleUp(group, missing, now)
      }
      if (group.backoffSinceMs !== undefined)
        this.state.backoffs.resume(group.name, group.backoffSinceMs + now - wall, now)
    }
  }

  private cleanUp(nodes: readonly Node[], { now, view }: StepInput, actions: Action[]): void {
    const { remove, goOn } = decideCleanup(nodes, this.groups, this.settings.options)
    for (const { node, taint } of remove) {
      const message = `removed ${taint} taint from node ${node.metadata.name}`
      actions.push(
        this.report.untaint(node, taint),
        this.report.event(node, 'Normal', 'ClusterAutoscalerCleanup', message),
      )
    }
    for (const { node, group } of goOn) {
      const isOccupied = view.podsOn(node.metadata.name).some((pod) => isRecreated(pod))
      this.deletions.start(node, group.name, isOccupied, now)
    }
  }

  /** Deletes and drains nodes that are being removed. */
  proceedDeletions({ view, now, wall }: StepInput, actions: Action[]): void {
    if (this.deletions.nodes.size === 0) return
    const { options } = this.settings
    const turn = this.deletions.turn(view, now, (node, needsDrain) => {
      const budgets = new BudgetTracker(needsDrain ? view.list('poddisruptionbudgets.policy') : [], matcherOf)
      const pods = view.podsOn(node).filter((pod) => !isExpendable(pod, options))
      const moving = podsToMove(pods, { options, budgets, wall, ...(needsDrain ? { objects: view } : {}) })
      if (moving.kind === 'blocked') return 'failed to get pods to move on node'
      if (!needsDrain && moving.pods.length > 0) return 'node is not empty'
      return [...moving.pods, ...moving.daemonSetPods]
    })
    actions.push(...turn.actions)
    for (const { node, wasDrained } of turn.removed) {
      const message = wasDrained
        ? `Scale-down: node ${node} removed with drain`
        : `Scale-down: empty node ${node} removed`
      actions.push(this.report.note({ type: 'Normal', reason: wasDrained ? 'ScaleDown' : 'ScaleDownEmpty', message }))
      this.metrics.removed(view.get('nodes', node), wasDrained)
    }
    for (const { node, reason, notEvicted } of turn.failed) {
      this.lastFailureAt = now
      this.metrics.evicted(notEvicted, 'failed')
      const object = view.get('nodes', node)
      if (object === undefined) continue
      actions.push(
        this.report.untaint(object, toBeDeletedTaint),
        this.report.event(object, 'Warning', 'ScaleDownFailed', reason),
      )
    }
  }

  /** The findings of the last loop about each node of a group. */
  explain(): { readonly isHealthy: boolean; readonly nodes: ReadonlyMap<string, ExplainedNode> } {
    const unneeded = new Set(this.planner.unneededNodes.map(({ metadata }) => metadata.name))
    const nodes = new Map<string, ExplainedNode>()
    for (const { node } of this.snapshot?.nodes ?? []) {
      const { name } = node.metadata
      const group = this.groups.of(node)
      if (group === undefined) continue
      const kept = this.planner.unremovable.get(name)
      const utilization = this.planner.utilization.get(name)
      const verdict = unneeded.has(name)
        ? ('unneeded' as const)
        : kept === undefined
          ? undefined
          : { reason: kept.reason, ...blockedText(kept) }
      nodes.set(name, {
        group,
        ...(verdict === undefined ? {} : { verdict }),
        ...(utilization === undefined ? {} : { utilization }),
      })
    }
    return { isHealthy: this.state.isHealthy, nodes }
  }

  inspect(now: number): unknown {
    const { cloud } = this.settings
    return {
      groups: this.groups.all.map((group) => ({
        name: group.name,
        label: `${group.label.key}=${group.label.value}`,
        instanceType: group.template.metadata.labels?.[labels.instanceType],
        min: group.min,
        max: group.max,
        target: cloud.targetOf(group),
        ...this.state.readiness(group),
        problem: this.state.scaleUpProblem(group, now),
        backoffUntil: this.state.backoffs.until(group.name),
      })),
      unneeded: this.planner.unneededNodes.map(({ metadata: { name } }) => ({
        node: name,
        group: this.groupOf(name),
        since: this.planner.unneededSince(name),
      })),
      unremovable: [...this.planner.unremovable.values()].map((kept) => {
        const { blockedBy: _, ...rest } = kept
        return { ...rest, ...blockedText(kept) }
      }),
      deleting: [...this.deletions.nodes].map((name) => ({ node: name, group: this.groupOf(name) })),
      pending: this.pending.size,
    }
  }

  /** The name of the group of a node that the last loop saw. */
  private groupOf(name: string): string | undefined {
    const node = this.snapshot?.node(name)?.node
    return node === undefined ? undefined : this.groups.of(node)?.name
  }

  private decide(input: LoopInput, snapshot: ClusterSnapshot, actions: Action[]): { readonly isProductive: boolean } {
    const { now, wall, nodes } = input
    const { options } = this.settings
    for (const pod of this.pending.withNomination) {
      const node = pod.status?.nominatedNodeName ?? ''
      if (!isExpendable(pod, options) && snapshot.node(node) !== undefined) snapshot.place(snapshot.parse(pod), node)
    }
    const { counts, registered } = this.state.upcoming(now)
    for (const [group, count] of counts) {
      const template = input.templates.get(group)
      if (template === undefined) continue
      for (let i = 0; i < count; i++) snapshot.addNode(copyOf(template, `upcoming-${i}`))
    }
    for (const name of registered) snapshot.removeNode(name)
    this.metrics.unschedulable(this.pending.size, wall)
    const toHelp = this.podsToHelp(snapshot, wall)
    // Upcoming nodes count as well.
    const expected = snapshot.nodes.map(({ node }) => node)
    const total = options['max-nodes-total']
    const ready = nodes.filter((node) => readinessOf(node).isReady && node.spec?.unschedulable !== true)
    const isFull = total > 0 && ready.length >= total
    const isWaiting = toHelp.length > 0 && !isFull && areAllNew(toHelp, wall)
    let isProductive = false
    if (toHelp.length > 0 && isFull) {
      actions.push(this.report.maxNodes())
      // With enforced minimum sizes, the status of the loop is replaced, so pods get no events.
      if (!options['enforce-node-group-min-size'])
        for (const pod of toHelp) actions.push(this.report.noScaleUp(pod, 'max total nodes in cluster reached'))
    } else if (toHelp.length > 0 && !isWaiting) {
      this.metrics.note('scaleUp', wall)
      isProductive = this.scaleUp(this.scaleUpInput(toHelp, expected, input, snapshot), input, actions)
    }
    if (options['scale-down-enabled']) {
      const settled = nodes.filter(({ metadata }) => !registered.has(metadata.name))
      isProductive = this.scaleDown(settled, { ...input, isBlocked: isWaiting }, snapshot, actions) || isProductive
    }
    if (options['enforce-node-group-min-size']) {
      const resizes = decideMinSizes(this.scaleUpInput([], expected, input, snapshot))
      isProductive = this.resize(resizes, input, actions) || isProductive
    }
    return { isProductive }
  }

  /** Unschedulable pods that fit neither on existing nor on upcoming nodes. Other pods are placed. */
  private podsToHelp(snapshot: ClusterSnapshot, wall: number): readonly Pod[] {
    const { options } = this.settings
    const drained = this.deletions.draining
      .flatMap((node) => snapshot.podsOn(node))
      .filter((pod) => pod.metadata.deletionTimestamp === undefined && isRecreated(pod))
    const candidates = [...this.pending.all.filter((pod) => !isExpendable(pod, options)), ...drained].sort(
      (a, b) => priorityOf(b) - priorityOf(a),
    )
    for (const pod of drained) snapshot.removePod(pod)
    const placed = this.packing.trySchedule(snapshot, candidates, { breakOnFailure: false, isAcceptable: () => true })
    const helped = new Set(placed.map(({ pod }) => pod))
    return candidates.filter((pod) => !helped.has(pod) && !isDaemonSetPod(pod) && isOldEnough(pod, options, wall))
  }

  private scaleUpInput(
    pods: readonly Pod[],
    nodes: readonly Node[],
    { templates, view, now, random }: LoopInput,
    snapshot: ClusterSnapshot,
  ): ScaleUpInput {
    const { cloud, options } = this.settings
    return {
      pods,
      nodes,
      templates,
      groups: this.groups,
      cloud,
      state: this.state,
      options,
      snapshot,
      priorities: options.expander.includes('priority')
        ? readPriorities(view.get('configmaps', `${options.namespace}/${priorityConfigMap}`))
        : undefined,
      now,
      random: random.stream('expander'),
    }
  }

  private scaleUp(asked: ScaleUpInput, input: LoopInput, actions: Action[]): boolean {
    const { resizes, helped, hopeless, isCappedByMaxNodes, warnings } = decideScaleUp(asked)
    for (const warning of warnings) actions.push(this.report.priorityWarning(warning))
    if (isCappedByMaxNodes) actions.push(this.report.maxNodes())
    if (!this.resize(resizes, input, actions)) {
      for (const { pod, reasons } of hopeless) actions.push(this.report.noScaleUp(pod, reasons.join(', ')))
      return false
    }
    const plan = resizes.map(({ group, from, to }) => `{${group.name} ${from}->${to} (max: ${group.max})}`)
    for (const pod of helped) {
      actions.push(this.report.event(pod, 'Normal', 'TriggeredScaleUp', `pod triggered scale-up: [${plan.join(' ')}]`))
    }
    return true
  }

  /** Returns whether a group grows. */
  private resize(resizes: readonly GroupResize[], { now, random }: LoopInput, actions: Action[]): boolean {
    for (const { group, from, to } of resizes) {
      this.settings.cloud.increase(group, to - from, now, random.stream('cluster-autoscaler-nodes'))
      this.state.registerScaleUp(group, to - from, now)
      this.metrics.scaledUp(to - from)
      const sizes = `instead of ${from} (max: ${group.max})`
      const messages = [
        `Scale-up: setting group ${group.name} size to ${to} ${sizes}`,
        `Scale-up: group ${group.name} size set to ${to} ${sizes}`,
      ]
      for (const message of messages)
        actions.push(this.report.note({ type: 'Normal', reason: 'ScaledUpGroup', message }))
    }
    if (resizes.length === 0) return false
    this.state.recalculate()
    this.lastScaleUpAt = now
    return true
  }

  private scaleDown(
    nodes: readonly Node[],
    input: LoopInput & { readonly isBlocked: boolean },
    snapshot: ClusterSnapshot,
    actions: Action[],
  ): boolean {
    const { options } = this.settings
    const { view, now, wall } = input
    const plan: PlannerInput = {
      nodes,
      snapshot,
      objects: view,
      budgets: new BudgetTracker(view.list('poddisruptionbudgets.policy'), matcherOf),
      deleting: this.deletions.nodes,
      evicted: this.deletions.recentlyEvicted(now).filter((pod) => isRecreated(pod) && isMissingReplica(pod, view)),
      now,
      wall,
    }
    this.planner.update(plan)
    this.candidates = { groups: this.planner.unneededNodes.map((node) => this.groups.of(node)?.name), wall }
    const isCoolingDown =
      input.isBlocked ||
      this.lastScaleUpAt + options['scale-down-delay-after-add'] > now ||
      this.lastFailureAt + options['scale-down-delay-after-failure'] > now ||
      this.lastDeleteAt + options['scale-down-delay-after-delete'] > now
    const started = isCoolingDown ? new Set<string>() : this.startDeletions(plan)
    if (started.size > 0) {
      this.lastDeleteAt = now
      // The status of this loop then has the current targets.
      this.state.recalculate()
    }
    const { unneededNodes, unremovable } = this.planner
    const counts = { unneeded: unneededNodes.length, deleting: this.deletions.nodes.size }
    this.metrics.planned({ ...counts, isCoolingDown, unremovable: unremovable.values(), wall })
    const marks = softTaintChanges(nodes, {
      unneeded: new Set(this.planner.unneededNodes.map(({ metadata }) => metadata.name)),
      isOwn: (node) => this.groups.of(node) !== undefined,
      most: options['max-bulk-soft-taint-count'],
    })
    this.taintNodes(nodes, { started, marks, wall }, actions)
    return started.size > 0
  }

  private startDeletions(plan: PlannerInput): Set<string> {
    const { empty, drain } = this.planner.nodesToDelete(plan, (group) => this.deletions.countIn(group))
    const { all, drain: mostDrains } = this.deletions.budget()
    const emptyNow = empty.slice(0, Math.max(0, all))
    const drainNow = drain.slice(0, Math.max(0, Math.min(mostDrains, all - emptyNow.length)))
    const started = new Set<string>()
    for (const node of [...emptyNow, ...drainNow]) {
      const group = this.groups.of(node) as NodeGroup
      this.deletions.start(node, group.name, drainNow.includes(node), plan.now)
      started.add(node.metadata.name)
    }
    return started
  }

  /** Taints the nodes whose deletion starts, and marks or unmarks others. A node may get both taints in one loop. */
  private taintNodes(
    nodes: readonly Node[],
    {
      started,
      marks,
      wall,
    }: { started: ReadonlySet<string>; marks: ReadonlyMap<string, SoftTaintChange>; wall: number },
    actions: Action[],
  ): void {
    const { options } = this.settings
    for (const node of nodes) {
      const { name } = node.metadata
      const mark = marks.get(name)
      if (mark === undefined && !started.has(name)) continue
      const own = (node.spec?.taints ?? []).filter(({ key }) => key !== deletionCandidate || mark !== 'remove')
      const taints = [
        ...own,
        ...(started.has(name) ? [timedTaint(toBeDeletedTaint, 'NoSchedule', wall)] : []),
        ...(mark === 'add' ? [timedTaint(deletionCandidate, 'PreferNoSchedule', wall)] : []),
      ]
      const cordon = started.has(name) && options['cordon-node-before-terminating'] ? { unschedulable: true } : {}
      actions.push(this.report.patchSpec(node, { taints, ...cordon }))
      if (started.has(name))
        actions.push(this.report.event(node, 'Normal', 'ScaleDown', 'marked the node as toBeDeleted/unschedulable'))
    }
  }

  private countByGroup(nodes: readonly Node[]): ReadonlyMap<string, number> {
    const counts = new Map<string, number>()
    for (const node of nodes) {
      const group = this.groups.of(node)
      if (group !== undefined) counts.set(group.name, (counts.get(group.name) ?? 0) + 1)
    }
    return counts
  }
}

function blockedText({ blockedBy }: Unremovable) {
  return blockedBy === undefined ? {} : { pod: keyOf(blockedBy.pod), because: blockedBy.reason }
}

function matcherOf({ spec }: PodDisruptionBudget) {
  return labelMatcher(spec?.selector)
}
