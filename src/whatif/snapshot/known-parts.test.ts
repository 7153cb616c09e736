import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseJson } from '../../base/exact-json.ts'
import { KnownPartParser } from './known-parts.ts'

const containers = [
  { name: 'main', image: 'registry.example/web:v1', ports: [{ containerPort: 8080, protocol: 'TCP' }] },
]
const podText = (name: string, more: object = {}) =>
  JSON.stringify({ kind: 'Pod', metadata: { name }, spec: { containers, nodeName: name, ...more } })

/** Parses lines, and shares containers as a reader of snapshots does. */
function parseAll(lines: readonly string[]): readonly unknown[] {
  const parser = new KnownPartParser()
  let first: unknown
  return lines.map((line) => {
    const value = parser.parse(line) as { spec?: { containers?: unknown } }
    const text = JSON.stringify(value.spec?.containers)
    if (first === undefined) first = value.spec?.containers
    else if (value.spec !== undefined && text === JSON.stringify(first)) value.spec.containers = first
    parser.learn(value)
    return value
  })
}

describe('parts of lines that are known', () => {
  test('parses a part that several lines have only once', () => {
    const parser = new KnownPartParser()
    const values = ['a', 'b'].map((name) => parser.parse(podText(name)) as { spec: { containers: unknown } })
    const [first, second] = values as [(typeof values)[0], (typeof values)[0]]
    parser.learn(first)
    second.spec.containers = first.spec.containers
    parser.learn(second)
    const third = parser.parse(podText('c')) as typeof first
    expect(third).toEqual(JSON.parse(podText('c')))
    expect(third.spec.containers).toBe(first.spec.containers)
  })

  test.each<[string, string]>([
    ['in a string', JSON.stringify({ kind: 'Pod', note: podText('x'), spec: { note: podText('y') } })],
    [
      'in a string that ends with a comma',
      `{"note":",\\"containers\\":${JSON.stringify(JSON.stringify(containers)).slice(1)}}`,
    ],
    ['in another position', JSON.stringify({ kind: 'Pod', spec: { template: { containers } } })],
    ['twice, with a different second value', `{"spec":{"containers":${JSON.stringify(containers)},"containers":[]}}`],
    ['twice, with a different first value', `{"spec":{"containers":[],"containers":${JSON.stringify(containers)}}}`],
    ['with the character of the placeholder', podText('\u0001', { subdomain: '\u0001' })],
    [
      'with a placeholder that overrides it',
      `{"spec":{"containers":${JSON.stringify(containers)},"containers":"\\u0001"}}`,
    ],
    ['with another name that contains the same letters', `{"spec":{"my\\"containers":${JSON.stringify(containers)}}}`],
    ['with a 64-bit integer', podText('x').replace('"x"', '9223372036854775807')],
  ])('a line with a known part %s is parsed as without known parts', (_, line) => {
    const [, , value] = parseAll([podText('a'), podText('b'), line, podText('c')])
    expect(value).toEqual(parseJson(line))
    expect(Object.keys(value as object)).toEqual(Object.keys(parseJson(line) as object))
  })

  test('parses known parts that are swapped', () => {
    const list = (name: string) => [{ name, image: `registry.example/${name}:v1`, command: [name, name, name] }]
    const [web, log] = [list('web'), list('log')]
    const text = (first: object, second: object) => JSON.stringify({ spec: { inner: { list: first }, list: second } })
    const parser = new KnownPartParser()
    for (const line of [text(web, log), text(web, log)]) {
      parser.parse(line)
      parser.learn({ spec: { inner: { list: web }, list: log } })
    }
    expect(parser.parse(text(web, log))).toEqual(JSON.parse(text(web, log)))
    expect(parser.parse(text(log, web))).toEqual(JSON.parse(text(log, web)))
    expect(parser.parse(text(web, web))).toEqual(JSON.parse(text(web, web)))
  })

  test.each([
    ['cut', podText('c').slice(0, -2)],
    ['with an extra character', podText('c').replace('"spec"', 'x"spec"')],
    ['with a name outside of a string', podText('c').replace('{"containers"', '{"a,"containers"')],
  ])('rejects an invalid line with a known part: %s', (_, line) => {
    expect(() => parseAll([podText('a'), podText('b'), line])).toThrow(SyntaxError)
  })

  test('parses any sequence of lines as a parser without known parts', () => {
    const part = fc.constantFrom<unknown>(containers, [...containers, ...containers], [], null, 'x', { __proto__: 1 })
    const line = fc.record(
      {
        kind: fc.constantFrom('Pod', 'Node'),
        spec: fc.record(
          { containers: part, again: part, inner: fc.record({ containers: part }) },
          { requiredKeys: [] },
        ),
        text: fc.oneof(
          part.map((value) => JSON.stringify(value)),
          fc.string(),
        ),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(
        fc.array(
          line.map((value) => JSON.stringify(value)),
          { maxLength: 12 },
        ),
        (lines) => {
          expect(parseAll(lines)).toEqual(lines.map((each) => parseJson(each)))
        },
      ),
    )
  })
})
