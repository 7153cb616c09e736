import type { KubeObject } from '../../../api/objects/meta.ts'
import { lookupTable } from '../../../base/lookup-table.ts'
import { list, type Obj, part } from '../../validation/reader.ts'
import type { Strategy, WriteContext } from '../kind.ts'

const asObj = (object: KubeObject | undefined): Obj | undefined => object as unknown as Obj | undefined

/** The fields of a group, and of its template, that need a feature gate. In v1.37, one gate covers most of them. */
const gatedFields: readonly (readonly [field: string, gate: string, gateOf137: string])[] = [
  ['schedulingConstraints', 'TopologyAwareWorkloadScheduling', 'TopologyAwareWorkloadScheduling'],
  ['resourceClaims', 'DRAWorkloadResourceClaims', 'DRAWorkloadResourceClaims'],
  ['disruptionMode', 'WorkloadAwarePreemption', 'GenericWorkload'],
  ['priorityClassName', 'WorkloadAwarePreemption', 'GenericWorkload'],
  ['priority', 'WorkloadAwarePreemption', 'GenericWorkload'],
  ['preemptionPolicy', 'PodGroupPreemptionPolicy', 'PodGroupPreemptionPolicy'],
]

/** The strategies of Workload and PodGroup (v1.36, pkg/registry/scheduling). */
export const groupStrategies = lookupTable<Strategy>({
  'workloads.scheduling.k8s.io': {
    prepareCreate: (object, context) => withTemplates(object, undefined, context),
    prepareUpdate: (object, old, context) => withTemplates(object, old, context),
  },
  'podgroups.scheduling.k8s.io': {
    statusMetadata: 'keeps-all',
    prepareCreate: (object, context) => withSpec(object, undefined, context),
    prepareUpdate: (object, old, context) => withSpec(object, old, context),
    prepareSubresource: { status: withoutClaimStatuses },
  },
})

function withSpec(object: KubeObject, old: KubeObject | undefined, { release }: WriteContext): KubeObject {
  const spec = part(asObj(object), 'spec')
  const kept = withoutDisabled(spec, old === undefined ? undefined : part(asObj(old), 'spec'), release)
  const { disruptionMode } = kept
  // The default in v1.36 is a string; v1.37 has none.
  const isDefaulted =
    old === undefined &&
    disruptionMode === undefined &&
    release.minor === '1.36' &&
    release.gates.has('WorkloadAwarePreemption')
  const defaulted = isDefaulted ? { ...kept, disruptionMode: 'Pod' } : kept
  return defaulted === spec ? object : ({ ...object, spec: defaulted } as KubeObject)
}

function withTemplates(object: KubeObject, old: KubeObject | undefined, { release }: WriteContext): KubeObject {
  const spec = part(asObj(object), 'spec')
  const before = old === undefined ? [] : list(part(asObj(old), 'spec'), 'podGroupTemplates')
  const templates = list(spec, 'podGroupTemplates')
  const kept = templates.map((template, i) => withoutDisabled(template, before[i], release))
  if (kept.every((template, i) => template === templates[i])) return object
  return { ...object, spec: { ...spec, podGroupTemplates: kept } } as KubeObject
}

/** Fields that the old object uses may stay. */
function withoutDisabled(fields: Obj, old: Obj | undefined, { minor, gates }: WriteContext['release']): Obj {
  const dropped = gatedFields.filter(
    ([field, gate, gateOf137]) =>
      fields[field] !== undefined && old?.[field] === undefined && !gates.has(minor === '1.36' ? gate : gateOf137),
  )
  if (dropped.length === 0) return fields
  const left: Record<string, unknown> = { ...fields }
  for (const [field] of dropped) delete left[field]
  return left
}

function withoutClaimStatuses(object: KubeObject, old: KubeObject, { release }: WriteContext): KubeObject {
  const isUsed = list(part(asObj(old), 'spec'), 'resourceClaims').length > 0
  if (isUsed || release.gates.has('DRAWorkloadResourceClaims')) return object
  const { resourceClaimStatuses: _, ...status } = part(asObj(object), 'status')
  return { ...object, status } as KubeObject
}
