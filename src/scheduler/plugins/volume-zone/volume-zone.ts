import type { StringMap } from '../../../api/objects/meta.ts'
import type { Pod } from '../../../api/objects/pod.ts'
import { classOfClaim } from '../../../api/persistent-volumes.ts'
import { labels } from '../../../api/well-known.ts'
import { lookupTable } from '../../../base/lookup-table.ts'
import { requirementColumns } from '../../columns/derived-columns.ts'
import { memoFilter } from '../../columns/memo.ts'
import { type ColumnarPlugin, type ColumnSources, defineColumnarPlugin } from '../../columns/plugin-columns.ts'
import { LabelClasses } from '../../columns/table/label-classes.ts'
import {
  type ObjectReader,
  ok,
  type ParsedPod,
  type PluginStatus,
  skip,
  unresolvable,
} from '../../contract/contract.ts'
import { claimNotFound } from '../volume-binding/pod-claims.ts'
import { topologyLabels, volumeZoneWake, zonesOf } from './wake.ts'

/** A topology label of a volume and the values that a node must match. */
interface ZoneRequirement {
  readonly label: string
  readonly values: readonly string[]
}

const elsewhere = unresolvable('node(s) had no available volume zone')

/** The current names of the deprecated zone and region labels. */
const currentLabels = lookupTable<string>({
  [labels.betaZone]: labels.zone,
  [labels.betaRegion]: labels.region,
})

/** A volume with zone labels is usable only in these zones (v1.36, plugins/volumezone). */
export const volumeZone: ColumnarPlugin<readonly ZoneRequirement[], undefined> = defineColumnarPlugin<
  readonly ZoneRequirement[]
>({
  name: 'VolumeZone',
  preFilter({ pod, shape }, { objects }) {
    if (shape.claims.length === 0) return skip
    const required = requirementsOf(pod, objects)
    if ('code' in required) return required
    return required.length === 0 ? skip : { state: required }
  },
  filter(_pod, { node }, required) {
    return isWithin(required, node.metadata.labels) ? ok : elsewhere
  },
  wakeOn: volumeZoneWake,
  columns: requirementColumns(requirementOf, (required, pod, sources) => {
    const classes = new LabelClasses(sources.table, topologyLabels)
    return { filterRow: memoFilter(volumeZone, pod, required, sources, (row) => classes.of(row)) }
  }),
})

/** A rejection by PreFilter is left to the plain form. */
function requirementOf(
  { pod, shape }: ParsedPod,
  { objects }: ColumnSources,
): '' | 'live' | readonly ZoneRequirement[] {
  if (shape.claims.length === 0) return ''
  const required = requirementsOf(pod, objects)
  if ('code' in required) return 'live'
  return required.length === 0 ? '' : required
}

function isWithin(required: readonly ZoneRequirement[], own: StringMap | undefined): boolean {
  // Nodes of a cluster with a single zone may have no labels.
  if (own === undefined || !topologyLabels.some((label) => own[label] !== undefined)) return true
  return required.every(({ label, values }) => {
    const value = own[label] ?? own[currentLabels[label] ?? label]
    return value !== undefined && values.includes(value)
  })
}

function requirementsOf(pod: Pod, objects: ObjectReader): readonly ZoneRequirement[] | PluginStatus {
  const required: ZoneRequirement[] = []
  for (const { persistentVolumeClaim } of pod.spec.volumes ?? []) {
    if (persistentVolumeClaim === undefined) continue
    const { claimName } = persistentVolumeClaim
    if (claimName === '') return unresolvable('PersistentVolumeClaim had no name')
    const claim = objects.get('persistentvolumeclaims', `${pod.metadata.namespace ?? ''}/${claimName}`)
    if (claim === undefined) return unresolvable(claimNotFound(claimName))
    const volumeName = claim.spec.volumeName ?? ''
    if (volumeName === '') {
      const problem = unboundProblem(classOfClaim(claim), objects)
      if (problem !== undefined) return unresolvable(problem)
      continue
    }
    const volume = objects.get('persistentvolumes', volumeName)
    if (volume === undefined) return unresolvable(`persistentvolume ${JSON.stringify(volumeName)} not found`)
    for (const label of topologyLabels) {
      const values = zonesOf(volume, label)
      if (values !== undefined) required.push({ label, values })
    }
  }
  return required
}

/** The problem of an unbound claim. A claim that waits for its first consumer has none. */
function unboundProblem(className: string, objects: ObjectReader): string | undefined {
  if (className === '') return 'PersistentVolumeClaim had no pv name and storageClass name'
  const storageClass = objects.get('storageclasses.storage.k8s.io', className)
  if (storageClass === undefined) return `storageclass.storage.k8s.io ${JSON.stringify(className)} not found`
  if (storageClass.volumeBindingMode === undefined) {
    return `VolumeBindingMode not set for StorageClass ${JSON.stringify(className)}`
  }
  return storageClass.volumeBindingMode === 'WaitForFirstConsumer' ? undefined : 'PersistentVolume had no name'
}
