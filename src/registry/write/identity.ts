import type { Failure } from '../../api/call.ts'
import type { Json, JsonObject, KubeObject, ManagedFieldsEntry, ObjectMeta } from '../../api/objects/meta.ts'
import { failure } from '../../api/status.ts'
import { storeKey } from '../backend.ts'
import type { Kind, WriteContext } from '../kinds/kind.ts'
import { setOwn } from '../patch/merge-patch.ts'
import { namespaceMismatch } from './preconditions.ts'

export type MutableMeta = { -readonly [K in keyof ObjectMeta]?: ObjectMeta[K] | undefined }
type NewMeta = { -readonly [K in keyof ObjectMeta]: ObjectMeta[K] }

/** Stage of a create: name, namespace, uid and creation timestamp. */
export function assignIdentity(
  kind: Kind,
  sent: KubeObject,
  namespace: string | undefined,
  context: WriteContext,
): KubeObject | Failure {
  const given: Partial<ObjectMeta> = sent.metadata ?? {}
  const requested = namespace ?? ''
  const own = given.namespace ?? ''
  if (kind.namespaced && requested !== '' && own !== '' && requested !== own) {
    return failure('BadRequest', namespaceMismatch)
  }
  const metadata = newMetadata(kind, given, own === '' ? requested : own, context)
  // The conversion to the stored form builds a new object, so the order of members does not matter here.
  if (kind.toStorage !== undefined && !context.dryRun) {
    return { ...sent, kind: kind.kind, apiVersion: kind.apiVersion, metadata }
  }
  return withTypeAndMetadata(sent, kind, metadata)
}

/** Puts the members that Go writes first at the start, so that the object need not be reordered when it is stored. */
function withTypeAndMetadata(sent: KubeObject, { kind, apiVersion }: Kind, metadata: ObjectMeta): KubeObject {
  const given = sent as unknown as JsonObject
  let object: KubeObject | undefined
  for (const name in given) {
    if (name === 'kind' || name === 'apiVersion' || name === 'metadata') continue
    if (object === undefined && name === 'spec') {
      object = { kind, apiVersion, metadata, spec: given['spec'] } as KubeObject
      continue
    }
    object ??= { kind, apiVersion, metadata }
    setOwn(object as unknown as Record<string, Json>, name, given[name] as Json)
  }
  return object ?? { kind, apiVersion, metadata }
}

/**
 * The metadata of a new object: labels, annotations, owners and finalizers come from the client, the rest from the server.
 * Members are in the order in which Go writes them. `resourceVersion` is reserved for the store.
 */
function newMetadata(kind: Kind, given: Partial<ObjectMeta>, namespace: string, context: WriteContext): ObjectMeta {
  const { name: own = '', generateName } = given
  const isGenerated = own === '' && generateName !== undefined && generateName !== ''
  const name = isGenerated ? unusedName(kind, generateName, namespace, context) : own
  const { generation: counts } = kind.strategy
  const isCounted = counts !== undefined && counts !== 'spec-once-changed'
  const metadata = identityMembers(
    kind,
    { name, generateName, namespace, generation: isCounted ? 1 : given.generation },
    context,
  )
  const { labels, annotations, ownerReferences, finalizers, managedFields } = given
  if (labels !== undefined) metadata.labels = labels
  if (annotations !== undefined) metadata.annotations = annotations
  if (ownerReferences !== undefined) metadata.ownerReferences = ownerReferences
  if (finalizers !== undefined) metadata.finalizers = finalizers
  // Upstream drops managedFields that it cannot decode and starts with an empty list.
  if (managedFields?.every(isDecodable) === true) metadata.managedFields = managedFields
  return metadata
}

interface Identity {
  readonly name: string
  readonly generateName: string | undefined
  readonly namespace: string
  readonly generation: number | undefined
}

/**
 * The frequent combinations are object literals: V8 moves an object that gains members one by one, and keeps the added
 * members in a second block of memory for the lifetime of the object.
 */
