import type { KubeObject, ObjectReference } from './objects/meta.ts'

/** A reference as events have it. `fallback` names the kind of an object that does not. */
export function referenceTo(
  object: KubeObject,
  fallback?: { readonly apiVersion: string; readonly kind: string },
): ObjectReference {
  const { name, namespace, uid, resourceVersion } = object.metadata
  const apiVersion = object.apiVersion ?? fallback?.apiVersion ?? 'v1'
  const kind = object.kind ?? fallback?.kind ?? ''
  // Objects of the store have all of them. One literal is faster than four spreads, and every binding makes one.
  if (namespace !== undefined && uid !== undefined && resourceVersion !== undefined) {
    return { apiVersion, kind, name, namespace, uid, resourceVersion }
  }
  return {
    apiVersion,
    kind,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  }
}
