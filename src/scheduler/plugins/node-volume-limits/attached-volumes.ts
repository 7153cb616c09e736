import {
  attachedVolumeOf,
  type DriverVolume,
  driverVolumeOf,
  type InTreePlugin,
  inlineHandle,
  inTreePluginNamed,
  inTreePluginOf,
} from '../../../api/csi-migration.ts'
import type { Pod, Volume } from '../../../api/objects/pod.ts'
import type { CSINode, PersistentVolumeClaim } from '../../../api/objects/storage.ts'
import { classOfClaim } from '../../../api/persistent-volumes.ts'
import { annotations } from '../../../api/well-known.ts'
import type { ObjectReader } from '../../contract/contract.ts'
import { claimNotFound, claimOf, foreignClaim } from '../volume-binding/pod-claims.ts'

export type CountProblem = { readonly kind: 'missing' | 'error'; readonly message: string }

export type CountedVolumes = readonly DriverVolume[] | CountProblem

// Unbound claims are counted under a name that no driver uses.
const unboundPrefix = 'unbound:'

/** Reports whether the volume does not exist yet, so that no other pod can use it under another name. */
export function isToCome({ name }: DriverVolume): boolean {
  return name.includes(`/${unboundPrefix}`)
}

const none: readonly DriverVolume[] = []

/** Reports whether a driver with an attach limit may attach the volume. */
export function isAttachable(volume: Volume): boolean {
  return (
    volume.persistentVolumeClaim !== undefined ||
    volume.ephemeral !== undefined ||
    inTreePluginOf(volume)?.scheduled === true
  )
}

export interface Counting {
  readonly objects: ObjectReader
  /** A CSI driver runs on the node. In-tree volumes are migrated only on such nodes. */
  readonly hasDrivers: boolean
  /** Up to v1.35, Portworx volumes are migrated only on nodes whose CSINode lists Portworx as migrated. */
  readonly migratesPortworx: boolean
  /** Missing claims of placed pods are ignored. */
  readonly isPlaced: boolean
}

/** The volumes that drivers attach for a pod (v1.36, nodevolumelimits filterAttachableVolumes). */
export function volumesOf(pod: Pod, counting: Counting): CountedVolumes {
  let found: DriverVolume[] | undefined
  for (const volume of pod.spec.volumes ?? none) {
    const one = driverVolume(pod, volume as Volume, counting)
    if (one === undefined) continue
    if ('kind' in one) return one
    found ??= []
    found.push(one)
  }
  return found ?? none
}

export function isProblem(counted: CountedVolumes): counted is CountProblem {
  return 'kind' in counted
}

function driverVolume(pod: Pod, volume: Volume, counting: Counting): DriverVolume | CountProblem | undefined {
  const claimName = claimOf(pod, volume)
  if (claimName === undefined) return counting.hasDrivers ? inlineVolume(volume, counting) : undefined
  if (claimName === '') return { kind: 'error', message: 'PersistentVolumeClaim had no name' }
  const key = `${pod.metadata.namespace ?? ''}/${claimName}`
  const claim = counting.objects.get('persistentvolumeclaims', key)
  if (claim === undefined) {
    if (counting.isPlaced) return undefined
    return { kind: 'missing', message: `looking up PVC ${key}: ${claimNotFound(claimName)}` }
  }
  const foreign = volume.ephemeral === undefined ? undefined : foreignClaim(pod, claim)
  return foreign === undefined ? claimedVolume(claim, counting) : { kind: 'error', message: foreign }
}

function inlineVolume(volume: Volume, counting: Counting): DriverVolume | CountProblem | undefined {
  const plugin = inTreePluginOf(volume)
  if (plugin?.scheduled !== true || !isMigrated(plugin, counting)) return undefined
  const handle = inlineHandle(plugin, volume)
  if (handle.ok) return { driver: plugin.driver, name: `${plugin.driver}/${handle.value}` }
  return { kind: 'error', message: `converting volume(${volume.name}) from inline to csi: ${handle.message}` }
}

function claimedVolume(claim: PersistentVolumeClaim, counting: Counting): DriverVolume | undefined {
  const { objects, hasDrivers } = counting
  const volumeName = claim.spec.volumeName ?? ''
  const volume = volumeName === '' ? undefined : objects.get('persistentvolumes', volumeName)
  if (volume === undefined) return volumeToCome(claim, counting)
  const plugin = inTreePluginOf(volume.spec)
  if (plugin !== undefined && !isMigrated(plugin, counting)) return undefined
  return hasDrivers || volume.spec.csi !== undefined ? attachedVolumeOf(volume) : undefined
}

/** The volume that the provisioner of the storage class will create. */
function volumeToCome(claim: PersistentVolumeClaim, counting: Counting): DriverVolume | undefined {
  const { objects, hasDrivers } = counting
  const className = classOfClaim(claim)
  const storageClass = className === '' ? undefined : objects.get('storageclasses.storage.k8s.io', className)
  if (storageClass === undefined) return undefined
  const handle = `${unboundPrefix}${claim.metadata.namespace ?? ''}/${claim.metadata.name}`
  const plugin = inTreePluginNamed(storageClass.provisioner)
  if (plugin === undefined) return driverVolumeOf(storageClass.provisioner, handle)
  return plugin.scheduled && hasDrivers && isMigrated(plugin, counting)
    ? driverVolumeOf(plugin.driver, handle)
    : undefined
}

const portworx = 'kubernetes.io/portworx-volume'

function isMigrated({ name }: InTreePlugin, { migratesPortworx }: Counting): boolean {
  return migratesPortworx || name !== portworx
}

/** Reports whether the CSINode has Portworx among its migrated plugins. */
export function migratesPortworx({ metadata }: CSINode): boolean {
  return metadata.annotations?.[annotations.migratedPlugins]?.split(',').includes(portworx) === true
}
