import { WrongField } from '../api/document-reader.ts'
import type { Node } from '../api/objects/node.ts'
import type { Autoscaling } from '../autoscalers/autoscaling.ts'
import { fileLimits, loadYaml } from '../base/yaml.ts'
import { packs } from '../controllers/hollow-kubelet/packs.ts'
import { clusterServiceFactories, controllerFactories } from '../controlplane/controllers.ts'
import { defaultShape, type NodeShape, parseNodeShape } from '../controlplane/hollow-nodes.ts'
import { readSettings, type SchedulerSource, type Settings } from '../controlplane/settings.ts'
import type { WebhookSettings } from '../controlplane/webhook-answers.ts'
import { readSchedulerConfiguration } from '../scheduler/config/scheduler-configuration.ts'
import type { AnyPlugin, PluginFactory } from '../scheduler/contract/contract.ts'
import { readAutoscaling } from '../whatif/scenario/autoscaling-reader.ts'
import { nameHint } from '../whatif/scenario/near-names.ts'
import { readWebhookRecording } from '../whatif/scenario/webhook-recording.ts'
import { clusterFlags } from '../whatif/snapshot/assumed-flags.ts'
import type { FoundVersion } from '../whatif/snapshot/found-cluster.ts'
import { ClusterOptionError, checkList, checkMembers, checkOneOf, shown } from './argument-checks.ts'
import type { ClusterSource } from './cluster-source.ts'
import { type ControllerDefinition, isDefinition } from './controller-definition.ts'

export interface ClusterOptions {
  /**
   * The initial objects: the path of a snapshot, of a dump of `kubectl get -o json|yaml` or of a directory of manifests, or
   * the objects. Default: an empty cluster.
   */
  readonly from?: ClusterSource
  /** Number of hollow nodes that are created: node-1, node-2, … Default: 3, or none with `from`. */
  readonly nodes?: number
  /** For example `cpu=8,memory=32Gi,zones=3`. */
  readonly nodeShape?: string | NodeShape
  /** The behavior of hollow kubelets. Default: fast. */
  readonly pack?: 'fast' | 'realistic' | 'chaos' | 'forecast'
  /** `written`: kubelets renew their Leases. Default: computed, which has the same consequences and is much faster. */
  readonly heartbeats?: 'written' | 'computed'
  /**
   * Flags with the names of kube-controller-manager and kube-scheduler, without dashes in front:
   * `{ 'node-monitor-grace-period': '20s' }`; also `behavior` and `fix`.
   */
  readonly flags?: Readonly<Record<string, unknown>>
  /** The release of Kubernetes: `1.36`, or with its patch level, `1.36.2`. Default: that of `from`, else the newest. */
  readonly kubernetesVersion?: string
  /** For example `MaxUnavailableStatefulSet=true`, or an object by name. */
  readonly featureGates?: string | Readonly<Record<string, boolean>>
  /**
   * Your controllers, from `defineController` and `defineReconciler`. Text names built-in controllers as `--controllers`
   * does: `endpointslice` starts one that is off by default, `-job` stops one, `*` starts all.
   */
  readonly controllers?: readonly (string | ControllerDefinition)[]
  /** Additional scheduler plugins. They are enabled in every profile, unless `schedulerConfig` names them. */
  readonly plugins?: readonly (AnyPlugin | PluginFactory)[]
  /** A KubeSchedulerConfiguration: the object, or its YAML. */
  readonly schedulerConfig?: string | object
  /** The autoscalers, as in `autoscaling` of a scenario. Default: none. */
  readonly autoscaling?: object
  /** `upstream`: requests of controllers are rate-limited as upstream's are. Default: unlimited, or upstream with `from`. */
  readonly callRates?: 'upstream' | 'unlimited'
  /**
   * How the webhooks of the cluster are answered: a WebhookRecording (the object, or its YAML), and whether others fail by
   * their failurePolicy or allow every request. Default: they fail.
   */
  readonly webhooks?: { readonly recording?: string | object; readonly unanswered?: 'failurePolicy' | 'allow' }
  /** Random seed: makes names and ties reproducible. Default: 1. */
  readonly seed?: string | number
  /**
   * The initial time. Default: the time of `from`, else 2026-01-01T00:00:00Z. `kubectl describe` computes ages with the clock
   * of your machine; pass `new Date()` for correct ages.
   */
  readonly start?: Date | number | string
}

