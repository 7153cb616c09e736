import { formatCidr } from '../../api/cidr.ts'
import { parseGoDuration } from '../../api/go-duration.ts'
import { formatIp } from '../../api/ip-address.ts'
import { Duration, EvaluationError, noOverload, Opaque, sizeOf, Timestamp, TypeValue, typeName, Uint, type Value } from '../value.ts' // biome-ignore format: one line
import type { Library } from './implementation.ts'
import { checkedDuration, checkedInt, checkedTime, checkedUint } from './operators.ts'

const second = 1_000_000_000n
const decoder = new TextDecoder('utf-8', { fatal: true })
const encoder = new TextEncoder()

/** Nanoseconds since 1970 of an RFC 3339 time; undefined if the text is not one. */
export function readTime(text: string): bigint | undefined {
  const match = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(?:[.,](\d+))?(Z|z|[+-]\d{2}:\d{2})$/.exec(text)
  if (match === null) return undefined
  const [, day = '', time = '', fraction = '', zone = ''] = match
  const ms = Date.parse(`${day}T${time}${zone.toUpperCase()}`)
  if (Number.isNaN(ms) || !isDay(day)) return undefined
  return BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, '0').slice(0, 9))
}

/** JavaScript reads February 30 as March 1 or 2. */
export function isDay(day: string): boolean {
  const ms = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day)
}

export function writeTime(nanos: bigint): string {
  const whole = nanos >= 0n || nanos % second === 0n ? nanos / second : nanos / second - 1n
  const fraction = (nanos - whole * second).toString().padStart(9, '0').replace(/0+$/, '')
  const text = new Date(Number(whole) * 1000).toISOString().slice(0, 19)
  return `${text}${fraction === '' ? '' : `.${fraction}`}Z`
}

/** The string of a duration, in seconds. */
export function writeDuration(nanos: bigint): string {
  const sign = nanos < 0n ? '-' : ''
  const size = nanos < 0n ? -nanos : nanos
  const fraction = (size % second).toString().padStart(9, '0').replace(/0+$/, '')
  return `${sign}${size / second}${fraction === '' ? '' : `.${fraction}`}s`
}

/** The text of a double as Go's %g prints it: the shortest text that parses to the same number. */
export function writeDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  if (Object.is(value, -0)) return '-0'
  const size = Math.abs(value)
  if (value !== 0 && (size < 1e-4 || size >= 1e21)) {
    return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2')
  }
  return String(value)
}

function toInt(value: Value): bigint {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new EvaluationError('integer overflow')
    // The bounds of int64 are not doubles, so they are excluded (cel-go, doubleToInt64Checked).
    if (value <= -(2 ** 63) || value >= 2 ** 63) throw new EvaluationError('integer overflow')
    return BigInt(Math.trunc(value))
  }
  if (value instanceof Uint) return checkedInt(value.value)
  if (value instanceof Duration) return value.nanos
  if (value instanceof Timestamp) return floorSeconds(value.nanos)
  if (typeof value === 'string') {
    if (!/^[+-]?\d+$/.test(value)) throw badText('int')
    return checkedInt(BigInt(value.replace(/^\+/, '')), `type conversion error from 'string' to 'int'`)
  }
  throw noOverload()
}

const floorSeconds = (nanos: bigint): bigint =>
  nanos >= 0n || nanos % second === 0n ? nanos / second : nanos / second - 1n

const badText = (to: string): EvaluationError => new EvaluationError(`type conversion error from 'string' to '${to}'`)

function toUint(value: Value): Uint {
  if (value instanceof Uint) return value
  if (typeof value === 'bigint') return checkedUint(value)
  if (typeof value === 'number') {
    if (!(value >= 0 && value < 2 ** 64)) throw new EvaluationError('unsigned integer overflow')
    return new Uint(BigInt(Math.trunc(value)))
  }
  if (typeof value !== 'string') throw noOverload()
  if (!/^\d+$/.test(value)) throw badText('uint')
  return checkedUint(BigInt(value))
}

function toDouble(value: Value): number {
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Uint) return Number(value.value)
  if (typeof value !== 'string') throw noOverload()
  if (/^[+-]?inf(inity)?$/i.test(value)) return value.startsWith('-') ? -Infinity : Infinity
  if (/^nan$/i.test(value)) return Number.NaN
  if (!/^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(value)) throw badText('double')
  return Number(value)
}

function toText(value: Value): string {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (typeof value === 'number') return writeDouble(value)
  if (value instanceof Uint) return String(value.value)
  if (value instanceof Timestamp) return writeTime(value.nanos)
  if (value instanceof Duration) return writeDuration(value.nanos)
  if (value instanceof Uint8Array) {
    try {
      return decoder.decode(value)
    } catch {
      throw new EvaluationError('invalid UTF-8 in bytes, cannot convert to string')
    }
  }
  if (value instanceof Opaque) {
    const { content } = value
    if (content.kind === 'ip') return formatIp({ family: content.family, bits: content.address })
    if (content.kind === 'cidr') return formatCidr({ ...content.cidr, base: content.address })
  }
  throw noOverload()
}

function toBool(value: Value): boolean {
  if (typeof value === 'boolean') return value
  if (typeof value !== 'string') throw noOverload()
  // strconv.ParseBool
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(value)) return true
  if (['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(value)) return false
  throw badText('bool')
}

export const conversions: Library = {
  int: ([value]) => toInt(value as Value),
  uint: ([value]) => toUint(value as Value),
  double: ([value]) => toDouble(value as Value),
  string: ([value]) => toText(value as Value),
  bool: ([value]) => toBool(value as Value),
  dyn: ([value]) => value as Value,
  type: ([value]) => new TypeValue(typeName(value as Value)),
  bytes: ([value]) => {
    if (value instanceof Uint8Array) return value
    if (typeof value === 'string') return encoder.encode(value)
    throw noOverload()
  },
  duration: ([value]) => {
    if (value instanceof Duration) return value
    if (typeof value === 'bigint') return checkedDuration(value)
    if (typeof value !== 'string') throw noOverload()
    const read = parseGoDuration(value)
    if (!read.ok) throw badText('google.protobuf.Duration')
    return new Duration(read.value)
  },
  timestamp: ([value]) => {
    if (value instanceof Timestamp) return value
    if (typeof value === 'bigint') return checkedTime(value * second)
    if (typeof value !== 'string') throw noOverload()
    const nanos = readTime(value)
    if (nanos === undefined) throw badText('google.protobuf.Timestamp')
    return checkedTime(nanos)
  },
  size: ([value]) => {
    const size = value instanceof Opaque ? undefined : sizeOf(value as Value)
    if (size === undefined) throw noOverload()
    return BigInt(size)
  },
}
