import { semanticEqual } from '../../../api/equality.ts'
import type { Pod } from '../../../api/objects/pod.ts'
import type { PersistentVolume, StorageClass } from '../../../api/objects/storage.ts'
import { labels } from '../../../api/well-known.ts'
import type { WakeChange, WakeRule } from '../../contract/contract.ts'
import { ActionType } from '../../contract/contract.ts'

export const topologyLabels = [labels.betaZone, labels.betaRegion, labels.zone, labels.region]

/** The zones of a label value, separated by `__`. A value with an empty zone is ignored. */
export function zonesOf(volume: PersistentVolume, label: string): readonly string[] | undefined {
  const value = volume.metadata.labels?.[label]
  if (value === undefined) return undefined
  const zones = value.split('__').map((zone) => zone.trim())
  return zones.includes('') ? undefined : [...new Set(zones)].sort()
}

function moves(_pod: Pod, { before, after }: WakeChange<PersistentVolume>): boolean {
  if (before === undefined || after === undefined) return true
  return topologyLabels.some((label) => !semanticEqual(zonesOf(before, label), zonesOf(after, label)))
}

export const volumeZoneWake: readonly WakeRule[] = [
  {
    on: { resource: 'storage.k8s.io/StorageClass', action: ActionType.Add },
    hint: (_pod, { after }) => (after as StorageClass | undefined)?.volumeBindingMode === 'WaitForFirstConsumer',
  },
  { on: { resource: 'Node', action: ActionType.Add | ActionType.UpdateNodeLabel } },
  {
    on: { resource: 'PersistentVolumeClaim', action: ActionType.Add | ActionType.Update },
    hint: (pod, { after }) =>
      after?.metadata.namespace === pod.metadata.namespace &&
      (pod.spec.volumes ?? []).some(({ persistentVolumeClaim: claim }) => claim?.claimName === after?.metadata.name),
  },
  {
    on: { resource: 'PersistentVolume', action: ActionType.Add | ActionType.Update },
    hint: (pod, change) => moves(pod, change as WakeChange<PersistentVolume>),
  },
]
