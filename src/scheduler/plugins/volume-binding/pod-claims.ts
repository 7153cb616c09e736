import type { Pod, Volume } from '../../../api/objects/pod.ts'
import type { PersistentVolumeClaim } from '../../../api/objects/storage.ts'
import { isControlledBy } from '../../../api/owner-references.ts'

/** The claim name of a volume in the pod's namespace. Generic ephemeral volumes have a generated name. */
export function claimOf(pod: Pod, volume: Volume): string | undefined {
  if (volume.persistentVolumeClaim !== undefined) return volume.persistentVolumeClaim.claimName
  return volume.ephemeral === undefined ? undefined : `${pod.metadata.name}-${volume.name}`
}

/** The problem of the claim of an ephemeral volume that belongs to another owner. */
export function foreignClaim(pod: Pod, claim: PersistentVolumeClaim): string | undefined {
  if (claim.metadata.namespace === pod.metadata.namespace && isControlledBy(claim, pod)) return undefined
  const nameOf = ({ metadata }: Pod | PersistentVolumeClaim): string => `${metadata.namespace ?? ''}/${metadata.name}`
  return `PVC ${nameOf(claim)} was not created for pod ${nameOf(pod)} (pod is not owner)`
}

export function claimNotFound(name: string): string {
  return `persistentvolumeclaim ${JSON.stringify(name)} not found`
}
