import type { AnyPlugin, PluginFactory, Profile } from '../contract/contract.ts'
import { defaultBinder } from './default-binder/default-binder.ts'
import { createDefaultPreemption } from './default-preemption/default-preemption.ts'
import { imageLocality } from './image-locality/image-locality.ts'
import { createInterPodAffinity } from './inter-pod-affinity/inter-pod-affinity.ts'
import { createNodeAffinity } from './node-affinity/node-affinity.ts'
import { nodeDeclaredFeatures } from './node-declared-features/node-declared-features.ts'
import { nodeName } from './node-name/node-name.ts'
import { nodePorts } from './node-ports/node-ports.ts'
import { createBalancedAllocation } from './node-resources-balanced-allocation/node-resources-balanced-allocation.ts'
import { createNodeResourcesFit } from './node-resources-fit/node-resources-fit.ts'
import { nodeUnschedulable } from './node-unschedulable/node-unschedulable.ts'
import { createNodeVolumeLimits } from './node-volume-limits/node-volume-limits.ts'
import { createPodTopologySpread } from './pod-topology-spread/pod-topology-spread.ts'
import { prioritySort } from './priority-sort/priority-sort.ts'
import { schedulingGates } from './scheduling-gates/scheduling-gates.ts'
import { createTaintToleration } from './taint-toleration/taint-toleration.ts'
import { createVolumeBinding } from './volume-binding/volume-binding.ts'
import { volumeRestrictions } from './volume-restrictions/volume-restrictions.ts'
import { volumeZone } from './volume-zone/volume-zone.ts'

interface BuiltIn {
  readonly name: string
  /** The weight in the default profile; 0 for plugins without Score. */
  readonly weight: number
  readonly create: PluginFactory
}

const fixed =
  (plugin: AnyPlugin): PluginFactory =>
  () =>
    plugin

/** The configuration validates the args, so each factory can assume their type. */
const made =
  <A>(create: (args?: A) => AnyPlugin): PluginFactory =>
  (args) =>
    create(args as A | undefined)

/**
 * The plugins of the default profile in the order of v1.36 (apis/config/v1 getDefaultPlugins), without
 * DynamicResources.
 */
export const builtInPlugins: readonly BuiltIn[] = [
  { name: 'SchedulingGates', weight: 0, create: fixed(schedulingGates) },
  { name: 'PrioritySort', weight: 0, create: fixed(prioritySort) },
  { name: 'NodeUnschedulable', weight: 0, create: fixed(nodeUnschedulable) },
  { name: 'NodeName', weight: 0, create: fixed(nodeName) },
  { name: 'TaintToleration', weight: 3, create: made(createTaintToleration) },
  { name: 'NodeAffinity', weight: 2, create: made(createNodeAffinity) },
  { name: 'NodePorts', weight: 0, create: fixed(nodePorts) },
  { name: 'NodeResourcesFit', weight: 1, create: made(createNodeResourcesFit) },
  { name: 'VolumeRestrictions', weight: 0, create: fixed(volumeRestrictions) },
  { name: 'NodeVolumeLimits', weight: 0, create: () => createNodeVolumeLimits() },
  { name: 'VolumeBinding', weight: 0, create: made(createVolumeBinding) },
  { name: 'VolumeZone', weight: 0, create: fixed(volumeZone) },
  { name: 'PodTopologySpread', weight: 2, create: made(createPodTopologySpread) },
  { name: 'InterPodAffinity', weight: 2, create: made(createInterPodAffinity) },
  { name: 'DefaultPreemption', weight: 0, create: made(createDefaultPreemption) },
  { name: 'NodeResourcesBalancedAllocation', weight: 1, create: made(createBalancedAllocation) },
  { name: 'ImageLocality', weight: 1, create: fixed(imageLocality) },
  { name: 'DefaultBinder', weight: 0, create: fixed(defaultBinder) },
  { name: 'NodeDeclaredFeatures', weight: 0, create: fixed(nodeDeclaredFeatures) },
]

export interface ProfileOptions {
  readonly schedulerName?: string
  readonly args?: Readonly<Record<string, unknown>>
  readonly percentageOfNodesToScore?: number
}

/** Creates the default profile, with args for some plugins. */
export function createDefaultProfile(options: ProfileOptions = {}): Profile {
  const plugins = builtInPlugins.map(({ name, weight, create }) => ({ plugin: create(options.args?.[name]), weight }))
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
