import type { KubeObject } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { KnownResource, ObjectOf } from '../../api/objects/resources.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { formatQuantity, milliQuantity, milliValue, quantityOf } from '../../api/quantity.ts'
import { schedulingRequests } from '../../api/scheduling-requests.ts'
import { annotations, labels } from '../../api/well-known.ts'
import type { Profile } from '../../scheduler/contract/contract.ts'
import type { ObjectSource } from '../explain/object-set.ts'
import { TrialCluster } from '../explain/trial-cluster.ts'
import { freshNode } from '../scenario/fresh-node.ts'

/** The fewest nodes of one shape that hold the pods of a pool. */
export interface SmallestPool {
  /** The existing node of the pool that the new nodes copy. */
  readonly like: string
  /** The instance type, or the size. */
  readonly shape: string
  /** Absent: no number of such nodes holds all pods. */
  readonly nodes?: number
  /** The lower bound by the sums of requests. More nodes may be needed, because pods cannot be divided. */
  readonly atLeast: number
  /** The resource whose sum needs the most nodes. */
  readonly limit: string
  /** The reason why one node less is not enough. */
  readonly oneLess?: { readonly pod: string; readonly message: string }
}

export interface Smallest {
  readonly pool: string
  readonly nodesNow: number
  readonly pods: number
  readonly headroomPercent: number
  /** Pods that fit on no such node, even an empty one. They do not count. */
  readonly unplaceable: readonly { readonly pod: string; readonly message: string }[]
  /** One per shape of the pool, the fewest nodes first. */
  readonly shapes: readonly SmallestPool[]
}

export interface SmallestInput {
  readonly objects: ObjectSource
  readonly profile: Profile
  readonly pool: string
  readonly isInPool: (node: Node) => boolean
  readonly headroomPercent: number
}

/**
 * Places the pods of the pool on empty nodes with the scheduler itself, the largest pods first, and searches for the smallest
 * number of nodes on which all of them fit. Every node has the daemon pods of the node that it copies.
 */
export function findSmallest({ objects, profile, pool, isInPool, headroomPercent }: SmallestInput): Smallest {
  const nodes = objects.list('nodes').filter(isInPool)
  const names = new Set(nodes.map(({ metadata }) => metadata.name))
  const placed = objects.list('pods').filter((pod) => names.has(pod.spec.nodeName ?? '') && !isOver(pod))
  const moving = placed.filter((pod) => !staysOnNode(pod)).sort(largestFirst)
  const shapes = shapesOf(nodes).map((model) => {
    const daemons = placed.filter((pod) => pod.spec.nodeName === model.metadata.name && staysOnNode(pod))
    return { model, trial: new PoolTrial({ objects, profile, nodes, model, daemons, headroomPercent }) }
  })
  const unplaceable = unplaceableOn(
    shapes.map(({ trial }) => trial),
    moving,
  )
  const stuck = new Set(unplaceable.map(({ pod }) => pod))
  const pods = moving.filter((pod) => !stuck.has(keyOf(pod)))
  const found = shapes.map(({ model, trial }) => search(model, trial, pods))
  return {
    pool,
    nodesNow: nodes.length,
    pods: moving.length,
    headroomPercent,
    unplaceable,
    shapes: found.sort(
      (a, b) =>
        (a.nodes ?? Number.POSITIVE_INFINITY) - (b.nodes ?? Number.POSITIVE_INFINITY) || (a.like < b.like ? -1 : 1),
    ),
  }
}

// More nodes than this factor times the lower bound are not tried: something other than resources prevents a placement.
const mostTimes = 4

