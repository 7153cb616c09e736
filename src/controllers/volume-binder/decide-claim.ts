import { inTreePluginNamed } from '../../api/csi-migration.ts'
import { createCall, updateCall } from '../../api/object-calls.ts'
import { keyOf } from '../../api/object-key.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { CSINode, PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../api/objects/storage.ts'
import {
  claimHasClass,
  classOfClaim,
  classOfVolume,
  isBoundTo,
  offersModes,
  sameAttributesClass,
  sameVolumeMode,
  sizeOfClaim,
  sizeOfVolume,
  waitsForConsumer,
} from '../../api/persistent-volumes.ts'
import { compareQuantities } from '../../api/quantity.ts'
import { annotations } from '../../api/well-known.ts'
import type { EventNote } from '../event-note.ts'
import { claimStatusCall, nextBindingCall } from './binding-calls.ts'
import { type AboutObject, type BinderDecision, normal, settled, warning } from './decision.ts'
import { hollowVolume, noProvisioner, provisionerOf } from './hollow-provisioner.ts'
import { hasEnded } from './pods-by-claim.ts'

/** The state of the cluster except the claim. */
export interface ClaimSurroundings {
  volume(name: string): PersistentVolume | undefined
  /** The best volume that is available or reserved for the claim. */
  match(claim: PersistentVolumeClaim, onlyPromised: boolean): PersistentVolume | undefined
  storageClass(name: string): StorageClass | undefined
  storageClasses(): readonly StorageClass[]
  podsUsing(claim: string): Iterable<Pod>
  node(name: string): Node | undefined
  csiNode(name: string): CSINode | undefined
  /** Whether this controller creates volumes; otherwise it waits for an external provisioner. */
  readonly provisions: boolean
}

/** v1.36, persistentvolume syncClaim. */
export function decideClaim(claim: PersistentVolumeClaim, around: ClaimSurroundings): BinderDecision {
  const migrated = migrationMark(claim)
  if (migrated !== undefined) return { call: updateCall('persistentvolumeclaims', migrated) }
  if (claim.metadata.annotations?.[annotations.bindCompleted] !== undefined) return decideBound(claim, around)
  const name = claim.spec.volumeName ?? ''
  return { isUnsettled: true, ...(name === '' ? decideFree(claim, around) : decideChosen(claim, name, around)) }
}

/** Handles a claim that does not name a volume. */
function decideFree(claim: PersistentVolumeClaim, around: ClaimSurroundings): BinderDecision {
  const className = classOfClaim(claim)
  const storageClass = className === '' ? undefined : around.storageClass(className)
  const isDelayed = storageClass !== undefined && waitsForConsumer(storageClass)
  const volume = around.match(claim, isDelayed)
  if (volume !== undefined) return bindTo(volume, claim)
  const defaulted = claimHasClass(claim) ? undefined : defaultClass(around.storageClasses())
  if (defaulted !== undefined) {
    const spec = { ...claim.spec, storageClassName: defaulted.metadata.name }
    return { call: updateCall('persistentvolumeclaims', { ...claim, spec } as PersistentVolumeClaim) }
  }
  if (isDelayed && claim.metadata.annotations?.[annotations.selectedNode] === undefined) {
    return pending(claim, waiting(claim, around))
  }
  if (className !== '') return provision(claim, className, storageClass, around)
  const why = 'no persistent volumes available for this claim and no storage class is set'
  return pending(claim, normal('FailedBinding', why))
}

function bindTo(volume: PersistentVolume, claim: PersistentVolumeClaim): BinderDecision {
  const call = nextBindingCall(volume, claim)
  return call === undefined ? settled : { call }
}

function pending(claim: PersistentVolumeClaim, note?: EventNote): BinderDecision {
  const call = claimStatusCall(claim, 'Pending')
  return { ...(call === undefined ? {} : { call }), ...(note === undefined ? {} : { notes: [about(claim, note)] }) }
}

