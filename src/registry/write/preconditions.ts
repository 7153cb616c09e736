import type { Failure } from '../../api/call.ts'
import type { KubeObject, ObjectMeta } from '../../api/objects/meta.ts'
import { conflict, failure, plainError } from '../../api/status.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import { invalid, invalidObject } from '../errors/field-error.ts'
import type { Kind } from '../kinds/kind.ts'

export const namespaceMismatch = 'the namespace of the provided object does not match the namespace sent on the request'

interface ObjectPath {
  readonly name: string
  readonly namespace?: string | undefined
}

/** Fails if the object has another name or namespace than the path of the request. */
export function nameMismatch(kind: Kind, object: KubeObject, path: ObjectPath): Failure | undefined {
  const metadata: Partial<ObjectMeta> = object.metadata ?? {}
  const own = metadata.namespace ?? ''
  if (own !== '' && kind.namespaced && own !== (path.namespace ?? '')) return failure('BadRequest', namespaceMismatch)
  if (!metadata.name) return nameMissing(path.name)
  if (metadata.name === path.name) return undefined
  const why = `the name of the object (${metadata.name}) does not match the name on the URL (${path.name})`
  return failure('BadRequest', why)
}

export function nameMissing(pathName: string): Failure {
  const why = `the name of the object (${pathName} based on URL) was undeterminable: name must be provided`
  return failure('BadRequest', why)
}

// The path in etcd of kinds that are not stored under their plural.
const etcdPaths = lookupTable<string>({
  nodes: 'minions',
  replicationcontrollers: 'controllers',
  services: 'services/specs',
  endpoints: 'services/endpoints',
  'ingresses.networking.k8s.io': 'ingress',
  'customresourcedefinitions.apiextensions.k8s.io': 'apiextensions.k8s.io/customresourcedefinitions',
})

/** Fails if a PUT names the uid of another object. */
export function uidConflict(kind: Kind, sent: KubeObject, old: KubeObject, name: string): Failure | undefined {
  const uid = sent.metadata?.uid
  if (uid === undefined || uid === '' || uid === old.metadata.uid) return undefined
  const path = etcdPaths[kind.storage] ?? kind.plural
  const key = `/${path}/${old.metadata.namespace === undefined ? '' : `${old.metadata.namespace}/`}${name}`
  const why =
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ` +
    `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid ?? ''}`
  return conflict(kind.resource, name, why)
}

/** Fails if the object names another resourceVersion than the stored one. */
export function versionConflict(kind: Kind, sent: KubeObject, old: KubeObject, name: string): Failure | undefined {
  const { resourceVersion } = sent.metadata ?? {}
  if (resourceVersion === undefined || resourceVersion === '' || resourceVersion === '0') {
    if (kind.strategy.needsVersion !== true) return undefined
    return invalidObject(kind.plural, kind.resource, name, [
      invalid('metadata.resourceVersion', 0, 'must be specified for an update'),
    ])
  }
  if (!/^\d+$/.test(resourceVersion)) {
    return plainError(`strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`)
  }
  return resourceVersion === old.metadata.resourceVersion ? undefined : conflict(kind.resource, name)
}

/** Fails if a create names a resourceVersion. storage/etcd3 Create ignores 0 and text that strconv.ParseUint rejects. */
export function versionOnCreate({ metadata }: KubeObject): Failure | undefined {
  const version = metadata?.resourceVersion
  if (version === undefined || !/^\d+$/.test(version)) return undefined
  const digits = version.replace(/^0+/, '')
  const isSet = digits !== '' && digits.length <= 20 && BigInt(digits) < 1n << 64n
  return isSet ? plainError('resourceVersion should not be set on objects to be created') : undefined
}
