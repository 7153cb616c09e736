import type { Pod } from '../../api/objects/pod.ts'
import type { View } from '../../runtime/view.ts'

/** Reports whether the controller of an evicted pod has fewer pods than it wants. */
export function isMissingReplica(pod: Pod, view: View): boolean {
  const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller === true)
  if (owner === undefined) return true
  const key = `${pod.metadata.namespace}/${owner.name}`
  const found =
    owner.kind === 'ReplicaSet'
      ? view.get('replicasets.apps', key)
      : owner.kind === 'StatefulSet'
        ? view.get('statefulsets.apps', key)
        : undefined
  if (found === undefined) return true
  return (found.spec?.replicas ?? 1) > (found.status?.replicas ?? 0)
}
