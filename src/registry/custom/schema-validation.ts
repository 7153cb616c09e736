import { deepEqual } from '../../api/equality.ts'
import { encodeJson, isInt64 } from '../../base/exact-json.ts'
import type { MutableFields } from '../../base/fields.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import { MatchBudgetError } from '../../base/regexp/automaton.ts'
import { regularExpression } from '../../base/regexp/regular-expression.ts'
import { PatternError } from '../../base/regexp/syntax.ts'
import {
  duplicate,
  type FieldError,
  fieldError,
  goFloat,
  invalid,
  notSupported,
  report,
  required,
  tooLong,
  tooMany,
  typeInvalid,
  withinErrorBudget,
} from '../errors/field-error.ts'
import type { Correlation } from './correlation.ts'
import { effectiveFormat, hasFormat } from './formats.ts'
import { isMap, itemsOf, propertyOf, type Schema } from './schema.ts'

/**
 * Violations of a schema, with the messages of kube-openapi's validator. Unchanged values are accepted on update
 * (CRDValidationRatcheting, on in v1.36).
 */
export function checkSchema(
  errors: FieldError[],
  value: unknown,
  schema: Schema | undefined,
  path: string,
  before?: Correlation,
): void {
  if (schema === undefined) return
  if (before === undefined) {
    checkValue(errors, value, schema, path, before)
    return
  }
  const found = trial((errors) => checkValue(errors, value, schema, path, before))
  if (found.length > 0 && !before.isSame()) report(errors, found)
}

/** Errors that may be dropped afterwards. */
function trial(check: (errors: FieldError[]) => void): FieldError[] {
  return withinErrorBudget((errors) => {
    check(errors)
    return errors
  })
}

/** Errors that concern no single field have no field. */
const unplaced = (why: string): FieldError => fieldError('FieldValueInvalid', '<nil>', `Invalid value: "": ${why}`)

/** kube-openapi's validators in their order; all of them run, even if one fails. */
function checkValue(
  errors: FieldError[],
  value: unknown,
  schema: Schema,
  path: string,
  before: Correlation | undefined,
): void {
  checkType(errors, value, schema, path)
  if (value === null) {
    checkEnum(errors, value, schema, path)
    return
  }
  checkCombinations(errors, value, schema, path)
  if (typeof value === 'string') checkString(errors, value, schema, path)
  if (typeof value === 'number' || typeof value === 'bigint') checkNumber(errors, value, schema, path)
  if (Array.isArray(value)) checkList(errors, value, schema, path, before)
  checkEnum(errors, value, schema, path)
  if (isMap(value)) checkMap(errors, value, schema, path, before)
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (value === null) return 'null'
  if (typeof value === 'bigint') return 'integer'
  // An integer that is not exact was parsed as a double.
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'integer' : 'number'
  return typeof value
}

const wrongType = (path: string, found: unknown, wanted: string): FieldError =>
  typeInvalid(path, found, `${path} in body must be of type ${wanted}: ${JSON.stringify(found)}`)

/** The name of the format that the value could have. */
const impliedFormats = lookupTable<string>({ integer: 'int64', number: 'float64' })

function checkType(errors: FieldError[], value: unknown, schema: Schema, path: string): void {
  const found = typeName(value)
  const types =
    schema['x-kubernetes-int-or-string'] === true ? ['integer', 'string'] : [schema.type ?? ''].filter(Boolean)
  if (types.length === 0) return
  const fits = types.includes(found) || (found === 'integer' && types.includes('number'))
  if (found === 'null') {
    if (schema.nullable !== true) errors.push(wrongType(path, 'null', types.join(',')))
    return
  }
  const format = effectiveFormat(schema)
  if (format !== undefined && found !== 'string' && found !== 'array' && !fits) {
    errors.push(wrongType(path, impliedFormats[found] ?? '', format))
    return
  }
  const isNumeric = types.includes('number') || types.includes('integer')
  if (format !== undefined && !isNumeric && (found === 'string' || found === 'array')) return
  if (!fits) errors.push(wrongType(path, found, types.join(',')))
}

