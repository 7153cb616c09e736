import { labels } from '../api/well-known.ts'
import type { Autoscaling } from '../autoscalers/autoscaling.ts'
import { createClusterAutoscaler } from '../autoscalers/cluster-autoscaler/controller.ts'
import { NodeCloud } from '../autoscalers/cluster-autoscaler/node-cloud.ts'
import type { NodeGroup } from '../autoscalers/cluster-autoscaler/node-group.ts'
import type { KarpenterCloud, Stockout } from '../autoscalers/karpenter/cloud/karpenter-cloud.ts'
import { createKarpenter } from '../autoscalers/karpenter/controller.ts'
import type { Controller } from '../runtime/controller.ts'
import { type ControllerContext, profilesOf } from './controllers.ts'

/** The clouds of the autoscalers, which steps of a scenario change. */
export interface AutoscalerClouds {
  /** Node groups for which the cloud currently has no capacity. */
  readonly stockedOut: ReadonlySet<string>
  readonly karpenterCloud: KarpenterCloud | undefined
  /** The cluster runs in real time. */
  readonly isLive?: boolean
}

/** The autoscalers of the cluster. Cluster Autoscaler uses the first profile of the scheduler. */
export function createAutoscalers(
  { clusterAutoscaler, karpenter }: Autoscaling,
  context: ControllerContext,
  { stockedOut, karpenterCloud, isLive = false }: AutoscalerClouds,
): readonly Controller[] {
  const [profile] = profilesOf(context)
  const cloud = new NodeCloud()
  cloud.setStockout(({ name }) => stockedOut.has(name))
  return [
    ...(clusterAutoscaler === undefined || profile === undefined
      ? []
      : [
          createClusterAutoscaler({
            ...clusterAutoscaler,
            profile,
            cloud,
            runsEveryLoop: isLive,
            metrics: context.metrics,
          }),
        ]),
    ...(karpenter === undefined || karpenterCloud === undefined
      ? []
      : [createKarpenter({ ...karpenter, cloud: karpenterCloud, metrics: context.metrics })]),
  ]
}

// Labels of capacity types: Karpenter, EKS and GKE.
const capacityTypeLabels = [
  'karpenter.sh/capacity-type',
  'eks.amazonaws.com/capacityType',
  'cloud.google.com/gke-provisioning',
]

/** The groups whose template has this instance type, zone and capacity type. Absent values match all groups. */
export function groupsMatching(
  groups: readonly NodeGroup[],
  { instanceType, zone, capacityType }: Stockout,
): readonly string[] {
  const matches = (own: string | undefined, wanted: string | undefined) =>
    wanted === undefined || own?.toLowerCase() === wanted
  return groups
    .filter(({ template }) => {
      const own = template.metadata.labels ?? {}
      const capacity = capacityTypeLabels.flatMap((key) => own[key] ?? [])[0]
      return (
        matches(own[labels.instanceType], instanceType) &&
        matches(own[labels.zone], zone) &&
        matches(capacity, capacityType)
      )
    })
    .map(({ name }) => name)
}
