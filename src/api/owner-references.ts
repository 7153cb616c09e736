import type { KubeObject, OwnerReference } from './objects/meta.ts'

/** The reference to the controller of the object, if it has one. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller === true)
}

export function isControlledBy(object: KubeObject, owner: KubeObject): boolean {
  return controllerOf(object)?.uid === owner.metadata.uid && owner.metadata.uid !== undefined
}

export function isOwnedBy(object: KubeObject, uid: string): boolean {
  return object.metadata.ownerReferences?.some((owner) => owner.uid === uid) ?? false
}

/**
 * The reference that a controller sets on objects that it creates (metav1.NewControllerRef). `owner` must be stored.
 */
export function controllerReference(owner: KubeObject, kind: { apiVersion: string; kind: string }): OwnerReference {
  return {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  }
}
