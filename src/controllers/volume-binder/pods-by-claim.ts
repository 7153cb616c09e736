import { objectKey } from '../../api/object-key.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { ChangeOf } from '../../runtime/controller.ts'
import { UserIndex } from '../user-index.ts'

/** Keys of the claims that a pod uses, including those of its generic ephemeral volumes. */
export function claimKeysOf(pod: Pod): readonly string[] {
  const keys: string[] = []
  for (const { name, persistentVolumeClaim, ephemeral } of pod.spec.volumes ?? []) {
    if (persistentVolumeClaim !== undefined)
      keys.push(objectKey(pod.metadata.namespace, persistentVolumeClaim.claimName))
    else if (ephemeral !== undefined) keys.push(objectKey(pod.metadata.namespace, `${pod.metadata.name}-${name}`))
  }
  return keys
}

/** The pods that use each claim, updated with the changes of pods. */
export class PodsByClaim {
  private readonly pods = new UserIndex<Pod>()

  /** @returns The claims that the change affects. */
  note({ key, before, after }: Omit<ChangeOf<'pods'>, 'resource'>): readonly string[] {
    if (before?.spec.volumes === undefined && after?.spec.volumes === undefined) return []
    const left = before === undefined ? [] : claimKeysOf(before)
    const named = after === undefined ? [] : claimKeysOf(after)
    this.pods.move(key, (after ?? before) as Pod, left, named)
    return left.length === 0 ? named : [...new Set([...left, ...named])]
  }

  of(claim: string): Iterable<Pod> {
    return this.pods.of(claim)
  }
}

/** Reports whether no container of the pod runs or will run again (v1.36, volume/util IsPodTerminated). */
export function hasEnded({ metadata, status }: Pod): boolean {
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded') return true
  if (metadata.deletionTimestamp === undefined) return false
  return [status?.initContainerStatuses, status?.containerStatuses, status?.ephemeralContainerStatuses].every(
    (statuses) =>
      (statuses ?? []).every(({ state }) => state?.terminated !== undefined || state?.waiting !== undefined),
  )
}
