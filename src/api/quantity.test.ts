import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  intValue,
  milliQuantity,
  milliValue,
  milliValueInt64,
  parseQuantity,
  type Quantity,
  quantity,
  quantityErrors,
  quantityOf,
  quantitySign,
  subtractQuantities,
  valueInt64,
} from './quantity.ts'

/** The reference: an exact number of nano-units. */
function nanos(text: string): bigint {
  const [, sign, whole = '', fraction = '', suffix = ''] = /^([+-]?)([0-9]*)(?:\.([0-9]*))?(.*)$/.exec(text) ?? []
  const decimal: Record<string, number> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 }
  const binary: Record<string, bigint> = { Ki: 10n, Mi: 20n, Gi: 30n, Ti: 40n, Pi: 50n, Ei: 60n }
  const shift = binary[suffix]
  const exponent = decimal[suffix] ?? (/^[eE]/.test(suffix) ? Number(suffix.slice(1)) : 0)
  const power = exponent + 9 - fraction.length
  let digits = BigInt(whole + fraction || '0') << (shift ?? 0n)
  if (power >= 0) digits *= 10n ** BigInt(power)
  else {
    const divisor = 10n ** BigInt(-power)
    digits = digits % divisor === 0n ? digits / divisor : digits / divisor + 1n
  }
  // Binary forms are limited to the largest int64.
  if (shift !== undefined && digits > (2n ** 63n - 1n) * 10n ** 9n) digits = (2n ** 63n - 1n) * 10n ** 9n
  return sign === '-' ? -digits : digits
}

const suffix = fc.constantFrom('n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'Ki', 'Mi', 'Gi', 'Ti', 'e3', 'E-3', 'e0')
const digits = fc.oneof(fc.nat(3000), fc.nat(2 ** 31 - 1)).map(String)
const text = fc
  .tuple(fc.constantFrom('', '-', '+'), digits, fc.option(fc.nat(9999).map(String), { nil: undefined }), suffix)
  .map(([sign, whole, fraction, unit]) => `${sign}${whole}${fraction === undefined ? '' : `.${fraction}`}${unit}`)

function exactNanos(q: Quantity): bigint {
  // Zeros with many digits keep a finer scale than nano.
  return (q.amount.unscaled * 10n ** BigInt(q.amount.scale + 29)) / 10n ** 20n
}

function abs(n: bigint): bigint {
  return n < 0n ? -n : n
}

describe('quantities', () => {
  it('keeps quantities exact to the nano-unit', () => {
    fc.assert(
      fc.property(text, (t) => {
        expect(exactNanos(quantity(t))).toBe(nanos(t))
      }),
    )
  })

  it('adds, subtracts and compares quantities as exact numbers', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const [qa, qb] = [quantity(a), quantity(b)]
        expect(exactNanos(addQuantities(qa, qb))).toBe(nanos(a) + nanos(b))
        expect(exactNanos(subtractQuantities(qa, qb))).toBe(nanos(a) - nanos(b))
        const order = nanos(a) < nanos(b) ? -1 : nanos(a) > nanos(b) ? 1 : 0
        expect(compareQuantities(qa, qb)).toBe(order)
        expect(quantitySign(qa)).toBe(nanos(a) < 0n ? -1 : nanos(a) > 0n ? 1 : 0)
      }),
    )
  })

  it('keeps the value in its canonical text, which is stable', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const sum = addQuantities(quantity(a), quantity(b))
        const written = formatQuantity(sum)
        // A binary form above the largest int64 is limited to it when it is parsed.
        if (sum.format === 'BinarySI' && written.endsWith('i') && abs(exactNanos(sum)) > 10n ** 27n) return
        expect(exactNanos(quantity(written))).toBe(exactNanos(sum))
        expect(formatQuantity({ amount: quantity(written).amount, format: sum.format })).toBe(written)
      }),
    )
  })

  it('rounds up to units and milli-units if the result fits into an int64', () => {
    fc.assert(
      fc.property(
        text.filter((t) => !t.startsWith('-') && nanos(t) < 10n ** 24n),
        (t) => {
          const up = (unit: bigint): bigint => (nanos(t) + unit - 1n) / unit
          expect(valueInt64(quantity(t))).toBe(up(10n ** 9n))
          expect(milliValueInt64(quantity(t))).toBe(up(10n ** 6n))
          expect([milliValue(t), intValue(t)]).toEqual([Number(up(10n ** 6n)), Number(up(10n ** 9n))])
        },
      ),
    )
  })

  it.each([
    ['100m', 100, 1],
    ['1.5', 1500, 2],
    ['128Mi', 134217728000, 134217728],
    ['1n', 1, 1],
    ['4', 4000, 4],
    [2, 2000, 2],
    ['00010k', 10000000, 10000],
    [undefined, 0, 0],
  ])('reads %s as %d milli-units and %d units', (t, milli, int) => {
    expect([milliValue(t), intValue(t)]).toEqual([milli, int])
  })

  it.each([
    [addQuantities(quantity('100m'), quantity('0.9')), '1'],
    [addQuantities(quantity('0'), quantity('1Gi')), '1Gi'],
    [addQuantities(quantity('1Gi'), quantity('512Mi')), '1536Mi'],
    [addQuantities(quantity('1Gi'), quantity('1')), '1073741825'],
    [subtractQuantities(quantity('1'), quantity('1')), '0'],
    [milliQuantity(2500), '2500m'],
    [quantityOf(200 * 1024 * 1024, 'BinarySI'), '200Mi'],
    [quantityOf(1023, 'BinarySI'), '1023'],
    [quantityOf(5_000_000, 'DecimalExponent'), '5e6'],
    [addQuantities(quantity('9223372036854775807'), quantity('1')), '9223372036854775808'],
  ])('writes quantity %# as %2$s', (q, written) => {
    expect(formatQuantity(q)).toBe(written)
  })

  it.each([
    ['', quantityErrors.format],
    ['1 Gi', quantityErrors.format],
    ['1gi', quantityErrors.format],
    ['1Ki5', quantityErrors.suffix],
    ['Ei', quantityErrors.numeric],
    ['1e999999999', quantityErrors.numeric],
  ])('rejects the quantity %j', (t, message) => {
    expect(parseQuantity(t)).toEqual({ ok: false, message })
    expect(() => milliValue(t)).toThrow(message)
  })
})

describe('long texts', () => {
  const digits = '1'.repeat(120_000)
  it.each([
    [digits, true],
    [`${digits}Ki`, true],
    [`0.${digits}`, true],
    [`1${'0'.repeat(120_000)}`, true],
    [`${'0'.repeat(120_000)}1`, true],
    [`${digits}!`, false],
    [`${digits}.${digits}.1`, false],
    [`1e${digits}`, false],
    ['m'.repeat(120_000), false],
  ])('parses and writes long quantities in one pass each', (text, isQuantity) => {
    const parsed = parseQuantity(text)
    expect(parsed.ok).toBe(isQuantity)
    if (parsed.ok) expect(formatQuantity(parsed.value).length).toBeGreaterThan(0)
  })
})
