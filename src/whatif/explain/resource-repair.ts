import type { KubeObject } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Container, Pod } from '../../api/objects/pod.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { annotations, labels, taintKeys } from '../../api/well-known.ts'
import type { NodeState } from '../../scheduler/contract/contract.ts'
import { freshDevices, freshNode } from '../scenario/fresh-node.ts'
import type { Repair } from './repair.ts'
import { amountsOf, amountText, type ResourceShortage, shortagesOn } from './shortage.ts'
import type { TrialCluster } from './trial-cluster.ts'

// The taints of unhealthy nodes. A cordon is not one of them.
const healthTaints: ReadonlySet<string> = new Set(
  Object.values(taintKeys).filter((key) => key !== taintKeys.unschedulable),
)
const maxShapes = 12
const maxMoves = 8

/** Changes of resources after which the pod fits: one more node, or a smaller request. Each change is tried. */
export function findResourceRepairs(trial: TrialCluster, pod: Pod): readonly Repair[] {
  const short = trial.nodes().map((node) => ({ node, shortages: shortagesOn(node, trial.parse(pod)) }))
  // A node with enough resources rejects the pod for another reason. A second node like it does not help, unless the
  // reason is the health of the node.
  if (short.some(({ node, shortages }) => shortages.length === 0 && !isUnhealthy(node))) return []
  return [...newNode(trial, pod), ...smallerRequest(trial, pod, short)]
}

function isUnhealthy({ node }: NodeState): boolean {
  return node.spec?.taints?.some(({ key }) => healthTaints.has(key)) === true
}

function newNode(trial: TrialCluster, pod: Pod): readonly Repair[] {
  for (const model of shapesOf(trial, pod)) {
    const name = `${model.metadata.name}-new`
    const fresh = freshNode(model, name) as KubeObject as Node
    const slices = freshDevices(trial.objects, model.metadata.name, name)
    if (!trial.withNewNode(fresh, slices, () => trial.statusOn(pod, name).code === 'Success')) continue
    return [newNodeLike(model)]
  }
  return []
}

export function newNodeLike({ metadata }: Node): Repair {
  const type = metadata.labels?.['node.kubernetes.io/instance-type']
  const sentence = `add a node like ${metadata.name}${type === undefined ? '' : ` (${type})`}`
  return { node: metadata.name, changes: [{ what: 'node', sentence }] }
}

/**
 * One node per shape that is large enough. Shapes that only lack resources come first, then smaller shapes before
 * larger ones.
 */
function shapesOf(trial: TrialCluster, pod: Pod): readonly Node[] {
  const byShape = new Map<string, NodeState>()
  const parsed = trial.parse(pod)
  for (const state of trial.nodes()) {
    if (shortagesOn(state, parsed).some(({ request, allocatable }) => request > allocatable)) continue
    const { [labels.hostname]: _, ...rest } = state.node.metadata.labels ?? {}
    const key = JSON.stringify([rest, state.node.spec?.taints ?? [], state.node.status?.allocatable ?? {}])
    if (!byShape.has(key)) byShape.set(key, state)
  }
  return [...byShape.values()]
    .map(({ name, node, allocatable: { scalars, cpuMilli } }) => {
      const isFull = trial.statusOn(pod, name).plugin === 'NodeResourcesFit'
      return { node, isFull, scalars: scalars.size, cpuMilli }
    })
    .sort((a, b) => Number(b.isFull) - Number(a.isFull) || a.scalars - b.scalars || a.cpuMilli - b.cpuMilli)
    .slice(0, maxShapes * 4)
    .map(({ node }) => node)
}

interface ShortNode {
  readonly node: NodeState
  readonly shortages: readonly ResourceShortage[]
}

/** The largest request of the missing resource with which the pod fits somewhere. */
function smallerRequest(trial: TrialCluster, pod: Pod, nodes: readonly ShortNode[]): readonly Repair[] {
  const candidates = nodes
    .flatMap(({ node, shortages }) => {
      const [only, more] = shortages
      return only === undefined || more !== undefined || only.free <= 0 || only.resource === 'pods'
        ? []
        : [{ node, only }]
    })
    .sort((a, b) => b.only.free / b.only.request - a.only.free / a.only.request)
  for (const { node, only } of candidates.slice(0, maxShapes)) {
    const smaller = withRequest(pod, only.resource, only.free)
    if (smaller === undefined || trial.statusOn(smaller, node.name).code !== 'Success') continue
    const { resource, free, request } = only
    const sentence = `request ${amountText(resource, free)} ${resource} instead of ${amountText(resource, request)}`
    return [{ node: node.name, changes: [{ what: 'request', sentence }] }]
  }
  return []
}

/** Only for a pod with a single container that requests the resource. */
function withRequest(pod: Pod, resource: string, amount: number): Pod | undefined {
  const asking = pod.spec.containers.filter(({ resources }) => resources?.requests?.[resource] !== undefined)
  if (asking.length !== 1) return undefined
  const value = resource === 'cpu' ? `${amount}m` : String(amount)
  const lowered = (container: Container): Container => {
    const { requests, limits } = container.resources ?? {}
    if (requests?.[resource] === undefined) return container
    const limited = limits?.[resource] === undefined ? limits : { ...limits, [resource]: value }
    return {
      ...container,
      resources: {
        requests: { ...requests, [resource]: value },
        ...(limited === undefined ? {} : { limits: limited }),
      },
    }
  }
  return { ...pod, spec: { ...pod.spec, containers: pod.spec.containers.map(lowered) } }
}

/** A pod of the node that holds the missing resource and fits on another node. */
export function movablePod(
  trial: TrialCluster,
  node: NodeState,
  shortages: readonly ResourceShortage[],
): string | undefined {
  const holders = node.pods.filter(({ pod, shape }) => {
    if (controllerOf(pod)?.kind === 'DaemonSet' || controllerOf(pod) === undefined) return false
    if (pod.metadata.annotations?.[annotations.mirrorPod] !== undefined) return false
    const held = amountsOf(shape.requests)
    return shortages.every(({ resource, missing }) => resource === 'pods' || (held.get(resource) ?? 0) >= missing)
  })
  const least = holders.toSorted(
    (a, b) => (a.pod.spec.priority ?? 0) - (b.pod.spec.priority ?? 0) || (a.key < b.key ? -1 : 1),
  )
  return least.slice(0, maxMoves).find(({ pod }) => trial.explain(pod).feasible.some((name) => name !== node.name))?.key
}
