import type { DefaultPlugin } from './kubernetes-release.ts'

const always: readonly DefaultPlugin[] = [
  { name: 'SchedulingGates', weight: 0 },
  { name: 'PrioritySort', weight: 0 },
  { name: 'NodeUnschedulable', weight: 0 },
  { name: 'NodeName', weight: 0 },
  { name: 'TaintToleration', weight: 3 },
  { name: 'NodeAffinity', weight: 2 },
  { name: 'NodePorts', weight: 0 },
  { name: 'NodeResourcesFit', weight: 1 },
  { name: 'VolumeRestrictions', weight: 0 },
  { name: 'NodeVolumeLimits', weight: 0 },
  { name: 'VolumeBinding', weight: 0 },
  { name: 'VolumeZone', weight: 0 },
  { name: 'PodTopologySpread', weight: 2 },
  { name: 'InterPodAffinity', weight: 2 },
  { name: 'DefaultPreemption', weight: 0 },
  { name: 'NodeResourcesBalancedAllocation', weight: 1 },
  { name: 'ImageLocality', weight: 1 },
  { name: 'DefaultBinder', weight: 0 },
]

/**
 * The default profile of a minor release with the given gates (pkg/scheduler/apis/config/v1 getDefaultPlugins and
 * applyFeatureGates).
 */
export function defaultPluginsOf(minor: string, gates: ReadonlySet<string>): readonly DefaultPlugin[] {
  const is134 = minor === '1.34'
  const from137 = minor === '1.37'
  const plugins = [...always]
  const at = (name: string): number => plugins.findIndex((plugin) => plugin.name === name)
  // NodeName is the cheaper filter.
  if (from137) plugins.splice(at('NodeUnschedulable'), 2, plugins[at('NodeName')]!, plugins[at('NodeUnschedulable')]!)
  const append = (gate: string, ...added: readonly DefaultPlugin[]) => {
    if (gates.has(gate)) plugins.push(...added)
  }
  if (!is134) append('NodeDeclaredFeatures', { name: 'NodeDeclaredFeatures', weight: 0 })
  if (from137 && gates.has('InPlacePodVerticalScalingSchedulerPreemption')) {
    plugins.splice(at('NodeResourcesFit'), 0, { name: 'DeferredPodScheduling', weight: 0 })
  }
  if (gates.has('DynamicResourceAllocation')) {
    plugins.splice(at('DefaultPreemption'), 0, { name: 'DynamicResources', weight: is134 ? 0 : 2 })
  }
  append(from137 ? 'GenericWorkload' : 'GangScheduling', { name: 'GangScheduling', weight: 0 })
  append(
    'TopologyAwareWorkloadScheduling',
    { name: 'TopologyPlacementGenerator', weight: 0 },
    { name: 'PodGroupPodsCount', weight: 1 },
  )
  return plugins
}
