import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deepEqual, semanticEqual } from './equality.ts'

describe('deepEqual', () => {
  it('agrees with a slow comparison on JSON', () => {
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
    ['order of properties', { a: 1, b: 2 }, { b: 2, a: 1 }, true, true],
    ['an undefined property', { a: 1, b: undefined }, { a: 1 }, true, true],
    ['one property more', { a: 1 }, { a: 1, b: 2 }, false, false],
    ['other properties', { a: 1 }, { b: 1 }, false, false],
    ['a list is not an object', [], {}, false, false],
    ['an empty list and none', { a: [] }, {}, false, true],
    ['an empty map and none', {}, { a: {} }, false, true],
    ['null and none', { a: null }, {}, false, true],
    ['an empty text and none', { a: '' }, {}, false, false],
    ['zero and none', { a: 0 }, {}, false, false],
    ['lists of other lengths', [1], [1, 2], false, false],
    ['lists', [{ a: [1] }], [{ a: [1] }], true, true],
  ])('compares %s', (_, a, b, deep, semantic) => {
    expect([deepEqual(a, b), deepEqual(b, a)]).toEqual([deep, deep])
    expect([semanticEqual(a, b), semanticEqual(b, a)]).toEqual([semantic, semantic])
  })
})
