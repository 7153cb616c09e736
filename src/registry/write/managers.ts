import type { JsonObject, KubeObject } from '../../api/objects/meta.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import type { StructShape } from '../../api/schema/shape.ts'
import { zeroOf } from '../../api/schema/type-table.ts'
import type { Fields } from '../../base/fields.ts'
import { createdFields } from '../apply/created-fields.ts'
import { trackCreation, trackUpdate, type Writer } from '../apply/managed-fields.ts'
import { type Ownership, ownershipOfStruct, Unnameable } from '../apply/typed-value.ts'
import type { Kind, WriteContext } from '../kinds/kind.ts'
import { part } from '../request-parts.ts'
import { fieldsInOrder } from './go-order.ts'
import { resetFieldsOf } from './prepare.ts'

/** Stage of every write: updates metadata.managedFields, unless this write is not recorded. */
export function recordManagers(
  kind: Kind,
  object: KubeObject,
  old: KubeObject | undefined,
  context: WriteContext,
): KubeObject {
  const recorded = (old ?? object).metadata.managedFields
  if (!isRecorded(context, recorded !== undefined)) return object
  try {
    if (old !== undefined) return trackUpdate(old, object, ownershipOfKind(kind), writerOf(kind, context))
    if (recorded !== undefined) return object
    const ownership = ownershipOfKind(kind)
    const { parts } = context
    const fields = part(parts, 'owned', [kind, object], () =>
      createdFields(object as unknown as Fields, emptyOf(kind), ownership, resetFieldsOf(kind)),
    )
    // Trees of one template are ordered once; in the whole object, every copy of the tree would be ordered.
    const ordered = context.goOrder
      ? part(parts, 'owned in order', [fields], () => fieldsInOrder(fields) as JsonObject)
      : fields
    return trackCreation(object, ordered, writerOf(kind, context))
  } catch (error) {
    if (!(error instanceof Unnameable)) throw error
    // Upstream drops all managedFields if it cannot update them; v1.37 keeps the old ones (FieldManager.UpdateNoErrors).
    const { managedFields: _, ...metadata } = object.metadata
    const kept = atLeast(kind.release, '1.37') ? old?.metadata.managedFields : undefined
    return { ...object, metadata: kept === undefined ? metadata : { ...metadata, managedFields: kept } }
  }
}

function isRecorded({ managedFields, fieldManager }: WriteContext, hasRecord: boolean): boolean {
  switch (managedFields) {
    case 'all':
      return true
    case 'none':
      return false
    case 'apply-only':
      return hasRecord
    case 'named':
      return hasRecord || fieldManager !== undefined
  }
}

/** The manager that this write is recorded under. */
export function writerOf(kind: Kind, context: WriteContext): Writer {
  return {
    manager: context.fieldManager ?? 'berth',
    apiVersion: kind.apiVersion,
    ...(context.subresource === undefined ? {} : { subresource: context.subresource }),
    now: context.now,
  }
}

/** Which fields of the kind are atomic, and how the elements of its lists are named. */
export function ownershipOfKind(kind: Kind): Ownership {
  if (kind.custom !== undefined) return kind.custom.ownership
  return kind.shape === undefined ? untyped : ownershipOfStruct(kind.shape)
}

const untyped: Ownership = { is: 'members', of: () => untyped }

const emptyObjects = new WeakMap<StructShape, Fields>()
const noFields: Fields = {}

/** The empty object of a kind. Always the same one, because created-fields.ts caches by identity. */
function emptyOf({ shape }: Kind): Fields {
  if (shape === undefined) return noFields
  let empty = emptyObjects.get(shape)
  if (empty === undefined) {
    empty = zeroOf(shape) as Fields
    emptyObjects.set(shape, empty)
  }
  return empty
}
