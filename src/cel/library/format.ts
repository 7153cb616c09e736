import {
  Duration,
  EvaluationError,
  ListValue,
  MapValue,
  Timestamp,
  TypeValue,
  typeName,
  Uint,
  type Value,
} from '../value.ts'
import { writeDuration, writeTime } from './conversions.ts'
import { exactDigits, roundedTo } from './exact-digits.ts'

const parseError = (why: string) => new EvaluationError(`could not parse formatting clause: ${why}`)
const precisionError = (why: string) => parseError(`error while parsing precision: ${why}`)
const fail = (why: string, arg?: Value) =>
  new EvaluationError(`error during formatting: ${why}${arg === undefined ? '' : `, was given ${typeName(arg)}`}`)

/** `'%s is %d'.format([a, b])` with the locale en_US (cel-go v0.26, ext/formatting.go, version 2 of the library). */
export function formatText(template: string, args: readonly Value[]): string {
  let out = ''
  let next = 0
  for (let i = 0; i < template.length; ) {
    const at = template.indexOf('%', i)
    if (at < 0) return out + template.slice(i)
    out += template.slice(i, at)
    i = at + 1
    if (template[i] === '%') {
      out += '%'
      i++
      continue
    }
    const arg = args[next]
    if (arg === undefined) throw new EvaluationError(`index ${next} out of range`)
    next++
    if (i >= template.length) throw new EvaluationError('unexpected end of string')
    const { precision, verb, end } = clauseAt(template, i)
    out += formatOne(verb, precision, arg)
    i = end
  }
  return out
}

const maxInt64 = 2n ** 63n - 1n

function clauseAt(template: string, at: number) {
  let end = at
  let precision: number | undefined
  if (template[at] === '.') {
    const digits = /^\d*/.exec(template.slice(at + 1))?.[0] ?? ''
    end = at + 1 + digits.length
    if (end >= template.length) throw precisionError('could not find end of precision specifier')
    const wrong = digits === '' ? 'invalid syntax' : BigInt(digits) > maxInt64 ? 'value out of range' : undefined
    if (wrong !== undefined)
      throw precisionError(`error while converting precision to integer: strconv.Atoi: parsing "${digits}": ${wrong}`)
    precision = Number(digits)
  }
  // Upstream reads bytes, so it reads the first byte of a multi-byte character.
  const verb = String.fromCharCode(Buffer.from(String.fromCodePoint(template.codePointAt(end) as number))[0] as number)
  return { precision, verb, end: end + 1 }
}

function formatOne(verb: string, precision: number | undefined, arg: Value): string {
  switch (verb) {
    case 's':
      return shown(arg)
    case 'd':
      if (typeof arg === 'bigint') return String(arg)
      if (arg instanceof Uint) return String(arg.value)
      throw fail('decimal clause can only be used on integers', arg)
    case 'f':
      return fixed(doubleOf(arg, 'fixed-point'), precision ?? 6)
    case 'e':
      return scientific(doubleOf(arg, 'scientific'), precision ?? 6)
    case 'b':
      if (typeof arg === 'boolean') return arg ? '1' : '0'
      return inBase(arg, 2, 'only integers and bools can be formatted as binary')
    case 'o':
      return inBase(arg, 8, 'octal clause can only be used on integers')
    case 'x':
      return hexadecimal(arg)
    case 'X':
      return hexadecimal(arg).toUpperCase()
    default:
      throw parseError(`unrecognized formatting clause "${verb}"`)
  }
}

const namedDoubles: ReadonlyMap<Value, number> = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
])

function doubleOf(arg: Value, clause: string): number {
  const value = typeof arg === 'number' ? arg : namedDoubles.get(arg)
  if (value === undefined) throw fail(`${clause} clause can only be used on doubles`, arg)
  return value
}

/** The output of golang.org/x/text/message if the precision has more digits than it parses. */
const unread = '%!(NOVERB)'
const isUnread = (count: number) => Math.trunc(count / 10) > 1_000_000

const endless = (value: number) => (Number.isNaN(value) ? 'NaN' : value > 0 ? '∞' : '-∞')

