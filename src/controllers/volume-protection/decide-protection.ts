import type { KubeObject } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/objects/storage.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { claimNameOf } from '../claim-users.ts'

export const CLAIM_FINALIZER = 'kubernetes.io/pvc-protection'
export const VOLUME_FINALIZER = 'kubernetes.io/pv-protection'

/** The object with its protection put on, or taken off once nothing uses it; undefined if it stays as it is. */
export function decideProtection<T extends KubeObject>(
  object: T,
  finalizer: string,
  isUsed: () => boolean,
): T | undefined {
  const { metadata } = object
  const finalizers = metadata.finalizers ?? []
  if (metadata.deletionTimestamp === undefined) {
    return finalizers.includes(finalizer) ? undefined : withFinalizers(object, [...finalizers, finalizer])
  }
  if (!finalizers.includes(finalizer) || isUsed()) return undefined
  return withFinalizers(
    object,
    finalizers.filter((other) => other !== finalizer),
  )
}

function withFinalizers<T extends KubeObject>(object: T, finalizers: readonly string[]): T {
  return { ...object, metadata: { ...object.metadata, finalizers } }
}

/**
 * Only a pod that is on a node uses a claim: no kubelet starts one whose claim is being deleted. A pod that its kubelet
 * is done with no longer uses what was made for it alone (v1.36, pvcprotection podUsesPVCForDeletion).
 */
export function usesClaim(pod: Pod, claim: PersistentVolumeClaim): boolean {
  if ((pod.spec.nodeName ?? '') === '') return false
  return (pod.spec.volumes ?? []).some((volume) => {
    if (claimNameOf(pod, volume) !== claim.metadata.name) return false
    if (volume.persistentVolumeClaim !== undefined) return true
    return !isShutDown(pod) && controllerOf(claim)?.uid === pod.metadata.uid
  })
}

function isShutDown({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0
}

export const isBound = ({ status }: PersistentVolume): boolean => status?.phase === 'Bound'
