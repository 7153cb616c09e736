import type { Node } from '../../api/objects/node.ts'
import type { Autoscaling } from '../../autoscalers/autoscaling.ts'
import { AutoscalerLoop } from '../../autoscalers/cluster-autoscaler/autoscaler-loop.ts'
import { autoscalerWatches } from '../../autoscalers/cluster-autoscaler/controller.ts'
import type { BlockingReason } from '../../autoscalers/cluster-autoscaler/drainability.ts'
import { NodeCloud } from '../../autoscalers/cluster-autoscaler/node-cloud.ts'
import { readinessOf } from '../../autoscalers/cluster-autoscaler/node-readiness.ts'
import type { AutoscalerOptions } from '../../autoscalers/cluster-autoscaler/options.ts'
import type { UnremovableReason } from '../../autoscalers/cluster-autoscaler/scale-down-planner.ts'
import { deletionCandidate } from '../../autoscalers/cluster-autoscaler/taints.ts'
import { createRandom } from '../../base/random.ts'
import { createActionIds } from '../../runtime/actions.ts'
import { createDefaultProfile } from '../../scheduler/plugins/default-plugins.ts'
import { storedChanges } from '../run/stored-changes.ts'
import type { FoundCluster } from '../scenario/forecast-plan.ts'

export interface NodeScaleDown {
  readonly node: string
  /** Empty: the node is in no group. */
  readonly group: string
  /** The requested share of the resource that is used most, from 0 to 1. */
  readonly utilization?: number
  readonly decision: 'remove' | 'keep'
  /** The reason in plain English. */
  readonly reason: string
  /** With the messages of Cluster Autoscaler. */
  readonly because?: string
}

/** The resources that the filters of the scheduler read besides those that the autoscaler watches. */
const read = [...autoscalerWatches, 'namespaces', 'storageclasses.storage.k8s.io', 'csinodes.storage.k8s.io']

/** The nodes that Cluster Autoscaler does not need now, and the reason why it keeps every other node. */
export function explainScaleDown(
  { store, takenAtMs }: FoundCluster,
  { groups, options }: NonNullable<Autoscaling['clusterAutoscaler']>,
): readonly NodeScaleDown[] {
  const cloud = new NodeCloud()
  const profile = createDefaultProfile()
  const loop = new AutoscalerLoop({ groups, options, profile, cloud, ids: createActionIds() })
  const { changes, view } = storedChanges(store, read)
  for (const change of changes) loop.take(change, view)
  const random = createRandom('1')
  loop.run({ changes: [], results: [], answers: [], now: takenAtMs, wall: takenAtMs, random, view }, [])
  const { nodes, isHealthy } = loop.explain()
  const spare = new Map(groups.map((group) => [group.name, cloud.targetOf(group) - group.min]))
  return (store.list('nodes') as readonly Node[]).map((node) => {
    const { group, verdict, utilization } = nodes.get(node.metadata.name) ?? {}
    const common = {
      node: node.metadata.name,
      group: group?.name ?? '',
      ...(utilization === undefined ? {} : { utilization }),
    }
    if (group === undefined) return { ...common, decision: 'keep', reason: 'the node is in no node group' }
    if (!isHealthy) return { ...common, decision: 'keep', reason: 'too many nodes of the cluster are not ready' }
    const left = spare.get(group.name) ?? 0
    if (verdict === 'unneeded' && left <= 0)
      return {
        ...common,
        decision: 'keep',
        reason: nodeReasons.NodeGroupMinSizeReached,
        because: 'NodeGroupMinSizeReached',
      }
    if (verdict === 'unneeded') {
      spare.set(group.name, left - 1)
      return { ...common, decision: 'remove', reason: unneededText(node, options, takenAtMs) }
    }
    if (verdict === undefined)
      return { ...common, decision: 'keep', reason: `the group is at its minimum size of ${group.min}` }
    const { reason, pod, because } = verdict
    return {
      ...common,
      decision: 'keep',
      reason: pod === undefined ? nodeReasons[reason] : `${pod} ${podReasons[because as BlockingReason]}`,
      because: pod === undefined ? reason : `${reason}: ${because}`,
    }
  })
}

/** The soft taint contains the time since which a node has not been needed. */
function unneededText(node: Node, options: AutoscalerOptions, nowMs: number): string {
  const { isReady } = readinessOf(node)
  const waitMs = options[isReady ? 'scale-down-unneeded-time' : 'scale-down-unready-time']
  const since = Number(node.spec?.taints?.find(({ key }) => key === deletionCandidate)?.value) * 1000
  const left = Number.isFinite(since) && since > 0 ? since + waitMs - nowMs : waitMs
  const what = isReady ? 'its pods fit elsewhere' : 'it is not ready and its pods fit elsewhere'
  return left > 0 ? `${what}; removed in ${Math.ceil(left / 1000)}s if nothing changes` : `${what}; removed now`
}

const nodeReasons: Record<UnremovableReason, string> = {
  CurrentlyBeingDeleted: 'the node is being removed',
  ScaleDownDisabledAnnotation: 'the annotation cluster-autoscaler.kubernetes.io/scale-down-disabled forbids it',
  ScaleDownUnreadyDisabled: 'the node is not ready, and --scale-down-unready-enabled is false',
  NotUnderutilized: 'its pods request more than --scale-down-utilization-threshold',
  NotUnneededLongEnough: 'it has been unneeded for less than --scale-down-unneeded-time',
  NotUnreadyLongEnough: 'it has been unready for less than --scale-down-unready-time',
  NodeGroupMinSizeReached: 'the group would fall below its minimum size',
  NotAutoscaled: 'the node is in no node group',
  MinimalResourceLimitExceeded: 'the cluster would fall below the minimum of --cores-total or --memory-total',
  RecentlyUnremovable: 'a recent check found that it cannot be removed',
  NoPlaceToMovePods: 'its pods fit on no other node',
  BlockedByPod: 'a pod blocks it',
  BlockedByOnCompletionPod: 'a pod with safe-to-evict=on-completion has not ended',
  UnexpectedError: 'its utilization cannot be computed',
}

const podReasons: Record<BlockingReason, string> = {
  ControllerNotFound: 'has a controller that does not exist',
  MinReplicasReached: 'has a controller with fewer replicas than --min-replica-count',
  NotReplicated: 'has no controller that would recreate it',
  LocalStorageRequested: 'has local storage (emptyDir or hostPath)',
  NotSafeToEvictAnnotation: 'has the annotation cluster-autoscaler.kubernetes.io/safe-to-evict: "false"',
  UnmovableKubeSystemPod: 'is in kube-system and has no PodDisruptionBudget',
  NotEnoughPdb: 'must not be disrupted: its PodDisruptionBudget allows no disruption',
}
