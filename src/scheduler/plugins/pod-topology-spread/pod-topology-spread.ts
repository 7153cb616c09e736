import { RequiredNodeAffinity } from '../../../api/node-selector.ts'
import type { Pod } from '../../../api/objects/pod.ts'
import type { KubernetesRelease } from '../../../api/releases/kubernetes-release.ts'
import { labels } from '../../../api/well-known.ts'
import { type ColumnarPlugin, defineColumnarPlugin } from '../../columns/plugin-columns.ts'
import {
  type ClusterState,
  failure,
  type NodeState,
  ok,
  type ParsedPod,
  type PluginStatus,
  skip,
} from '../../contract/contract.ts'
import { spreadColumns } from './columns.ts'
import {
  constraintsOf,
  hasAllKeys,
  includes,
  type PodTopologySpreadArgs,
  type SpreadConstraint,
  type SpreadSettings,
  settingsOf,
} from './constraints.ts'
import { CountedDomains, ShiftedDomains } from './shifted-domains.ts'
import { domainWeight, labelMissing, needsAllKeys, normalizeSpread, tooUneven } from './spread-score.ts'
import { podTopologySpreadWake } from './wake.ts'

export interface SpreadState {
  readonly constraints: readonly SpreadConstraint[]
  readonly required: RequiredNodeAffinity
  /** Matching pods per domain, by constraint. */
  readonly counts: readonly ShiftedDomains[]
}

interface SpreadScores {
  readonly constraints: readonly SpreadConstraint[]
  readonly ignored: ReadonlySet<string>
  readonly counts: readonly Map<string, number>[]
  readonly weights: readonly number[]
}

export function createPodTopologySpread(
  args: PodTopologySpreadArgs,
  release: KubernetesRelease,
): ColumnarPlugin<SpreadState, SpreadScores> {
  const settings = settingsOf(args, release)
  return defineColumnarPlugin<SpreadState, SpreadScores>({
    name: 'PodTopologySpread',
    withoutPreFilter: 'reading "PreFilterPodTopologySpread" from cycleState: not found',
    withoutPreScore: 'error reading "PreScorePodTopologySpread" from cycleState: not found',
    preFilter(pod, cluster) {
      const constraints = constraintsOf(pod.pod, 'DoNotSchedule', settings, cluster.objects)
      if (typeof constraints === 'string') return failure(`get constraints from pod: ${constraints}`)
      return constraints.length === 0 ? skip : { state: countDomains(pod, constraints, cluster) }
    },
    filter: (pod, node, state) => checkSkew(pod.pod, node, state),
    preFilterAddPod: (pod, added, node, state) => shift(pod, added, node, state, 1),
    preFilterRemovePod: (pod, removed, node, state) => shift(pod, removed, node, state, -1),
    cloneState: (state) => ({ ...state, counts: state.counts.map((domains) => domains.copy()) }),
    preScore: (pod, nodes, cluster) => prepareScores(pod, nodes, cluster, settings),
    score: (pod, node, state) => rawScore(pod, node, state),
    normalize(scores, nodes, _pod, { ignored }) {
      normalizeSpread(scores, (i) => ignored.has((nodes[i] as NodeState).name))
    },
    wakeOn: podTopologySpreadWake(args, release),
    columns: spreadColumns(settings),
  })
}

function countDomains(pod: ParsedPod, constraints: readonly SpreadConstraint[], cluster: ClusterState): SpreadState {
  const required = new RequiredNodeAffinity(pod.pod)
  const counts = constraints.map(() => new CountedDomains())
  for (const node of cluster.nodes) {
    if (!hasAllKeys(node.node, constraints)) continue
    for (const [i, constraint] of constraints.entries()) {
      if (!includes(constraint, pod.pod, node.node, required)) continue
      const value = node.node.metadata.labels?.[constraint.topologyKey] as string
      counts[i]?.add(value, countMatching(node, constraint, pod.shape.namespace))
    }
  }
  return { constraints, required, counts: counts.map((domains) => new ShiftedDomains(domains)) }
}

