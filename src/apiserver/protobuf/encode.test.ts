import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseGoDuration } from '../../api/go-duration.ts'
import { defaultRelease } from '../../api/releases/release-of.ts'
import type { LooseShape, ScalarShape, Shape, StructShape } from '../../api/schema/shape.ts'
import type { Fields } from '../../base/fields.ts'
import { writeStruct } from './encode.ts'
import { type MessageField, messageOf } from './messages.ts'
import { WireWriter } from './wire.ts'

// A slow model that visits every field of a message, and writes from the start to the end.

function number(value: number | bigint): Buffer {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, BigInt(value))
  for (; rest >= 128n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
  return Buffer.from([...bytes, Number(rest)])
}

const varint = (field: number, value: number | bigint) => Buffer.concat([number(field * 8), number(value)])
const bytes = (field: number, value: Buffer) => Buffer.concat([number(field * 8 + 2), number(value.length), value])
const text = (field: number, value: string) => bytes(field, Buffer.from(value))

function float(field: number, value: number): Buffer {
  const out = Buffer.alloc(8)
  out.writeDoubleLE(value)
  return Buffer.concat([number(field * 8 + 1), out])
}

function scalar(field: number, { kind }: ScalarShape, value: unknown): Buffer {
  switch (kind) {
    case 'string':
      return text(field, String(value))
    case 'bytes':
      return bytes(field, Buffer.from(String(value), 'base64'))
    case 'bool':
      return varint(field, value === true ? 1 : 0)
    case 'int32':
    case 'int64':
      return varint(field, value as number)
    case 'float64':
      return float(field, Number(value))
    case 'quantity':
      return bytes(field, text(1, String(value)))
    case 'json':
      return bytes(field, value === null ? Buffer.alloc(0) : text(1, JSON.stringify(value)))
    case 'time':
      return bytes(field, Buffer.concat([varint(1, Date.parse(String(value)) / 1000), varint(2, 0)]))
    case 'micro-time': {
      const nanos = Number(/\.(\d{6})Z$/.exec(String(value))?.[1]) * 1000
      const seconds = Math.floor(Date.parse(String(value)) / 1000)
      return bytes(field, Buffer.concat([varint(1, seconds), varint(2, nanos)]))
    }
    case 'duration': {
      const parsed = parseGoDuration(String(value))
      return bytes(field, varint(1, parsed.ok ? parsed.value : 0))
    }
    case 'int-or-string': {
      const isText = typeof value === 'string'
      const parts = [varint(1, isText ? 1 : 0), varint(2, isText ? 0 : Number(value)), text(3, isText ? value : '')]
      return bytes(field, Buffer.concat(parts))
    }
  }
}

function absent(field: number, shape: Shape): Buffer {
  if (shape.is === 'struct') return bytes(field, message(shape, {}))
  if (shape.is !== 'scalar') return bytes(field, Buffer.alloc(0))
  switch (shape.kind) {
    case 'time':
    case 'micro-time':
    case 'json':
      return bytes(field, Buffer.alloc(0))
    case 'bytes':
      return Buffer.alloc(0)
    case 'quantity':
      return scalar(field, shape, '0')
    case 'duration':
      return scalar(field, shape, '0s')
    case 'string':
      return scalar(field, shape, '')
    default:
      return scalar(field, shape, 0)
  }
}

function union(field: number, { form, of }: LooseShape, value: unknown): Buffer {
  if (Array.isArray(value)) {
    const parts = value.map((one) => (form === 'strings' ? text(2, one) : bytes(2, message(of, one))))
    return bytes(field, Buffer.concat(parts))
  }
  const object = typeof value === 'object' ? [bytes(form === 'bool' ? 2 : 1, message(of, value as Fields))] : []
  return bytes(field, Buffer.concat([...(form === 'bool' ? [varint(1, value === false ? 0 : 1)] : []), ...object]))
}

function present(field: number, shape: Shape, value: unknown): Buffer {
  if (shape.is === 'scalar') return scalar(field, shape, value)
  if (shape.is === 'loose') return union(field, shape, value)
  if (shape.is === 'struct') return bytes(field, message(shape, value as Fields))
  return bytes(field, Buffer.concat((value as readonly string[]).map((one) => text(1, one))))
}

