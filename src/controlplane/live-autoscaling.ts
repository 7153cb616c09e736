import type { Autoscaling } from '../autoscalers/autoscaling.ts'
import { AnnotatedLoads } from '../autoscalers/horizontal-pod-autoscaler/annotated-load.ts'
import { type Load, LoadModel } from '../autoscalers/horizontal-pod-autoscaler/load.ts'
import { KarpenterCloud } from '../autoscalers/karpenter/cloud/karpenter-cloud.ts'
import { type NodePrice, nodePrices } from '../autoscalers/node-prices.ts'
import type { Clock } from '../base/clock.ts'
import type { Registry } from '../registry/contract.ts'
import type { Controller } from '../runtime/controller.ts'
import type { Store } from '../store/contract.ts'
import type { OwnServer } from './api-process.ts'
import { createAutoscalers } from './autoscalers.ts'
import type { NodeFigures } from './console/node-figures.ts'
import type { ControllerContext } from './controllers.ts'
import { defineOwnResources } from './own-definitions.ts'
import { defineResourceMetrics, metricsService, ResourceMetrics } from './resource-metrics.ts'
import type { Settings } from './settings.ts'

export interface LiveAutoscalingOptions {
  readonly settings: Settings
  readonly clock: Clock
  /** The load of workloads from the start on. The load of other workloads is in their annotations. */
  readonly loads: readonly Load[]
  /** The autoscalers of the cluster. The cluster is read when it starts. */
  readonly autoscalersOf: (store: Store) => Autoscaling
}

/** The autoscalers of a cluster with hollow nodes, and the metrics that they read. Every autoscaler is created here. */
export interface LiveAutoscaling {
  /** Serves metrics.k8s.io. */
  readonly ownServers: (registry: Registry) => ReadonlyMap<string, OwnServer>
  /** Defines the resources of the autoscalers. */
  readonly prepare: (registry: Registry) => void
  /** Called after `prepare`. */
  readonly controllers: (context: ControllerContext) => readonly Controller[]
  /** The load that the Horizontal Pod Autoscaler measures. */
  readonly load: () => { readonly model: LoadModel }
  /** Prices and usage of nodes, if the autoscalers and the load contain them. */
  readonly figures: NodeFigures
}

export function createLiveAutoscaling({
  settings,
  clock,
  loads,
  autoscalersOf,
}: LiveAutoscalingOptions): LiveAutoscaling {
  let autoscaling: Autoscaling = {}
  let model = new LoadModel(loads, clock.wall())
  let metrics: ResourceMetrics | undefined
  let priceOf: NodePrice | undefined
  return {
    ownServers: ({ store }) => {
      model = new LoadModel(loads, clock.wall(), new AnnotatedLoads(store))
      const served = new ResourceMetrics(store, model, () => clock.wall())
      metrics = served
      return new Map([[metricsService, (request) => served.answer(request)]])
    },
    prepare: (registry) => {
      autoscaling = autoscalersOf(registry.store)
      priceOf = nodePrices(autoscaling)
      defineOwnResources(registry, settings, autoscaling)
      defineResourceMetrics(registry)
    },
    controllers: (context) => {
      const { karpenter } = autoscaling
      const karpenterCloud = karpenter === undefined ? undefined : new KarpenterCloud(karpenter.catalog)
      return createAutoscalers(autoscaling, context, { stockedOut: new Set(), karpenterCloud, isLive: true })
    },
    load: () => ({ model }),
    figures: {
      priceOf: (node) => priceOf?.(node),
      usage: () => metrics?.nodeUsage() ?? new Map(),
    },
  }
}
