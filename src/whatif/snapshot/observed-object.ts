import type { KubeObject } from '../../api/objects/meta.ts'
import type { Fields } from '../../base/fields.ts'

/**
 * Reports whether an object was read from a running cluster. An API server gives every object a uid. Redacted or
 * cleaned-up dumps, and generated fixtures, may lack it, but still have fields that users do not write: a
 * resourceVersion, a creation time, an owner, or a status. Any other object is a manifest.
 */
export function isObserved(object: KubeObject): boolean {
  const { uid, resourceVersion, creationTimestamp, ownerReferences } = object.metadata
  if (isText(uid) || isText(resourceVersion) || isText(creationTimestamp)) return true
  return (Array.isArray(ownerReferences) && ownerReferences.length > 0) || hasReportedStatus(object)
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''

/** A status that a kubelet or a controller wrote. Manifests of nodes may state capacity and allocatable resources. */
function hasReportedStatus(object: KubeObject): boolean {
  const status = (object as unknown as Fields)['status'] as Fields | null | undefined
  if (status === undefined || status === null || typeof status !== 'object') return false
  switch (object.kind) {
    case 'Node':
      return Array.isArray(status['conditions']) && status['conditions'].length > 0
    case 'Pod':
    case 'PersistentVolume':
    case 'PersistentVolumeClaim':
      return isText(status['phase'])
    case 'Deployment':
    case 'ReplicaSet':
    case 'StatefulSet':
    case 'DaemonSet':
    case 'Job':
    case 'PodDisruptionBudget':
      return Object.keys(status).length > 0
    default:
      return false
  }
}
