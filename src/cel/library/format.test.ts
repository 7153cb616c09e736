import { expect, test } from 'vitest'
import { EvaluationError, ListValue, type Value } from '../value.ts'
import { formatText } from './format.ts'

// The results of cel-go v0.26.0 with ext.Strings(ext.StringsVersion(2)).
test.each<[string, Value, string]>([
  ['%.1000000000f', 1, '%!(NOVERB)'],
  ['%.10000009f', 1, `1.${'0'.repeat(10_000_009 % 256)}`],
  ['%.1000001f', 1, `1.${'0'.repeat(65)}`],
  ['%.10000010f', 1, '%!(NOVERB)'],
  ['%.255f', 1, `1.${'0'.repeat(255)}`],
  ['%.256f', 1, '1'],
  ['%.257f', 1, '1.0'],
  ['%.256f', 123.456, '123.4560000000000030695446184836328029632568359375'],
  ['%.300f', 1.25, `1.25${'0'.repeat(42)}`],
  ['%.20f', 0.1, '0.10000000000000000555'],
  ['%.0f', 2.5, '2'],
  ['%.0f', 0.5, '0'],
  ['%.0f', 1.5, '2'],
  ['%.1f', 0.25, '0.2'],
  ['%.2f', 999999.999, '1,000,000.00'],
  ['%.2f', -1234.5, '-1,234.50'],
  ['%.2f', -0.001, '-0.00'],
  ['%f', -0, '0.000000'],
  ['%f', 5e-324, '0.000000'],
  ['%f', 1234567.5, '1,234,567.500000'],
  ['%f', Number.NEGATIVE_INFINITY, '-∞'],
  ['%f', 'Infinity', '∞'],
  ['%f', Number.NaN, 'NaN'],
  ['%e', 1234.5, '1.234500×10⁰³'],
  ['%.2e', 1234.5, '1.234500×10⁰³'],
  ['%.20e', 1234.5, '       1.234500×10⁰³'],
  ['%.3e', 9.99999951, '1.000000×10⁰¹'],
  ['%e', 5e-324, '4.940656×10⁻³²⁴'],
  ['%e', -1e100, '-1.000000×10¹⁰⁰'],
  ['%e', 0, '0.000000×10⁰⁰'],
  ['%e', Number.NaN, '   NaN'],
  ['%e', '-Infinity', '    -∞'],
  ['%.1000000000e', 1, '%!(NOVERB)'],
  ['%s', 1234567, '1.234567e+06'],
  ['%s', 123456789.125, '1.23456789125e+08'],
  ['%s', 0.1, '0.1'],
  ['%s', 1e-7, '1e-07'],
  ['%.3d', 1n, '1'],
  [
    '%s',
    new ListValue([-0, 1e21, Number.NaN, 'q"', 'é']),
    '[-0.000000, 1000000000000000000000.000000, "NaN", "q\\"", "é"]',
  ],
  ['%s', new ListValue(['a\nb\\\u0001é', new Uint8Array([97])]), '["a\\nb\\\\\\x01é", b"a"]'],
])('formats with %s the value %s as cel-go does', (template, arg, expected) => {
  expect(formatText(template, [arg])).toBe(expected)
})

test.each<[string, Value[], string]>([
  ['%f', [1n], 'error during formatting: fixed-point clause can only be used on doubles, was given int'],
  ['%d', [1.5], 'error during formatting: decimal clause can only be used on integers, was given double'],
  ['%b', ['x'], 'error during formatting: only integers and bools can be formatted as binary, was given string'],
  ['%s%s', ['a'], 'index 1 out of range'],
  ['%', ['a'], 'unexpected end of string'],
  [
    '%.',
    [1],
    'could not parse formatting clause: error while parsing precision: could not find end of precision specifier',
  ],
  [
    '%.f',
    [1],
    'could not parse formatting clause: error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
  ],
  [
    '%.99999999999999999999f',
    [1],
    'could not parse formatting clause: error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "99999999999999999999": value out of range',
  ],
  ['%é', ['a'], 'could not parse formatting clause: unrecognized formatting clause "Ã"'],
  [
    '%s',
    [new Uint8Array([0xff])],
    'error during formatting: could not convert argument "invalid UTF-8 in bytes, cannot convert to string" to string',
  ],
])('fails to format %s as cel-go does', (template, args, message) => {
  expect(() => formatText(template, args)).toThrow(new EvaluationError(message))
})