const optionNames: Readonly<Record<keyof ClusterOptions, true>> = {
  from: true,
  nodes: true,
  nodeShape: true,
  pack: true,
  heartbeats: true,
  flags: true,
  kubernetesVersion: true,
  featureGates: true,
  controllers: true,
  plugins: true,
  schedulerConfig: true,
  autoscaling: true,
  callRates: true,
  webhooks: true,
  seed: true,
  start: true,
}

/** Throws on the first option that does not exist or has an invalid value. */
export function checkOptions(options: ClusterOptions): void {
  checkMembers('createCluster', options, Object.keys(optionNames))
  const { nodes, pack, heartbeats, callRates, kubernetesVersion, featureGates, flags, seed, webhooks } = options
  if (nodes !== undefined && (!Number.isInteger(nodes) || nodes < 0))
    throw new ClusterOptionError(`nodes: ${shown(nodes)} must be an integer >= 0`)
  checkOneOf('pack', pack, Object.keys(packs))
  checkOneOf('heartbeats', heartbeats, ['written', 'computed'])
  checkOneOf('callRates', callRates, ['upstream', 'unlimited'])
  // The number 1.40 would be 1.4.
  if (kubernetesVersion !== undefined && typeof kubernetesVersion !== 'string')
    throw new ClusterOptionError(`kubernetesVersion: ${shown(kubernetesVersion)} must be a text such as "1.36"`)
  if (featureGates !== undefined && typeof featureGates !== 'string' && !isRecord(featureGates))
    throw new ClusterOptionError(
      `featureGates: ${shown(featureGates)} must be an object such as { MaxUnavailableStatefulSet: true }, or its text`,
    )
  if (flags !== undefined && !isRecord(flags))
    throw new ClusterOptionError(`flags: ${shown(flags)} must be an object such as { 'node-monitor-period': '5s' }`)
  if (seed !== undefined && typeof seed !== 'string' && !Number.isFinite(seed))
    throw new ClusterOptionError(`seed: ${shown(seed)} must be a text or a number`)
  if (options.controllers !== undefined) checkList('controllers', options.controllers)
  if (options.plugins !== undefined) checkList('plugins', options.plugins)
  if (webhooks !== undefined) checkMembers('webhooks', webhooks, ['recording', 'unanswered'])
  checkOneOf('webhooks.unanswered', webhooks?.unanswered, ['failurePolicy', 'allow'])
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function webhooksOf({ webhooks }: ClusterOptions): WebhookSettings | undefined {
  if (webhooks === undefined) return undefined
  const { recording, unanswered } = webhooks
  const document = typeof recording === 'string' ? loadYaml(recording, fileLimits)[0] : recording
  try {
    return {
      ...(document === undefined ? {} : { recording: readWebhookRecording(document) }),
      ...(unanswered === undefined ? {} : { unanswered }),
    }
  } catch (error) {
    if (error instanceof WrongField) throw new ClusterOptionError(`webhooks.recording: ${error.message}`)
    throw error
  }
}

/** @param found The release of the cluster of `from`. */
export function settingsOf(options: ClusterOptions, found: FoundVersion = {}): Settings {
  const { flags, kubernetesVersion, featureGates } = options
  const settings = readSettings(
    clusterFlags(found, {
      ...flags,
      ...(kubernetesVersion === undefined ? {} : { 'kubernetes-version': kubernetesVersion }),
      ...(featureGates === undefined ? {} : { 'feature-gates': featureGates }),
    }),
    schedulerOf(options),
  )
  if (!settings.ok) throw new ClusterOptionError(settings.message)
  return settings.value
}

function schedulerOf({ plugins = [], schedulerConfig }: ClusterOptions): SchedulerSource {
  const byName: Record<string, PluginFactory> = {}
  for (const [at, given] of plugins.entries()) {
    const plugin = typeof given === 'function' ? (given as () => AnyPlugin)() : given
    if (typeof plugin?.name !== 'string')
      throw new ClusterOptionError(`plugins[${at}]: is not a plugin; create it with definePlugin({ name: 'Mine', … })`)
    if (Object.hasOwn(byName, plugin.name))
      throw new ClusterOptionError(`plugins[${at}]: duplicate plugin ${plugin.name}`)
    byName[plugin.name] = typeof given === 'function' ? given : () => plugin
  }
  if (schedulerConfig === undefined) return { plugins: byName }
  const document = typeof schedulerConfig === 'string' ? loadYaml(schedulerConfig, fileLimits)[0] : schedulerConfig
  return {
    plugins: byName,
    configurationOf: (release) => {
      const read = readSchedulerConfiguration(document, release)
      if (!read.ok) throw new ClusterOptionError(`schedulerConfig: ${read.message}`)
      return read.value
    },
  }
}

// A cluster in virtual time has no certificate authority and no key for tokens.
const needsIdentity: ReadonlySet<string> = new Set([
  'csrapproving',
  'csrsigning',
  'serviceaccount-token',
  'root-ca-cert-publisher',
])

export function definitionsOf({ controllers = [] }: ClusterOptions): readonly ControllerDefinition[] {
  const names = new Set<string>()
  const builtIn = new Set([...Object.keys(controllerFactories), ...Object.keys(clusterServiceFactories)])
  return controllers.flatMap((given, at) => {
    if (typeof given === 'string') return []
    if (!isDefinition(given))
      throw new ClusterOptionError(
        `controllers[${at}]: must be the name of a built-in controller, or the result of defineController or defineReconciler`,
      )
    if (builtIn.has(given.name) || names.has(given.name))
      throw new ClusterOptionError(
        `controllers[${at}]: a controller named ${JSON.stringify(given.name)} already exists`,
      )
    names.add(given.name)
    return [given]
  })
}

/** The names of the built-in controllers that run. `without`: those that `from` does not allow. */
export function controllerNamesOf(options: ClusterOptions, without: readonly string[]): readonly string[] {
  const controllers = (options.controllers ?? []).filter((given) => typeof given === 'string')
  const standard = Object.keys(controllerFactories)
  const known = [...standard, ...Object.keys(clusterServiceFactories).filter((name) => !needsIdentity.has(name))]
  const chosen = new Set(controllers.includes('*') ? known : standard)
  for (const name of without) chosen.delete(name)
  for (const given of controllers) {
    const name = given.replace(/^-/, '')
    if (name !== '*' && !known.includes(name))
      throw new ClusterOptionError(`controllers: unknown controller ${JSON.stringify(name)}; ${nameHint(name, known)}`)
    if (given.startsWith('-')) chosen.delete(name)
    else if (name !== '*') chosen.add(name)
  }
  return known.filter((name) => chosen.has(name))
}

export function autoscalingOf({ autoscaling }: ClusterOptions, nodes: readonly Node[]): Autoscaling | undefined {
  if (autoscaling === undefined) return undefined
  try {
    return readAutoscaling(autoscaling, 'autoscaling', nodes)
  } catch (error) {
    if (error instanceof WrongField) throw new ClusterOptionError(error.message)
    throw error
  }
}

export function shapeOf({ nodeShape }: ClusterOptions): NodeShape {
  if (nodeShape === undefined) return defaultShape
  if (typeof nodeShape !== 'string') {
    checkMembers('nodeShape', nodeShape, ['resources', 'zones', 'labels'])
    return { ...defaultShape, ...nodeShape }
  }
  try {
    return parseNodeShape(nodeShape)
  } catch (error) {
    throw new ClusterOptionError(`nodeShape: ${(error as Error).message}`)
  }
}

export function startOf({ start }: ClusterOptions): number | undefined {
  if (start === undefined) return undefined
  const ms = new Date(start).getTime()
  if (Number.isNaN(ms)) throw new ClusterOptionError(`start: ${shown(start)} is not a date`)
  return ms
}
