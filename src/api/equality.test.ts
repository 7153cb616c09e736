import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deepEqual, semanticEqual } from './equality.ts'

describe('deepEqual', () => {
  it('compares JSON values like a slow comparison', () => {
    const small = fc.jsonValue({ depthSize: 'small', maxDepth: 3 })
    fc.assert(
      fc.property(small, small, (a, b) => {
        const copy: unknown = JSON.parse(JSON.stringify(a))
        expect(deepEqual(a, copy)).toBe(true)
        expect(deepEqual(a, b)).toBe(isDeepStrictEqual(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b))))
      }),
    )
  })

  it.each<[string, unknown, unknown, boolean, boolean]>([
    ['properties in another order', { a: 1, b: 2 }, { b: 2, a: 1 }, true, true],
    ['an undefined property', { a: 1, b: undefined }, { a: 1 }, true, true],
    ['an additional property', { a: 1 }, { a: 1, b: 2 }, false, false],
    ['other properties', { a: 1 }, { b: 1 }, false, false],
    ['a list and an object', [], {}, false, false],
    ['an empty and an absent list', { a: [] }, {}, false, true],
    ['an empty and an absent map', {}, { a: {} }, false, true],
    ['null and an absent value', { a: null }, {}, false, true],
    ['an empty and an absent string', { a: '' }, {}, false, false],
    ['zero and an absent value', { a: 0 }, {}, false, false],
    ['lists of different lengths', [1], [1, 2], false, false],
    ['lists', [{ a: [1] }], [{ a: [1] }], true, true],
  ])('compares %s by deepEqual', (_, a, b, deep, semantic) => {
    expect([deepEqual(a, b), deepEqual(b, a)]).toEqual([deep, deep])
    expect([semanticEqual(a, b), semanticEqual(b, a)]).toEqual([semantic, semantic])
  })
})
