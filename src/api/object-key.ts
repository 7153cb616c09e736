import type { KubeObject } from './objects/meta.ts'

/** `namespace/name`, or `name` for cluster-scoped objects. Neither part can contain a slash. */
export type ObjectKey = string

export function keyOf(object: KubeObject): ObjectKey {
  const { namespace, name } = object.metadata
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`
}

export function objectKey(namespace: string | undefined, name: string): ObjectKey {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`
}

export function splitKey(key: ObjectKey): { readonly namespace?: string; readonly name: string } {
  const slash = key.indexOf('/')
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) }
}
