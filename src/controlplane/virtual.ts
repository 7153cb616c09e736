import type { Call } from '../api/call.ts'
import { bootstrap } from '../apiserver/bootstrap.ts'
import type { Autoscaling } from '../autoscalers/autoscaling.ts'
import { type Load, LoadModel } from '../autoscalers/horizontal-pod-autoscaler/load.ts'
import { KarpenterCloud, type Stockout } from '../autoscalers/karpenter/cloud/karpenter-cloud.ts'
import { type Logger, silentLogger } from '../base/log.ts'
import { MetricRegistry } from '../base/metrics.ts'
import { createRandom, type Random } from '../base/random.ts'
import { VirtualClock } from '../base/virtual-clock.ts'
import type { DirectClient } from '../client/contract.ts'
import { createInProcessClient } from '../client/in-process-client.ts'
import {
  createHollowKubelet,
  type HollowKubelet,
  type HollowKubeletOptions,
  hollowKubelet,
} from '../controllers/hollow-kubelet/controller.ts'
import type { Registry } from '../registry/contract.ts'
import { createRegistry } from '../registry/registry.ts'
import type { Controller } from '../runtime/controller.ts'
import type { RequestLimits } from '../runtime/request-limits.ts'
import { createStepDriver, type StepDriver } from '../runtime/step-driver.ts'
import type { Store } from '../store/contract.ts'
import { createStore } from '../store/memory-store.ts'
import { createAutoscalers, groupsMatching } from './autoscalers.ts'
import { type ControllerContext, controllerFactories, createControllers } from './controllers.ts'
import { defineOwnResources } from './own-definitions.ts'
import { PolicyDenials } from './policy-denials.ts'
import { defaultSettings, type Settings } from './settings.ts'
import { VirtualAliasCloud } from './virtual-alias-cloud.ts'
import { WebhookAnswers, type WebhookSettings } from './webhook-answers.ts'

export interface VirtualOptions {
  /** The initial time. */
  readonly startMs: number
  readonly settings?: Settings
  readonly seed?: string
  /** The initial objects. The store is not modified: the cluster runs on a fork. */
  readonly store?: Store
  /** Names in the table of controllers.ts. Default: all of them. */
  readonly controllers?: readonly string[]
  /** The cluster is berth's own although it starts from a store, because it is a fork of such a cluster. */
  readonly isOwnCluster?: boolean
  /** Absent: no hollow kubelets. */
  readonly hollow?: HollowKubeletOptions
  /** Controllers ran here before: existing objects are not new to them. */
  readonly resumed?: boolean
  /** The autoscalers that run. Default: none. */
  readonly autoscaling?: Autoscaling
  /**
   * The load of workloads, from the start of the scenario on. `isObserved`: other workloads have the load that
   * autoscalers measured last.
   */
  readonly load?: { readonly loads: readonly Load[]; readonly originMs: number; readonly isObserved: boolean }
  readonly events?: 'record' | 'drop'
  /**
   * `unread`: only the ReplicaSet controller reads the statuses of ReplicaSets in this cluster, so they are not stored.
   */
  readonly replicaSetStatuses?: 'stored' | 'unread'
  /** The number of changes that are kept for watches that start in the past. Default: as in `store`. */
  readonly historyLimit?: number
  /** `upstream`: requests of controllers are rate-limited as in upstream's clients. Default: `unlimited`. */
  readonly callRates?: 'upstream' | 'unlimited'
  /** How webhooks are answered. Default: they are not answered, and their failurePolicy decides. */
  readonly webhooks?: WebhookSettings
  readonly log?: Logger
}

/** A control plane in virtual time. */
export interface VirtualCluster {
  readonly store: Store
  readonly registry: Registry
  readonly client: DirectClient
  readonly clock: VirtualClock
  readonly random: Random
  readonly driver: StepDriver
  readonly kubelet: HollowKubelet | undefined
  readonly metrics: MetricRegistry
  readonly webhooks: WebhookAnswers
  readonly denials: PolicyDenials
  /** Replaces a controller by a new one without state, as a change of leader does. */
  restart(name: string): void
  /** Stops a controller for some time. It keeps its state. */
  pause(name: string, forMs: number): void
  /**
   * Makes the API server unavailable for some time. Kubelets cannot renew their Leases. Controllers that cannot renew
   * their lease in time restart afterwards.
   */
  interruptApi(forMs: number): void
  /** Node groups for which the cloud currently has no capacity. */
  readonly stockedOut: Set<string>
  /** Absent: Karpenter does not run. */
  readonly karpenterCloud: KarpenterCloud | undefined
  /** The node groups of Cluster Autoscaler whose nodes all have this type, zone and capacity type. */
  nodeGroupsOf(what: Stockout): readonly string[]
  /** Starts or ends the silence of kubelets. */
  revive(nodes: Iterable<string>): void
}

