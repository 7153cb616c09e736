import { deepEqual } from '../../api/equality.ts'
import { parseTime } from '../../api/time.ts'
import { PatternError } from '../cel/re2/pattern.ts'
import { regularExpression } from '../cel/re2/regular-expression.ts'
import {
  duplicate,
  type FieldError,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from '../field-error.ts'
import type { Correlation } from './correlation.ts'
import { isMap, itemsOf, type JsonMap, propertyOf, type Schema } from './schema.ts'

type Errors = FieldError[]

/**
 * What a value breaks of its schema, in the words of kube-openapi's validator. What is as it was before an update is let
 * through (CRDValidationRatcheting, on in v1.36).
 */
export function checkSchema(
  errors: Errors,
  value: unknown,
  schema: Schema | undefined,
  path: string,
  before?: Correlation,
): void {
  if (schema === undefined) return
  const found: Errors = []
  checkValue(found, value, schema, path, before)
  if (found.length > 0 && before?.isSame() !== true) errors.push(...found)
}

function checkValue(
  errors: Errors,
  value: unknown,
  schema: Schema,
  path: string,
  before: Correlation | undefined,
): void {
  if (value === null) {
    if (schema.nullable !== true && schema.type !== undefined) errors.push(wrongType(path, 'null', schema.type))
    return
  }
  if (!checkType(errors, value, schema, path)) return
  checkEnum(errors, value, schema, path)
  if (typeof value === 'number') checkNumber(errors, value, schema, path)
  else if (typeof value === 'string') checkString(errors, value, schema, path)
  else if (Array.isArray(value)) checkList(errors, value, schema, path, before)
  else if (isMap(value)) checkMap(errors, value, schema, path, before)
  checkCombinations(errors, value, schema, path)
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}

const wrongType = (path: string, found: string, wanted: string): FieldError =>
  typeInvalid(path, found, `${path} in body must be of type ${wanted}: ${JSON.stringify(found)}`)

function checkType(errors: Errors, value: unknown, schema: Schema, path: string): boolean {
  const found = typeName(value)
  if (schema['x-kubernetes-int-or-string'] === true) {
    if (found === 'integer' || found === 'string') return true
    errors.push(wrongType(path, found, 'integer,string'))
    return false
  }
  const { type } = schema
  if (type === undefined || type === '' || type === found || (type === 'number' && found === 'integer')) return true
  errors.push(wrongType(path, found, type))
  return false
}

function checkEnum(errors: Errors, value: unknown, schema: Schema, path: string): void {
  if (schema.enum === undefined || schema.enum.length === 0) return
  if (schema.enum.some((one) => deepEqual(one, value))) return
  errors.push(
    notSupported(
      path,
      value,
      schema.enum.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))),
    ),
  )
}

function checkNumber(errors: Errors, value: number, schema: Schema, path: string): void {
  const { minimum, maximum, multipleOf } = schema
  const refuse = (why: string): void => {
    errors.push(invalid(path, value, `${path} in body should be ${why}`))
  }
  if (maximum !== undefined) {
    if (schema.exclusiveMaximum === true ? value >= maximum : value > maximum) {
      refuse(schema.exclusiveMaximum === true ? `less than ${maximum}` : `less than or equal to ${maximum}`)
    }
  }
  if (minimum !== undefined) {
    if (schema.exclusiveMinimum === true ? value <= minimum : value < minimum) {
      refuse(schema.exclusiveMinimum === true ? `greater than ${minimum}` : `greater than or equal to ${minimum}`)
    }
  }
  if (multipleOf !== undefined && multipleOf > 0 && !Number.isInteger(value / multipleOf)) {
    refuse(`a multiple of ${multipleOf}`)
  }
  const bounds = integerBounds[schema.format ?? '']
  if (bounds !== undefined && (value < -bounds || value > bounds - 1)) {
    const why = `Checked value must be of type ${schema.type ?? ''} with format ${schema.format} in body`
    errors.push(invalid(path, value, `${path} in body must be of type ${schema.format}: ${why}`))
  }
}

const integerBounds: Readonly<Record<string, number>> = { int32: 2 ** 31 }

function checkString(errors: Errors, value: string, schema: Schema, path: string): void {
  const length = [...value].length
  if (schema.maxLength !== undefined && length > schema.maxLength) errors.push(tooLong(path, schema.maxLength))
  if (schema.minLength !== undefined && length < schema.minLength) {
    errors.push(invalid(path, value, `${path} in body should be at least ${schema.minLength} chars long`))
  }
  if (schema.pattern !== undefined && !matchesPattern(value, schema.pattern)) {
    errors.push(invalid(path, value, `${path} in body should match '${schema.pattern}'`))
  }
  const format = schema.format === undefined ? undefined : formats[schema.format]
  if (format !== undefined && !format(value)) {
    errors.push(invalid(path, value, `${path} in body must be of type ${schema.format}: ${JSON.stringify(value)}`))
  }
}

