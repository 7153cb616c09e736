import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { RandomStream } from '../../base/random.ts'
import type { ClusterSnapshot, NodeTemplate } from '../simulation/cluster-snapshot.ts'
import type { ClusterState } from './cluster-state.ts'
import { type EquivalenceGroup, groupEquivalent } from './equivalence-groups.ts'
import { estimateNodes } from './estimator.ts'
import { chooseOption, type ExpansionOption } from './expander.ts'
import type { FoundPriorities, PriorityWarning } from './group-priorities.ts'
import type { NodeCloud } from './node-cloud.ts'
import type { NodeGroup, NodeGroups } from './node-group.ts'
import type { AutoscalerOptions } from './options.ts'
import { ResourceLimits } from './resource-limits.ts'
import { balance, type GroupResize, isSimilar } from './similar-groups.ts'

export interface ScaleUpInput {
  readonly pods: readonly Pod[]
  readonly nodes: readonly Node[]
  readonly templates: ReadonlyMap<string, NodeTemplate>
  readonly groups: NodeGroups
  readonly cloud: NodeCloud
  readonly state: ClusterState
  readonly options: AutoscalerOptions
  readonly snapshot: ClusterSnapshot
  readonly priorities: FoundPriorities
  readonly now: number
  readonly random: RandomStream
}

/**
 * The reason why a group was not considered, with the message of upstream (1.36, scaleup/orchestrator skippedreasons).
 */
export type SkipReason =
  | 'not ready for scale-up'
  | 'in backoff after failed scale-up'
  | 'max node group size reached'
  | `exceeded quota: "cluster-wide", resources: ${string}`

/** A pod that no group can help. */
export interface HopelessPod {
  readonly pod: Pod
  /** `2 Insufficient cpu`, `1 max node group size reached`. */
  readonly reasons: readonly string[]
}

export interface ScaleUpDecision {
  readonly resizes: readonly GroupResize[]
  /** The pods that the new nodes help. */
  readonly helped: readonly Pod[]
  readonly hopeless: readonly HopelessPod[]
  readonly isCappedByMaxNodes: boolean
  /** Warnings of the priority expander. */
  readonly warnings: readonly PriorityWarning[]
}

/** Decides which groups grow, and by how much (1.36, scaleup/orchestrator ScaleUp). */
export function decideScaleUp(input: ScaleUpInput): ScaleUpDecision {
  const { options, nodes, snapshot, cloud, templates, random } = input
  const equivalent = groupEquivalent(input.pods)
  const limits = new ResourceLimits(options, nodes)
  const { valid, skipped } = validGroups(input, limits)
  const schedulable = new Map(valid.map((group) => [group.name, schedulableOn(equivalent, group, input)]))
  const expansions = valid.flatMap((group) => expansionOf(group, schedulable, input) ?? [])
  const warnings: PriorityWarning[] = []
  const none = (isCappedByMaxNodes = false): ScaleUpDecision => ({
    resizes: [],
    helped: [],
    // Above the limit of the cluster, the scale-up is an error without events.
    hopeless: isCappedByMaxNodes ? [] : hopelessPods(equivalent, skipped),
    isCappedByMaxNodes,
    warnings,
  })
  const chosen = chooseOption(
    options.expander,
    {
      ...{ options: expansions, snapshot, priorities: input.priorities, clusterSize: nodes.length },
      warn: (warning) => warnings.push(warning),
    },
    random,
  )
  if (chosen === undefined) return none()
  const mostNodes = options['max-nodes-total'] > 0 ? options['max-nodes-total'] - nodes.length : undefined
  const isCapped = mostNodes !== undefined && chosen.nodeCount > mostNodes
  if (isCapped && mostNodes < 1) return none(true)
  const { node } = templates.get(chosen.group.name) as NodeTemplate
  const count = limits.allowed(node, isCapped ? mostNodes : chosen.nodeCount)
  const targets = [chosen.group, ...similarTo(chosen.group, schedulable, input)]
  const resizes = withinLimits(
    balance(targets, count, (group) => cloud.targetOf(group)),
    templates,
    limits,
  )
  return {
    resizes,
    helped: resizes.length === 0 ? [] : chosen.pods,
    hopeless: hopelessPods(equivalent, skipped),
    isCappedByMaxNodes: isCapped,
    warnings,
  }
}

function validGroups({ groups, state, cloud, templates, now }: ScaleUpInput, limits: ResourceLimits) {
  const skipped = new Map<string, SkipReason>()
  const valid = groups.all.filter((group) => {
    const problem = state.scaleUpProblem(group, now)
    const template = templates.get(group.name)
    if (problem === 'backoff') skipped.set(group.name, 'in backoff after failed scale-up')
    else if (problem !== undefined || template === undefined) skipped.set(group.name, 'not ready for scale-up')
    else if (cloud.targetOf(group) >= group.max) skipped.set(group.name, 'max node group size reached')
    else {
      const exceeded = limits.exceeded(template.node)
      if (exceeded.length === 0) return true
      skipped.set(group.name, `exceeded quota: "cluster-wide", resources: ${exceeded.join(', ')}`)
    }
    return false
  })
  return { valid, skipped }
}

