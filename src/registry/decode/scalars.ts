import { formatQuantity, parseQuantity } from '../../api/quantity.ts'
import type { ScalarKind } from '../../api/schema/shape.ts'
import { isInt64, Numeral, outOfRange, withoutNumerals } from '../../base/exact-json.ts'

export type ScalarResult =
  | { readonly ok: true; readonly value: unknown }
  /** The wrong JSON type: `found` is Go's name of the value; `type` the wanted type, if not the type itself. */
  | { readonly ok: false; readonly found: string; readonly type?: string }
  | { readonly ok: false; readonly message: string }

const maxInt32 = 2 ** 31 - 1
/** The largest double below 2^63. */
const maxInt64Double = 2 ** 63 - 1024
// The largest number below 2^63 that JSON.parse can return.
/** Deeper JSON is rejected. Go's limit is 10,000; real objects are far below both. */
export const maxDepth = 1000

export function decodeScalar(kind: ScalarKind, value: unknown): ScalarResult {
  switch (kind) {
    case 'string':
      return typeof value === 'string' ? { ok: true, value } : wrong(value)
    case 'bool':
      return typeof value === 'boolean' ? { ok: true, value } : wrong(value)
    case 'int32':
    case 'int64':
      return integer(value, kind)
    case 'float64':
      return float(value)
    case 'int-or-string':
      if (typeof value === 'string') return { ok: true, value }
      return intOrString(value)
    case 'quantity':
      return quantityText(value)
    case 'time':
      return time(value, timePattern, '2006-01-02T15:04:05Z07:00', 0)
    case 'micro-time':
      return time(value, microPattern, '2006-01-02T15:04:05.000000Z07:00', 6)
    case 'bytes':
      if (Array.isArray(value) && value.every(isByte)) {
        return { ok: true, value: Buffer.from(value as number[]).toString('base64') }
      }
      return typeof value === 'string' ? base64(value) : wrong(value)
    case 'duration':
      return typeof value === 'string' ? { ok: true, value } : textWanted(value)
    case 'json':
      return anyJson(value)
  }
}

const isByte = (value: unknown): boolean =>
  value === null || (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 256)

function wrong(value: unknown): ScalarResult {
  return { ok: false, found: jsonKind(value) }
}

/** Go's name for a JSON value of the wrong type. */
export function jsonKind(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'bigint' || value instanceof Numeral) return 'number'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

function anyJson(value: unknown): ScalarResult {
  if (isTooDeep(value)) return { ok: false, message: 'exceeded max depth' }
  const huge = outOfRange(value)
  if (huge !== undefined) return { ok: false, found: `number ${huge}`, type: 'float64' }
  return { ok: true, value: withoutNumerals(value) }
}

/** An integer consists of digits only, at most as many as its type can hold (strconv.ParseInt). */
function integer(value: unknown, kind: 'int32' | 'int64'): ScalarResult {
  if (typeof value === 'number') {
    const max = kind === 'int32' ? maxInt32 : maxInt64Double
    if (Number.isInteger(value) && value <= max && value >= -max - 1) return { ok: true, value }
  } else if (typeof value === 'bigint') {
    if (kind === 'int64' && isInt64(value)) return { ok: true, value }
  } else if (!(value instanceof Numeral)) return wrong(value)
  return { ok: false, found: `number ${value}` }
}

function float(value: unknown): ScalarResult {
  if (typeof value === 'number') return { ok: true, value }
  if (typeof value === 'bigint') return { ok: true, value: Number(value) }
  if (!(value instanceof Numeral)) return wrong(value)
  return Number.isFinite(value.value) ? { ok: true, value: value.value } : { ok: false, found: `number ${value}` }
}

function intOrString(value: unknown): ScalarResult {
  const read = integer(value, 'int32')
  if (read.ok) return read
  return { ok: false, found: 'found' in read ? read.found : '', type: 'int32' }
}

const canonical = new Map<string, string>()
const canonicalLimit = 10_000

function quantityText(value: unknown): ScalarResult {
  const isNumber = typeof value === 'number' || typeof value === 'bigint' || value instanceof Numeral
  const text = typeof value === 'string' ? value : isNumber ? String(value) : undefined
  if (text === undefined) return { ok: false, message: quantityFormatProblem() }
  const known = canonical.get(text)
  if (known !== undefined) return { ok: true, value: known }
  const parsed = parseQuantity(text.trim())
  if (!parsed.ok) return { ok: false, message: parsed.message }
  const written = formatQuantity(parsed.value)
  if (canonical.size >= canonicalLimit) canonical.clear()
  canonical.set(text, written)
  return { ok: true, value: written }
}

function quantityFormatProblem(): string {
  const parsed = parseQuantity('')
  return parsed.ok ? '' : parsed.message
}

const date = String.raw`(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})`
const zone = String.raw`(Z|[+-]\d{2}:\d{2})`
const timePattern = new RegExp(`^${date}(?:[.,](\\d+))?${zone}$`)
const microPattern = new RegExp(`^${date}[.](\\d{6})${zone}$`)

