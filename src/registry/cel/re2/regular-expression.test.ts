import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RegularExpression } from './regular-expression.ts'

describe('a pattern matches', () => {
  test.each<readonly [pattern: string, text: string, matches: boolean]>([
    ['^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', 'a-b', true],
    ['^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', 'a-', false],
    ['(?i)^ABC$', 'abc', true],
    ['a.c', 'a\nc', false],
    ['(?s)a.c', 'a\nc', true],
    ['(?m)^b$', 'a\nb\nc', true],
    ['^b$', 'a\nb\nc', false],
    ['\\bfoo\\b', 'a foo b', true],
    ['^\\p{Greek}+$', 'αβγ', true],
    ['^[[:alpha:]_]+$', 'ab_c', true],
    ['^(?P<year>\\d{4})-(\\d{2})$', '2026-01', true],
    ['^\\Qa.b\\E$', 'a.b', true],
    ['^a{2,3}$', 'aaaa', false],
    ['^[^a-c]$', 'd', true],
    ['x*', '', true],
    ['^😀{2}$', '😀😀', true],
  ])('%s on %j: %s', (pattern, text, matches) => {
    expect(new RegularExpression(pattern).test(text)).toBe(matches)
  })
})

test.each([
  ['(', 'error parsing regexp: missing closing ): `(`'],
  [')', 'error parsing regexp: unexpected ): `)`'],
  ['[a', 'error parsing regexp: missing closing ]: `[a`'],
  ['*', 'error parsing regexp: missing argument to repetition operator: `*`'],
  ['a**', 'error parsing regexp: invalid nested repetition operator: `**`'],
  ['(?!a)', 'error parsing regexp: invalid or unsupported Perl syntax: `(?!`'],
  ['[b-a]', 'error parsing regexp: invalid character class range: `b-a`'],
  ['\\8', 'error parsing regexp: invalid escape sequence: `\\8`'],
  ['a{2,1}', 'error parsing regexp: invalid repeat count: `{2,1}`'],
  ['a\\', 'error parsing regexp: trailing backslash at end of expression: ``'],
])('%s is no pattern', (pattern, message) => {
  expect(() => new RegularExpression(pattern)).toThrow(message)
})

test('matches are found from left to right, the preferred alternative first', () => {
  expect(new RegularExpression('a|ab').find('xab')).toBe('a')
  expect(new RegularExpression('a+?').find('aaa')).toBe('a')
  expect(new RegularExpression('[0-9]+').findAll('1 22 333')).toEqual(['1', '22', '333'])
  expect(new RegularExpression('[0-9]+').findAll('1 22 333', 2)).toEqual(['1', '22'])
  expect(new RegularExpression('a*').findAll('baac')).toEqual(['', 'aa', ''])
})

const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '(a|b)', '(ab|a)', '(?:ba)', '^', '$')
const quantifier = fc.constantFrom('', '*', '+', '?', '{1,2}', '*?')
const part = fc.tuple(atom, quantifier).map(([one, many]) => (/^[$^]$/.test(one) ? one : one + many))
const patterns = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''))

test('it finds what JavaScript finds where both mean the same', () => {
  fc.assert(
    fc.property(patterns, fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 }), (pattern, text) => {
      expect(new RegularExpression(pattern).find(text)).toBe(new RegExp(pattern).exec(text)?.[0])
    }),
  )
})

test('it does not take forever where trying every way would', () => {
  expect(new RegularExpression('^(a+)+$').test(`${'a'.repeat(2000)}b`)).toBe(false)
})
