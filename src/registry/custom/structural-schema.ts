import { regularExpression } from '../../base/regexp/regular-expression.ts'
import { PatternError } from '../../base/regexp/syntax.ts'
import { type FieldError, forbidden, invalid, required } from '../errors/field-error.ts'
import { itemsOf, type Schema } from './schema.ts'

type SchemaLevel = 'root' | 'item' | 'field'

const maxDepth = 500

/**
 * A structural schema defines the type of every value outside of allOf, anyOf, oneOf and not (v1.36,
 * apiextensions-apiserver schema, ValidateStructural).
 */
export function checkStructural(schema: Schema, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  checkNode(errors, schema, 'root', path, 0)
  checkComplete(errors, schema, schema, path, path)
  const text = ({ field, message }: FieldError): string => `${field}: ${message}`
  return errors.sort((a, b) => (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0))
}

const flagged = (schema: Schema, name: keyof Schema): boolean => schema[name] === true
const valuesOf = ({ additionalProperties }: Schema): Schema | undefined =>
  typeof additionalProperties === 'object' ? additionalProperties : undefined
const propertiesOf = ({ properties }: Schema): readonly (readonly [string, Schema])[] =>
  Object.entries(properties ?? {})

function checkNode(errors: FieldError[], schema: Schema, level: SchemaLevel, path: string, depth: number): void {
  if (depth > maxDepth) {
    errors.push(forbidden(path, 'the schema is nested too deeply'))
    return
  }
  const items = itemsOf(schema)
  if (schema.type === 'array' && items === undefined) errors.push(required(`${path}.items`, 'must be specified'))
  if (items !== undefined) checkNode(errors, items, 'item', `${path}.items`, depth + 1)
  for (const [name, property] of propertiesOf(schema)) {
    checkNode(errors, property, 'field', `${path}.properties[${name}]`, depth + 1)
  }
  if (schema.additionalProperties !== undefined) {
    if (level === 'root') errors.push(forbidden(`${path}.additionalProperties`, 'must not be used at the root'))
    const values = valuesOf(schema)
    if (values !== undefined) checkNode(errors, values, 'field', `${path}.additionalProperties`, depth + 1)
  }
  checkExtensions(errors, schema, path)
  checkValues(errors, schema, path, isIntOrString(schema.anyOf), isIntOrString(schema.allOf?.[0]?.anyOf))
  checkType(errors, schema, level, path)
  checkIdentity(errors, schema, level, path)
}

function checkExtensions(errors: FieldError[], schema: Schema, path: string): void {
  if (!flagged(schema, 'x-kubernetes-int-or-string')) return
  for (const name of ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const) {
    if (flagged(schema, name)) {
      errors.push(invalid(`${path}.${name}`, true, 'must be false if x-kubernetes-int-or-string is true'))
    }
  }
}

const emptyType: Readonly<Record<SchemaLevel, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
}

function checkType(errors: FieldError[], schema: Schema, level: SchemaLevel, path: string): void {
  const { type = '' } = schema
  const at = `${path}.type`
  const isEmbedded = flagged(schema, 'x-kubernetes-embedded-resource')
  const isLoose =
    flagged(schema, 'x-kubernetes-int-or-string') || flagged(schema, 'x-kubernetes-preserve-unknown-fields')
  if (isEmbedded && type !== 'object') {
    const why = 'must be object if x-kubernetes-embedded-resource is true'
    errors.push(type === '' ? required(at, why) : invalid(at, type, why))
  } else if (type === '' && !isLoose) errors.push(required(at, emptyType[level]))
  if (isEmbedded && schema.additionalProperties !== undefined) {
    const why = 'must not be used if x-kubernetes-embedded-resource is set'
    errors.push(forbidden(`${path}.additionalProperties`, why))
  }
  if (level === 'root' && type !== '' && type !== 'object') {
    errors.push(invalid(at, type, 'must be object at the root'))
  }
}

function checkIdentity(errors: FieldError[], schema: Schema, level: SchemaLevel, path: string): void {
  const isEmbedded = flagged(schema, 'x-kubernetes-embedded-resource')
  const isResource = level === 'root' || isEmbedded
  const { properties = {} } = schema
  for (const name of ['kind', 'apiVersion']) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (isResource && property !== undefined && property.type !== 'string') {
      errors.push(invalid(`${path}.properties[${name}].type`, property.type ?? '', 'must be string'))
    }
  }
  const metadata = Object.hasOwn(properties, 'metadata') ? properties['metadata'] : undefined
  if (metadata !== undefined && isResource) {
    const at = `${path}.properties[metadata]`
    if (metadata.type !== 'object') errors.push(invalid(`${at}.type`, metadata.type ?? '', 'must be object'))
    if (level === 'root' && !isNamesOnly(metadata)) {
      const why = 'must not specify anything other than name and generateName, but metadata is implicitly specified'
      errors.push(forbidden(at, why))
    }
  }
  const preserves = flagged(schema, 'x-kubernetes-preserve-unknown-fields')
  if (isEmbedded && !preserves && Object.keys(properties).length === 0) {
    const why =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields'
    errors.push(required(`${path}.properties`, why))
  }
}