function checkEnum(errors: FieldError[], value: unknown, schema: Schema, path: string): void {
  if (schema.enum === undefined || schema.enum.length === 0) return
  if (isOneOf(schema.enum, value)) return
  errors.push(
    notSupported(
      path,
      value,
      schema.enum.map((one) => (typeof one === 'string' ? one : encodeJson(one))),
    ),
  )
}

const scalars = new WeakMap<readonly unknown[], ReadonlySet<unknown>>()

/** Whether an enum contains a value. Long enums are looked up by key, because lists may have many elements. */
function isOneOf(values: readonly unknown[], value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return values.some((one) => deepEqual(one, value))
  let known = scalars.get(values)
  if (known === undefined) {
    known = new Set(values)
    scalars.set(values, known)
  }
  return known.has(value)
}

function checkNumber(errors: FieldError[], value: number | bigint, schema: Schema, path: string): void {
  const { minimum, maximum, multipleOf, type } = schema
  const refuse = (why: string): void => {
    errors.push(invalid(path, value, `${path} in body should be ${why}`))
  }
  // Shows a bound in the type of the value.
  const shown = (bound: number): string => (typeName(value) === 'integer' ? String(bound) : goFloat(bound))
  const format = effectiveFormat(schema)
  if (type === 'integer' && !isWithin(value, format)) {
    const of = format === undefined ? '(default format)' : `with format ${format}`
    errors.push(unplaced(`Checked value must be of type integer ${of} in ${path}`))
  }
  if (multipleOf !== undefined) {
    // Integers are compared as integers.
    const isWhole = typeof value === 'bigint' || Number.isSafeInteger(value)
    const factor = isWhole ? Math.trunc(Number(multipleOf)) : multipleOf
    if (factor <= 0) {
      errors.push(invalid(path, factor, `factor MultipleOf declared for ${path} must be positive: ${factor}`))
    } else if (!isMultiple(value, factor)) refuse(`a multiple of ${multipleOf}`)
  }
  if (minimum !== undefined && (schema.exclusiveMinimum === true ? value <= minimum : value < minimum)) {
    refuse(
      schema.exclusiveMinimum === true
        ? `greater than ${shown(minimum)}`
        : `greater than or equal to ${shown(minimum)}`,
    )
  }
  if (maximum !== undefined && (schema.exclusiveMaximum === true ? value >= maximum : value > maximum)) {
    refuse(schema.exclusiveMaximum === true ? `less than ${shown(maximum)}` : `less than or equal to ${shown(maximum)}`)
  }
}

function isMultiple(value: number | bigint, factor: number): boolean {
  return typeof value === 'bigint' ? value % BigInt(factor) === 0n : Number.isSafeInteger(value / factor)
}

function isWithin(value: number | bigint, format: string | undefined): boolean {
  if (typeof value === 'bigint') return format !== 'int32' && isInt64(value)
  return Number.isSafeInteger(value) && (format !== 'int32' || (value >= -(2 ** 31) && value < 2 ** 31))
}

/** The first error of a string, and its format. */
function checkString(errors: FieldError[], value: string, schema: Schema, path: string): void {
  const { maxLength, minLength, pattern } = schema
  const length = [...value].length
  if (maxLength !== undefined && length > maxLength) errors.push(tooLong(path, maxLength))
  else if (minLength !== undefined && length < minLength) {
    errors.push(invalid(path, value, `${path} in body should be at least ${minLength} chars long`))
  } else if (pattern !== undefined && pattern !== '') {
    const why = patternProblem(value, pattern)
    if (why !== undefined) errors.push(invalid(path, value, `${path} in body ${why}`))
  }
  const format = effectiveFormat(schema)
  if (format !== undefined && !hasFormat(value, format)) errors.push(wrongType(path, value, format))
}

/** Definitions with invalid patterns are rejected, so an invalid one comes from another source. */
function patternProblem(value: string, pattern: string): string | undefined {
  try {
    return regularExpression(pattern).test(value) ? undefined : `should match '${pattern}'`
  } catch (error) {
    if (error instanceof PatternError) return undefined
    if (error instanceof MatchBudgetError) return `is too long to match against '${pattern}'`
    throw error
  }
}

