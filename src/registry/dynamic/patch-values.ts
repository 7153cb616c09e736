import type { JsonPatchOperation } from '../../api/call.ts'
import type { Json } from '../../api/objects/meta.ts'
import { isInt64 } from '../../base/exact-json.ts'
import { writeDuration, writeTime } from '../../cel/library/conversions.ts'
import { Duration, isObject, ListValue, MapValue, StructValue, Timestamp, Uint, type Value } from '../../cel/value.ts'

/** A value that cannot be part of an object. */
class NotJson extends Error {
  override readonly name = 'NotJson'
}

/** The JSON patch that a mutation evaluates to; a string describes the error. */
export function patchOperations(value: Value): readonly JsonPatchOperation[] | string {
  if (!(value instanceof ListValue)) return 'type mismatch: JSONPatchType.expression should evaluate to array'
  const operations: JsonPatchOperation[] = []
  for (const item of value.items) {
    if (!(item instanceof StructValue) || item.type !== 'JSONPatch') {
      return 'type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch'
    }
    const said = item.get('value')
    const mismatch = said === undefined ? undefined : typeMismatch(said)
    if (mismatch !== undefined) return mismatch
    try {
      const from = String(item.get('from') ?? '')
      operations.push({
        op: String(item.get('op') ?? '') as JsonPatchOperation['op'],
        path: String(item.get('path') ?? ''),
        ...(from === '' ? {} : { from }),
        ...(said === undefined ? {} : { value: jsonOf(said) }),
      })
    } catch (error) {
      if (!(error instanceof NotJson)) throw error
      return `JSONPath valueExpression evaluated to a type that could not marshal to JSON: ${error.message}`
    }
  }
  return operations
}

export function jsonOf(value: Value): Json {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value
  if (typeof value === 'bigint')
    return (Number.isSafeInteger(Number(value)) || !isInt64(value) ? Number(value) : value) as Json
  if (typeof value === 'number') return value
  if (value instanceof Uint) return jsonOf(value.value)
  if (value instanceof ListValue) return value.items.map(jsonOf)
  if (value instanceof MapValue) {
    return Object.fromEntries([...value.entries.values()].map(({ key, value: inner }) => [String(key), jsonOf(inner)]))
  }
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (value instanceof Timestamp) return writeTime(value.nanos)
  if (value instanceof Duration) return writeDuration(value.nanos)
  if (isObject(value)) return Object.fromEntries([...value.fields()].map(([name, inner]) => [name, jsonOf(inner)]))
  throw new NotJson('unsupported type')
}

/** `Object.spec{ selector: Object.spec.wrong{} }`: objects must have the type of the field they are in. */
export function typeMismatch(value: Value): string | undefined {
  if (!(value instanceof StructValue)) return undefined
  const wrong = mismatches(value, value.type)
  return wrong.length === 0 ? undefined : `type mismatch: ${wrong.join('\n')}`
}

function mismatches(value: Value, path: string): readonly string[] {
  if (value instanceof ListValue) return value.items.flatMap((item) => mismatches(item, path))
  if (value instanceof MapValue)
    return [...value.entries.values()].flatMap(({ value: inner }) => mismatches(inner, path))
  if (!(value instanceof StructValue)) return []
  const own =
    value.type === path
      ? []
      : [
          `unexpected type name ${JSON.stringify(value.type)}, expected ${JSON.stringify(path)}, which matches field name path from root Object type`,
        ]
  return [...own, ...[...value.fields()].flatMap(([name, inner]) => mismatches(inner, `${path}.${name}`))]
}
