import type { NodeGroup } from './cluster-autoscaler/node-group.ts'
import type { AutoscalerOptions } from './cluster-autoscaler/options.ts'

/** The autoscalers of a cluster. */
export interface Autoscaling {
  readonly clusterAutoscaler?: {
    readonly groups: readonly NodeGroup[]
    readonly options: AutoscalerOptions
  }
}
