import { defaultRelease } from '../../src/api/releases/release-of.ts'
import type { Field, Shape, StructShape } from '../../src/api/schema/shape.ts'
import type { Kind } from '../../src/registry/kinds/kind.ts'
import { builtinKindsOf } from '../../src/registry/kinds/kinds.ts'
import { attackNamespace } from './attack.ts'

/** A kind that can be created, and where. */
export interface Target {
  readonly kind: Kind
  readonly shape: StructShape
  readonly path: string
}

export const targets: readonly Target[] = builtinKindsOf(defaultRelease).flatMap((kind) => {
  const { group, version, plural, shape } = kind
  if (shape === undefined || !kind.verbs.includes('create')) return []
  const root = group === '' ? '/api/v1' : `/apis/${group}/${version}`
  const scope = kind.namespaced ? `/namespaces/${attackNamespace}` : ''
  return [{ kind, shape, path: `${root}${scope}/${plural}` }]
})

/** A field in a kind: the steps that lead to it. */
export interface FieldPlace {
  readonly steps: readonly Field[]
  readonly shape: Shape
}

const maxDepth = 9

/** Every field of a type that `wanted` accepts, recursive types once. */
export function fieldsOf(root: StructShape, wanted: (shape: Shape) => boolean): readonly FieldPlace[] {
  const found: FieldPlace[] = []
  const visit = (shape: Shape, steps: readonly Field[], above: ReadonlySet<string>) => {
    if (steps.length > 0 && wanted(shape)) found.push({ steps, shape })
    if (shape.is === 'list' || shape.is === 'map') visit(shape.of, steps, above)
    else if (shape.is === 'loose') visit(shape.of, steps, above)
    else if (shape.is === 'struct' && !above.has(shape.id) && steps.length < maxDepth) {
      const within = new Set([...above, shape.id])
      for (const field of shape.fields.values()) visit(field.shape, [...steps, field], within)
    }
  }
  visit(root, [], new Set())
  return found
}

/** `spec.volumes[].name` */
export function placeName({ steps }: FieldPlace): string {
  return steps
    .map(({ name, shape }) => (shape.is === 'list' ? `${name}[]` : shape.is === 'map' ? `${name}{}` : name))
    .join('.')
}

/** An object of a kind with required members filled in and `value` at the place. */
export function objectWith({ kind, shape }: Target, place: FieldPlace, value: unknown): Record<string, unknown> {
  const { group, version, name } = { group: kind.group, version: kind.version, name: kind.kind }
  const made = structWith(shape, place.steps, value) as Record<string, unknown>
  const metadata = { name: 'attack', ...(made['metadata'] as object | undefined) }
  return { ...made, apiVersion: group === '' ? version : `${group}/${version}`, kind: name, metadata }
}

function structWith(shape: StructShape, steps: readonly Field[], value: unknown): unknown {
  const [step, ...rest] = steps
  const made: Record<string, unknown> = {}
  for (const field of shape.fields.values()) {
    if (field.required && field !== step) made[field.name] = plain(field.shape, 0)
  }
  if (step !== undefined) made[step.name] = wrapped(step.shape, rest, value)
  return made
}

function wrapped(shape: Shape, rest: readonly Field[], value: unknown): unknown {
  if (rest.length === 0 && shape.is !== 'list' && shape.is !== 'map') return value
  if (shape.is === 'list') return isFinal(shape, rest, value) ? value : [wrapped(shape.of, rest, value)]
  if (shape.is === 'map') return isFinal(shape, rest, value) ? value : { key: wrapped(shape.of, rest, value) }
  if (shape.is === 'loose') return structWith(shape.of, rest, value)
  return shape.is === 'struct' ? structWith(shape, rest, value) : value
}

const isFinal = (shape: Shape, rest: readonly Field[], value: unknown): boolean =>
  rest.length === 0 && typeof value === 'object' && value !== null && (shape.is === 'list') === Array.isArray(value)

/** A value of the shape that is as small as required fields allow. */
export function plain(shape: Shape, depth: number): unknown {
  switch (shape.is) {
    case 'list':
      return depth > 4 ? [] : [plain(shape.of, depth + 1)]
    case 'map':
      return { app: plain(shape.of, depth + 1) }
    case 'loose':
      return {}
    case 'struct': {
      const made: Record<string, unknown> = {}
      for (const field of shape.fields.values()) {
        if (field.required && depth < 6) made[field.name] = plain(field.shape, depth + 1)
      }
      return made
    }
    case 'scalar':
      return plainScalars[shape.kind]
  }
}

const plainScalars = {
  string: 'a',
  int32: 1,
  int64: 1,
  bool: true,
  float64: 1,
  quantity: '1',
  time: '2026-01-01T00:00:00Z',
  'micro-time': '2026-01-01T00:00:00.000000Z',
  'int-or-string': 1,
  bytes: 'YQ==',
  duration: '1s',
  json: {},
} as const
