import { isPodReady } from '../../api/conditions.ts'
import { selects } from '../../api/label-selector.ts'
import { keyOf } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Lease, Node } from '../../api/objects/node.ts'
import type { Pod, PodDisruptionBudget, ResourceList } from '../../api/objects/pod.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { formatQuantity, intValue, milliQuantity, milliValue, quantityOf } from '../../api/quantity.ts'
import { schedulingRequests } from '../../api/scheduling-requests.ts'
import { parseTime } from '../../api/time.ts'
import { labels } from '../../api/well-known.ts'
import type { Store } from '../../store/contract.ts'
import { createStore } from '../../store/memory-store.ts'
import type { FoundCluster } from '../scenario/forecast-plan.ts'

// The number of nodes of one kind that are kept for evicted pods, in addition to the nodes with kept pods.
const placesPerKind = 30

const workloads = ['replicasets.apps', 'deployments.apps', 'statefulsets.apps', 'jobs.batch'] as const
/** Resources whose objects are kept individually, or not at all. Other resources are kept completely. */
const chosen: ReadonlySet<string> = new Set([
  ...workloads,
  'nodes',
  'pods',
  'leases.coordination.k8s.io',
  'controllerrevisions.apps',
  'poddisruptionbudgets.policy',
  'daemonsets.apps',
  'cronjobs.batch',
  'events',
  'services',
  // Without its Service, the address of default/kubernetes would be allocated when the Service is created again.
  'ipaddresses.networking.k8s.io',
  'endpoints',
  'endpointslices.discovery.k8s.io',
])

/**
 * Creates clusters that contain only the objects that the failure of one node affects: the workloads of its pods with
 * all their pods and budgets, and the other nodes without the resources that the remaining pods use. A node has room
 * for a pod in such a cluster if and only if it has room for it in the whole cluster. Only the scores of nodes differ.
 * Objects are shared, not copied.
 */
export class PartialClusters {
  private readonly store: Store
  private readonly takenAtMs: number
  private readonly heartbeats: Heartbeats
  private readonly podsOn = new Map<string, Pod[]>()
  private readonly podsOf = new Map<string, Pod[]>()
  private readonly podsIn = new Map<string, Pod[]>()
  private readonly owners = new Map<string, { readonly resource: string; readonly object: KubeObject }>()
  private readonly childrenOf = new Map<string, { readonly resource: string; readonly object: KubeObject }[]>()
  private readonly budgetsIn = new Map<string, PodDisruptionBudget[]>()
  private readonly nodes: readonly Node[]
  private readonly kindNamed = new Map<string, string>()
  private readonly signatures = new Map<string, string | undefined>()
  /** Nodes that accept the same pods, nodes with the most free CPU first. */
  private readonly kinds = new Map<string, { readonly node: Node; readonly free: Room }[]>()
  private readonly complete: readonly { readonly resource: string; readonly key: string; readonly object: KubeObject }[]
  private readonly repelling: readonly Pod[]

  constructor({ store, takenAtMs }: FoundCluster, heartbeats: Heartbeats) {
    this.store = store
    this.takenAtMs = takenAtMs
    this.heartbeats = heartbeats
    this.nodes = store.list('nodes') as readonly Node[]
    const pods = store.list('pods') as readonly Pod[]
    for (const pod of pods) this.notePod(pod)
    this.repelling = pods.filter(
      ({ spec }) => (spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).length > 0,
    )
    for (const resource of [...workloads, 'controllerrevisions.apps'] as const) {
      for (const object of store.list(resource)) {
        this.owners.set(object.metadata.uid ?? '', { resource, object })
        push(this.childrenOf, controllerOf(object)?.uid ?? '', { resource, object })
      }
    }
    for (const budget of store.list('poddisruptionbudgets.policy') as readonly PodDisruptionBudget[])
      push(this.budgetsIn, budget.metadata.namespace ?? '', budget)
    for (const node of this.nodes) {
      const kind = kindOf(node)
      this.kindNamed.set(node.metadata.name, kind)
      push(this.kinds, kind, { node, free: this.freeOn(node) })
    }
    for (const alike of this.kinds.values()) alike.sort((a, b) => b.free.cpuMilli - a.free.cpuMilli)
    this.complete = store
      .resources()
      .filter((resource) => !chosen.has(resource))
      .flatMap((resource) => store.list(resource).map((object) => ({ resource, key: keyOf(object), object })))
  }