function checkList(
  errors: FieldError[],
  value: readonly unknown[],
  schema: Schema,
  path: string,
  before: Correlation | undefined,
): void {
  const items = itemsOf(schema)
  value.forEach((one, i) => {
    checkSchema(errors, one, items, `${path}[${i}]`, before?.index(i))
  })
  if (schema.minItems !== undefined && value.length < schema.minItems) {
    errors.push(invalid(path, value.length, `${path} in body should have at least ${schema.minItems} items`))
  }
  if (schema.maxItems !== undefined && value.length > schema.maxItems) {
    errors.push(tooMany(path, value.length, schema.maxItems))
  }
}

/**
 * Sets have no duplicates, and lists with keys no two elements with the same key (schema/listtype,
 * ValidateListSetsAndMaps).
 */
export function checkListTypes(errors: FieldError[], value: unknown, schema: Schema | undefined, path: string): void {
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

function checkUnique(errors: FieldError[], value: readonly unknown[], schema: Schema, path: string): void {
  const listType = schema['x-kubernetes-list-type']
  if (listType !== 'set' && listType !== 'map') return
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  const seen = new Set<string>()
  value.forEach((one, i) => {
    const named = listType === 'map' && isMap(one) ? Object.fromEntries(keys.map((key) => [key, one[key]])) : one
    const identity = encodeJson(named) ?? ''
    if (seen.has(identity)) errors.push(duplicate(`${path}[${i}]`, named))
    seen.add(identity)
  })
}

function checkMap(
  errors: FieldError[],
  value: MutableFields,
  schema: Schema,
  path: string,
  before: Correlation | undefined,
): void {
  const names = Object.keys(value).filter((name) => value[name] !== undefined)
  if (schema.minProperties !== undefined && names.length < schema.minProperties) {
    errors.push(invalid(path, names.length, `${path} in body should have at least ${schema.minProperties} properties`))
  }
  if (schema.maxProperties !== undefined && names.length > schema.maxProperties) {
    errors.push(tooMany(path, names.length, schema.maxProperties))
  }
  for (const name of names) {
    const at = path === '' ? name : `${path}.${name}`
    checkSchema(errors, value[name], propertyOf(schema, name), at, before?.key(name))
  }
  for (const name of schema.required ?? []) {
    if (!Object.hasOwn(value, name)) errors.push(required(path === '' ? name : `${path}.${name}`))
  }
}

function checkCombinations(errors: FieldError[], value: unknown, schema: Schema, path: string): void {
  const failures = (one: Schema): FieldError[] => trial((found) => checkSchema(found, value, one, path))
  const shown = JSON.stringify(path)
  if (schema.anyOf !== undefined && schema.anyOf.length > 0) {
    const tried = schema.anyOf.map(failures)
    if (tried.every((found) => found.length > 0)) {
      errors.push(unplaced(`${shown} must validate at least one schema (anyOf)`))
      report(errors, tried[0] ?? [])
    }
  }
  if (schema.oneOf !== undefined && schema.oneOf.length > 0) {
    const tried = schema.oneOf.map(failures)
    const valid = tried.filter((found) => found.length === 0).length
    if (valid !== 1) {
      const why = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`
      errors.push(unplaced(`${shown} must validate one and only one schema (oneOf). ${why}`))
      if (valid === 0) report(errors, tried[0] ?? [])
    }
  }
  const all = (schema.allOf ?? []).map(failures)
  const broken = all.filter((found) => found.length > 0)
  if (broken.length > 0) {
    const why = broken.length === all.length ? '. None validated' : ''
    report(errors, broken.flat())
    errors.push(unplaced(`${shown} must validate all the schemas (allOf)${why}`))
  }
  if (schema.not !== undefined && failures(schema.not).length === 0) {
    errors.push(unplaced(`${shown} must not validate the schema (not)`))
  }
}
