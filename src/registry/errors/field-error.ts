import type { StatusCause } from '../../api/objects/meta.ts'
import { failure, splitResource } from '../../api/status.ts'
import { encodeJson } from '../../base/exact-json.ts'
import { lookupTable } from '../../base/lookup-table.ts'

export type FieldErrorReason =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTooFew'
  | 'FieldValueTooShort'
  | 'FieldValueTypeInvalid'
  | 'InternalError'

/** An error of an object: the field, the value, and what is expected. */
export interface FieldError {
  readonly reason: FieldErrorReason
  /** In upstream's form: `spec.containers[0].name`, `spec.overhead[cpu]`. */
  readonly field: string
  readonly message: string
}

/**
 * The maximum size of all errors of one object. Upstream has no limit, and answers a body of 3 MB with hundreds of
 * megabytes.
 */
export const maxErrorText = 256 * 1024

interface Budget {
  left: number
  made: FieldError[] | undefined
}

let budget: Budget | undefined

class TooManyErrors extends Error {}

const moreErrors: FieldError = {
  reason: 'FieldValueInvalid',
  field: '<nil>',
  message: 'Invalid value: null: the object has more errors than are shown; correct these first',
}

/** Runs a check. It ends when its errors exceed the size limit, and returns the errors so far. */
export function withinErrorBudget(check: (errors: FieldError[]) => readonly FieldError[] | undefined): FieldError[] {
  const outer = budget
  const own: Budget = { left: maxErrorText, made: undefined }
  budget = own
  try {
    const errors: FieldError[] = []
    return (check(errors) as FieldError[] | undefined) ?? errors
  } catch (error) {
    if (!(error instanceof TooManyErrors)) throw error
    return [...(own.made ?? []), moreErrors]
  } finally {
    budget = outer
  }
}

/** Adds errors that were found with a separate budget. Errors that are not added do not count. */
export function report(errors: FieldError[], found: readonly FieldError[]): void {
  for (const error of found) {
    spend(error)
    errors.push(error)
  }
}

function spend(error: FieldError): void {
  if (budget === undefined) return
  budget.left -= error.field.length + error.message.length
  if (budget.left < 0) throw new TooManyErrors()
  budget.made ??= []
  budget.made.push(error)
}

/** One error. Every error is created here, so that the budget counts it. */
export function fieldError(reason: FieldErrorReason, field: string, message: string): FieldError {
  const error = { reason, field, message }
  spend(error)
  return error
}

/** A value as Go writes it in a message: `%q` for strings, `%v` for numbers, JSON for the rest (field.Error). */
export function quoteValue(value: unknown): string {
  if (typeof value === 'string') return goQuote(value)
  if (value === undefined || value === null) return 'null'
  if (typeof value === 'number' && !Number.isSafeInteger(value)) return goFloat(value)
  return typeof value === 'object' ? goJson(value) : String(value)
}

/** `%v` of a float64: with an exponent from a million on. */
export function goFloat(value: number): string {
  const size = Math.abs(value)
  if (size === 0 || (size < 1e6 && size >= 1e-4)) return String(value)
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2')
}

function goQuote(text: string): string {
  return `"${text.replace(/["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, escaped)}"`
}

const shortEscapes = lookupTable<string>({
  '"': '\\"',
  '\\': '\\\\',
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
})

function escaped(char: string): string {
  const code = char.codePointAt(0)!
  if (code > 0xffff) return `\\U${hexOf(code, 8)}`
  return asciiEscapes[code] ?? `\\u${hexOf(code, 4)}`
}

const hexOf = (code: number, digits: number): string => code.toString(16).padStart(digits, '0')

const asciiEscapes = Array.from({ length: 0x80 }, (_, code) => {
  return shortEscapes[String.fromCharCode(code)] ?? `\\x${hexOf(code, 2)}`
})

/** Go's unicode.IsPrint. */
export const isPrintable = (char: string): boolean => /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(char)

function goJson(value: object): string {
  return encodeJson(value).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

const detail = (text: string): string => (text === '' ? '' : `: ${text}`)

export const invalid = (field: string, value: unknown, why: string): FieldError =>
  fieldError('FieldValueInvalid', field, `Invalid value: ${quoteValue(value)}${detail(why)}`)

/** For values that are not useful in a message. */
export const invalidUnshown = (field: string, why: string): FieldError =>
  fieldError('FieldValueInvalid', field, `Invalid value${detail(why)}`)

export const required = (field: string, why = ''): FieldError =>
  fieldError('FieldValueRequired', field, `Required value${detail(why)}`)

export const duplicate = (field: string, value: unknown, why = ''): FieldError =>
  fieldError('FieldValueDuplicate', field, `Duplicate value: ${quoteValue(value)}${detail(why)}`)

export const forbidden = (field: string, why: string): FieldError =>
  fieldError('FieldValueForbidden', field, `Forbidden${detail(why)}`)

export const missing = (field: string, value: unknown, why = ''): FieldError =>
  fieldError('FieldValueNotFound', field, `Not found: ${quoteValue(value)}${detail(why)}`)

export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const list = supported.map((one) => JSON.stringify(one)).join(', ')
  const why = supported.length === 0 ? '' : `: supported values: ${list}`
  return fieldError('FieldValueNotSupported', field, `Unsupported value: ${quoteValue(value)}${why}`)
}

export const tooLong = (field: string, max: number, unit: 'byte' | 'character' = 'byte'): FieldError =>
  fieldError('FieldValueTooLong', field, `Too long: may not be more than ${max} ${max === 1 ? unit : `${unit}s`}`)

export const tooMany = (field: string, actual: number, max: number): FieldError =>
  fieldError(
    'FieldValueTooMany',
    field,
    `Too many: ${actual}: must have at most ${max} ${max === 1 ? 'item' : 'items'}`,
  )

export const typeInvalid = (field: string, value: unknown, why: string): FieldError =>
  fieldError('FieldValueTypeInvalid', field, `Invalid value: ${quoteValue(value)}${detail(why)}`)

export const internalError = (field: string, why: string): FieldError =>
  fieldError('InternalError', field, `Internal error: ${why}`)

/** `Pod "web" is invalid: …`, with the text and order of apimachinery's errors.NewInvalid. */
export function invalidObject(kind: string, resource: string, name: string, errors: readonly FieldError[]) {
  const { group } = splitResource(resource)
  const seen = new Set<string>()
  const texts: string[] = []
  for (const error of errors) {
    const text = `${error.field}: ${error.message}`
    if (seen.has(text)) continue
    seen.add(text)
    texts.push(text)
  }
  const all = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`
  const causes: readonly StatusCause[] = errors.map(({ reason, field, message }) => ({ reason, message, field }))
  return failure(
    'Invalid',
    `${kind}${group === '' ? '' : `.${group}`} ${JSON.stringify(name)} is invalid${texts.length === 0 ? '' : `: ${all}`}`,
    {
      ...(name === '' ? {} : { name }),
      ...(group === '' ? {} : { group }),
      ...(kind === '' ? {} : { kind }),
      causes,
    },
  )
}
