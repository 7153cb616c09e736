import { isPodTerminal } from '../../api/conditions.ts'
import type { LabelMatcher } from '../../api/label-matcher.ts'
import { objectKey } from '../../api/object-key.ts'
import type { Pod, PodDisruptionBudget } from '../../api/objects/pod.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { parseTime } from '../../api/time.ts'
import type { ObjectReader } from '../../scheduler/contract/contract.ts'
import { isDaemonSetPod, isMirrorPod } from './node-templates.ts'
import type { AutoscalerOptions } from './options.ts'

/** The reason why a pod prevents the removal of its node (1.36, utils/drain BlockingPodReason). */
export type BlockingReason =
  | 'ControllerNotFound'
  | 'MinReplicasReached'
  | 'NotReplicated'
  | 'LocalStorageRequested'
  | 'NotSafeToEvictAnnotation'
  | 'UnmovableKubeSystemPod'
  | 'NotEnoughPdb'

type DrainVerdict = 'move' | 'skip' | 'wait' | { readonly blocked: BlockingReason }

export interface PodsToMove {
  readonly kind: 'movable'
  readonly pods: readonly Pod[]
  readonly daemonSetPods: readonly Pod[]
  /** Pods that must complete before the removal. */
  readonly onCompletion: readonly Pod[]
}

export interface BlockingPod {
  readonly kind: 'blocked'
  readonly pod: Pod
  readonly reason: BlockingReason
}

export interface DrainContext {
  readonly options: AutoscalerOptions
  readonly budgets: BudgetTracker
  /** Absent: controllers are not looked up. */
  readonly objects?: ObjectReader
  readonly wall: number
}

const safeToEvict = 'cluster-autoscaler.kubernetes.io/safe-to-evict'
const localVolumes = 'cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes'
/** A terminating pod does not count after its grace period plus this time. */
const longTerminatingMs = 30_000

/** The pods that move elsewhere when their node is removed, or the pod that blocks it (1.36, simulator GetPodsToMove). */
export function podsToMove(pods: readonly Pod[], context: DrainContext): PodsToMove | BlockingPod {
  const moving: Pod[] = []
  const daemonSetPods: Pod[] = []
  const onCompletion: Pod[] = []
  for (const pod of pods) {
    const verdict = judge(pod, context)
    if (typeof verdict === 'object') return { kind: 'blocked', pod, reason: verdict.blocked }
    if (verdict === 'wait') onCompletion.push(pod)
    else if (verdict === 'move') (isDaemonSetPod(pod) ? daemonSetPods : moving).push(pod)
  }
  return { kind: 'movable', pods: moving, daemonSetPods, onCompletion }
}

/** The rules in upstream's order. The first rule with a verdict decides (1.36, drainability/rules Default). */
function judge(pod: Pod, context: DrainContext): DrainVerdict {
  const { options, wall } = context
  const safe = pod.metadata.annotations?.[safeToEvict]
  if (isMirrorPod(pod) || isLongTerminating(pod, wall)) return 'skip'
  if (options['skip-nodes-with-custom-controller-pods']) {
    const blocked = controllerProblem(pod, context)
    if (blocked !== undefined) return { blocked }
  }
  if (isDaemonSetPod(pod) || safe === 'true' || isPodTerminal(pod)) return 'move'
  if (safe === 'on-completion') return 'wait'
  if (!isReplicated(pod, options)) return { blocked: 'NotReplicated' }
  if (options['skip-nodes-with-system-pods'] && pod.metadata.namespace === 'kube-system') {
    if (context.budgets.matching(pod).length === 0) {
      const createdAt = parseTime(pod.metadata.creationTimestamp)
      const isOld = createdAt !== undefined && wall > createdAt + options['blocking-system-pod-distruption-timeout']
      return isOld ? 'move' : { blocked: 'UnmovableKubeSystemPod' }
    }
  }
  if (safe === 'false') return { blocked: 'NotSafeToEvictAnnotation' }
  if (options['skip-nodes-with-local-storage'] && hasBlockingLocalStorage(pod))
    return { blocked: 'LocalStorageRequested' }
  if (context.budgets.matching(pod).some(({ allowed }) => allowed < 1)) return { blocked: 'NotEnoughPdb' }
  return 'move'
}

