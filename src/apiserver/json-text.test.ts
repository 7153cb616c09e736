import fc from 'fast-check'
import { expect, test } from 'vitest'
import { defaultRelease } from '../api/releases/release-of.ts'
import { forgetRecent } from '../base/recent.ts'
import { decodeBody, decodeJson, findDuplicates } from './body.ts'
import { outlineOf, parseSharing } from './json-text.ts'

const shared = (text: string) => (parseSharing(text, outlineOf(text)).value as { spec: unknown }).spec

test('shares the parsed spec between bodies whose specs have the same text, from the second body on', () => {
  forgetRecent()
  const pod = (name: string) => `{"metadata":{"name":"${name}"},"spec":{"a":[1,{"b":"}\\""}]}}`
  expect(shared(pod('one'))).toEqual({ a: [1, { b: '}"' }] })
  expect(shared(pod('two'))).toBe(shared(pod('three')))
  expect(parseSharing(pod('two'), outlineOf(pod('two'))).value).toEqual(JSON.parse(pod('two')))
})

test.each([
  ['two specs', '{"spec":{"a":1},"spec":{"a":2}}'],
  ['no spec', '{"a":{"spec":{"a":1}}}'],
  ['a list', '[{"spec":{"a":1}}]'],
])('parses %s without a shared spec', (_, text) => {
  expect(outlineOf(text).spec).toBeUndefined()
  expect(parseSharing(text, outlineOf(text)).value).toEqual(JSON.parse(text))
})

test.each([
  '{"spec":{"z":1}',
  '{"spec":{"z":1}}}',
  '{"spec":{"z":1]}',
  '{"spec":{"z":1}"a":2}',
  '{"a":"x,"spec":{"z":1}}',
  '{,"spec":{"z":1}}',
])('rejects %s whether or not its spec is known', (text) => {
  expect(decodeJson(text).kind).toBe('malformed')
  for (let bodies = 0; bodies < 3; bodies++) expect(decodeJson('{"spec":{"z":1}}').kind).toBe('value')
  expect(decodeJson(text).kind).toBe('malformed')
})

const documents = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, fc.string(), fc.integer(), fc.constant(null), tie('list'), tie('object')),
  list: fc.array(tie('value'), { maxLength: 3 }),
  object: fc.dictionary(fc.oneof(fc.constantFrom('spec', 'a', '"', '\\', ','), fc.string()), tie('value'), {
    maxKeys: 4,
  }),
}))

test('parses the same values as JSON.parse, and finds duplicate keys', () => {
  const texts = fc.oneof(documents.object, documents.list).map((value) => JSON.stringify(value, null, 1))
  const twice = fc
    .tuple(documents.object, documents.object)
    .map(([one, other]) => `{"spec":${JSON.stringify(one)},"a":1,"spec":${JSON.stringify(other)}}`)
  fc.assert(
    fc.property(fc.oneof(texts, twice), (text) => {
      const expected = {
        kind: 'value',
        value: JSON.parse(text),
        strict: findDuplicates(text).map((path) => `duplicate field ${JSON.stringify(path)}`),
      }
      // Parsed as a whole first, then in two parts, then with a known spec.
      for (let bodies = 0; bodies < 3; bodies++) expect(decodeJson(text)).toEqual(expected)
    }),
  )
})

test.each([
  ['named again with an escape', (a: string, b: string) => `{"spec":${a},"\\u0073pec":${b}}`],
  ['named before with an escape', (a: string, b: string) => `{"\\u0073pec":${b},"spec":${a}}`],
  ['named twice with escapes', (a: string, b: string) => `{"\\u0073pec":${b},"s\\u0070ec":${a}}`],
  ['followed by another value', (a: string, b: string) => `{"spec":${a} ${b}}`],
  ['preceded by a comment', (a: string, b: string) => `{"spec":/*${b}*/${a}}`],
  ['named with a prototype', (a: string, b: string) => `{"spec":${a},"__proto__":{"spec":${b}}}`],
  ['in a list', (a: string, b: string) => `[{"spec":${b}},"spec":${a}]`],
])('keeps later bodies correct after a body whose spec is %s', (_, hostile) => {
  const spec = (image: string) => JSON.stringify({ containers: [{ name: 'a', image: `${image}-${_}` }] })
  const text = hostile(spec('good'), spec('bad'))
  const first = decodeJson(text)
  for (let bodies = 0; bodies < 3; bodies++) {
    const later = decodeJson(`{"metadata":{"name":"b"},"spec":${spec('good')}}`)
    expect(later).toMatchObject({ kind: 'value', value: { spec: JSON.parse(spec('good')) } })
    expect(decodeJson(text)).toEqual(first)
  }
  if (first.kind === 'value') expect(first.value).toEqual(JSON.parse(text))
  else expect(() => JSON.parse(text)).toThrow()
})

test.each([
  [
    'a byte order mark is not JSON',
    '\ufeff{}',
    { kind: 'malformed', message: "invalid character 'ï' looking for beginning of value" },
  ],
  [
    'half of a surrogate pair is replaced',
    '{"a\\ud800":["\\uDC00b"]}',
    { kind: 'value', value: { 'a\ufffd': ['\ufffdb'] } },
  ],
  ['a surrogate pair is a character', '{"a":"\\ud83d\\ude00"}', { kind: 'value', value: { a: '😀' } }],
])('decodes a body as Go does: %s', (_, text, expected) => {
  expect(
    decodeBody(new TextEncoder().encode(text), 'application/json', ['application/json'], defaultRelease.api),
  ).toMatchObject(expected)
})
