import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileLabelSelector, labelMatcher, matcherFromMap, parseLabelSelector, selects } from './label-selector.ts'
import type { LabelSelector } from './objects/meta.ts'

function parse(text: string) {
  const parsed = parseLabelSelector(text)
  if (!parsed.ok) throw new Error(parsed.message)
  return parsed.value
}

describe('parseLabelSelector', () => {
  it.each([
    ['x in (foo,,baz),y,z notin ()', 'x in (,baz,foo),y,z notin ()'],
    ['a in (,a)', 'a in (,a)'],
    ['a in (b,b)', 'a in (b)'],
    ['b=1,a=2,a=1', 'a=2,a=1,b=1'],
    ['a>10,b<3', 'a>10,b<3'],
    ['in notin (notin)', 'in notin (notin)'],
    ['\ta\n', 'a'],
  ])('writes the label selector %j as %j', (text, canonical) => {
    expect(parse(text).toString()).toBe(canonical)
    expect(parse(canonical).toString()).toBe(canonical)
  })

  it.each([
    [',', "found ',', expected: !, identifier, or 'end of string'"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['!a=1', "found '=', expected: ',' or 'end of string'"],
    ['a=1,', "found '', expected: identifier after ','"],
    ['a===1', "unable to parse requirement: found '=', expected: identifier"],
    ['a in 1', "unable to parse requirement: found '1' expected: '('"],
    ['/n=v', 'unable to parse requirement: <nil>: Invalid value: "/n": prefix part must be non-empty'],
    [
      'a>x',
      "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
  ])("rejects the label selector %j with upstream's message", (text, message) => {
    expect(parseLabelSelector(text)).toEqual({ ok: false, message })
  })

  it('compares 64-bit integers in label selectors exactly', () => {
    const above = parse('a>9007199254740992')
    expect(above.matches({ a: '9007199254740993' })).toBe(true)
    expect(above.matches({ a: '9007199254740992' })).toBe(false)
    expect(above.matches({ a: '99999999999999999999' })).toBe(false)
    expect(parse('a<2').matches({ a: '-3' })).toBe(true)
  })

  it('does not treat properties of Object as labels', () => {
    expect(parse('constructor').matches({})).toBe(false)
    expect(parse('!toString').matches({})).toBe(true)
    expect(parse('toString!=x').matches({})).toBe(true)
  })
})

describe('compileLabelSelector', () => {
  it.each<[string, LabelSelector | undefined, boolean]>([
    ['an absent selector selects nothing', undefined, false],
    ['an empty selector selects everything', {}, true],
    ['all matchLabels must match', { matchLabels: { app: 'web', tier: 'x' } }, false],
    ['all matchLabels match', { matchLabels: { app: 'web' } }, true],
    ['In finds the value', { matchExpressions: [{ key: 'app', operator: 'In', values: ['db', 'web'] }] }, true],
    ['NotIn selects an absent key', { matchExpressions: [{ key: 'b', operator: 'NotIn', values: ['x'] }] }, true],
    ['Exists', { matchExpressions: [{ key: 'app', operator: 'Exists' }] }, true],
    ['DoesNotExist', { matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] }, false],
    ['an invalid selector selects nothing', { matchExpressions: [{ key: 'app', operator: 'In' }] }, false],
  ])('compiles a label selector: %s', (_, selector, selected) => {
    expect(selects(selector, { app: 'web' })).toBe(selected)
    expect(labelMatcher(selector).matches({ app: 'web' })).toBe(selected)
  })

  it('reports an invalid operator of a label selector', () => {
    const selector = { matchExpressions: [{ key: 'a', operator: 'Gt' as never, values: ['1'] }] }
    expect(compileLabelSelector(selector)).toEqual({
      ok: false,
      message: '"Gt" is not a valid label selector operator',
    })
  })

  it('matches the same labels as its text form', () => {
    const key = fc.constantFrom('a', 'b', 'c')
    const value = fc.constantFrom('', '1', '2', 'x')
    const expression = fc.oneof(
      fc.record({
        key,
        operator: fc.constantFrom('In' as const, 'NotIn' as const),
        values: fc.array(value, { minLength: 1 }),
      }),
      fc.record({ key, operator: fc.constantFrom('Exists' as const, 'DoesNotExist' as const) }),
    )
    const selector = fc.record({ matchLabels: fc.dictionary(key, value), matchExpressions: fc.array(expression) })
    fc.assert(
      fc.property(selector, fc.dictionary(key, value), (object, labels) => {
        const matcher = labelMatcher(object)
        expect(parse(matcher.toString()).matches(labels)).toBe(matcher.matches(labels))
      }),
    )
  })
})

describe('LabelMatcher', () => {
  it('returns the single value that a key must have', () => {
    const matcher = parse('a=1,b in (x),c in (x,y),d!=1,e')
    expect(['a', 'b', 'c', 'd', 'e', 'f'].map((key) => matcher.exactValue(key))).toEqual([
      '1',
      'x',
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })

  it('adds requirements to a label matcher', () => {
    const both = matcherFromMap({ b: '1' }).and(parse('a').requirements)
    expect(both.toString()).toBe('a,b=1')
    expect([both.matches({ a: '', b: '1' }), both.matches({ b: '1' })]).toEqual([true, false])
  })

  it('matches everything for an empty or absent map', () => {
    expect([matcherFromMap({}).everything, matcherFromMap(undefined).matches({ a: '1' })]).toEqual([true, true])
  })
})
