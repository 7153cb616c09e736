import type { DeviceTaintRule, ResourceSlice } from '../../api/objects/devices.ts'
import type { CompositePodGroup, PodGroup, PodGroupRules, Workload } from '../../api/objects/groups.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { withFeatureGates } from '../../api/releases/release-of.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import { type Settings, withRelease } from '../../controlplane/settings.ts'
import type { ForecastPlan } from '../scenario/forecast-plan.ts'

/** A gate that the cluster must have enabled: otherwise its API server would not store these objects or fields. */
export interface AssumedGate {
  readonly gate: string
  /** The objects in the cluster, for example `PodGroups`. */
  readonly because: string
}

interface GatedObjects {
  readonly groups: readonly KubeObject[]
  /** The rules of PodGroups, and of the templates of Workloads. */
  readonly rules: readonly PodGroupRules[]
  readonly composites: readonly CompositePodGroup[]
  readonly taintRules: readonly DeviceTaintRule[]
  readonly slices: readonly ResourceSlice[]
}

interface Evidence {
  readonly gate: string
  readonly because: string
  readonly isIn: (objects: GatedObjects) => boolean
}

const evidence: readonly Evidence[] = [
  {
    gate: 'GenericWorkload',
    because: 'PodGroups',
    isIn: ({ groups, composites }) => groups.length > 0 || composites.length > 0,
  },
  {
    gate: 'GangScheduling',
    because: 'PodGroups with a gang policy',
    isIn: ({ rules }) => rules.some(({ schedulingPolicy }) => schedulingPolicy?.gang !== undefined),
  },
  {
    gate: 'WorkloadAwarePreemption',
    because: 'PodGroups with a priority or a disruption mode',
    isIn: ({ rules }) =>
      rules.some((rule) => (rule.priority ?? rule.priorityClassName ?? rule.disruptionMode) !== undefined),
  },
  {
    gate: 'TopologyAwareWorkloadScheduling',
    because: 'PodGroups with topology constraints or parents',
    // Composite groups always need the gate.
    isIn: ({ rules, composites }) =>
      composites.length > 0 ||
      rules.some(({ schedulingConstraints }) => (schedulingConstraints?.topology?.length ?? 0) > 0),
  },
  { gate: 'CompositePodGroup', because: 'CompositePodGroups', isIn: ({ composites }) => composites.length > 0 },
  {
    gate: 'DRAWorkloadResourceClaims',
    because: 'PodGroups with claims',
    isIn: ({ rules }) => rules.some(({ resourceClaims = [] }) => resourceClaims.length > 0),
  },
  {
    gate: 'WorkloadWithJob',
    because: 'PodGroups of Jobs',
    isIn: ({ groups }) => groups.some((group) => controllerOf(group)?.kind === 'Job'),
  },
  { gate: 'DRADeviceTaintRules', because: 'DeviceTaintRules', isIn: ({ taintRules }) => taintRules.length > 0 },
  {
    gate: 'DRADeviceTaints',
    because: 'DeviceTaintRules or tainted devices',
    isIn: ({ taintRules, slices }) => taintRules.length > 0 || anyDevice(slices, ({ taints }) => taints !== undefined),
  },
  {
    gate: 'DRAPartitionableDevices',
    because: 'devices with shared counters',
    isIn: ({ slices }) => slices.some(({ spec }) => spec.sharedCounters !== undefined),
  },
  {
    gate: 'DRAConsumableCapacity',
    because: 'devices that several claims may share',
    isIn: ({ slices }) => anyDevice(slices, (device) => device.allowMultipleAllocations === true),
  },
  {
    gate: 'DRADeviceBindingConditions',
    because: 'devices with binding conditions',
    isIn: ({ slices }) => anyDevice(slices, ({ bindingConditions = [] }) => bindingConditions.length > 0),
  },
]

function anyDevice(
  slices: readonly ResourceSlice[],
  holds: (device: NonNullable<ResourceSlice['spec']['devices']>[number]) => boolean,
): boolean {
  return slices.some(({ spec }) => (spec.devices ?? []).some(holds))
}

/**
 * The settings with the gates enabled that the objects need. A gate that the settings enable or disable does not
 * change.
 * @param list The objects of a resource.
 */
export function assumeGates(
  settings: Settings,
  list: (resource: string) => readonly KubeObject[],
): { readonly settings: Settings; readonly assumed: readonly AssumedGate[] } {
  const { release } = settings
  const open = evidence.filter(
    ({ gate }) => Object.hasOwn(release.featureGates, gate) && !release.gates.has(gate) && !release.setGates.has(gate),
  )
  if (open.length === 0) return { settings, assumed: [] }
  const objects = gatedObjects(list)
  const assumed = open.filter(({ isIn }) => isIn(objects)).map(({ gate, because }) => ({ gate, because }))
  if (assumed.length === 0) return { settings, assumed }
  const changed = withFeatureGates(release, new Map(assumed.map(({ gate }) => [gate, true])))
  // These gates may depend on a gate that the user disabled.
  return changed.ok ? { settings: withRelease(settings, changed.value), assumed } : { settings, assumed: [] }
}

function gatedObjects(list: (resource: string) => readonly KubeObject[]): GatedObjects {
  const podGroups = list('podgroups.scheduling.k8s.io') as readonly PodGroup[]
  const workloads = list('workloads.scheduling.k8s.io') as readonly Workload[]
  return {
    groups: [...podGroups, ...workloads],
    rules: [...podGroups.map(({ spec }) => spec), ...workloads.flatMap(({ spec }) => spec.podGroupTemplates ?? [])],
    composites: list('compositepodgroups.scheduling.k8s.io') as readonly CompositePodGroup[],
    taintRules: list('devicetaintrules.resource.k8s.io') as readonly DeviceTaintRule[],
    slices: list('resourceslices.resource.k8s.io') as readonly ResourceSlice[],
  }
}

const kinds = lookupTable<string>({
  'podgroups.scheduling.k8s.io': 'PodGroup',
  'compositepodgroups.scheduling.k8s.io': 'CompositePodGroup',
  'workloads.scheduling.k8s.io': 'Workload',
  'devicetaintrules.resource.k8s.io': 'DeviceTaintRule',
  'resourceslices.resource.k8s.io': 'ResourceSlice',
})

/** The plan with the gates that its cluster, its manifests and the objects of its steps need. */
export function withAssumedGates<Plan extends ForecastPlan>(
  plan: Plan,
): { readonly plan: Plan; readonly assumed: readonly AssumedGate[] } {
  const { settings, assumed } = assumeGates(plan.settings, objectsOf(plan))
  return { plan: assumed.length === 0 ? plan : { ...plan, settings }, assumed }
}

/** Reports whether pods wait until a driver reports that their devices are ready for binding. */
export function hasBindingConditions(plan: ForecastPlan): boolean {
  const slices = objectsOf(plan)('resourceslices.resource.k8s.io') as readonly ResourceSlice[]
  return anyDevice(slices, ({ bindingConditions = [] }) => bindingConditions.length > 0)
}

/** The objects of a resource in the cluster, in the manifests and in the steps. */
function objectsOf({ found, create, steps, history }: ForecastPlan): (resource: string) => readonly KubeObject[] {
  const applied = [...(history?.steps ?? []), ...steps].flatMap(({ step }) =>
    step.kind === 'apply' ? step.objects : [],
  )
  const given = [...create, ...applied]
  return (resource) => [...(found?.store.list(resource) ?? []), ...given.filter(({ kind }) => kind === kinds[resource])]
}
