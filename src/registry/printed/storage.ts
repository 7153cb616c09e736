import type { KubeObject } from '../../api/objects/meta.ts'
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/objects/storage.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import { lookupTable } from '../../base/lookup-table.ts'

import type { PrintScope } from './kinds.ts'

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

const isDefaultClass = ({ metadata: { annotations } }: KubeObject): boolean =>
  annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true' ||
  annotations?.['storageclass.beta.kubernetes.io/is-default-class'] === 'true'

/**
 * Since v1.37 a list marks only the default class that is used: the newest one. A class that is printed alone is not
 * marked.
 */
export function isShownAsDefault(object: KubeObject, { release, list }: PrintScope): boolean {
  if (!isDefaultClass(object) || !atLeast(release, '1.37')) return isDefaultClass(object)
  return list !== undefined && usedDefault(list) === object.metadata.name
}

function usedDefault(classes: readonly KubeObject[]): string | undefined {
  let used: KubeObject | undefined
  for (const one of classes) {
    if (!isDefaultClass(one)) continue
    if (used === undefined || isPreferred(one, used)) used = one
  }
  return used?.metadata.name
}

const isPreferred = (a: KubeObject, b: KubeObject): boolean =>
  createdAt(a) === createdAt(b) ? a.metadata.name < b.metadata.name : createdAt(a) > createdAt(b)

const createdAt = ({ metadata }: KubeObject): string => metadata.creationTimestamp ?? ''

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