function waiting(claim: PersistentVolumeClaim, around: ClaimSurroundings): EventNote {
  const names: string[] = []
  for (const pod of around.podsUsing(keyOf(claim))) {
    if (!hasEnded(pod) && (pod.spec.nodeName ?? '') === '') names.push(pod.metadata.name)
  }
  if (names.length === 0)
    return normal('WaitForFirstConsumer', 'waiting for first consumer to be created before binding')
  const who = names.length === 1 ? `pod ${names[0]}` : `pods ${names.join(',')}`
  return normal('WaitForPodScheduled', `waiting for ${who} to be scheduled`)
}

function provision(
  claim: PersistentVolumeClaim,
  className: string,
  storageClass: StorageClass | undefined,
  around: ClaimSurroundings,
): BinderDecision {
  if (storageClass === undefined) {
    const why = `storageclass.storage.k8s.io ${JSON.stringify(className)} not found`
    return { notes: [about(claim, warning('ProvisioningFailed', why))] }
  }
  if (storageClass.provisioner === noProvisioner) {
    const why = `no volume plugin matched name: ${noProvisioner}`
    return { notes: [about(claim, warning('ProvisioningFailed', why))] }
  }
  const provisioner = provisionerOf(storageClass)
  const own = claim.metadata.annotations ?? {}
  if (own[annotations.storageProvisioner] !== provisioner) {
    const named = {
      ...own,
      [annotations.betaStorageProvisioner]: provisioner,
      [annotations.storageProvisioner]: provisioner,
    }
    return { call: updateCall('persistentvolumeclaims', withAnnotations(claim, named)) }
  }
  const requested = about(claim, normal('ExternalProvisioning', waitForProvisioner(provisioner)))
  if (!around.provisions) return { notes: [requested] }
  const hollow = makeVolume(claim, storageClass, provisioner, around)
  return { ...hollow, notes: [requested, ...(hollow.notes ?? [])] }
}

function waitForProvisioner(provisioner: string): string {
  return (
    `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the ` +
    'system administrator. If volume creation is delayed, please verify that the provisioner is running and ' +
    'correctly registered.'
  )
}

/**
 * Does the work of the provisioner, which is a separate process in a real cluster
 * (sig-storage-lib-external-provisioner).
 */
function makeVolume(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
  provisioner: string,
  around: ClaimSurroundings,
): BinderDecision {
  if (claim.metadata.deletionTimestamp !== undefined) return settled
  const chosen = claim.metadata.annotations?.[annotations.selectedNode]
  const node = chosen === undefined ? undefined : around.node(chosen)
  if (chosen !== undefined && node === undefined) {
    // Without the annotation, the scheduler selects a node again.
    const { [annotations.selectedNode]: _, ...left } = claim.metadata.annotations ?? {}
    const why = `failed to get target node: node ${JSON.stringify(chosen)} not found`
    return {
      call: updateCall('persistentvolumeclaims', withAnnotations(claim, left)),
      notes: [{ ...about(claim, warning('ProvisioningFailed', why)), component: provisioner }],
    }
  }
  const site = node === undefined ? undefined : { node, csiNode: around.csiNode(node.metadata.name) }
  const began = normal('Provisioning', `External provisioner is provisioning volume for claim "${keyOf(claim)}"`)
  return {
    call: createCall('persistentvolumes', hollowVolume(claim, storageClass, site)),
    notes: [{ ...about(claim, began), component: provisioner }],
  }
}

/** Handles a claim that names its volume. */
function decideChosen(claim: PersistentVolumeClaim, name: string, around: ClaimSurroundings): BinderDecision {
  const volume = around.volume(name)
  if (volume === undefined) return pending(claim)
  if (volume.spec.claimRef === undefined) {
    const problem = mismatch(volume, claim)
    if (problem === undefined) return bindTo(volume, claim)
    const why = `Cannot bind to requested volume ${JSON.stringify(name)}: ${problem}`
    return pending(claim, warning('VolumeMismatch', why))
  }
  if (isBoundTo(volume, claim)) return bindTo(volume, claim)
  const taken = warning('FailedBinding', `volume ${JSON.stringify(name)} already bound to a different claim.`)
  const isOurs = claim.metadata.annotations?.[annotations.boundByController] !== undefined
  return isOurs ? { notes: [about(claim, taken)], retry: true } : pending(claim, taken)
}

