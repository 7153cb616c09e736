import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  firstMissing,
  includesIndex,
  intervalsText,
  merged,
  overlapOf,
  parseIntervals,
  totalOf,
  withIndexes,
} from './index-intervals.ts'

const limit = 20
const indexes = fc.uniqueArray(fc.nat(limit - 1))

describe('index intervals', () => {
  it.each([
    ['', '', 0],
    ['1', '1', 1],
    ['1,2', '1,2', 2],
    ['1-3,5', '1-3,5', 4],
    ['1,2,3', '1-3', 3],
    ['x,4,5-y,7', '4,7', 2],
    ['18-30,40', '18,19', 2],
  ])('parses the intervals %j as %j', (text, canonical, total) => {
    const intervals = parseIntervals(text, limit)
    expect(intervalsText(intervals)).toBe(canonical)
    expect(totalOf(intervals)).toBe(total)
  })

  it('writes and parses sets of indexes without loss', () => {
    fc.assert(
      fc.property(indexes, indexes, fc.nat(limit), (a, b, count) => {
        const [setA, setB] = [new Set(a), new Set(b)]
        const [one, other] = [withIndexes([], a), withIndexes([], b)]
        expect(parseIntervals(intervalsText(one), limit)).toEqual(one)
        expect(totalOf(one)).toBe(setA.size)
        for (let i = 0; i < limit; i++) expect(includesIndex(one, i)).toBe(setA.has(i))
        expect(totalOf(merged([...one, ...other]))).toBe(new Set([...a, ...b]).size)
        expect(overlapOf(one, other)).toBe(a.filter((i) => setB.has(i)).length)
        const free = Array.from({ length: limit }, (_, i) => i).filter((i) => !setA.has(i))
        expect(firstMissing(one, count, limit)).toEqual(free.slice(0, count))
      }),
    )
  })
})