function isNamesOnly({ type: _, default: __, properties = {}, ...rest }: Schema): boolean {
  const names = Object.keys(properties)
  return Object.keys(rest).length === 0 && names.every((name) => name === 'name' || name === 'generateName')
}

/** `anyOf: [{type: integer}, {type: string}]`, the only allowed form of types inside anyOf. */
function isIntOrString(options: readonly Schema[] | undefined): boolean {
  return JSON.stringify(options) === '[{"type":"integer"},{"type":"string"}]'
}

function checkValues(
  errors: FieldError[],
  schema: Schema,
  path: string,
  skipsAnyOf: boolean,
  skipsAllOfAnyOf: boolean,
): void {
  if (!skipsAnyOf) {
    schema.anyOf?.forEach((one, i) => {
      checkNested(errors, one, `${path}.anyOf[${i}]`)
    })
  }
  schema.allOf?.forEach((one, i) => {
    checkNested(errors, one, `${path}.allOf[${i}]`, skipsAllOfAnyOf && i === 0)
  })
  schema.oneOf?.forEach((one, i) => {
    checkNested(errors, one, `${path}.oneOf[${i}]`)
  })
  if (schema.not !== undefined) checkNested(errors, schema.not, `${path}.not`)
  if (schema.pattern === undefined || schema.pattern === '') return
  try {
    regularExpression(schema.pattern)
  } catch (error) {
    if (!(error instanceof PatternError)) throw error
    const why = `must be a valid regular expression, but isn't: ${error.message}`
    errors.push(invalid(`${path}.pattern`, schema.pattern, why))
  }
}

const forbiddenWhen: readonly (readonly [keyof Schema | 'title', (value: unknown) => boolean, string])[] = [
  ['type', (value) => value !== undefined && value !== '', 'must be empty to be structural'],
  ['additionalProperties', (value) => value !== undefined, 'must be undefined to be structural'],
  ['default', (value) => value !== undefined, 'must be undefined to be structural'],
  ['title', (value) => value !== undefined && value !== '', 'must be empty to be structural'],
  ['description', (value) => value !== undefined && value !== '', 'must be empty to be structural'],
  ['nullable', (value) => value === true, 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', (value) => value === true, 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', (value) => value === true, 'must be false to be structural'],
  ['x-kubernetes-int-or-string', (value) => value === true, 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', (value) => Array.isArray(value) && value.length > 0, 'must be empty to be structural'],
  ['x-kubernetes-list-type', (value) => value !== undefined, 'must be undefined to be structural'],
  ['x-kubernetes-map-type', (value) => value !== undefined, 'must be undefined to be structural'],
  ['x-kubernetes-validations', (value) => Array.isArray(value) && value.length > 0, 'must be empty to be structural'],
]

function checkNested(errors: FieldError[], schema: Schema, path: string, skipsAnyOf = false): void {
  checkValues(errors, schema, path, skipsAnyOf, false)
  const items = itemsOf(schema)
  if (items !== undefined) checkNested(errors, items, `${path}.items`)
  for (const [name, property] of propertiesOf(schema)) checkNested(errors, property, `${path}.properties[${name}]`)
  for (const [name, isWrong, why] of forbiddenWhen) {
    if (isWrong((schema as Readonly<Record<string, unknown>>)[name])) errors.push(forbidden(`${path}.${name}`, why))
  }
  if (Object.hasOwn(schema.properties ?? {}, 'metadata')) {
    errors.push(forbidden(`${path}.properties[metadata]`, 'must not be specified in a nested context'))
  }
}

/** Fields inside allOf, anyOf, oneOf and not must exist outside of them, too. */
function checkComplete(
  errors: FieldError[],
  said: Schema,
  node: Schema | undefined,
  path: string,
  saidAt: string,
): void {
  if (node === undefined) {
    errors.push(required(path, `because it is defined in ${saidAt}`))
    return
  }
  const nested: [Schema, string][] = [
    ...(said.not === undefined ? [] : ([[said.not, `${saidAt}.not`]] as [Schema, string][])),
    ...(['allOf', 'anyOf', 'oneOf'] as const).flatMap((name) =>
      (said[name] ?? []).map((one, i): [Schema, string] => [one, `${saidAt}.${name}[${i}]`]),
    ),
  ]
  for (const [one, at] of nested) {
    checkComplete(errors, one, node, path, at)
    const items = itemsOf(one)
    if (items !== undefined) checkComplete(errors, items, itemsOf(node), `${path}.items`, `${at}.items`)
    completeProperties(errors, one, node, path, at)
  }
}

function completeProperties(errors: FieldError[], said: Schema, node: Schema, path: string, saidAt: string): void {
  for (const [name, property] of propertiesOf(said)) {
    const found = Object.hasOwn(node.properties ?? {}, name) ? node.properties?.[name] : undefined
    const [at, from] = [`${path}.properties[${name}]`, `${saidAt}.properties[${name}]`]
    checkComplete(errors, property, found, at, from)
    if (found === undefined) continue
    completeProperties(errors, property, found, at, from)
    const items = itemsOf(property)
    if (items !== undefined) checkComplete(errors, items, itemsOf(found), `${at}.items`, `${from}.items`)
  }
}
