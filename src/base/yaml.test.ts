import { expect, test } from 'vitest'
import { bodyLimits, fileLimits, loadYaml } from './yaml.ts'

const load = (text: string) => loadYaml(text, bodyLimits)[0]

/** Lists of nine aliases, each of the previous list. */
function bomb(levels: number): string {
  const name = (level: number) => `a${level}`
  const lines = [`${name(0)}: &${name(0)} [x,x,x,x,x,x,x,x,x]`]
  for (let level = 1; level <= levels; level++) {
    lines.push(
      `${name(level)}: &${name(level)} [${Array(9)
        .fill(`*${name(level - 1)}`)
        .join(',')}]`,
    )
  }
  return lines.join('\n')
}

test('expands YAML aliases to copies of their anchors', () => {
  const { a, b } = load('a: &x {c: [1]}\nb: *x') as { a: object; b: object }
  expect(b).toEqual(a)
  expect(b).not.toBe(a)
})

test.each([bodyLimits, fileLimits])('refuses a document whose aliases expand without bound', (limits) => {
  expect(() => loadYaml(bomb(9), limits)).toThrow('yaml: document contains excessive aliasing')
})

test('refuses a long text that aliases repeat without bound', () => {
  const text = `a: &a ${'x'.repeat(100_000)}\nb: [${'*a,'.repeat(100)}]`
  expect(() => load(text)).toThrow('yaml: document contains excessive aliasing')
  expect(loadYaml(text, fileLimits)).toHaveLength(1)
})

test('refuses a YAML anchor that contains itself', () => {
  expect(() => load('b: &b {c: &a [*a]}')).toThrow("yaml: anchor 'a' value contains itself")
})

test.each([
  ['flow lists', '['.repeat(20_000)],
  ['flow mappings', '{a: '.repeat(20_000)],
  ['block lists', `${'- '.repeat(20_000)}a`],
  ['keys', '? '.repeat(20_000)],
  ['aliases', Array.from({ length: 600 }, (_, i) => `a${i}: &a${i} [${i === 0 ? 1 : `*a${i - 1}`}]`).join('\n')],
])('refuses %s that nest too deeply', (_, text) => {
  expect(() => load(text)).toThrow(
    /exceeded max depth of 500|excessive aliasing|exceeded max number of members and items/,
  )
})

test('refuses YAML numbers that JSON cannot express', () => {
  expect(() => load('a: .inf')).toThrow('json: unsupported value: +Inf')
})

test('treats __proto__ in YAML as an ordinary member', () => {
  expect(load('__proto__: {a: 1}')).toEqual(JSON.parse('{"__proto__":{"a":1}}'))
})
