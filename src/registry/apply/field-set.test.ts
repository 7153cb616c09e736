import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FieldSet } from './field-set.ts'

const paths = fc.array(fc.array(fc.constantFrom('f:a', 'f:b', 'f:c'), { minLength: 1, maxLength: 3 }), { maxLength: 6 })

const setOf = (all: readonly (readonly string[])[]): FieldSet => {
  const set = new FieldSet()
  for (const path of all) path.reduce((here, step) => here.at(step), set).member = true
  return set
}

test('meets the JSON of another set if the two have a path in common', () => {
  fc.assert(
    fc.property(paths, paths, (one, other) => {
      const common = setOf(one).intersection(setOf(other))
      expect(setOf(one).meets(setOf(other).toJson())).toBe(!common.isEmpty)
    }),
  )
})
