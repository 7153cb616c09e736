import { semanticEqual } from '../../api/equality.ts'
import type { KubeObject, ObjectMeta } from '../../api/objects/meta.ts'
import { incremented } from '../../base/exact-json.ts'
import type { MutableFields } from '../../base/fields.ts'
import { gatedFieldsOf } from '../kinds/disabled-fields.ts'
import type { Kind, WriteContext } from '../kinds/kind.ts'
import { keepMember, type MutableMeta } from './identity.ts'

const fieldsOf = (object: KubeObject): MutableFields => object as unknown as MutableFields

/** The fields that only the status subresource writes. */
export function statusFieldsOf(kind: Kind): readonly string[] {
  if (kind.strategy.statusFields !== undefined) return kind.strategy.statusFields
  for (const { name } of kind.subresources) if (name === 'status') return onlyStatus
  return none
}

/** The fields that a write of the object itself does not change, and its manager does not own. */
export function resetFieldsOf(kind: Kind): readonly string[] {
  return keepsStatus(kind) ? none : (kind.strategy.resetFields ?? statusFieldsOf(kind))
}

/** Whether writes of the object itself set its status too, because the gate that prevents it is off. */
function keepsStatus({ strategy, release }: Kind): boolean {
  return strategy.statusGate !== undefined && !release.gates.has(strategy.statusGate)
}

const onlyStatus: readonly string[] = ['status']
const none: readonly string[] = []

/** Stage of a create: removes the status, which clients cannot set on create. */
export function dropStatus(kind: Kind, object: KubeObject): KubeObject {
  if (keepsStatus(kind)) return object
  const fields = statusFieldsOf(kind)
  let out: MutableFields | undefined
  for (const field of fields) {
    const zero = kind.shape?.always.find(({ name }) => name === field)?.zero
    if (fieldsOf(object)[field] === zero) continue
    out ??= { ...fieldsOf(object) }
    if (zero === undefined) delete out[field]
    else out[field] = zero
  }
  return out === undefined ? object : (out as unknown as KubeObject)
}

/** Stage of an update: restores the fields that this request cannot change. */
export function keepReadOnlyFields(
  kind: Kind,
  object: KubeObject,
  old: KubeObject,
  { subresource }: WriteContext,
): KubeObject {
  if (subresource === 'status') return withFields(old, object, statusFieldsOf(kind), statusMetadata(kind, object, old))
  // The strategy knows the fields that other subresources write (prepareUpdate).
  if (subresource !== undefined && subresource !== 'scale') return object
  return withFields(object, old, resetFieldsOf(kind), object.metadata)
}

/** Stage of an update: the changes that the kind makes itself, and metadata.generation. */
export function prepareUpdate(kind: Kind, object: KubeObject, old: KubeObject, context: WriteContext): KubeObject {
  const { strategy } = kind
  const { subresource } = context
  if (subresource === 'status') {
    const prepare = strategy.prepareSubresource?.['status']
    return withoutDisabledFields(kind, prepare === undefined ? object : prepare(object, old, context), old)
  }
  if (subresource !== undefined && subresource !== 'scale') {
    const prepare = strategy.prepareSubresource?.[subresource]
    return withGeneration(kind, prepare === undefined ? old : prepare(object, old, context), old)
  }
  const prepared = strategy.prepareUpdate === undefined ? object : strategy.prepareUpdate(object, old, context)
  return withGeneration(kind, withoutDisabledFields(kind, prepared, old), old)
}

/** The object without the fields that the release disables, unless the old object has them. */
export function withoutDisabledFields(kind: Kind, object: KubeObject, old?: KubeObject): KubeObject {
  return gatedFieldsOf(kind.resource).remove(object, old, kind.release)
}

/** `base` with this metadata, and with these fields of `from`. */
function withFields(base: KubeObject, from: KubeObject, fields: readonly string[], metadata: ObjectMeta): KubeObject {
  if (base.metadata === metadata && fields.every((field) => fieldsOf(base)[field] === fieldsOf(from)[field]))
    return base
  const out: MutableFields = { ...fieldsOf(base), metadata }
  for (const field of fields) {
    const value = fieldsOf(from)[field]
    if (value === undefined) delete out[field]
    else out[field] = value
  }
  return out as unknown as KubeObject
}

/** The metadata that a status update writes. */
function statusMetadata(kind: Kind, object: KubeObject, old: KubeObject): ObjectMeta {
  switch (kind.strategy.statusMetadata) {
    case 'keeps-all':
      return resetMetadata(object, old)
    case 'keeps-labels': {
      const metadata: MutableMeta = { ...object.metadata }
      keepMember(metadata, old.metadata, 'labels')
      return metadata as ObjectMeta
    }
    default:
      return object.metadata
  }
}

/** The stored metadata with the managedFields of the update (metav1.ResetObjectMetaForStatus). */
export function resetMetadata(object: KubeObject, old: KubeObject): ObjectMeta {
  const { managedFields } = object.metadata
  return managedFields === undefined ? old.metadata : { ...old.metadata, managedFields }
}

function withGeneration(kind: Kind, object: KubeObject, old: KubeObject): KubeObject {
  const { generation } = kind.strategy
  if (generation === undefined || generation === 'once' || !countsAsChange(kind, object, old)) return object
  return { ...object, metadata: { ...object.metadata, generation: incremented(old.metadata.generation ?? 0) } }
}

function countsAsChange(kind: Kind, object: KubeObject, old: KubeObject): boolean {
  const { generation } = kind.strategy
  const after = fieldsOf(object)
  const before = fieldsOf(old)
  if (generation === 'spec-and-annotations') {
    if (!semanticEqual(object.metadata.annotations, old.metadata.annotations)) return true
  }
  if (generation === 'everything-and-labels') {
    if (!semanticEqual(object.metadata.labels ?? {}, old.metadata.labels ?? {})) return true
  } else if (generation !== 'everything') return !semanticEqual(after['spec'], before['spec'])
  const uncounted = new Set(['metadata', ...statusFieldsOf(kind)])
  const same = (field: string): boolean => uncounted.has(field) || semanticEqual(after[field], before[field])
  return !Object.keys(after).every(same) || !Object.keys(before).every(same)
}
