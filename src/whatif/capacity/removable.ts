import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { annotations } from '../../api/well-known.ts'
import { ClusterSnapshot } from '../../autoscalers/simulation/cluster-snapshot.ts'
import type { NodeState, ParsedPod, Profile } from '../../scheduler/contract/contract.ts'
import type { ObjectSource } from '../explain/object-set.ts'

export interface Removable {
  /** Nodes that can be removed in this order: the pods of each fit on the remaining nodes. */
  readonly nodes: readonly { readonly node: string; readonly pods: number }[]
  /** The reason why each of the other nodes must stay. */
  readonly kept: readonly { readonly node: string; readonly pod?: string; readonly reason: string }[]
}

/**
 * Removes one node after the other, the least used first, as long as all of its pods fit on the others by the filters
 * of the scheduler. Disruption budgets limit the speed of a removal but do not prevent it, so they are not considered.
 */
export function findRemovable(
  objects: ObjectSource,
  profile: Profile,
  isCandidate: (node: Node) => boolean = () => true,
): Removable {
  const snapshot = snapshotOf(objects, profile)
  const nodes: { node: string; pods: number }[] = []
  const kept: { node: string; pod?: string; reason: string }[] = []
  const mayFit = profile.filter.some((plugin) => plugin.name === 'NodeResourcesFit') ? hasRoomFor : () => () => true
  snapshot.fork()
  for (const { name, node } of leastUsedFirst(snapshot)) {
    if (!isCandidate(node)) continue
    const moving = snapshot.podsOn(name).filter(mustMove)
    const blocking = moving.find((pod) => controllerOf(pod) === undefined)
    if (blocking !== undefined) {
      kept.push({ node: name, pod: keyOf(blocking), reason: 'has no controller: it would be lost' })
      continue
    }
    const stuck = tryRemoval(snapshot, name, moving, mayFit)
    if (stuck === undefined) nodes.push({ node: name, pods: moving.length })
    else kept.push({ node: name, pod: keyOf(stuck), reason: 'fits on no other node' })
  }
  return { nodes, kept }
}

/** The pod that fits on no other node; undefined if the node was removed. */
function tryRemoval(
  snapshot: ClusterSnapshot,
  name: string,
  moving: readonly Pod[],
  mayFit: (pod: ParsedPod) => (node: NodeState) => boolean,
): Pod | undefined {
  snapshot.fork()
  for (const pod of moving) snapshot.unschedulePod(pod)
  snapshot.removeNode(name)
  for (const pod of moving) {
    const parsed = snapshot.parse(pod)
    if (snapshot.scheduleOnAny(parsed, mayFit(parsed)) !== undefined) continue
    snapshot.revert()
    return pod
  }
  snapshot.commit()
  return undefined
}

const deviceResources = [
  'deviceclasses.resource.k8s.io',
  'resourceslices.resource.k8s.io',
  'resourceclaims.resource.k8s.io',
] as const

/** The nodes, pods and devices of a cluster, with the plugins that its pods need. */
export function snapshotOf(objects: ObjectSource, profile: Profile): ClusterSnapshot {
  const pods = objects.list('pods')
  const snapshot = new ClusterSnapshot(neededPlugins(profile, pods), objects)
  for (const resource of deviceResources) {
    for (const after of objects.list(resource)) snapshot.take({ resource, key: '', after } as never, objects)
  }
  for (const node of objects.list('nodes'))
    snapshot.take({ resource: 'nodes', key: node.metadata.name, after: node }, objects)
  for (const pod of pods) snapshot.take({ resource: 'pods', key: '', after: pod }, objects)
  return snapshot
}

/** Without pods that have affinity to other pods, the plugin reads every node without an effect. */
function neededPlugins(profile: Profile, pods: readonly Pod[]): Profile {
  const isNeeded = pods.some(
    ({ spec }) => spec.affinity?.podAffinity !== undefined || spec.affinity?.podAntiAffinity !== undefined,
  )
  if (isNeeded) return profile
  const others = ({ name }: { readonly name: string }) => name !== 'InterPodAffinity'
  return { ...profile, preFilter: profile.preFilter.filter(others), filter: profile.filter.filter(others) }
}

/** A necessary condition that is much cheaper than the filters: most nodes of a full cluster do not meet it. */
export function hasRoomFor({ shape }: ParsedPod): (node: NodeState) => boolean {
  const { cpuMilli, memoryBytes } = shape.requests
  return ({ allocatable, requested, pods }) =>
    pods.length < allocatable.pods &&
    (cpuMilli === 0 || requested.cpuMilli + cpuMilli <= allocatable.cpuMilli) &&
    (memoryBytes === 0 || requested.memoryBytes + memoryBytes <= allocatable.memoryBytes)
}

function leastUsedFirst(snapshot: ClusterSnapshot): readonly { readonly name: string; readonly node: Node }[] {
  return snapshot.nodes
    .map(({ name, node, requested, allocatable }) => {
      const share = (used: number, all: number) => (all === 0 ? 0 : used / all)
      const used = Math.max(
        share(requested.cpuMilli, allocatable.cpuMilli),
        share(requested.memoryBytes, allocatable.memoryBytes),
      )
      return { name, node, used }
    })
    .sort((a, b) => a.used - b.used || (a.name < b.name ? -1 : 1))
}

/** Daemon pods and static pods end with their node. */
function mustMove(pod: Pod): boolean {
  return controllerOf(pod)?.kind !== 'DaemonSet' && pod.metadata.annotations?.[annotations.mirrorPod] === undefined
}

const keyOf = ({ metadata }: Pod): string => `${metadata.namespace}/${metadata.name}`
