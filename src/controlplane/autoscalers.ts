import type { Autoscaling } from '../autoscalers/autoscaling.ts'
import { createClusterAutoscaler } from '../autoscalers/cluster-autoscaler/controller.ts'
import { NodeCloud } from '../autoscalers/cluster-autoscaler/node-cloud.ts'
import { KarpenterCloud } from '../autoscalers/karpenter/cloud/karpenter-cloud.ts'
import { createKarpenter } from '../autoscalers/karpenter/controller.ts'
import type { Controller } from '../runtime/controller.ts'
import { type ControllerContext, profilesOf } from './controllers.ts'

/** The autoscalers that the cluster has. Cluster Autoscaler sees nodes and pods as the first profile of the scheduler does. */
export function createAutoscalers(
  { clusterAutoscaler, karpenter }: Autoscaling,
  context: ControllerContext,
  /** Node groups for which the cloud has no machines at the moment. */
  stockedOut: ReadonlySet<string> = new Set(),
): readonly Controller[] {
  const [profile] = profilesOf(context)
  const cloud = new NodeCloud()
  cloud.setStockout(({ name }) => stockedOut.has(name))
  return [
    ...(clusterAutoscaler === undefined || profile === undefined
      ? []
      : [createClusterAutoscaler({ ...clusterAutoscaler, profile, cloud })]),
    ...(karpenter === undefined
      ? []
      : [createKarpenter({ ...karpenter, cloud: new KarpenterCloud(karpenter.catalog) })]),
  ]
}
