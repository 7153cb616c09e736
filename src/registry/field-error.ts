import type { StatusCause } from '../api/objects/meta.ts'
import { failure, splitResource } from '../api/status.ts'

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

/** One thing that is wrong with an object, where it is wrong, and what would be right. */
export interface FieldError {
  readonly reason: FieldErrorReason
  /** As upstream writes paths: `spec.containers[0].name`, `spec.overhead[cpu]`. */
  readonly field: string
  readonly message: string
}

/** A value as Go writes it inside a message: `%q` for text, `%v` for numbers, JSON for the rest (field.Error). */
export function quoteValue(value: unknown): string {
  if (typeof value === 'string') return goQuote(value)
  if (value === undefined || value === null) return 'null'
  return typeof value === 'object' ? goJson(value) : String(value)
}

function goQuote(text: string): string {
  const quoted = JSON.stringify(text)
  // Go has short forms for two more control characters, and writes the others in hexadecimal.
  return quoted.replace(/\\u00([01][0-9a-f])/g, (_, hex: string) =>
    hex === '07' ? '\\a' : hex === '0b' ? '\\v' : `\\x${hex}`,
  )
}

function goJson(value: object): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

const detail = (text: string): string => (text === '' ? '' : `: ${text}`)

export const invalid = (field: string, value: unknown, why: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field,
  message: `Invalid value: ${quoteValue(value)}${detail(why)}`,
})

/** For values that would only be noise in a message. */
export const invalidUnshown = (field: string, why: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field,
  message: `Invalid value${detail(why)}`,
})

export const required = (field: string, why = ''): FieldError => ({
  reason: 'FieldValueRequired',
  field,
  message: `Required value${detail(why)}`,
})

export const duplicate = (field: string, value: unknown, why = ''): FieldError => ({
  reason: 'FieldValueDuplicate',
  field,
  message: `Duplicate value: ${quoteValue(value)}${detail(why)}`,
})

export const forbidden = (field: string, why: string): FieldError => ({
  reason: 'FieldValueForbidden',
  field,
  message: `Forbidden${detail(why)}`,
})

export const missing = (field: string, value: unknown, why = ''): FieldError => ({
  reason: 'FieldValueNotFound',
  field,
  message: `Not found: ${quoteValue(value)}${detail(why)}`,
})

export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const list = supported.map((one) => JSON.stringify(one)).join(', ')
  const why = supported.length === 0 ? '' : `: supported values: ${list}`
  return { reason: 'FieldValueNotSupported', field, message: `Unsupported value: ${quoteValue(value)}${why}` }
}

export const tooLong = (field: string, maxBytes: number): FieldError => ({
  reason: 'FieldValueTooLong',
  field,
  message: `Too long: may not be more than ${maxBytes} ${maxBytes === 1 ? 'byte' : 'bytes'}`,
})

export const tooMany = (field: string, actual: number, max: number): FieldError => ({
  reason: 'FieldValueTooMany',
  field,
  message: `Too many: ${actual}: must have at most ${max} ${max === 1 ? 'item' : 'items'}`,
})

export const typeInvalid = (field: string, value: unknown, why: string): FieldError => ({
  reason: 'FieldValueTypeInvalid',
  field,
  message: `Invalid value: ${quoteValue(value)}${detail(why)}`,
})

export const internalError = (field: string, why: string): FieldError => ({
  reason: 'InternalError',
  field,
  message: `Internal error: ${why}`,
})

/** `Pod "web" is invalid: …`, as apimachinery's errors.NewInvalid words and groups it. */
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
