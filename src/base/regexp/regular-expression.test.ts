import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MatchBudgetError } from './automaton.ts'
import { RegularExpression, regularExpression } from './regular-expression.ts'

test('finds matches of a regular expression from left to right, the preferred alternative first', () => {
  expect(new RegularExpression('a|ab').find('xab')).toBe('a')
  expect(new RegularExpression('a+?').find('aaa')).toBe('a')
  expect(new RegularExpression('[0-9]+').findAll('1 22 333')).toEqual(['1', '22', '333'])
  expect(new RegularExpression('[0-9]+').findAll('1 22 333', 2)).toEqual(['1', '22'])
  expect(new RegularExpression('a*').findAll('baac')).toEqual(['', 'aa', ''])
})

test('captures groups of a regular expression, with -1 for groups that are not part of the match', () => {
  expect(new RegularExpression('(?P<year>\\d{4})-(\\d\\d)|(x)').findIndexes('on 2026-01')).toEqual([
    3, 10, 3, 7, 8, 10, -1, -1,
  ])
})

describe('regular expressions in linear time', () => {
  const long = 250_000
  test.each([
    ['^(a+)+$', `${'a'.repeat(long)}b`],
    ['^(a|aa|ab|a.)*$', `${'a'.repeat(long)}\n`],
    ['[a-z]+[0-9]*x', 'a'.repeat(long)],
    ['^[\\p{L}\\p{N}]+(\\p{P}[\\p{L}\\p{N}]+)*$', `${'ż'.repeat(long)}🚢`],
    ['(a|b)*a(a|b){12}c', 'ab'.repeat(10_000)],
  ])('matches %s in linear time', (pattern, text) => {
    expect(new RegularExpression(pattern).test(text)).toBe(false)
  })

  test.each(['(', '[^a]', '\\pL', 'a|', 'x*?', '[[:alpha:]', '[[:', '\\Q', '(?P<n>', 'é', '{1,2'])(
    'refuses a pattern of many %s in linear time',
    (part) => {
      expect(() => new RegularExpression(part.repeat(60_000))).toThrow(/^error parsing regexp: /)
    },
  )
})

test('fails when a large regular expression runs on a long text', () => {
  expect(() => new RegularExpression('(x+x+)+y').findAll('x'.repeat(2_000_000))).toThrow(MatchBudgetError)
})

test('refuses regular expressions with more instructions than a request may use', () => {
  expect(() => regularExpression('(?:a{1000}){1}'.repeat(60))).toThrow('error parsing regexp: expression too large: `')
  expect(() => regularExpression('('.repeat(1001) + ')'.repeat(1001))).toThrow('expression nests too deeply')
})

const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '(a|b)', '(ab|a)', '(?:ba)', '^', '$')
const quantifier = fc.constantFrom('', '*', '+', '?', '{1,2}', '*?')
const part = fc.tuple(atom, quantifier).map(([one, many]) => (/^[$^]$/.test(one) ? one : one + many))
const patterns = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''))

test('finds the same matches as JavaScript for patterns with the same meaning in both', () => {
  fc.assert(
    fc.property(patterns, fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 }), (pattern, text) => {
      expect(new RegularExpression(pattern).find(text)).toBe(new RegExp(pattern).exec(text)?.[0])
    }),
  )
})
