import { keyOf, objectKey } from '../api/object-key.ts'
import type { Pod, Volume } from '../api/objects/pod.ts'

/** The claim that a volume of this pod stands for. */
export function claimNameOf(pod: Pod, volume: Volume): string | undefined {
  if (volume.persistentVolumeClaim !== undefined) return volume.persistentVolumeClaim.claimName
  return volume.ephemeral === undefined ? undefined : `${pod.metadata.name}-${volume.name}`
}

export function claimKeysOf(pod: Pod): readonly string[] {
  const keys: string[] = []
  for (const volume of pod.spec.volumes ?? []) {
    const name = claimNameOf(pod, volume)
    if (name !== undefined) keys.push(objectKey(pod.metadata.namespace, name))
  }
  return keys
}

/** The pods that name each claim. Volumes of a pod never change. */
export class ClaimUsers {
  private readonly users = new Map<string, Map<string, Pod>>()

  /** Takes note of a change; gives the claims that the pod names. */
  note({ before, after }: { readonly before?: Pod; readonly after?: Pod }): readonly string[] {
    const pod = after ?? before
    if (pod?.spec.volumes === undefined) return NONE
    const claims = claimKeysOf(pod)
    if (claims.length === 0) return NONE
    const key = keyOf(pod)
    for (const claim of claims) {
      if (after !== undefined) this.pods(claim).set(key, after)
      else {
        const pods = this.users.get(claim)
        if (pods?.delete(key) === true && pods.size === 0) this.users.delete(claim)
      }
    }
    return claims
  }

  of(claim: string): Iterable<Pod> {
    return this.users.get(claim)?.values() ?? NONE
  }

  private pods(claim: string): Map<string, Pod> {
    let pods = this.users.get(claim)
    if (pods === undefined) {
      pods = new Map()
      this.users.set(claim, pods)
    }
    return pods
  }
}

const NONE: readonly never[] = []