/** v1.36, persistentvolume checkVolumeSatisfyClaim. */
function mismatch(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  if (volume.metadata.deletionTimestamp !== undefined) {
    return `the volume is marked for deletion ${JSON.stringify(volume.metadata.name)}`
  }
  if (compareQuantities(sizeOfVolume(volume), sizeOfClaim(claim)) < 0) return 'requested PV is too small'
  if (classOfVolume(volume) !== classOfClaim(claim)) return 'storageClassName does not match'
  if (!sameAttributesClass(claim, volume)) return 'volumeAttributesClassName does not match'
  if (!sameVolumeMode(claim, volume)) return 'incompatible volumeMode'
  return offersModes(volume.spec.accessModes, claim.spec.accessModes) ? undefined : 'incompatible accessMode'
}

/** Handles a claim that was bound before: its volume exists, or the claim is lost permanently. */
function decideBound(claim: PersistentVolumeClaim, around: ClaimSurroundings): BinderDecision {
  const name = claim.spec.volumeName ?? ''
  if (name === '') {
    return lost(claim, 'ClaimLost', 'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!')
  }
  const volume = around.volume(name)
  if (volume === undefined) {
    return lost(claim, 'ClaimLost', 'Bound claim has lost its PersistentVolume. Data on the volume is lost!')
  }
  const { claimRef } = volume.spec
  if (claimRef === undefined || claimRef.uid === claim.metadata.uid) return bindTo(volume, claim)
  return lost(claim, 'ClaimMisbound', 'Two claims are bound to the same volume, this one is bound incorrectly')
}

function lost(claim: PersistentVolumeClaim, reason: string, message: string): BinderDecision {
  if (claim.status?.phase === 'Lost') return settled
  const call = claimStatusCall(claim, 'Lost')
  return { ...(call === undefined ? {} : { call }), notes: [about(claim, warning(reason, message))] }
}

/** The claim with the annotation of the driver that replaces an in-tree plugin, if it is missing. */
function migrationMark(claim: PersistentVolumeClaim): PersistentVolumeClaim | undefined {
  const own = claim.metadata.annotations ?? {}
  const provisioner = own[annotations.storageProvisioner] ?? own[annotations.betaStorageProvisioner]
  if (provisioner === undefined) return undefined
  const driver = inTreePluginNamed(provisioner)?.driver
  const marked = own[annotations.migratedTo]
  if (driver === marked || (driver === undefined && (marked ?? '') === '')) return undefined
  const { [annotations.migratedTo]: _, ...left } = own
  return withAnnotations(claim, driver === undefined ? left : { ...left, [annotations.migratedTo]: driver })
}

const betaDefault = 'storageclass.beta.kubernetes.io/is-default-class'

/** The newest default class; if several are equally new, the first by name. */
function defaultClass(classes: readonly StorageClass[]): StorageClass | undefined {
  let best: StorageClass | undefined
  for (const one of classes) {
    const own = one.metadata.annotations
    if (own?.[annotations.defaultStorageClass] !== 'true' && own?.[betaDefault] !== 'true') continue
    if (best === undefined || isBefore(one, best)) best = one
  }
  return best
}

function isBefore(a: StorageClass, b: StorageClass): boolean {
  const [createdA, createdB] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '']
  return createdA === createdB ? a.metadata.name < b.metadata.name : createdA > createdB
}

function withAnnotations(claim: PersistentVolumeClaim, own: Readonly<Record<string, string>>): PersistentVolumeClaim {
  return { ...claim, metadata: { ...claim.metadata, annotations: own } }
}

function about(claim: PersistentVolumeClaim, note: EventNote): AboutObject {
  return { about: claim, kind: 'PersistentVolumeClaim', note }
}
