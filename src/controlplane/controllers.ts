import type { PodTemplateSpec } from '../api/objects/pod.ts'
import { atLeast } from '../api/releases/at-least.ts'
import { createHorizontalPodAutoscaler } from '../autoscalers/horizontal-pod-autoscaler/controller.ts'
import { LoadModel } from '../autoscalers/horizontal-pod-autoscaler/load.ts'
import { observedLoad } from '../autoscalers/horizontal-pod-autoscaler/observed-load.ts'
import type { Logger } from '../base/log.ts'
import { lookupTable } from '../base/lookup-table.ts'
import type { MetricRegistry } from '../base/metrics.ts'
import { Refusal } from '../base/refusal.ts'
import { createAdmissionPolicyStatus, type PolicyTypeCheck } from '../controllers/admission-policy-status/controller.ts'
import { createBootstrapSigner, createTokenCleaner } from '../controllers/bootstrap/controller.ts'
import {
  type CertificateSigner,
  createCertificateApproving,
  createCertificateCleaner,
  createCertificateSigning,
} from '../controllers/certificates/controller.ts'
import { createClusterRoleAggregation } from '../controllers/cluster-role-aggregation/controller.ts'
import { createCronJobController } from '../controllers/cron-job/controller.ts'
import { createDaemonSetController } from '../controllers/daemon-set/controller.ts'
import { createDeploymentController } from '../controllers/deployment/controller.ts'
import { createDeviceTaintEviction, deviceTaintEvictionName } from '../controllers/device-taint-eviction/controller.ts'
import { createDisruptionController } from '../controllers/disruption/controller.ts'
import {
  createEndpointSliceController,
  createEndpointSliceMirroring,
  createEndpointsController,
} from '../controllers/endpoints/controller.ts'
import { createEphemeralClaims } from '../controllers/ephemeral-volume/controller.ts'
import { createFlowSchemaStatus } from '../controllers/flow-schema-status/controller.ts'
import { createGarbageCollector } from '../controllers/garbage-collection/controller.ts'
import { createJobController } from '../controllers/job/controller.ts'
import { createNamespaceController } from '../controllers/namespace/controller.ts'
import { createNodeIpam } from '../controllers/node-ipam/controller.ts'
import { createNodeLifecycle, upstreamWorkers } from '../controllers/node-lifecycle/controller.ts'
import { createNodeTtl } from '../controllers/node-ttl/controller.ts'
import { createPodGarbageCollector } from '../controllers/pod-gc/controller.ts'
import { createPodGroupProtection } from '../controllers/pod-group-protection/controller.ts'
import { createReplicaSetController, createReplicationController } from '../controllers/replica-set/controller.ts'
import { createResourceClaimController } from '../controllers/resource-claim/controller.ts'
import { createResourceQuotaController } from '../controllers/resource-quota/controller.ts'
import type { ServedKind } from '../controllers/served-kinds.ts'
import {
  createRootCaPublisher,
  createServiceAccountController,
  createTokenController,
} from '../controllers/service-account/controller.ts'
import type { TokenSecretContents } from '../controllers/service-account/decide-tokens.ts'
import { createServiceCidrController } from '../controllers/service-cidr/controller.ts'
import { createStatefulSetController } from '../controllers/stateful-set/controller.ts'
import {
  createAttributesClassProtection,
  createClaimProtection,
  createVolumeProtection,
} from '../controllers/storage-protection/controller.ts'
import { createTaintEviction } from '../controllers/taint-eviction/controller.ts'
import { createTtlAfterFinished } from '../controllers/ttl-after-finished/controller.ts'
import { createVolumeBinder } from '../controllers/volume-binder/controller.ts'
import { applyDefaults } from '../registry/defaults/apply-defaults.ts'
import { builtinKindsOf } from '../registry/kinds/kinds.ts'
import type { Controller } from '../runtime/controller.ts'
import { createProfiles } from '../scheduler/config/profiles.ts'
import type { Profile } from '../scheduler/contract/contract.ts'
import { createScheduler } from '../scheduler/scheduler.ts'
import { noIdentity } from './api-server-controllers.ts'
import type { Settings } from './settings.ts'

/** The inputs of the creation of every controller. */
export interface ControllerContext {
  readonly settings: Settings
  readonly metrics: MetricRegistry
  readonly log: Logger
  /** Virtual time: heartbeats are computed instead of written. */
  readonly heartbeats?: (node: string) => number | undefined
  /** Requests are rate-limited in virtual time, so the number of workers matters. Default: no limit. */
  readonly workers?: 'upstream'
  /** Controllers ran on this cluster before: existing objects are not new to them. */
  readonly resumed?: boolean
  /**
   * The cluster is berth's own, so controllers that no other component runs, such as node IPAM, are enabled by default.
   */
  readonly isOwnCluster?: boolean
  /** The cluster is a real one, with its own kubelets and provisioners. */
  readonly isRemote?: boolean
  /** The certificate authority of the cluster, and its key for tokens. */
  readonly identity?: TokenSecretContents
  readonly signer?: CertificateSigner
  readonly checkPolicy?: PolicyTypeCheck
  /** The load of workloads. `isObserved`: other workloads have the load that their autoscalers measured last. */
  readonly load?: { readonly model: LoadModel; readonly isObserved?: boolean }
  /** The currently served kinds. Default: the built-in ones. */
  readonly kinds?: () => readonly ServedKind[]
}

