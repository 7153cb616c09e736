import type { KubeObject, ObjectMeta, ObjectReference } from './objects/meta.ts'

/** A reference with its fields in the order of Go, as upstream stores it in a spec or a status. */
export function storedReference(
  apiVersion: string,
  kind: string,
  { name, namespace, uid, resourceVersion }: ObjectMeta,
): ObjectReference {
  return {
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    ...(uid === undefined ? {} : { uid }),
    apiVersion,
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  }
}

/** A reference as in events. `fallback` is the kind of objects without a kind. */
export function referenceTo(
  object: KubeObject,
  fallback?: { readonly apiVersion: string; readonly kind: string },
): ObjectReference {
  const { name, namespace, uid, resourceVersion } = object.metadata
  const apiVersion = object.apiVersion ?? fallback?.apiVersion ?? 'v1'
  const kind = object.kind ?? fallback?.kind ?? ''
  // Stored objects have all of these fields. One literal is faster than four spreads, and every binding needs one.
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
