import type { StringMap } from '../../../api/objects/meta.ts'
import type { KubernetesRelease } from '../../../api/releases/kubernetes-release.ts'
import { type ColumnarPlugin, defineColumnarPlugin } from '../../columns/plugin-columns.ts'
import {
  type AffinityTerm,
  type ClusterState,
  failure,
  type NodeState,
  ok,
  type ParsedPod,
  type PluginStatus,
  type PodShape,
  skip,
  unresolvable,
} from '../../contract/contract.ts'
import { affinityColumns } from './columns.ts'
import { PairCounts } from './pair-counts.ts'
import { affinityBroken, antiAffinityBroken, existingAntiAffinityBroken, normalizeAffinity } from './rules.ts'
import {
  allMean,
  meansIncoming,
  meansPlaced,
  namespaceLabelsOf,
  type ResolvedTerm,
  type TermResolver,
  termResolver,
} from './term-matching.ts'
import { interPodAffinityWake } from './wake.ts'

export interface InterPodAffinityArgs {
  /** The weight of required affinity of placed pods to the incoming pod. Default: 1. */
  readonly hardPodAffinityWeight?: number
  readonly ignorePreferredTermsOfExistingPods?: boolean
}

/** The args, and how the release reads the namespaces of terms. */
export interface InterPodAffinityRules extends InterPodAffinityArgs {
  readonly resolve: TermResolver
}

/** Weights by topology key and value. */
type DomainWeights = Map<string, Map<string, number>>

export interface AffinityState {
  readonly affinity: readonly ResolvedTerm[]
  readonly antiAffinity: readonly ResolvedTerm[]
  readonly namespaceLabels: StringMap | undefined
  /** Placed pods with required anti-affinity to the incoming pod. */
  readonly existing: PairCounts
  readonly affinityCounts: PairCounts
  readonly antiAffinityCounts: PairCounts
}

export function createInterPodAffinity(
  args: InterPodAffinityArgs,
  release: KubernetesRelease,
): ColumnarPlugin<AffinityState, DomainWeights> {
  const rules: InterPodAffinityRules = { ...args, resolve: termResolver(release) }
  return defineColumnarPlugin<AffinityState, DomainWeights>({
    name: 'InterPodAffinity',
    withoutPreFilter: 'error reading "PreFilterInterPodAffinity" from cycleState: not found',
    withoutPreScore: 'failed to read "PreScoreInterPodAffinity" from cycleState: not found',
    preFilter(pod, cluster) {
      if (pod.shape.termProblem !== undefined) return unresolvable(`parsing pod: ${pod.shape.termProblem}`)
      const state = countTerms(pod, cluster, rules)
      const { existing, affinity, antiAffinity } = state
      return existing.isEmpty && affinity.length === 0 && antiAffinity.length === 0 ? skip : { state }
    },
    filter: (pod, node, state) => checkTerms(pod, node, state),
    preFilterAddPod: (pod, added, node, state) => countPod(pod, added, node, state, 1),
    preFilterRemovePod: (pod, removed, node, state) => countPod(pod, removed, node, state, -1),
    cloneState: (state) => ({
      ...state,
      existing: state.existing.copy(),
      affinityCounts: state.affinityCounts.copy(),
      antiAffinityCounts: state.antiAffinityCounts.copy(),
    }),
    preScore: (pod, _nodes, cluster) => weighDomains(pod, cluster, rules),
    score(_pod, { node }, weights) {
      let score = 0
      for (const [key, domains] of weights) score += domains.get(node.metadata.labels?.[key] ?? missingValue) ?? 0
      return score
    },
    normalize: normalizeAffinity,
    wakeOn: interPodAffinityWake(release),
    columns: affinityColumns(rules),
  })
}

/** Longer than any label value. */
const missingValue = ' '.repeat(64)

function countTerms(pod: ParsedPod, cluster: ClusterState, { resolve }: InterPodAffinityRules): AffinityState {
  const { objects } = cluster
  const state: AffinityState = {
    affinity: pod.shape.requiredAffinity.map((term) => resolve(term, objects)),
    antiAffinity: pod.shape.requiredAntiAffinity.map((term) => resolve(term, objects)),
    namespaceLabels: namespaceLabelsOf(pod.shape.namespace, objects),
    existing: new PairCounts(),
    affinityCounts: new PairCounts(),
    antiAffinityCounts: new PairCounts(),
  }
  const lookAtAll = state.affinity.length > 0 || state.antiAffinity.length > 0
  for (const node of cluster.nodes) {
    for (const placed of lookAtAll ? node.pods : node.podsWithRequiredAntiAffinity)
      countPod(pod, placed, node, state, 1)
  }
  return state
}

