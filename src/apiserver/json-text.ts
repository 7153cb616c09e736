import type { Json, JsonObject } from '../api/objects/meta.ts'
import { Numeral, parseWithNumerals } from '../base/exact-json.ts'
import { Recent } from '../base/recent.ts'
import { maxMembers, tooManyMembers } from '../base/value-limits.ts'

/** The result of one pass over a JSON text. The pass cannot overflow the stack, and the text may be invalid. */
export interface JsonOutline {
  /** The deepest nesting of brackets. */
  readonly depth: number
  /** The number of members of all objects, including duplicates. */
  readonly members: number
  /** The number of members and items. An empty object or list with space between its brackets counts as one more. */
  readonly values: number
  /** Whether all numbers are integers that a JavaScript number represents exactly, without fraction and exponent. */
  readonly hasPlainNumbers: boolean
  /**
   * The start and end of the value of `spec` in the outermost object. Undefined if there is none or more than one, or if
   * the outermost object has a member name with an escape, which could also be `spec`.
   */
  readonly spec: { readonly from: number; readonly to: number } | undefined
}

const quote = 34
const comma = 44
const point = 46
const zero = 48
const nine = 57
const colon = 58
const openBracket = 91
const backslash = 92
const closeBracket = 93
const openBrace = 123
const letterE = 101
const closeBrace = 125
// 2^53 has 16 digits.
const maxPlainDigits = 15

export function outlineOf(text: string): JsonOutline {
  let depth = 0
  let deepest = 0
  let members = 0
  let values = 0
  let nameFrom = 0
  let nameTo = 0
  let specs = 0
  let from = 0
  let to = 0
  let hasPlainNumbers = true
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    switch (code) {
      case quote:
        if (depth === 1) nameFrom = i
        i = stringEnd(text, i)
        if (depth === 1) nameTo = i
        break
      case colon:
        members++
        if (depth !== 1) break
        if (text.startsWith('"spec"', nameFrom)) {
          specs++
          from = i + 1
        } else if (hasEscape(text, nameFrom, nameTo)) specs = 2
        break
      case comma:
        values++
        if (depth === 1 && to < from) to = i
        break
      case openBrace:
      case openBracket:
        depth++
        values++
        if (depth > deepest) deepest = depth
        break
      case closeBrace:
      case closeBracket:
        depth--
        if (isOpening(text.charCodeAt(i - 1))) values--
        if (depth === 0 && to < from) to = i
        break
      default:
        if (code >= zero && code <= nine) {
          const end = numberEnd(text, i)
          if (end - i > maxPlainDigits) hasPlainNumbers = false
          i = end - 1
          // In valid JSON, a point or an e after a digit belongs to the number.
          const next = text.charCodeAt(end)
          if (next === point || (next | 32) === letterE) hasPlainNumbers = false
        }
    }
  }
  const spec = specs === 1 && from < to ? { from, to } : undefined
  return { depth: deepest, members, values, hasPlainNumbers, spec }
}

const isOpening = (code: number): boolean => code === openBrace || code === openBracket

function numberEnd(text: string, start: number): number {
  let end = start + 1
  for (;;) {
    const code = text.charCodeAt(end)
    if (!(code >= zero && code <= nine)) return end
    end++
  }
}

function hasEscape(text: string, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (text.charCodeAt(i) === backslash) return true
  return false
}

/** The position of the closing quote of the string that starts at `start`. */
export function stringEnd(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === backslash) i++
    else if (code === quote) return i
  }
  return text.length
}

export interface ParsedJson {
  readonly value: Json
  /** The number of members of all objects of the value. Lower than in the text if there are duplicates. */
  readonly members: number
}

// Pods of one template differ in their name and share the text of their spec. One object for all of them avoids parsing
// it, and caches of the registry that are keyed by the identity of a spec find it. A value here depends only on its own
// text, not on the body around it: bodies of different users share it.
const recentSpecs = new Recent<string, ParsedJson>(256)
/** Texts of specs that were received once. Most of them are not received again, so their values are not kept. */
const newSpecs = new Recent<string, true>(256)
const maxSharingLength = 16 * 1024

/** JSON.parse, except that half a surrogate pair becomes U+FFFD, as Go reads it. */
function parse(text: string, read: (text: string) => unknown = JSON.parse): Json {
  const value = read(text) as Json
  return text.includes('\\u') && /\\u[dD][89a-fA-F]/.test(text) ? wellFormed(value) : value
}

function wellFormed(value: Json): Json {
  if (typeof value === 'string') return scalarText(value)
  if (typeof value !== 'object' || value === null || value instanceof Numeral) return value
  if (Array.isArray(value)) return value.map((one) => wellFormed(one as Json))
  const members = Object.entries(value as JsonObject)
  return Object.fromEntries(members.map(([name, member]) => [scalarText(name), wellFormed(member as Json)]))
}

// UTF-8 cannot encode half a pair: Buffer writes U+FFFD.
const scalarText = (text: string): string => Buffer.from(text).toString()

/**
 * JSON.parse, except that a `spec` with the text of recent ones is the same object, from the second occurrence on.
 * Throws as JSON.parse does.
 */
export function parseSharing(text: string, { spec, hasPlainNumbers }: JsonOutline): ParsedJson {
  if (!hasPlainNumbers) return counted(parse(text, parseWithNumerals))
  if (spec === undefined || text.length > maxSharingLength) return counted(parse(text))
  const specText = text.slice(spec.from, spec.to)
  let known = recentSpecs.get(specText)
  if (known === undefined && newSpecs.get(specText) === undefined) {
    newSpecs.set(specText, true)
    return counted(parse(text))
  }
  // The two parts are parsed separately. The whole is valid if and only if both are: the cuts are at a colon, and at a
  // comma or a closing bracket.
  const rest = parse(`${text.slice(0, spec.from)}null${text.slice(spec.to)}`) as Record<string, Json>
  if (known === undefined) {
    known = counted(parse(specText))
    recentSpecs.set(specText, known)
  }
  const members = membersOf(rest) + known.members
  rest['spec'] = known.value
  return { value: rest, members }
}

const counted = (value: Json): ParsedJson => ({ value, members: membersOf(value) })

export class TooManyMembers extends Error {}

function membersOf(value: Json): number {
  if (typeof value !== 'object' || value === null || value instanceof Numeral) return 0
  let inside = 0
  if (Array.isArray(value)) {
    for (const inner of value) inside += membersOf(inner as Json)
    return inside
  }
  let members = 0
  for (const name in value) {
    members++
    inside += membersOf((value as JsonObject)[name] as Json)
  }
  if (members > maxMembers) throw new TooManyMembers(tooManyMembers)
  return members + inside
}
