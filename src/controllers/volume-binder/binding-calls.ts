import type { Call } from '../../api/call.ts'
import { semanticEqual } from '../../api/equality.ts'
import { updateCall, updateStatusCall } from '../../api/object-calls.ts'
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/objects/storage.ts'
import { sizeOfVolume, volumeBoundTo, withAnnotation } from '../../api/persistent-volumes.ts'
import { compareQuantities, quantity } from '../../api/quantity.ts'
import { annotations } from '../../api/well-known.ts'

type ClaimPhase = NonNullable<NonNullable<PersistentVolumeClaim['status']>['phase']>

/**
 * The next write that binds a pair: the volume first, then the claim; undefined when both are written (v1.36, bind).
 */
export function nextBindingCall(volume: PersistentVolume, claim: PersistentVolumeClaim): Call | undefined {
  const bound = volumeBoundTo(volume, claim)
  if (bound !== volume) return updateCall('persistentvolumes', bound)
  const phase = volumePhaseCall(volume, 'Bound')
  if (phase !== undefined) return phase
  const pointing = claimBoundTo(claim, volume)
  if (pointing !== claim) return updateCall('persistentvolumeclaims', pointing)
  return claimStatusCall(claim, 'Bound', volume)
}

function claimBoundTo(claim: PersistentVolumeClaim, { metadata }: PersistentVolume): PersistentVolumeClaim {
  const isNew = claim.spec.volumeName !== metadata.name
  const own = claim.metadata.annotations ?? {}
  if (!isNew && own[annotations.bindCompleted] !== undefined) return claim
  let meta = claim.metadata
  if (isNew && own[annotations.boundByController] === undefined) {
    meta = withAnnotation(meta, annotations.boundByController, 'yes')
  }
  if (own[annotations.bindCompleted] === undefined) meta = withAnnotation(meta, annotations.bindCompleted, 'yes')
  return { ...claim, metadata: meta, spec: isNew ? { ...claim.spec, volumeName: metadata.name } : claim.spec }
}

/** The status of the claim, if it differs. Without a volume, capacity and access modes are removed. */
export function claimStatusCall(
  claim: PersistentVolumeClaim,
  phase: ClaimPhase,
  volume?: PersistentVolume,
): Call | undefined {
  const {
    accessModes: _modes,
    capacity: _capacity,
    currentVolumeAttributesClassName: _class,
    ...rest
  } = (claim.status ?? {}) as NonNullable<PersistentVolumeClaim['status']> & {
    readonly currentVolumeAttributesClassName?: string
  }
  const status = volume === undefined ? { ...rest, phase } : { ...claim.status, phase, ...gained(claim, phase, volume) }
  if (semanticEqual(status, claim.status)) return undefined
  return updateStatusCall('persistentvolumeclaims', { ...claim, status } as PersistentVolumeClaim)
}

/** A bound claim keeps its capacity, which may differ on purpose while a file system is expanded. */
function gained(claim: PersistentVolumeClaim, phase: ClaimPhase, volume: PersistentVolume): object {
  const { accessModes, capacity, volumeAttributesClassName } = volume.spec
  const becomes = claim.status?.phase !== phase
  const own = claim.status?.capacity?.['storage']
  const differs = own === undefined || compareQuantities(quantity(own), sizeOfVolume(volume)) !== 0
  return {
    ...(accessModes === undefined ? {} : { accessModes }),
    ...(becomes && differs && capacity !== undefined ? { capacity } : {}),
    ...(claim.status?.phase === 'Pending' && becomes && volumeAttributesClassName !== undefined
      ? { currentVolumeAttributesClassName: volumeAttributesClassName }
      : {}),
  }
}

export function volumePhaseCall(volume: PersistentVolume, phase: string, message?: string): Call | undefined {
  if (volume.status?.phase === phase) return undefined
  const { message: _, ...rest } = volume.status ?? {}
  const status = { ...rest, phase, ...(message === undefined ? {} : { message }) }
  return updateStatusCall('persistentvolumes', { ...volume, status } as PersistentVolume)
}

/** Undoes a binding. A binding by the controller is removed; a binding by a user keeps the name of the claim. */
export function unbindCall(volume: PersistentVolume): Call {
  const { claimRef, ...spec } = volume.spec
  const own = volume.metadata.annotations ?? {}
  if (own[annotations.boundByController] === undefined) {
    const { uid: _, ...named } = claimRef ?? {}
    return updateCall('persistentvolumes', { ...volume, spec: { ...spec, claimRef: named } } as PersistentVolume)
  }
  const { [annotations.boundByController]: _, ...left } = own
  const { annotations: _all, ...meta } = volume.metadata
  const metadata = Object.keys(left).length === 0 ? meta : { ...meta, annotations: left }
  return updateCall('persistentvolumes', { ...volume, metadata, spec } as PersistentVolume)
}