function search(model: Node, trial: PoolTrial, pods: readonly Pod[]): SmallestPool {
  const { atLeast, limit } = trial.lowerBound(pods)
  const common = { like: model.metadata.name, shape: shapeText(model), atLeast, limit }
  if (pods.length === 0) return { ...common, nodes: 0 }
  let low = atLeast - 1
  let high = atLeast
  let failure = trial.firstMisfit(pods, high)
  let last: SmallestPool['oneLess']
  const most = Math.max(atLeast * mostTimes, atLeast + 8)
  for (let step = 1; failure !== undefined; step *= 2) {
    last = failure
    low = high
    if (high >= most) return { ...common, oneLess: failure }
    high = Math.min(most, high + step)
    failure = trial.firstMisfit(pods, high)
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    const misfit = trial.firstMisfit(pods, middle)
    if (misfit === undefined) high = middle
    else {
      low = middle
      last = misfit
    }
  }
  return { ...common, nodes: high, ...(last === undefined ? {} : { oneLess: last }) }
}

interface TrialInput {
  readonly objects: ObjectSource
  readonly profile: Profile
  readonly nodes: readonly Node[]
  readonly model: Node
  readonly daemons: readonly Pod[]
  readonly headroomPercent: number
}

class PoolTrial {
  private readonly objects: ObjectSource
  private readonly profile: Profile
  private readonly model: Node
  private readonly daemons: readonly Pod[]
  private readonly zones: readonly string[]

  constructor({ objects, profile, nodes, model, daemons, headroomPercent }: TrialInput) {
    this.objects = objects
    this.profile = { ...profile, postFilter: [] }
    this.model = withHeadroom(model, headroomPercent)
    this.daemons = daemons
    this.zones = [...new Set(nodes.map(({ metadata }) => metadata.labels?.[labels.zone] ?? ''))].sort()
  }

  /** The first pod that does not fit on this number of nodes. */
  firstMisfit(pods: readonly Pod[], count: number): { readonly pod: string; readonly message: string } | undefined {
    const trial = this.clusterOf(count, pods[0])
    for (const pod of pods) {
      const unbound = withoutNode(pod)
      const result = trial.schedule(unbound)
      if (result.kind !== 'placed') return { pod: keyOf(pod), message: result.message }
      trial.place(unbound, result.node)
    }
    return undefined
  }

  /** The result for one pod on empty nodes, one per zone. */
  misfitAlone(pod: Pod): string | undefined {
    const result = this.clusterOf(this.zones.length, pod).schedule(withoutNode(pod))
    return result.kind === 'placed' ? undefined : result.message
  }

  lowerBound(pods: readonly Pod[]): { readonly atLeast: number; readonly limit: string } {
    const used = sumsOf(pods)
    const taken = sumsOf(this.daemons)
    let atLeast = pods.length === 0 ? 0 : 1
    let limit = 'pods'
    for (const [resource, amount] of used) {
      const total = resource === 'cpu' ? milliOf(this.model, resource) : milliOf(this.model, resource) / 1000
      const free = total - (taken.get(resource) ?? 0)
      const needed = free <= 0 ? atLeast : Math.ceil(amount / free)
      if (needed > atLeast) {
        atLeast = needed
        limit = resource
      }
    }
    return { atLeast, limit }
  }

  private clusterOf(count: number, subject: Pod | undefined): TrialCluster {
    const nodes = Array.from({ length: count }, (_, at) => this.nodeNumber(at))
    const daemons = nodes.flatMap(({ metadata }) =>
      this.daemons.map((pod, at) => ({
        ...pod,
        metadata: { ...pod.metadata, name: `daemon-${at}-${metadata.name}`, uid: `daemon-${at}-${metadata.name}` },
        spec: { ...pod.spec, nodeName: metadata.name },
      })),
    )
    const source: ObjectSource = {
      get: (resource, key) => this.objects.get(resource, key),
      list: <R extends KnownResource>(resource: R, namespace?: string) => {
        if (resource === 'nodes') return nodes as unknown as readonly ObjectOf<R>[]
        if (resource === 'pods') return daemons as unknown as readonly ObjectOf<R>[]
        return this.objects.list(resource, namespace)
      },
    }
    return new TrialCluster(source, this.profile, subject ?? ({ metadata: { name: '' }, spec: {} } as never))
  }

