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

/** A value as Go's `%q` or `%v` writes it inside a message (apimachinery field.Error). */
export function quoteValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (value === undefined || value === null) return 'null'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const detail = (text: string): string => (text === '' ? '' : `: ${text}`)

export const invalid = (field: string, value: unknown, why: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field,
  message: `Invalid value: ${quoteValue(value)}${detail(why)}`,
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

export const missing = (field: string, value: unknown): FieldError => ({
  reason: 'FieldValueNotFound',
  field,
  message: `Not found: ${quoteValue(value)}`,
})

export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const list = supported.map((one) => JSON.stringify(one)).join(', ')
  const why = supported.length === 0 ? '' : `: supported values: ${list}`
  return { reason: 'FieldValueNotSupported', field, message: `Unsupported value: ${quoteValue(value)}${why}` }
}

export const tooLong = (field: string, maxBytes: number): FieldError => ({
  reason: 'FieldValueTooLong',
  field,
  message: maxBytes >= 0 ? `Too long: may not be more than ${maxBytes} bytes` : 'Too long: value is too long',
})

export const tooMany = (field: string, actual: number, max: number): FieldError => ({
  reason: 'FieldValueTooMany',
  field,
  message: `Too many: ${actual}: must have at most ${max} items`,
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
      name,
      ...(group === '' ? {} : { group }),
      kind,
      causes,
    },
  )
}
