import type { Autoscaling } from '../autoscalers/autoscaling.ts'
import { createClusterAutoscaler } from '../autoscalers/cluster-autoscaler/controller.ts'
import { NodeCloud } from '../autoscalers/cluster-autoscaler/node-cloud.ts'
import type { Controller } from '../runtime/controller.ts'
import { type ControllerContext, profilesOf } from './controllers.ts'

/** The autoscalers that the cluster has. They see nodes and pods as the first profile of the scheduler does. */
export function createAutoscalers(
  autoscaling: Autoscaling,
  context: ControllerContext,
  /** Node groups for which the cloud has no machines at the moment. */
  stockedOut: ReadonlySet<string> = new Set(),
): readonly Controller[] {
  const { clusterAutoscaler } = autoscaling
  const [profile] = profilesOf(context)
  if (clusterAutoscaler === undefined || profile === undefined) return []
  const cloud = new NodeCloud()
  cloud.setStockout(({ name }) => stockedOut.has(name))
  return [createClusterAutoscaler({ ...clusterAutoscaler, profile, cloud })]
}
