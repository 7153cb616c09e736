import type { NodePool } from '../../../api/objects/karpenter.ts'
import type { Pod } from '../../../api/objects/pod.ts'
import { labels } from '../../../api/well-known.ts'
import { type InstanceType, priceOf } from '../catalog/instance-type.ts'
import { capacityTypeLabel, doNotDisruptAnnotation, nodePools } from '../names.ts'
import type { Situation } from '../situation.ts'
import { evictionCost, isDisruptable, isReschedulable } from '../state/pod-conditions.ts'
import type { StateNode } from '../state/state-node.ts'
import { EvictionLimits, type KeptSelection } from './eviction-limits.ts'

/** A node that may be disrupted (v1.14, disruption.Candidate). */
export interface Candidate {
  readonly state: StateNode
  readonly name: string
  readonly pool: NodePool
  readonly type: InstanceType | undefined
  readonly capacityType: string | undefined
  readonly zone: string | undefined
  /** The price per hour; 0 if it is unknown. */
  readonly price: number
  /** 1 plus the cost of the eviction of its pods. */
  readonly cost: number
  /** Pods that need room on other nodes. */
  readonly pods: readonly Pod[]
}

/** `eventual`: pods that block eviction do not block nodes with a termination grace period. */
export type DisruptionClass = 'graceful' | 'eventual'

/** All nodes that may be disrupted. `blocked` receives the reason for each managed node that may not be disrupted. */
export function candidatesOf(
  situation: Situation,
  kind: DisruptionClass,
  isBusy: (id: string) => boolean,
  blocked: (state: StateNode, reason: string) => void = () => {},
): readonly Candidate[] {
  const limits = new EvictionLimits(situation.view, situation.wall)
  const candidates: Candidate[] = []
  for (const state of situation.state.nodes) {
    if (isBusy(state.id)) continue
    const candidate = candidateOf(state, situation, kind, limits)
    if (typeof candidate !== 'string') candidates.push(candidate)
    else if (state.isManaged) blocked(state, candidate)
  }
  return candidates
}

/** The facts that depend on a stamp of the node. */
interface Known {
  readonly stamp: number
  readonly problem: string | undefined
  /** As `problem`, for reasons that are checked after a nomination. */
  readonly laterProblem: string | undefined
  summary?: PodsSummary
  described?: {
    readonly pool: NodePool
    readonly type: InstanceType | undefined
    readonly candidate: Candidate
  }
}

// A pass reads all nodes, and few of them have changed since the last pass.
const knownNodes = new WeakMap<StateNode, Known>()

function knownOf(state: StateNode): Known {
  const known = knownNodes.get(state)
  const { stamp } = state
  if (known?.stamp === stamp) return known
  const problem = nodeProblem(state) ?? (state.isMarked ? leaving : undefined)
  const made: Known = { stamp, problem, laterProblem: laterProblem(state) }
  knownNodes.set(state, made)
  return made
}

function candidateOf(
  state: StateNode,
  { view, cloud, now, wall }: Situation,
  kind: DisruptionClass,
  limits: EvictionLimits,
): Candidate | string {
  const known = knownOf(state)
  const problem =
    known.problem ?? (state.nominatedUntil > now ? 'node is nominated for a pending pod' : known.laterProblem)
  if (problem !== undefined) return problem
  const name = state.pool as string
  const pool = view.get(nodePools, name)
  if (pool === undefined || cloud.catalog.types.length === 0) return `NodePool not found (NodePool=${name})`
  known.summary ??= summaryOf(view.podsOn(state.node?.metadata.name ?? ''))
  const { summary } = known
  const blocking = podsProblem(summary, wall, limits)
  const isEventual =
    blocking !== undefined && kind === 'eventual' && state.claim?.spec.terminationGracePeriod !== undefined
  if (blocking !== undefined && !isEventual) return blocking
  const type = cloud.typeFor(name, state.labels[labels.instanceType] ?? '')
  const { described } = known
  if (described?.pool === pool && described.type === type) return described.candidate
  const candidate = describedCandidate(state, pool, summary, type)
  known.described = { pool, type, candidate }
  return candidate
}

function describedCandidate(
  state: StateNode,
  pool: NodePool,
  { reschedulable, cost }: PodsSummary,
  type: InstanceType | undefined,
): Candidate {
  const { labels: own } = state
  return {
    state,
    name: state.name,
    pool,
    type,
    capacityType: own[capacityTypeLabel],
    zone: own[labels.zone],
    price: priceOf(type, own),
    cost,
    pods: reschedulable,
  }
}

const leaving = 'node is deleting or marked for deletion'

function nodeProblem(state: StateNode): string | undefined {
  if (!state.isManaged) return "node isn't managed by karpenter"
  if (state.node === undefined) return 'nodeclaim does not have an associated node'
  if (!state.isInitialized) return "node isn't initialized"
  return state.isDeleted ? leaving : undefined
}

function laterProblem(state: StateNode): string | undefined {
  if (state.annotations[doNotDisruptAnnotation] === 'true')
    return `disruption is blocked through the ${JSON.stringify(doNotDisruptAnnotation)} annotation`
  return state.pool === undefined ? "node doesn't have required label (label=karpenter.sh/nodepool)" : undefined
}

interface PodsSummary {
  readonly pods: readonly Pod[]
  readonly reschedulable: readonly Pod[]
  /** 1 plus the costs of their eviction. */
  readonly cost: number
  /** Pods that may not be disrupted at certain times. */
  readonly annotated: readonly Pod[]
  readonly selection: KeptSelection
}

function summaryOf(pods: readonly Pod[]): PodsSummary {
  const reschedulable = pods.filter(isReschedulable)
  const cost = reschedulable.reduce((sum, pod) => sum + Math.max(0, evictionCost(pod)), 1)
  const annotated = pods.filter(({ metadata }) => metadata.annotations?.[doNotDisruptAnnotation] !== undefined)
  return { pods, reschedulable, cost, annotated, selection: {} }
}

function podsProblem(
  { pods, annotated, selection }: PodsSummary,
  wall: number,
  limits: EvictionLimits,
): string | undefined {
  const blocking = annotated.find((pod) => !isDisruptable(pod, wall))
  if (blocking !== undefined)
    return `pod has "karpenter.sh/do-not-disrupt" annotation (Pod=${blocking.metadata.namespace}/${blocking.metadata.name})`
  return limits.blocking(pods, selection)
}

/** Reports whether the eviction of its pods costs nothing. */
export function isEmpty({ cost }: Candidate): boolean {
  return cost <= 1
}
