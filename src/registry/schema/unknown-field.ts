import type { Shape } from './shape.ts'

/** The first field that a type does not have, in the words of server-side apply. */
export function unknownField(shape: Shape, value: unknown, path = ''): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  switch (shape.is) {
    case 'struct':
      for (const [name, inner] of Object.entries(value)) {
        const field = shape.fields.get(name)
        const at = `${path}.${name}`
        const problem =
          field === undefined ? `${at}: field not declared in schema` : unknownField(field.shape, inner, at)
        if (problem !== undefined) return problem
      }
      return undefined
    case 'list':
      for (const element of Array.isArray(value) ? value : []) {
        const problem = unknownField(shape.of, element, path)
        if (problem !== undefined) return problem
      }
      return undefined
    case 'map':
      for (const [name, inner] of Object.entries(value)) {
        const problem = unknownField(shape.of, inner, `${path}.${name}`)
        if (problem !== undefined) return problem
      }
      return undefined
    default:
      return undefined
  }
}