export function isLongTerminating({ metadata, spec }: Pod, wall: number): boolean {
  const deletedAt = parseTime(metadata.deletionTimestamp)
  if (deletedAt === undefined) return false
  return deletedAt + (spec.terminationGracePeriodSeconds ?? 30) * 1000 + longTerminatingMs < wall
}

const replicatedKinds: ReadonlySet<string> = new Set(['ReplicationController', 'Job', 'ReplicaSet', 'StatefulSet'])

function isReplicated(pod: Pod, options: AutoscalerOptions): boolean {
  const owner = controllerOf(pod)
  if (owner === undefined) return false
  return !options['skip-nodes-with-custom-controller-pods'] || replicatedKinds.has(owner.kind)
}

const controllerKinds = {
  ReplicationController: 'replicationcontrollers',
  DaemonSet: 'daemonsets.apps',
  Job: 'jobs.batch',
  ReplicaSet: 'replicasets.apps',
  StatefulSet: 'statefulsets.apps',
} as const

function controllerProblem(pod: Pod, { objects, options }: DrainContext): BlockingReason | undefined {
  const owner = controllerOf(pod)
  if (objects === undefined || owner === undefined || !Object.hasOwn(controllerKinds, owner.kind)) return undefined
  const resource = controllerKinds[owner.kind as keyof typeof controllerKinds]
  const found = objects.get(resource, objectKey(pod.metadata.namespace, owner.name))
  if (found === undefined) return 'ControllerNotFound'
  if (owner.kind !== 'ReplicaSet' && owner.kind !== 'ReplicationController') return undefined
  const { replicas } = (found.spec ?? {}) as { readonly replicas?: number }
  return replicas !== undefined && replicas < options['min-replica-count'] ? 'MinReplicasReached' : undefined
}

function hasBlockingLocalStorage({ metadata, spec }: Pod): boolean {
  const allowed = new Set(metadata.annotations?.[localVolumes]?.split(',') ?? [])
  return (spec.volumes ?? []).some((volume) => {
    const emptyDir = volume.emptyDir as { readonly medium?: string } | undefined
    const isLocal = volume.hostPath !== undefined || (emptyDir !== undefined && emptyDir.medium !== 'Memory')
    return isLocal && !allowed.has(volume.name)
  })
}

interface TrackedBudget {
  readonly namespace: string
  readonly selector: LabelMatcher
  allowed: number
}

/** The disruptions that budgets still allow while a simulation removes pods (1.36, scaledown/pdb). */
export class BudgetTracker {
  private readonly budgets: TrackedBudget[]

  constructor(budgets: readonly PodDisruptionBudget[], matcherOf: (budget: PodDisruptionBudget) => LabelMatcher) {
    this.budgets = budgets.map((budget) => ({
      namespace: budget.metadata.namespace ?? '',
      selector: matcherOf(budget),
      allowed: budget.status?.disruptionsAllowed ?? 0,
    }))
  }

  matching({ metadata }: Pod): readonly TrackedBudget[] {
    return this.budgets.filter(
      ({ namespace, selector }) => namespace === metadata.namespace && selector.matches(metadata.labels ?? {}),
    )
  }

  /** Reports whether all pods can be evicted at the same time. */
  allowsInParallel(pods: readonly Pod[]): boolean {
    const needed = new Map<TrackedBudget, number>()
    for (const pod of pods) for (const budget of this.matching(pod)) needed.set(budget, (needed.get(budget) ?? 0) + 1)
    return [...needed].every(([budget, count]) => budget.allowed >= count)
  }

  remove(pods: readonly Pod[]): void {
    for (const pod of pods) for (const budget of this.matching(pod)) budget.allowed -= 1
  }
}
