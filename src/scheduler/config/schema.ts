import { lookupTable } from '../../base/lookup-table.ts'
import { anything, type Decoder, decimal, flag, integer, list, map, object, text } from './decoder.ts'

// KubeSchedulerConfiguration of kubescheduler.config.k8s.io/v1 (v1.36, kube-scheduler/config/v1).

const plugin = object({ name: text, weight: integer })
const pluginSet = object({ enabled: list(plugin), disabled: list(plugin) })

/** The extension points in upstream's order. */
export const extensionPoints = [
  'preEnqueue',
  'queueSort',
  'preFilter',
  'filter',
  'postFilter',
  'preScore',
  'score',
  'reserve',
  'permit',
  'preBind',
  'bind',
  'postBind',
] as const

export type ExtensionPoint = (typeof extensionPoints)[number]

const points = Object.fromEntries(extensionPoints.map((point) => [point, pluginSet])) as Record<
  ExtensionPoint,
  typeof pluginSet
>

const plugins = object({ ...points, multiPoint: pluginSet, placementGenerate: pluginSet, placementScore: pluginSet })

const profile = object({
  schedulerName: text,
  percentageOfNodesToScore: integer,
  plugins,
  pluginConfig: list(object({ name: text, args: anything })),
})

const extender = object({
  urlPrefix: text,
  filterVerb: text,
  preemptVerb: text,
  prioritizeVerb: text,
  weight: integer,
  bindVerb: text,
  enableHTTPS: flag,
  tlsConfig: object({
    insecure: flag,
    serverName: text,
    certFile: text,
    keyFile: text,
    caFile: text,
    certData: text,
    keyData: text,
    caData: text,
  }),
  httpTimeout: text,
  nodeCacheCapable: flag,
  managedResources: list(object({ name: text, ignoredByScheduler: flag })),
  ignorable: flag,
})

export const configuration = object({
  apiVersion: text,
  kind: text,
  parallelism: integer,
  leaderElection: object({
    leaderElect: flag,
    leaseDuration: text,
    renewDeadline: text,
    retryPeriod: text,
    resourceLock: text,
    resourceName: text,
    resourceNamespace: text,
  }),
  clientConnection: object({
    kubeconfig: text,
    acceptContentTypes: text,
    contentType: text,
    qps: decimal,
    burst: integer,
  }),
  enableProfiling: flag,
  enableContentionProfiling: flag,
  percentageOfNodesToScore: integer,
  podInitialBackoffSeconds: integer,
  podMaxBackoffSeconds: integer,
  profiles: list(profile),
  extenders: list(extender),
  delayCacheUntilActive: flag,
})

const labelSelector = object({
  matchLabels: map(text),
  matchExpressions: list(object({ key: text, operator: text, values: list(text) })),
})
const nodeTerm = object({
  matchExpressions: list(object({ key: text, operator: text, values: list(text) })),
  matchFields: list(object({ key: text, operator: text, values: list(text) })),
})
const resourceSpecs = list(object({ name: text, weight: integer }))
const shape = list(object({ utilization: integer, score: integer }))
const meta = { apiVersion: text, kind: text }

export const pluginArgs = lookupTable<Decoder<object>>({
  DefaultPreemption: object({ ...meta, minCandidateNodesPercentage: integer, minCandidateNodesAbsolute: integer }),
  InterPodAffinity: object({ ...meta, hardPodAffinityWeight: integer, ignorePreferredTermsOfExistingPods: flag }),
  NodeAffinity: object({
    ...meta,
    addedAffinity: object({
      requiredDuringSchedulingIgnoredDuringExecution: object({ nodeSelectorTerms: list(nodeTerm) }),
      preferredDuringSchedulingIgnoredDuringExecution: list(object({ weight: integer, preference: nodeTerm })),
    }),
  }),
  NodeResourcesBalancedAllocation: object({ ...meta, resources: resourceSpecs }),
  NodeResourcesFit: object({
    ...meta,
    ignoredResources: list(text),
    ignoredResourceGroups: list(text),
    scoringStrategy: object({ type: text, resources: resourceSpecs, requestedToCapacityRatio: object({ shape }) }),
  }),
  PodTopologySpread: object({
    ...meta,
    defaultConstraints: list(
      object({
        maxSkew: integer,
        topologyKey: text,
        whenUnsatisfiable: text,
        labelSelector,
        minDomains: integer,
        nodeAffinityPolicy: text,
        nodeTaintsPolicy: text,
        matchLabelKeys: list(text),
      }),
    ),
    defaultingType: text,
  }),
  VolumeBinding: object({ ...meta, bindTimeoutSeconds: integer, shape }),
  DynamicResources: object({ ...meta, filterTimeout: text, bindingTimeout: text }),
})

type DecodedBy<D> = D extends Decoder<infer T> ? T : never
export type RawConfiguration = DecodedBy<typeof configuration>
export type RawProfile = DecodedBy<typeof profile>
export type RawPlugins = DecodedBy<typeof plugins>
export type RawPluginSet = DecodedBy<typeof pluginSet>
export type RawExtender = DecodedBy<typeof extender>
