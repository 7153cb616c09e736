import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import type { JsonObject } from '../../api/objects/meta.ts'
import { defaultRelease } from '../../api/releases/release-of.ts'
import type { StructShape } from '../../api/schema/shape.ts'
import { applyStrategicMerge } from './strategic-merge.ts'

const pod = defaultRelease.api.types.get('core.Pod') as StructShape

const condition = fc.record(
  { type: fc.constantFrom('Ready', 'Initialized', 'DisruptionTarget'), status: fc.constantFrom('True', 'False') },
  { requiredKeys: ['type'] },
)
const conditions = fc.uniqueArray(condition, { selector: ({ type }) => type, maxLength: 3 })
const part = fc.record(
  {
    metadata: fc.record(
      { uid: fc.constantFrom('1', '2'), labels: fc.constantFrom(null, { a: 'b' }, { a: 'b', c: 'd' }, { a: null }) },
      { requiredKeys: [] },
    ),
    status: fc.oneof(
      fc.constant(null),
      fc.record({ phase: fc.constantFrom('Running', 'Failed', null), conditions }, { requiredKeys: [] }),
    ),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<JsonObject>

function merged(original: JsonObject, patch: JsonObject): JsonObject {
  const result = applyStrategicMerge(original, patch, pod)
  if (!result.ok) throw new Error(result.message)
  return result.value
}

test('returns the same object if a patch changes nothing', () => {
  fc.assert(
    fc.property(part, part, (original, patch) => {
      const once = merged(original, patch)
      expect(merged(once, structuredClone(patch))).toBe(once)
    }),
  )
})

test('changes neither the original nor the patch, and shares unchanged parts', () => {
  fc.assert(
    fc.property(part, part, (original, patch) => {
      const texts = [JSON.stringify(original), JSON.stringify(patch)]
      const result = merged(original, patch)
      expect([JSON.stringify(original), JSON.stringify(patch)]).toEqual(texts)
      for (const name of Object.keys(original)) if (!(name in patch)) expect(result[name]).toBe(original[name])
    }),
  )
})

describe('invalid directives of strategic merge patches', () => {
  const original = { metadata: { name: 'a', finalizers: ['x'], labels: { a: 'b' } } }
  it.each([
    [{ $setElementOrder: [] }, 'invalid patch format of setElementOrder list'],
    [{ '$setElementOrder/finalizers': {} }, 'expected a []interface {}, but received a map[string]interface {}'],
    [{ '$setElementOrder/labels': [] }, 'expected a []interface {}, but received a map[string]interface {}'],
    [
      { '$setElementOrder/finalizers': ['y'], finalizers: ['x'] },
      "The order in patch list:\n[x]\n doesn't match $setElementOrder list:\n[y]\n",
    ],
    [{ $deleteFromPrimitiveList: ['x'] }, 'invalid patch format of primitive list'],
    [{ $retainKeys: 'name' }, 'invalid patch format of retainKeys'],
    [{ $retainKeys: ['name'], generateName: 'b' }, 'invalid patch format of retainKeys'],
  ])('refuses the patch %j with the message of upstream', (metadata, message) => {
    expect(applyStrategicMerge(original, { metadata } as never, pod)).toEqual({ ok: false, message })
  })

  it('ignores a list of deletions of another type', () => {
    const metadata = { '$deleteFromPrimitiveList/finalizers': 'x', '$deleteFromPrimitiveList/labels': ['a'] }
    expect(applyStrategicMerge(original, { metadata }, pod)).toEqual({ ok: true, value: original })
  })
})

describe('lists of many thousand elements', () => {
  const count = 20_000
  const owner = (i: number, more: object = {}) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    name: `p${i}`,
    uid: `u${i}`,
    ...more,
  })
  const all = Array.from({ length: count }, (_, i) => owner(i))

  it('merges and deletes many thousand list elements without comparing all pairs', () => {
    let looks = 0
    const watched = all.map((one) => ({
      ...one,
      get uid() {
        looks++
        return one.uid
      },
    }))
    const original = { metadata: { name: 'a', ownerReferences: watched } }
    const gone = all.slice(1).map(({ uid }) => ({ $patch: 'delete', uid }))
    const deleted = applyStrategicMerge(original, { metadata: { ownerReferences: gone } }, pod)
    expect(deleted).toMatchObject({ ok: true, value: { metadata: { ownerReferences: [owner(0)] } } })
    const changed = all.map((_, i) => ({ uid: `u${i}`, controller: false }))
    const merged = applyStrategicMerge(original, { metadata: { ownerReferences: changed } }, pod)
    expect(merged.ok && (merged.value['metadata'] as { ownerReferences: object[] }).ownerReferences.at(-1)).toEqual(
      owner(count - 1, { controller: false }),
    )
    expect(looks).toBeLessThan(20 * count)
  })
})
