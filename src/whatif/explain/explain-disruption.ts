import { labels } from '../../api/well-known.ts'
import type { Autoscaling } from '../../autoscalers/autoscaling.ts'
import { priceOf } from '../../autoscalers/karpenter/catalog/instance-type.ts'
import { KarpenterCloud } from '../../autoscalers/karpenter/cloud/karpenter-cloud.ts'
import { karpenterWatches } from '../../autoscalers/karpenter/controller.ts'
import { budgetsOf, spend } from '../../autoscalers/karpenter/disruption/budgets.ts'
import { candidatesOf } from '../../autoscalers/karpenter/disruption/candidate.ts'
import { estimatedSavings } from '../../autoscalers/karpenter/disruption/command.ts'
import { methods } from '../../autoscalers/karpenter/disruption/methods.ts'
import { capacityTypeLabel, nodePools } from '../../autoscalers/karpenter/names.ts'
import type { Situation } from '../../autoscalers/karpenter/situation.ts'
import { ClusterState } from '../../autoscalers/karpenter/state/cluster-state.ts'
import type { StateNode } from '../../autoscalers/karpenter/state/state-node.ts'
import { storedChanges } from '../run/stored-changes.ts'
import type { FoundCluster } from '../scenario/forecast-plan.ts'

export interface Removal {
  readonly reason: string
  readonly nodes: readonly string[]
  /** The instance types of the replacement, cheapest first; empty if nothing replaces the nodes. */
  readonly replacement: readonly string[]
  readonly savingsPerHour: number
}

export interface NodeDisruption {
  readonly node: string
  readonly pool: string
  readonly type: string
  readonly zone: string
  readonly capacityType: string
  /** 0: unknown. */
  readonly pricePerHour: number
  readonly decision: 'remove' | 'replace' | 'keep'
  readonly reason: string
}

export interface DisruptionExplanation {
  readonly removals: readonly Removal[]
  readonly nodes: readonly NodeDisruption[]
  readonly pricePerHour: number
}

/** The nodes that Karpenter would remove now, command by command, and the reason why it keeps every other node. */
export function explainDisruption(
  { store, takenAtMs }: FoundCluster,
  { catalog, options }: NonNullable<Autoscaling['karpenter']>,
): DisruptionExplanation {
  const state = new ClusterState()
  const { changes, view } = storedChanges(store, karpenterWatches)
  for (const change of changes) state.take(change, view, takenAtMs)
  const cloud = new KarpenterCloud(catalog)
  const situation: Situation = { view, state, cloud, options, now: takenAtMs, wall: takenAtMs }
  const reasons = new Map<string, string>()
  const removals = removalsOf(situation, reasons)
  const decided = new Map(removals.flatMap((removal) => removal.nodes.map((node) => [node, removal] as const)))
  const nodes = state.nodes
    .filter(({ isManaged, node }) => isManaged && node !== undefined)
    .map((each): NodeDisruption => {
      const { labels: own, name } = each
      const removal = decided.get(name)
      const kept = reasons.get(name) ?? keptBecause(each, situation)
      return {
        node: name,
        pool: each.pool ?? '',
        type: own[labels.instanceType] ?? '',
        zone: own[labels.zone] ?? '',
        capacityType: own[capacityTypeLabel] ?? '',
        pricePerHour: priceOf(catalog.byName.get(own[labels.instanceType] ?? ''), own),
        decision: removal === undefined ? 'keep' : removal.replacement.length > 0 ? 'replace' : 'remove',
        reason: removal?.reason ?? kept,
      }
    })
  return { removals, nodes, pricePerHour: nodes.reduce((sum, each) => sum + each.pricePerHour, 0) }
}

/** The limit of commands. If budgets allow everything, the first decisions are enough. */
const mostCommands = 20

/**
 * The commands in the order in which Karpenter gives them. After each command, Karpenter decides again, while the nodes
 * of earlier commands are being removed: they count against budgets, and their pods need room, unless new nodes replace
 * them. The last pass has no command, and `reasons` contains its reasons.
 */
function removalsOf(situation: Situation, reasons: Map<string, string>): readonly Removal[] {
  const removals: Removal[] = []
  const replaced = new Map<string, string>()
  while (removals.length < mostCommands) {
    const made = nextRemovals(situation, replaced, reasons)
    if (made.length === 0) break
    removals.push(...made)
  }
  return removals
}

/** `replaced`: the replaced nodes, with their pools. */
function nextRemovals(
  situation: Situation,
  replaced: Map<string, string>,
  reasons: Map<string, string>,
): readonly Removal[] {
  const { wellKnown } = situation.cloud.catalog
  reasons.clear()
  const blocked = (node: { readonly name: string }, reason: string) => reasons.set(node.name, reason)
  for (const method of methods) {
    const all = candidatesOf(situation, method.class, (id) => replaced.has(id), blocked)
    const candidates = all.filter((candidate) => method.shouldDisrupt(candidate, blocked))
    if (candidates.length === 0) continue
    const budgets = budgetsOf(situation, method.reason)
    for (const pool of replaced.values()) spend(budgets, pool)
    const { commands } = method.decide({ situation, candidates, all, budgets, note: blocked, noteSilently: blocked })
    if (commands.length === 0) continue
    return commands.map((command) => {
      for (const { state, pool } of command.candidates) {
        if (command.replacements.length === 0) state.isMarked = true
        else replaced.set(state.id, pool.metadata.name)
      }
      return {
        reason: method.reason,
        nodes: command.candidates.map(({ name }) => name),
        replacement: command.replacements.flatMap(({ types }) => types.map(({ name }) => name)),
        savingsPerHour: estimatedSavings(command, wellKnown),
      }
    })
  }
  return []
}

function keptBecause({ isConsolidatable, pool }: StateNode, { view }: Situation): string {
  const after = view.get(nodePools, pool ?? '')?.spec.disruption?.consolidateAfter ?? '0s'
  return isConsolidatable
    ? 'its pods need a node of at least the same price'
    : `pods were added or removed within consolidateAfter (${after})`
}
