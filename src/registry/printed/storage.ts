import type { KubeObject } from '../../api/objects/meta.ts'
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/objects/storage.ts'
import { lookupTable } from '../../base/lookup-table.ts'

const modeNames = lookupTable<string>({
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
})
const modesText = (modes: readonly string[] | undefined) =>
  Object.keys(modeNames)
    .filter((mode) => modes?.includes(mode))
    .map((mode) => modeNames[mode])
    .join(',')
export const phaseOf = ({ metadata }: KubeObject, phase: string | undefined) =>
  metadata.deletionTimestamp === undefined ? (phase ?? '') : 'Terminating'

export function volumeCells(volume: PersistentVolume, _now: number, age: string): readonly unknown[] {
  const { metadata, spec, status } = volume
  const claim = spec.claimRef === undefined ? '' : `${spec.claimRef.namespace ?? ''}/${spec.claimRef.name ?? ''}`
  const storageClass = metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec.storageClassName ?? ''
  return [
    metadata.name,
    spec.capacity?.['storage'] ?? '0',
    modesText(spec.accessModes),
    spec.persistentVolumeReclaimPolicy ?? '',
    phaseOf(volume, status?.phase),
    claim,
    storageClass,
    spec.volumeAttributesClassName ?? '<unset>',
    status?.reason ?? '',
    age,
    spec.volumeMode ?? '<unset>',
  ]
}

export function claimCells(claim: PersistentVolumeClaim, _now: number, age: string): readonly unknown[] {
  const { metadata, spec, status } = claim
  const bound = spec.volumeName !== undefined && spec.volumeName !== ''
  const storageClass = metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec.storageClassName ?? ''
  return [
    metadata.name,
    phaseOf(claim, status?.phase),
    spec.volumeName ?? '',
    bound ? (status?.capacity?.['storage'] ?? '0') : '',
    bound ? modesText(status?.accessModes) : '',
    storageClass,
    spec.volumeAttributesClassName ?? '<unset>',
    age,
    spec.volumeMode ?? '<unset>',
  ]
}
