import { lookupTable } from '../../base/lookup-table.ts'
import { MatchBudgetError } from '../../base/regexp/automaton.ts'
import { type RegularExpression, regularExpression } from '../../base/regexp/regular-expression.ts'
import { PatternError } from '../../base/regexp/syntax.ts'
import { EvaluationError, equals, ListValue, noOverload, type Value } from '../value.ts'
import { formatText } from './format.ts'
import { int, type Library, list, text } from './implementation.ts'

/** Positions are counted in code points. */
const chars = (value: Value | undefined): readonly string[] => [...text(value)]

function indexOf(args: readonly Value[]): bigint {
  const [whole, part] = [text(args[0]), text(args[1])]
  const from = args[2] === undefined ? 0n : int(args[2])
  if (part === '') return from
  if (from < 0n) throw outOfRange(from)
  if (from >= BigInt(pointCount(whole))) return -1n
  const at = whole.indexOf(part, unitOffset(whole, Number(from)))
  return at < 0 ? -1n : BigInt(pointCount(whole.slice(0, at)))
}

function lastIndexOf(args: readonly Value[]): bigint {
  const [whole, part] = [text(args[0]), text(args[1])]
  const length = BigInt(pointCount(whole))
  if (args[2] === undefined && part === '') return length
  const from = args[2] === undefined ? length - 1n : int(args[2])
  if (part === '') return from
  if (args[2] !== undefined && from < 0n) throw outOfRange(from)
  if (from < 0n || from >= length) return -1n
  const at = whole.lastIndexOf(part, unitOffset(whole, Number(from)))
  return at < 0 ? -1n : BigInt(pointCount(whole.slice(0, at)))
}

function pointCount(value: string): number {
  let count = 0
  for (let i = 0; i < value.length; i += value.codePointAt(i)! > 0xffff ? 2 : 1) count++
  return count
}

/** The UTF-16 offset of the code point at this index. */
function unitOffset(value: string, point: number): number {
  let at = 0
  for (let i = 0; i < point && at < value.length; i++) at += value.codePointAt(at)! > 0xffff ? 2 : 1
  return at
}

const outOfRange = (index: bigint): EvaluationError => new EvaluationError(`index out of range: ${index}`)

function substring(args: readonly Value[]): string {
  const whole = chars(args[0])
  const length = BigInt(whole.length)
  const begin = int(args[1])
  const end = args[2] === undefined ? length : int(args[2])
  if (begin < 0n || begin > length) throw outOfRange(begin)
  if (end < 0n || end > length) throw outOfRange(end)
  if (begin > end) throw new EvaluationError(`invalid substring range. start: ${begin}, end: ${end}`)
  return whole.slice(Number(begin), Number(end)).join('')
}

function replace(args: readonly Value[]): string {
  const [whole, old, fresh] = [text(args[0]), text(args[1]), text(args[2])]
  const limit = args[3] === undefined ? -1 : Number(int(args[3]))
  if (limit < 0) return old === '' ? replaceSome(whole, old, fresh, Infinity) : whole.replaceAll(old, () => fresh)
  return replaceSome(whole, old, fresh, limit)
}

function replaceSome(whole: string, old: string, fresh: string, limit: number): string {
  if (old === '') {
    const points = [...whole]
    const places = Math.min(limit, points.length + 1)
    return points.map((char, i) => (i < places ? fresh + char : char)).join('') + (places > points.length ? fresh : '')
  }
  const parts = whole.split(old)
  return parts.reduce((done, part, i) => done + (i <= limit ? fresh : old) + part)
}

function split(args: readonly Value[]): ListValue {
  const [whole, separator] = [text(args[0]), text(args[1])]
  const limit = args[2] === undefined ? -1 : Number(int(args[2]))
  if (limit === 0) return new ListValue([])
  const parts = separator === '' ? [...whole] : whole.split(separator)
  if (limit < 0 || parts.length <= limit) return new ListValue(parts)
  return new ListValue([...parts.slice(0, limit - 1), parts.slice(limit - 1).join(separator)])
}

/** The result of a regular expression; an invalid pattern, or a pattern that takes too long, ends the evaluation. */
function matched<T>(pattern: string, prefix: string, ask: (expression: RegularExpression) => T): T {
  try {
    return ask(regularExpression(pattern))
  } catch (error) {
    if (error instanceof PatternError) throw new EvaluationError(`${prefix}${error.message}`)
    if (error instanceof MatchBudgetError) throw new EvaluationError(error.message)
    throw error
  }
}

const small = (char: string): string => char.toLowerCase()
const large = (char: string): string => char.toUpperCase()

export const strings: Library = {
  contains: ([whole, part]) => text(whole).includes(text(part)),
  startsWith: ([whole, part]) => text(whole).startsWith(text(part)),
  endsWith: ([whole, part]) => text(whole).endsWith(text(part)),
  matches: ([whole, pattern]) => matched(text(pattern), '', (expression) => expression.test(text(whole))),
  find: ([whole, pattern]) =>
    matched(text(pattern), 'Illegal regex: ', (expression) => expression.find(text(whole)) ?? ''),
  findAll: ([whole, pattern, limit]) => {
    const most = limit === undefined ? -1 : Number(int(limit))
    const found = matched(text(pattern), 'Illegal regex: ', (expression) =>
      expression.findAll(text(whole), most < 0 ? undefined : most),
    )
    return new ListValue(found)
  },
  charAt: ([whole, at]) => {
    const all = chars(whole)
    const index = int(at)
    if (index < 0n || index > BigInt(all.length)) throw outOfRange(index)
    return all[Number(index)] ?? ''
  },
  indexOf: (args) => (args[0] instanceof ListValue ? listIndex(args, false) : indexOf(args)),
  lastIndexOf: (args) => (args[0] instanceof ListValue ? listIndex(args, true) : lastIndexOf(args)),
  lowerAscii: ([value]) => text(value).replace(/[A-Z]+/g, small),
  upperAscii: ([value]) => text(value).replace(/[a-z]+/g, large),
  replace,
  split,
  substring,
  // White space as defined by Unicode, which differs from JavaScript.
  trim: ([value]) => trimmed(text(value)),
  join: ([value, separator]) => {
    const parts = list(value).items.map((one) => text(one))
    return parts.join(separator === undefined ? '' : text(separator))
  },
  format: ([template, args]) => formatText(text(template), list(args).items),
  'strings.quote': ([value]) => quote(text(value)),
  'jsonpatch.escapeKey': ([key]) => text(key).replaceAll('~', '~0').replaceAll('/', '~1'),
}

// Trims backwards from the end: a regular expression that is anchored at the end only would restart at every run of
// spaces.
function trimmed(value: string): string {
  let end = value.length
  while (end > 0 && isSpace.test(value[end - 1]!)) end--
  let begin = 0
  while (begin < end && isSpace.test(value[begin]!)) begin++
  return value.slice(begin, end)
}

const isSpace = /\p{White_Space}/u

function listIndex(args: readonly Value[], isLast: boolean): bigint {
  const { items } = list(args[0])
  const wanted = args[1]
  if (wanted === undefined) throw noOverload()
  const same = (one: Value): boolean => equals(one, wanted)
  return BigInt(isLast ? items.findLastIndex(same) : items.findIndex(same))
}

const escapes = lookupTable<string>({
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
})

function quote(value: string): string {
  const inner = [...value].map((char) => (Object.hasOwn(escapes, char) ? escapes[char] : char)).join('')
  return `"${inner}"`
}
