import { expect, test } from 'vitest'
import { decodeJson } from './body.ts'

// encoding/json, unquote: half of a surrogate pair is replaced.
test.each([
  ['"\\ud800"', '\ufffd'],
  ['"\\ud800\\ud83d\\udea2\\udea2"', '\ufffd🚢\ufffd'],
  ['"\\uD83D\\uDEA2"', '🚢'],
  ['"\\\\ud800"', '\\ud800'],
  ['"\\\\\\udfff\\u0041"', '\\\ufffdA'],
])('decodes the escapes of surrogates in %s as Go does', (text, expected) => {
  expect(decodeJson(text)).toMatchObject({ kind: 'value', value: expected })
})
