import type { Autoscaling } from '../../autoscalers/autoscaling.ts'
import type { ForecastNote } from '../report/forecast.ts'
import type { ForecastPlan, FoundCluster } from './forecast-plan.ts'
import { findClusterAutoscaler } from './found-cluster-autoscaler.ts'
import { findKarpenter } from './found-karpenter.ts'

export type FoundAutoscalers = Pick<ForecastPlan, 'autoscaling'> & { readonly notes: readonly ForecastNote[] }

/**
 * Adds the autoscalers that the cluster shows: Karpenter if it has NodePools, and Cluster Autoscaler if it has its
 * status. Given node groups take precedence, and given flags replace the flags of the Deployment.
 */
export function withFoundAutoscalers(given: Autoscaling, cluster: FoundCluster): FoundAutoscalers {
  const karpenter = findKarpenter(cluster, given.karpenter)
  const found = findClusterAutoscaler(cluster, given.clusterAutoscaler)
  const all: Autoscaling = {
    ...given,
    ...(karpenter === undefined ? {} : { karpenter: karpenter.karpenter }),
    ...(found === undefined
      ? {}
      : { clusterAutoscaler: mergedAutoscaler(given.clusterAutoscaler, found.clusterAutoscaler) }),
  }
  const notes = [...(karpenter?.notes ?? []), ...(found?.notes ?? [])]
  return { ...(Object.keys(all).length === 0 ? {} : { autoscaling: all }), notes }
}

type ClusterAutoscaler = NonNullable<Autoscaling['clusterAutoscaler']>

function limitsOf({ limits }: ClusterAutoscaler): Pick<ClusterAutoscaler, 'limits'> {
  return limits === undefined ? {} : { limits }
}

function mergedAutoscaler(given: ClusterAutoscaler | undefined, found: ClusterAutoscaler): ClusterAutoscaler {
  if (given === undefined) return found
  const named = new Set(given.groups.map(({ name }) => name))
  return {
    groups: [...given.groups, ...found.groups.filter(({ name }) => !named.has(name))],
    options: given.hasFlags === true ? given.options : found.options,
    ...limitsOf(given.hasFlags === true ? given : found),
  }
}
