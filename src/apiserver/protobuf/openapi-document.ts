import { lookupTable } from '../../base/lookup-table.ts'
import { fixed64, varint, WireWriter } from './wire.ts'

type Schema = Readonly<Record<string, unknown>>

type FieldForm = 'text' | 'texts' | 'float' | 'integer' | 'flag' | 'any' | 'anys' | 'schemas'

/** The fields of openapi.v2.Schema of gnostic-models with a simple form. */
const fields = lookupTable<readonly [number: number, form: FieldForm]>({
  $ref: [1, 'text'],
  format: [2, 'text'],
  title: [3, 'text'],
  description: [4, 'text'],
  default: [5, 'any'],
  multipleOf: [6, 'float'],
  maximum: [7, 'float'],
  exclusiveMaximum: [8, 'flag'],
  minimum: [9, 'float'],
  exclusiveMinimum: [10, 'flag'],
  maxLength: [11, 'integer'],
  minLength: [12, 'integer'],
  pattern: [13, 'text'],
  maxItems: [14, 'integer'],
  minItems: [15, 'integer'],
  uniqueItems: [16, 'flag'],
  maxProperties: [17, 'integer'],
  minProperties: [18, 'integer'],
  required: [19, 'texts'],
  enum: [20, 'anys'],
  allOf: [24, 'schemas'],
  example: [30, 'any'],
})

/** The message Document of gnostic's OpenAPI 2 with definitions and without paths. */
export function encodeOpenApiDocument(version: string, definitions: Readonly<Record<string, Schema>>): Uint8Array {
  const to = new WireWriter()
  message(to, 9, () => namedSchemas(to, definitions))
  message(to, 8, () => {})
  message(to, 2, () => {
    text(to, 2, version)
    text(to, 1, 'Kubernetes')
  })
  text(to, 1, '2.0')
  return to.take()
}

// Messages are written from their end to their start, so the last field comes first.

function message(to: WireWriter, number: number, write: () => void): void {
  const from = to.length
  write()
  to.enclose(number, from)
}

function text(to: WireWriter, number: number, value: string): void {
  message(to, number, () => to.text(value))
}

/** A value as YAML, of which JSON is a part. */
function any(to: WireWriter, number: number, value: unknown): void {
  message(to, number, () => text(to, 2, `${JSON.stringify(value)}\n`))
}

function reversed(values: unknown, write: (value: unknown) => void): void {
  if (Array.isArray(values)) for (let i = values.length - 1; i >= 0; i--) write(values[i])
}

/** Definitions and Properties: additional_properties = 1, each with name = 1 and value = 2. */
function namedSchemas(to: WireWriter, schemas: Readonly<Record<string, Schema>>): void {
  reversed(Object.keys(schemas), (name) => {
    message(to, 1, () => {
      message(to, 2, () => writeSchema(to, schemas[name as string] as Schema))
      text(to, 1, name as string)
    })
  })
}

function writeSchema(to: WireWriter, schema: Schema): void {
  const { type, items, properties, additionalProperties } = schema
  reversed(Object.keys(schema), (name) => {
    if (!(name as string).startsWith('x-')) return
    message(to, 31, () => {
      any(to, 2, schema[name as string])
      text(to, 1, name as string)
    })
  })
  if (properties !== undefined) message(to, 25, () => namedSchemas(to, properties as Readonly<Record<string, Schema>>))
  if (items !== undefined) message(to, 23, () => message(to, 1, () => writeSchema(to, items as Schema)))
  if (type !== undefined) message(to, 22, () => text(to, 1, String(type)))
  if (typeof additionalProperties === 'boolean') message(to, 21, () => flag(to, 2, additionalProperties))
  else if (additionalProperties !== undefined) {
    message(to, 21, () => message(to, 1, () => writeSchema(to, additionalProperties as Schema)))
  }
  for (const name of Object.keys(schema)) {
    const field = fields[name]
    if (field !== undefined) writers[field[1]](to, field[0], schema[name])
  }
}

const writers: Readonly<Record<FieldForm, (to: WireWriter, number: number, value: unknown) => void>> = {
  text: (to, number, value) => text(to, number, String(value)),
  texts: (to, number, value) => reversed(value, (one) => text(to, number, String(one))),
  any,
  anys: (to, number, value) => reversed(value, (one) => any(to, number, one)),
  schemas: (to, number, value) => reversed(value, (one) => message(to, number, () => writeSchema(to, one as Schema))),
  flag: (to, number, value) => flag(to, number, value === true),
  integer: (to, number, value) => {
    to.varint(value as number | bigint)
    to.key(number, varint)
  },
  float: (to, number, value) => {
    to.float(Number(value))
    to.key(number, fixed64)
  },
}

function flag(to: WireWriter, number: number, value: boolean): void {
  to.varint(value ? 1 : 0)
  to.key(number, varint)
}
