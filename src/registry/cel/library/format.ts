import { Duration, EvaluationError, ListValue, MapValue, Timestamp, TypeValue, Uint, type Value } from '../value.ts'
import { writeDouble, writeDuration, writeTime } from './conversions.ts'

const fail = (why: string): EvaluationError => new EvaluationError(`error during formatting: ${why}`)

/** `'%s is %d'.format([a, b])` (cel-go, ext/formatting). */
export function formatText(template: string, args: readonly Value[]): string {
  let next = 0
  const clause = /%(?:%|(?:\.(\d+))?([a-zA-Z]))|%(?![%.a-zA-Z])/g
  const text = template.replace(clause, (all: string, precision: string | undefined, verb: string | undefined) => {
    if (all === '%%') return '%'
    if (verb === undefined) throw fail('unexpected end of string')
    const arg = args[next]
    if (arg === undefined) throw fail(`index ${next} out of range`)
    next++
    return formatOne(verb, precision === undefined ? undefined : Number(precision), arg)
  })
  if (next < args.length)
    throw fail(`too many arguments supplied to string.format (expected ${next}, got ${args.length})`)
  return text
}

function formatOne(verb: string, precision: number | undefined, arg: Value): string {
  switch (verb) {
    case 's':
      return shown(arg, false)
    case 'd':
      return decimal(arg)
    case 'f':
      return doubleOf(arg, 'fixed-point').toFixed(precision ?? 6)
    case 'e':
      return doubleOf(arg, 'scientific notation')
        .toExponential(precision ?? 6)
        .replace(/e([+-])(\d)$/, 'e$10$2')
    case 'b':
      if (typeof arg === 'boolean') return arg ? '1' : '0'
      return inBase(arg, 2, 'binary')
    case 'o':
      return inBase(arg, 8, 'octal')
    case 'x':
      return hexadecimal(arg)
    case 'X':
      return hexadecimal(arg).toUpperCase()
    default:
      throw fail(`unrecognized formatting clause "${verb}"`)
  }
}

function decimal(arg: Value): string {
  if (typeof arg === 'bigint') return String(arg)
  if (arg instanceof Uint) return String(arg.value)
  if (typeof arg === 'number') return writeDouble(arg)
  throw fail('decimal clause can only be used on integers')
}

function doubleOf(arg: Value, how: string): number {
  if (typeof arg === 'number') return arg
  if (typeof arg === 'bigint') return Number(arg)
  if (arg instanceof Uint) return Number(arg.value)
  throw fail(`${how} clause can only be used on doubles`)
}

function inBase(arg: Value, base: number, name: string): string {
  if (typeof arg === 'bigint') return arg.toString(base)
  if (arg instanceof Uint) return arg.value.toString(base)
  throw fail(`${name} clause can only be used on integers${base === 2 ? ' and bools' : ''}`)
}

function hexadecimal(arg: Value): string {
  if (typeof arg === 'string') return Buffer.from(arg).toString('hex')
  if (arg instanceof Uint8Array) return Buffer.from(arg).toString('hex')
  if (typeof arg === 'bigint') return arg.toString(16)
  if (arg instanceof Uint) return arg.value.toString(16)
  throw fail('hexadecimal clause can only be used on integers, byte buffers, and strings')
}

function shown(arg: Value, isInner: boolean): string {
  switch (typeof arg) {
    case 'string':
      return isInner ? JSON.stringify(arg) : arg
    case 'boolean':
    case 'bigint':
      return String(arg)
    case 'number':
      return writeDouble(arg)
  }
  if (arg === null) return 'null'
  if (arg instanceof Uint) return String(arg.value)
  if (arg instanceof Uint8Array) return new TextDecoder().decode(arg)
  if (arg instanceof Timestamp) return writeTime(arg.nanos)
  if (arg instanceof Duration) return writeDuration(arg.nanos)
  if (arg instanceof TypeValue) return arg.type
  if (arg instanceof ListValue) return `[${arg.items.map((one) => shown(one, true)).join(', ')}]`
  if (arg instanceof MapValue) {
    const entries = [...arg.entries.values()].map(({ key, value }) => `${shown(key, true)}:${shown(value, true)}`)
    return `{${entries.sort().join(', ')}}`
  }
  throw fail('string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps') // biome-ignore format: one line
}
