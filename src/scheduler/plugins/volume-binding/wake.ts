import { semanticEqual } from '../../../api/equality.ts'
import type { KubeObject } from '../../../api/objects/meta.ts'
import type { Pod } from '../../../api/objects/pod.ts'
import type { CSIDriver, CSIStorageCapacity, StorageClass } from '../../../api/objects/storage.ts'
import { intValue } from '../../../api/quantity.ts'
import { annotations } from '../../../api/well-known.ts'
import type { WakeChange, WakeRule } from '../../contract/contract.ts'
import { ActionType } from '../../contract/contract.ts'
import { claimOf } from './pod-claims.ts'

function migrationChanges(_pod: Pod, { before, after }: WakeChange): boolean {
  return before === undefined || migratedPlugins(before) !== migratedPlugins(after)
}

function migratedPlugins(csiNode: KubeObject | undefined): string {
  return csiNode?.metadata.annotations?.[annotations.migratedPlugins] ?? ''
}

function capacityGrows(_pod: Pod, { before, after }: WakeChange<CSIStorageCapacity>): boolean {
  if (before === undefined) return true
  const limit = limitOf(after)
  const old = limitOf(before)
  return limit !== undefined && (old === undefined || intValue(limit) > intValue(old))
}

// maximumVolumeSize takes precedence over capacity.
function limitOf(capacity: CSIStorageCapacity | undefined): string | undefined {
  return capacity?.maximumVolumeSize ?? capacity?.capacity
}

function capacityCheckEnds(pod: Pod, { before, after }: WakeChange<CSIDriver>): boolean {
  if (before?.spec.storageCapacity !== true || after?.spec.storageCapacity === true) return false
  return (pod.spec.volumes ?? []).some(({ csi }) => csi !== undefined && csi.driver === after?.metadata.name)
}

function topologyChanges(_pod: Pod, { before, after }: WakeChange<StorageClass>): boolean {
  return before === undefined || !semanticEqual(before.allowedTopologies, after?.allowedTopologies)
}

export const volumeBindingWake: readonly WakeRule[] = [
  {
    on: { resource: 'storage.k8s.io/StorageClass', action: ActionType.Add | ActionType.Update },
    hint: (pod, change) => topologyChanges(pod, change as WakeChange<StorageClass>),
  },
  {
    on: { resource: 'PersistentVolumeClaim', action: ActionType.Add | ActionType.Update },
    hint: (pod, { after }) =>
      after?.metadata.namespace === pod.metadata.namespace &&
      (pod.spec.volumes ?? []).some((volume) => claimOf(pod, volume) === after?.metadata.name),
  },
  { on: { resource: 'PersistentVolume', action: ActionType.Add | ActionType.Update } },
  { on: { resource: 'Node', action: ActionType.Add | ActionType.UpdateNodeLabel } },
  { on: { resource: 'storage.k8s.io/CSINode', action: ActionType.Add | ActionType.Update }, hint: migrationChanges },
  {
    on: { resource: 'storage.k8s.io/CSIDriver', action: ActionType.Update },
    hint: (pod, change) => capacityCheckEnds(pod, change as WakeChange<CSIDriver>),
  },
  {
    on: { resource: 'storage.k8s.io/CSIStorageCapacity', action: ActionType.Add | ActionType.Update },
    hint: (pod, change) => capacityGrows(pod, change as WakeChange<CSIStorageCapacity>),
  },
]
