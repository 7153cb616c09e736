import { expect, test } from 'vitest'
import { releaseOf } from '../api/releases/release-of.ts'
import { must } from '../base/result.ts'
import { decodeBody, decodeJson } from './body.ts'
import { magic } from './protobuf/envelope.ts'
import { protobufType } from './protobuf/render.ts'

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

const { api } = must(releaseOf('1.37'))
const types = ['application/json', 'application/yaml', protobufType]
const containers = (n: number) =>
  `{"apiVersion":"v1","kind":"Pod","spec":{"containers":[${Array(n).fill('{}').join()}]}}`

/** A pod as protobuf: the type, and a message with a spec of n empty containers. */
function encodedContainers(n: number): Uint8Array {
  const message = (number: number, bytes: Uint8Array) => {
    const length: number[] = []
    for (let rest = bytes.length; ; rest >>>= 7) {
      if (rest < 0x80) return Buffer.concat([Buffer.from([(number << 3) | 2, ...length, rest]), bytes])
      length.push((rest & 0x7f) | 0x80)
    }
  }
  const type = Buffer.concat([message(1, Buffer.from('v1')), message(2, Buffer.from('Pod'))])
  const spec = Buffer.alloc(2 * n)
  for (let i = 0; i < n; i++) spec[2 * i] = (2 << 3) | 2
  return Buffer.concat([Buffer.from(magic), message(1, type), message(2, message(2, spec))])
}

// The pod, its spec and the list count, too. protobuf has no lists, but it has a message around the type and the pod.
test.each([
  ['application/json', (n: number) => Buffer.from(containers(n - 3)), ''],
  ['application/yaml', (n: number) => Buffer.from(containers(n - 3)), 'yaml: '],
  [protobufType, (n: number) => encodedContainers(n - 3), 'proto: '],
])('refuses a body of %s with more than 100,000 objects and lists', (type, body, prefix) => {
  expect(decodeBody(body(100_000), type, types, api)).toMatchObject({ kind: 'value' })
  expect(decodeBody(body(100_001), type, types, api)).toMatchObject({
    kind: 'malformed',
    message: `${prefix}exceeded max number of objects and lists of 100000`,
  })
})

test('accepts a config map with more than 100,000 members', () => {
  const data = Object.fromEntries(Array.from({ length: 120_000 }, (_, i) => [`${i}`, '']))
  expect(decodeJson(JSON.stringify({ data }))).toMatchObject({ kind: 'value' })
})
