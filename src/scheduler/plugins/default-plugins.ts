import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { defaultRelease } from '../../api/releases/release-of.ts'
import type { AnyPlugin, PluginFactory, Profile } from '../contract/contract.ts'
import { defaultBinder } from './default-binder/default-binder.ts'
import { createDefaultPreemption } from './default-preemption/default-preemption.ts'
import { createDynamicResources } from './dynamic-resources/dynamic-resources.ts'
import { gangScheduling } from './gang-scheduling/gang-scheduling.ts'
import { createImageLocality } from './image-locality/image-locality.ts'
import { createInterPodAffinity } from './inter-pod-affinity/inter-pod-affinity.ts'
import { createNodeAffinity } from './node-affinity/node-affinity.ts'
import { createNodeDeclaredFeatures } from './node-declared-features/node-declared-features.ts'
import { createNodeName } from './node-name/node-name.ts'
import { createNodePorts } from './node-ports/node-ports.ts'
import { createBalancedAllocation } from './node-resources-balanced-allocation/node-resources-balanced-allocation.ts'
import { createNodeResourcesFit } from './node-resources-fit/node-resources-fit.ts'
import { createNodeUnschedulable } from './node-unschedulable/node-unschedulable.ts'
import { createNodeVolumeLimits } from './node-volume-limits/node-volume-limits.ts'
import { createPodTopologySpread } from './pod-topology-spread/pod-topology-spread.ts'
import { prioritySort } from './priority-sort/priority-sort.ts'
import { createSchedulingGates } from './scheduling-gates/scheduling-gates.ts'
import { createTaintToleration } from './taint-toleration/taint-toleration.ts'
import { createVolumeBinding } from './volume-binding/volume-binding.ts'
import { createVolumeRestrictions } from './volume-restrictions/volume-restrictions.ts'
import { volumeZone } from './volume-zone/volume-zone.ts'

interface BuiltIn {
  readonly name: string
  /** The plugin exists in releases that know this gate. Absent: in all. */
  readonly gate?: string
  readonly create: PluginFactory
}

/** A plugin of the default profile with its factory. Weight 0: the plugin has no Score, or its weight is 1. */
export interface DefaultPlugin {
  readonly name: string
  readonly weight: number
  readonly create: PluginFactory
}

const fixed =
  (plugin: AnyPlugin): PluginFactory =>
  () =>
    plugin

/** The configuration validates the args, so each factory can assume their type. */
const made =
  <A>(create: (args: A, release: KubernetesRelease) => AnyPlugin): PluginFactory =>
  (args, release) =>
    create((args ?? {}) as A, release)

const withoutArgs =
  (create: (release: KubernetesRelease) => AnyPlugin): PluginFactory =>
  (_args, release) =>
    create(release)

const topologyGate = 'TopologyAwareWorkloadScheduling'

const builtIns: readonly BuiltIn[] = [
  { name: 'SchedulingGates', create: withoutArgs(createSchedulingGates) },
  { name: 'PrioritySort', create: fixed(prioritySort) },
  { name: 'NodeUnschedulable', create: withoutArgs(createNodeUnschedulable) },
  { name: 'NodeName', create: withoutArgs(createNodeName) },
  { name: 'TaintToleration', create: made(createTaintToleration) },
  { name: 'NodeAffinity', create: made(createNodeAffinity) },
  { name: 'NodePorts', create: withoutArgs(createNodePorts) },
  { name: 'NodeResourcesFit', create: made(createNodeResourcesFit) },
  { name: 'VolumeRestrictions', create: withoutArgs(createVolumeRestrictions) },
  { name: 'NodeVolumeLimits', create: withoutArgs(createNodeVolumeLimits) },
  { name: 'VolumeBinding', create: made(createVolumeBinding) },
  { name: 'VolumeZone', create: fixed(volumeZone) },
  { name: 'PodTopologySpread', create: made(createPodTopologySpread) },
  { name: 'InterPodAffinity', create: made(createInterPodAffinity) },
  { name: 'DynamicResources', gate: 'DynamicResourceAllocation', create: made(createDynamicResources) },
  { name: 'DefaultPreemption', create: made(createDefaultPreemption) },
  { name: 'NodeResourcesBalancedAllocation', create: made(createBalancedAllocation) },
  { name: 'ImageLocality', create: withoutArgs(createImageLocality) },
  { name: 'DefaultBinder', create: fixed(defaultBinder) },
  { name: 'NodeDeclaredFeatures', gate: 'NodeDeclaredFeatures', create: withoutArgs(createNodeDeclaredFeatures) },
  { name: 'GangScheduling', gate: 'GenericWorkload', create: fixed(gangScheduling) },
  // Upstream has other extension points for these two. Here the cycle of pod groups does their work.
  { name: 'TopologyPlacementGenerator', gate: topologyGate, create: fixed({ name: 'TopologyPlacementGenerator' }) },
  { name: 'PodGroupPodsCount', gate: topologyGate, create: fixed({ name: 'PodGroupPodsCount' }) },
]

/** The plugins that a release has, by name; profiles may enable them or not. */
export function builtInPlugins(release: KubernetesRelease): ReadonlyMap<string, PluginFactory> {
  const known = builtIns.filter(({ gate }) => gate === undefined || release.featureGates[gate] !== undefined)
  return new Map(known.map(({ name, create }) => [name, create]))
}

/** The plugins of the default profile of a release in their order, without those that berth does not have. */
export function defaultPlugins(release: KubernetesRelease): readonly DefaultPlugin[] {
  const factories = builtInPlugins(release)
  return release.schedulerPlugins.flatMap(({ name, weight }) => {
    const create = factories.get(name)
    return create === undefined ? [] : [{ name, weight, create }]
  })
}

export interface ProfileOptions {
  readonly release?: KubernetesRelease
  readonly schedulerName?: string
  readonly args?: Readonly<Record<string, unknown>>
  readonly percentageOfNodesToScore?: number
}

/** Creates the default profile of a release, with args for some plugins. */
export function createDefaultProfile(options: ProfileOptions = {}): Profile {
  const { release = defaultRelease } = options
  const plugins = defaultPlugins(release).map(({ name, weight, create }) => ({
    plugin: create(options.args?.[name], release),
    weight,
  }))
  return assembleProfile(options.schedulerName ?? 'default-scheduler', plugins, options.percentageOfNodesToScore)
}

/** Assembles a profile in which every plugin is enabled at all its extension points, in the given order. */
export function assembleProfile(
  schedulerName: string,
  plugins: readonly { readonly plugin: AnyPlugin; readonly weight: number }[],
  percentageOfNodesToScore?: number,
): Profile {
  const having = (point: keyof AnyPlugin): readonly AnyPlugin[] =>
    plugins.map(({ plugin }) => plugin).filter((plugin) => plugin[point] !== undefined)
  return {
    schedulerName,
    preEnqueue: having('preEnqueue'),
    queueSort: having('queueSort')[0] ?? prioritySort,
    preFilter: having('preFilter'),
    filter: having('filter'),
    postFilter: having('postFilter'),
    preScore: having('preScore'),
    score: plugins
      .filter(({ plugin }) => plugin.score !== undefined)
      .map(({ plugin, weight }) => ({ plugin, weight: weight || 1 })),
    reserve: having('reserve'),
    permit: having('permit'),
    preBind: having('preBind'),
    bind: having('bind'),
    postBind: having('postBind'),
    ...(percentageOfNodesToScore === undefined ? {} : { percentageOfNodesToScore }),
  }
}
