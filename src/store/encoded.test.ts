import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { KubeObject } from '../api/objects/meta.ts'
import { encoded } from './encoded.ts'

const metadata = fc.record({ name: fc.string(), labels: fc.dictionary(fc.string(), fc.string()) })
const spec = fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue())
const members = fc.record({
  kind: fc.constantFrom('Pod', 'a "quoted" kind', undefined),
  apiVersion: fc.constantFrom('v1', undefined),
  metadata,
  status: fc.constantFrom({}, { phase: 'Pending' }, null, undefined),
})
const names = ['kind', 'apiVersion', 'metadata', 'spec', 'status', 'other']
const order = fc.oneof(
  fc.constantFrom(names.slice(0, 5), ['apiVersion', 'kind', 'metadata', 'spec', 'status']),
  fc.shuffledSubarray(names),
)

it('encodes a stored object as its JSON, even if other objects share its spec', () => {
  const forms = fc.array(fc.tuple(order, members), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(spec, forms, (shared, all) => {
      for (const [present, given] of all) {
        const whole: Readonly<Record<string, unknown>> = { ...given, spec: shared, other: 1 }
        const object = Object.fromEntries(present.map((name) => [name, whole[name]])) as unknown as KubeObject
        expect(encoded(object)).toBe(JSON.stringify(object))
        expect(encoded(object)).toBe(JSON.stringify(object))
      }
    }),
  )
})

it('encodes a 64-bit integer in a shared spec with all of its digits', () => {
  const long = { seconds: 9223372036854775807n }
  for (const name of ['a', 'b', 'c']) {
    const object = {
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { name },
      spec: long,
      status: {},
    } as unknown as KubeObject
    const expected = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"${name}"},"spec":{"seconds":9223372036854775807},"status":{}}`
    expect(encoded(object)).toBe(expected)
  }
})

it('encodes a long object once for the disk, the response and all watchers', () => {
  let encodings = 0
  const object = {
    metadata: { name: 'a' },
    get data() {
      encodings++
      return 'x'.repeat(100_000)
    },
  } as unknown as KubeObject
  const texts = Array.from({ length: 10 }, () => encoded(object))
  expect([encodings, new Set(texts).size]).toEqual([1, 1])
})
