import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../api/objects/meta.ts'
import { forgetRecent } from '../../base/recent.ts'
import { createdFields } from './created-fields.ts'
import { FieldSet } from './field-set.ts'
import { compare, type Ownership } from './typed-value.ts'

const leaf: Ownership = { is: 'leaf' }
const item: Ownership = { is: 'members', of: (name) => (name === 'tags' ? { is: 'set' } : leaf) }
const how: Ownership = {
  is: 'members',
  of: (name) => (name === 'items' ? { is: 'elements', keys: ['id'], of: item } : name === 'whole' ? leaf : how),
}

const items = fc
  .uniqueArray(fc.record({ id: fc.string(), tags: fc.uniqueArray(fc.string()) }), { selector: ({ id }) => id })
  .map((list) => list as unknown)

const objects = fc.letrec((tie) => ({
  object: fc.dictionary(
    fc.constantFrom('a', 'b', 'whole', 'items'),
    fc.oneof({ depthSize: 'small' }, fc.string(), tie('object')),
  ),
}))

test('gives the creator the same fields as a comparison with the empty object', () => {
  fc.assert(
    fc.property(objects.object, items, (shape, list) => {
      const object = { spec: { ...(shape as object), items: list } } as Record<string, unknown>
      const empty = { spec: {} }
      const { added, modified } = compare(empty, object, how)
      const created = FieldSet.fromJson(createdFields(object, empty, how, []) as JsonObject)
      expect(created.paths()).toEqual(added.union(modified).paths())
    }),
  )
})

test('shares one tree among objects with the same fields, equal to the tree of each object alone', () => {
  const pod = (name: string, image: string) => ({
    metadata: { name, labels: { app: name } },
    spec: { image, items: [] },
  })
  const fieldsOf = (object: object) => createdFields(object as Record<string, unknown>, { spec: {} }, how, [])
  forgetRecent()
  expect(fieldsOf(pod('a', 'x'))).toBe(fieldsOf(pod('b', 'y')))
  fc.assert(
    fc.property(fc.array(objects.object, { minLength: 2, maxLength: 6 }), (specs) => {
      const wholes = specs.map((spec) => ({ metadata: { labels: spec }, spec }))
      const together = wholes.map((one) => JSON.stringify(fieldsOf(structuredClone(one))))
      const alone = wholes.map((one) => {
        forgetRecent()
        return JSON.stringify(fieldsOf(structuredClone(one)))
      })
      expect(together).toEqual(alone)
    }),
  )
})

test('gives the creator of a long list the same fields as a comparison with the empty object, in the order of their steps', () => {
  const numbers = Array.from({ length: 300 }, (_, i) => i)
  const items = numbers.map((i) => ({ id: `c${i % 250}`, ...(i % 3 === 0 ? { tags: [i], other: 1 } : { other: 1 }) }))
  const { added } = compare({ spec: {} }, { spec: { items } }, how)
  const created = createdFields({ spec: { items } }, { spec: {} }, how, []) as JsonObject
  expect(FieldSet.fromJson(created).paths()).toEqual(added.paths())
  const steps = Object.keys((created['f:spec'] as JsonObject)['f:items'] as JsonObject)
  expect(steps).toEqual([...steps].sort())
})

test('gives the creator of large maps with the same names the same fields as a comparison, in the order of their steps', () => {
  const names = Array.from({ length: 200 }, (_, i) => `name-${i * 7}`)
  const mapOf = (value: (i: number) => unknown) => Object.fromEntries(names.map((name, i) => [name, value(i)]))
  const object = {
    spec: { limits: mapOf(String), requests: mapOf(() => '1'), nested: mapOf((i) => ({ a: i })), last: mapOf(String) },
  }
  const created = createdFields(object, { spec: {} }, how, [])
  const { added, modified } = compare({ spec: {} }, object, how)
  expect(FieldSet.fromJson(created).paths()).toEqual(added.union(modified).paths())
  const limits = (created as { readonly 'f:spec': { readonly 'f:limits': JsonObject } })['f:spec']['f:limits']
  expect(Object.keys(limits)).toEqual(Object.keys(limits).sort())
})
