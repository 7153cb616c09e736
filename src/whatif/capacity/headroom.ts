import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { annotations, labels } from '../../api/well-known.ts'
import type { ClusterSnapshot } from '../../autoscalers/simulation/cluster-snapshot.ts'
import type { NodeState, Profile } from '../../scheduler/contract/contract.ts'
import type { ObjectSource } from '../explain/object-set.ts'
import { hasRoomFor, snapshotOf } from './removable.ts'
import { shapeText } from './smallest.ts'

/** Requested and free resources of a set of nodes that accept new pods. */
export interface HeadroomRow {
  readonly scope: 'cluster' | 'zone' | 'pool' | 'shape'
  readonly name: string
  readonly nodes: number
  readonly cpu: { readonly requestedMilli: number; readonly freeMilli: number; readonly freePercent: number }
  readonly memory: { readonly requestedBytes: number; readonly freeBytes: number; readonly freePercent: number }
  /** The largest free CPU and memory of a single node. */
  readonly largestFree: { readonly cpuMilli: number; readonly memoryBytes: number }
  readonly podSlots: number
}

/** The result of a test whether the pods of lost nodes fit on other nodes, by the filters of the scheduler. */
export interface LossRow {
  readonly lost: 'node' | 'zone'
  readonly name: string
  readonly nodes: number
  readonly pods: number
  /** Pods that do not fit. */
  readonly homeless: number
  /** The workloads of these pods, the workload with the most such pods first. */
  readonly workloads: readonly { readonly workload: string; readonly pods: number }[]
  /** The first pod of some of these workloads. */
  readonly examples: readonly string[]
}

export interface Headroom {
  readonly rows: readonly HeadroomRow[]
  readonly losses: readonly LossRow[]
}

export interface HeadroomInput {
  readonly objects: ObjectSource
  readonly profile: Profile
  /** The label of pools; absent: no rows for pools. */
  readonly poolLabel?: string
}

export function findHeadroom({ objects, profile, poolLabel }: HeadroomInput): Headroom {
  const snapshot = snapshotOf(objects, profile)
  const open = snapshot.nodes.filter(({ node }) => acceptsPods(node))
  const grouped = (scope: HeadroomRow['scope'], of: (node: Node) => string | undefined) => rowsBy(open, scope, of)
  // Computed before the losses are tried, so the states of nodes are the current ones.
  const rows = [
    rowOf('cluster', 'all nodes', open),
    ...grouped('zone', ({ metadata }) => metadata.labels?.[labels.zone]),
    ...(poolLabel === undefined ? [] : grouped('pool', ({ metadata }) => metadata.labels?.[poolLabel])),
    ...grouped('shape', shapeText),
  ]
  const losses = [largestNodeLoss(snapshot), ...zoneLosses(snapshot)].filter((row) => row !== undefined)
  return {
    rows,
    losses: losses.sort((a, b) => b.homeless - a.homeless || (a.lost === b.lost ? 0 : a.lost === 'zone' ? -1 : 1)),
  }
}

/** Reports whether a node accepts pods. Cordoned nodes and nodes with a taint of the node lifecycle do not. */
function acceptsPods({ spec }: Node): boolean {
  return spec?.unschedulable !== true && spec?.taints?.some(({ key }) => key.startsWith('node.kubernetes.io/')) !== true
}

function rowsBy(
  nodes: readonly NodeState[],
  scope: HeadroomRow['scope'],
  of: (node: Node) => string | undefined,
): readonly HeadroomRow[] {
  const groups = new Map<string, NodeState[]>()
  for (const state of nodes) {
    const name = of(state.node)
    if (name === undefined) continue
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [state])
    else group.push(state)
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, members]) => rowOf(scope, name, members))
}

