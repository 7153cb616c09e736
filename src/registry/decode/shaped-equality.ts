import { semanticEqual } from '../../api/equality.ts'
import type { Shape, StructShape } from '../../api/schema/shape.ts'
import type { Fields } from '../../base/fields.ts'

const nothing: Fields = {}

/**
 * Whether two values are equal in Go (apimachinery, equality.Semantic): an absent list or map equals an empty one; an
 * absent pointer differs from a pointer to an empty struct. An empty selector selects everything, an absent one
 * nothing.
 */
export function equalAs(shape: Shape, a: unknown, b: unknown): boolean {
  if (a === b) return true
  switch (shape.is) {
    case 'struct':
      return structsEqual(shape, (a ?? nothing) as Fields, (b ?? nothing) as Fields)
    case 'list': {
      const [one, other] = [(a ?? []) as readonly unknown[], (b ?? []) as readonly unknown[]]
      return one.length === other.length && one.every((element, i) => equalAs(shape.of, element, other[i]))
    }
    case 'map': {
      const [one, other] = [(a ?? nothing) as Fields, (b ?? nothing) as Fields]
      const keys = Object.keys(one)
      if (keys.length !== Object.keys(other).length) return false
      return keys.every((key) => Object.hasOwn(other, key) && equalAs(shape.of, one[key], other[key]))
    }
    default:
      return semanticEqual(a, b)
  }
}

function structsEqual(shape: StructShape, a: Fields, b: Fields): boolean {
  for (const key in a) if (!fieldsEqual(shape, key, a[key], b[key])) return false
  for (const key in b) if (!(key in a) && !fieldsEqual(shape, key, undefined, b[key])) return false
  return true
}

function fieldsEqual(shape: StructShape, name: string, a: unknown, b: unknown): boolean {
  if (a === b) return true
  const field = shape.fields.get(name)
  if (field === undefined) return semanticEqual(a, b)
  if (field.pointer && ((a ?? undefined) === undefined) !== ((b ?? undefined) === undefined)) return false
  return equalAs(field.shape, a, b)
}
