import type { MutableFields } from '../../base/fields.ts'
import { escapedKeyword, escapeName } from '../../cel/escaping.ts'
import { readTime } from '../../cel/library/conversions.ts'
import {
  Duration,
  EvaluationError,
  type ListOrder,
  ListValue,
  MapValue,
  type ObjectValue,
  Timestamp,
  type Value,
} from '../../cel/value.ts'
import { readDuration } from './formats.ts'
import { asResource } from './rule-types.ts'
import { isMap, itemsOf, type Schema } from './schema.ts'

/** The value of JSON with a schema, for rules. */
export function toValue(json: unknown, schema: Schema | undefined, isResource = false): Value {
  if (json === null || json === undefined) return null
  if (schema === undefined) return plainValue(json)
  if (schema['x-kubernetes-int-or-string'] === true) {
    return typeof json === 'number' || typeof json === 'bigint' ? integerValue(json) : String(json)
  }
  switch (schema.type) {
    case 'array':
      return listValue(json, schema)
    case 'object':
      if (typeof schema.additionalProperties === 'object') return mapValue(json, schema.additionalProperties)
      return isMap(json) ? new JsonObjectValue(json, isResource ? asResource(schema) : schema) : null
    case 'string':
      return textValue(String(json), schema.format)
    case 'integer':
      return integerValue(json)
    case 'number':
      return Number(json)
    case 'boolean':
      return json === true
    default:
      return plainValue(json)
  }
}

const integerValue = (json: unknown): bigint => (typeof json === 'bigint' ? json : BigInt(Math.trunc(Number(json))))

/** A value without a schema: it can only be compared. */
function plainValue(json: unknown): Value {
  if (json === null || json === undefined) return null
  if (Array.isArray(json)) return new ListValue(json.map(plainValue))
  if (isMap(json)) return new JsonObjectValue(json, {})
  if (typeof json === 'bigint') return json
  if (typeof json === 'number') return Number.isInteger(json) ? BigInt(json) : json
  return typeof json === 'boolean' ? json : String(json)
}

function listValue(json: unknown, schema: Schema): Value {
  const items = itemsOf(schema)
  const embedded = items?.['x-kubernetes-embedded-resource'] === true
  const values = Array.isArray(json) ? json.map((one) => toValue(one, items, embedded)) : []
  return new ListValue(values, orderOf(schema))
}

function orderOf(schema: Schema): ListOrder {
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return { kind: 'set' }
    case 'map':
      return { kind: 'map', keys: (schema['x-kubernetes-list-map-keys'] ?? []).map((key) => escapeName(key) ?? key) }
    default:
      return { kind: 'atomic' }
  }
}

function mapValue(json: unknown, values: Schema): Value {
  const embedded = values['x-kubernetes-embedded-resource'] === true
  const entries = isMap(json) ? Object.entries(json) : []
  return MapValue.of(entries.map(([key, value]) => [key, toValue(value, values, embedded)]))
}

function textValue(text: string, format: string | undefined): Value {
  switch (format) {
    case 'byte':
      return Uint8Array.from(Buffer.from(text, 'base64'))
    case 'duration': {
      const nanos = readDuration(text)
      if (nanos === undefined) throw new EvaluationError(`Invalid duration ${text}`)
      return new Duration(nanos)
    }
    case 'date':
      return timeValue(`${text}T00:00:00Z`, format)
    case 'date-time':
      return timeValue(text, format)
    default:
      return text
  }
}

function timeValue(text: string, format: string): Value {
  const nanos = readTime(text)
  if (nanos === undefined) throw new EvaluationError(`Invalid ${format} formatted string`)
  return new Timestamp(nanos)
}

/** A JSON object; only own properties are fields. */
class JsonObjectValue implements ObjectValue {
  readonly isObject = true
  private readonly json: MutableFields
  private readonly schema: Schema
  private readonly read = new Map<string, Value>()
  private names: Map<string, string> | undefined

  constructor(json: MutableFields, schema: Schema) {
    this.json = json
    this.schema = schema
  }

  get size(): number {
    return Object.keys(this.json).length
  }

  /** The properties by their names in expressions. */
  private nameOf(field: string): string | undefined {
    if (this.names === undefined) {
      this.names = new Map()
      for (const name of Object.keys(this.schema.properties ?? {})) {
        const escaped = escapeName(name)
        if (escaped !== undefined) this.names.set(escaped, name)
      }
    }
    return this.names.get(field) ?? this.names.get(escapedKeyword(field) ?? field)
  }

  has(field: string): boolean {
    const name = this.nameOf(field)
    return name !== undefined && Object.hasOwn(this.json, name)
  }

  get(field: string): Value | undefined {
    const name = this.nameOf(field)
    return name === undefined || !Object.hasOwn(this.json, name) ? undefined : this.valueOf(name)
  }

  private valueOf(name: string): Value {
    let value = this.read.get(name)
    if (value === undefined) {
      const properties = this.schema.properties
      const schema = properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined
      value = toValue(this.json[name], schema, schema?.['x-kubernetes-embedded-resource'] === true)
      this.read.set(name, value)
    }
    return value
  }

  *fields(): Iterable<readonly [string, Value]> {
    for (const name of Object.keys(this.json)) yield [name, this.valueOf(name)]
  }
}
