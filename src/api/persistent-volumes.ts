import { compileNodeSelector, type NodeMatch } from './node-selector.ts'
import { storedReference } from './object-reference.ts'
import type { ObjectReference, StringMap } from './objects/meta.ts'
import type { AccessMode, PersistentVolume, PersistentVolumeClaim, StorageClass } from './objects/storage.ts'
import { type Quantity, quantity, zeroQuantity } from './quantity.ts'
import { annotations } from './well-known.ts'

// Volumes and claims, as the scheduler and the volume binder interpret them (v1.36, component-helpers/storage/volume).

/** The class that a claim requests; empty: volumes without a class. */
export function classOfClaim({ metadata, spec }: PersistentVolumeClaim): string {
  return metadata.annotations?.[annotations.betaStorageClass] ?? spec.storageClassName ?? ''
}

/** Whether the claim sets its class, including the empty class. */
export function claimHasClass({ metadata, spec }: PersistentVolumeClaim): boolean {
  return metadata.annotations?.[annotations.betaStorageClass] !== undefined || spec.storageClassName !== undefined
}

export function classOfVolume({ metadata, spec }: PersistentVolume): string {
  return metadata.annotations?.[annotations.betaStorageClass] ?? spec.storageClassName ?? ''
}

export function waitsForConsumer(storageClass: StorageClass): boolean {
  return storageClass.volumeBindingMode === 'WaitForFirstConsumer'
}

export function sizeOfClaim({ spec }: PersistentVolumeClaim): Quantity {
  return sizeOf(spec.resources?.requests?.['storage'])
}

export function sizeOfVolume({ spec }: PersistentVolume): Quantity {
  return sizeOf(spec.capacity?.['storage'])
}

function sizeOf(text: string | undefined): Quantity {
  return text === undefined ? zeroQuantity : quantity(text)
}

/** Whether the volume is for the claim: reserved by name, or bound to it. */
export function isBoundTo({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const { claimRef } = spec
  if (claimRef === undefined) return false
  if (claimRef.name !== metadata.name || (claimRef.namespace ?? '') !== (metadata.namespace ?? '')) return false
  return (claimRef.uid ?? '') === '' || claimRef.uid === metadata.uid
}

/** Whether the claim has a volume and the volume binder has finished. */
export function isFullyBound({ metadata, spec }: PersistentVolumeClaim): boolean {
  return (spec.volumeName ?? '') !== '' && metadata.annotations?.[annotations.bindCompleted] !== undefined
}

/** The volume with a reference to the claim; the same object if it already has it (GetBindVolumeToClaim). */
export function volumeBoundTo(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume {
  const { claimRef } = volume.spec
  const { name, namespace, uid } = claim.metadata
  const ours = claimRef?.name === name && claimRef.namespace === namespace && claimRef.uid === uid
  const marked = isBoundTo(volume, claim) || volume.metadata.annotations?.[annotations.boundByController] !== undefined
  if (ours && marked) return volume
  return {
    ...volume,
    metadata: marked ? volume.metadata : withAnnotation(volume.metadata, annotations.boundByController, 'yes'),
    spec: ours ? volume.spec : { ...volume.spec, claimRef: referenceToClaim(claim) },
  }
}

export const referenceToClaim = ({ metadata }: PersistentVolumeClaim): ObjectReference =>
  storedReference('v1', 'PersistentVolumeClaim', metadata)

export function withAnnotation<M extends { readonly annotations?: StringMap }>(meta: M, key: string, value: string): M {
  return { ...meta, annotations: { ...meta.annotations, [key]: value } }
}

export function sameVolumeMode(claim: PersistentVolumeClaim, volume: PersistentVolume): boolean {
  return (claim.spec.volumeMode ?? 'Filesystem') === (volume.spec.volumeMode ?? 'Filesystem')
}

export function offersModes(offered: readonly AccessMode[] = [], wanted: readonly AccessMode[] = []): boolean {
  return wanted.every((mode) => offered.includes(mode))
}

export function sameAttributesClass(claim: PersistentVolumeClaim, volume: PersistentVolume): boolean {
  return (claim.spec.volumeAttributesClassName ?? '') === (volume.spec.volumeAttributesClassName ?? '')
}

export type VolumeAffinity = PersistentVolume['spec']['nodeAffinity']

const everywhere: NodeMatch = { matched: true }

/** Whether nodes with these labels can reach a volume. Volumes select nodes by label only, not by name. */
export function reachableFrom(affinity: VolumeAffinity, labels: StringMap | undefined): boolean {
  const required = affinity?.required
  return required === undefined || compileNodeSelector(required).matches(labels, '')
}

export function matchReach(affinity: VolumeAffinity, labels: StringMap | undefined): NodeMatch {
  const required = affinity?.required
  return required === undefined ? everywhere : compileNodeSelector(required).match(labels, '')
}

/** Whether volumes of a class can be provisioned for nodes with these labels; a class without topologies allows all. */
export function topologyAllows(terms: StorageClass['allowedTopologies'], labels: StringMap | undefined): boolean {
  if (terms === undefined || terms.length === 0) return true
  return terms.some(({ matchLabelExpressions = [] }) => {
    if (matchLabelExpressions.length === 0) return false
    return matchLabelExpressions.every(({ key, values }) => {
      const value = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined
      return value !== undefined && values.includes(value)
    })
  })
}