/** The equivalence groups whose pods fit on a new node of the group. */
function schedulableOn(
  equivalent: readonly EquivalenceGroup[],
  group: NodeGroup,
  { snapshot, templates }: ScaleUpInput,
): readonly EquivalenceGroup[] {
  const template = templates.get(group.name) as NodeTemplate
  snapshot.fork()
  try {
    snapshot.addNode(template)
    return equivalent.filter((candidates) => {
      const status = snapshot.check(snapshot.parse(candidates.pods[0] as Pod), template.node.metadata.name)
      if (status.code === 'Success') candidates.isSchedulable = true
      else candidates.rejections.set(group.name, status)
      return status.code === 'Success'
    })
  } finally {
    snapshot.revert()
  }
}

type Schedulable = ReadonlyMap<string, readonly EquivalenceGroup[]>

function expansionOf(group: NodeGroup, schedulable: Schedulable, input: ScaleUpInput): ExpansionOption | undefined {
  const { snapshot, templates } = input
  const candidates = schedulable.get(group.name) ?? []
  if (candidates.length === 0) return undefined
  const template = templates.get(group.name) as NodeTemplate
  const most = mostNewNodes(group, similarTo(group, schedulable, input), input)
  const { nodeCount, pods } = estimateNodes(
    snapshot,
    candidates.map((equal) => equal.pods),
    template,
    most,
  )
  return nodeCount === 0 || pods.length === 0 ? undefined : { group, nodeCount, pods, template }
}

/**
 * The maximum number of new nodes of an estimation (1.36, estimator thresholds), from the capacity of the groups, of
 * the cluster, and the flag.
 */
function mostNewNodes(
  group: NodeGroup,
  similar: readonly NodeGroup[],
  { cloud, options, nodes }: ScaleUpInput,
): number {
  const room = [group, ...similar].reduce((sum, { ...one }) => sum + Math.max(0, one.max - cloud.targetOf(one)), 0)
  const total = options['max-nodes-total']
  const inCluster = total > 0 ? Math.max(0, total - nodes.length) : Number.POSITIVE_INFINITY
  const perScaleUp = options['max-nodes-per-scaleup'] > 0 ? options['max-nodes-per-scaleup'] : Number.POSITIVE_INFINITY
  return Math.min(room, inCluster, perScaleUp)
}

/** The groups that may share a scale-up with this group. */
function similarTo(group: NodeGroup, schedulable: Schedulable, input: ScaleUpInput): readonly NodeGroup[] {
  const { options, groups, templates, state, snapshot, now } = input
  const candidates = schedulable.get(group.name) ?? []
  if (!options['balance-similar-node-groups'] || candidates.length === 0) return []
  const template = templates.get(group.name) as NodeTemplate
  return groups.all.filter((other) => {
    const like = templates.get(other.name)
    if (other === group || like === undefined || !isSimilar(template, like, options, snapshot)) return false
    if (state.scaleUpProblem(other, now) !== undefined) return false
    const also = schedulable.get(other.name)
    return also !== undefined && candidates.every((equal) => also.includes(equal))
  })
}

function withinLimits(
  resizes: readonly GroupResize[],
  templates: ReadonlyMap<string, NodeTemplate>,
  limits: ResourceLimits,
): readonly GroupResize[] {
  return resizes
    .map(({ group, from, to }) => {
      const { node } = templates.get(group.name) as NodeTemplate
      const count = limits.allowed(node, to - from)
      limits.add(node, count)
      return { group, from, to: from + count }
    })
    .filter(({ from, to }) => to > from)
}

function hopelessPods(
  equivalent: readonly EquivalenceGroup[],
  skipped: ReadonlyMap<string, SkipReason>,
): readonly HopelessPod[] {
  return equivalent
    .filter(({ isSchedulable }) => !isSchedulable)
    .flatMap(({ pods, rejections }) => {
      const reasons = counted([...[...rejections.values()].flatMap((status) => status.reasons), ...skipped.values()])
      return pods.map((pod) => ({ pod, reasons }))
    })
}

function counted(reasons: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const text of reasons) {
    // The autoscaler reads claims from its own snapshot, which has different messages
    // (simulator/dynamicresources/snapshot).
    const reason = text.replace(/^could not find ResourceClaim "(.*)"$/, 'claim $1 not found')
    counts.set(reason, (counts.get(reason) ?? 0) + 1)
  }
  return [...counts].map(([reason, count]) => `${count} ${reason}`)
}

/** Raises groups below their minimum to the minimum (1.36, scaleup/orchestrator ScaleUpToNodeGroupMinSize). */
export function decideMinSizes(input: ScaleUpInput): readonly GroupResize[] {
  const { groups, cloud, templates, options, state, now, nodes } = input
  const limits = new ResourceLimits(options, nodes)
  const total = options['max-nodes-total']
  return groups.all.flatMap((group) => {
    const from = cloud.targetOf(group)
    const template = templates.get(group.name)
    if (from >= group.min || template === undefined || state.scaleUpProblem(group, now) !== undefined) return []
    const allowed = limits.allowed(template.node, group.min - from)
    const count = total > 0 ? Math.min(allowed, total - from) : allowed
    return count < 1 ? [] : [{ group, from, to: from + count }]
  })
}
