import { keyOf } from '../../api/object-key.ts'
import type { ResourceClaim } from '../../api/objects/devices.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { Settings } from '../../controlplane/settings.ts'
import { createVirtualCluster, type VirtualCluster } from '../../controlplane/virtual.ts'
import type { Store } from '../../store/contract.ts'
import { type MoveCandidate, moveCandidates, movedPod, podTarget } from './device-moves.ts'

/** The number of additional pods with a claim from a template that would be placed. */
export interface DeviceRoom {
  readonly pods: number
  /** The nodes of these pods, with the number of pods on each. */
  readonly nodes: Readonly<Record<string, number>>
  /** The reason why the next pod would stay pending; absent: the limit of the question was reached. */
  readonly because?: string
  /**
   * Set if free devices are spread over nodes: the number of pods that would be placed if these pods were created
   * again.
   */
  readonly ifMoved?: { readonly pods: number; readonly moved: readonly string[] }
}

interface TemplateName {
  readonly namespace: string
  readonly name: string
}

interface RoomInput {
  readonly store: Store
  readonly settings: Settings
  readonly startMs: number
  readonly limit: number
}

/** Moves of this number of nodes are combined. */
const mostRounds = 3

/**
 * Creates pods that need only the claim, one after the other, until one stays pending. The result is exact, because the
 * allocator of the scheduler decides; the pods request no CPU or memory.
 */
export function roomFor(template: TemplateName, input: RoomInput): DeviceRoom {
  const cluster = clusterOf(input.store, input)
  const filled = fill(cluster, template, 0, input.limit)
  if (filled.because === undefined) return filled
  const moved = moves(cluster, template, input, filled.pods)
  return moved.moved.length === 0 ? filled : { ...filled, ifMoved: moved }
}

function clusterOf(store: Store, { settings, startMs }: RoomInput): VirtualCluster {
  const cluster = createVirtualCluster({
    ...{ startMs, store, settings },
    controllers: ['resourceclaim', 'scheduler'],
    resumed: true,
  })
  cluster.driver.settle()
  return cluster
}

/** Creates pods until one stays pending, and deletes that pod. */
function fill(cluster: VirtualCluster, template: TemplateName, from: number, limit: number): DeviceRoom {
  const nodes: Record<string, number> = {}
  for (let pods = from; pods < limit; pods++) {
    const pod = podOf(`berth-room-${pods}`, template)
    const placed = place(cluster, pod)
    if (placed.node === undefined) {
      remove(cluster, pod)
      return { pods, nodes, because: placed.because }
    }
    nodes[placed.node] = (nodes[placed.node] ?? 0) + 1
  }
  return { pods: limit, nodes }
}

function place(
  cluster: VirtualCluster,
  object: Pod,
): { readonly node: string } | { readonly node?: undefined; readonly because: string } {
  const { namespace } = object.metadata
  const target = { resource: 'pods' as const, ...(namespace && { namespace }) }
  const created = cluster.client.callNow({ ...target, verb: 'create', object: object as KubeObject })
  if (!created.ok) return { because: created.status.message ?? '' }
  cluster.driver.advance(2_000)
  const pod = cluster.store.get('pods', keyOf(object)) as Pod | undefined
  const node = pod?.spec.nodeName
  if (node !== undefined) return { node }
  const scheduled = pod?.status?.conditions?.find(({ type }) => type === 'PodScheduled')
  return { because: scheduled?.message ?? 'the pod was not scheduled' }
}

function remove(cluster: VirtualCluster, pod: Pod): void {
  const target = { resource: 'pods' as const, ...podTarget(pod) }
  cluster.client.callNow({ ...target, verb: 'delete', options: { gracePeriodSeconds: 0 } })
  cluster.driver.advance(2_000)
}

/** Searches for pods whose re-creation leaves room for more pods, node by node, the largest gain first. */
function moves(
  filled: VirtualCluster,
  template: TemplateName,
  input: RoomInput,
  room: number,
): { readonly pods: number; readonly moved: readonly string[] } {
  let best = { cluster: filled, pods: room, moved: [] as readonly string[] }
  for (let round = 0; round < mostRounds; round++) {
    const { cluster, pods, moved } = best
    const known = cluster.store.list('pods') as readonly Pod[]
    const claims = cluster.store.list('resourceclaims.resource.k8s.io') as readonly ResourceClaim[]
    const candidates = moveCandidates(known.filter(isOfUser), claims)
    for (const candidate of candidates) {
      const tried = clusterOf(cluster.store, input)
      const found = tryMove(tried, template, candidate, pods, input.limit)
      if (found > best.pods) best = { cluster: tried, pods: found, moved: [...moved, ...candidate.map(keyOf)] }
    }
    if (best.cluster === cluster) break
  }
  return { pods: best.pods, moved: best.moved }
}

/** The room without these pods, if they can be placed again after the room is used. */
function tryMove(
  cluster: VirtualCluster,
  template: TemplateName,
  candidate: MoveCandidate,
  from: number,
  limit: number,
): number {
  for (const pod of candidate) remove(cluster, pod)
  const { pods } = fill(cluster, template, from, limit)
  if (pods === from) return from
  const areBack = candidate.every((pod, i) => place(cluster, movedPod(pod, from * 10 + i)).node !== undefined)
  return areBack ? pods : from
}

function isOfUser({ metadata }: Pod): boolean {
  return !metadata.name.startsWith('berth-')
}

function podOf(name: string, template: TemplateName): Pod {
  const spec = {
    containers: [{ name: 'pod', image: 'pod', resources: { claims: [{ name: 'claim' }] } }],
    resourceClaims: [{ name: 'claim', resourceClaimTemplateName: template.name }],
    tolerations: [{ operator: 'Exists' }],
  }
  return { metadata: { name, namespace: template.namespace }, spec } as Pod
}
