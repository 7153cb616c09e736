import { expect, test } from 'vitest'
import { releaseOf } from '../api/releases/release-of.ts'
import { must } from '../base/result.ts'
import { maxMembers, maxValues } from '../base/value-limits.ts'
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

// The type, the spec and its list are members of the pod, too; in protobuf, only the spec is a member.
test.each([
  ['application/json', (n: number) => Buffer.from(containers(n - 4)), ''],
  ['application/yaml', (n: number) => Buffer.from(containers(n - 4)), 'yaml: '],
  [protobufType, (n: number) => encodedContainers(n - 1), 'proto: '],
])('refuses a body of %s with more members and items than the limit', (type, body, prefix) => {
  expect(decodeBody(body(maxValues), type, types, api)).toMatchObject({ kind: 'value' })
  expect(decodeBody(body(maxValues + 1), type, types, api)).toMatchObject({
    kind: 'malformed',
    message: expect.stringContaining(`${prefix}exceeded max number of `),
  })
})

const members = (n: number) => `{${Array.from({ length: n }, (_, i) => `"${i}":""`).join()}}`

test.each([
  [
    'items',
    maxValues,
    (n: number) =>
      `{"a":[${Array(n - 1)
        .fill('1')
        .join()}]}`,
  ],
  [
    'members of objects',
    maxValues - 4,
    (n: number) =>
      `{"a":[${Array(5)
        .fill(members((n - 6) / 5))
        .join()}]}`,
  ],
  ['members of one object', maxMembers, members],
])('refuses a body with more %s than the limit, in JSON and in YAML', (_, limit, text) => {
  for (const type of ['application/json', 'application/yaml']) {
    expect(decodeBody(Buffer.from(text(limit)), type, types, api)).toMatchObject({ kind: 'value' })
    expect(decodeBody(Buffer.from(text(limit + 5)), type, types, api)).toMatchObject({ kind: 'malformed' })
  }
})

// Bodies that JSON and YAML read differently. A body of server-side apply is read as YAML.
test.each([
  ['{"a":[1,"x",{}],"__proto__":{"b":null}}', '{"a":[1,"x",{}],"__proto__":{"b":null}}'],
  ['{"a":"\\u00e9","b":"\\/"}', '{"a":"é","b":"/"}'],
  ['{"a":1.50}', '{"a":1.5}'],
  ['{"<<":{"a":1},"b":2}', undefined],
  ['{"a":1,"a":2}', '{"a":2}'],
  ['{"a":1} trailing', undefined],
  ['{"a":yes}', '{"a":true}'],
  ['{"a":"\u007f"}', undefined],
])('reads %s in YAML as before', (text, json) => {
  const decoded = decodeBody(Buffer.from(text), 'application/yaml', types, api)
  const slow = decodeBody(Buffer.from(` ${text}`), 'application/yaml', types, api)
  expect(decoded).toEqual(slow)
  if (json !== undefined) expect(decoded).toMatchObject({ value: JSON.parse(json) })
})

test('refuses YAML with more lines and commas than it reads in one step, but not long texts in it', () => {
  const yaml = (text: string) => decodeBody(Buffer.from(text), 'application/yaml', types, api)
  const lines = (n: number, line: string) => `${line}\n`.repeat(n)
  expect(yaml(`data:\n  a: |\n${lines(40_000, '    b, c: "d"')}  e: f\n`)).toMatchObject({ kind: 'value' })
  expect(yaml(`metadata: {name: a}\ny: "a"\nx: 'b'\ndata:\n  a: |\n${lines(40_000, '    b')}`)).toMatchObject({
    kind: 'value',
  })
  const message = 'yaml: exceeded max number of lines and commas of 20000; larger bodies must be JSON'
  for (const text of [
    lines(20_001, '- a'),
    `[${'a,'.repeat(20_001)}]`,
    `a: ["b: |\n    c", ${'1,\n    '.repeat(20_001)}]`,
    `a: 'b\nc: |\n    d'\n${lines(20_001, '? - a')}`,
    `a: { # }\n  b: |\n${lines(20_001, '    ,')}`,
    `a: |\n  b\n${lines(20_001, 'c: d')}`,
  ]) {
    expect(yaml(text)).toEqual({ kind: 'malformed', message, isYaml: true })
  }
})