/** Definitions are refused whose patterns cannot be read, so one that cannot is from elsewhere. */
function matchesPattern(value: string, pattern: string): boolean {
  try {
    return regularExpression(pattern).test(value)
  } catch (error) {
    if (error instanceof PatternError) return true
    throw error
  }
}

const formats: Readonly<Record<string, (value: string) => boolean>> = {
  'date-time': (value) => parseTime(value) !== undefined,
  date: (value) => /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value)),
  uuid: (value) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(value),
  ipv4: (value) => /^(\d{1,3})(\.\d{1,3}){3}$/.test(value) && value.split('.').every((part) => Number(part) < 256),
  email: (value) => /^[^@\s]+@[^@\s]+$/.test(value),
  byte: (value) => /^[A-Za-z0-9+/]*={0,2}$/.test(value),
}

function checkList(
  errors: Errors,
  value: readonly unknown[],
  schema: Schema,
  path: string,
  before: Correlation | undefined,
): void {
  if (schema.maxItems !== undefined && value.length > schema.maxItems) {
    errors.push(tooMany(path, value.length, schema.maxItems))
  }
  if (schema.minItems !== undefined && value.length < schema.minItems) {
    errors.push(invalid(path, value.length, `${path} in body should have at least ${schema.minItems} items`))
  }
  const items = itemsOf(schema)
  value.forEach((one, i) => {
    checkSchema(errors, one, items, `${path}[${i}]`, before?.index(i))
  })
}

/** Sets hold nothing twice, and lists with keys no two elements of the same (schema/listtype, ValidateListSetsAndMaps). */
export function checkListTypes(errors: Errors, value: unknown, schema: Schema | undefined, path: string): void {
  if (schema === undefined) return
  if (Array.isArray(value)) {
    checkUnique(errors, value, schema, path)
    const items = itemsOf(schema)
    value.forEach((one, i) => {
      checkListTypes(errors, one, items, `${path}[${i}]`)
    })
  } else if (isMap(value)) {
    const isNamed = schema.properties !== undefined
    for (const name of Object.keys(value)) {
      const at = isNamed ? (path === '' ? name : `${path}.${name}`) : `${path}[${name}]`
      checkListTypes(errors, value[name], propertyOf(schema, name), at)
    }
  }
}

function checkUnique(errors: Errors, value: readonly unknown[], schema: Schema, path: string): void {
  const listType = schema['x-kubernetes-list-type']
  if (listType !== 'set' && listType !== 'map') return
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  const seen = new Set<string>()
  value.forEach((one, i) => {
    const named = listType === 'map' && isMap(one) ? Object.fromEntries(keys.map((key) => [key, one[key]])) : one
    const identity = JSON.stringify(named) ?? ''
    if (seen.has(identity)) errors.push(duplicate(`${path}[${i}]`, named))
    seen.add(identity)
  })
}

function checkMap(errors: Errors, value: JsonMap, schema: Schema, path: string, before: Correlation | undefined): void {
  const names = Object.keys(value).filter((name) => value[name] !== undefined)
  if (schema.maxProperties !== undefined && names.length > schema.maxProperties) {
    errors.push(tooMany(path, names.length, schema.maxProperties))
  }
  if (schema.minProperties !== undefined && names.length < schema.minProperties) {
    errors.push(invalid(path, names.length, `${path} in body should have at least ${schema.minProperties} properties`))
  }
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(value, name)) errors.push(required(path === '' ? name : `${path}.${name}`))
  }
  for (const name of names) {
    checkSchema(
      errors,
      value[name],
      propertyOf(schema, name),
      path === '' ? name : `${path}.${name}`,
      before?.key(name),
    )
  }
}

function checkCombinations(errors: Errors, value: unknown, schema: Schema, path: string): void {
  const holds = (one: Schema): boolean => {
    const found: Errors = []
    checkSchema(found, value, one, path)
    return found.length === 0
  }
  for (const one of schema.allOf ?? []) checkSchema(errors, value, one, path)
  if (schema.anyOf !== undefined && schema.anyOf.length > 0 && !schema.anyOf.some(holds)) {
    errors.push(invalid(path, value, `${JSON.stringify(path)} must validate at least one schema (anyOf)`))
  }
  if (schema.oneOf !== undefined && schema.oneOf.length > 0) {
    const found = schema.oneOf.filter(holds).length
    if (found !== 1) {
      const why = found === 0 ? 'Found none valid' : `Found ${found} valid alternatives`
      errors.push(invalid(path, value, `${JSON.stringify(path)} must validate one and only one schema (oneOf). ${why}`))
    }
  }
  if (schema.not !== undefined && holds(schema.not)) {
    errors.push(invalid(path, value, `${JSON.stringify(path)} must not validate the schema (not)`))
  }
}
