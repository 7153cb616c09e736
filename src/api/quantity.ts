import { lookupTable } from '../base/lookup-table.ts'
import { failed, must, type Result } from '../base/result.ts'
import {
  type Amount,
  addAmounts,
  amountToInt64,
  canonicalBinary,
  canonicalDecimal,
  compareAmounts,
  int64Max,
  negateAmount,
  powerOf10,
  roundAwayFromZero,
} from './quantity-amount.ts'
import { binarySuffix, decimalSuffix, interpretSuffix, type QuantityFormat, splitQuantity } from './quantity-text.ts'

export type { QuantityFormat } from './quantity-text.ts'

/**
 * A quantity of a resource, as apimachinery's resource.Quantity (v1.36). Values are exact. `text` is set if upstream
 * keeps the parsed text instead of writing the canonical form again.
 */
export interface Quantity {
  readonly amount: Amount
  readonly format: QuantityFormat
  readonly text?: string
}

/** A text with the two values that schedulers need. Most texts need no exact arithmetic. */
interface Remembered {
  quantity: Quantity | undefined
  readonly milli: number
  readonly int: number
}

// A cluster has few distinct quantities and reads them often. The limit only protects against hostile input.
const memoLimit = 1 << 16
const maxMemoLength = 64
const memo = new Map<string, Remembered>()

const milli = -3
const nano = -9
const maxInt64Digits = 18
// Larger powers would take minutes and gigabytes, also in upstream. Real objects do not have them.
const maxExponent = 100_000

export const quantityErrors = {
  format: "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  numeric: 'unable to parse numeric part of quantity',
  suffix: "unable to parse quantity's suffix",
} as const

export function parseQuantity(text: string): Result<Quantity> {
  const known = memo.get(text)?.quantity
  return known === undefined ? readQuantity(text) : { ok: true, value: known }
}

/** The quantity of a valid text. Throws for an invalid one. */
export function quantity(text: string | number): Quantity {
  const entry = remember(String(text))
  entry.quantity ??= must(readQuantity(String(text)))
  return entry.quantity
}

/** The quantity in thousandths, rounded up: upstream's `MilliValue()`. The text must be valid; absent is 0. */
export function milliValue(text: string | number | undefined): number {
  return text === undefined ? 0 : remember(String(text)).milli
}

/** The quantity in units, rounded up: upstream's `Value()`. The text must be valid; absent is 0. */
export function intValue(text: string | number | undefined): number {
  return text === undefined ? 0 : remember(String(text)).int
}

/** `Value()` with upstream's int64 overflow. */
export function valueInt64(q: Quantity): bigint {
  return amountToInt64(q.amount, 0)
}

/** `MilliValue()` with upstream's int64 overflow. */
export function milliValueInt64(q: Quantity): bigint {
  return amountToInt64(q.amount, milli)
}

export function quantityMilli(q: Quantity): number {
  return Number(amountToInt64(q.amount, milli))
}

export function quantityInt(q: Quantity): number {
  return Number(amountToInt64(q.amount, 0))
}

export function quantityOf(value: number | bigint, format: QuantityFormat = 'DecimalSI'): Quantity {
  return { amount: { unscaled: BigInt(value), scale: 0, kind: 'int64' }, format }
}

export function milliQuantity(value: number | bigint, format: QuantityFormat = 'DecimalSI'): Quantity {
  return { amount: { unscaled: BigInt(value), scale: milli, kind: 'int64' }, format }
}

export const zeroQuantity: Quantity = quantityOf(0)

/** The sum has the format of `a`, or of `b` if `a` is zero. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  return { amount: addAmounts(a.amount, b.amount), format: a.amount.unscaled === 0n ? b.format : a.format }
}

export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  return addQuantities(a, { amount: negateAmount(b.amount), format: b.format })
}

/** Negative, zero or positive if `a` is less than, equal to or greater than `b`. Exact at any size. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  return compareAmounts(a.amount, b.amount)
}

/** -1, 0 or 1. */
export function quantitySign(q: Quantity): number {
  return q.amount.unscaled > 0n ? 1 : q.amount.unscaled < 0n ? -1 : 0
}

/** The text that upstream writes for this quantity. */
export function formatQuantity(q: Quantity): string {
  if (q.text !== undefined) return q.text
  if (q.amount.unscaled === 0n) return '0'
  if (q.format === 'BinarySI' && showsAsBinary(q.amount)) {
    const { digits, power } = canonicalBinary(q.amount)
    return digits + binarySuffix(power * 10)
  }
  const { digits, exponent } = canonicalDecimal(q.amount)
  return digits + decimalSuffix(exponent, q.format === 'DecimalExponent' ? 'DecimalExponent' : 'DecimalSI')
}