function rowOf(scope: HeadroomRow['scope'], name: string, nodes: readonly NodeState[]): HeadroomRow {
  const total = { cpu: 0, cpuFree: 0, memory: 0, memoryFree: 0, podSlots: 0 }
  const largestFree = { cpuMilli: 0, memoryBytes: 0 }
  for (const { requested, allocatable, pods } of nodes) {
    const cpuFree = Math.max(0, allocatable.cpuMilli - requested.cpuMilli)
    const memoryFree = Math.max(0, allocatable.memoryBytes - requested.memoryBytes)
    total.cpu += requested.cpuMilli
    total.cpuFree += cpuFree
    total.memory += requested.memoryBytes
    total.memoryFree += memoryFree
    total.podSlots += Math.max(0, allocatable.pods - pods.length)
    largestFree.cpuMilli = Math.max(largestFree.cpuMilli, cpuFree)
    largestFree.memoryBytes = Math.max(largestFree.memoryBytes, memoryFree)
  }
  const percent = (free: number, used: number) => (free + used === 0 ? 0 : Math.floor((100 * free) / (free + used)))
  return {
    scope,
    name,
    nodes: nodes.length,
    cpu: {
      requestedMilli: total.cpu,
      freeMilli: total.cpuFree,
      freePercent: percent(total.cpuFree, total.cpu),
    },
    memory: {
      requestedBytes: total.memory,
      freeBytes: total.memoryFree,
      freePercent: percent(total.memoryFree, total.memory),
    },
    largestFree,
    podSlots: total.podSlots,
  }
}

/** The node with the most requested CPU. */
function largestNodeLoss(snapshot: ClusterSnapshot): LossRow | undefined {
  const largest = snapshot.nodes.reduce<NodeState | undefined>(
    (most, state) => (most === undefined || state.requested.cpuMilli > most.requested.cpuMilli ? state : most),
    undefined,
  )
  return largest && lossOf(snapshot, 'node', largest.name, [largest.name])
}

function zoneLosses(snapshot: ClusterSnapshot): readonly LossRow[] {
  const zones = new Map<string, string[]>()
  for (const { name, node } of snapshot.nodes) {
    const zone = node.metadata.labels?.[labels.zone]
    if (zone !== undefined) zones.set(zone, [...(zones.get(zone) ?? []), name])
  }
  return [...zones].sort(([a], [b]) => (a < b ? -1 : 1)).map(([zone, names]) => lossOf(snapshot, 'zone', zone, names))
}

function lossOf(snapshot: ClusterSnapshot, lost: LossRow['lost'], name: string, nodes: readonly string[]): LossRow {
  const moving = nodes.flatMap((node) => snapshot.podsOn(node)).filter(mustMove)
  const homeless: Pod[] = []
  // Free resources only decrease, so another pod of the workload fails as well, unless its placement depends on other
  // pods.
  const hopeless = new Set<string>()
  snapshot.fork()
  for (const pod of moving) snapshot.unschedulePod(pod)
  for (const node of nodes) snapshot.removeNode(node)
  for (const pod of moving.toSorted((a, b) => (b.spec.priority ?? 0) - (a.spec.priority ?? 0))) {
    const owner = controllerOf(pod)?.uid
    const parsed = snapshot.parse(pod)
    const isHopeless = owner !== undefined && hopeless.has(owner)
    if (!isHopeless && snapshot.scheduleOnAny(parsed, hasRoomFor(parsed)) !== undefined) continue
    homeless.push(pod)
    const isTied = pod.spec.affinity !== undefined || pod.spec.topologySpreadConstraints !== undefined
    if (owner !== undefined && !isTied) hopeless.add(owner)
  }
  snapshot.revert()
  const examples = new Map(homeless.map((pod) => [controllerOf(pod)?.uid ?? pod.metadata.name, pod]))
  return {
    lost,
    name,
    nodes: nodes.length,
    pods: moving.length,
    homeless: homeless.length,
    workloads: byWorkload(homeless),
    examples: [...examples.values()].slice(0, 5).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
  }
}

function byWorkload(pods: readonly Pod[]): LossRow['workloads'] {
  const counts = new Map<string, number>()
  for (const pod of pods) {
    const name = `${pod.metadata.namespace}/${workloadName(pod)}`
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts]
    .map(([workload, count]) => ({ workload, pods: count }))
    .sort((a, b) => b.pods - a.pods || (a.workload < b.workload ? -1 : 1))
}

/** The name of the controller. For a ReplicaSet, the name without the hash that its Deployment added. */
function workloadName(pod: Pod): string {
  const owner = controllerOf(pod)
  const hash = pod.metadata.labels?.['pod-template-hash']
  if (owner === undefined) return pod.metadata.name
  return hash !== undefined && owner.name.endsWith(`-${hash}`) ? owner.name.slice(0, -hash.length - 1) : owner.name
}

/** Daemon pods and static pods end with their node; finished pods do not move. */
function mustMove(pod: Pod): boolean {
  return controllerOf(pod)?.kind !== 'DaemonSet' && pod.metadata.annotations?.[annotations.mirrorPod] === undefined
}
