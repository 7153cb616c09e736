import { keyOf } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { KnownResource } from '../../api/objects/resources.ts'
import { labels } from '../../api/well-known.ts'
import type { Autoscaling } from '../../autoscalers/autoscaling.ts'
import { priceOf } from '../../autoscalers/karpenter/catalog/instance-type.ts'
import { KarpenterCloud } from '../../autoscalers/karpenter/cloud/karpenter-cloud.ts'
import { budgetsOf } from '../../autoscalers/karpenter/disruption/budgets.ts'
import { candidatesOf } from '../../autoscalers/karpenter/disruption/candidate.ts'
import { estimatedSavings } from '../../autoscalers/karpenter/disruption/command.ts'
import { methods } from '../../autoscalers/karpenter/disruption/methods.ts'
import { capacityTypeLabel, kwokNodeClasses, nodeClaims, nodePools } from '../../autoscalers/karpenter/names.ts'
import type { Situation } from '../../autoscalers/karpenter/situation.ts'
import { ClusterState } from '../../autoscalers/karpenter/state/cluster-state.ts'
import type { Change } from '../../runtime/controller.ts'
import { createReadModel } from '../../runtime/read-model.ts'
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
  /** 0: not known. */
  readonly pricePerHour: number
  readonly decision: 'remove' | 'replace' | 'keep'
  readonly reason: string
}

export interface DisruptionExplanation {
  readonly removals: readonly Removal[]
  readonly nodes: readonly NodeDisruption[]
  readonly pricePerHour: number
}

const read: readonly KnownResource[] = [
  nodeClaims,
  'nodes',
  nodePools,
  kwokNodeClasses,
  'pods',
  'namespaces',
  'daemonsets.apps',
  'poddisruptionbudgets.policy',
  'persistentvolumes',
  'persistentvolumeclaims',
  'storageclasses.storage.k8s.io',
  'csinodes.storage.k8s.io',
]

/** What Karpenter would remove now, reason by reason, and why it keeps every other node. */
export function explainDisruption(
  { store, takenAtMs }: FoundCluster,
  { catalog, options }: NonNullable<Autoscaling['karpenter']>,
): DisruptionExplanation {
  const view = createReadModel()
  const state = new ClusterState()
  const changes = read.flatMap((resource) =>
    store.list(resource).map((after) => ({ resource, key: keyOf(after as KubeObject), after }) as unknown as Change),
  )
  view.apply(changes)
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
      const kept = reasons.get(name) ?? 'neither empty, drifted nor underutilized for as long as consolidateAfter says'
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

/** The first decision of each reason. Karpenter carries out one at a time and then decides again. */
function removalsOf(situation: Situation, reasons: Map<string, string>): readonly Removal[] {
  const { wellKnown } = situation.cloud.catalog
  const busy = new Set<string>()
  return methods.flatMap((method) => {
    const blocked = (node: { readonly name: string }, reason: string) => reasons.set(node.name, reason)
    const all = candidatesOf(situation, method.class, (id) => busy.has(id), blocked)
    const candidates = all.filter((candidate) => method.shouldDisrupt(candidate, blocked))
    if (candidates.length === 0) return []
    const budgets = budgetsOf(situation, method.reason)
    const { commands } = method.decide({ situation, candidates, all, budgets, note: blocked, noteSilently: blocked })
    return commands.map((command) => {
      for (const { state } of command.candidates) busy.add(state.id)
      return {
        reason: method.reason,
        nodes: command.candidates.map(({ name }) => name),
        replacement: command.replacements.flatMap(({ types }) => types.map(({ name }) => name)),
        savingsPerHour: estimatedSavings(command, wellKnown),
      }
    })
  })
}