export type ControllerFactory = (context: ControllerContext) => Controller

const kindsOf = ({ kinds, settings }: ControllerContext) => ({
  kinds: kinds ?? (() => builtinKindsOf(settings.release)),
})
const ofRelease = ({ settings: { release } }: ControllerContext) => ({ release })
const resumed = ({ resumed }: ControllerContext) => (resumed === true ? { resumed } : {})

/** A controller whose gate is disabled. */
const idle = (name: string): Controller => ({ name, watches: [], step: () => ({}) })

/** The fixes that change scheduler plugins. */
function schedulerFixes({ settings: { fixes } }: ControllerContext): Readonly<Record<string, object>> {
  return {
    ...(fixes.has('preemption-budgets') ? { DefaultPreemption: { keepsBudgets: true } } : {}),
    ...(fixes.has('finite-tolerations') ? { TaintToleration: { finiteTolerations: 'ignore' } } : {}),
  }
}

/** The scheduler's profiles: from its configuration, with users' plugins and fixes. */
export function profilesOf(context: ControllerContext): readonly Profile[] {
  const { configuration, plugins } = context.settings.scheduler
  const enabled = Object.keys(plugins)
  const profiles = createProfiles(configuration, {
    ...ofRelease(context),
    plugins,
    enabled,
    fixes: schedulerFixes(context),
  })
  if (!profiles.ok) throw new Refusal(`invalid scheduler configuration: ${profiles.message}`)
  return profiles.value
}

function schedulerOf(context: ControllerContext): Controller {
  const { configuration } = context.settings.scheduler
  return createScheduler({
    ...ofRelease(context),
    profiles: profilesOf(context),
    extenders: configuration.extenders,
    initialBackoffMs: configuration.podInitialBackoffSeconds * 1000,
    maxBackoffMs: configuration.podMaxBackoffSeconds * 1000,
    maxUnschedulableMs: context.settings.maxUnschedulableMs,
    metrics: context.metrics,
  })
}

/** Without a model of the load, no metrics are served, as in a cluster without metrics-server. */
function horizontalOf(context: ControllerContext): Controller {
  const { load, settings } = context
  const source = load?.model ?? new LoadModel([], 0)
  return createHorizontalPodAutoscaler({
    ...ofRelease(context),
    ...kindsOf(context),
    source,
    options: settings.horizontal,
    metrics: context.metrics,
    onFirst: (autoscaler) => {
      if (load?.isObserved !== true) return
      const { scaleTargetRef } = autoscaler.spec
      const target = { ...scaleTargetRef, namespace: autoscaler.metadata.namespace ?? '' }
      const observed = source.hasLoadOf(target) ? undefined : observedLoad(autoscaler)
      if (observed !== undefined) source.add(observed)
    },
  })
}

/** Adds the defaults of the API to a pod template. */
function templateDefaults({ settings }: ControllerContext): (template: PodTemplateSpec) => PodTemplateSpec {
  const shape = settings.release.api.types.get('core.PodTemplateSpec')
  if (shape === undefined) return (template) => template
  return (template) => applyDefaults(shape, template as never, settings.release) as unknown as PodTemplateSpec
}

