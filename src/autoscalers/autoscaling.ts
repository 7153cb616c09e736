import type { NodeGroup } from './cluster-autoscaler/node-group.ts'
import type { AutoscalerOptions } from './cluster-autoscaler/options.ts'
import type { Catalog } from './karpenter/catalog/instance-type.ts'
import type { KarpenterOptions } from './karpenter/options.ts'

/** The autoscalers of a cluster. */
export interface Autoscaling {
  readonly clusterAutoscaler?: {
    readonly groups: readonly NodeGroup[]
    readonly options: AutoscalerOptions
    /** Set if the options were given. Otherwise they are the defaults. */
    readonly hasFlags?: boolean
    /** Features that the flags enable and a forecast omits. */
    readonly limits?: readonly string[]
  }
  readonly karpenter?: {
    readonly catalog: Catalog
    readonly options: KarpenterOptions
    /** The time from launch to Node of classes other than KWOKNodeClass. */
    readonly bootMs: number
    /** Features that the flags enable and a forecast omits. */
    readonly limits?: readonly string[]
  }
}
