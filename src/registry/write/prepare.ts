import { semanticEqual } from '../../api/equality.ts'
import type { KubeObject, ObjectMeta } from '../../api/objects/meta.ts'
import { incremented } from '../../base/exact-json.ts'
import type { Kind, WriteContext } from '../kinds/kind.ts'

type Fields = Record<string, unknown>
type MutableMeta = { -readonly [K in keyof ObjectMeta]?: ObjectMeta[K] | undefined }

const fieldsOf = (object: KubeObject): Fields => object as unknown as Fields

/** Fields that only the status subresource writes. */
export function statusFieldsOf(kind: Kind): readonly string[] {
  if (kind.strategy.statusFields !== undefined) return kind.strategy.statusFields
  for (const { name } of kind.subresources) if (name === 'status') return onlyStatus
  return none
}

const onlyStatus: readonly string[] = ['status']
const none: readonly string[] = []

/** Nobody creates an object with a history: its status begins empty. */
export function withoutStatus(kind: Kind, object: KubeObject): KubeObject {
  const fields = statusFieldsOf(kind)
  let out: Fields | undefined
  for (const field of fields) {
    const zero = kind.shape?.always.find(({ name }) => name === field)?.zero
    if (fieldsOf(object)[field] === zero) continue
    out ??= { ...fieldsOf(object) }
    if (zero === undefined) delete out[field]
    else out[field] = zero
  }
  return out === undefined ? object : (out as unknown as KubeObject)
}

/** What an update cannot change, whatever it says (registry/rest BeforeUpdate). */
export function withOldIdentity(kind: Kind, changed: KubeObject, existing: KubeObject, name: string): KubeObject {
  const old = existing.metadata
  // What was not touched, as in a patch of something else, is what was stored.
  if (changed.metadata === old && changed.kind === kind.kind && changed.apiVersion === kind.apiVersion) {
    if (old.name === name && kind.namespaced === (old.namespace !== undefined)) return changed
  }
  const metadata: MutableMeta = { ...changed.metadata, name }
  if (kind.namespaced && old.namespace !== undefined) metadata.namespace = old.namespace
  else delete metadata.namespace
  keep(metadata, old, 'uid')
  keep(metadata, old, 'resourceVersion')
  keep(metadata, old, 'creationTimestamp')
  keep(metadata, old, 'generation')
  // An update never takes these away; that it may not set them either is for validation to say.
  if (old.deletionTimestamp !== undefined) metadata.deletionTimestamp = old.deletionTimestamp
  const grace = old.deletionGracePeriodSeconds
  if (grace !== undefined) metadata.deletionGracePeriodSeconds ??= grace
  return { ...changed, apiVersion: kind.apiVersion, kind: kind.kind, metadata: metadata as ObjectMeta }
}

function keep<K extends keyof ObjectMeta>(metadata: Partial<Record<K, unknown>>, old: ObjectMeta, field: K): void {
  if (old[field] === undefined) delete metadata[field]
  else metadata[field] = old[field]
}

/** What was sent, with everything as stored that this way of writing may not change. */
export function writable(kind: Kind, object: KubeObject, existing: KubeObject, context: WriteContext): KubeObject {
  const fields = statusFieldsOf(kind)
  return context.subresource === 'status'
    ? withFields(existing, object, fields, keptMetadata(kind, object, existing))
    : withFields(object, existing, fields, object.metadata)
}

/** The object as it will be stored: only what this way of writing may change is changed. */
export function prepareUpdate(
  kind: Kind,
  object: KubeObject,
  existing: KubeObject,
  context: WriteContext,
  /** `writable` has made the object already. */
  isWritable: boolean,
): KubeObject {
  const { strategy } = kind
  const { subresource } = context
  if (subresource === 'status') {
    const merged = isWritable ? object : writable(kind, object, existing, context)
    const special = strategy.prepareSubresource?.['status']
    return special === undefined ? merged : special(merged, existing, context)
  }
  if (subresource !== undefined && subresource !== 'scale') {
    const special = strategy.prepareSubresource?.[subresource]
    const prepared = special === undefined ? existing : special(object, existing, context)
    return withGeneration(kind, prepared, existing)
  }
  let next = isWritable ? object : writable(kind, object, existing, context)
  if (strategy.prepareUpdate !== undefined) next = strategy.prepareUpdate(next, existing, context)
  return withGeneration(kind, next, existing)
}

/** `base` with these fields as `from` has them. */
function withFields(base: KubeObject, from: KubeObject, fields: readonly string[], metadata: ObjectMeta): KubeObject {
  if (base.metadata === metadata && fields.every((field) => fieldsOf(base)[field] === fieldsOf(from)[field]))
    return base
  const out: Fields = { ...fieldsOf(base), metadata }
  for (const field of fields) {
    const value = fieldsOf(from)[field]
    if (value === undefined) delete out[field]
    else out[field] = value
  }
  return out as unknown as KubeObject
}

function keptMetadata(kind: Kind, object: KubeObject, existing: KubeObject): ObjectMeta {
  switch (kind.strategy.statusMetadata) {
    case 'keeps-all':
      return resetMetadata(object, existing)
    case 'keeps-labels': {
      const metadata: MutableMeta = { ...object.metadata }
      keep(metadata, existing.metadata, 'labels')
      return metadata as ObjectMeta
    }
    default:
      return object.metadata
  }
}

/** Metadata as stored, but for the record of who wrote what (metav1.ResetObjectMetaForStatus). */
export function resetMetadata(object: KubeObject, existing: KubeObject): ObjectMeta {
  const { managedFields } = object.metadata
  return managedFields === undefined ? existing.metadata : { ...existing.metadata, managedFields }
}

function withGeneration(kind: Kind, object: KubeObject, existing: KubeObject): KubeObject {
  const { generation } = kind.strategy
  if (generation === undefined || generation === 'once' || !countsAsChange(kind, object, existing)) return object
  return { ...object, metadata: { ...object.metadata, generation: incremented(existing.metadata.generation ?? 0) } }
}

function countsAsChange(kind: Kind, object: KubeObject, existing: KubeObject): boolean {
  const { generation } = kind.strategy
  const after = fieldsOf(object)
  const before = fieldsOf(existing)
  if (generation === 'spec-and-annotations') {
    if (!semanticEqual(object.metadata.annotations, existing.metadata.annotations)) return true
  }
  if (generation === 'everything-and-labels') {
    if (!semanticEqual(object.metadata.labels ?? {}, existing.metadata.labels ?? {})) return true
  } else if (generation !== 'everything') return !semanticEqual(after['spec'], before['spec'])
  const uncounted = new Set(['metadata', ...statusFieldsOf(kind)])
  const same = (field: string): boolean => uncounted.has(field) || semanticEqual(after[field], before[field])
  return !Object.keys(after).every(same) || !Object.keys(before).every(same)
}
