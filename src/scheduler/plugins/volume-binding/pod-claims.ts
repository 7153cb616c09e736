import type { Pod, Volume } from '../../../api/objects/pod.ts'
import type { PersistentVolumeClaim } from '../../../api/objects/storage.ts'
import { isControlledBy } from '../../../api/owner-references.ts'

/** The name of the claim behind a volume, in the pod's namespace; generic ephemeral volumes have one of their own. */
export function claimOf(pod: Pod, volume: Volume): string | undefined {
  if (volume.persistentVolumeClaim !== undefined) return volume.persistentVolumeClaim.claimName
  return volume.ephemeral === undefined ? undefined : `${pod.metadata.name}-${volume.name}`
}

/** What is wrong with the claim of an ephemeral volume: somebody else's claim may have its name. */
export function foreignClaim(pod: Pod, claim: PersistentVolumeClaim): string | undefined {
  if (claim.metadata.namespace === pod.metadata.namespace && isControlledBy(claim, pod)) return undefined
  const nameOf = ({ metadata }: Pod | PersistentVolumeClaim): string => `${metadata.namespace ?? ''}/${metadata.name}`
  return `PVC ${nameOf(claim)} was not created for pod ${nameOf(pod)} (pod is not owner)`
}

export function claimNotFound(name: string): string {
  return `persistentvolumeclaim ${JSON.stringify(name)} not found`
}