/** Every controller by its name in `--controllers`, in the order in which they are stepped. */
export const controllerFactories = lookupTable<ControllerFactory>({
  deployment: (context) => createDeploymentController(ofRelease(context)),
  replicaset: (context) => createReplicaSetController(ofRelease(context)),
  replicationcontroller: (context) => createReplicationController(ofRelease(context)),
  statefulset: (context) =>
    createStatefulSetController({ ...ofRelease(context), defaultTemplate: templateDefaults(context) }),
  daemonset: (context) => createDaemonSetController(ofRelease(context)),
  cronjob: ({ settings }) => createCronJobController({ countsByUid: atLeast(settings.release, '1.37') }),
  job: (context) => createJobController(ofRelease(context)),
  'ttl-after-finished': () => createTtlAfterFinished(),
  horizontalpodautoscaling: (context) => horizontalOf(context),
  disruption: () => createDisruptionController(),
  podgc: (context) => createPodGarbageCollector({ metrics: context.metrics, log: context.log }),
  garbagecollector: (context) => createGarbageCollector(kindsOf(context)),
  namespace: (context) => createNamespaceController(kindsOf(context)),
  'ephemeral-volume': () => createEphemeralClaims(),
  'persistentvolume-binder': ({ isRemote }) => createVolumeBinder({ provisions: isRemote !== true }),
  'pvc-protection': (context) => createClaimProtection(ofRelease(context)),
  'pv-protection': () => createVolumeProtection(),
  resourcequota: (context) => createResourceQuotaController(kindsOf(context)),
  resourceclaim: (context) => {
    const { gates, minor } = context.settings.release
    const isBefore136 = !atLeast(context.settings.release, '1.36')
    return createResourceClaimController({
      ...ofRelease(context),
      metrics: context.metrics,
      gates: {
        adminAccess: gates.has('DRAAdminAccess'),
        prioritizedList: gates.has('DRAPrioritizedList'),
        workloadClaims: gates.has('DRAWorkloadResourceClaims'),
        blocksOwner: !atLeast(context.settings.release, '1.35'),
        endsAtFirstClaim: isBefore136,
        ignoresTemplates: isBefore136,
        refusesOtherConsumers: isBefore136,
      },
      groupVersion: minor === '1.36' ? 'v1alpha2' : 'v1beta1',
      ...resumed(context),
    })
  },
  'device-taint-eviction': (context) => {
    const { gates } = context.settings.release
    if (!gates.has('DRADeviceTaints')) return idle(deviceTaintEvictionName)
    return createDeviceTaintEviction({
      hasRules: gates.has('DRADeviceTaintRules'),
      workloadClaims: gates.has('DRAWorkloadResourceClaims'),
      metrics: context.metrics,
    })
  },
  'podgroup-protection': (context) =>
    context.settings.release.gates.has('GenericWorkload')
      ? createPodGroupProtection()
      : idle('podgroup-protection-controller'),
  scheduler: (context) => schedulerOf(context),
  'node-lifecycle': (context) =>
    createNodeLifecycle({
      ...context.settings.nodeLifecycle,
      fixes: context.settings.fixes,
      metrics: context.metrics,
      ...(context.heartbeats === undefined ? {} : { heartbeats: context.heartbeats }),
      ...(context.workers === 'upstream' ? { workers: upstreamWorkers } : {}),
      ...resumed(context),
    }),
  'node-ipam': (context) =>
    createNodeIpam({
      settings: context.settings.nodeIpam,
      fixes: context.settings.fixes,
      metrics: context.metrics,
      log: context.log,
      ...(context.isOwnCluster === true ? { isOwnCluster: true } : {}),
    }),
  'taint-eviction': (context) =>
    createTaintEviction({
      ...ofRelease(context),
      fixes: context.settings.fixes,
      evictionsPerSecond: context.settings.evictionsPerSecond,
      metrics: context.metrics,
      log: context.log,
      ...resumed(context),
    }),
})

const noSigner: CertificateSigner = { subjectOf: () => undefined, sign: () => '' }

/** Controllers of identities and of the network. Forecasts omit them, because they do not affect pods. */
export const clusterServiceFactories = lookupTable<ControllerFactory>({
  serviceaccount: () => createServiceAccountController(),
  'root-ca-cert-publisher': ({ identity = noIdentity }) => createRootCaPublisher(identity),
  'clusterrole-aggregation': () => createClusterRoleAggregation(),
  csrapproving: ({ signer }) => createCertificateApproving(signer ?? noSigner),
  csrsigning: ({ signer }) => createCertificateSigning(signer ?? noSigner),
  csrcleaner: (context) => createCertificateCleaner(ofRelease(context)),
  bootstrapsigner: () => createBootstrapSigner(),
  tokencleaner: () => createTokenCleaner(),
  ttl: () => createNodeTtl(),
  'flow-schema-status': () => createFlowSchemaStatus(),
  'validatingadmissionpolicy-status': ({ checkPolicy }) => createAdmissionPolicyStatus(checkPolicy ?? (() => [])),
  'vac-protection': () => createAttributesClassProtection(),
  'service-cidr': () => createServiceCidrController(),
  endpoint: () => createEndpointsController(),
  endpointslice: () => createEndpointSliceController(),
  endpointslicemirroring: () => createEndpointSliceMirroring(),
  'serviceaccount-token': ({ identity = noIdentity }) => createTokenController(identity),
})

export function createControllers(names: readonly string[], context: ControllerContext): readonly Controller[] {
  return names.map((name) => {
    const factory = controllerFactories[name] ?? clusterServiceFactories[name]
    if (factory === undefined) {
      const known = [...Object.keys(controllerFactories), ...Object.keys(clusterServiceFactories)]
      throw new Error(`unknown controller ${JSON.stringify(name)}; known controllers: ${known.join(', ')}`)
    }
    return factory(context)
  })
}
