import { inTreePluginNamed, inTreePluginOf } from '../../api/csi-migration.ts'
import { deleteCall, updateCall } from '../../api/object-calls.ts'
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/objects/storage.ts'
import { sameVolumeMode } from '../../api/persistent-volumes.ts'
import { annotations } from '../../api/well-known.ts'
import type { EventNote } from '../event-note.ts'
import { unbindCall, volumePhaseCall } from './binding-calls.ts'
import { type AboutObject, type BinderDecision, normal, settled, warning } from './decision.ts'

export interface VolumeSurroundings {
  /** The claim with the name in the claimRef of the volume. */
  readonly claim: PersistentVolumeClaim | undefined
  /** Reports whether the claim was read from the API server. The view may have newer volumes than claims. */
  readonly isCertain: boolean
  /** Reports whether this controller deletes volumes. Otherwise it waits for an external provisioner. */
  readonly provisions: boolean
}

/** v1.36, persistentvolume syncVolume. */
export function decideVolume(
  volume: PersistentVolume,
  { claim, isCertain, provisions }: VolumeSurroundings,
): BinderDecision | 'ask for the claim' {
  const migrated = migrationMark(volume)
  if (migrated !== undefined) return { call: updateCall('persistentvolumes', migrated) }
  const { claimRef } = volume.spec
  if ((claimRef?.uid ?? '') === '') return phase(volume, 'Available')
  if (claim === undefined || claim.metadata.uid !== claimRef?.uid) {
    return isCertain || isReleased(volume) ? release(volume, provisions) : 'ask for the claim'
  }
  if ((claim.spec.volumeName ?? '') === '') return awaitClaim(volume, claim)
  if (claim.spec.volumeName === volume.metadata.name) return phase(volume, 'Bound')
  // The claim has another volume. A volume that was provisioned for it has no other use.
  const isMade = volume.metadata.annotations?.[annotations.provisionedBy] !== undefined
  if (isMade && volume.spec.persistentVolumeReclaimPolicy === 'Delete') return release(volume, provisions)
  return { call: unbindCall(volume) }
}

function phase(volume: PersistentVolume, wanted: string): BinderDecision {
  const call = volumePhaseCall(volume, wanted)
  return call === undefined ? settled : { call }
}

/** Waits for the claim to bind the volume, unless the volume mode differs. */
function awaitClaim(volume: PersistentVolume, claim: PersistentVolumeClaim): BinderDecision {
  if (sameVolumeMode(claim, volume)) return settled
  const [claimName, volumeName] = [JSON.stringify(claim.metadata.name), JSON.stringify(volume.metadata.name)]
  const ofVolume = `Cannot bind PersistentVolume to requested PersistentVolumeClaim ${claimName} due to incompatible volumeMode.`
  const ofClaim = `Cannot bind PersistentVolume ${volumeName} to requested PersistentVolumeClaim due to incompatible volumeMode.`
  return {
    isUnsettled: true,
    notes: [
      about(volume, warning('VolumeMismatch', ofVolume)),
      { about: claim, kind: 'PersistentVolumeClaim', note: warning('VolumeMismatch', ofClaim) },
    ],
  }
}

function isReleased({ status }: PersistentVolume): boolean {
  return status?.phase === 'Released' || status?.phase === 'Failed'
}

/** The claim was deleted: the volume is first marked as released, then its reclaim policy applies. */
function release(volume: PersistentVolume, provisions: boolean): BinderDecision {
  if (!isReleased(volume)) return phase(volume, 'Released')
  const policy = volume.spec.persistentVolumeReclaimPolicy ?? 'Retain'
  if (policy === 'Retain') return settled
  if (policy === 'Recycle') return recycle(volume)
  if (volume.metadata.deletionTimestamp !== undefined) return settled
  const source = volume.spec
  const isExternal =
    volume.metadata.annotations?.[annotations.provisionedBy] !== undefined ||
    source.csi !== undefined ||
    inTreePluginOf(source) !== undefined
  if (isExternal || source.hostPath !== undefined) {
    return provisions ? { call: deleteCall('persistentvolumes', volume) } : settled
  }
  const name = JSON.stringify(volume.metadata.name)
  const why = `error getting deleter volume plugin for volume ${name}: no deletable volume plugin matched`
  return fail(volume, warning('VolumeFailedDelete', why))
}

/** Only these volumes can be emptied and used again. */
function recycle(volume: PersistentVolume): BinderDecision {
  if (volume.spec.hostPath === undefined && volume.spec['nfs'] === undefined) {
    return fail(volume, warning('VolumeFailedRecycle', 'No recycler plugin found for the volume!'))
  }
  return { call: unbindCall(volume), notes: [about(volume, normal('VolumeRecycled', 'Volume recycled'))] }
}

function fail(volume: PersistentVolume, note: EventNote): BinderDecision {
  const call = volumePhaseCall(volume, 'Failed', note.message)
  return call === undefined ? settled : { call, notes: [about(volume, note)] }
}

function migrationMark(volume: PersistentVolume): PersistentVolume | undefined {
  const own = volume.metadata.annotations ?? {}
  const provisioner = own[annotations.provisionedBy]
  if (provisioner === undefined) return undefined
  const driver = inTreePluginNamed(provisioner)?.driver
  const marked = own[annotations.migratedTo]
  if (driver === marked || (driver === undefined && (marked ?? '') === '')) return undefined
  const { [annotations.migratedTo]: _, ...left } = own
  const all = driver === undefined ? left : { ...left, [annotations.migratedTo]: driver }
  return { ...volume, metadata: { ...volume.metadata, annotations: all } }
}

function about(volume: PersistentVolume, note: EventNote): AboutObject {
  return { about: volume, kind: 'PersistentVolume', note }
}