function identityMembers(kind: Kind, identity: Identity, { random, dryRun, now }: WriteContext): NewMeta {
  const { name, generateName, namespace, generation } = identity
  const uid = random.stream('uid').uuid()
  if (kind.namespaced && !dryRun) {
    if (generation === undefined) {
      if (generateName === undefined) return { name, namespace, uid, resourceVersion: '', creationTimestamp: now }
    } else if (generateName === undefined) {
      return { name, namespace, uid, resourceVersion: '', generation, creationTimestamp: now }
    } else return { name, generateName, namespace, uid, resourceVersion: '', generation, creationTimestamp: now }
  }
  const metadata: NewMeta = { name }
  if (generateName !== undefined) metadata.generateName = generateName
  if (kind.namespaced) metadata.namespace = namespace
  metadata.uid = uid
  if (!dryRun) metadata.resourceVersion = ''
  if (generation !== undefined) metadata.generation = generation
  metadata.creationTimestamp = now
  return metadata
}

function isDecodable({ operation, fieldsType }: ManagedFieldsEntry): boolean {
  return (operation === 'Apply' || operation === 'Update') && fieldsType === 'FieldsV1'
}

const maxGeneratedPrefix = 63 - 5

function generatedName(prefix: string, context: WriteContext): string {
  const base = prefix.length > maxGeneratedPrefix ? prefix.slice(0, maxGeneratedPrefix) : prefix
  return base + context.random.stream('generate-name').alphanumeric(5)
}

// v1.36, apiserver registry/generic: the number of generated names that are tried before AlreadyExists is returned.
const maxNameAttempts = 8

function unusedName(kind: Kind, prefix: string, namespace: string | undefined, context: WriteContext): string {
  let name = generatedName(prefix, context)
  for (let attempt = 1; attempt < maxNameAttempts; attempt++) {
    if (context.store.get(kind.storage, storeKey(kind, namespace, name)) === undefined) break
    name = generatedName(prefix, context)
  }
  return name
}

/** Stage of an update: restores the metadata that an update cannot change (registry/rest BeforeUpdate). */
export function keepIdentity(kind: Kind, sent: KubeObject, old: KubeObject, name: string): KubeObject {
  const before = old.metadata
  // A patch that does not touch metadata shares it with the stored object.
  if (sent.metadata === before && sent.kind === kind.kind && sent.apiVersion === kind.apiVersion) {
    if (before.name === name && kind.namespaced === (before.namespace !== undefined)) return sent
  }
  const metadata: MutableMeta = { ...sent.metadata, name }
  if (kind.namespaced && before.namespace !== undefined) metadata.namespace = before.namespace
  else delete metadata.namespace
  keepMember(metadata, before, 'uid')
  keepMember(metadata, before, 'resourceVersion')
  keepMember(metadata, before, 'creationTimestamp')
  keepMember(metadata, before, 'generation')
  // An update cannot remove these. Validation rejects an update that sets them.
  if (before.deletionTimestamp !== undefined) metadata.deletionTimestamp = before.deletionTimestamp
  const grace = before.deletionGracePeriodSeconds
  if (grace !== undefined) metadata.deletionGracePeriodSeconds ??= grace
  return { ...sent, apiVersion: kind.apiVersion, kind: kind.kind, metadata: metadata as ObjectMeta }
}

/** Sets one member of metadata to its stored value. */
export function keepMember<K extends keyof ObjectMeta>(
  metadata: Partial<Record<K, unknown>>,
  before: ObjectMeta,
  member: K,
): void {
  if (before[member] === undefined) delete metadata[member]
  else metadata[member] = before[member]
}

/** In a PUT the uid is a precondition. In a patch it is a changed field, which validation rejects. */
export function withPatchedUid(object: KubeObject, { metadata }: KubeObject): KubeObject {
  const uid = metadata?.uid
  if (uid === undefined || uid === '' || uid === object.metadata.uid) return object
  return { ...object, metadata: { ...object.metadata, uid } }
}
