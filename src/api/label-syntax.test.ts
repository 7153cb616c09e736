import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isLabelKey, labelKeyProblems } from './label-syntax.ts'
import { isExtendedResource } from './resource-names.ts'

const part = fc.string({ unit: fc.constantFrom('a', 'Z', '0', '-', '_', '.', 'ä', '/', '\n'), maxLength: 8 })
const long = fc.integer({ min: 60, max: 66 }).map((n) => 'a'.repeat(n))
const longPrefix = fc.integer({ min: 240, max: 256 }).map((n) => 'a'.repeat(n))
const keys = fc.oneof(
  part,
  long,
  fc.tuple(fc.oneof(part, long, longPrefix), fc.oneof(part, long)).map(([prefix, name]) => `${prefix}/${name}`),
)

describe('label keys', () => {
  it('label keys are valid if and only if they have no problem', () => {
    fc.assert(
      fc.property(keys, (key) => {
        expect(isLabelKey(key)).toBe(labelKeyProblems(key).length === 0)
      }),
    )
  })

  it('accepts qualified names as extended resources if they are valid with the prefix of quotas', () => {
    fc.assert(
      fc.property(keys, (name) => {
        const isForeign = name.includes('/') && !name.includes('kubernetes.io/')
        const isValid = labelKeyProblems(`requests.${name}`).length === 0
        expect(isExtendedResource(name)).toBe(isForeign && isValid)
      }),
    )
  })
})