/** Terminating pods do not count (#87621). A selector that matches everything counts nothing. */
export function countMatching(node: NodeState, { selector }: SpreadConstraint, namespace: string): number {
  if (selector.everything) return 0
  let count = 0
  for (const { shape, isTerminating } of node.pods) {
    if (shape.namespace !== namespace || isTerminating) continue
    if (selector.matches(shape.labels)) count++
  }
  return count
}

function checkSkew(pod: Pod, { node }: NodeState, { constraints, counts }: SpreadState): PluginStatus {
  for (const [i, constraint] of constraints.entries()) {
    const value = node.metadata.labels?.[constraint.topologyKey]
    if (value === undefined) return labelMissing
    const domains = counts[i] as ShiftedDomains
    const self = constraint.selector.matches(pod.metadata.labels) ? 1 : 0
    if (domains.get(value) + self - domains.least(constraint.minDomains) > constraint.maxSkew) return tooUneven
  }
  return ok
}

// Unlike countMatching, this counts terminating pods, and pods for selectors that match everything (v1.36,
// PodTopologySpread.updateWithPod).
function shift(pod: ParsedPod, other: ParsedPod, { node }: NodeState, state: SpreadState, delta: 1 | -1): void {
  const { constraints, required, counts } = state
  if (other.shape.namespace !== pod.shape.namespace || !hasAllKeys(node, constraints)) return
  for (const [i, constraint] of constraints.entries()) {
    if (!constraint.selector.matches(other.shape.labels) || !includes(constraint, pod.pod, node, required)) continue
    counts[i]?.add(node.metadata.labels?.[constraint.topologyKey] as string, delta)
  }
}

function prepareScores(
  pod: ParsedPod,
  nodes: readonly NodeState[],
  cluster: ClusterState,
  settings: SpreadSettings,
): { readonly state: SpreadScores } | PluginStatus {
  const constraints = constraintsOf(pod.pod, 'ScheduleAnyway', settings, cluster.objects)
  if (typeof constraints === 'string') return failure(`calculating preScoreState: ${constraints}`)
  if (constraints.length === 0) return skip
  const requireAllKeys = needsAllKeys(pod.pod, settings)
  const ignored = new Set<string>()
  const counts = constraints.map(() => new Map<string, number>())
  for (const { node, name } of nodes) {
    if (requireAllKeys && !hasAllKeys(node, constraints)) {
      ignored.add(name)
      continue
    }
    for (const [i, { topologyKey }] of constraints.entries()) {
      // Counted per node in Score.
      if (topologyKey === labels.hostname) continue
      counts[i]?.set(node.metadata.labels?.[topologyKey] ?? '', 0)
    }
  }
  const weights = constraints.map(({ topologyKey }, i) =>
    domainWeight(topologyKey === labels.hostname ? nodes.length - ignored.size : (counts[i]?.size ?? 0)),
  )
  const required = new RequiredNodeAffinity(pod.pod)
  for (const node of cluster.nodes) {
    if (requireAllKeys && !hasAllKeys(node.node, constraints)) continue
    for (const [i, constraint] of constraints.entries()) {
      if (!includes(constraint, pod.pod, node.node, required)) continue
      const domains = counts[i] as Map<string, number>
      const value = node.node.metadata.labels?.[constraint.topologyKey] ?? ''
      const known = domains.get(value)
      if (known !== undefined) domains.set(value, known + countMatching(node, constraint, pod.shape.namespace))
    }
  }
  return { state: { constraints, ignored, counts, weights } }
}

function rawScore(pod: ParsedPod, node: NodeState, { constraints, ignored, counts, weights }: SpreadScores): number {
  if (ignored.has(node.name)) return 0
  let score = 0
  for (const [i, constraint] of constraints.entries()) {
    const value = node.node.metadata.labels?.[constraint.topologyKey]
    if (value === undefined) continue
    const count =
      constraint.topologyKey === labels.hostname
        ? countMatching(node, constraint, pod.shape.namespace)
        : (counts[i]?.get(value) ?? 0)
    score += count * (weights[i] as number) + (constraint.maxSkew - 1)
  }
  return Math.round(score)
}
