import { semanticEqual } from '../../api/equality.ts'
import type { Shape } from '../../api/schema/shape.ts'
import { zeroOf } from '../../api/schema/type-table.ts'
import { equalAs } from '../decode/shaped-equality.ts'
import type { Errors } from './reader.ts'

/** Whether two values of a type are equal in Go: a pointer to an empty struct differs from an absent one. */
export function equalAsType({ release }: Errors, type: string, a: unknown, b: unknown): boolean {
  const shape = release.api.types.get(type)
  return shape === undefined ? semanticEqual(a, b) : equalAs(shape, a, b)
}

/** A value as Go prints its type in a message: fields in the order of the type, keys of maps sorted. */
export function inOrder({ release }: Errors, type: string, value: unknown): unknown {
  const shape = release.api.types.get(type)
  return shape === undefined ? value : ordered(shape, value)
}

export function listInOrder(errors: Errors, type: string, values: readonly unknown[]): readonly unknown[] {
  return values.map((value) => inOrder(errors, type, value))
}

function ordered(shape: Shape, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const from = value as Readonly<Record<string, unknown>>
  switch (shape.is) {
    case 'struct': {
      const out: Record<string, unknown> = {}
      for (const [name, field] of shape.fields) {
        if (from[name] !== undefined) out[name] = ordered(field.shape, from[name])
      }
      return out
    }
    case 'list':
      return (value as readonly unknown[]).map((one) => ordered(shape.of, one))
    case 'map':
      return Object.fromEntries(
        Object.entries(from)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, one]) => [key, ordered(shape.of, one)]),
      )
    default:
      return value
  }
}

/** A map of strings with sorted keys; null if absent. */
export function sortedMap(map: Readonly<Record<string, string>>): Readonly<Record<string, string>> | null {
  const keys = Object.keys(map).sort()
  return keys.length === 0 ? null : Object.fromEntries(keys.map((key) => [key, map[key] as string]))
}

/** A value as Go prints upstream's internal type: with Go's field names and unset fields. */
export function internalForm({ release }: Errors, type: string, value: unknown): unknown {
  const shape = release.api.types.get(type)
  return shape === undefined ? value : internal(shape, value)
}

function internal(shape: Shape, value: unknown): unknown {
  if (value === undefined || value === null) return null
  switch (shape.is) {
    case 'struct': {
      const from = value as Readonly<Record<string, unknown>>
      const out: Record<string, unknown> = {}
      for (const [name, field] of shape.fields) {
        // A nested object does not name its type.
        if (field.via === 'TypeMeta') continue
        const given = from[name] ?? undefined
        if (field.shape.is === 'struct' && field.shape.id === 'meta.ObjectMeta') {
          Object.assign(out, ordered(field.shape, given))
          continue
        }
        const isSet = given !== undefined || field.pointer
        out[field.goName] = isSet ? internal(field.shape, given) : internal(field.shape, zeroOf(field.shape))
      }
      return out
    }
    case 'list':
      return (value as readonly unknown[]).map((one) => internal(shape.of, one))
    case 'map':
      return ordered(shape, value)
    default:
      return value
  }
}