function fieldBytes(field: MessageField, object: Fields): Buffer {
  const { number: at, shape, repeats, part } = field
  if (part !== undefined) return bytes(at, message(shape as StructShape, object))
  const value = object[field.name] ?? undefined
  if (value === undefined) return field.pointer || repeats !== 'no' ? Buffer.alloc(0) : absent(at, shape)
  if (repeats === 'no') return present(at, shape, value)
  if (repeats === 'list') return Buffer.concat((value as readonly unknown[]).map((one) => present(at, shape, one)))
  const keys = Object.keys(value as Fields).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  const entry = (key: string, one: unknown) =>
    bytes(at, Buffer.concat([text(1, key), one === null ? absent(2, shape) : present(2, shape, one)]))
  return Buffer.concat(keys.map((key) => entry(key, (value as Fields)[key])))
}

const message = (shape: StructShape, object: Fields): Buffer =>
  Buffer.concat(messageOf(shape).fields.map((field) => fieldBytes(field, object)))

const scalars: Readonly<Record<ScalarShape['kind'], fc.Arbitrary<unknown>>> = {
  string: fc.oneof(fc.string(), fc.string({ unit: 'grapheme', minLength: 40, maxLength: 80 })),
  bytes: fc.base64String(),
  bool: fc.boolean(),
  int32: fc.integer(),
  int64: fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
  float64: fc.double({ noNaN: true }),
  quantity: fc.constantFrom('100m', '64Mi', '0'),
  json: fc.jsonValue(),
  time: fc.constantFrom('2026-01-01T00:00:00Z', '1969-12-31T23:59:59Z'),
  'micro-time': fc.constantFrom('2026-01-01T00:00:00.123456Z', '2026-01-01T00:00:00.000000Z'),
  duration: fc.constantFrom('5s', '1h0m0s', '0s'),
  'int-or-string': fc.oneof(fc.nat(), fc.string()),
}

function memberOf(shape: Shape, depth: number): fc.Arbitrary<unknown> {
  switch (shape.is) {
    case 'scalar':
      return scalars[shape.kind]
    case 'list':
      return fc.array(memberOf(shape.of, depth), { maxLength: 3 })
    case 'map':
      return fc.dictionary(fc.string({ unit: 'grapheme' }), memberOf(shape.of, depth), { maxKeys: 3 })
    case 'struct':
      return objectOf(shape, depth - 1)
    case 'loose': {
      const one = objectOf(shape.of, depth - 1)
      if (shape.form === 'bool') return fc.oneof(one, fc.boolean())
      return fc.oneof(one, fc.array<unknown>(shape.form === 'strings' ? fc.string() : one, { maxLength: 2 }))
    }
  }
}

/** An object with some fields of the struct, in any order, and an unknown member. */
function objectOf(shape: StructShape, depth: number): fc.Arbitrary<Fields> {
  if (depth < 0) return fc.constant({})
  const fields = [...shape.fields.values()]
  return fc.shuffledSubarray(fields, { maxLength: Math.min(fields.length, 6) }).chain((some) => {
    const members = some.map((field) => fc.tuple(fc.constant(field.name), fc.option(memberOf(field.shape, depth))))
    return fc.tuple(...members).map((all) => Object.fromEntries([...all, ['noField', 1]]))
  })
}

const types = [
  'core.Pod',
  'core.Node',
  'core.ConfigMap',
  'core.Secret',
  'core.PersistentVolume',
  'apps.Deployment',
  'coordination.Lease',
  'authorization.SubjectAccessReview',
  'apiextensions.CustomResourceDefinition',
]

it.each(types)('encodes %s like a model that visits every field', (id) => {
  const shape = defaultRelease.api.types.get(id) as StructShape
  const writer = new WireWriter()
  fc.assert(
    fc.property(objectOf(shape, 6), (object) => {
      writeStruct(writer, shape, object)
      expect(Buffer.from(writer.take()).toString('hex')).toBe(message(shape, object).toString('hex'))
    }),
    { numRuns: 200 },
  )
})

it('writes an object after one that has no encoding', () => {
  const shape = defaultRelease.api.types.get('core.Pod') as StructShape
  const writer = new WireWriter()
  const pod = { spec: { containers: [{ name: 'a' }] } }
  const broken = { spec: { containers: [{ name: 'a' }], nodeSelector: 1, hostname: { toString: null } } }
  expect(() => writeStruct(writer, shape, broken)).toThrow()
  writer.clear()
  writeStruct(writer, shape, pod)
  expect(Buffer.from(writer.take())).toEqual(message(shape, pod))
})
