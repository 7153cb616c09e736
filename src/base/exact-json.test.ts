import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  encodeJson,
  incremented,
  Numeral,
  outOfRange,
  parseJson,
  parseWithNumerals,
  withoutNumerals,
} from './exact-json.ts'

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })

test('reads and writes 64-bit integers with all their digits', () => {
  fc.assert(
    fc.property(int64, fc.jsonValue(), (integer, other) => {
      const text = `{"a":[${integer}, {"b" : ${JSON.stringify(other)}}]}`
      const value = parseJson(text) as { a: [number | bigint, object] }
      expect(BigInt(value.a[0])).toBe(integer)
      expect(encodeJson(value)).toBe(text.replaceAll(/, \{"b" : /g, ',{"b":'))
      expect(parseJson(encodeJson(value, 2))).toEqual(value)
    }),
  )
})

const shortNumbers = fc.jsonValue().filter((value) => !/\d{16}/.test(JSON.stringify(value)))

test('reads and writes other values as JSON.parse and JSON.stringify do', () => {
  fc.assert(
    fc.property(shortNumbers, (value) => {
      const text = JSON.stringify(value, null, 1)
      expect(parseJson(text)).toEqual(JSON.parse(text))
      expect(withoutNumerals(parseWithNumerals(text))).toEqual(JSON.parse(text))
      expect(encodeJson(JSON.parse(text), 2)).toBe(JSON.stringify(JSON.parse(text), null, 2))
    }),
  )
})

test('formats a value with a 64-bit integer as JSON.stringify formats it', () => {
  const value = { a: [1, { b: [], c: {} }], d: undefined, e: 2n ** 60n }
  const expected = JSON.stringify({ ...value, e: 0 }, null, 2).replace('"e": 0', `"e": ${2n ** 60n}`)
  expect(encodeJson(value, 2)).toBe(expected)
})

test.each([
  ['1', 1],
  ['-0', 0],
  ['0.5', 0.5],
  ['9007199254740993', 9007199254740993n],
  ['-9223372036854775808', -(2n ** 63n)],
  ['9223372036854775808', new Numeral('9223372036854775808')],
  ['1.0', new Numeral('1.0')],
  ['1e3', new Numeral('1e3')],
  ['1e400', new Numeral('1e400')],
])('reads %s in JSON as a number', (text, value) => {
  expect(parseWithNumerals(text)).toEqual(value)
  expect((parseWithNumerals(`[${text}]`) as unknown[])[0]).toEqual(value)
})

test('keeps member names, and uses the last of several members with one name', () => {
  const text = '{"__proto__":{"x":1.0},"a":1e1,"\\u0061":2, "b\\"" : [ ] , "c":{ }}'
  expect(withoutNumerals(parseWithNumerals(text))).toEqual(JSON.parse(text))
})

test('finds numbers in JSON that exceed a double', () => {
  expect(outOfRange(parseWithNumerals('{"a":[1.0,{"b":-1e999}]}'))?.text).toBe('-1e999')
  expect(outOfRange(parseWithNumerals('{"a":[1.0]}'))).toBeUndefined()
})

test('increments 64-bit integers exactly', () => {
  expect(incremented(1)).toBe(2)
  expect(incremented(Number.MAX_SAFE_INTEGER)).toBe(2n ** 53n)
})