export function createVirtualCluster(options: VirtualOptions): VirtualCluster {
  const { settings = defaultSettings, log = silentLogger, startMs, load, events = 'drop' } = options
  const clock = new VirtualClock(startMs)
  const random = createRandom(options.seed ?? '1')
  const { historyLimit } = options
  const store = options.store?.fork(historyLimit === undefined ? {} : { historyLimit }) ?? createStore()
  const webhooks = new WebhookAnswers(options.webhooks)
  const denials = new PolicyDenials()
  const { services } = webhooks
  const plain = createRegistry({
    store,
    clock: { now: () => clock.wall() },
    random,
    options: {
      release: settings.release,
      answerWebhook: (ask) => webhooks.answer(ask),
      ...(services === undefined ? {} : { webhookServices: services }),
    },
  })
  const registry = denials.observing(plain)
  bootstrap(registry, { rbac: false })
  defineOwnResources(registry, settings, options.autoscaling)
  const client = createInProcessClient(registry)
  const metrics = new MetricRegistry()
  const kubelet =
    options.hollow === undefined
      ? undefined
      : createHollowKubelet({ version: settings.release.version, ...options.hollow })
  const isComputed = kubelet !== undefined && options.hollow?.heartbeats === 'computed'
  const context: ControllerContext = {
    settings,
    metrics,
    log,
    ...(options.resumed === true ? { resumed: true } : {}),
    kinds: () => registry.kinds.all(),
    ...(load === undefined ? {} : { load: { ...load, model: new LoadModel(load.loads, load.originMs) } }),
    ...(options.store === undefined || options.isOwnCluster === true ? { isOwnCluster: true } : {}),
    ...(isComputed ? { heartbeats: (node: string) => kubelet.lastHeartbeat(node, clock.now()) } : {}),
  }
  const stockedOut = new Set<string>()
  const { karpenter } = options.autoscaling ?? {}
  const karpenterCloud = karpenter === undefined ? undefined : new KarpenterCloud(karpenter.catalog)
  const limits = new Map<string, RequestLimits | undefined>()
  const make = (name: string, how: ControllerContext): Controller => {
    const requests = options.callRates === 'upstream' ? requestLimitsOf(name, settings) : undefined
    const [controller] = createControllers([name], requests === undefined ? how : { ...how, workers: 'upstream' })
    if (controller === undefined) throw new Error(`unknown controller ${JSON.stringify(name)}`)
    limits.set(controller.name, requests && { ...requests, batched: true })
    return controller
  }
  const names = options.controllers ?? Object.keys(controllerFactories)
  const running = new Map(names.map((name) => [name, make(name, context)]))
  const aliasCloud = new VirtualAliasCloud(settings.nodeIpam, store)
  const driver = createStepDriver({
    answer: (ask) => aliasCloud.answer(ask),
    client,
    source: store,
    clock,
    random,
    events,
    log,
    requestLimits: (controller) => limits.get(controller),
    ...(options.replicaSetStatuses === 'unread' ? { isUnread: isReplicaSetStatus } : {}),
    controllers: [
      ...running.values(),
      ...createAutoscalers(options.autoscaling ?? {}, context, { stockedOut, karpenterCloud }),
      ...(kubelet === undefined ? [] : [kubelet]),
    ],
  })
  const runningBy = (name: string): Controller => {
    const controller = running.get(name)
    if (controller === undefined) throw new Error(`controller ${JSON.stringify(name)} does not run here`)
    return controller
  }
  const restart = (name: string): void => {
    const { resumed: _, ...fresh } = context
    // A second instance has its own metrics, like a second process.
    driver.restart(runningBy(name).name, () => make(name, { ...fresh, metrics: new MetricRegistry() }))
  }
  return {
    store,
    registry,
    client,
    clock,
    random,
    driver,
    kubelet,
    metrics,
    webhooks,
    denials,
    stockedOut,
    karpenterCloud,
    nodeGroupsOf: (what) => groupsMatching(options.autoscaling?.clusterAutoscaler?.groups ?? [], what),
    restart,
    pause(name, forMs) {
      const controller = runningBy(name).name
      driver.hold(controller)
      driver.at(clock.now() + forMs, () => driver.release(controller))
    },
    interruptApi(forMs) {
      const held = driver.names()
      const nodes = store.list('nodes').map(({ metadata }) => metadata.name)
      const cut = nodes.filter((node) => kubelet?.isSilent(node) === false)
      for (const name of held) driver.hold(name)
      kubelet?.silence(cut, clock.now())
      driver.at(clock.now() + forMs, () => {
        for (const name of held) driver.release(name)
        if (forMs > leaderRenewMs) for (const name of running.keys()) restart(name)
        kubelet?.revive(cut, clock.now())
        driver.wake(hollowKubelet)
      })
    },
    revive(nodes) {
      kubelet?.revive(nodes, clock.now())
      driver.wake(hollowKubelet)
    },
  }
}

function isReplicaSetStatus(call: Call): boolean {
  return call.resource === 'replicasets.apps' && call.verb === 'update' && call.subresource === 'status'
}

// v1.36, leader election: a leader gives up after this renew deadline.
const leaderRenewMs = 10_000

/** clientConnection of KubeSchedulerConfiguration, with its defaults, or the flags of kube-controller-manager. */
function requestLimitsOf(name: string, { requests, scheduler }: Settings): RequestLimits | undefined {
  if (name !== 'scheduler') return requests
  const { qps = 50, burst = 100 } = scheduler.configuration.clientConnection
  return qps <= 0 ? undefined : { perSecond: qps, burst }
}
