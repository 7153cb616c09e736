import type { Shape, StructShape } from '../api/schema/shape.ts'
import { formatMicroTime, formatTime } from '../api/time.ts'

// Conversion between the JSON of the API and the objects of the JavaScript client, whose timestamps are Dates.

/** A copy whose timestamps are Dates: all timestamps of a known type, or only those in the metadata of a custom resource. */
export function withDates<T>(object: T, shape: StructShape | undefined, metadata: StructShape | undefined): T {
  if (shape !== undefined) return convert(object, shape) as T
  const { metadata: found } = object as { readonly metadata?: unknown }
  const copy = structuredClone(object)
  return found === undefined || metadata === undefined ? copy : ({ ...copy, metadata: convert(found, metadata) } as T)
}

function convert(value: unknown, shape: Shape): unknown {
  if (value === undefined || value === null) return value
  switch (shape.is) {
    case 'scalar':
      if ((shape.kind === 'time' || shape.kind === 'micro-time') && typeof value === 'string') return new Date(value)
      return typeof value === 'object' ? structuredClone(value) : value
    case 'list':
      return Array.isArray(value) ? value.map((item) => convert(item, shape.of)) : value
    case 'map':
      return typeof value === 'object' ? mapped(value, () => shape.of) : value
    case 'struct':
      return typeof value === 'object' ? mapped(value, (name) => shape.fields.get(name)?.shape) : value
    case 'loose':
      return typeof value === 'object' ? structuredClone(value) : value
  }
}

function mapped(value: object, shapeOf: (name: string) => Shape | undefined): object {
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const shape = shapeOf(name)
      return [name, shape === undefined ? structuredClone(member) : convert(member, shape)]
    }),
  )
}

/** The JSON of an object that may have Dates: whole seconds, or microseconds where the API has them. */
export function withoutDates(value: unknown, shape?: Shape): unknown {
  if (value instanceof Date)
    return shape?.is === 'scalar' && shape.kind === 'micro-time'
      ? formatMicroTime(value.getTime())
      : formatTime(value.getTime())
  if (Array.isArray(value)) return value.map((item) => withoutDates(item, shape?.is === 'list' ? shape.of : undefined))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  const of = (name: string) =>
    shape?.is === 'struct' ? shape.fields.get(name)?.shape : shape?.is === 'map' ? shape.of : undefined
  return Object.fromEntries(members.map(([name, member]) => [name, withoutDates(member, of(name))]))
}
