import type { Pod, Volume } from '../../../api/objects/pod.ts'

/** The name of the claim behind a volume, in the pod's namespace; generic ephemeral volumes have one of their own. */
export function claimOf(pod: Pod, volume: Volume): string | undefined {
  if (volume.persistentVolumeClaim !== undefined) return volume.persistentVolumeClaim.claimName
  return volume.ephemeral === undefined ? undefined : `${pod.metadata.name}-${volume.name}`
}
