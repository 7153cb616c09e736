import { assert as check, jsonValue, property, string } from 'fast-check'
import { expect, it } from 'vitest'
import { jsonProblem } from './json-problem.ts'

// Recorded from Go's json.Unmarshal.
it.each([
  ['', 'unexpected end of JSON input'],
  ['nonsense', "invalid character 'o' in literal null (expecting 'u')"],
  ['{"a":1', 'unexpected end of JSON input'],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
  ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
  ['[1,]', "invalid character ']' looking for beginning of value"],
  ['[1 2]', "invalid character '2' after array element"],
  ['{"a":1 "b":2}', `invalid character '"' after object key:value pair`],
  ['{} x', "invalid character 'x' after top-level value"],
  ['"\u0001"', String.raw`invalid character '\x01' in string literal`],
  [String.raw`"\x"`, "invalid character 'x' in string escape code"],
  ["'a'", String.raw`invalid character '\'' looking for beginning of value`],
  ['-x', "invalid character 'x' in numeric literal"],
  ['1.x', "invalid character 'x' after decimal point in numeric literal"],
  ['01', "invalid character '1' after top-level value"],
])('reports the syntax error of the JSON text %j: %s', (text, problem) => {
  expect(jsonProblem(text)).toBe(problem)
})

const accepted = (text: string) => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

it('finds a syntax error exactly if JSON.parse does', () => {
  check(property(string({ unit: 'grapheme-ascii' }), (text) => (jsonProblem(text) === undefined) === accepted(text)))
  check(
    property(jsonValue(), string({ maxLength: 2 }), (value, noise) => {
      const text = JSON.stringify(value)
      const cut = `${text.slice(0, text.length >> 1)}${noise}${text.slice(text.length >> 1)}`
      return jsonProblem(text) === undefined && (jsonProblem(cut) === undefined) === accepted(cut)
    }),
  )
})