  private nodeNumber(at: number): Node {
    const fresh = freshNode(this.model, `${this.model.metadata.name}-${at + 1}`) as KubeObject as Node
    const zone = this.zones[at % this.zones.length] ?? ''
    if (zone === '') return fresh
    return { ...fresh, metadata: { ...fresh.metadata, labels: { ...fresh.metadata.labels, [labels.zone]: zone } } }
  }
}

/** Pods that no shape of the pool takes. Equal specs are tried once. */
function unplaceableOn(trials: readonly PoolTrial[], pods: readonly Pod[]): Smallest['unplaceable'] {
  const known = new Map<string, string | undefined>()
  return pods.flatMap((pod) => {
    const key = controllerOf(pod)?.uid ?? keyOf(pod)
    if (!known.has(key)) {
      const messages = trials.map((trial) => trial.misfitAlone(pod))
      known.set(key, messages.includes(undefined) ? undefined : messages[0])
    }
    const message = known.get(key)
    return message === undefined ? [] : [{ pod: keyOf(pod), message }]
  })
}

/** One node per shape: size, taints and labels, without the zone and the name. */
function shapesOf(nodes: readonly Node[]): readonly Node[] {
  const byShape = new Map<string, Node>()
  for (const node of nodes) {
    const key = JSON.stringify([shapeText(node), node.status?.allocatable, node.spec?.taints ?? []])
    if (!byShape.has(key)) byShape.set(key, node)
  }
  return [...byShape.values()]
}

export function shapeText({ metadata, status }: Node): string {
  const { cpu = '0', memory = '0' } = (status?.allocatable ?? {}) as Readonly<Record<string, string>>
  return metadata.labels?.['node.kubernetes.io/instance-type'] ?? `${cpu} cpu, ${memory}`
}

function withHeadroom(node: Node, percent: number): Node {
  if (percent === 0) return node
  const keep = (quantity: unknown, resource: string): string => {
    const milli = Math.floor((milliValue(quantity as string) * (100 - percent)) / 100)
    return formatQuantity(resource === 'cpu' ? milliQuantity(milli) : quantityOf(Math.floor(milli / 1000)))
  }
  const allocatable = Object.fromEntries(
    Object.entries(node.status?.allocatable ?? {}).map(([resource, quantity]) => [
      resource,
      resource === 'pods' ? quantity : keep(quantity, resource),
    ]),
  )
  return { ...node, status: { ...node.status, allocatable } } as Node
}

function sumsOf(pods: readonly Pod[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>([['pods', pods.length]])
  const add = (resource: string, amount: number) => sums.set(resource, (sums.get(resource) ?? 0) + amount)
  for (const pod of pods) {
    const { cpuMilli, memoryBytes, scalars } = schedulingRequests(pod)
    add('cpu', cpuMilli)
    add('memory', memoryBytes)
    for (const [resource, amount] of scalars) add(resource, amount)
  }
  return sums
}

const milliOf = (node: Node, resource: string): number => milliValue(node.status?.allocatable?.[resource] as string)

/** Pods with high priority, then large pods, are placed first, so that the search does not depend on names. */
function largestFirst(a: Pod, b: Pod): number {
  const [left, right] = [schedulingRequests(a), schedulingRequests(b)]
  return (
    (b.spec.priority ?? 0) - (a.spec.priority ?? 0) ||
    right.cpuMilli - left.cpuMilli ||
    right.memoryBytes - left.memoryBytes ||
    (keyOf(a) < keyOf(b) ? -1 : 1)
  )
}

function staysOnNode(pod: Pod): boolean {
  return controllerOf(pod)?.kind === 'DaemonSet' || pod.metadata.annotations?.[annotations.mirrorPod] !== undefined
}

function withoutNode({ spec, ...rest }: Pod): Pod {
  const { nodeName: _, ...unbound } = spec
  return { ...rest, spec: unbound, status: { phase: 'Pending' } } as Pod
}

const isOver = ({ status }: Pod) => status?.phase === 'Succeeded' || status?.phase === 'Failed'
const keyOf = ({ metadata }: Pod): string => `${metadata.namespace}/${metadata.name}`
