import type { PodTemplateSpec } from '../../../src/api/objects/pod.ts'
import { defaultRelease } from '../../../src/api/releases/release-of.ts'
import type { ScalarKind, Shape, StructShape } from '../../../src/api/schema/shape.ts'
import type { RandomStream } from '../../../src/base/random.ts'

export const templateShape = defaultRelease.api.types.get('core.PodTemplateSpec') as StructShape

const strings = ['', 'a', 'web', 'a b', 'ünï🚀', '<nil>', '%v', '{x:y}', 'registry.example/app:1.2', 'line\nbreak', '"']
const keys = ['a', 'B', 'app', 'app.kubernetes.io/name', 'cpu', 'memory', 'nvidia.com/gpu', 'z-9', 'Ä']
const integers = [0, 1, -1, 2, 8080, 30, 3600, -2_147_483_648, 2_147_483_647]
const quantities = (
  '0 1 -1 +1 100m 0.1 1.5 1500m 64Mi 100Mi 1Gi 512Ki 1e3 5e-3 1E 100Ti 10Pi 1.5Gi 0.5Ki 3n 1u 1000 2k 1M 9Ei ' +
  '123456789012345678 1234567890123456789012 0.000000001 -5Gi 18446744073709551616 1024 1000000 0.1Mi'
).split(' ')
const times = ['2026-01-01T00:00:00Z', '1969-12-31T23:59:59Z', '0001-01-01T00:00:00Z', '2026-06-01T12:00:00+02:00']

/** The names of fields, as `PodSpec.hostname`, that random templates have had. */
export type Coverage = Set<string>

/** Density: the probability of a field. Templates may be invalid for the API server: every type has every value. */
export function randomTemplate(random: RandomStream, density: number, coverage: Coverage): PodTemplateSpec {
  const struct = (shape: StructShape): Record<string, unknown> => {
    const value: Record<string, unknown> = {}
    for (const field of shape.fields.values()) {
      if (random.next() >= density) continue
      coverage.add(fieldId(shape, field.name))
      value[field.name] = random.int(20) === 0 ? null : any(field.shape)
    }
    return value
  }
  const any = (shape: Shape): unknown => {
    switch (shape.is) {
      case 'struct':
        return struct(shape)
      case 'list':
        return Array.from({ length: random.int(3) }, () => any(shape.of))
      case 'map': {
        const names = random.shuffle(keys).slice(0, random.int(4))
        return Object.fromEntries(names.map((key) => [key, any(shape.of)]))
      }
      case 'scalar':
        return scalar(random, shape.kind)
      case 'loose':
        return {}
    }
  }
  return struct(templateShape) as unknown as PodTemplateSpec
}

function scalar(random: RandomStream, kind: ScalarKind): unknown {
  switch (kind) {
    case 'string':
      return random.pick(strings)
    case 'bool':
      return random.int(2) === 0
    case 'int32':
      return random.pick(integers)
    case 'int64':
      return random.pick([...integers, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])
    case 'int-or-string':
      return random.int(2) === 0 ? random.pick(integers) : random.pick(strings)
    case 'quantity':
      return random.pick(quantities)
    case 'time':
      return random.pick(times)
    case 'json':
      return { 'f:spec': { 'k:{"name":"ü"}': {} } }
    default:
      throw new Error(`no value for ${kind}`)
  }
}

const fieldId = (shape: StructShape, field: string): string => `${shape.name}.${field}`

/** Every field that a pod template can have. */
export function allFields(): ReadonlySet<string> {
  const found = new Set<string>()
  const visit = (shape: Shape): void => {
    if (shape.is === 'list' || shape.is === 'map') visit(shape.of)
    if (shape.is !== 'struct') return
    for (const field of shape.fields.values()) {
      const id = fieldId(shape, field.name)
      if (found.has(id)) continue
      found.add(id)
      visit(field.shape)
    }
  }
  visit(templateShape)
  return found
}
