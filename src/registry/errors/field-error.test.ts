import { expect, test } from 'vitest'
import { quoteValue } from './field-error.ts'

// The output of Go's strconv.Quote.
test.each([
  ['plain', '"plain"'],
  ['a"b\\c', '"a\\"b\\\\c"'],
  ['\x07\b\t\n\v\f\r\0\x1f\x7f', '"\\a\\b\\t\\n\\v\\f\\r\\x00\\x1f\\x7f"'],
  ['\\u0001', '"\\\\u0001"'],
  ['\u0080\u2028\ue000', '"\\u0080\\u2028\\ue000"'],
  ['\u{e0001}\u{10ffff}', '"\\U000e0001\\U0010ffff"'],
  ['é🚢\ufffd', '"é🚢\ufffd"'],
])('quotes the string %j as Go does', (text, expected) => {
  expect(quoteValue(text)).toBe(expected)
})
