import { parseGoDurationMs } from '../../api/go-duration.ts'
import type { JsonObject } from '../../api/objects/meta.ts'

/** A field of a document that is not what it should be. The message names the field and says what would be right. */
export class WrongField extends Error {
  override readonly name = 'WrongField'

  constructor(path: string, what: string) {
    super(path === '' ? what : `${path}: ${what}`)
  }
}

export type Fields = Readonly<Record<string, unknown>>

/** An object with no other fields than these. */
export function objectAt(value: unknown, path: string, known?: readonly string[]): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new WrongField(path, `it must be an object, not ${valueText(value)}`)
  if (known !== undefined) {
    for (const name of Object.keys(value)) {
      if (!known.includes(name))
        throw new WrongField(fieldOf(path, name), `there is no such field; ${among(name, known)}`)
    }
  }
  return value as Fields
}

export function listAt(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new WrongField(path, `it must be a list, not ${valueText(value)}`)
  return value
}

export function textAt(value: unknown, path: string, example: string): string {
  if (typeof value !== 'string' || value === '')
    throw new WrongField(path, `it must be a text such as ${example}, not ${valueText(value)}`)
  return value
}

export function wholeNumberAt(value: unknown, path: string, { min = 0 }: { readonly min?: number } = {}): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min)
    throw new WrongField(path, `it must be a whole number from ${min} on, not ${valueText(value)}`)
  return value
}

export function choiceAt<Choice extends string>(value: unknown, path: string, choices: readonly Choice[]): Choice {
  if (!choices.includes(value as Choice))
    throw new WrongField(path, `it must be one of ${choices.join(', ')}, not ${valueText(value)}`)
  return value as Choice
}

export function durationAt(value: unknown, path: string): number {
  const parsed = typeof value === 'string' ? parseGoDurationMs(value) : undefined
  if (parsed?.ok !== true || parsed.value < 0)
    throw new WrongField(path, `it must be a duration such as 30s or 1h15m, not ${valueText(value)}`)
  return parsed.value
}

export function jsonObjectAt(value: unknown, path: string): JsonObject {
  return objectAt(value, path) as JsonObject
}

export function fieldOf(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

function valueText(value: unknown): string {
  if (value === undefined) return 'absent'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  const text = JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}

/** The nearest name first, if one is near. */
function among(name: string, known: readonly string[]): string {
  const near = known.find((candidate) => distance(name.toLowerCase(), candidate.toLowerCase()) <= 2)
  return near === undefined ? `there are ${known.join(', ')}` : `did you mean ${near}?`
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      next.push(Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, (row[j - 1] as number) + cost))
    }
    row = next
  }
  return row[b.length] as number
}
