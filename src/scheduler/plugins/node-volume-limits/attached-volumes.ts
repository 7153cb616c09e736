import { inlineHandle, inTreePluginNamed, inTreePluginOf, volumeHandle } from '../../../api/csi-migration.ts'
import type { Pod, Volume } from '../../../api/objects/pod.ts'
import type { CSINode, PersistentVolumeClaim } from '../../../api/objects/storage.ts'
import { classOfClaim } from '../../../api/persistent-volumes.ts'
import type { ObjectReader } from '../../framework/contract.ts'
import { claimNotFound, claimOf, foreignClaim } from '../volume-binding/pod-claims.ts'

/** Volumes by a name that is theirs alone, each with the driver that attaches it. */
export type AttachedVolumes = Map<string, string>

export type CountProblem = { readonly kind: 'missing' | 'error'; readonly message: string }

interface CountContext {
  readonly objects: ObjectReader
  /** In-tree volumes are served by a driver only where there are any. */
  readonly csiNode: CSINode | undefined
}

// Claims without a volume are counted under a name that no driver gives.
const UNBOUND = 'unbound:'

/** Whether a volume may be attached by a driver that limits how many it attaches. */
export function isAttachable(volume: Volume): boolean {
  return (
    volume.persistentVolumeClaim !== undefined ||
    volume.ephemeral !== undefined ||
    inTreePluginOf(volume)?.scheduled === true
  )
}

/**
 * Adds the volumes that a driver attaches for the pod (v1.36, nodevolumelimits filterAttachableVolumes).
 * @param pod One that is placed already is not asked where its claims have gone.
 */
export function countVolumes(
  pod: Pod,
  { objects, csiNode }: CountContext,
  isPlaced: boolean,
  into: AttachedVolumes,
): CountProblem | undefined {
  for (const volume of pod.spec.volumes ?? []) {
    const claimName = claimOf(pod, volume)
    if (claimName === undefined) {
      const problem = countInline(volume, csiNode, into)
      if (problem !== undefined) return problem
      continue
    }
    if (claimName === '') return { kind: 'error', message: 'PersistentVolumeClaim had no name' }
    const key = `${pod.metadata.namespace ?? ''}/${claimName}`
    const claim = objects.get('persistentvolumeclaims', key)
    if (claim === undefined) {
      if (isPlaced) continue
      return { kind: 'missing', message: `looking up PVC ${key}: ${claimNotFound(claimName)}` }
    }
    if (volume.ephemeral !== undefined) {
      const foreign = foreignClaim(pod, claim)
      if (foreign !== undefined) return { kind: 'error', message: foreign }
    }
    const found = driverOf(claim, objects, csiNode)
    if (found !== undefined) into.set(nameOf(found), found.driver)
  }
  return undefined
}

interface DriverVolume {
  readonly driver: string
  readonly handle: string
}

export function nameOf({ driver, handle }: DriverVolume): string {
  return `${driver}/${handle}`
}

function countInline(volume: Volume, csiNode: CSINode | undefined, into: AttachedVolumes): CountProblem | undefined {
  const plugin = inTreePluginOf(volume)
  if (plugin?.scheduled !== true || csiNode === undefined) return undefined
  const handle = inlineHandle(plugin, volume)
  if (!handle.ok) {
    return { kind: 'error', message: `converting volume(${volume.name}) from inline to csi: ${handle.message}` }
  }
  into.set(nameOf({ driver: plugin.driver, handle: handle.value }), plugin.driver)
  return undefined
}

function driverOf(
  claim: PersistentVolumeClaim,
  objects: ObjectReader,
  csiNode: CSINode | undefined,
): DriverVolume | undefined {
  const volumeName = claim.spec.volumeName ?? ''
  const volume = volumeName === '' ? undefined : objects.get('persistentvolumes', volumeName)
  if (volume === undefined) return driverOfClass(claim, objects, csiNode)
  const { csi } = volume.spec
  if (csi !== undefined) return named(csi.driver, csi.volumeHandle)
  const plugin = inTreePluginOf(volume.spec)
  if (plugin?.scheduled !== true || csiNode === undefined) return undefined
  const handle = volumeHandle(plugin, volume)
  return handle.ok ? named(plugin.driver, handle.value) : undefined
}

/** The driver that will make the volume. */
function driverOfClass(
  claim: PersistentVolumeClaim,
  objects: ObjectReader,
  csiNode: CSINode | undefined,
): DriverVolume | undefined {
  const className = classOfClaim(claim)
  const storageClass = className === '' ? undefined : objects.get('storageclasses.storage.k8s.io', className)
  if (storageClass === undefined) return undefined
  const handle = `${UNBOUND}${claim.metadata.namespace ?? ''}/${claim.metadata.name}`
  const plugin = inTreePluginNamed(storageClass.provisioner)
  if (plugin === undefined) return named(storageClass.provisioner, handle)
  return plugin.scheduled && csiNode !== undefined ? named(plugin.driver, handle) : undefined
}

function named(driver: string, handle: string): DriverVolume | undefined {
  return driver === '' || handle === '' ? undefined : { driver, handle }
}