  private notePod(pod: Pod): void {
    if (pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed')
      push(this.podsOn, pod.spec.nodeName ?? '', pod)
    push(this.podsOf, controllerOf(pod)?.uid ?? '', pod)
    push(this.podsIn, pod.metadata.namespace ?? '', pod)
  }

  private freeOn({ metadata, status }: Node): Room {
    const pods = this.podsOn.get(metadata.name) ?? []
    const { cpuMilli, memoryBytes } = requestedBy(pods)
    return {
      cpuMilli: milliValue(status?.allocatable?.['cpu'] as string) - cpuMilli,
      memoryBytes: intValue(status?.allocatable?.['memory'] as string) - memoryBytes,
      pods: intValue(status?.allocatable?.['pods'] as string) - pods.length,
    }
  }

  /**
   * A key that is equal for nodes whose failure has the same harmless course: equal workloads (except for their names)
   * lose the same number of pods, and enough nodes like this one have room for all lost pods, so every order of
   * placements succeeds. Undefined if this is not certain.
   */
  signatureOf(name: string): string | undefined {
    const kind = this.kindNamed.get(name)
    const pods = (this.podsOn.get(name) ?? []).filter((pod) => controllerOf(pod)?.kind !== 'DaemonSet')
    if (kind === undefined || this.repelling.length > 0 || pods.some(needsAll) || pods.some(isTiedToOthers))
      return undefined
    const need = requestedBy(pods)
    const alike = this.kinds.get(kind) ?? []
    const isRoomy = alike.slice(0, pods.length + 1).every(({ free }) => hasRoom(free, need, pods.length))
    if (alike.length < pods.length + 2 || !isRoomy || need.hasScalars) return undefined
    const lost = new Map<string, number>()
    for (const pod of pods) {
      const owner = controllerOf(pod)
      if (owner?.kind !== 'ReplicaSet') return undefined
      const workload = this.workloadSignature(owner.uid, pod)
      if (workload === undefined) return undefined
      lost.set(owner.uid, (lost.get(owner.uid) ?? 0) + 1)
    }
    const parts = [...lost].map(([uid, count]) => `${count} of ${this.signatures.get(uid)}`).sort()
    return `${kind} ${this.lastHeard(name)} ${parts.join('; ')}`
  }

  /**
   * The time of the last heartbeat of the node. A heartbeat counts from the next pass of the node monitor, so nodes
   * whose last heartbeats are between the same two passes become unreachable at the same time.
   */
  private lastHeard(name: string): string {
    const lease = this.store.get('leases.coordination.k8s.io', `kube-node-lease/${name}`) as Lease | undefined
    const { renewTime = '' } = lease?.spec ?? {}
    const ageMs = this.takenAtMs - (parseTime(renewTime) ?? 0)
    const { renewMs, monitorMs } = this.heartbeats
    const isInside = ageMs > 0 && ageMs < renewMs && ageMs % monitorMs !== 0
    return isInside ? `${Math.floor(ageMs / monitorMs)} passes ago` : renewTime
  }

  /** A workload without its names. */
  private workloadSignature(uid: string, example: Pod): string | undefined {
    if (this.signatures.has(uid)) return this.signatures.get(uid)
    const set = this.owners.get(uid)?.object as { readonly spec?: { readonly replicas?: number } } | undefined
    const { namespace = '', labels: podLabels } = example.metadata
    const members = this.podsOf.get(uid) ?? []
    const budgets = (this.budgetsIn.get(namespace) ?? []).filter(({ spec }) => selects(spec?.selector, podLabels))
    const isOwn = budgets.every(({ status }) => status?.expectedPods === members.length)
    const plain = JSON.stringify(example.spec, (key, value) => (namesInSpec.has(key) ? undefined : value))
    const limits = budgets.map(({ status }) => [status?.currentHealthy, status?.desiredHealthy])
    const ready = members.filter((pod) => isPodReady(pod)).length
    const signature =
      set === undefined || !isOwn
        ? undefined
        : JSON.stringify([plain, set.spec?.replicas, members.length, ready, limits])
    this.signatures.set(uid, signature)
    return signature
  }

  /** The part of the cluster that the failure of a node affects; undefined if this may be the whole cluster. */
  around(name: string): Store | undefined {
    const lost = (this.podsOn.get(name) ?? []).filter((pod) => controllerOf(pod)?.kind !== 'DaemonSet')
    if (lost.some(needsAll)) return undefined
    const isCoupled = lost.some(isTiedToOthers)
    if ((isCoupled || this.repelling.length > 0) && this.repelling.length > 2_000) return undefined
    const kept = this.keptPods(lost, isCoupled)
    const nodes = this.keptNodes(name, kept, isCoupled || this.repelling.length > 0)
    const budgets = [...new Set([...kept].map(({ metadata }) => metadata.namespace ?? ''))].flatMap((namespace) =>
      (this.budgetsIn.get(namespace) ?? []).filter((budget) => this.isCovered(budget, kept)),
    )
    const names = new Set(nodes.map(({ metadata }) => metadata.name))
    const objects = [
      ...this.complete,
      ...nodes.map((node) => entry('nodes', this.withoutRoomOf(node, kept))),
      ...this.leasesOf(names),
      ...[...kept].map((pod) => entry('pods', pod)),
      ...this.ownersOf(kept),
      ...budgets.map((budget) => entry('poddisruptionbudgets.policy', budget)),
    ]
    return createStore({ initial: { revision: this.store.revision, objects } })
  }

  /** All pods of the workloads of these pods, and of workloads that share a budget with them. */
  private keptPods(lost: readonly Pod[], isCoupled: boolean): ReadonlySet<Pod> {
    const kept = new Set<Pod>()
    const keepAll = (pod: Pod) => {
      const owner = controllerOf(pod)
      // Daemon pods stay on their nodes. Their resources are subtracted from the nodes.
      if (owner?.kind === 'DaemonSet') return
      kept.add(pod)
      if (owner !== undefined) for (const sibling of this.siblings(owner.uid)) kept.add(sibling)
    }
    for (const pod of lost) {
      keepAll(pod)
      const { namespace = '' } = pod.metadata
      if (isCoupled) for (const other of this.podsIn.get(namespace) ?? []) keepAll(other)
      for (const { spec } of (this.budgetsIn.get(namespace) ?? []).filter((budget) =>
        selects(budget.spec?.selector, pod.metadata.labels),
      )) {
        for (const other of this.podsIn.get(namespace) ?? [])
          if (!kept.has(other) && selects(spec?.selector, other.metadata.labels)) keepAll(other)
      }
    }
    for (const pod of this.repelling) keepAll(pod)
    return kept
  }

  /** Pods of the same ReplicaSet, and of the other ReplicaSets of its Deployment. */
  private siblings(owner: string): readonly Pod[] {
    const above = this.owners.get(owner)?.object
    const top = above === undefined ? undefined : controllerOf(above)?.uid
    const sets =
      top === undefined ? [] : (this.childrenOf.get(top) ?? []).map(({ object }) => object.metadata.uid ?? '')
    return [owner, ...sets].flatMap((uid) => this.podsOf.get(uid) ?? [])
  }

  private ownersOf(kept: ReadonlySet<Pod>) {
    const found = new Map<string, { readonly resource: string; readonly object: KubeObject }>()
    const visit = (uid: string | undefined): void => {
      const owner = uid === undefined ? undefined : this.owners.get(uid)
      if (uid === undefined || owner === undefined || found.has(uid)) return
      found.set(uid, owner)
      visit(controllerOf(owner.object)?.uid)
      for (const { object } of this.childrenOf.get(uid) ?? []) visit(object.metadata.uid)
    }
    for (const pod of kept) visit(controllerOf(pod)?.uid)
    return [...found.values()].map(({ resource, object }) => entry(resource, object))
  }

  private isCovered(budget: PodDisruptionBudget, kept: ReadonlySet<Pod>): boolean {
    const pods = (this.podsIn.get(budget.metadata.namespace ?? '') ?? []).filter(({ metadata }) =>
      selects(budget.spec?.selector, metadata.labels),
    )
    return pods.length > 0 && pods.every((pod) => kept.has(pod))
  }

  private keptNodes(name: string, kept: ReadonlySet<Pod>, isCoupled: boolean): readonly Node[] {
    if (isCoupled) return this.nodes
    const names = new Set([name, ...[...kept].map(({ spec }) => spec.nodeName ?? '')])
    for (const alike of this.kinds.values())
      for (const { node } of alike.slice(0, placesPerKind)) names.add(node.metadata.name)
    return this.nodes.filter(({ metadata }) => names.has(metadata.name))
  }

  private leasesOf(nodes: ReadonlySet<string>) {
    return [...nodes].flatMap((name) => {
      const lease = this.store.get('leases.coordination.k8s.io', `kube-node-lease/${name}`)
      return lease === undefined ? [] : [entry('leases.coordination.k8s.io', lease)]
    })
  }

  /** The node without the resources of the omitted pods. */
  private withoutRoomOf(node: Node, kept: ReadonlySet<Pod>): Node {
    const gone = (this.podsOn.get(node.metadata.name) ?? []).filter((pod) => !kept.has(pod))
    const { allocatable } = node.status ?? {}
    if (gone.length === 0 || allocatable === undefined) return node
    return { ...node, status: { ...node.status, allocatable: reduced(allocatable, gone) } }
  }
}

/** The intervals at which kubelets renew their Leases, and at which the node monitor checks them. */
export interface Heartbeats {
  readonly renewMs: number
  readonly monitorMs: number
}

interface Room {
  readonly cpuMilli: number
  readonly memoryBytes: number
  readonly pods: number
}

const namesInSpec: ReadonlySet<string> = new Set(['nodeName', 'name', 'image', 'env', 'envFrom', 'command', 'args'])

function requestedBy(pods: readonly Pod[]): { cpuMilli: number; memoryBytes: number; hasScalars: boolean } {
  const sum = { cpuMilli: 0, memoryBytes: 0, hasScalars: false }
  for (const pod of pods) {
    const { cpuMilli, memoryBytes, ephemeralStorageBytes, scalars } = schedulingRequests(pod)
    sum.cpuMilli += cpuMilli
    sum.memoryBytes += memoryBytes
    sum.hasScalars ||= scalars.size > 0 || ephemeralStorageBytes > 0
  }
  return sum
}

function hasRoom(free: Room, need: { readonly cpuMilli: number; readonly memoryBytes: number }, pods: number): boolean {
  return free.cpuMilli >= need.cpuMilli && free.memoryBytes >= need.memoryBytes && free.pods >= pods
}

function reduced(allocatable: ResourceList, gone: readonly Pod[]): ResourceList {
  const used = new Map<string, number>([['pods', gone.length * 1000]])
  const add = (resource: string, milli: number) => used.set(resource, (used.get(resource) ?? 0) + milli)
  for (const pod of gone) {
    const { cpuMilli, memoryBytes, ephemeralStorageBytes, scalars } = schedulingRequests(pod)
    add('cpu', cpuMilli)
    add('memory', memoryBytes * 1000)
    add('ephemeral-storage', ephemeralStorageBytes * 1000)
    for (const [resource, amount] of scalars) add(resource, amount * 1000)
  }
  return Object.fromEntries(
    Object.entries(allocatable).map(([resource, quantity]) => {
      const milli = used.get(resource) ?? 0
      if (milli === 0) return [resource, quantity]
      const left = Math.max(0, milliValue(quantity as string) - milli)
      return [resource, formatQuantity(left % 1000 === 0 ? quantityOf(left / 1000) : milliQuantity(left))]
    }),
  )
}

/** Reports whether the placement of a pod depends on objects that are not kept. */
function needsAll({ spec }: Pod): boolean {
  return (
    (spec.resourceClaims ?? []).length > 0 ||
    spec.schedulingGroup !== undefined ||
    spec.containers.some(({ ports }) => ports?.some(({ hostPort }) => hostPort !== undefined && hostPort !== 0))
  )
}

/** Pods whose placement depends on other pods, or on volumes: all nodes are kept for them. */
function isTiedToOthers({ spec }: Pod): boolean {
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {}
  return (
    podAffinity !== undefined ||
    podAntiAffinity !== undefined ||
    spec.topologySpreadConstraints?.some(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule') === true ||
    spec.volumes?.some(({ persistentVolumeClaim }) => persistentVolumeClaim !== undefined) === true
  )
}

/** Nodes with the same size, labels and taints accept the same pods. */
function kindOf({ metadata, spec, status }: Node): string {
  const { [labels.hostname]: _, ...rest } = metadata.labels ?? {}
  const ordered = Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([ordered, spec?.taints ?? [], spec?.unschedulable === true, status?.allocatable ?? {}])
}

function entry(resource: string, object: KubeObject) {
  return { resource, key: keyOf(object), object }
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [value])
  else list.push(value)
}
