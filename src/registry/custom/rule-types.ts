import { bool, type CelType, dyn, listOf, mapOf, simple } from '../../cel/cel-type.ts'
import { escapeName } from '../../cel/escaping.ts'
import { itemsOf, type Schema } from './schema.ts'

/** The types of a schema for rules, with the maximum size of values in one request. */
export interface RuleType {
  readonly type: CelType
  readonly minBytes: number
  /** The maximum number of characters, elements or entries; 0 if not applicable. */
  readonly maxSize: number
  readonly fields?: ReadonlyMap<string, RuleType>
  readonly element?: RuleType
}

const maxRequestBytes = 3 * 1024 * 1024
const maxTextBytes = maxRequestBytes - 2

/** The schema of the root of a resource: apiVersion and kind are visible, and the names in metadata. */
export function asResource(schema: Schema): Schema {
  const text: Schema = { type: 'string' }
  return {
    ...schema,
    properties: {
      ...schema.properties,
      kind: text,
      apiVersion: text,
      metadata: { type: 'object', properties: { name: text, generateName: text } },
    },
  }
}

/**
 * The type of a schema's values; undefined for values without a type, which rules cannot see (v1.36,
 * apiserver/pkg/cel/common, SchemaDeclType).
 */
export function ruleType(schema: Schema, isResource: boolean, name = 'selfType'): RuleType | undefined {
  if (schema['x-kubernetes-int-or-string'] === true) {
    const maxSize = schema.maxLength === undefined ? maxTextBytes : Math.max(0, Number(schema.maxLength)) * 4
    return { type: dyn, minBytes: 1, maxSize }
  }
  const whole = isResource ? asResource(schema) : schema
  switch (whole.type) {
    case 'array':
      return listType(whole, name)
    case 'object':
      return typeof whole.additionalProperties === 'object' ? mapType(whole, name) : objectType(whole, name)
    case 'string':
      return textType(whole)
    case 'boolean':
      return { type: bool, minBytes: 4, maxSize: 0 }
    case 'number':
      return { type: simple('double'), minBytes: 1, maxSize: 0 }
    case 'integer':
      return { type: simple('int'), minBytes: 1, maxSize: 0 }
    default:
      return undefined
  }
}

const isEmbedded = (schema: Schema): boolean => schema['x-kubernetes-embedded-resource'] === true

function listType(schema: Schema, name: string): RuleType | undefined {
  const items = itemsOf(schema)
  const element = items === undefined ? undefined : ruleType(items, isEmbedded(items), `${name}.@idx`)
  if (element === undefined) return undefined
  const maxSize = boundOf(schema.maxItems) ?? Math.floor(maxTextBytes / (element.minBytes + 1))
  return { type: listOf(element.type), minBytes: 2, maxSize: Math.max(0, maxSize), element }
}

function mapType(schema: Schema, name: string): RuleType | undefined {
  const values = schema.additionalProperties as Schema
  const element = ruleType(values, isEmbedded(values), `${name}.@elem`)
  if (element === undefined) return undefined
  const maxSize = boundOf(schema.maxProperties) ?? Math.floor(maxTextBytes / (element.minBytes + 6))
  return { type: mapOf(simple('string'), element.type), minBytes: 2, maxSize: Math.max(0, maxSize), element }
}

function objectType(schema: Schema, name: string): RuleType {
  const fields = new Map<string, RuleType>()
  // `{}`, plus required fields without defaults.
  let minBytes = 2
  for (const [property, inner] of Object.entries(schema.properties ?? {})) {
    const type = ruleType(inner, isEmbedded(inner), `${name}.${property}`)
    if (type === undefined) continue
    const escaped = escapeName(property)
    if (escaped !== undefined) fields.set(escaped, type)
    if (schema.required?.includes(property) === true && inner.default === undefined) {
      minBytes += Buffer.byteLength(property) + type.minBytes + 4
    }
  }
  const types = new Map([...fields].map(([field, { type }]) => [field, type]))
  return { type: { kind: 'object', name, fields: types }, minBytes, maxSize: 0, fields }
}

/** Bounds above 2^53 are bigints, and may be rounded. */
const boundOf = (bound: number | undefined): number | undefined => (bound === undefined ? undefined : Number(bound))

function textType({ format, maxLength, enum: values }: Schema): RuleType {
  switch (format) {
    case 'byte':
      return { type: simple('bytes'), minBytes: 2, maxSize: boundOf(maxLength) ?? maxTextBytes }
    case 'duration':
      return { type: simple('duration'), minBytes: 3, maxSize: 32 }
    case 'date':
      return { type: simple('timestamp'), minBytes: 12, maxSize: 12 }
    case 'date-time':
      return { type: simple('timestamp'), minBytes: 21, maxSize: 32 }
  }
  const lengths = (values ?? []).map((one) => (typeof one === 'string' ? Buffer.byteLength(one) : 0))
  const longest = lengths.length === 0 ? maxTextBytes : Math.max(...lengths)
  return {
    type: simple('string'),
    minBytes: 2,
    maxSize: maxLength === undefined ? longest : Math.max(0, Number(maxLength)) * 4,
  }
}
