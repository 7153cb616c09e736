import { editDistance } from '../base/edit-distance.ts'
import type { Fields } from '../base/fields.ts'
import { parseGoDurationMs } from './go-duration.ts'
import type { JsonObject } from './objects/meta.ts'

/** An invalid field of a document. The message has its path and the expected value. */
export class WrongField extends Error {
  override readonly name = 'WrongField'

  constructor(path: string, what: string) {
    super(path === '' ? what : `${path}: ${what}`)
  }
}

/** An object; with `known`, other fields are errors. */
export function objectAt(value: unknown, path: string, known?: readonly string[]): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrongValue(path, 'an object', value)
  if (known !== undefined) {
    for (const name of Object.keys(value)) {
      if (!known.includes(name)) throw new WrongField(fieldOf(path, name), `unknown field; ${fieldHint(name, known)}`)
    }
  }
  return value as Fields
}

export function listAt(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw wrongValue(path, 'a list', value)
  return value
}

export function textAt(value: unknown, path: string, example: string): string {
  if (typeof value !== 'string' || value === '') throw wrongValue(path, `a string such as ${example}`, value)
  return value
}

export function integerAt(value: unknown, path: string, { min = 0 }: { readonly min?: number } = {}): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min)
    throw wrongValue(path, `an integer >= ${min}`, value)
  return value
}

export function choiceAt<Choice extends string>(value: unknown, path: string, choices: readonly Choice[]): Choice {
  if (!choices.includes(value as Choice)) throw wrongValue(path, `one of ${choices.join(', ')}`, value)
  return value as Choice
}

export function durationAt(value: unknown, path: string): number {
  const parsed = typeof value === 'string' ? parseGoDurationMs(value) : undefined
  if (parsed?.ok !== true || parsed.value < 0) throw wrongValue(path, 'a duration such as 30s or 1h15m', value)
  return parsed.value
}

export function jsonObjectAt(value: unknown, path: string): JsonObject {
  return objectAt(value, path) as JsonObject
}

export function fieldOf(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

/** An object with the result of `read` in the field, or an empty object if the field is not set. */
export function optionalAt<Name extends string, T>(
  fields: Fields,
  name: Name,
  path: string,
  read: (value: unknown, path: string) => T,
): { readonly [N in Name]?: T } {
  const value = fields[name]
  return value === undefined ? {} : ({ [name]: read(value, fieldOf(path, name)) } as { readonly [N in Name]?: T })
}

function wrongValue(path: string, expected: string, value: unknown): WrongField {
  if (value === undefined) return new WrongField(path, `required; must be ${expected}`)
  return new WrongField(path, `must be ${expected}, not ${valueText(value)}`)
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  const text = JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}

/** A hint with the most similar field, or with all fields. */
function fieldHint(name: string, known: readonly string[]): string {
  const near = known.find((candidate) => editDistance(name.toLowerCase(), candidate.toLowerCase()) <= 2)
  return near === undefined ? `expected one of ${known.join(', ')}` : `did you mean ${near}?`
}
