export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent'

/** The parts of a quantity's text. `number` is sign, digits and point as written. */
export interface QuantityParts {
  readonly negative: boolean
  readonly number: string
  /** Digits before the point without leading zeros; "0" if there are none. */
  readonly whole: string
  readonly fraction: string
  readonly suffix: string
}

/**
 * A sign, digits, a point and digits, then letters and an optional signed number that must form a known suffix.
 * Stricter than the regular expression in upstream's message, which is an approximation: one point, not several.
 * Undefined if the text does not have the form of a quantity. Reads each character once.
 */
export function splitQuantity(text: string): QuantityParts | undefined {
  const begin = text[0] === '+' || text[0] === '-' ? 1 : 0
  let significant = begin
  while (text.charCodeAt(significant) === zero) significant++
  const point = afterDigits(text, significant)
  const hasPoint = text[point] === '.'
  const numberEnd = hasPoint ? afterDigits(text, point + 1) : point
  let at = numberEnd
  while (at < text.length && suffixLetters.includes(text[at]!)) at++
  if (text[at] === '+' || text[at] === '-') at++
  if (afterDigits(text, at) !== text.length) return undefined
  return {
    negative: text[0] === '-',
    number: text.slice(0, numberEnd),
    whole: point === significant ? '0' : text.slice(significant, point),
    fraction: hasPoint ? text.slice(point + 1, numberEnd) : '',
    suffix: text.slice(numberEnd),
  }
}

const zero = 48
const nine = 57
const suffixLetters = 'eEinumkKMGTP'

function afterDigits(text: string, from: number): number {
  let at = from
  for (let code = text.charCodeAt(at); code >= zero && code <= nine; code = text.charCodeAt(at)) at++
  return at
}

interface Suffix {
  readonly exponent: number
  readonly format: QuantityFormat
}

const decimal: readonly (readonly [string, number])[] = [
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]
const binary: readonly (readonly [string, number])[] = [
  ['Ki', 10],
  ['Mi', 20],
  ['Gi', 30],
  ['Ti', 40],
  ['Pi', 50],
  ['Ei', 60],
]

const bySuffix = new Map<string, Suffix>([
  ...decimal.map(([suffix, exponent]): [string, Suffix] => [suffix, { exponent, format: 'DecimalSI' }]),
  ...binary.map(([suffix, exponent]): [string, Suffix] => [suffix, { exponent, format: 'BinarySI' }]),
])
const decimalByExponent = new Map(decimal.map(([suffix, exponent]) => [exponent, suffix]))
const binaryByExponent = new Map(binary.map(([suffix, exponent]) => [exponent, suffix]))

const exponentPattern = /^[eE]([+-]?[0-9]+)$/
const int64Limit = 2n ** 63n
// A sign and the digits of an int64. More digits are not an int64, unless they are zeros.
const maxExponentDigits = 20

/** Undefined for an unknown suffix. */
export function interpretSuffix(suffix: string): Suffix | undefined {
  const known = bySuffix.get(suffix)
  if (known !== undefined) return known
  const match = exponentPattern.exec(suffix)
  if (match === null) return undefined
  const digits = (match[1] as string).replace('+', '')
  if (digits.length > maxExponentDigits && !/^-?0/.test(digits)) return undefined
  const exponent = BigInt(digits)
  if (exponent >= int64Limit || exponent < -int64Limit) return undefined
  // Upstream parses 64 bits and keeps 32 of them.
  return { exponent: Number(BigInt.asIntN(32, exponent)), format: 'DecimalExponent' }
}

/** Exponents without a suffix are omitted. This loses the factor, as in upstream ("1000E" becomes "1"). */
export function decimalSuffix(exponent: number, format: 'DecimalSI' | 'DecimalExponent'): string {
  if (format === 'DecimalSI') return decimalByExponent.get(exponent) ?? ''
  return exponent === 0 ? '' : `e${exponent}`
}

export function binarySuffix(exponent: number): string {
  return binaryByExponent.get(exponent) ?? ''
}
