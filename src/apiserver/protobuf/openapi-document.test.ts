import { expect, it } from 'vitest'
import { encodeOpenApiDocument } from './openapi-document.ts'
import { delimited, fixed64, WireReader } from './wire.ts'

/** Fields by number: nested messages as paths such as `9.1.2`. */
function fieldsAt(bytes: Uint8Array, path: readonly number[]): readonly unknown[] {
  const found: unknown[] = []
  const [first, ...rest] = path
  const reader = new WireReader(bytes)
  while (reader.next()) {
    const { number, wire } = reader
    const value = wire === delimited ? reader.data() : wire === fixed64 ? reader.float() : reader.integer()
    if (number !== first) continue
    if (rest.length === 0) found.push(value instanceof Uint8Array ? new TextDecoder().decode(value) : value)
    else found.push(...fieldsAt(value as Uint8Array, rest))
  }
  return found
}

it('encodes definitions with nested schemas, constraints and extensions as gnostic does', () => {
  const bytes = encodeOpenApiDocument('v1.36.4', {
    'com.example.v1.Widget': {
      type: 'object',
      required: ['spec', 'kind'],
      properties: {
        spec: { $ref: '#/definitions/Spec', description: 'what is wanted' },
        sizes: { type: 'array', maxItems: 3, items: { type: 'integer', minimum: 0.5, enum: [1, 2] } },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
      },
      'x-kubernetes-group-version-kind': [{ group: 'example.com', version: 'v1', kind: 'Widget' }],
    },
    Spec: { type: 'object', additionalProperties: false },
  })
  const schema = [9, 1, 2]
  expect(fieldsAt(bytes, [1])).toEqual(['2.0'])
  expect(fieldsAt(bytes, [2, 2])).toEqual(['v1.36.4'])
  expect(fieldsAt(bytes, [9, 1, 1])).toEqual(['com.example.v1.Widget', 'Spec'])
  expect(fieldsAt(bytes, [...schema, 22, 1])).toEqual(['object', 'object'])
  expect(fieldsAt(bytes, [...schema, 19])).toEqual(['spec', 'kind'])
  expect(fieldsAt(bytes, [...schema, 25, 1, 1])).toEqual(['spec', 'sizes', 'labels'])
  const property = [...schema, 25, 1, 2]
  expect(fieldsAt(bytes, [...property, 1])).toEqual(['#/definitions/Spec'])
  expect(fieldsAt(bytes, [...property, 4])).toEqual(['what is wanted'])
  expect(fieldsAt(bytes, [...property, 14])).toEqual([3])
  expect(fieldsAt(bytes, [...property, 23, 1, 9])).toEqual([0.5])
  expect(fieldsAt(bytes, [...property, 23, 1, 20, 2])).toEqual(['1\n', '2\n'])
  expect(fieldsAt(bytes, [...property, 21, 1, 22, 1])).toEqual(['string'])
  expect(fieldsAt(bytes, [...schema, 21, 2])).toEqual([0])
  expect(fieldsAt(bytes, [...schema, 31, 1])).toEqual(['x-kubernetes-group-version-kind'])
  expect(fieldsAt(bytes, [...schema, 31, 2, 2])).toEqual(['[{"group":"example.com","version":"v1","kind":"Widget"}]\n'])
})