function countPod(pod: ParsedPod, placed: ParsedPod, { node }: NodeState, state: AffinityState, delta: 1 | -1): void {
  const nodeLabels = node.metadata.labels
  for (const term of placed.shape.requiredAntiAffinity) {
    if (meansIncoming(term, pod.shape, state.namespaceLabels)) count(state.existing, term, nodeLabels, delta)
  }
  if (allMean(state.affinity, placed.shape)) {
    for (const { term } of state.affinity) count(state.affinityCounts, term, nodeLabels, delta)
  }
  for (const resolved of state.antiAffinity) {
    if (meansPlaced(resolved, placed.shape)) count(state.antiAffinityCounts, resolved.term, nodeLabels, delta)
  }
}

function count(
  counts: PairCounts,
  { topologyKey }: AffinityTerm,
  nodeLabels: StringMap | undefined,
  delta: number,
): void {
  const value = nodeLabels?.[topologyKey]
  if (value !== undefined) counts.add(topologyKey, value, delta)
}

function checkTerms({ shape }: ParsedPod, { node }: NodeState, state: AffinityState): PluginStatus {
  const nodeLabels = node.metadata.labels
  if (!affinityHolds(shape, nodeLabels, state)) return affinityBroken
  for (const { term } of state.antiAffinity) {
    if (countAt(state.antiAffinityCounts, term.topologyKey, nodeLabels) > 0) return antiAffinityBroken
  }
  for (const key of state.existing.keys()) {
    if (countAt(state.existing, key, nodeLabels) > 0) return existingAntiAffinityBroken
  }
  return ok
}

function affinityHolds(shape: PodShape, nodeLabels: StringMap | undefined, state: AffinityState): boolean {
  let found = true
  for (const { term } of state.affinity) {
    if (nodeLabels?.[term.topologyKey] === undefined) return false
    if (countAt(state.affinityCounts, term.topologyKey, nodeLabels) <= 0) found = false
  }
  // The first pod of a group with affinity to itself fits anywhere.
  return found || (state.affinityCounts.isEmpty && allMean(state.affinity, shape))
}

function countAt(counts: PairCounts, key: string, nodeLabels: StringMap | undefined): number {
  const value = nodeLabels?.[key]
  return value === undefined ? 0 : counts.get(key, value)
}

function weighDomains(
  pod: ParsedPod,
  { nodes, objects }: ClusterState,
  args: InterPodAffinityRules,
): { readonly state: DomainWeights } | PluginStatus {
  const { shape } = pod
  const prefers = shape.preferredAffinity.length > 0 || shape.preferredAntiAffinity.length > 0
  if (args.ignorePreferredTermsOfExistingPods === true && !prefers) return skip
  if (shape.termProblem !== undefined) return failure(`failed to parse pod: ${shape.termProblem}`)
  const resolve = (list: typeof shape.preferredAffinity, sign: 1 | -1) =>
    list.map(({ weight, term }) => ({ weight: sign * weight, resolved: args.resolve(term, objects) }))
  const own = [...resolve(shape.preferredAffinity, 1), ...resolve(shape.preferredAntiAffinity, -1)]
  const namespaceLabels = namespaceLabelsOf(shape.namespace, objects)
  const hardWeight = args.hardPodAffinityWeight ?? 1
  const weights: DomainWeights = new Map()
  for (const { node, pods, podsWithAffinity } of nodes) {
    const nodeLabels = node.metadata.labels
    if (nodeLabels === undefined) continue
    for (const placed of prefers ? pods : podsWithAffinity) {
      for (const { weight, resolved } of own) {
        if (meansPlaced(resolved, placed.shape)) weigh(weights, resolved.term, nodeLabels, weight)
      }
      const weighPlaced = (term: AffinityTerm, weight: number): void => {
        if (meansIncoming(term, shape, namespaceLabels)) weigh(weights, term, nodeLabels, weight)
      }
      if (hardWeight > 0) for (const term of placed.shape.requiredAffinity) weighPlaced(term, hardWeight)
      for (const { term, weight } of placed.shape.preferredAffinity) weighPlaced(term, weight)
      for (const { term, weight } of placed.shape.preferredAntiAffinity) weighPlaced(term, -weight)
    }
  }
  return weights.size === 0 ? skip : { state: weights }
}

/** Unlike a count, a sum of zero is kept, because then the plugin does not skip. */
function weigh(weights: DomainWeights, { topologyKey }: AffinityTerm, nodeLabels: StringMap, weight: number): void {
  const value = nodeLabels[topologyKey]
  if (value === undefined) return
  let domains = weights.get(topologyKey)
  if (domains === undefined) {
    domains = new Map()
    weights.set(topologyKey, domains)
  }
  domains.set(value, (domains.get(value) ?? 0) + weight)
}
