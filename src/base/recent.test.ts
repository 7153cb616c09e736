import { expect, test } from 'vitest'
import { forgetRecent, Recent } from './recent.ts'

test('a Recent keeps results until its limit is reached, then starts again', () => {
  const recent = new Recent<string, number>(2)
  recent.set('a', 1)
  recent.set('b', 2)
  expect([recent.get('a'), recent.get('b')]).toEqual([1, 2])
  recent.set('c', 3)
  expect([recent.get('a'), recent.get('b'), recent.get('c')]).toEqual([undefined, undefined, 3])
})

test('a Recent keeps few results while no key repeats, and all results after a key repeats', () => {
  const recent = new Recent<string, number>()
  const keptOf = (prefix: string, count: number): number => {
    const keys = Array.from({ length: count }, (_, i) => `${prefix}-${i}`)
    keys.forEach((key, i) => {
      recent.set(key, i)
    })
    return keys.filter((key) => recent.get(key) !== undefined).length
  }
  const unique = new Recent<string, number>()
  for (let i = 0; i < 1000; i++) unique.set(`u-${i}`, i)
  const kept = Array.from({ length: 1000 }, (_, i) => unique.get(`u-${i}`)).filter((value) => value !== undefined)
  expect(kept.length).toBeLessThan(250)
  // The search above found results, so keys count as repeating.
  expect(keptOf('first', 100)).toBe(100)
  expect(keptOf('second', 100)).toBe(100)
})

test('a Recent finds a template among unique keys within a few uses', () => {
  const recent = new Recent<string, number>()
  for (let i = 0; i < 1000; i++) recent.set(`u-${i}`, i)
  let misses = 0
  while (recent.get('template') === undefined && misses < 100) {
    recent.set('template', 1)
    misses++
  }
  expect(misses).toBeLessThanOrEqual(16)
})

test('a Recent forgets all results and its statistics of repeated keys on request', () => {
  const recent = new Recent<object, number>()
  const key = {}
  recent.set(key, 1)
  for (let i = 0; i < 1000; i++) recent.set({}, i)
  forgetRecent()
  expect(recent.get(key)).toBeUndefined()
  const keys = Array.from({ length: 100 }, () => ({}))
  for (const each of keys) recent.set(each, 1)
  expect(keys.filter((each) => recent.get(each) === undefined)).toEqual([])
})
