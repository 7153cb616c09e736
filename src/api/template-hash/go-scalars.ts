import { encodeJson } from '../../base/exact-json.ts'
import { formatQuantity, parseQuantity } from '../quantity.ts'
import type { Amount } from '../quantity-amount.ts'

// Go types that are one value in JSON and a struct in memory.

const word = (1n << 64n) - 1n
const noDecimal = '(*inf.Dec)<nil>'
const noInteger = '{value:(int64)0 scale:(resource.Scale)0}'

/**
 * A quantity in memory after decoding its canonical text. It keeps this text (`s`) if the quick check of the parser
 * accepts it as canonical (v1.36, resource.ParseQuantity).
 */
export function dumpQuantity(text: string): string {
  const first = parseQuantity(text)
  const read = first.ok ? parseQuantity(formatQuantity(first.value)) : first
  if (!read.ok) return dumpQuantity('0')
  const { amount, format, text: kept = '' } = read.value
  const integer =
    amount.kind === 'int64' ? `{value:(int64)${amount.unscaled} scale:(resource.Scale)${amount.scale}}` : noInteger
  const decimal = amount.kind === 'int64' ? noDecimal : `(*inf.Dec)${dumpDecimal(amount)}`
  return (
    `{i:(resource.int64Amount)${integer} d:(resource.infDecAmount){Dec:${decimal}}` +
    ` s:(string)${kept} Format:(resource.Format)${format}}`
  )
}

/** big.Int keeps its magnitude in words of 64 bits, the lowest first. */
function dumpDecimal({ unscaled, scale }: Amount): string {
  const words: bigint[] = []
  for (let rest = unscaled < 0n ? -unscaled : unscaled; rest > 0n; rest >>= 64n) words.push(rest & word)
  const integer = `{neg:(bool)${unscaled < 0n} abs:(big.nat)[${words.join(' ')}]}`
  return `{unscaled:(big.Int)${integer} scale:(inf.Scale)${-scale}}`
}

// Go counts seconds from the year 1.
const unixSeconds = 62_135_596_800

/** In a process without time zone data, as in the images of upstream, local time is UTC. */
const local =
  '{name:(string)UTC zone:([]time.zone)<nil> tx:([]time.zoneTrans)<nil> extend:(string)' +
  ' cacheStart:(int64)0 cacheEnd:(int64)0 cacheZone:(*time.zone)<nil>}'

export function dumpTime(text: string | undefined): string {
  const seconds = text === undefined ? 0 : Math.floor(Date.parse(text) / 1000) + unixSeconds
  const location = seconds === 0 ? '<nil>' : local
  return `{Time:(time.Time){wall:(uint64)0 ext:(int64)${seconds} loc:(*time.Location)${location}}}`
}

export function dumpIntOrString(value: number | string): string {
  const [type, int, text] = typeof value === 'number' ? [0, value, ''] : [1, 0, value]
  return `{Type:(intstr.Type)${type} IntVal:(int32)${int} StrVal:(string)${text}}`
}

/** Only the owned fields of a manager are kept as JSON (v1.36, meta/v1 FieldsV1). */
export function dumpRawJson(value: unknown): string {
  return `{Raw:([]uint8)[${new TextEncoder().encode(encodeJson(value)).join(' ')}]}`
}
