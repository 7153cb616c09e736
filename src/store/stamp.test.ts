import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { KubeObject, ObjectMeta } from '../api/objects/meta.ts'
import { layoutOf, stamp } from './stamp.ts'

const names = [
  ...['name', 'generateName', 'namespace', 'uid', 'resourceVersion', 'generation', 'creationTimestamp', 'labels'],
  ...['annotations', 'ownerReferences', 'deletionTimestamp'],
]
const objectOf = (keys: readonly string[]): object => Object.fromEntries(keys.map((key) => [key, `the ${key}`]))

const usual = fc.subarray(names.slice(0, 10), { minLength: 4 })
const metadata = fc.oneof(usual, fc.shuffledSubarray(names)).map(objectOf) as fc.Arbitrary<ObjectMeta>
const members = fc.oneof(
  fc.constantFrom(['apiVersion', 'kind', 'spec', 'status'], ['kind', 'apiVersion', 'spec', 'status']),
  fc.shuffledSubarray(['apiVersion', 'kind', 'spec', 'status', 'data']),
)
const object = fc.tuple(members, fc.nat(4), metadata).map(([keys, at, meta]) => {
  const entries = Object.entries(objectOf(keys)) as [string, unknown][]
  entries.splice(Math.min(at, entries.length), 0, ['metadata', meta])
  return Object.fromEntries(entries) as unknown as KubeObject
})

test('stamping changes only the version, and keeps the order of members', () => {
  fc.assert(
    fc.property(object, fc.boolean(), (given, isOwn) => {
      const before = JSON.stringify(given)
      const plain = JSON.stringify({ ...given, metadata: { ...given.metadata, resourceVersion: '7' } })
      expect(JSON.stringify(stamp(given, 7, isOwn))).toBe(plain)
      if (!isOwn) expect(JSON.stringify(given)).toBe(before)
    }),
    { numRuns: 1000 },
  )
})

test('recognizes objects of one layout by their members and their order', () => {
  fc.assert(
    fc.property(object, object, (one, other) => {
      const layout = layoutOf(one)
      if (layout === 'other' || layout !== layoutOf(other)) return
      expect(Object.keys(one)).toEqual(Object.keys(other))
    }),
    { numRuns: 1000 },
  )
})
