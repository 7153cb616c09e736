import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FieldSet } from './field-set.ts'

const paths = fc.array(fc.array(fc.constantFrom('f:a', 'f:b', 'f:c'), { minLength: 1, maxLength: 3 }), { maxLength: 6 })

const setOf = (all: readonly (readonly string[])[]): FieldSet => {
  const set = new FieldSet()
  for (const path of all) path.reduce((here, step) => here.at(step), set).member = true
  return set
}

test('a field set meets the JSON of another set if the two have a path in common', () => {
  fc.assert(
    fc.property(paths, paths, (one, other) => {
      const common = setOf(one).intersection(setOf(other))
      expect(setOf(one).meets(setOf(other).toJson())).toBe(!common.isEmpty)
    }),
  )
})

const listed = (set: FieldSet): readonly string[] =>
  set
    .paths()
    .map((path) => path.join('/'))
    .sort()

test('computes union, difference, intersection and equality of field sets like sets of paths, and changes neither set', () => {
  fc.assert(
    fc.property(paths, paths, (one, other) => {
      const [a, b] = [setOf(one), setOf(other)]
      const [inA, inB] = [new Set(listed(a)), new Set(listed(b))]
      const all = [...new Set([...inA, ...inB])].sort()
      expect(listed(a.union(b))).toEqual(all)
      expect(listed(a.difference(b))).toEqual(all.filter((path) => inA.has(path) && !inB.has(path)))
      expect(listed(a.intersection(b))).toEqual(all.filter((path) => inA.has(path) && inB.has(path)))
      expect(a.equals(b)).toBe(String([...inA]) === String([...inB]))
      expect([listed(a), listed(b)]).toEqual([[...inA], [...inB]])
    }),
  )
})

test('a field set that absorbs others has all of their paths, even if they share leaves', () => {
  fc.assert(
    fc.property(paths, paths, paths, (one, two, three) => {
      const read = (all: typeof one) => FieldSet.fromJson(setOf(all).toJson())
      const joined = new FieldSet()
      for (const all of [one, two, three]) joined.absorb(read(all))
      expect(listed(joined)).toEqual([...new Set([one, two, three].flatMap((all) => listed(read(all))))].sort())
    }),
  )
})