// Below 1Ki and for fractions, a binary form would have to round, so the decimal form is used.
function showsAsBinary(amount: Amount): boolean {
  const limit: Amount = { unscaled: 1024n, scale: 0, kind: 'int64' }
  if (compareAmounts(amount, limit) < 0 && compareAmounts(amount, negateAmount(limit)) > 0) return false
  return amount.scale >= 0 || amount.unscaled % powerOf10(-amount.scale) === 0n
}

function remember(text: string): Remembered {
  let entry = memo.get(text)
  if (entry === undefined) {
    entry = readFigures(text) ?? exactFigures(text)
    if (text.length > maxMemoLength) return entry
    if (memo.size >= memoLimit) memo.clear()
    memo.set(text, entry)
  }
  return entry
}

function exactFigures(text: string): Remembered {
  const parsed = readQuantity(text)
  if (!parsed.ok) throw new Error(`cannot parse '${text}': ${parsed.message}`)
  const { value } = parsed
  return { quantity: value, milli: quantityMilli(value), int: quantityInt(value) }
}

const unitOf = lookupTable<number>({
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
})

/** Integers with a common suffix whose thousandths a double represents exactly: nearly all quantities. */
function readFigures(text: string): Remembered | undefined {
  let digits = 0
  let number = 0
  for (let code = text.charCodeAt(0); code >= 48 && code <= 57; code = text.charCodeAt(++digits)) {
    number = number * 10 + code - 48
  }
  if (digits === 0 || digits > 9) return undefined
  const suffix = text.slice(digits)
  if (suffix === 'm') return { quantity: undefined, milli: number, int: Math.ceil(number / 1000) }
  const unit = unitOf[suffix]
  if (typeof unit !== 'number' || number * unit > Number.MAX_SAFE_INTEGER / 1000) return undefined
  return { quantity: undefined, milli: number * unit * 1000, int: number * unit }
}

function readQuantity(text: string): Result<Quantity> {
  if (text === '') return failed(quantityErrors.format)
  if (text === '0') return { ok: true, value: { ...zeroQuantity, text } }
  const parts = splitQuantity(text)
  if (parts === undefined) return failed(quantityErrors.format)
  const suffix = interpretSuffix(parts.suffix)
  if (suffix === undefined) return failed(quantityErrors.suffix)
  const { exponent, format } = suffix
  if (Math.abs(exponent) > maxExponent) return failed(quantityErrors.numeric)

  const { negative, whole, fraction } = parts
  const digits = whole + fraction
  const int64 = fitsInt64(digits.length, fraction.length, exponent, format)
  const scale = (format === 'BinarySI' ? 0 : exponent) - fraction.length
  if (int64 && scale >= nano) {
    const read = BigInt(digits)
    const magnitude = format === 'BinarySI' ? read << BigInt(exponent) : read
    const amount: Amount = { unscaled: negative ? -magnitude : magnitude, scale, kind: 'int64' }
    const keep = keepsText(read, digits, scale, format)
    return { ok: true, value: keep ? { amount, format, text } : { amount, format } }
  }
  if (!/[0-9]/.test(parts.number)) return failed(quantityErrors.numeric)
  return { ok: true, value: decimalQuantity(negative, BigInt(digits), fraction.length, exponent, format) }
}

// Upstream keeps a number as int64 if a rough count of its digits says that it fits (resource.ParseQuantity). The form
// affects overflow, so the estimate is part of the behavior.
function fitsInt64(digits: number, fractionDigits: number, exponent: number, format: QuantityFormat): boolean {
  if (format !== 'BinarySI') return maxInt64Digits - digits >= 0
  return fractionDigits === 0 && 15 - digits - Math.trunc((exponent * 3) / 10) - 1 >= 0
}

// Upstream's check for "already canonical" is also an estimate: it keeps signs and leading zeros, but not a factor of
// 8.
function keepsText(value: bigint, digits: string, scale: number, format: QuantityFormat): boolean {
  if (format === 'BinarySI') return (value & 7n) !== 0n
  return scale % 3 === 0 && !digits.endsWith('000') && digits[0] !== '0'
}

function decimalQuantity(
  negative: boolean,
  digits: bigint,
  fractionDigits: number,
  exponent: number,
  format: QuantityFormat,
): Quantity {
  const binary = format === 'BinarySI'
  let unscaled = binary ? digits << BigInt(exponent) : digits
  let scale = (binary ? 0 : exponent) - fractionDigits
  if (unscaled !== 0n) {
    // A request for less than a nano-unit gets one: amounts are rounded away from zero.
    unscaled = roundAwayFromZero({ unscaled, scale, kind: 'decimal' }, nano)
    scale = nano
  }
  let shownAs = format
  if (binary && scale < 0) {
    const one = powerOf10(-scale)
    if (unscaled > int64Max * one) {
      unscaled = int64Max
      scale = 0
    } else if (unscaled > 0n && unscaled < one) shownAs = 'DecimalSI'
  }
  return { amount: { unscaled: negative ? -unscaled : unscaled, scale, kind: 'decimal' }, format: shownAs }
}