function time(value: unknown, pattern: RegExp, layout: string, digits: number): ScalarResult {
  if (typeof value !== 'string') return textWanted(value)
  // The format in which Kubernetes writes times. Times of other writers may have other zones and fractions.
  if (value.length === (digits === 0 ? 20 : 21 + digits) && value.endsWith('Z') && isRealDate(value)) {
    if (digits === 0 || (value[19] === '.' && areDigits(value, 20, 20 + digits))) return { ok: true, value }
  }
  const match = pattern.exec(value)
  if (match === null || !isRealDate(value)) return { ok: false, message: timeProblem(value, layout) }
  const fraction = digits === 0 ? '' : `.${(match[7] ?? '').padEnd(digits, '0').slice(0, digits)}`
  const utcMs = Date.parse(value.slice(0, 19) + (match[8] === 'Z' ? 'Z' : (match[8] ?? 'Z')))
  return { ok: true, value: `${new Date(utcMs).toISOString().slice(0, 19)}${fraction}Z` }
}

// The conditions of one object usually have the same time, and many objects share few times.
const plainTimes = new Set<string>()
const plainTimesLimit = 4096
let lastPlainTime = ''

/** Whether a time has the format of Kubernetes: seconds, in UTC. */
export function isPlainTime(text: string): boolean {
  if (text === lastPlainTime) return true
  if (!plainTimes.has(text)) {
    if (text.length !== 20 || text[19] !== 'Z' || !isRealDate(text)) return false
    if (plainTimes.size >= plainTimesLimit) plainTimes.clear()
    plainTimes.add(text)
  }
  lastPlainTime = text
  return true
}

const daysOfMonths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Whether a text starts with a date and time, as in `2006-01-02T15:04:05`, that exists in the calendar. */
function isRealDate(text: string): boolean {
  if (text[4] !== '-' || text[7] !== '-' || text[10] !== 'T' || text[13] !== ':' || text[16] !== ':') return false
  const year = 100 * twoDigits(text, 0) + twoDigits(text, 2)
  const month = twoDigits(text, 5)
  const day = twoDigits(text, 8)
  if (!(year >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= (daysOfMonths[month - 1] as number))) return false
  if (month === 2 && day === 29 && (year % 4 !== 0 || (year % 100 === 0 && year % 400 !== 0))) return false
  return twoDigits(text, 11) <= 23 && twoDigits(text, 14) <= 59 && twoDigits(text, 17) <= 59
}

/** NaN if there are no digits. */
function twoDigits(text: string, at: number): number {
  return areDigits(text, at, at + 2) ? 10 * (text.charCodeAt(at) - 48) + text.charCodeAt(at + 1) - 48 : Number.NaN
}

function areDigits(text: string, from: number, to: number): boolean {
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i)
    if (!(code >= 48 && code <= 57)) return false
  }
  return true
}

/** The position at which Go's time.Parse stops, for common mistakes. */
function timeProblem(text: string, layout: string): string {
  const steps: readonly (readonly [RegExp, string])[] = [
    [/^\d{4}/, '2006'],
    [/^-/, '-'],
    [/^\d{2}/, '01'],
    [/^-/, '-'],
    [/^\d{2}/, '02'],
    [/^T/, 'T'],
    [/^\d{2}/, '15'],
    [/^:/, ':'],
    [/^\d{2}/, '04'],
    [/^:/, ':'],
    [/^\d{2}/, '05'],
    ...(layout.includes('.') ? ([[/^\.\d{6}/, '.000000']] as const) : ([[/^(\.\d+)?/, '']] as const)),
    [/^(Z|[+-]\d{2}:\d{2})/, 'Z07:00'],
  ]
  let rest = text
  for (const [pattern, wanted] of steps) {
    const match = pattern.exec(rest)
    if (match === null)
      return `parsing time ${quote(text)} as ${quote(layout)}: cannot parse ${quote(rest)} as ${quote(wanted)}`
    rest = rest.slice(match[0].length)
  }
  return rest === ''
    ? `parsing time ${quote(text)}: ${Number(text.slice(5, 7)) > 12 ? 'month' : 'day'} out of range`
    : `parsing time ${quote(text)}: extra text: ${quote(rest)}`
}

const quote = (text: string): string => JSON.stringify(text)

function textWanted(value: unknown): ScalarResult {
  const { found } = wrong(value) as { readonly found: string }
  return { ok: false, found, type: 'string' }
}

function base64(text: string): ScalarResult {
  const bare = text.replaceAll(/[\r\n]/g, '')
  const bad = bare.search(/[^A-Za-z0-9+/=]/)
  if (bad >= 0) return { ok: false, message: `illegal base64 data at input byte ${bad}` }
  const body = bare.replace(/={1,2}$/, '')
  if (bare.length % 4 !== 0 || body.includes('=')) {
    return { ok: false, message: `illegal base64 data at input byte ${bare.length - (bare.length % 4)}` }
  }
  return { ok: true, value: bare }
}

/** The recursion ends at the limit, so that deep values are safe. */
export function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (depth > maxDepth) return true
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (isTooDeep(value[i], depth + 1)) return true
    return false
  }
  const members = value as Readonly<Record<string, unknown>>
  for (const name in members) if (isTooDeep(members[name], depth + 1)) return true
  return false
}