function fixed(value: number, precision: number): string {
  if (isUnread(precision)) return unread
  if (!Number.isFinite(value)) return endless(value)
  // golang.org/x/text keeps the precision in eight bits, where 0 means all digits.
  const exact = exactDigits(Math.abs(value))
  const isUnlimited = precision !== 0 && precision % 256 === 0
  const { digits, scale } = isUnlimited ? exact : roundedTo(exact, precision % 256)
  const padded = digits.padStart(scale + 1, '0')
  const whole = padded.slice(0, padded.length - scale).replace(/\B(?=(\d{3})+$)/g, ',')
  const fraction = padded.slice(padded.length - scale)
  return `${value < 0 ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

const raised = '⁰¹²³⁴⁵⁶⁷⁸⁹'

/** Upstream uses the precision as a width; there are always six digits after the point. */
function scientific(value: number, width: number): string {
  if (isUnread(width)) return unread
  const text = Number.isFinite(value) ? mantissaAndExponent(value) : endless(value)
  return text.padStart(width % 65_536)
}

function mantissaAndExponent(value: number): string {
  const { digits, scale } = exactDigits(Math.abs(value))
  let exponent = value === 0 ? 0 : digits.length - 1 - scale
  let mantissa = roundedTo({ digits, scale: digits.length - 1 }, 6).digits.padStart(7, '0')
  if (mantissa.length > 7) {
    exponent++
    mantissa = mantissa.slice(0, 7)
  }
  const power = String(Math.abs(exponent))
    .padStart(2, '0')
    .replaceAll(/\d/g, (digit) => raised[Number(digit)] as string)
  return `${value < 0 ? '-' : ''}${mantissa[0]}.${mantissa.slice(1)}×10${exponent < 0 ? '⁻' : ''}${power}`
}

function inBase(arg: Value, base: number, otherwise: string): string {
  if (typeof arg === 'bigint') return arg.toString(base)
  if (arg instanceof Uint) return arg.value.toString(base)
  throw fail(otherwise, arg)
}

function hexadecimal(arg: Value): string {
  if (typeof arg === 'string') return Buffer.from(arg).toString('hex')
  if (arg instanceof Uint8Array) return Buffer.from(arg).toString('hex')
  return inBase(arg, 16, 'only integers, byte buffers, and strings can be formatted as hex')
}

function shown(arg: Value): string {
  if (typeof arg === 'string') return arg
  if (typeof arg === 'number') return writeGeneral(arg)
  if (arg instanceof Uint8Array) return textOf(arg)
  if (arg instanceof Timestamp) return writeTime(arg.nanos)
  if (arg instanceof Duration) return writeDuration(arg.nanos)
  return inner(arg)
}

/** The text of an element of a list or a map. */
function inner(arg: Value): string {
  switch (typeof arg) {
    case 'string':
      return quoted(arg)
    case 'boolean':
    case 'bigint':
      return String(arg)
    case 'number':
      return Number.isFinite(arg) ? plainFixed(arg) : `"${Number.isNaN(arg) ? 'NaN' : arg > 0 ? '+Inf' : '-Inf'}"`
  }
  if (arg === null) return 'null'
  if (arg instanceof Uint) return String(arg.value)
  if (arg instanceof Uint8Array) return `b${quoted(textOf(arg))}`
  if (arg instanceof Timestamp) return `timestamp("${writeTime(arg.nanos)}")`
  if (arg instanceof Duration) return `duration("${writeDuration(arg.nanos)}")`
  if (arg instanceof TypeValue) return arg.type
  if (arg instanceof ListValue) return `[${arg.items.map(inner).join(', ')}]`
  if (arg instanceof MapValue) {
    const entries = [...arg.entries.values()].map(({ key, value }) => `${inner(key)}:${inner(value)}`)
    return `{${entries.sort().join(', ')}}`
  }
  const known = 'strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps'
  throw fail(`string clause can only be used on ${known}`, arg)
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw fail('could not convert argument "invalid UTF-8 in bytes, cannot convert to string" to string')
  }
}

const plainFixed = (value: number) => {
  const text = fixed(value, 6).replaceAll(',', '')
  return Object.is(value, -0) ? `-${text}` : text
}

/** Go's strconv.FormatFloat with 'g' and the fewest digits. */
function writeGeneral(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  if (Object.is(value, -0)) return '-0'
  const exponent = value === 0 ? 0 : Number(value.toExponential().split('e')[1])
  return exponent >= -4 && exponent < 6 ? String(value) : value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2')
}

const shortEscapes: ReadonlyMap<string, string> = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['"', '\\"'],
  ['\\', '\\\\'],
])

/** Go's strconv.Quote for values that an object can contain. */
const quoted = (text: string) =>
  `"${text.replaceAll(/[\p{Cc}"\\]/gu, (char) => {
    const code = char.codePointAt(0) as number
    return (
      shortEscapes.get(char) ?? `\\${code < 0x80 ? 'x' : 'u'}${code.toString(16).padStart(code < 0x80 ? 2 : 4, '0')}`
    )
  })}"`
